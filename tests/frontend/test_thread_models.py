"""Models of pthread.h, semaphore.h and threads.h: what calls return, in one thread and more."""

from __future__ import annotations

from dataclasses import replace

import pytest
from models import OPTIONS, RUN, executable, holds, lowered, shown

from seahorn_py.evidence.runs import native
from seahorn_py.frontend.reading.reader import read
from seahorn_py.ir.run import Ending
from seahorn_py.processes.deadline import Deadline

HEAD = "#include <pthread.h>\n#include <semaphore.h>\n#include <threads.h>\n#include <time.h>\n"

ALONE = {
    "mutexes": """
static pthread_mutex_t n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t r = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_mutex_t e = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int main(void) {
  struct timespec soon = {0, 0}, wrong = {0, -1};
  CHECK(!pthread_mutex_lock(&n) && pthread_mutex_trylock(&n) == EBUSY);
  CHECK(pthread_mutex_timedlock(&n, &soon) == ETIMEDOUT);
  CHECK(pthread_mutex_timedlock(&n, &wrong) == EINVAL);
  CHECK(!pthread_mutex_unlock(&n) && !pthread_mutex_destroy(&n));
  CHECK(!pthread_mutex_lock(&r) && !pthread_mutex_lock(&r) && !pthread_mutex_trylock(&r));
  CHECK(!pthread_mutex_unlock(&r) && !pthread_mutex_unlock(&r) && !pthread_mutex_unlock(&r));
  CHECK(pthread_mutex_unlock(&r) == EPERM);
  CHECK(!pthread_mutex_lock(&e) && pthread_mutex_lock(&e) == EDEADLK);
  CHECK(pthread_mutex_trylock(&e) == EBUSY);
  CHECK(!pthread_mutex_unlock(&e) && pthread_mutex_unlock(&e) == EPERM);
  pthread_mutexattr_t a; int kind; pthread_mutex_t made;
  CHECK(!pthread_mutexattr_init(&a) && pthread_mutexattr_settype(&a, 77) == EINVAL);
  CHECK(!pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE));
  CHECK(!pthread_mutexattr_gettype(&a, &kind) && kind == PTHREAD_MUTEX_RECURSIVE);
  CHECK(!pthread_mutex_init(&made, &a) && !pthread_mutex_lock(&made) && !pthread_mutex_lock(&made));
}""",
    "others": """
static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT; static int runs;
static void run(void) { runs++; }
int main(void) {
  CHECK(!pthread_rwlock_rdlock(&w) && !pthread_rwlock_tryrdlock(&w));
  CHECK(pthread_rwlock_trywrlock(&w) == EBUSY);
  CHECK(!pthread_rwlock_unlock(&w) && !pthread_rwlock_unlock(&w) && !pthread_rwlock_wrlock(&w));
  CHECK(pthread_rwlock_tryrdlock(&w) == EBUSY && pthread_rwlock_rdlock(&w) == EDEADLK);
  CHECK(!pthread_rwlock_unlock(&w) && !pthread_rwlock_destroy(&w));
  pthread_spinlock_t s; sem_t q; int value; pthread_barrier_t b;
  CHECK(!pthread_spin_init(&s, 0) && !pthread_spin_lock(&s) && pthread_spin_trylock(&s) == EBUSY);
  CHECK(!pthread_spin_unlock(&s) && !pthread_spin_trylock(&s));
  CHECK(!sem_init(&q, 0, 1) && !sem_wait(&q) && sem_trywait(&q) == -1 && errno == EAGAIN);
  CHECK(!sem_post(&q) && !sem_getvalue(&q, &value) && value == 1 && !sem_destroy(&q));
  CHECK(sem_init(&q, 0, ~0u) == -1 && errno == EINVAL);
  CHECK(pthread_barrier_init(&b, 0, 0) == EINVAL && !pthread_barrier_init(&b, 0, 1));
  CHECK(pthread_barrier_wait(&b) == PTHREAD_BARRIER_SERIAL_THREAD);
  CHECK(!pthread_once(&once, run) && !pthread_once(&once, run) && runs == 1);
  pthread_attr_t a; size_t size;
  CHECK(!pthread_attr_init(&a) && pthread_attr_setstacksize(&a, 1) == EINVAL);
  CHECK(!pthread_attr_setstacksize(&a, 1 << 20) && !pthread_attr_getstacksize(&a, &size));
  CHECK(size == 1 << 20 && pthread_attr_setscope(&a, PTHREAD_SCOPE_PROCESS) == ENOTSUP);
}""",
    "keys and the threads of C": """
static once_flag once = ONCE_FLAG_INIT; static int runs; static void run(void) { runs++; }
int main(void) {
  pthread_key_t k, l; mtx_t m; tss_t t;
  CHECK(!pthread_key_create(&k, 0) && !pthread_key_create(&l, 0) && k != l);
  CHECK(!pthread_getspecific(k) && !pthread_setspecific(k, &k) && pthread_getspecific(k) == &k);
  CHECK(!pthread_getspecific(l) && !pthread_key_delete(l) && pthread_key_delete(l) == EINVAL);
  CHECK(pthread_equal(pthread_self(), pthread_self()));
  CHECK(mtx_init(&m, mtx_plain | mtx_recursive) == thrd_success);
  CHECK(mtx_lock(&m) == thrd_success && mtx_lock(&m) == thrd_success);
  CHECK(mtx_unlock(&m) == thrd_success && mtx_init(&m, 99) == thrd_error);
  CHECK(tss_create(&t, 0) == thrd_success && tss_set(t, &m) == thrd_success && tss_get(t) == &m);
  call_once(&once, run); call_once(&once, run); CHECK(runs == 1);
}""",
}


