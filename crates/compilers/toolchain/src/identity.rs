//! The identity of a compiler: family, version and machine, as it reports them.

use std::env::consts::ARCH;
use std::ffi::OsString;
use std::fs;
use std::time::Duration;

use sandbox::{Ended, Run, Scratch, Status};

use crate::breakdown::broke_down;
use crate::catalog::Tool;
use crate::find::pick_version;
use crate::target::Family;

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
            _ => clang_checks(&banner),
        };
        Ok(Identity { family, version: pick_version(&banner, tool), triple, checks })
    }
}

/// The checks that GCC was configured with. A release that says nothing has those of a release, and trunk more, so
/// nothing is known of one that says nothing.
fn gcc_checks(said: &str) -> Option<String> {
    let words = said.split_whitespace();
    let last = words.filter_map(|word| word.strip_prefix("--enable-checking=")).next_back()?;
    Some(format!("checking={last}"))
}

/// What Clang says of its own build, where it is not the usual one.
fn clang_checks(banner: &str) -> Option<String> {
    let line = banner.lines().find_map(|line| line.strip_prefix("Build config: "))?;
    line.contains("+assertions").then(|| "+assertions".to_string())
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
    fn checks_as_compilers_say_them() {
        let gcc = "Using built-in specs.\nConfigured with: ../configure -v --enable-checking=yes,extra,rtl \
                   --with-tune=generic\nThread model: posix";
        assert_eq!(gcc_checks(gcc).as_deref(), Some("checking=yes,extra,rtl"));
        assert_eq!(gcc_checks("Configured with: ../configure --with-tune=generic"), None);
        let clang =
            "clang version 22.1.8\nTarget: x86_64\nBuild config: +unoptimized, +assertions\n";
        assert_eq!(clang_checks(clang).as_deref(), Some("+assertions"));
        assert_eq!(clang_checks("clang version 16.0.6\nTarget: x86_64\n"), None);
    }
}
