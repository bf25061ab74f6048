//! What a confined program may not do: write outside its folder, or reach the network.
//!
//! Landlock holds the file system, TCP, abstract sockets and signals to processes outside. A small
//! seccomp filter closes every kind of socket but local ones, so UDP too, and `io_uring`, through
//! which sockets could be had past the filter. Reading and executing stay free everywhere:
//! compilers need half the system.
//!
//! A server of ours that runs other people's code in its forks confines itself: [`confine_server`] leaves it
//! nothing to write to but what is open, and [`confine_program`] takes from a fork, just before such code is
//! called, the right to start processes and to signal others.
//!
//! What this does not hold: mode bits, owners and times of files outside can be changed where the
//! user may (Landlock does not cover them), and a local socket that has a name can be connected
//! to. It contains programs that go wrong, not hostile ones.

use std::ffi::{c_int, c_long};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::LazyLock;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope,
};
use nix::libc;

use crate::procfs;

/// The newest Landlock that we know what to do with; of older ones we take what they have.
const NEWEST: ABI = ABI::V7;

/// Devices that programs write to without harm.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The rules for a program that may write beneath `dir`; `None` where there is no Landlock.
pub(crate) fn rules(dir: &Path) -> io::Result<Option<OwnedFd>> {
    prepare();
    let dir = PathFd::new(dir).map_err(io::Error::other)?;
    Ok(build(Some(dir)).map_err(io::Error::other)?.into())
}

/// Confines this process, and all that it starts from now on, for good: it can read everything and write only
/// to devices without harm and to what is open already, and has no network. What the system cannot enforce,
/// [`weaknesses`] tells.
pub fn confine_server() -> io::Result<()> {
    prepare();
    let rules = build(None).map_err(io::Error::other)?;
    rules.restrict_self().map_err(io::Error::other)?;
    install(&FILTER)
}

/// Takes from this process the right to start processes, to become another program, and to signal processes that
/// are not confined with it: it is about to call code that nobody knows. It has one thread.
pub fn confine_program() -> io::Result<()> {
    let rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .scope(Scope::from_all(NEWEST))
        .and_then(|rules| rules.create())
        .and_then(RulesetCreated::restrict_self);
    rules.map_err(io::Error::other)?;
    install(&NO_PROCESSES)
}

/// Makes a filter hold for this process, where the kernel has filters.
fn install(filter: &[libc::sock_filter]) -> io::Result<()> {
    // SAFETY: numbers.
    let alone = unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) };
    match alone >= 0 && set_filter(filter) {
        true => Ok(()),
        false => Err(io::Error::last_os_error()),
    }
}

/// Without `dir` nothing can be written.
fn build(dir: Option<PathFd>) -> Result<RulesetCreated, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    // No device files: to root they would be a way round everything.
    let inside = all & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    let device: BitFlags<AccessFs> = AccessFs::WriteFile | AccessFs::ReadFile | AccessFs::IoctlDev;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?;
    if let Some(dir) = dir {
        rules = rules.add_rule(PathBeneath::new(dir, inside))?;
    }
    if let Ok(root) = PathFd::new("/") {
        rules = rules.add_rule(PathBeneath::new(root, AccessFs::from_read(NEWEST)))?;
    }
    for path in DEVICES {
        if let Ok(file) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(file, device))?;
        }
    }
    Ok(rules)
}

/// Confines the calling process, by these rules where there are any; false, with the error number
/// set, when that fails. Async-signal-safe after [`rules`].
pub(crate) fn enter(rules: Option<c_int>) -> bool {
    // SAFETY: numbers.
    let restrict = |fd: c_int| unsafe { libc::syscall(libc::SYS_landlock_restrict_self, fd, 0) };
    rules.is_none_or(|fd| restrict(fd) >= 0) && set_filter(&FILTER)
}

/// Makes a filter hold, where the kernel has filters; false, with the error number set, when that fails.
fn set_filter(filter: &[libc::sock_filter]) -> bool {
    if !*SECCOMP || filter.is_empty() {
        return true;
    }
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: a filter of as many instructions as it says, which the kernel copies.
    unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) >= 0 }
}

/// Computes what [`enter`] uses.
fn prepare() {
    LazyLock::force(&SECCOMP);
    LazyLock::force(&FILTER);
}

/// Whether the kernel has seccomp filters.
static SECCOMP: LazyLock<bool> = LazyLock::new(|| {
    // SAFETY: takes no pointers.
    unsafe { libc::prctl(libc::PR_GET_SECCOMP) >= 0 }
});

/// The filter, a program of the kernel's little machine.
static FILTER: LazyLock<Vec<libc::sock_filter>> = LazyLock::new(filter);

/// The one that allows no new process and no other program.
static NO_PROCESSES: LazyLock<Vec<libc::sock_filter>> = LazyLock::new(|| deny(STARTING));

/// Calls that start a process, a thread or a program.
#[cfg(target_arch = "x86_64")]
const STARTING: &[c_long] = &[
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_fork,
    libc::SYS_vfork,
    libc::SYS_execve,
    libc::SYS_execveat,
];
#[cfg(not(target_arch = "x86_64"))]
const STARTING: &[c_long] =
    &[libc::SYS_clone, libc::SYS_clone3, libc::SYS_execve, libc::SYS_execveat];

/// One way of making system calls, and the numbers of those that matter in it.
struct Convention {
    /// The kernel's name for it (`AUDIT_ARCH_…`).
    arch: u32,
    /// Bits of the number that count.
    mask: u32,
    socket: c_long,
    /// The old call that is all socket calls in one.
    socketcall: Option<c_long>,
}

