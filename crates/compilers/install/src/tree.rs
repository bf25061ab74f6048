//! A tree of files: how it comes about, and what of it is for us.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use sandbox::{Run, launcher};
use toolchain::added::{AddedCompiler, AddedPackage};
use toolchain::{FoundCompiler, compilers_in};

use crate::client::{self, system};
use crate::loader;
use crate::place::Place;
use crate::{InstallError, Installer, Progress};

/// The tree in a package's folder; what is in it may be seen as a system of its own.
pub(crate) const ROOT: &str = "root";

/// The same for what runs on this system as it is.
pub(crate) const FILES: &str = "files";

/// Folders of a system that are links into `usr`, as every Debian has had them since 12.
const MERGED: &[&str] = &["bin", "sbin", "lib", "lib32", "lib64", "libx32"];

/// Executables of a tree that may be compilers.
const PROGRAMS: &[&str] = &["usr/bin", "usr/local/bin", "bin"];

/// A libLLVM has no less; a linker script of its name does.
const LIBRARY: u64 = 1 << 20;

/// What was fetched.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) package: AddedPackage,
    /// A compiler that is not found by its file's name.
    pub(crate) compiler: Option<AddedCompiler>,
}

/// What a tree has.
#[derive(Debug, Default)]
pub(crate) struct Contents {
    pub(crate) compilers: Vec<AddedCompiler>,
    pub(crate) libraries: Vec<PathBuf>,
}

/// Unpacks packages of Debian into a tree.
pub(crate) fn unpack(
    installer: &Installer<'_>,
    place: &Place,
    packages: &[PathBuf],
) -> Result<(), InstallError> {
    let root = place.partial.join(ROOT);
    let failed = |error: std::io::Error| system(&error, &root);
    for name in MERGED {
        fs::create_dir_all(root.join("usr").join(name)).map_err(failed)?;
        symlink(Path::new("usr").join(name), root.join(name)).map_err(failed)?;
    }
    // Ours is seen there.
    fs::create_dir_all(root.join("usr/local")).map_err(failed)?;
    for (n, package) in packages.iter().enumerate() {
        installer.tell(Progress::Unpacked(n, packages.len()));
        let run = Run::new("dpkg-deb", std::time::Duration::ZERO).arg("-x").arg(package).arg(&root);
        let remedy = "apt-get install dpkg";
        let name = package.file_name().unwrap_or_default().to_string_lossy();
        client::success(client::run(installer, run), "dpkg-deb", remedy, &name, &root)?;
    }
    installer.tell(Progress::Unpacked(packages.len(), packages.len()));
    Ok(())
}

/// A folder of the user's own: a system, if it has a loader, or else what runs on this one.
pub(crate) fn link(folder: &Path, place: &Place) -> Result<Fetched, InstallError> {
    place.begin()?;
    let is_system = folder.join("usr").is_dir()
        && ["lib64", "lib", "usr/lib64", "usr/lib"].iter().any(|dir| has_loader(&folder.join(dir)));
    let link = place.partial.join(if is_system { ROOT } else { FILES });
    symlink(folder, &link).map_err(|error| system(&error, &link))?;
    let name = folder.display().to_string();
    Ok(Fetched { package: AddedPackage { name, version: String::new() }, compiler: None })
}

fn has_loader(folder: &Path) -> bool {
    let names = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.file_name());
    names.into_iter().any(|name| name.to_string_lossy().starts_with("ld-linux"))
}

