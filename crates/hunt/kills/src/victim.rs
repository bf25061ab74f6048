//! One hunt on one folder, started again and again and killed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use sandbox::Run;
use serde_json::Value;

use crate::kept::{FolderState, Kept};
use crate::left::{self, MARK};
use crate::scenario::Scenario;

/// A hunt that has not begun by then does not begin.
const BEGIN: Duration = Duration::from_secs(120);

/// One that was told to end has ended by then.
const END: Duration = Duration::from_secs(60);

/// Between two looks at what it announces.
const LOOK: Duration = Duration::from_millis(2);

/// When a hunt is hit.
#[derive(Clone, Copy, Debug)]
pub enum Moment {
    /// So long after its start, whatever it is at.
    AfterStart(Duration),
    /// So long after it has said that it begins.
    AfterBegin(Duration),
}

/// What hits it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blow {
    /// SIGKILL, to it alone: what it has started must end without help.
    Kill,
    /// SIGINT: it hands in what it has seen.
    Interrupt,
}

/// How far a run came.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reached {
    /// It had not begun.
    Starting,
    /// It had begun.
    Testing,
    /// It had announced a finding.
    Found,
    /// It had announced a study.
    Studied,
    /// It had come to its end by itself.
    Ended,
}

/// A run that was hit.
#[derive(Clone, Debug)]
pub struct Killed {
    /// How far it came.
    pub reached: Reached,
    /// What was in its folder.
    pub state: FolderState,
    /// How long its processes outlived it.
    pub outlived: Duration,
    /// What does not hold; nothing if all is well.
    pub wrong: Vec<String>,
}

/// A hunt that can be started again on its folder.
#[derive(Debug)]
pub struct Victim {
    gainsay: PathBuf,
    dir: PathBuf,
    words: Vec<String>,
    kept: Kept,
    runs: usize,
}

impl Victim {
    /// A hunt of `gainsay`, prepared in an empty folder.
    pub fn new(gainsay: &Path, dir: &Path, scenario: &Scenario, jobs: usize) -> Result<Victim> {
        scenario.prepare(dir).with_context(|| format!("{} cannot be written", dir.display()))?;
        let mut words = scenario.words.clone();
        words.extend(["--jobs".into(), jobs.to_string()]);
        Victim::of(gainsay, dir, words)
    }

    /// A hunt with these arguments, in a folder that has all that they name.
    pub fn of(gainsay: &Path, dir: &Path, words: Vec<String>) -> Result<Victim> {
        fs::create_dir(dir.join("tmp")).context("a folder for scratch folders cannot be made")?;
        let (gainsay, dir) = (gainsay.to_path_buf(), dir.to_path_buf());
        Ok(Victim { gainsay, dir, words, kept: Kept::default(), runs: 0 })
    }

    /// Its folder.
    pub fn out(&self) -> PathBuf {
        self.dir.join("out")
    }

    /// What its folder held when it was last looked at.
    pub fn kept(&self) -> &Kept {
        &self.kept
    }

    fn mark(&self) -> String {
        self.dir.display().to_string()
    }

    fn tmp(&self) -> PathBuf {
        self.dir.join("tmp")
    }

    fn events_file(&self) -> PathBuf {
        self.dir.join(format!("events-{}", self.runs))
    }

    fn messages_file(&self) -> PathBuf {
        self.dir.join(format!("messages-{}", self.runs))
    }

    /// What the last run announced; a line that was cut off is none.
    pub fn events(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.events_file()).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        whole.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    /// Starts it, hits it at a moment, and looks at what is left.
    pub fn hit(&mut self, moment: Moment, blow: Blow) -> Result<Killed> {
        let mut child = self.start(&[])?;
        match moment {
            Moment::AfterStart(time) => thread::sleep(time),
            Moment::AfterBegin(time) => {
                self.await_begin(&mut child)?;
                thread::sleep(time);
            }
        }
        let ended = child.try_wait()?;
        match (ended, blow) {
            (Some(_), _) => {}
            (None, Blow::Kill) => child.kill().context("it cannot be killed")?,
            (None, Blow::Interrupt) => interrupt(&mut child)?,
        }
        let status = child.wait()?;
        // Before it has begun it need not have heard of signals.
        let (was_hit, has_begun) = (ended.is_none(), !self.events().is_empty());
        let is_as_expected = match status.code() {
            Some(code) => matches!(code, 0 | 1),
            None => was_hit && (blow == Blow::Kill || !has_begun),
        };
        let mut wrong = Vec::new();
        if !is_as_expected {
            wrong.push(format!("it ended with {status}"));
        }
        let killed = self.look(wrong)?;
        let reached = if ended.is_some() { Reached::Ended } else { killed.reached };
        Ok(Killed { reached, ..killed })
    }

