//! Files that are there whole whenever we are killed.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

/// Writes a file in the place of the one that is there. Who reads it meanwhile, or after we were killed, has the
/// old one or the new one, and never a part. One writer at a time.
pub fn replace_file(path: &Path, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    let mut beside = OsString::from(path);
    beside.push(".new");
    fs::write(&beside, bytes)?;
    fs::rename(&beside, path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scratch;

    #[test]
    fn what_cannot_be_written_leaves_the_old_one() {
        let scratch = Scratch::new().expect("a temporary folder");
        let file = scratch.file("a.json");
        replace_file(&file, "old").expect("it is written");
        // A folder in the way.
        fs::create_dir(scratch.file("a.json.new")).expect("a folder");
        assert!(replace_file(&file, "new").is_err());
        assert_eq!(fs::read(&file).expect("it is there"), b"old");
        fs::remove_dir(scratch.file("a.json.new")).expect("ours");
        replace_file(&file, "new").expect("it is written");
        assert_eq!(fs::read(&file).expect("it is there"), b"new");
        assert!(!scratch.file("a.json.new").exists());
    }
}
