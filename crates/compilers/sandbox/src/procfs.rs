//! Reading `/proc` without allocating: the shepherd runs between fork and exec, where it may not.
//!
//! `/proc/<pid>/task/<tid>/children` would be shorter, but many kernels are built without it, so
//! there is only the way that always works.

use std::ffi::{CStr, c_void};
use std::io::Write;

use nix::libc;

/// What is known of one process.
#[derive(Clone, Copy)]
pub(crate) struct Process {
    pub(crate) pid: i32,
    pub(crate) parent: i32,
    pub(crate) session: i32,
}

/// Calls `f` for every process there is; false when `/proc` cannot be read.
pub(crate) fn each(mut f: impl FnMut(Process)) -> bool {
    let flags = libc::O_RDONLY | libc::O_DIRECTORY | libc::O_CLOEXEC;
    // SAFETY: the path is a C string; the descriptor is closed below.
    let dir = unsafe { libc::open(c"/proc".as_ptr(), flags) };
    if dir < 0 {
        return false;
    }
    let mut buffer = [0u64; 1024];
    loop {
        let size = size_of_val(&buffer);
        // SAFETY: the buffer is ours and as long as we say.
        let got = unsafe { libc::syscall(libc::SYS_getdents64, dir, &raw mut buffer, size) };
        if got <= 0 {
            break;
        }
        // SAFETY: the kernel has just filled in so many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast(), got as usize) };
        for_numbers(bytes, |pid| {
            if let Some(process) = read(pid) {
                f(process);
            }
        });
    }
    // SAFETY: it is ours.
    unsafe { libc::close(dir) };
    true
}

/// Calls `f` for the entries of a directory that are numbers.
fn for_numbers(mut entries: &[u8], mut f: impl FnMut(i32)) {
    // An entry of getdents64: inode and offset (8 bytes each), length (2), type (1), name.
    while let Some(&[low, high]) = entries.get(16..18) {
        let length = usize::from(u16::from_ne_bytes([low, high]));
        let name = entries.get(19..length).and_then(|name| CStr::from_bytes_until_nul(name).ok());
        if let Some(pid) = name.and_then(|name| number(name.to_bytes())) {
            f(pid);
        }
        entries = entries.get(length.max(1)..).unwrap_or_default();
    }
}

fn read(pid: i32) -> Option<Process> {
    let mut path = [0u8; 32];
    write!(&mut path[..31], "/proc/{pid}/stat").ok()?;
    let mut buffer = [0u8; 512];
    let stat = slurp(CStr::from_bytes_until_nul(&path).ok()?, &mut buffer)?;
    // The name, in parentheses, may hold anything; what follows does not.
    let end = stat.iter().rposition(|&b| b == b')')?;
    let mut words = stat.get(end + 2..)?.split(|&b| b == b' ').skip(1);
    let parent = number(words.next()?)?;
    let session = number(words.nth(1)?)?;
    Some(Process { pid, parent, session })
}

/// The number that the kernel gave out last; the difference of two says how many processes and
/// threads can have begun between.
pub(crate) fn last_pid() -> Option<i32> {
    let mut buffer = [0u8; 128];
    let text = slurp(c"/proc/loadavg", &mut buffer)?.trim_ascii_end();
    number(text.rsplit(|&b| b == b' ').next()?)
}

fn slurp<'a>(path: &CStr, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    // SAFETY: a C string, and a buffer as long as we say; the descriptor is closed at once.
    let got = unsafe {
        let file = libc::open(path.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return None;
        }
        let got = libc::read(file, buffer.as_mut_ptr().cast::<c_void>(), buffer.len());
        libc::close(file);
        got
    };
    buffer.get(..usize::try_from(got).ok()?)
}

fn number(digits: &[u8]) -> Option<i32> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_us_and_our_parent() {
        let (me, parent) = (std::process::id() as i32, std::os::unix::process::parent_id() as i32);
        // In a container whose session leader is outside of it, parent and session are both 0.
        // SAFETY: no pointer is involved.
        let session = unsafe { libc::getsid(0) };
        let mut found = 0;
        let is_us = |p: Process| (p.pid, p.parent, p.session) == (me, parent, session);
        assert!(each(|p| found += i32::from(is_us(p))));
        assert_eq!(found, 1);
        assert!(last_pid().is_some_and(|pid| pid > 0));
    }
}
