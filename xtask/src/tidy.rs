//! `cargo xtask tidy`: the rules of the house that no compiler checks.
//!
//! Text checks, deliberately simple: they read sources and manifests line by line and know Rust
//! and TOML only as far as they must. A rule that gets in the way is to be changed here, not
//! worked around.

mod layers;
mod prose;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

pub use sources::doc_tests;

use crate::workspace::Workspace;
use crate::{Found, Result};

/// Runs all checks and prints what is amiss.
pub fn main(workspace: &Workspace) -> Result<Found> {
    let crates = layers::crates(&workspace.root)?;
    let mut complaints = layers::check(&crates);
    let mut files = 0;
    for one in &crates {
        for file in rust_files(&one.dir)? {
            files += 1;
            let text = read(&file)?;
            let name = workspace.shown(&file).to_string();
            // Test modules in files of their own are named so.
            let in_tests = !file.starts_with(one.dir.join("src"))
                || file.file_name().is_some_and(|name| name == "tests.rs");
            complaints.extend(sources::check(&name, &text, one.is_pure() && !in_tests));
        }
        complaints.extend(layers::unused(one)?);
    }
    complaints.extend(prose::check(&workspace.root)?);
    for complaint in &complaints {
        println!("{complaint}");
    }
    println!("tidy: {} crates, {files} files, {} complaints", crates.len(), complaints.len());
    Ok(if complaints.is_empty() { Found::Nothing } else { Found::Something })
}

/// All Rust files below a folder, sorted.
pub fn rust_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(dir) = folders.pop() {
        for path in entries(&dir)? {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// What lies in a folder, sorted.
fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let trouble = |e: std::io::Error| format!("cannot read {}: {e}", dir.display());
    let entries = fs::read_dir(dir).map_err(trouble)?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()).map_err(trouble));
    let mut paths: Vec<PathBuf> = paths.collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).map_err(|e| format!("cannot read {}: {e}", file.display()))
}
