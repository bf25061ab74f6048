//! The identity of a compiler: family, version and machine, as it reports them.

use std::env::consts::ARCH;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use sandbox::{Ended, Run, Scratch, Status};

use crate::breakdown::broke_down;
use crate::catalog::Tool;
use crate::find::pick_version;
use crate::target::{Compiler, Family};

/// Such questions are answered at once.
const PATIENCE: Duration = Duration::from_secs(20);

/// Goes through the preprocessor. PCC, Intel's compiler and Clang also say that they are GNU C.
const QUESTION: &str = "\
#if defined __PCC__
family pcc
#elif defined __TINYC__
family tcc
#elif defined __clang__
family clang
#elif defined __GNUC__ && !defined __INTEL_COMPILER
family gcc
#else
family other
#endif
";

/// What a compiler says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) family: Family,
    pub(crate) version: String,
    pub(crate) triple: String,
    pub(crate) checks: Option<String>,
}

impl Identity {
    /// A compiler that could not identify itself.
    pub(crate) fn unknown() -> Identity {
        Identity {
            family: Family::Other,
            version: "unknown".into(),
            triple: format!("{ARCH}-linux"),
            checks: None,
        }
    }

    /// Asks a compiler; or why it is none, as the end of a sentence. The outer error is for one that
    /// breaks down.
    pub(crate) fn ask(
        command: &[OsString],
        scratch: &Scratch,
    ) -> Result<Result<Identity, String>, String> {
        let mut broke = false;
        let identity = Identity::put_question(command, scratch, &mut broke);
        match (identity, broke) {
            (Err(why), true) => Err(why),
            (identity, _) => Ok(identity),
        }
    }

    fn put_question(
        command: &[OsString],
        scratch: &Scratch,
        broke: &mut bool,
    ) -> Result<Identity, String> {
        let file = scratch.file("question.c");
        fs::write(&file, QUESTION)
            .map_err(|error| format!("our temporary folder is not writable: {error}"))?;
        let said = answer(command, &["-E".into(), file.into()], broke)
            .map_err(|why| format!("it is not a C compiler: {why}"))?;
        let family = match said.lines().find_map(|line| line.strip_prefix("family ")) {
            Some("pcc") => Family::Pcc,
            Some("tcc") => Family::Tcc,
            Some("clang") => Family::Clang,
            Some("gcc") => Family::Gcc,
            Some(_) => Family::Other,
            None => return Err("it is not a C compiler: it cannot preprocess (-E)".into()),
        };
        let option = if family == Family::Tcc { "-v" } else { "--version" };
        let banner = answer(command, &[option.into()], broke).unwrap_or_default();
        let tool = if family == Family::Gcc { Tool::Gcc } else { Tool::Clang };
        let triple = answer(command, &["-dumpmachine".into()], broke).unwrap_or_default();
        // TCC does not know the question.
        let triple = match triple.lines().next() {
            Some(line) if line.contains('-') => line.trim().to_string(),
            _ => format!("{ARCH}-linux"),
        };
        let checks = match family {
            Family::Gcc => gcc_checks(&answer(command, &["-v".into()], broke).unwrap_or_default()),
            Family::Clang => clang_checks(command),
            Family::Tcc | Family::Pcc | Family::Other => None,
        };
        Ok(Identity { family, version: pick_version(&banner, tool), triple, checks })
    }
}

/// The checks that GCC was configured with: a release that says nothing checks next to nothing, other versions much.
fn gcc_checks(said: &str) -> Option<String> {
    let mut kinds =
        said.split_whitespace().filter_map(|word| word.strip_prefix("--enable-checking"));
    match kinds.next_back().map(|kinds| kinds.trim_start_matches('=')) {
        Some("") => Some("checking=yes".into()),
        Some(kinds) => Some(format!("checking={kinds}")),
        None => said.contains("(experimental)").then(|| "checking=yes".into()),
    }
}

/// Only with assertions Clang has this option.
fn clang_checks(command: &[OsString]) -> Option<String> {
    let words = ["-mllvm", "-debug-only=none", "-x", "c", "-fsyntax-only", "/dev/null"];
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    answer(command, &words, &mut false).is_ok().then(|| ASSERTIONS.to_string())
}

/// How a compiler says that it makes assertions.
const ASSERTIONS: &str = "+assertions";

impl Compiler {
    /// Whether it was built with internal checks of which one can fail, as far as it says.
    pub fn makes_checks(&self) -> bool {
        self.checks.as_deref().is_some_and(are_checks)
    }
}

fn are_checks(said: &str) -> bool {
    let is_release = |kind: &str| matches!(kind, "release" | "no" | "none");
    match said.strip_prefix("checking=") {
        Some(kinds) => !kinds.split(',').all(is_release),
        None => said == ASSERTIONS,
    }
}

/// What a command prints, if it ends well; whether it breaks down goes into `broke`.
fn answer(command: &[OsString], args: &[OsString], broke: &mut bool) -> Result<String, String> {
    let [program, fixed @ ..] = command else { return Err("there is no command".into()) };
    let run = Run::new(program, PATIENCE).args(fixed).args(args).env("LC_ALL", "C");
    let ended = run.cwd(std::env::temp_dir()).finish();
    *broke |= broke_down(&ended);
    match ended {
        Ended::Finished(done) if done.status == Status::Exit(0) => {
            let out = done.stdout.text();
            Ok(if out.trim().is_empty() { done.stderr.text() } else { out })
        }
        Ended::Finished(done) => {
            let text = done.stderr.text();
            let words = text.lines().next().unwrap_or("it fails without a message");
            Err(words.trim().to_string())
        }
        Ended::Killed(..) => Err("it does not respond".into()),
        Ended::NotStarted(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcc_says_how_it_was_configured() {
        let cases = [
            ("configure --enable-checking=release --disable-nls", Some("checking=release"), false),
            (
                "configure --enable-checking=yes,extra,rtl --with-x",
                Some("checking=yes,extra,rtl"),
                true,
            ),
            ("configure --enable-checking\n", Some("checking=yes"), true),
            ("gcc version 17.0.0 20261020 (experimental) (GCC)", Some("checking=yes"), true),
            ("configure --disable-nls\ngcc version 12.2.0 (GCC)", None, false),
        ];
        for (said, want, makes) in cases {
            let checks = gcc_checks(said);
            assert_eq!(checks.as_deref(), want, "{said}");
            assert_eq!(checks.as_deref().is_some_and(are_checks), makes, "{said}");
        }
    }
}
