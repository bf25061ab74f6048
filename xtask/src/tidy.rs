//! `cargo xtask tidy`: the rules of the house that no compiler checks.
//!
//! Text checks, deliberately simple: they read the sources line by line and know Rust only as far
//! as they must. A rule that gets in the way is to be changed here, not worked around.

mod edges;
mod sources;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::Found;
use crate::context::Context;

/// Runs all checks and prints what is amiss.
pub fn main(context: &Context) -> Result<Found> {
    let crates = edges::crates(context)?;
    let mut complaints = edges::check(&crates);
    let mut files = 0;
    for one in &crates {
        for file in rust_files(&one.dir)? {
            files += 1;
            let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
            let name = file.strip_prefix(&context.root).unwrap_or(&file).display().to_string();
            // Test modules in files of their own are named so.
            let in_tests = !file.starts_with(one.dir.join("src"))
                || file.file_name().is_some_and(|name| name == "tests.rs");
            complaints.extend(sources::check(&name, &text, one.is_pure() && !in_tests));
        }
        complaints.extend(edges::unused(one)?);
    }
    for complaint in &complaints {
        println!("{complaint}");
    }
    println!("tidy: {} crates, {files} files, {} complaints", crates.len(), complaints.len());
    Ok(if complaints.is_empty() { Found::Nothing } else { Found::Something })
}

/// All Rust files of a crate, sorted.
fn rust_files(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(dir) = folders.pop() {
        for entry in fs::read_dir(&dir).with_context(|| dir.display().to_string())? {
            let path = entry?.path();
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
