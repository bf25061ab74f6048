//! The engine `csmith`: an installed Csmith makes the programs, the machine says what they print.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use oracle::{Case, SourceFile, Trouble};
use sandbox::{Ended, Run, Status, Why};
use toolchain::{Language, Preprocessor, csmith_headers, on_path};

use super::{Made, Source};
use crate::bench::{Bench, trouble};
use crate::predict::{self, Unusable, predict};

/// Csmith itself sometimes takes seconds, and with some seeds does not end.
const WALL: Duration = Duration::from_secs(30);

/// Csmith on one program.
const MEMORY: u64 = 4 << 30;

/// Steps for one program; most take less than a tenth of it. An endless program is to be given up
/// within a second.
const FUEL: u64 = 2_000_000;

/// An installed Csmith.
pub struct Csmith {
    name: String,
    program: PathBuf,
    headers: PathBuf,
    options: Vec<String>,
    preprocessor: Preprocessor,
}

impl Csmith {
    /// Finds it; more options for it can be given.
    pub fn find(options: Vec<String>) -> Result<Csmith> {
        let missing = "Csmith is not installed, which --engine csmith runs: on Debian, apt-get \
                       install csmith libcsmith-dev";
        let program = on_path("csmith").context(missing)?;
        let headers = csmith_headers().context(missing)?;
        let preprocessor = Preprocessor::find()?.include(&headers);
        let name = match options.is_empty() {
            true => "csmith".to_string(),
            false => format!("csmith {}", options.join(" ")),
        };
        Ok(Csmith { name, program, headers, options, preprocessor })
    }
}

impl Source for Csmith {
    fn name(&self) -> &str {
        &self.name
    }

    fn make(
        &self,
        seed: u64,
        dir: &Path,
        bench: &Bench,
        spent: &mut Duration,
    ) -> Result<Result<Made, Unusable>, Trouble> {
        let run = Run::new(&self.program, WALL)
            .args(["--seed", &seed.to_string()])
            .args(&self.options)
            // It drops a file of its own where it runs.
            .cwd(dir)
            .memory(MEMORY)
            .stop(&bench.lab.stop);
        let text = match run.finish() {
            Ended::Finished(done) => {
                *spent += done.cpu;
                if done.status != Status::Exit(0) || done.stdout.bytes.is_empty() {
                    return Ok(Err(unusable("csmith fails", done.stderr.text())));
                }
                done.stdout.bytes
            }
            Ended::Killed(Why::Stop, _) => return Err(Trouble::Stopped),
            Ended::Killed(_, done) => {
                *spent += done.cpu;
                return Ok(Err(unusable("csmith takes too long", String::new())));
            }
            Ended::NotStarted(error) => {
                return Err(Trouble::Io(format!("csmith cannot be started: {error}")));
            }
        };
        let file = dir.join("test.c");
        fs::write(&file, &text).map_err(|error| trouble(&error, &file))?;
        let prediction = match predict(&[file], &self.preprocessor, FUEL, spent) {
            Ok(prediction) => prediction,
            Err(unusable) => return Ok(Err(unusable)),
        };
        let case = Case {
            language: Language::C,
            files: vec![SourceFile { name: "test.c".into(), bytes: text }],
            harness: None,
            standard: None,
            include: vec![self.headers.clone()],
            expected: prediction.expected,
        };
        let include = self.headers.display();
        let own = predict::own_opinion(&format!("-I {include} test.c"), prediction.steps);
        let options: String = self.options.iter().map(|o| format!(" {o}")).collect();
        let origin = format!("csmith --seed {seed}{options} > test.c");
        Ok(Ok(Made { case, origin, own, fuel: FUEL, is_foreign: false }))
    }
}

fn unusable(reason: &str, detail: String) -> Unusable {
    Unusable { reason: reason.into(), detail }
}