    /// Runs it with more arguments to its end; its last event.
    pub fn finish(&mut self, more: &[&str]) -> Result<(Value, Killed)> {
        let mut child = self.start(more)?;
        let status = child.wait()?;
        let mut wrong = Vec::new();
        if !matches!(status.code(), Some(0 | 1)) {
            wrong.push(format!("it ended with {status}"));
        }
        let mut killed = self.look(wrong)?;
        let end = self.events().pop().context("a hunt without events")?;
        killed.wrong.extend(self.kept.disagrees(&end));
        let left = left::folders(&self.tmp());
        killed.wrong.extend(left.iter().map(|path| format!("{} is left", path.display())));
        Ok((end, killed))
    }

    // A run of ours would kill what the hunt has started; here that must happen without help.
    #[allow(clippy::disallowed_methods)]
    fn start(&mut self, more: &[&str]) -> Result<Child> {
        self.runs += 1;
        let file = |path: PathBuf| {
            File::create(&path).with_context(|| format!("{} cannot be written", path.display()))
        };
        let child = Command::new(&self.gainsay)
            .args(["hunt", "--json", "--hunt", "out"])
            .args(&self.words)
            .args(more)
            .current_dir(&self.dir)
            .env(MARK, self.mark())
            .env("TMPDIR", self.tmp())
            .stdin(Stdio::null())
            .stdout(file(self.events_file())?)
            .stderr(file(self.messages_file())?)
            .spawn();
        child.with_context(|| format!("{} cannot be started", self.gainsay.display()))
    }

    fn await_begin(&self, child: &mut Child) -> Result<()> {
        let since = Instant::now();
        while self.events().is_empty() && child.try_wait()?.is_none() {
            if since.elapsed() > BEGIN {
                child.kill()?;
                bail!("it does not begin: {} tells more", self.messages_file().display());
            }
            thread::sleep(LOOK);
        }
        Ok(())
    }

    /// What is left of a run that is gone, and what is wrong with it.
    fn look(&mut self, mut wrong: Vec<String>) -> Result<Killed> {
        let outlived = left::await_gone(&self.mark()).unwrap_or_else(|alive| {
            wrong.extend(alive.iter().map(|line| format!("it survives: {line}")));
            Duration::MAX
        });
        let held = left::held_folders(&self.tmp());
        wrong.extend(
            held.iter().map(|path| format!("{} is held by nobody we know", path.display())),
        );
        let messages = fs::read_to_string(self.messages_file()).unwrap_or_default();
        if messages.contains("panicked at") || !wrong.is_empty() {
            wrong.push(format!("it said: {}", messages.trim()));
        }
        let events = self.events();
        match Kept::read(&self.out()) {
            Ok((now, broken)) => {
                wrong.extend(broken);
                wrong.extend(self.kept.lost(&now));
                wrong.extend(now.unkept(&self.kept, &events));
                self.kept = now;
            }
            Err(error) => wrong.push(format!("the store does not open: {error:#}")),
        }
        let has = |name: &str| events.iter().any(|event| event["event"] == name);
        let reached = match () {
            () if has("study") => Reached::Studied,
            () if has("finding") => Reached::Found,
            () if has("begin") => Reached::Testing,
            () => Reached::Starting,
        };
        if wrong.is_empty() {
            let _ = fs::remove_file(self.messages_file());
        }
        Ok(Killed { reached, state: self.kept.state(), outlived, wrong })
    }
}

fn interrupt(child: &mut Child) -> Result<()> {
    let pid = child.id().to_string();
    // It may have ended a moment ago.
    Run::new("kill", Duration::from_secs(10)).args(["-s", "INT", &pid]).finish();
    let since = Instant::now();
    while child.try_wait()?.is_none() {
        if since.elapsed() > END {
            child.kill()?;
            bail!("it does not end when it is interrupted");
        }
        thread::sleep(LOOK);
    }
    Ok(())
}
