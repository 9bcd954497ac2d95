"""Each rule that comes with the program: a small program that keeps it, and one that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from seahorn_py import FrontendOptions, VerifyOptions, verify
from seahorn_py.frontend.rules.known import pack
from seahorn_py.options import Property
from seahorn_py.result import Answer, VerificationResult

INCLUDED = "stdio stdlib string stdarg setjmp fcntl unistd dirent pthread sys/socket"
C = "".join(f"#include <{name}.h>\n" for name in INCLUDED.split())
KERNEL = """
extern void spin_lock(int *), spin_unlock(int *), mutex_lock(int *), mutex_unlock(int *);
extern void read_lock(int *), read_unlock(int *), write_lock(int *), write_unlock(int *);
extern void rcu_read_lock(void), rcu_read_unlock(void), synchronize_rcu(void);
extern void local_irq_disable(void), local_irq_enable(void), msleep(unsigned);
extern void *kmalloc(unsigned long, unsigned), ldv_check_final_state(void);
extern int try_module_get(void *), usb_lock_device(void *);
extern void module_put(void *), usb_unlock_device(void *);
extern int class_interface_register(void *); extern void class_interface_unregister(void *);
extern unsigned long find_next_bit(const void *, unsigned long, unsigned long);
int lock, module; long bits;
"""
KINDS = {
    "descriptor": (
        "int f = open(\"a\", O_RDONLY); if (f >= 0) close(f);",
        "int f = open(\"a\", O_RDONLY); if (f >= 0) { close(f); close(f); }",
        "the descriptor is closed twice",
    ),
    "directory": (
        "DIR *d = opendir(\".\"); if (d) { readdir(d); closedir(d); }",
        "DIR *d = opendir(\".\"); if (d) readdir(d);",
        "the directory is still open at the end of the program",
    ),
    "heap": (
        "char *p = malloc(4); free(p); p = malloc(8); free(p);",
        "char *p = malloc(4), *q = p; free(p); free(q);",
        "the block is freed twice",
    ),
    "linux-alloc-in-spinlock": (
        "spin_lock(&lock); kmalloc(4, 32); spin_unlock(&lock); kmalloc(4, 208);",
        "spin_lock(&lock); kmalloc(4, 208); spin_unlock(&lock);",
        "memory is asked for under a spinlock with flags that let the caller sleep",
    ),
    "linux-bitops": (
        "find_next_bit(&bits, 10, 10);",
        "find_next_bit(&bits, 10, 11);",
        "the search for a bit begins behind the last bit",
    ),
    "linux-class": (
        "if (class_interface_register(&lock) == 0) class_interface_unregister(&lock);"
        "ldv_check_final_state();",
        "class_interface_register(&lock); ldv_check_final_state();",
        "the class is still registered at the end",
    ),
    "linux-irq": (
        "msleep(1); local_irq_disable(); local_irq_enable(); msleep(1);",
        "local_irq_disable(); msleep(1); local_irq_enable();",
        "msleep may sleep though interrupts are off",
    ),
    "linux-module": (
        "if (try_module_get(&module)) module_put(&module); ldv_check_final_state();",
        "try_module_get(&module); module_put(&module);",
        "a reference to a module is given back though none is held",
    ),
    "linux-mutex": (
        "mutex_lock(&lock); mutex_unlock(&lock); mutex_lock(&module); mutex_unlock(&module);",
        "mutex_lock(&lock); mutex_lock(&module); mutex_lock(&lock);",
        "the mutex is locked though it is held",
    ),
    "linux-rcu": (
        "rcu_read_lock(); rcu_read_unlock(); synchronize_rcu();",
        "rcu_read_lock(); rcu_read_lock(); rcu_read_unlock(); synchronize_rcu();",
        "the driver waits inside a section of rcu readers",
    ),
    "linux-rwlock": (
        "read_lock(&lock); read_unlock(&lock); write_lock(&lock); write_unlock(&lock);",
        "write_lock(&lock); read_lock(&lock);",
        "a lock is taken for reading though one is held for writing",
    ),
    "linux-spinlock": (
        "spin_lock(&lock); spin_unlock(&lock);",
        "spin_lock(&lock); spin_unlock(&lock); spin_unlock(&lock);",
        "the spinlock is given back though it is not held",
    ),
    "linux-usb-lock": (
        "usb_lock_device(&module); kmalloc(4, 16); usb_unlock_device(&module); kmalloc(4, 208);",
        "usb_lock_device(&module); kmalloc(4, 208); usb_unlock_device(&module);",
        "memory is asked for with flags that may wait for the locked usb device",
    ),
    "posix-cond": (
        "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_cond_wait(&c, &m);",
        "the thread waits without holding the mutex",
    ),
    "posix-mutex": (
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
        "the mutex is locked though this thread holds it",
    ),
    "posix-rwlock": (
        "pthread_rwlock_rdlock(&w); pthread_rwlock_unlock(&w);",
        "pthread_rwlock_rdlock(&w); pthread_rwlock_wrlock(&w);",
        "the lock is taken for writing though this thread holds it",
    ),
    "setjmp": (
        "if (setjmp(there) == 0) longjmp(there, 1);",
        "if (setjmp(there) == 0) longjmp(elsewhere, 1);",
        "longjmp goes to a place that setjmp has not set",
    ),
    "socket-order": (
        "int s = socket(AF_INET, SOCK_STREAM, 0); if (s < 0 || bind(s, 0, 0) != 0) return 1;"
        "if (listen(s, 1) == 0) accept(s, 0, 0);",
        "int s = socket(AF_INET, SOCK_STREAM, 0); if (s < 0 || bind(s, 0, 0) != 0) return 1;"
        "accept(s, 0, 0);",
        "the socket accepts though it does not listen",
    ),
    "stdio-stream": (
        "FILE *f = fopen(\"a\", \"r\"); if (f) { getc(f); fclose(f); }",
        "FILE *f = fopen(\"a\", \"r\"); if (f) { fclose(f); getc(f); }",
        "the stream is used though it is closed",
    ),
    "strtok": (
        "char t[] = \"a b\"; strtok(t, \" \"); strtok(0, \" \");",
        "strtok(0, \" \");",
        "strtok goes on though it has not begun",
    ),
    "unchecked-result": (
        "FILE *f = fopen(\"a\", \"r\"); if (f) getc(f);",
        "FILE *f = fopen(\"a\", \"r\"); getc(f);",
        "a null stream is handed to getc",
    ),
    "va-list": ("total(2, 3, 4); total(1, 7);", "total(0);", "the va_end of a list is missing"),
}  # fmt: skip
GLOBALS = """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static jmp_buf there, elsewhere;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static int total(int count, ...) {
  va_list list, again; int sum = 0;
  va_start(list, count);
  if (count == 0) return 0;
  va_copy(again, list);
  for (int k = 0; k < count; k++) sum += va_arg(list, int) & 255;
  va_end(list);
  sum += va_arg(again, int) & 255;
  va_end(again);
  return sum;
}
"""


def asked(folder: Path, name: str, statements: str) -> VerificationResult:
    """What is answered about a `main` of these statements and a rule of the pack."""
    source = folder / "program.c"
    head = KERNEL if name.startswith("linux") else C + GLOBALS
    source.write_text(f"{head}int main(void) {{ {statements} return 0; }}\n")
    frontend = FrontendOptions(rules=(name,), properties=frozenset({Property.RULE}))
    return verify(source, VerifyOptions(frontend, timeout=90))


def test_each_rule_has_a_program_that_keeps_it_and_one_that_does_not() -> None:
    assert list(KINDS) == list(pack())


@pytest.mark.parametrize("name", KINDS)
def test_a_program_that_keeps_the_rule_is_proved(tmp_path: Path, name: str) -> None:
    result = asked(tmp_path, name, KINDS[name][0])
    assert result.answer is Answer.SAFE, result


@pytest.mark.parametrize("name", KINDS)
def test_a_violation_of_the_rule_is_told(tmp_path: Path, name: str) -> None:
    result = asked(tmp_path, name, KINDS[name][1])
    assert result.answer is Answer.UNSAFE, result
    assert result.violation is not None
    assert result.violation.text == KINDS[name][2]
