"""What an answer rests on.  The text is that of a ledger entry, without its kind."""

from seahorn_py.cli.messages.message import Message

LEDGER_ENTRIES = (
    Message(
        "L101",
        "accesses of memory are taken to be valid",
        r"accesses of memory are valid|accesses of small arrays",
        "Another property is asked about, and for it every load and store is taken to lie inside a"
        " live object.",
        "int a[2]; a[i] = 1; assert(x == 0);    // i may be anything",
        "Ask about it: `--property valid-deref`, or `--property default` for all of them.",
    ),
    Message(
        "L102",
        "allocation does not fail",
        r"allocation does not fail",
        "`malloc` and its like are taken to return a block. A program may fail where they return"
        " null.",
        "int *p = malloc(4); *p = 1;",
        "`--malloc-may-fail` looks at both.",
    ),
    Message(
        "L103",
        "memory is not exhausted",
        r"memory for stack and heap|is not exhausted",
        "No run ends for lack of stack or heap.",
        "int f(int n) { return n ? f(n - 1) : 0; }",
        "Nothing: how deep a stack is, C does not say.",
    ),
    Message(
        "L104",
        "freed blocks are not used again",
        r"freed (are|is) not used again|not used again",
        "A new block is taken to lie where no freed block was.",
        "free(p); q = malloc(4); if (p == q) reach_error();",
        "Do not compare pointers to freed blocks; C leaves that undefined.",
    ),
    Message(
        "L105",
        "what the program calls unreachable is not reached",
        r"comes to __builtin_unreachable",
        "A run that comes to `__builtin_unreachable()` ends there. C says nothing of such a run.",
        "if (x > 3) __builtin_unreachable();    // so x <= 3 behind it",
        "Put an assertion in its place: then it is proved.",
    ),
    Message(
        "L106",
        "objects that may lie where others lie",
        r"lie apart",
        "A linker may put a string literal into the end of another one, and an object without bytes"
        " anywhere. They are taken to lie apart.",
        'names[0] = "ab"; names[1] = "b"; if (names[0] + 1 == names[1]) reach_error();',
        "Compare strings by what they hold, or give them names of their own.",
    ),
    Message(
        "L201",
        "a function without a body",
        r"external function|which has no body|without (a )?body|has no model",
        "The program calls a function that is declared only. It gives any result, returns, and"
        " changes nothing that it"
        " cannot reach. In the run of an *unsafe* answer it changes nothing at all.",
        "int sensor(void);\nint main(void) { assert(sensor() < 100); }",
        "Add the file that defines it, or a definition with what you know: `assume` in its body.",
    ),
    Message(
        "L202",
        "arguments of an entry",
        r"an entry|pointers that an entry|global variables hold",
        "With `--entry` the function is called with any arguments. What pointers lead to, and what"
        " globals hold, has limits.",
        "sea-py pf --entry f lib.c",
        "`--pointer-depth`, `--array-size`, `--may-alias` and `--globals any` change the limits.",
    ),
    Message(
        "L203",
        "arguments of main",
        r"main has at most|\bargv\b",
        "`argc` and the length of the arguments have the bounds of an operating system.",
        "int main(int argc, char **argv)",
        "Nothing: no call of a program breaks these bounds.",
    ),
    Message(
        "L204",
        "a call through a pointer",
        r"called through a pointer|through a pointer",
        "What is called through a pointer is taken to be a function of the right type.",
        "void (*f)(void) = table[i]; f();",
        "`--property valid-deref` checks such calls.",
    ),
    Message(
        "L205",
        "the order of operands",
        r"operands that disturb|order of",
        "Operands that change what others read are evaluated in the order of clang; C leaves the"
        " order open.",
        "x = f() + g();    // both change the same variable",
        "`--order all` looks at each order, or write two statements.",
    ),
    Message(
        "L206",
        "signed arithmetic does not overflow",
        r"overflow|wrap",
        "`--overflow assume` was given, or the loop ends only without overflow.",
        "sea-py pf --overflow assume a.c",
        "`--property no-overflow` asks whether it may.",
    ),
    Message(
        "L207",
        "short lines",
        r"lines that are read and arguments of main have at most",
        "With `--line-length` a proof is one for inputs whose lines are no longer than that.",
        "sea-py pf --line-length 16 a.c",
        "Without the option lines have any length; a greater one covers more inputs.",
    ),
    Message(
        "L301",
        "the error rests on one kind of run",
        r"rests on the native run|native run|no execution|was compared with",
        "There was no native run, or the interpreter could not follow it, for the reason that is"
        " told.",
        "sea-py pf --no-native a.c",
        "Leave out `--no-native`, or see with `sea-py doctor` what is missing here.",
    ),
    Message(
        "L302",
        "something is not covered",
        r"not covered|not checked|is not seen|are not seen",
        "The property asks for something that nothing checks. No proof stands with such an entry,"
        " unless it says so.",
        "int a[3]; return a[1];    // asked about uninit: arrays are not covered",
        "Ask for another property that covers it, or change the program at the place.",
    ),
    Message(
        "L401",
        "a value is arbitrary",
        r"arbitrary|any value",
        "The clauses know less than the program: a value may be anything. A proof stands; an error"
        " is run first.",
        "float f = 0.1f;    // in integers",
        "Nothing for a proof. `--encoding bv` is exact.",
    ),
    Message(
        "L402",
        "a model of the C library",
        r"\b(locale|time zone|stream|file|getline|getopt|regular|tsearch|printf|scanf|library)\b",
        "The model of a library function takes something for granted, for example the time zone.",
        "localtime(&t);    // as in UTC",
        "`docs/reference/library.md` has what is promised of each function; `--libc real` takes"
        " the library's own code.",
    ),
    Message(
        "L403",
        "another approximation",
        r"",
        "Something was assumed or approximated at the place that is told."
        " `docs/reference/ledger.md` says what it means.",
        "sea-py pf --strict a.c    # unknown, with such an entry",
        "Look at the place. `--strict` lets no answer rest on it.",
    ),
)
