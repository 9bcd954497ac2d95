"""Wrong usage and wrong input, which end a command with exit code 2."""

from seahorn_py.cli.messages.message import Message

REFUSALS = (
    Message(
        "E101",
        "the compiler refuses the program",
        r":\d+:\d+: (fatal )?error: |linking|undefined (symbol|reference)",
        "The bundled clang cannot compile or link the files as they are given.",
        "int main(void) { return y; }",
        "Mend the line, or give the flags of the build: `-I`, `-D`, `--cflag`, `--compdb"
        " compile_commands.json`.",
    ),
    Message(
        "E102",
        "a file cannot be read",
        r"cannot read|no such file|No such file|not a text file|no such folder|no file of C"
        r"|no C file found|is a directory",
        "The file is not there, is a folder, or may not be read.",
        "sea-py pf nothere.c",
        "Look at the name and at the permissions.",
    ),
    Message(
        "E103",
        "a file cannot be written",
        r"cannot (write|print|keep)|not written",
        "What was asked for cannot be written where it should be. The answer stands all the same.",
        "sea-py pf --sarif /no/folder/a.sarif a.c",
        "Give a folder that is there and may be written into.",
    ),
    Message(
        "E104",
        "an unknown name",
        r"unknown (property|engine|rule|word)|no (engine|choice|rule|command|"
        r"message) (is called |has )?|no proof \S+[;,]|is not supported; supported",
        "The name is none of those that are known; the message lists them, and the nearest one.",
        "sea-py pf --engine spacr a.c",
        "Use one of the names. `sea-py COMMAND --help` has them all.",
    ),
    Message(
        "E105",
        "options that do not go together",
        r"has no meaning with|ask without|is asked for alone|not with --|nothing to write"
        r"|is no question about|an editor asks",
        "One of the options means nothing beside another one, or lacks what it is about.",
        "sea-py pf --modular --rule pthread-mutex a.c",
        "Leave out one of them, or run two commands.",
    ),
    Message(
        "E201",
        "what the front end does not take",
        r"threads?\b|assembly|signals?\b|are? refused|^(?!.*(ACSL|contracts)).*not supported",
        "The program has a construct whose meaning is not modelled. It is refused rather than"
        " guessed.",
        "pthread_cancel(t);",
        "Leave the construct out of what is verified: another entry (`--entry`), or a definition"
        " of the function.",
    ),
    Message(
        "E202",
        "no function to begin with",
        r"no main|no function|\bentry\b|--entry",
        "There is no function of that name, or it cannot be an entry.",
        "sea-py pf library.c    # without a main",
        "`--entry FUNCTION` begins with a function; `--entry all` with any that others can call.",
    ),
    Message(
        "E301",
        "a file of another kind",
        r"not YAML|no YAML|not JSON|no TOML|not a precision|no compilation database|unexpected|"
        r"is there twice|unknown key|expected|unsupported file type",
        "The file is read, but it is not what the option or command reads.",
        "sea-py pf --schedule a.c a.c",
        "`docs/reference/files.md` has what each option reads. The message names the line.",
    ),
    Message(
        "E302",
        "a witness or contract of another program",
        r"witness|contract|annotation|ACSL|hash",
        "What is said there does not fit the program, or cannot be read as C of the program.",
        "sea-py validate other.yml a.c",
        "Give the program that it is about, with the same options (`-m32`).",
    ),
    Message(
        "E901",
        "other wrong usage or input",
        r"",
        "The message says what is wrong, and mostly what to do.",
        "sea-py pf --timeout soon a.c",
        "Follow the message. `sea-py COMMAND --help` has the options with their defaults.",
    ),
)
