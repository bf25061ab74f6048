//! What a libLLVM is, as its file says it and as it says itself.
//!
//! A file's name says nothing: `libLLVM.so` may be of any version, and two of one version may differ in
//! what was built into them. The build id, the targets, and whether there are assertions are read from the
//! file, which is not opened as a library for that. Only the version is asked, in a child that opens
//! the library, because only [`LLVMGetVersion`](crate::api) knows it in full.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use object::read::ReadCache;
use object::read::elf::ElfFile64;
use object::{Endianness, Object as _, ObjectSection as _};

/// A library that says its version in less than this many seconds of the clock is none.
const PATIENCE: libc::c_uint = 30;

/// What the file of a libLLVM says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// The linker's build id in hexadecimal; size and time of the file where it has none.
    pub build_id: String,
    /// Whether it checks assertions: it calls what reports a failed one.
    pub assertions: bool,
    /// The targets that code can be made for, as LLVM names them: `AArch64`, `X86`.
    pub targets: Vec<String>,
    /// The major version in the version of its symbols (`LLVM_22.1`).
    pub major: Option<u32>,
    /// Whether it can be asked for its version.
    says_version: bool,
}

/// Identities by file, each with size and time of the file that it was read from.
static KNOWN: Mutex<BTreeMap<PathBuf, (String, Arc<Identity>)>> = Mutex::new(BTreeMap::new());

/// Versions by file and build id.
static VERSIONS: Mutex<BTreeMap<(PathBuf, String), Option<Version>>> = Mutex::new(BTreeMap::new());

/// Major, minor, patch.
type Version = (u32, u32, u32);

impl Identity {
    /// Reads a file; nothing is known of one that cannot be read.
    pub fn of(path: &Path) -> Arc<Identity> {
        let stamp = stamp(path);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, identity)) = known.get(path)
            && *of == stamp
        {
            return identity.clone();
        }
        let identity = Arc::new(Identity::read(path, &stamp).unwrap_or_default());
        known.insert(path.to_path_buf(), (stamp, identity.clone()));
        identity
    }

    fn read(path: &Path, stamp: &str) -> Option<Identity> {
        let cache = ReadCache::new(File::open(path).ok()?);
        let file = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
        let build_id = match file.build_id() {
            Ok(Some(id)) if !id.is_empty() => id.iter().map(|byte| format!("{byte:02x}")).collect(),
            _ => stamp.to_string(),
        };
        let names = file.section_by_name(".dynstr").and_then(|section| section.data().ok());
        Some(Identity { build_id, ..Identity::of_names(names.unwrap_or_default()) })
    }

    /// What the names of its symbols say, those that it has and those that it calls.
    fn of_names(names: &[u8]) -> Identity {
        let mut identity = Identity::default();
        for name in names.split(|byte| *byte == 0) {
            let Ok(name) = str::from_utf8(name) else { continue };
            if let Some(version) = name.strip_prefix("LLVM_") {
                let major = version.split('.').next().and_then(|word| word.parse().ok());
                identity.major = identity.major.or(major);
            }
            identity.assertions |= name == "__assert_fail";
            identity.says_version |= name == "LLVMGetVersion";
            let target = name.strip_prefix("LLVMInitialize").unwrap_or_default();
            if let Some(target) = target.strip_suffix("TargetInfo").filter(|name| !name.is_empty())
            {
                identity.targets.push(target.to_string());
            }
        }
        identity.targets.sort();
        identity.targets.dedup();
        identity
    }

    /// The version that the library itself says; `None` if it does not know, or cannot be opened.
    pub fn version(&self, path: &Path) -> Option<Version> {
        if !self.says_version {
            return None;
        }
        let key = (path.to_path_buf(), self.build_id.clone());
        let known = VERSIONS.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        known.unwrap_or_else(|| {
            let version = ask(path);
            VERSIONS.lock().unwrap_or_else(PoisonError::into_inner).insert(key, version);
            version
        })
    }
}

/// Size and time of a file.
fn stamp(path: &Path) -> String {
    let Ok(data) = fs::metadata(path) else { return String::new() };
    let time = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("file-{:x}-{:x}", data.len(), time.unwrap_or_default().as_nanos())
}

/// Opens a library in a child and asks it for its version.
fn ask(path: &Path) -> Option<Version> {
    let name = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut ends = [0; 2];
    // SAFETY: room for two descriptors.
    if unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return None;
    }
    // SAFETY: the child does nothing but open the library, ask it, and end; the C library keeps its own
    // locks usable across a fork.
    match unsafe { libc::fork() } {
        0 => {
            // SAFETY: as above; the string ends with a zero, the function takes three numbers to fill.
            unsafe {
                libc::alarm(PATIENCE);
                let library = libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
                if library.is_null() {
                    libc::_exit(1);
                }
                let get = libc::dlsym(library, c"LLVMGetVersion".as_ptr());
                if get.is_null() {
                    libc::_exit(1);
                }
                let get: extern "C" fn(*mut u32, *mut u32, *mut u32) = std::mem::transmute(get);
                let mut version = [0u32; 3];
                let [major, minor, patch] = &mut version;
                get(major, minor, patch);
                libc::write(ends[1], version.as_ptr().cast(), size_of_val(&version));
                libc::_exit(0)
            }
        }
        child => {
            let mut version = [0u32; 3];
            // SAFETY: descriptors of our own, room for what is read, a child of our own if there is one.
            let read = unsafe {
                libc::close(ends[1]);
                let size = size_of_val(&version);
                let read = if child > 0 {
                    libc::read(ends[0], version.as_mut_ptr().cast(), size)
                } else {
                    -1
                };
                libc::close(ends[0]);
                if child > 0 {
                    let mut status = 0;
                    libc::waitpid(child, &mut status, 0);
                }
                usize::try_from(read) == Ok(size)
            };
            read.then_some(version.into())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_symbols_say_what_a_library_is() {
        let names = b"\0LLVM_22.1\0__assert_fail\0LLVMInitializeX86TargetInfo\0LLVMGetVersion\0\
            LLVMInitializeX86Target\0LLVMInitializeAArch64TargetInfo\0LLVMInitializeTargetInfo\0";
        let identity = Identity::of_names(names);
        assert_eq!(identity.major, Some(22));
        assert!(identity.assertions && identity.says_version);
        assert_eq!(identity.targets, ["AArch64", "X86"]);
        let plain = Identity::of_names(b"\0LLVM_14\0LLVMCreate\0");
        assert_eq!((plain.major, plain.assertions, plain.says_version), (Some(14), false, false));
    }

    #[test]
    fn what_is_no_library_says_nothing() {
        let text = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        let identity = Identity::of(text);
        assert_eq!(*identity, Identity::default());
        assert_eq!(identity.version(text), None);
        assert_eq!(ask(text), None, "it cannot be opened");
    }
}
