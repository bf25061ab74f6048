//! Files and folders that options name, as bytes for the object store.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::wire::{decode, encode};

/// A file, or a folder with everything in it.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Packed {
    File(Vec<u8>),
    /// Paths in the folder and what they hold, sorted: the same folder is the same bytes.
    Folder(Vec<(String, Vec<u8>)>),
}

/// A file or folder as bytes.
pub fn pack(path: &Path) -> Result<Vec<u8>> {
    let cannot = || format!("{} cannot be read", path.display());
    if path.is_file() {
        return encode(&Packed::File(fs::read(path).with_context(cannot)?));
    }
    let mut files = Vec::new();
    collect(path, Path::new(""), &mut files).with_context(cannot)?;
    files.sort();
    encode(&Packed::Folder(files))
}

fn collect(dir: &Path, inner: &Path, files: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let path = entry.path();
        let inner = inner.join(entry.file_name());
        // Links to files are their files; links to folders may lead in circles.
        if entry.file_type()?.is_dir() {
            collect(&path, &inner, files)?;
        } else if path.is_file() {
            let Some(name) = inner.to_str() else {
                bail!("the name {} is not UTF-8", path.display());
            };
            files.push((name.to_string(), fs::read(&path)?));
        }
    }
    Ok(())
}

/// Writes what was packed under `dir`; where it is then. `given` is its name where it comes from, of
/// which the last part is kept.
pub fn unpack(bytes: &[u8], given: &str, dir: &Path) -> Result<PathBuf> {
    let name = Path::new(given).file_name().unwrap_or("files".as_ref());
    let path = dir.join(name);
    let cannot = || format!("{} cannot be written", path.display());
    match decode(bytes)? {
        Packed::File(bytes) => fs::write(&path, bytes).with_context(cannot)?,
        Packed::Folder(files) => {
            fs::create_dir_all(&path).with_context(cannot)?;
            for (name, bytes) in files {
                let inner = Path::new(&name);
                // Nothing outside our folder is written, whatever was sent.
                if !inner.components().all(|part| matches!(part, Component::Normal(_))) {
                    bail!("the file name {name} leads out of its folder");
                }
                let file = path.join(inner);
                if let Some(parent) = file.parent() {
                    fs::create_dir_all(parent).with_context(cannot)?;
                }
                fs::write(&file, bytes).with_context(cannot)?;
            }
        }
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use sandbox::Scratch;

    use super::*;

    #[test]
    fn a_folder_travels() {
        let (from, to) = (Scratch::new().expect("a folder"), Scratch::new().expect("a folder"));
        fs::create_dir(from.file("sub")).expect("made");
        fs::write(from.file("a.c"), b"int a;\n").expect("written");
        fs::write(from.file("sub/b.h"), [0, 255]).expect("written");
        let bytes = pack(from.path()).expect("packed");
        assert_eq!(bytes, pack(from.path()).expect("packed"), "the same bytes");
        let path = unpack(&bytes, "../some/tests", to.path()).expect("unpacked");
        assert_eq!(path, to.file("tests"));
        assert_eq!(fs::read(path.join("a.c")).expect("there"), b"int a;\n");
        assert_eq!(fs::read(path.join("sub/b.h")).expect("there"), [0, 255]);
        let file = unpack(&pack(&from.file("a.c")).expect("packed"), "x.toml", to.path());
        assert_eq!(fs::read(file.expect("unpacked")).expect("there"), b"int a;\n");
    }

    #[test]
    fn nothing_is_written_outside() {
        let to = Scratch::new().expect("a folder");
        for name in ["../evil", "/tmp/evil", "a/../../evil"] {
            let bytes = encode(&Packed::Folder(vec![(name.into(), vec![1])])).expect("bytes");
            assert!(unpack(&bytes, "tests", to.path()).is_err(), "{name}");
        }
    }
}
