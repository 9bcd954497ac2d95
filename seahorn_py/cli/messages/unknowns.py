"""Why there is no answer.  The text is `STAGE: REASON`."""

from seahorn_py.cli.messages.message import Message

_LOOP = "for (unsigned i = 0; i * i != n; i++) ;\nreach_error();"

UNKNOWNS = (
    Message(
        "U101",
        "interrupted",
        r"^interrupted|: interrupted",
        "Somebody stopped the command, with Ctrl-C or a signal. What was known by then is printed"
        " above.",
        "sea-py pf big.c    # and Ctrl-C",
        "Run it again. The lines that begin with `known:` say which engines had given up by then.",
    ),
    Message(
        "U102",
        "the time limit in the front end",
        r"^front end: .*time limit",
        "Compiling, lowering or reading the program took all of the time: nothing was solved.",
        "sea-py pf --timeout 1 amalgamation.c",
        "Give more time (`--timeout`), fewer files, or one function with `--entry`.",
    ),
    Message(
        "U103",
        "the memory limit",
        r"memory limit|out of memory",
        "All processes of the command together took more than `--memory` allows.",
        "sea-py pf --memory 512 big.c",
        "Give more memory (`--memory`), or fewer processes at once (`--jobs 1`).",
    ),
    Message(
        "U104",
        "nothing is checked by the property",
        r"nothing to check",
        "No operation of the program is one that the property is about, or no error is ever"
        " called.",
        "int main(void) { return 0; }    // asked about unreach-call",
        "Name the property that you mean (`--property default`), or add an assertion.",
    ),
    Message(
        "U105",
        "an assumption that --strict does not take",
        r"strict: ",
        "There was an answer, but it rests on the ledger entry that is named, and `--strict` was"
        " given.",
        "sea-py pf --strict uses_malloc.c",
        "Leave out `--strict`, or remove what the entry is about: for example with"
        " `--malloc-may-fail`.",
    ),
    Message(
        "U106",
        "a proof with a gap",
        r"not everything was checked|not covered",
        "What was checked holds, but the property asks for more than what is checked; so there is"
        " no proof.",
        "int a[10], *p = &a[10];\nreturn p == &b[0];    // depends on how objects lie in memory",
        "Look at the place that is named. Without the operation there, or with it behind a check,"
        " the proof stands.",
    ),
    Message(
        "U201",
        "an error that depends on something unknown",
        r"the error (depends|needs)|needs a value from",
        "An engine found an error, but the run to it needs a value that only code without a body"
        " can give.",
        "int sensor(void);\nint main(void) { if (sensor() == 7) reach_error(); }",
        "Give the function a body, or make its result an input: `__VERIFIER_nondet_int()`.",
    ),
    Message(
        "U202",
        "an error that no run reaches",
        r"the run with the inputs found|the run has more than|the run found ends",
        "An engine found an error in its model of the program, but a run of the program with these"
        " inputs does not"
        " reach it. So the model has more runs than the program.",
        "float f = x; if (f != x) reach_error();    // in integers, where floats are arbitrary",
        "Try `--encoding bv`, which is exact, or `--engine bmc`.",
    ),
    Message(
        "U203",
        "a proof that was not confirmed",
        r"^re-proof: ",
        "An engine says that the program is safe, but no second solver could prove its invariants"
        " in time, or a"
        " run contradicts them.",
        "sea-py pf --timeout 5 products.c",
        "Give more time, or another engine with `--engine`.",
    ),
    Message(
        "U301",
        "a bound that does not suffice",
        r"runs go on beyond|bound \d+ reached|beyond it",
        "The program was unwound as often as `--bound` allows. No error is within the bound, and"
        " runs go on.",
        "sea-py bpf --bound 5 loop_of_ten.c",
        "Give a larger `--bound`, or leave it out and have `pf` look for invariants.",
    ),
    Message(
        "U302",
        "what an engine does not handle",
        r"is not linear|no loop has a closure|nothing to work on|not for |does not handle",
        "The engine that was asked for does not work on systems of this kind.",
        "sea-py pf --engine imc recursive.c",
        "Leave out `--engine`: the program decides which engines fit.",
    ),
    Message(
        "U303",
        "termination was not decided",
        r"\brank|recurrent|lasso|comes? back|never ends",
        "Neither a measure that decreases in each round was found, nor a run that never ends.",
        "while (x != 1) x = x % 2 ? 3 * x + 1 : x / 2;",
        "`--explain` names the loop. A counter with a bound in the program makes it easy.",
    ),
    Message(
        "U304",
        "the time limit while solving",
        r"time limit",
        "All engines that were tried ran out of time. The line `in the way` names the nearest loop"
        " or recursion.",
        _LOOP,
        "Run the command behind `try:`. An assertion in the middle of a program, or a contract"
        " with `--modular`,"
        " cuts the question into easier ones.",
    ),
    Message(
        "U305",
        "another stage gave up",
        r"",
        "The stage that is named could not finish its part, for the reason that is told.",
        _LOOP,
        "`--explain` says what each engine did, and `--timeout` gives it more time.",
    ),
)
