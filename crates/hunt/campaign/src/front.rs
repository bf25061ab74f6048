//! From C to unoptimised LLVM IR, by clang.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use finding::{FrontLevel, SequenceSubject};
use oracle::Case;
use sandbox::Run;
use toolchain::{Tool, find_tool};

/// For one file.
const TIME: Duration = Duration::from_secs(60);

/// The newest clang that is not newer than a library: later ones write what it cannot read. `Err` is a
/// sentence.
pub fn clang_for(major: u32) -> Result<PathBuf, String> {
    let version = |text: &str| text.split('.').next().and_then(|n| n.parse::<u32>().ok());
    let all = find_tool(Tool::Clang).into_iter();
    let fit = all.filter_map(|found| Some((version(&found.version)?, found.path)));
    let best = fit.filter(|(of, _)| *of <= major).max_by_key(|(of, _)| *of);
    best.map(|(_, path)| path).ok_or_else(|| {
        format!("programs are compiled to LLVM IR by clang, and no clang up to version {major} is installed")
    })
}

/// The clang that made the IR of a finding, if it is here; else one that its library can read.
pub fn clang_of(sequence: &SequenceSubject) -> Result<PathBuf, String> {
    let clang = Path::new(&sequence.clang);
    match clang.is_absolute() && clang.is_file() {
        true => Ok(clang.to_path_buf()),
        false => clang_for(sequence.library.major),
    }
}

/// What makes clang write bitcode and leave it as it is.
pub fn clang_arguments(optimising: bool) -> Vec<OsString> {
    level(optimising).clang_arguments().map(OsString::from).into()
}

/// The level of IR for an optimised build, or for another.
pub fn level(optimising: bool) -> FrontLevel {
    if optimising { FrontLevel::Optimised } else { FrontLevel::Unoptimised }
}

/// The bitcode of one file of a case that was written to a folder, and clang's processor time.
pub fn bitcode(
    case: &Case,
    unit: &str,
    optimising: bool,
    clang: &Path,
    dir: &Path,
) -> Result<(Vec<u8>, Duration), String> {
    let output = dir.join("unit.bc");
    let mut run = Run::new(clang, TIME).args(clang_arguments(optimising)).arg("-w").cwd(dir);
    for include in &case.include {
        run = run.arg("-I").arg(include);
    }
    let refused = || format!("{} rejects {unit}", clang.display());
    let done = run.arg(unit).arg("-o").arg(&output).finish().success().ok_or_else(refused)?;
    let bytes = fs::read(&output).map_err(|error| error.to_string())?;
    Ok((bytes, done.cpu))
}