@pytest.mark.full
@pytest.mark.parametrize("name", ALONE)
def test_one_thread(name: str) -> None:
    """In layouts of both widths, so that initialisers of the headers are understood."""
    holds(HEAD + ALONE[name])


TOGETHER = {
    "results": """
static void *f(void *given) { return given; }
static int g(void *given) { return *(int *)given; }
int main(void) {
  int x = -3, got; void *p; pthread_t t; thrd_t u;
  CHECK(!pthread_create(&t, 0, f, &x) && !pthread_join(t, &p) && p == &x);
  CHECK(thrd_create(&u, g, &x) == thrd_success && thrd_join(u, &got) == thrd_success && got == -3);
}""",
    "conditions": """
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER; static int full;
static void *f(void *given) {
  pthread_mutex_lock(&m); full = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); return 0;
}
int main(void) {
  pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m);
  while (!full) pthread_cond_wait(&c, &m);
  CHECK(pthread_mutex_trylock(&m) == EBUSY); pthread_mutex_unlock(&m); pthread_join(t, 0);
}""",
    "variables of threads": """
static _Thread_local int own = 1;
static void *f(void *given) { CHECK(own == 1 && errno == 0); own++; errno = 3; return 0; }
int main(void) {
  pthread_t t; own = 5; errno = 4; pthread_create(&t, 0, f, 0);
  CHECK(own == 5 && errno == 4); pthread_join(t, 0); CHECK(own == 5 && errno == 4);
}""",
    "barriers": """
static pthread_barrier_t b; static int x;
static void *f(void *given) { x = 1; pthread_barrier_wait(&b); return 0; }
int main(void) {
  pthread_t t; pthread_barrier_init(&b, 0, 2); pthread_create(&t, 0, f, 0);
  pthread_barrier_wait(&b); CHECK(x == 1); pthread_join(t, 0);
}""",
}


@pytest.mark.parametrize("name", TOGETHER)
def test_no_schedule_that_is_drawn_fails(name: str) -> None:
    low = lowered(HEAD + TOGETHER[name])
    program = read(low)
    with executable(low, 64) as built:
        runs = native.explore(built, Deadline.after(0.3), wanted=50, limits=replace(RUN, seconds=1))
    assert not [shown(program, run) for run in runs if run.ending is Ending.FAILED]
    assert any(run.ending is Ending.ENDED for run in runs)


UNDEFINED = {
    "a mutex that is free": "pthread_mutex_unlock(&m);",
    "a mutex that is held": "pthread_mutex_lock(&m); pthread_mutex_destroy(&m);",
    "a thread twice": "pthread_t t; pthread_create(&t, 0, f, 0);"
    " pthread_detach(t); pthread_join(t, 0);",
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_no_error_rests_on_what_posix_leaves_undefined(name: str) -> None:
    text = (
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
        " static void *f(void *p) { return p; }"
        f" int main(void) {{ {UNDEFINED[name]} reach_error(); }}"
    )
    low = lowered(HEAD + text, OPTIONS)
    with executable(low, 64) as built:
        assert native.run(built, {}, RUN).ending is not Ending.FAILED