/// The same number everywhere: it is younger than the unification of the tables.
const IO_URING_SETUP: u32 = 425;

#[cfg(target_arch = "x86_64")]
const CONVENTIONS: [Convention; 2] = [
    // The bit left out marks x32, whose numbers are otherwise the same.
    Convention {
        arch: 0xC000_003E,
        mask: !0x4000_0000,
        socket: libc::SYS_socket,
        socketcall: None,
    },
    Convention { arch: 0x4000_0003, mask: !0, socket: 359, socketcall: Some(102) },
];
#[cfg(target_arch = "aarch64")]
const CONVENTIONS: [Convention; 2] = [
    Convention { arch: 0xC000_00B7, mask: !0, socket: libc::SYS_socket, socketcall: None },
    Convention { arch: 0x4000_0028, mask: !0, socket: 281, socketcall: Some(102) },
];
#[cfg(target_arch = "riscv64")]
const CONVENTIONS: [Convention; 1] =
    [Convention { arch: 0xC000_00F3, mask: !0, socket: libc::SYS_socket, socketcall: None }];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
const CONVENTIONS: [Convention; 0] = [];

/// Instructions of the kernel's little machine, and places in its `seccomp_data`.
const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
const EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
const AND: u32 = libc::BPF_ALU | libc::BPF_AND | libc::BPF_K;
const NUMBER: u32 = 0;
const ARCH: u32 = 4;

fn code(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt, jf, k }
}

/// The last instruction of a way through a filter.
fn end(verdict: u32) -> libc::sock_filter {
    code(libc::BPF_RET | libc::BPF_K, verdict, 0, 0)
}

/// The verdict that a call is not permitted.
const DENY: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;

/// A filter that denies calls of our own convention, and every call of another.
fn deny(calls: &[c_long]) -> Vec<libc::sock_filter> {
    let Some(own) = CONVENTIONS.first() else { return Vec::new() };
    let mut program = vec![code(LOAD, ARCH, 0, 0), code(EQUAL, own.arch, 1, 0), end(DENY)];
    program.extend([code(LOAD, NUMBER, 0, 0), code(AND, own.mask, 0, 0)]);
    for &call in calls {
        program.extend([code(EQUAL, call as u32, 0, 1), end(DENY)]);
    }
    program.push(end(libc::SECCOMP_RET_ALLOW));
    program
}

fn filter() -> Vec<libc::sock_filter> {
    // Of an argument the low half.
    const ARGUMENT: u32 = if cfg!(target_endian = "little") { 16 } else { 20 };
    // In `socketcall`, the call for a new socket.
    const NEW_SOCKET: u32 = 1;
    let (allow, deny) = (end(libc::SECCOMP_RET_ALLOW), end(DENY));
    let mut program = Vec::new();
    for convention in CONVENTIONS {
        let mut body = vec![code(LOAD, NUMBER, 0, 0), code(AND, convention.mask, 0, 0)];
        body.extend([code(EQUAL, IO_URING_SETUP, 0, 1), deny]);
        body.extend([
            code(EQUAL, convention.socket as u32, 0, 4),
            code(LOAD, ARGUMENT, 0, 0),
            code(EQUAL, libc::AF_UNIX as u32, 0, 1),
            allow,
            deny,
        ]);
        if let Some(socketcall) = convention.socketcall {
            // The family is in memory, where a filter cannot look.
            body.extend([
                code(EQUAL, socketcall as u32, 0, 4),
                code(LOAD, ARGUMENT, 0, 0),
                code(EQUAL, NEW_SOCKET, 1, 0),
                allow,
                deny,
            ]);
        }
        body.push(allow);
        program.extend([code(LOAD, ARCH, 0, 0), code(EQUAL, convention.arch, 0, body.len() as u8)]);
        program.append(&mut body);
    }
    if !program.is_empty() {
        program.push(deny);
    }
    program
}

/// What [`Run`](crate::Run) promises and this system does not let it keep, a sentence each.
pub fn weaknesses() -> &'static [String] {
    static LIST: LazyLock<Vec<String>> = LazyLock::new(|| {
        let filtered = *SECCOMP && !FILTER.is_empty();
        list(landlock_version(), filtered, procfs::each(|_| ()))
            .into_iter()
            .map(String::from)
            .collect()
    });
    &LIST
}

fn list(landlock: i64, filtered: bool, proc: bool) -> Vec<&'static str> {
    let mut list = Vec::new();
    if landlock < 1 {
        list.push(
            "This kernel has no Landlock: a program that goes wrong can write wherever you can.",
        );
    } else if landlock < 3 {
        list.push("This kernel's Landlock is older than Linux 6.2: a program that goes wrong can empty files outside its folder.");
    }
    if landlock < 6 {
        list.push("This kernel's Landlock does not hold signals (Linux 6.12 does): a program can signal your other processes.");
    }
    if !filtered {
        list.push(if landlock < 4 {
            "There is no seccomp filter here: programs can reach the network."
        } else {
            "There is no seccomp filter here: programs can reach the network by UDP."
        });
    }
    if !proc {
        list.push("There is no /proc here: a program's daemons may outlive it.");
    }
    list
}

/// The kernel's version of Landlock; not positive when there is none.
fn landlock_version() -> i64 {
    const VERSION: u32 = 1;
    let none = std::ptr::null::<u8>();
    // SAFETY: this is how the version is asked: no pointer, no length.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0usize, VERSION) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weaknesses_follow_from_what_is_missing() {
        assert_eq!(list(7, true, true).len(), 0);
        assert_eq!(list(5, true, true).len(), 1);
        assert_eq!(list(2, true, true).len(), 2);
        assert_eq!(list(-1, false, false).len(), 4);
    }
}
