//! What a confined program may not do: write outside its folder, or reach the network.
//!
//! Landlock holds the file system, TCP, abstract sockets and signals to processes outside. A small
//! seccomp filter closes every kind of socket but local ones, so UDP too, and `io_uring`, through
//! which sockets could be had past the filter. Reading and executing stay free everywhere:
//! compilers need half the system.
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
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, Scope,
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
    build(dir).map_err(io::Error::other)
}

fn build(dir: PathFd) -> Result<Option<OwnedFd>, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    // No device files: to root they would be a way round everything.
    let inside = all & !(AccessFs::MakeBlock | AccessFs::MakeChar);
    let device: BitFlags<AccessFs> = AccessFs::WriteFile | AccessFs::ReadFile | AccessFs::IoctlDev;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(NEWEST))?
        .scope(Scope::from_all(NEWEST))?
        .create()?
        .add_rule(PathBeneath::new(dir, inside))?;
    if let Ok(root) = PathFd::new("/") {
        rules = rules.add_rule(PathBeneath::new(root, AccessFs::from_read(NEWEST)))?;
    }
    for path in DEVICES {
        if let Ok(file) = PathFd::new(path) {
            rules = rules.add_rule(PathBeneath::new(file, device))?;
        }
    }
    Ok(rules.into())
}

/// Confines the calling process, by these rules where there are any; false, with the error number
/// set, when that fails. Async-signal-safe after [`rules`].
pub(crate) fn enter(rules: Option<c_int>) -> bool {
    // SAFETY: numbers, and a filter that lives as long as the process.
    unsafe {
        if rules.is_some_and(|fd| libc::syscall(libc::SYS_landlock_restrict_self, fd, 0) < 0) {
            return false;
        }
        if !*SECCOMP || FILTER.is_empty() {
            return true;
        }
        let program =
            libc::sock_fprog { len: FILTER.len() as u16, filter: FILTER.as_ptr().cast_mut() };
        libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) >= 0
    }
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

fn filter() -> Vec<libc::sock_filter> {
    const LOAD: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    const EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    const AND: u32 = libc::BPF_ALU | libc::BPF_AND | libc::BPF_K;
    // Places in the kernel's `seccomp_data`; of an argument the low half.
    const NUMBER: u32 = 0;
    const ARCH: u32 = 4;
    const ARGUMENT: u32 = if cfg!(target_endian = "little") { 16 } else { 20 };
    // In `socketcall`, the call for a new socket.
    const NEW_SOCKET: u32 = 1;
    let code = |code: u32, k: u32, jt, jf| libc::sock_filter { code: code as u16, jt, jf, k };
    let end = |verdict| code(libc::BPF_RET | libc::BPF_K, verdict, 0, 0);
    let (allow, deny) =
        (end(libc::SECCOMP_RET_ALLOW), end(libc::SECCOMP_RET_ERRNO | libc::EPERM as u32));
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
