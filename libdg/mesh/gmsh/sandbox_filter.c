/* The filter of system calls. Harmless calls are allowed, since libraries differ in what they need; calls that reach
 * out of the process are not. */
#define _GNU_SOURCE /* syscall, CLONE_THREAD */
#include "libdg/mesh/gmsh/sandbox_filter.h"

#include <errno.h>

#if defined __linux__ && (defined __x86_64__ || defined __aarch64__)

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif
#define WRITING (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

/* System calls of a kernel that is later than the headers have the same number everywhere. */
enum { OPENAT2 = 437, CLONE3 = 435, PIDFD_OPEN = 434, PIDFD_GETFD = 438, PIDFD_SIGNAL = 424, FCHMODAT2 = 452 };

#define KILL     SECCOMP_RET_KILL_PROCESS
#define MISSING  (SECCOMP_RET_ERRNO | ENOSYS)
#define TRAP(as) (SECCOMP_RET_TRAP | (uint32_t)DG_TRAP_##as)

static const struct {
  int number;
  uint32_t action;
} rules[] = {
    {SYS_execve, KILL},
    {SYS_execveat, KILL},
    {CLONE3, MISSING}, /* its flags lie in memory; the C library then uses clone */
    {OPENAT2, MISSING},
    {SYS_unlinkat, TRAP(REMOVE)},
    {SYS_mkdirat, TRAP(CHANGE)},
    {SYS_mknodat, TRAP(CHANGE)},
    {SYS_linkat, TRAP(CHANGE)},
    {SYS_symlinkat, TRAP(CHANGE)},
#ifdef SYS_renameat
    {SYS_renameat, TRAP(CHANGE)},
#endif
    {SYS_renameat2, TRAP(CHANGE)},
    {SYS_truncate, TRAP(CHANGE)},
    {SYS_fchmod, TRAP(CHANGE)},
    {SYS_fchmodat, TRAP(CHANGE)},
    {FCHMODAT2, TRAP(CHANGE)},
    {SYS_fchown, TRAP(CHANGE)},
    {SYS_fchownat, TRAP(CHANGE)},
    {SYS_utimensat, TRAP(CHANGE)},
    {SYS_setxattr, TRAP(CHANGE)},
    {SYS_lsetxattr, TRAP(CHANGE)},
    {SYS_fsetxattr, TRAP(CHANGE)},
    {SYS_removexattr, TRAP(CHANGE)},
    {SYS_lremovexattr, TRAP(CHANGE)},
    {SYS_fremovexattr, TRAP(CHANGE)},
#ifdef __x86_64__ /* calls that newer machines never had */
    {SYS_fork, KILL},
    {SYS_vfork, KILL},
    {SYS_creat, TRAP(WRITE)},
    {SYS_unlink, TRAP(REMOVE)},
    {SYS_rmdir, TRAP(REMOVE)},
    {SYS_mkdir, TRAP(CHANGE)},
    {SYS_mknod, TRAP(CHANGE)},
    {SYS_link, TRAP(CHANGE)},
    {SYS_symlink, TRAP(CHANGE)},
    {SYS_rename, TRAP(CHANGE)},
    {SYS_chmod, TRAP(CHANGE)},
    {SYS_chown, TRAP(CHANGE)},
    {SYS_lchown, TRAP(CHANGE)},
    {SYS_utime, TRAP(CHANGE)},
    {SYS_utimes, TRAP(CHANGE)},
    {SYS_futimesat, TRAP(CHANGE)},
#endif
    {SYS_socketpair, SECCOMP_RET_ERRNO | EACCES},
    {SYS_connect, TRAP(NETWORK)},
    {SYS_bind, TRAP(NETWORK)},
    {SYS_listen, TRAP(NETWORK)},
    {SYS_accept, TRAP(NETWORK)},
    {SYS_accept4, TRAP(NETWORK)},
    {SYS_ptrace, TRAP(PROCESS)},
    {SYS_process_vm_readv, TRAP(PROCESS)},
    {SYS_process_vm_writev, TRAP(PROCESS)},
    {SYS_kcmp, TRAP(PROCESS)},
    {PIDFD_OPEN, TRAP(PROCESS)},
    {PIDFD_GETFD, TRAP(PROCESS)},
    {PIDFD_SIGNAL, TRAP(PROCESS)},
    {SYS_tkill, TRAP(PROCESS)},
    {SYS_mount, TRAP(SYSTEM)},
    {SYS_umount2, TRAP(SYSTEM)},
    {SYS_pivot_root, TRAP(SYSTEM)},
    {SYS_chroot, TRAP(SYSTEM)},
    {428, TRAP(SYSTEM)}, /* open_tree, move_mount, fsopen, fsconfig, fsmount, fspick, mount_setattr */
    {429, TRAP(SYSTEM)},
    {430, TRAP(SYSTEM)},
    {431, TRAP(SYSTEM)},
    {432, TRAP(SYSTEM)},
    {433, TRAP(SYSTEM)},
    {442, TRAP(SYSTEM)},
    {SYS_unshare, TRAP(SYSTEM)},
    {SYS_setns, TRAP(SYSTEM)},
    {SYS_open_by_handle_at, TRAP(SYSTEM)},
    {425, TRAP(SYSTEM)}, /* io_uring_setup, _enter, _register: they would pass by this filter */
    {426, TRAP(SYSTEM)},
    {427, TRAP(SYSTEM)},
    {SYS_bpf, TRAP(SYSTEM)},
    {SYS_perf_event_open, TRAP(SYSTEM)},
    {SYS_userfaultfd, TRAP(SYSTEM)},
    {SYS_keyctl, TRAP(SYSTEM)},
    {SYS_add_key, TRAP(SYSTEM)},
    {SYS_request_key, TRAP(SYSTEM)},
    {SYS_init_module, TRAP(SYSTEM)},
    {SYS_finit_module, TRAP(SYSTEM)},
    {SYS_delete_module, TRAP(SYSTEM)},
    {SYS_kexec_load, TRAP(SYSTEM)},
    {SYS_reboot, TRAP(SYSTEM)},
    {SYS_swapon, TRAP(SYSTEM)},
    {SYS_swapoff, TRAP(SYSTEM)},
    {SYS_settimeofday, TRAP(SYSTEM)},
    {SYS_clock_settime, TRAP(SYSTEM)},
    {SYS_sethostname, TRAP(SYSTEM)},
    {SYS_mq_open, TRAP(SYSTEM)},
    {SYS_mq_unlink, TRAP(SYSTEM)},
    {SYS_shmget, TRAP(SYSTEM)},
    {SYS_shmat, TRAP(SYSTEM)},
    {SYS_semget, TRAP(SYSTEM)},
    {SYS_msgget, TRAP(SYSTEM)},
};

