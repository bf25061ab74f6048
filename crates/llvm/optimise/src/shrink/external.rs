//! `llvm-reduce`, where it is installed: another reducer for the module, the passes as they are.
//!
//! It asks a script, which asks `gainsay llvm opt … --expect SIGNATURE`: slower than our search by a process
//! for each candidate, but with edits that we do not have.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, KillReason, Run, Scratch, Status, Stop};

/// Versions of the tool that are looked for, the newest first.
const VERSIONS: std::ops::RangeInclusive<u32> = 13..=25;

/// What makes a module interesting.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Our own program.
    pub gainsay: &'a Path,
    /// The library: a version or a file.
    pub library: &'a str,
    /// The pipeline.
    pub passes: &'a str,
    /// What must be seen.
    pub signature: &'a str,
}

impl Question<'_> {
    /// The script: it gets a file, and exits with 0 if the finding shows.
    pub fn script(&self) -> String {
        let quoted = |text: &str| format!("'{}'", text.replace('\'', r"'\''"));
        format!(
            "#!/bin/sh\nexec {} llvm opt \"$1\" --lib {} --passes {} --expect {} >/dev/null 2>&1\n",
            quoted(&self.gainsay.display().to_string()),
            quoted(self.library),
            quoted(self.passes),
            quoted(self.signature)
        )
    }
}

/// The installed `llvm-reduce`: that of a version if there is one, since it must read the module's text, else
/// the newest.
pub fn tool(major: u32) -> Option<OsString> {
    let versions = std::iter::once(major).chain(VERSIONS.rev());
    let mut names = versions.map(|n| format!("llvm-reduce-{n}")).chain(["llvm-reduce".into()]);
    let answers = |name: &String| {
        Run::new(name, Duration::from_secs(20)).arg("--version").finish().success().is_some()
    };
    names.find(answers).map(OsString::from)
}

/// Makes a module small by `llvm-reduce`. `None` if time or `stop` ended it: it keeps nothing then. `Err` says
/// why it failed.
pub fn llvm_reduce(
    tool: &OsString,
    module: &str,
    question: &Question<'_>,
    time: Duration,
    stop: &Stop,
) -> Result<Option<String>, String> {
    let io = |error: std::io::Error| format!("cannot prepare a folder: {error}");
    let scratch = Scratch::new().map_err(io)?;
    let (script, input) = (scratch.file("interesting.sh"), scratch.file("finding.ll"));
    let output = scratch.file("reduced.ll");
    fs::write(&script, question.script()).map_err(io)?;
    fs::write(&input, module).map_err(io)?;
    let ended = Run::new(tool, time)
        .arg("--test=/bin/sh")
        .arg(format!("--test-arg={}", script.display()))
        .arg("-o")
        .arg(&output)
        .arg(&input)
        .cwd(scratch.path())
        .stop(stop)
        .finish();
    match ended {
        Ended::Finished(done) if done.status == Status::Exit(0) => {
            fs::read_to_string(&output).map(Some).map_err(|error| format!("no result: {error}"))
        }
        Ended::Killed(KillReason::Wall | KillReason::Stop, _) => Ok(None),
        Ended::Finished(done) => {
            let said = done.stderr.text();
            Err(format!("llvm-reduce failed: {}", said.lines().last().unwrap_or("no message")))
        }
        other => Err(format!("llvm-reduce failed: {other:?}")),
    }
}
