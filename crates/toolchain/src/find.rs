//! Looks for tools on the `PATH` and asks them for their versions.

use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Run};

use crate::catalog::{ALL, Known, Naming, Tool};

/// A version is printed at once; Frama-C, the slowest, loads its plug-ins first (0.3 s).
const VERSION_WALL: Duration = Duration::from_secs(10);

/// A tool that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Which tool.
    pub tool: Tool,
    /// The name it was found under, such as `gcc-12`.
    pub name: String,
    /// The executable; for a Python module, the interpreter.
    pub path: PathBuf,
    /// Its version number, or the first line it printed where no number stands out.
    pub version: String,
}

/// Every installed tool of the catalogue with its version, in the catalogue's order. Starts one
/// process per tool found.
pub fn find_all() -> Vec<Found> {
    ALL.iter().flat_map(|known| find_tool(known.tool)).collect()
}

/// Every installed version of one tool; the same executable under several names is listed once.
pub fn find_tool(tool: Tool) -> Vec<Found> {
    let known = tool.known();
    if let Naming::PythonModule(module) = known.naming {
        return python_module(known, module).into_iter().collect();
    }
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for path in candidates(known.naming) {
        // The emulators of one package may be one executable under many names, each another tool.
        let real = match known.naming {
            Naming::QemuUser => path.clone(),
            _ => fs::canonicalize(&path).unwrap_or_else(|_| path.clone()),
        };
        if !seen.insert(real) {
            continue;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(version) = version(&path, &[known.version_option], known.tool) {
            found.push(Found { tool, name, path, version });
        }
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

fn folders() -> Vec<PathBuf> {
    env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default()
}

fn executable(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Executables whose names match: folders in the order of the `PATH`, names sorted so that the
/// plain name comes before the versioned ones.
fn candidates(naming: Naming) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for dir in folders() {
        let Ok(entries) = fs::read_dir(&dir) else { continue };
        let mut names: Vec<String> = entries
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .filter(|name| naming.matches(name))
            .collect();
        names.sort();
        paths.extend(names.into_iter().map(|n| dir.join(n)).filter(|path| executable(path)));
    }
    paths
}

fn python_module(known: &Known, module: &str) -> Option<Found> {
    let path = on_path("python3")?;
    let version = version(&path, &["-m", module, known.version_option], known.tool)?;
    Some(Found { tool: known.tool, name: format!("python3 -m {module}"), path, version })
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
fn pick_version(banner: &str, tool: Tool) -> String {
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
    fn the_shell_is_on_the_path() {
        assert!(on_path("sh").is_some());
        assert!(on_path("no-such-program-anywhere").is_none());
    }
}
