//! Which libLLVM are installed, and which of them `16` names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The least version that knows opaque pointers at all.
const OLDEST: u32 = 14;

/// A libLLVM on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// Its major version, from the file's name.
    pub major: u32,
    /// The file, links resolved.
    pub path: PathBuf,
}

impl Installed {
    /// All that are found, oldest first, one of each version: Debian's, then those of Rust toolchains, the
    /// usual one first, then the newest.
    pub fn all() -> Vec<Installed> {
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
                    found.entry(major).or_insert(Installed { major, path });
                }
            }
        }
        found.into_values().collect()
    }

    /// The library of a version (`16`) or a file. `Err` is a sentence that lists what is installed.
    pub fn named(name: &str) -> Result<Installed, String> {
        if name.contains('/') || name.contains(".so") {
            let path = fs::canonicalize(name).map_err(|e| format!("{name} cannot be read: {e}"))?;
            if !is_elf(&path) {
                return Err(format!("{name} is not a shared library"));
            }
            let major = path.file_name().and_then(|name| major(name.to_str()?)).unwrap_or(0);
            if (1..OLDEST).contains(&major) {
                return Err(too_old(name));
            }
            return Ok(Installed { major, path });
        }
        if name.parse::<u32>().is_ok_and(|major| major < OLDEST) {
            return Err(too_old(&format!("libLLVM {name}")));
        }
        let all = Installed::all();
        let wanted = all.iter().find(|lib| lib.major.to_string() == name);
        wanted.cloned().ok_or_else(|| {
            let there: Vec<String> = all.iter().map(|lib| lib.major.to_string()).collect();
            match there.is_empty() {
                true => "no libLLVM was found: install llvm-16, or name the file".to_string(),
                false => format!(
                    "there is no libLLVM {name}; installed are {}, or name the file",
                    there.join(", ")
                ),
            }
        })
    }
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
}
