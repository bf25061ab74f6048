//! Looks for tools on the `PATH`, and for LLVM's libraries, and asks them for their versions.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Run};

use crate::catalog::{ALL, Naming, Tool, ToolInfo};

/// A version is printed at once; Frama-C, the slowest, loads its plug-ins first (0.3 s).
const VERSION_WALL: Duration = Duration::from_secs(10);

/// A tool that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledTool {
    /// Which tool.
    pub tool: Tool,
    /// The name it was found under, such as `gcc-12`.
    pub name: String,
    /// The executable; for a Python module, the interpreter; for a library, its file.
    pub path: PathBuf,
    /// Its version number, or the first line it printed where no number stands out.
    pub version: String,
}

/// Every installed tool of the catalogue with its version, in the catalogue's order. Starts one
/// process per tool found.
pub fn find_all() -> Vec<InstalledTool> {
    ALL.iter().flat_map(|known| find_tool(known.tool)).collect()
}

/// Every installed version of one tool; the same executable under several names is listed once.
pub fn find_tool(tool: Tool) -> Vec<InstalledTool> {
    let known = tool.known();
    if let Naming::PythonModule(module) = known.naming {
        return python_module(known, module).into_iter().collect();
    }
    if known.naming == Naming::LlvmLibrary {
        return llvm_libraries(&library_folders());
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for path in candidates(known.naming) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let real = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        // The emulators may be one executable under many names, each another tool; and they come
        // in one package, so that one of them can answer for all.
        let is_emulator = known.naming == Naming::QemuUser;
        if !seen.insert(if is_emulator { PathBuf::from(&name) } else { real }) {
            continue;
        }
        let same = found
            .last()
            .filter(|f: &&InstalledTool| is_emulator && f.path.parent() == path.parent());
        let version = match same {
            Some(same) => Some(same.version.clone()),
            None => version(&path, &[known.version_option], known.tool),
        };
        found.extend(version.map(|version| InstalledTool { tool, name, path, version }));
    }
    found
}

/// The first executable of exactly this name on the `PATH`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    folders().into_iter().map(|dir| dir.join(name)).find(|path| executable(path))
}

/// The folder that holds `csmith.h`, where a package put it.
pub fn csmith_headers() -> Option<PathBuf> {
    let mut places = vec![PathBuf::from("/usr/include/csmith")];
    places.extend(env::var_os("CSMITH_HOME").map(|home| PathBuf::from(home).join("include")));
    // Built from source, headers lie beside the executable's folder, with or without a version.
    if let Some(prefix) = on_path("csmith").as_deref().and_then(Path::parent).and_then(Path::parent)
    {
        places.push(prefix.join("include"));
        places.push(prefix.join("include/csmith"));
        places.push(prefix.join("include/csmith-2.3.0"));
    }
    places.into_iter().find(|dir| dir.join("csmith.h").is_file())
}

/// The folders of the `PATH`.
pub(crate) fn folders() -> Vec<PathBuf> {
    env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default()
}

/// Whether this is a file that may be executed.
pub(crate) fn executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Executables whose names match: folders in the order of the `PATH`, names sorted so that the
/// plain name, which may mean another version tomorrow, comes after the versioned ones.
fn candidates(naming: Naming) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for dir in folders() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| naming.matches(name))
            .collect();
        names.sort_by_key(|name| (!name.contains('-'), name.clone()));
        paths.extend(names.into_iter().map(|n| dir.join(n)).filter(|path| executable(path)));
    }
    paths
}

/// Where LLVM's libraries may lie: Debian's folders, the system's, and that of the Rust compiler.
fn library_folders() -> Vec<PathBuf> {
    let arch = std::env::consts::ARCH;
    let mut folders: Vec<PathBuf> = env::var_os("LD_LIBRARY_PATH")
        .map(|path| env::split_paths(&path).collect())
        .unwrap_or_default();
    let installed = fs::read_dir("/usr/lib").into_iter().flatten().filter_map(|entry| {
        let path = entry.ok()?.path();
        path.file_name()?.to_str()?.starts_with("llvm").then(|| path.join("lib"))
    });
    let mut installed: Vec<PathBuf> = installed.collect();
    installed.sort();
    folders.extend(installed);
    folders.push(format!("/usr/lib/{arch}-linux-gnu").into());
    folders.extend(["/usr/lib64", "/usr/lib", "/usr/local/lib"].map(PathBuf::from));
    let rustc = Run::new("rustc", VERSION_WALL).args(["--print", "sysroot"]).finish().success();
    folders.extend(rustc.map(|said| PathBuf::from(said.stdout.text().trim()).join("lib")));
    folders
}

/// Each LLVM library in these folders once, by its real file, oldest version first.
fn llvm_libraries(folders: &[PathBuf]) -> Vec<InstalledTool> {
    let mut found: Vec<InstalledTool> = Vec::new();
    let files = folders.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten();
    for path in files.filter_map(|entry| Some(entry.ok()?.path())) {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        if !file.starts_with("libLLVM") || !file.contains(".so") {
            continue;
        }
        let Ok(real) = fs::canonicalize(&path) else { continue };
        let name = real.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(version) = library_version(&name) else { continue };
        // A linker script of the same name is a line of text.
        let is_library = fs::metadata(&real).is_ok_and(|meta| meta.len() > 1 << 20);
        if is_library && found.iter().all(|f| f.path != real) {
            found.push(InstalledTool { tool: Tool::LibLlvm, name, path: real, version });
        }
    }
    let number =
        |f: &InstalledTool| f.version.split(['.', '-']).next().and_then(|n| n.parse::<u32>().ok());
    found.sort_by_key(|f| (number(f), f.path.clone()));
    found
}

