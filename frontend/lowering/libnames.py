"""The functions of the C and POSIX headers (glibc 2.36) that take or give pointers.

Those with a model are among them: a program that declares one with another type has it without.
"""

from __future__ import annotations

import re

_WITH_POINTERS = """
    a64l accept accept4 access acct addmntent adjtime aio_cancel aio_error aio_fsync aio_init
    aio_read aio_return aio_suspend aio_write alphasort arc4random_buf asctime asctime_r asprintf
    at_quick_exit atexit atof atoi atol atoll basename bcmp bcopy bindresvport bindresvport6
    bsearch bzero c16rtomb c32rtomb c8rtomb call_once canonicalize canonicalize_file_name
    canonicalizef canonicalizel catgets catopen cfgetibaud cfgetispeed cfgetobaud cfgetospeed
    cfmakeraw cfsetbaud cfsetibaud cfsetispeed cfsetobaud cfsetospeed cfsetspeed chdir chmod chown
    chroot clearerr clearerr_unlocked clock_adjtime clock_getcpuclockid clock_getres clock_gettime
    clock_nanosleep clock_settime clone closedir confstr copy_file_range creat crypt ctermid ctime
    ctime_r cuserid dirfd dirname dladdr dladdr1 dlclose dlerror dlinfo dlmopen dlopen dlsym dlvsym
    dprintf drand48_r eaccess ecvt ecvt_r endmntent erand48 erand48_r err error error_at_line errx
    euidaccess execl execle execlp execv execve execveat execvp execvpe explicit_bzero faccessat
    fchmodat fchownat fclose fcvt fcvt_r fdopen fdopendir fegetenv fegetexceptflag fegetmode
    feholdexcept feof feof_unlocked ferror ferror_unlocked fesetenv fesetexceptflag fesetmode
    fetestexceptflag feupdateenv fexecve fflush fflush_unlocked fgetc fgetc_unlocked fgetgrent
    fgetgrent_r fgetpos fgetpwent fgetpwent_r fgets fgets_unlocked fgetwc fgetwc_unlocked fgetws
    fgetws_unlocked fileno fileno_unlocked flockfile fmemopen fmtmsg fnmatch fopen fopencookie
    fprintf fputc fputc_unlocked fputs fputs_unlocked fputwc fputwc_unlocked fputws fputws_unlocked
    fread fread_unlocked free_aligned_sized free_sized freeaddrinfo freopen frexp frexpf frexpl
    fscanf fseek fseeko fsetpos fstat fstatat fstatvfs ftell ftello ftok ftrylockfile ftw
    funlockfile futimens futimes futimesat fwide fwprintf fwrite fwrite_unlocked fwscanf gai_cancel
    gai_error gai_strerror gai_suspend gcvt get_current_dir_name getaddrinfo getaddrinfo_a getc
    getc_unlocked getcpu getcwd getdate getdate_r getdelim getdirentries getdomainname getentropy
    getenv getgrent getgrent_r getgrgid getgrgid_r getgrnam getgrnam_r getgrouplist getgroups
    gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2 gethostbyname2_r gethostbyname_r
    gethostent gethostent_r gethostname getipv4sourcefilter getitimer getline getloadavg getlogin
    getlogin_r getmntent getmntent_r getnameinfo getnetbyaddr getnetbyaddr_r getnetbyname
    getnetbyname_r getnetent getnetent_r getnetgrent getnetgrent_r getopt getopt_long
    getopt_long_only getpass getpayload getpayloadf getpayloadl getpeername getprotobyname
    getprotobyname_r getprotobynumber getprotobynumber_r getprotoent getprotoent_r getpw getpwent
    getpwent_r getpwnam getpwnam_r getpwuid getpwuid_r getrandom getresgid getresuid getrlimit
    getrpcbyname getrpcbyname_r getrpcbynumber getrpcbynumber_r getrpcent getrpcent_r getrusage
    gets getservbyname getservbyname_r getservbyport getservbyport_r getservent getservent_r
    getsockname getsockopt getsourcefilter getsubopt gettimeofday getusershell getw getwc
    getwc_unlocked getwd glob glob_pattern_p globfree gmtime gmtime_r hasmntopt hcreate_r
    hdestroy_r herror hsearch hsearch_r hstrerror iconv iconv_open if_freenameindex if_indextoname
    if_nameindex if_nametoindex index inet6_opt_append inet6_opt_find inet6_opt_finish
    inet6_opt_get_val inet6_opt_init inet6_opt_next inet6_opt_set_val inet6_option_alloc
    inet6_option_append inet6_option_find inet6_option_init inet6_option_next inet6_rth_add
    inet6_rth_getaddr inet6_rth_init inet6_rth_reverse inet6_rth_segments inet_addr inet_aton
    inet_net_ntop inet_net_pton inet_neta inet_network inet_nsap_addr inet_nsap_ntoa inet_ntoa
    inet_ntop inet_pton initgroups initstate initstate_r innetgr insque iruserok iruserok_af
    jrand48 jrand48_r l64a lchmod lchown lcong48 lcong48_r lfind lgamma_r lgammaf_r lgammal_r link
    linkat lio_listio localeconv localtime localtime_r lrand48_r lsearch lstat lutimes madvise
    malloc_info malloc_usable_size mblen mbrlen mbrtoc16 mbrtoc32 mbrtoc8 mbrtowc mbsinit
    mbsnrtowcs mbsrtowcs mbstowcs mbtowc memalign memalignment memccpy memchr memcmp memcpy
    memfd_create memfrob memmem memmove mempcpy memrchr memset memset_explicit mincore mkdir
    mkdirat mkdtemp mkfifo mkfifoat mknod mknodat mkostemp mkostemps mkstemp mkstemps mktemp mktime
    mlock mlock2 mmap modf modff modfl mprotect mq_getattr mq_notify mq_open mq_receive mq_send
    mq_setattr mq_timedreceive mq_timedsend mq_unlink mrand48_r mremap mseal msgctl msgrcv msgsnd
    msync munlock munmap name_to_handle_at nan nanf nanl nanosleep newlocale nftw nl_langinfo
    nrand48 nrand48_r on_exit open open_by_handle_at open_memstream open_wmemstream openat openat2
    opendir openlog pathconf pclose perror pipe pipe2 pkey_mprotect poll popen posix_madvise
    posix_memalign posix_spawn posix_spawn_file_actions_addchdir
    posix_spawn_file_actions_addchdir_np posix_spawn_file_actions_addclose
    posix_spawn_file_actions_addclosefrom_np posix_spawn_file_actions_adddup2
    posix_spawn_file_actions_addfchdir posix_spawn_file_actions_addfchdir_np
    posix_spawn_file_actions_addopen posix_spawn_file_actions_addtcsetpgrp_np
    posix_spawn_file_actions_destroy posix_spawn_file_actions_init posix_spawnattr_destroy
    posix_spawnattr_getcgroup_np posix_spawnattr_getflags posix_spawnattr_getpgroup
    posix_spawnattr_getschedparam posix_spawnattr_getschedpolicy posix_spawnattr_getsigdefault
    posix_spawnattr_getsigmask posix_spawnattr_init posix_spawnattr_setcgroup_np
    posix_spawnattr_setflags posix_spawnattr_setpgroup posix_spawnattr_setschedparam
    posix_spawnattr_setschedpolicy posix_spawnattr_setsigdefault posix_spawnattr_setsigmask
    posix_spawnp ppoll pread preadv preadv2 preadv64v2 printf prlimit process_madvise
    process_vm_readv process_vm_writev profil pselect psiginfo psignal pthread_atfork
    pthread_attr_destroy pthread_attr_getaffinity_np pthread_attr_getdetachstate
    pthread_attr_getguardsize pthread_attr_getinheritsched pthread_attr_getschedparam
    pthread_attr_getschedpolicy pthread_attr_getscope pthread_attr_getsigmask_np
    pthread_attr_getstack pthread_attr_getstackaddr pthread_attr_getstacksize pthread_attr_init
    pthread_attr_setaffinity_np pthread_attr_setdetachstate pthread_attr_setguardsize
    pthread_attr_setinheritsched pthread_attr_setschedparam pthread_attr_setschedpolicy
    pthread_attr_setscope pthread_attr_setsigmask_np pthread_attr_setstack
    pthread_attr_setstackaddr pthread_attr_setstacksize pthread_barrier_destroy
    pthread_barrier_init pthread_barrier_wait pthread_barrierattr_destroy
    pthread_barrierattr_getpshared pthread_barrierattr_init pthread_barrierattr_setpshared
    pthread_clockjoin_np pthread_cond_broadcast pthread_cond_clockwait pthread_cond_destroy
    pthread_cond_init pthread_cond_signal pthread_cond_timedwait pthread_cond_wait
    pthread_condattr_destroy pthread_condattr_getclock pthread_condattr_getpshared
    pthread_condattr_init pthread_condattr_setclock pthread_condattr_setpshared pthread_create
    pthread_exit pthread_getaffinity_np pthread_getattr_default_np pthread_getattr_np
    pthread_getcpuclockid pthread_getname_np pthread_getschedparam pthread_getspecific pthread_join
    pthread_key_create pthread_mutex_clocklock pthread_mutex_consistent pthread_mutex_consistent_np
    pthread_mutex_destroy pthread_mutex_getprioceiling pthread_mutex_init pthread_mutex_lock
    pthread_mutex_setprioceiling pthread_mutex_timedlock pthread_mutex_trylock pthread_mutex_unlock
    pthread_mutexattr_destroy pthread_mutexattr_getprioceiling pthread_mutexattr_getprotocol
    pthread_mutexattr_getpshared pthread_mutexattr_getrobust pthread_mutexattr_getrobust_np
    pthread_mutexattr_gettype pthread_mutexattr_init pthread_mutexattr_setprioceiling
    pthread_mutexattr_setprotocol pthread_mutexattr_setpshared pthread_mutexattr_setrobust
    pthread_mutexattr_setrobust_np pthread_mutexattr_settype pthread_once
    pthread_rwlock_clockrdlock pthread_rwlock_clockwrlock pthread_rwlock_destroy
    pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_timedrdlock pthread_rwlock_timedwrlock
    pthread_rwlock_tryrdlock pthread_rwlock_trywrlock pthread_rwlock_unlock pthread_rwlock_wrlock
    pthread_rwlockattr_destroy pthread_rwlockattr_getkind_np pthread_rwlockattr_getpshared
    pthread_rwlockattr_init pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared
    pthread_setaffinity_np pthread_setattr_default_np pthread_setcancelstate pthread_setcanceltype
    pthread_setname_np pthread_setschedparam pthread_setspecific pthread_sigmask
    pthread_spin_destroy pthread_spin_init pthread_spin_lock pthread_spin_trylock
    pthread_spin_unlock pthread_timedjoin_np pthread_tryjoin_np ptsname ptsname_r putc
    putc_unlocked putenv putgrent putpwent puts putw putwc putwc_unlocked pvalloc pwrite pwritev
    pwritev2 pwritev64v2 qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort qsort_r rand_r random_r rawmemchr
    rcmd rcmd_af re_compile_fastmap re_compile_pattern re_match re_match_2 re_search re_search_2
    re_set_registers read readdir readdir_r readlink readlinkat readv reallocarray realpath recv
    recvfrom recvmmsg recvmsg regcomp regerror regexec regfree remap_file_pages remove remque
    remquo remquof remquol rename renameat renameat2 revoke rewind rewinddir rexec rexec_af rindex
    rmdir rpmatch rresvport rresvport_af ruserok ruserok_af scandir scandirat scanf
    sched_getaffinity sched_getattr sched_getparam sched_rr_get_interval sched_setaffinity
    sched_setattr sched_setparam sched_setscheduler secure_getenv seed48 seed48_r seekdir select
    sem_clockwait sem_close sem_destroy sem_getvalue sem_init sem_open sem_post sem_timedwait
    sem_trywait sem_unlink sem_wait semop semtimedop send sendmmsg sendmsg sendto setbuf setbuffer
    setdomainname setenv setgroups sethostname setipv4sourcefilter setitimer setjmp setlinebuf
    setlocale setlogin setmntent setnetgrent setpayload setpayloadf setpayloadl setpayloadsig
    setpayloadsigf setpayloadsigl setrlimit setsockopt setsourcefilter setstate setstate_r
    settimeofday setvbuf shm_open shm_unlink shmat shmctl shmdt sigabbrev_np sigaction sigaddset
    sigaltstack sigandset sigdelset sigdescr_np sigemptyset sigfillset sigisemptyset sigismember
    sigorset sigpending sigprocmask sigreturn sigstack sigsuspend sigtimedwait sigwait sigwaitinfo
    sincos sincosf sincosl snprintf socketpair splice sprintf srand48_r srandom_r sscanf stat
    statvfs statx stpcpy stpncpy strcasecmp strcasestr strcat strchr strchrnul strcmp strcoll
    strcpy strcspn strdup strerror strerror_r strerrordesc_np strerrorname_np strfmon strfromd
    strfromf strfroml strfry strftime strlen strncasecmp strncat strncmp strncpy strndup strnlen
    strpbrk strptime strrchr strsep strsignal strspn strstr strtod strtof strtoimax strtok strtok_r
    strtol strtold strtoll strtoq strtoul strtoull strtoumax strtouq strverscmp strxfrm swab
    swprintf swscanf symlink symlinkat syslog system tcgetattr tcsetattr tdelete tdestroy telldir
    tempnam tfind time timegm timelocal timer_create timer_gettime timer_settime times timespec_get
    timespec_getres tmpfile tmpnam tmpnam_r totalorder totalorderf totalorderl totalordermag
    totalordermagf totalordermagl truncate tsearch ttyname ttyname_r twalk twalk_r uname ungetc
    ungetwc unlink unlinkat unsetenv utime utimensat utimes valloc vasprintf vdprintf verr verrx
    versionsort vfprintf vfscanf vfwprintf vfwscanf vmsplice vprintf vscanf vsnprintf vsprintf
    vsscanf vswprintf vswscanf vsyslog vwarn vwarnx vwprintf vwscanf wait wait3 wait4 waitid
    waitpid warn warnx wcpcpy wcpncpy wcrtomb wcscasecmp wcscat wcschr wcschrnul wcscmp wcscoll
    wcscpy wcscspn wcsdup wcsftime wcslcat wcslcpy wcslen wcsncasecmp wcsncat wcsncmp wcsncpy
    wcsnlen wcsnrtombs wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax wcstok
    wcstol wcstold wcstoll wcstombs wcstoq wcstoul wcstoull wcstoumax wcstouq wcswcs wcswidth
    wcsxfrm wctomb wctrans wctype wmemchr wmemcmp wmemcpy wmemmove wmempcpy wmemset wordexp
    wordfree wprintf write writev wscanf
"""
_LEAVING_BLOCKS = """
    asprintf canonicalize_file_name duplocale fdopen fdopendir fmemopen fopen fopencookie freopen
    get_current_dir_name getaddrinfo getdelim getifaddrs getline glob hcreate iconv_open
    if_nameindex memalign newlocale open_memstream open_wmemstream opendir popen posix_memalign
    pvalloc reallocarray regcomp scandir sem_open strdup strndup tempnam tmpfile tsearch valloc
    vasprintf wcsdup wordexp
"""
_TAKE_POINTERS = frozenset(_WITH_POINTERS.split())
_ALLOCATE = frozenset(_LEAVING_BLOCKS.split())
_VARIANT = re.compile(r"__(?:isoc\d\d_)?(?P<checked>\w+?)(?:_chk)?$|(?P<wide>\w+?)64(?P<end>_r)?$")


def takes_pointers(name: str) -> bool:
    """Whether the C library has a function of that name with pointers among its parameters."""
    return name in _TAKE_POINTERS or plain_name(name) in _TAKE_POINTERS


def may_allocate(name: str) -> bool:
    """Whether the C library has a function of that name that leaves a block to be freed."""
    return plain_name(name) in _ALLOCATE


def plain_name(name: str) -> str:
    """The name under which the headers declare a variant: checked, of a standard, for large files.

    `__sprintf_chk` and `__isoc99_sscanf` are `sprintf` and `sscanf`, `stat64` is `stat`.
    """
    found = _VARIANT.match(name) if name not in _TAKE_POINTERS else None
    if found is None:
        return name
    return found["checked"] or found["wide"] + (found["end"] or "")
