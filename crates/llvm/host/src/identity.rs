//! What a libLLVM is, as its file says it and as it says itself.
//!
//! A file's name says nothing: `libLLVM.so` may be of any version, and two of one version may differ in
//! what was built into them. Version, build id, targets, and whether there are assertions are read from the
//! file, which is not opened as a library for that: one of another system could not be opened in this process.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use object::read::ReadCache;
use object::read::elf::ElfFile64;
use object::{Endianness, Object as _, ObjectSection as _};

/// A version is not longer: `22.1.8-rust-1.97.0-nightly`.
const LONGEST: usize = 80;

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
}

/// Identities by file, each with size and time of the file that it was read from.
static KNOWN: Mutex<BTreeMap<PathBuf, (String, Arc<Identity>)>> = Mutex::new(BTreeMap::new());

/// Versions by file and build id.
static VERSIONS: Mutex<BTreeMap<(PathBuf, String), Option<Version>>> = Mutex::new(BTreeMap::new());

/// Major, minor, patch.
pub type Version = (u32, u32, u32);

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
}

/// The version as which a library signs bitcode; `None` if it is none. It is looked for in all its constants, so it
/// is read only where it is asked for.
pub fn version(path: &Path, identity: &Identity) -> Option<Version> {
    let key = (path.to_path_buf(), identity.build_id.clone());
    let known = VERSIONS.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
    known.unwrap_or_else(|| {
        let read = || {
            let cache = ReadCache::new(File::open(path).ok()?);
            let file = ElfFile64::<Endianness, _>::parse(&cache).ok()?;
            // Optimised after linking, a library keeps constants in sections of other names, too.
            let is_constant = |name: &str| name.contains("rodata");
            let all = file.sections().filter(|section| section.name().is_ok_and(is_constant));
            all.filter_map(|section| section.data().ok()).find_map(producer)
        };
        let version = read();
        VERSIONS.lock().unwrap_or_else(PoisonError::into_inner).insert(key, version);
        version
    })
}

/// Size and time of a file.
fn stamp(path: &Path) -> String {
    let Ok(data) = fs::metadata(path) else { return String::new() };
    let time = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("file-{:x}-{:x}", data.len(), time.unwrap_or_default().as_nanos())
}

/// What the library writes into bitcode as its producer (`LLVM22.1.8`): the longest such word, up to the zero at its
/// end. Other texts have its name and a number, too (`LLVM3.9` in a comment on old bitcode), but never all three
/// numbers of a version alone.
fn producer(data: &[u8]) -> Option<Version> {
    const NAME: &[u8] = b"\0LLVM";
    let places = data.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME);
    places.map(|(at, _)| &data[at + NAME.len()..]).find_map(|text| {
        let end = text.iter().take(LONGEST).position(|byte| *byte == 0)?;
        numbers(str::from_utf8(&text[..end]).ok()?)
    })
}

/// `22.1.2-rust-1.95.0-stable`, `24.0.0git`: three numbers, and what a packager says of them.
fn numbers(text: &str) -> Option<Version> {
    let mut parts = text.splitn(3, '.');
    let (major, minor) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let rest = parts.next()?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    Some((major, minor, rest[..end].parse().ok()?))
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
        assert!(identity.assertions);
        assert_eq!(identity.targets, ["AArch64", "X86"]);
        let plain = Identity::of_names(b"\0LLVM_14\0LLVMCreate\0");
        assert_eq!((plain.major, plain.assertions), (Some(14), false));
    }

    #[test]
    fn versions_as_libraries_sign_bitcode() {
        for (text, want) in [
            ("\0LLVM16.0.6\0", Some((16, 0, 6))),
            ("no\0LLVM3.9 loads\0LLVM\0LLVM22.1.2-rust-1.95.0-stable\0", Some((22, 1, 2))),
            ("\0LLVM24.0.0git\0LLVM1.2.3\0", Some((24, 0, 0))),
            ("\0LLVMContext\0LLVM22.1\0", None),
            ("\0LLVM16.0.6", None),
        ] {
            assert_eq!(producer(text.as_bytes()), want, "{text:?}");
        }
    }

    #[test]
    fn what_is_no_library_says_nothing() {
        let text = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
        assert_eq!(*Identity::of(text), Identity::default());
    }
}
