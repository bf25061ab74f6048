//! Reduction with a script that says what is interesting.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cshrink::{Specimen, UnitText};
use oracle::Trouble;
use sandbox::{Ended, KillReason, Run, Status};
use toolchain::Preprocessor;

use crate::ask::{Interestingness, TrialSlot};
use crate::lines;
use crate::locked::specimen;
use crate::pool::Pool;
use crate::search::Search;
use crate::{Clock, NotReduced, ProgressFn, ReduceOptions};

/// A script that runs longer does not say yes.
const WALL: Duration = Duration::from_secs(300);

/// A file reduced by a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReducedByScript {
    /// The text.
    pub text: String,
    /// How the candidates were known to be valid.
    pub validity: Validity,
    /// Tokens before and after.
    pub tokens: (usize, usize),
    /// Candidates made, and runs of the script.
    pub tried: (u64, u64),
    /// How long it took.
    pub took: Duration,
}

/// What is known of candidates before the script is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Validity {
    /// All were executed by the machine: none has undefined behaviour.
    Executed,
    /// All were read by the parser, none executed; why.
    Parsed(String),
    /// They are mere text; why.
    Text(String),
}

/// Makes a C file small that a script calls interesting: it is run, without arguments, in a folder
/// with the file under its own name, and exits with 0 for yes.
pub fn reduce_by_script(
    file: &Path,
    script: &Path,
    include: &[PathBuf],
    order: &ReduceOptions,
    tell: ProgressFn<'_>,
) -> Result<ReducedByScript, NotReduced> {
    let clock = Clock::new(order.time);
    let cannot = |path: &Path, error: std::io::Error| {
        NotReduced::Unusable(format!("{} cannot be read: {error}", path.display()))
    };
    let original = fs::read(file).map_err(|error| cannot(file, error))?;
    let script = fs::canonicalize(script).map_err(|error| cannot(script, error))?;
    let name =
        file.file_name().map_or_else(|| "test.c".into(), |n| n.to_string_lossy().into_owned());
    let pool = Pool::new(order.jobs, order.stop.clone(), clock)?;
    let ask = ScriptTest { script, name: name.clone() };
    if !pool.one(|slot| ask.ask_text(&original, slot))? {
        let told = format!("the script does not exit with 0 on {}", file.display());
        return Err(NotReduced::NotShown(told));
    }
    let text = String::from_utf8_lossy(&original).into_owned();
    let begin = text_specimen(file, &name, include).and_then(|(whole, rules, why)| {
        // Without what it does not use of its headers, if the script takes it so. It may also want
        // what the preprocessor has taken away.
        let tidy = whole.with([], &rules);
        let shows = |start: &Specimen| matches!(pool.one(|slot| ask.ask(start, slot)), Ok(true));
        let start = tidy.into_iter().chain([whole]).find(shows);
        let start = start.ok_or("the script does not accept the preprocessed text")?;
        Ok((start, rules, why))
    });
    match begin {
        Ok((start, rules, why)) => {
            let before = start.tokens();
            let found = Search::new(&ask, &pool, clock, tell, rules, start).run()?;
            Ok(ReducedByScript {
                text: found.specimen.units.iter().map(|unit| unit.text.as_str()).collect(),
                validity: why.map_or(Validity::Executed, Validity::Parsed),
                tokens: (before, found.specimen.tokens()),
                tried: (found.candidates, found.asked),
                took: clock.begin.elapsed(),
            })
        }
        Err(why) => {
            let ask = |text: &str, slot: &TrialSlot<'_>| ask.ask_text(text.as_bytes(), slot);
            let found = lines::reduce(&text, lines::Until::Nothing, &pool, clock, tell, &ask)?;
            Ok(ReducedByScript {
                tokens: (cshrink::tokens(&text), cshrink::tokens(&found.text)),
                text: found.text,
                validity: Validity::Text(why),
                tried: (found.candidates, found.asked),
                took: clock.begin.elapsed(),
            })
        }
    }
}

/// The file as the machine takes it, and why it is not executed, if so.
fn text_specimen(
    file: &Path,
    name: &str,
    include: &[PathBuf],
) -> Result<(Specimen, cshrink::Rules, Option<String>), String> {
    let preprocessor = Preprocessor::find().map_err(|error| error.to_string())?;
    let preprocessor = include.iter().fold(preprocessor, |p, dir| p.include(dir));
    let text = preprocessor.run(file).map_err(|error| error.to_string())?;
    let unit = || vec![UnitText { name: name.to_string(), text: text.clone() }];
    match specimen(unit(), true, &[]) {
        Ok((start, rules)) => Ok((start, rules, None)),
        Err(why) => {
            let (start, rules) = specimen(unit(), false, &[]).map_err(|error| error.to_string())?;
            Ok((start, rules, Some(why.to_string())))
        }
    }
}

/// Asks a script.
struct ScriptTest {
    script: PathBuf,
    name: String,
}

impl ScriptTest {
    fn ask_text(&self, text: &[u8], slot: &TrialSlot<'_>) -> Result<bool, Trouble> {
        let io = |error: std::io::Error| Trouble::Io(format!("cannot write a candidate: {error}"));
        let _ = fs::remove_dir_all(slot.dir);
        fs::create_dir_all(slot.dir).map_err(io)?;
        fs::write(slot.dir.join(&self.name), text).map_err(io)?;
        let ended = Run::new(&self.script, WALL).cwd(slot.dir).stop(slot.stop).finish();
        match ended {
            Ended::Finished(done) => Ok(done.status == Status::Exit(0)),
            Ended::Killed(KillReason::Stop, _) => Err(Trouble::Stopped),
            Ended::Killed(..) => Ok(false),
            Ended::NotStarted(error) => {
                let script = self.script.display();
                Err(Trouble::Io(format!("{script} cannot be started ({error}): is it executable?")))
            }
        }
    }
}

impl Interestingness for ScriptTest {
    fn ask(&self, specimen: &Specimen, slot: &TrialSlot<'_>) -> Result<bool, Trouble> {
        let text: String = specimen.units.iter().map(|unit| unit.text.as_str()).collect();
        self.ask_text(text.as_bytes(), slot)
    }
}
