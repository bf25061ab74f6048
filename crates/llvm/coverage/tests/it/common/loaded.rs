//! Libraries in the test's own process, and forks of it.

use std::ffi::{CStr, CString, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use nix::libc;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};

/// A library that is loaded into the test.
pub struct Library(*mut c_void);

impl Library {
    pub fn open(path: &Path) -> Library {
        let path = CString::new(path.as_os_str().as_bytes()).expect("no zero in it");
        // SAFETY: a string; the library has no constructors.
        let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
        assert!(!handle.is_null());
        Library(handle)
    }

    pub fn address(&self, name: &CStr) -> usize {
        // SAFETY: a handle and a string.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!address.is_null(), "{name:?}");
        address as usize
    }

    /// The load bias: the first field of what a handle points to, `struct link_map`.
    pub fn base(&self) -> usize {
        // SAFETY: a handle of glibc points to one.
        unsafe { *self.0.cast::<usize>() }
    }

    /// A function pointer.
    ///
    /// # Safety
    ///
    /// `F` is a function pointer of that function's type.
    pub unsafe fn function<F: Copy>(&self, name: &CStr) -> F {
        assert_eq!(size_of::<F>(), size_of::<usize>());
        // SAFETY: as the caller says.
        unsafe { std::mem::transmute_copy(&self.address(name)) }
    }

    /// Calls a function that takes and gives a number.
    pub fn call(&self, name: &CStr, argument: i64) -> c_int {
        // SAFETY: all functions of our small libraries are such.
        let function: extern "C" fn(i64) -> c_int = unsafe { self.function(name) };
        function(argument)
    }
}

/// What `work` gave in a fork, or the signal that ended it.
pub fn forked(work: impl FnOnce() -> c_int) -> Result<c_int, Signal> {
    // SAFETY: the child calls a small library and `_exit`.
    match unsafe { fork() }.expect("a fork") {
        ForkResult::Parent { child } => match waitpid(child, None) {
            Ok(WaitStatus::Exited(_, status)) => Ok(status),
            Ok(WaitStatus::Signaled(_, signal, _)) => Err(signal),
            other => panic!("{other:?}"),
        },
        ForkResult::Child => {
            let work = std::panic::AssertUnwindSafe(work);
            let status = std::panic::catch_unwind(work).unwrap_or(101);
            // SAFETY: takes no pointers.
            unsafe { libc::_exit(status) }
        }
    }
}
