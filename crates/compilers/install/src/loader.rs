//! Scripts that start compilers of another system by that system's loader, where no mount namespace is to be had.
//!
//! A driver starts its parts by their files, whose loader is this system's: it is told of a folder of scripts for them.
//! Headers, start files and libraries are this system's then.

use std::fs;
use std::path::{Path, PathBuf};

use sandbox::Root;

use crate::InstallError;
use crate::tree::write_script;

/// What GCC's driver starts out of its own folder, and what it finds among the system's programs.
const PARTS: &[&str] = &["cc1", "cc1plus", "lto1", "lto-wrapper", "collect2"];
const PROGRAMS: &[&str] = &["as", "ld", "ld.bfd"];

/// Writes them for one compiler, as far as they make sense.
pub(crate) fn write_scripts(folder: &Path, name: &str, inside: &Path) -> Result<(), InstallError> {
    let root = Root::in_folder(folder);
    let to = folder.join("loader").join(name);
    if name.contains("clang") {
        return clang(&root, &to, inside);
    }
    let Some(parts) = parts(&root, name, inside) else { return Ok(()) };
    let Some(text) = root.loader_script(inside, 0, "run -B\"$here/$(basename \"$0\").d/\" \"$@\"")
    else {
        return Ok(());
    };
    write_script(&to, &text)?;
    let scripts = to.with_file_name(format!("{name}.d"));
    let own = PARTS.iter().map(|part| (part, parts.join(part)));
    let programs = PROGRAMS.iter().map(|program| (program, Path::new("/usr/bin").join(program)));
    for (part, path) in own.chain(programs) {
        let script = root.loader_script(&path, 1, "run \"$@\"");
        if let (true, Some(text)) = (of_tree(&root, &path).exists(), script) {
            write_script(&scripts.join(part), &text)?;
        }
    }
    Ok(())
}

/// Clang starts itself, by the name that it was started by.
fn clang(root: &Root, to: &Path, inside: &Path) -> Result<(), InstallError> {
    let Some(resources) = resources(root, inside) else { return Ok(()) };
    let then = format!(
        "name=$0\ncase \"$1\" in -cc1*) run \"$@\" ;; esac\n\
         run -no-canonical-prefixes -resource-dir \"$tree{}\" \"$@\"",
        resources.display()
    );
    match root.loader_script(inside, 0, &then) {
        Some(text) => write_script(to, &text),
        None => Ok(()),
    }
}

/// `/usr/lib/llvm-24/lib/clang/24` for `/usr/bin/clang-24`.
fn resources(root: &Root, inside: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(of_tree(root, inside)).ok()?;
    let all = real.parent()?.parent()?.join("lib/clang");
    let tree = fs::canonicalize(root.tree()).ok()?;
    let found = newest(&all, |dir| dir.join("include").is_dir())?;
    Some(Path::new("/").join(found.strip_prefix(tree).ok()?))
}

/// The folder of a driver's own parts: `/usr/libexec/gcc/x86_64-linux-gnu/16` for `/usr/bin/gcc-16`.
fn parts(root: &Root, name: &str, inside: &Path) -> Option<PathBuf> {
    let prefix = inside.parent()?.parent()?;
    let version =
        name.rsplit('-').next().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    ["libexec/gcc", "lib/gcc"].iter().find_map(|dir| {
        let triples = fs::read_dir(of_tree(root, &prefix.join(dir))).ok()?.flatten();
        let mut triples: Vec<PathBuf> = triples.map(|entry| entry.path()).collect();
        triples.sort();
        let fits = |dir: &Path| {
            let named = dir.file_name().and_then(|name| name.to_str());
            dir.join("cc1").is_file() && version.is_none_or(|version| named == Some(version))
        };
        let found = triples.iter().find_map(|triple| newest(triple, fits))?;
        Some(Path::new("/").join(found.strip_prefix(root.tree()).ok()?))
    })
}

/// The last folder in a folder that fits.
fn newest(folder: &Path, fits: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    entries.filter(|path| fits(path)).max()
}

fn of_tree(root: &Root, inside: &Path) -> PathBuf {
    root.tree().join(inside.strip_prefix("/").unwrap_or(inside))
}
