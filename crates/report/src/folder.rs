//! The folder of a report: test, original, report and script.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, Result, bail};
use oracle::SourceFile;

use crate::markdown::markdown;
use crate::script::script;
use crate::test::Test;

/// Names that are ours.
const REPORT: &str = "report.md";
const SCRIPT: &str = "reproduce.sh";
const ORIGINAL: &str = "original";

/// What was written, by name.
pub type Written = Vec<String>;

/// Writes a report into a folder, which is made if it is not there; what is there by other names
/// stays.
pub fn folder(test: &Test, dir: &Path) -> Result<Written> {
    if dir.exists() && !dir.is_dir() {
        bail!("{} is not a folder: give another one with -o", dir.display());
    }
    let mut written = Vec::new();
    let mut write = |below: &str, name: &str, bytes: &[u8]| -> Result<()> {
        // Names are plain; a store from elsewhere must not write anywhere else.
        let Some(name) = Path::new(name).file_name() else { return Ok(()) };
        let folder = dir.join(below);
        let path = folder.join(name);
        let cannot = || format!("{} cannot be written", path.display());
        fs::create_dir_all(&folder).with_context(cannot)?;
        fs::write(&path, bytes).with_context(cannot)?;
        written.push(Path::new(below).join(name).to_string_lossy().into_owned());
        Ok(())
    };
    for SourceFile { name, bytes } in &test.files {
        write("", name, bytes)?;
    }
    if let Some(expected) = &test.expected {
        write("", "expected", &expected.stdout)?;
    }
    write("", REPORT, markdown(test).as_bytes())?;
    write("", SCRIPT, script(test).as_bytes())?;
    if let Some(text) = &test.today.preprocessed {
        write("", "test.i", text.as_bytes())?;
    }
    let finding = &test.found.finding;
    for SourceFile { name, bytes } in finding.files.iter().chain(&finding.artifacts) {
        write(ORIGINAL, name, bytes)?;
    }
    let path = dir.join(SCRIPT);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
        .with_context(|| format!("{} cannot be made executable", path.display()))?;
    Ok(written)
}