/// Looks for compilers and libraries, and makes launchers for the compilers of another system.
pub(crate) fn look(folder: &Path) -> Result<Contents, InstallError> {
    let mut found = Contents::default();
    let root = folder.join(ROOT);
    for compiler in compilers(&root) {
        let launch = |name: &str, path: &Path| -> Result<PathBuf, InstallError> {
            let inside = Path::new("/").join(path.strip_prefix(&root).unwrap_or(path));
            let file = Path::new("bin").join(name);
            write_script(&folder.join(&file), &launcher(&inside))?;
            loader::write_scripts(folder, name, &inside)?;
            Ok(file)
        };
        let cxx = compiler.cxx.as_ref().map(|path| launch(&cxx_name(&compiler.name), path));
        found.compilers.push(AddedCompiler {
            c: launch(&compiler.name, &compiler.c)?,
            cxx: cxx.transpose()?,
            name: compiler.name,
            arguments: Vec::new(),
            cxx_arguments: Vec::new(),
        });
    }
    let files = folder.join(FILES);
    let relative = |path: &Path| path.strip_prefix(folder).unwrap_or(path).to_path_buf();
    for compiler in compilers(&files) {
        found.compilers.push(AddedCompiler {
            c: relative(&compiler.c),
            cxx: compiler.cxx.as_deref().map(relative),
            name: compiler.name,
            arguments: Vec::new(),
            cxx_arguments: Vec::new(),
        });
    }
    for tree in [&root, &files] {
        found.libraries.extend(libraries(tree).iter().map(|path| relative(path)));
    }
    Ok(found)
}

/// Writes a script that can be executed.
pub(crate) fn write_script(to: &Path, text: &str) -> Result<(), InstallError> {
    let write = || {
        to.parent().map_or(Ok(()), fs::create_dir_all)?;
        fs::write(to, text)?;
        fs::set_permissions(to, fs::Permissions::from_mode(0o755))
    };
    write().map_err(|error| system(&error, to))
}

/// The compilers of a tree. One in a folder of its own, as `usr/lib/gcc-snapshot/bin/gcc`, has the folder's name.
fn compilers(tree: &Path) -> Vec<FoundCompiler> {
    let folders: Vec<PathBuf> = PROGRAMS.iter().map(|dir| tree.join(dir)).collect();
    let mut found = compilers_in(&folders);
    let own = fs::read_dir(tree.join("usr/lib")).into_iter().flatten().flatten();
    let mut own: Vec<PathBuf> = own.map(|entry| entry.path()).collect();
    own.sort();
    for folder in own {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let at = |file: &str| Some(folder.join("bin").join(file)).filter(|path| path.is_file());
        if let (true, Some(c)) = (name.starts_with("gcc-"), at("gcc")) {
            found.push(FoundCompiler { name, c, cxx: at("g++") });
        }
    }
    found
}

/// `g++-16` for `gcc-16`; a snapshot's has no better name than its own with a mark.
fn cxx_name(name: &str) -> String {
    match (name.contains("clang"), name.contains("gcc")) {
        (true, _) => name.replacen("clang", "clang++", 1),
        (false, true) => name.replacen("gcc", "g++", 1),
        _ => format!("{name}++"),
    }
}

/// Files of libLLVM, each once.
fn libraries(tree: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut walk = |path: &Path, meta: &fs::Metadata| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_library =
            name.starts_with("libLLVM") && name.contains(".so") && !name.contains("gdb");
        let parts = ["libLLVMCore", "libLLVMSupport"];
        if is_library && meta.len() > LIBRARY && !parts.iter().any(|part| name.starts_with(part)) {
            found.push(path.to_path_buf());
        }
    };
    each_file(tree, &mut walk);
    found.sort();
    found
}

/// What the files of a folder take.
pub(crate) fn size(folder: &Path) -> u64 {
    let mut bytes = 0;
    each_file(folder, &mut |_, meta| bytes += meta.blocks() * 512);
    bytes
}

/// Calls for each file below a folder; links are not followed.
fn each_file(folder: &Path, call: &mut dyn FnMut(&Path, &fs::Metadata)) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(meta) = entry.metadata() else { continue };
        match meta.is_dir() {
            true => each_file(&entry.path(), call),
            false if meta.is_file() => call(&entry.path(), &meta),
            false => {}
        }
    }
}

/// Lets us remove what is below a folder.
pub(crate) fn make_writable(folder: &Path) {
    let Ok(meta) = fs::symlink_metadata(folder) else { return };
    if !meta.is_dir() {
        return;
    }
    let _ = fs::set_permissions(folder, fs::Permissions::from_mode(0o700));
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        make_writable(&entry.path());
    }
}