/// `14` of `libLLVM-14.so.1`, `19.1` of `libLLVM.so.19.1`, `22.1-rust-…` of Rust's own.
fn library_version(file: &str) -> Option<String> {
    let rest = file.strip_prefix("libLLVM")?;
    let (before, after) = rest.split_once(".so")?;
    let version = match before.strip_prefix('-') {
        Some(version) => version,
        None if before.is_empty() => after.strip_prefix('.')?,
        None => return None,
    };
    version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_string())
}

fn python_module(known: &ToolInfo, module: &str) -> Option<InstalledTool> {
    let path = on_path("python3")?;
    let version = version(&path, &["-m", module, known.version_option], known.tool)?;
    Some(InstalledTool { tool: known.tool, name: format!("python3 -m {module}"), path, version })
}

fn version(program: &Path, args: &[&str], tool: Tool) -> Option<String> {
    // Csmith leaves a file behind wherever it is asked: not in the user's folder.
    let elsewhere = std::env::temp_dir();
    let ended =
        Run::new(program, VERSION_WALL).args(args).env("LC_ALL", "C").cwd(elsewhere).finish();
    let Ended::Finished(finished) = ended else { return None };
    if finished.status != sandbox::Status::Exit(0) {
        return None;
    }
    let out = finished.stdout.text();
    // Some tools print their banner on the other stream.
    let text = if out.trim().is_empty() { finished.stderr.text() } else { out };
    Some(pick_version(&text, tool))
}

/// The version number in a banner. GCC puts the packager's version first and its own last; LLVM's
/// `opt` puts its own on the second line.
pub(crate) fn pick_version(banner: &str, tool: Tool) -> String {
    let numbers = |line: &str| -> Vec<String> {
        line.split_whitespace()
            .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.'))
            .map(|word| word.trim_end_matches([',', ')']).to_string())
            .collect()
    };
    let first = banner.lines().next().unwrap_or("").trim().to_string();
    let of_line = banner.lines().map(numbers).find(|found| !found.is_empty()).unwrap_or_default();
    let picked = if tool == Tool::Gcc { of_line.last() } else { of_line.first() };
    picked.cloned().unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_out_of_real_banners() {
        let cases = [
            (Tool::Gcc, "gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022", "12.2.0"),
            (Tool::Gcc, "gcc-13 (Ubuntu 13.2.0-23ubuntu4) 13.2.0", "13.2.0"),
            (Tool::Clang, "Debian clang version 16.0.6 (15~deb12u1)\nTarget: x86_64", "16.0.6"),
            (Tool::Tcc, "tcc version 0.9.27 (x86_64 Linux)", "0.9.27"),
            (Tool::Csmith, "csmith 2.3.0\nGit version: 30dccd7", "2.3.0"),
            (Tool::FramaC, "25.0-beta (Manganese)", "25.0-beta"),
            (Tool::Z3, "Z3 version 4.8.12 - 64 bit", "4.8.12"),
            (Tool::Opt, "Debian LLVM version 16.0.6\n  Optimized build.", "16.0.6"),
            (Tool::Opt, "LLVM (http://llvm.org/):\n  LLVM version 3.4.2\n", "3.4.2"),
            (Tool::Pcc, "something odd", "something odd"),
        ];
        for (tool, banner, want) in cases {
            assert_eq!(pick_version(banner, tool), want, "{banner}");
        }
    }

    #[test]
    fn versions_of_libraries() {
        let cases = [
            ("libLLVM-14.so.1", Some("14")),
            ("libLLVM-14.0.6.so", Some("14.0.6")),
            ("libLLVM.so.19.1", Some("19.1")),
            ("libLLVM.so.22.1-rust-1.95.0-stable", Some("22.1-rust-1.95.0-stable")),
            ("libLLVM.so", None),
            ("libLLVMCore.so.14", None),
            ("libLLVM-14.a", None),
        ];
        for (file, want) in cases {
            assert_eq!(library_version(file).as_deref(), want, "{file}");
        }
    }

    #[test]
    fn a_library_is_listed_once_and_a_linker_script_is_none() {
        let scratch = sandbox::Scratch::new().expect("a temporary folder");
        let real = scratch.file("libLLVM.so.22.1");
        let file = fs::File::create(&real).and_then(|file| file.set_len(2 << 20));
        file.expect("a large file");
        fs::write(scratch.file("libLLVM-22.so"), "INPUT(libLLVM.so.22.1)").expect("a script");
        std::os::unix::fs::symlink(&real, scratch.file("libLLVM-22.1.so")).expect("a link");
        let found = llvm_libraries(&[scratch.path().into(), scratch.path().into()]);
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.name.as_str(), one.version.as_str()), ("libLLVM.so.22.1", "22.1"));
    }

    #[test]
    fn the_shell_is_on_the_path() {
        assert!(on_path("sh").is_some());
        assert!(on_path("no-such-program-anywhere").is_none());
    }
}
