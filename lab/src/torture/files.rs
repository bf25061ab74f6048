//! GCC's torture tests out of Debian's source package.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::{Ended, Run, Status};

use crate::context::Context;

/// Where Debian's gcc-*-source packages put the sources.
const SOURCES: &str = "/usr/src";

/// Unpacks the suite, once; the folder `execute`, or `None` where the sources are not installed.
pub fn unpack(context: &Context) -> Result<Option<PathBuf>> {
    let Some(tarball) = tarball() else { return Ok(None) };
    let home = context.work_folder("torture")?;
    let version = tarball.file_name().unwrap_or_default().to_string_lossy().replace(".tar.xz", "");
    let done = home.join(&version);
    if !done.is_dir() {
        eprintln!("lab: unpacking the torture tests from {}", tarball.display());
        let partial = home.join(format!("{version}.partial"));
        let _ = fs::remove_dir_all(&partial);
        fs::create_dir_all(&partial)?;
        let run = Run::new("tar", Duration::from_secs(600))
            .arg("-xJf")
            .arg(&tarball)
            .args(["--wildcards", "*/gcc.c-torture/execute/*"])
            .cwd(&partial);
        match run.finish() {
            Ended::Finished(done) if done.status == Status::Exit(0) => {}
            Ended::Finished(done) => bail!("tar failed: {}", done.stderr.text().trim()),
            Ended::Killed(_, _) => bail!("tar took longer than ten minutes"),
            Ended::NotStarted(error) => bail!("tar could not be started: {error}"),
        }
        fs::rename(&partial, &done)?;
    }
    let inner = entries(&done)?.into_iter().next().context("the tarball is empty")?;
    Ok(Some(inner.join("gcc/testsuite/gcc.c-torture/execute")))
}

/// The newest installed `/usr/src/gcc-N/gcc-N….tar.xz`.
fn tarball() -> Option<PathBuf> {
    let folders = entries(Path::new(SOURCES)).ok()?;
    let mut found: Vec<PathBuf> = folders
        .iter()
        .filter(|dir| file_name(dir).starts_with("gcc-"))
        .flat_map(|dir| entries(dir).unwrap_or_default())
        .filter(|f| file_name(f).starts_with("gcc-") && file_name(f).ends_with(".tar.xz"))
        .collect();
    found.pop()
}

/// The tests: the files of `execute` and of `execute/ieee`.
pub fn tests(suite: &Path) -> Result<Vec<PathBuf>> {
    let mut files = c_files(suite)?;
    files.extend(c_files(&suite.join("ieee"))?);
    Ok(files)
}

/// The tests of `execute/builtins`, by name; its libraries left out.
pub fn builtins(suite: &Path) -> Result<Vec<String>> {
    let names = c_files(&suite.join("builtins"))?;
    let names = names.iter().map(|f| file_name(f)).filter(|name| !name.ends_with("-lib.c"));
    Ok(names.map(|name| format!("builtins/{name}")).collect())
}

fn c_files(dir: &Path) -> Result<Vec<PathBuf>> {
    Ok(entries(dir)?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "c")).collect())
}

/// The entries of a folder, sorted.
pub fn entries(dir: &Path) -> Result<Vec<PathBuf>> {
    let read = fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut paths = read.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