struct program {
  struct sock_filter code[512];
  unsigned short length;
};

static void put(struct program *p, uint16_t code, uint32_t value, uint8_t if_true, uint8_t if_false)
{
  if (p->length < sizeof p->code / sizeof *p->code)
    p->code[p->length++] = (struct sock_filter){.code = code, .jt = if_true, .jf = if_false, .k = value};
}

static void load(struct program *p, size_t offset) { put(p, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset, 0, 0); }

/* Both machines are little-endian: the low half comes first. */
static void load_argument(struct program *p, int argument, int half)
{
  load(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument + 4 * (size_t)half);
}

static void answer(struct program *p, uint32_t action) { put(p, BPF_RET | BPF_K, action, 0, 0); }

/* Says that the next `length` instructions are for this call only. The number of the call is loaded, and is again for
 * the instructions behind them if they do not return. */
static void for_call(struct program *p, int number, uint8_t length)
{
  put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, length);
}

static void filter_open(struct program *p, int number, int flags, uint64_t secret)
{
  for_call(p, number, 9);
  load_argument(p, flags, 0);
  put(p, BPF_JMP | BPF_JSET | BPF_K, WRITING, 0, 1);
  answer(p, TRAP(WRITE));
  load_argument(p, 5, 0);
  put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)secret, 0, 3);
  load_argument(p, 5, 1);
  put(p, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(secret >> 32), 0, 1);
  answer(p, SECCOMP_RET_ALLOW);
  answer(p, TRAP(READ));
}

/* Sets the answer to a call with one of two values in the low half of an argument, and to all other calls of that
 * number. */
static void filter_value(struct program *p, int number, int argument, uint32_t value, uint32_t other, uint32_t with,
                         uint32_t without)
{
  for_call(p, number, 5);
  load_argument(p, argument, 0);
  put(p, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
  put(p, BPF_JMP | BPF_JEQ | BPF_K, other, 0, 1);
  answer(p, with);
  answer(p, without);
}

static void assemble(struct program *p, uint64_t secret)
{
  const uint32_t self = (uint32_t)getpid();
  load(p, offsetof(struct seccomp_data, arch));
  put(p, BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
  answer(p, KILL);
  load(p, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__
  put(p, BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1); /* x32 */
  answer(p, KILL);
  filter_open(p, SYS_open, 1, secret);
#endif
  filter_open(p, SYS_openat, 2, secret);
  for_call(p, SYS_clone, 4);
  load_argument(p, 0, 0);
  put(p, BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1);
  answer(p, SECCOMP_RET_ALLOW);
  answer(p, KILL);
  for_call(p, SYS_socket, 4);
  load_argument(p, 0, 0);
  put(p, BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 0, 1);
  answer(p, SECCOMP_RET_ERRNO | EACCES); /* the C library asks a daemon for names of users, and does without */
  answer(p, TRAP(NETWORK));
  filter_value(p, SYS_kill, 0, self, self, SECCOMP_RET_ALLOW, TRAP(PROCESS));
  filter_value(p, SYS_tgkill, 0, self, self, SECCOMP_RET_ALLOW, TRAP(PROCESS));
  filter_value(p, SYS_rt_sigqueueinfo, 0, self, self, SECCOMP_RET_ALLOW, TRAP(PROCESS));
  filter_value(p, SYS_rt_tgsigqueueinfo, 0, self, self, SECCOMP_RET_ALLOW, TRAP(PROCESS));
  filter_value(p, SYS_prlimit64, 0, 0, self, SECCOMP_RET_ALLOW, TRAP(PROCESS));
  /* TIOCSTI and TIOCLINUX (0x541C) type into a terminal */
  filter_value(p, SYS_ioctl, 1, TIOCSTI, 0x541C, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW);
  filter_value(p, SYS_rt_sigaction, 0, SIGSYS, SIGSYS, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW);
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    for_call(p, rules[i].number, 1);
    answer(p, rules[i].action);
  }
  answer(p, SECCOMP_RET_ALLOW);
}

bool dg_sandbox_filter(uint64_t secret)
{
  struct program program = {.length = 0};
  assemble(&program, secret);
  const struct sock_fprog filter = {.len = program.length, .filter = program.code};
  if (program.length == sizeof program.code / sizeof *program.code) {
    errno = E2BIG; /* cut: it would not be the filter that is written above */
    return false;
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return false;
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0;
}

#else

bool dg_sandbox_filter(uint64_t secret)
{
  (void)secret;
  errno = ENOSYS;
  return false;
}

#endif
