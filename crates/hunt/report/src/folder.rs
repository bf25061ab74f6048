//! The folder of a report: test, original, report and script.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use oracle::SourceFile;

use crate::format::Format;
use crate::script::script;
use crate::test::Test;

/// Names that are ours.
const SCRIPT: &str = "reproduce.sh";
const ORIGINAL: &str = "original";

/// What was written, by name.
pub type Written = Vec<String>;

/// A file of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name, with a folder before it where it is in one.
    pub name: String,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Whether it can be run.
    pub executable: bool,
}

/// The files of a report; its text in a format.
pub fn files(test: &Test, format: Format) -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::new();
    let mut add = |below: &str, name: &str, bytes: &[u8]| {
        // Names are plain; a store from elsewhere must not write anywhere else.
        let Some(plain) = Path::new(name).file_name() else { return };
        let name = Path::new(below).join(plain).to_string_lossy().into_owned();
        // The last of a name is the one that a folder would have.
        all.retain(|entry| entry.name != name);
        all.push(Entry { executable: name == SCRIPT, name, bytes: bytes.to_vec() });
    };
    for SourceFile { name, bytes } in &test.files {
        add("", name, bytes);
    }
    if let Some(expected) = &test.expected {
        add("", "expected", &expected.stdout);
    }
    add("", format.file(), format.text(test).as_bytes());
    add("", SCRIPT, script(test).as_bytes());
    if let Some(text) = &test.today.preprocessed {
        add("", "test.i", text.as_bytes());
    }
    let finding = &test.found.finding;
    for SourceFile { name, bytes } in finding.files.iter().chain(&finding.artifacts) {
        add(ORIGINAL, name, bytes);
    }
    all
}

/// Writes a report into a folder, which is made if it is not there; what is there by other names
/// stays.
pub fn folder(test: &Test, format: Format, dir: &Path) -> Result<Written> {
    if dir.exists() && !dir.is_dir() {
        bail!("{} is not a folder: give another one with -o", dir.display());
    }
    let mut written = Vec::new();
    for Entry { name, bytes, executable } in files(test, format) {
        let path = dir.join(&name);
        let cannot = || format!("{} cannot be written", path.display());
        fs::create_dir_all(path.parent().unwrap_or(dir)).with_context(cannot)?;
        fs::write(&path, bytes).with_context(cannot)?;
        if executable {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
                .with_context(|| format!("{} cannot be made executable", path.display()))?;
        }
        written.push(name);
    }
    Ok(written)
}
