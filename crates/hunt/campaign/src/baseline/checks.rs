//! Whether a compiler was built with internal checks, so that it would show a failed one.
//!
//! Asked of the compiler itself: Clang has `-debug-only` only with assertions; GCC tells how it was configured, and
//! without a word on it releases check next to nothing, other versions much. Of other compilers it is not known.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Run, Status};
use toolchain::{Compiler, Family};

/// For one question.
const TIME: Duration = Duration::from_secs(20);

/// Whether it makes checks, as far as it tells.
pub(super) fn makes_checks(compiler: &Compiler) -> bool {
    match compiler.family {
        Family::Clang => {
            let words =
                ["-mllvm", "-debug-only=none", "-x", "c", "-c", "/dev/null", "-o", "/dev/null"];
            run(compiler, &words).is_some_and(|(worked, _)| worked)
        }
        Family::Gcc => run(compiler, &["-v"]).is_some_and(|(_, told)| gcc_checks(&told)),
        Family::Tcc | Family::Pcc | Family::Other => false,
    }
}

/// Reads what `gcc -v` tells.
fn gcc_checks(told: &str) -> bool {
    let asked = told.split_whitespace().find_map(|word| {
        word.strip_prefix("--enable-checking").map(|value| value.trim_start_matches('='))
    });
    match asked {
        Some(kinds) => !kinds.split(',').all(|kind| matches!(kind, "release" | "no" | "none")),
        None => told.contains("(experimental)"),
    }
}

fn run(compiler: &Compiler, words: &[&str]) -> Option<(bool, String)> {
    let (program, fixed) = compiler.c.split_first()?;
    let run = Run::new(Path::new(program), TIME).args(fixed).args(words.iter().map(OsStr::new));
    match run.finish() {
        Ended::Finished(done) => {
            let told = done.stdout.text() + &done.stderr.text();
            Some((done.status == Status::Exit(0), told))
        }
        Ended::Killed(..) | Ended::NotStarted(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::gcc_checks;

    #[test]
    fn gcc_says_how_it_was_configured() {
        let release = "Configured with: ../src/configure --enable-checking=release --disable-nls\n\
                       gcc version 12.2.0 (Debian 12.2.0-14)";
        assert!(!gcc_checks(release));
        assert!(gcc_checks(
            "configure --enable-checking=yes,extra,rtl\ngcc version 17.0.0 (experimental)"
        ));
        assert!(gcc_checks(
            "configure --disable-nls\ngcc version 17.0.0 20261020 (experimental) (GCC)"
        ));
        assert!(!gcc_checks("configure --disable-nls\ngcc version 12.2.0 (GCC)"));
        assert!(gcc_checks("configure --enable-checking\n"));
    }
}
