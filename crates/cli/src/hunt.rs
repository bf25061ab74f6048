//! `gainsay hunt`: from arguments to a plan, and what a person or a script sees of it.

mod crossover;
mod lines;
mod live;
pub mod options;
mod passes;
mod plan;
#[cfg(test)]
pub mod sample;
mod summary;
mod view;

use std::collections::BTreeSet;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::Duration;

use ::crossover::fuzz::Fuzzer;
use anyhow::Result;
use campaign::{Cost, EndReason, Event, Finding, Progress, Standing, Store};
use llvmhost::Installed;
use toolchain::Language;

use crate::{status, terminal};
use live::Live;
use options::Hunt;
pub use plan::{Compilers, compilers};
use view::View;
pub use view::one_line;

/// Exit status when something was found.
const FOUND: u8 = 1;

/// A log wants a sign of life, but no more.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Scripts draw curves.
const OBJECT_EVERY: Duration = Duration::from_secs(10);

/// What a hunt was asked to do, for whoever shows it.
#[derive(Debug)]
pub struct Setting {
    /// The folder.
    pub out: String,
    /// The command that goes on with it.
    pub resume: String,
    /// What is tested.
    pub compilers: Vec<Tested>,
    /// What crossover works with.
    pub fuzzers: Vec<Arc<Fuzzer>>,
    /// The libraries of passes.
    pub sequenced: Vec<Installed>,
    /// What makes the programs.
    pub engines: Vec<String>,
    /// Their language.
    pub language: Language,
    /// Tests at a time.
    pub jobs: usize,
    /// Servers over which others do the tests; none in a local hunt.
    pub cluster: usize,
}

/// A compiler by name.
#[derive(Debug)]
pub struct Tested {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The machine it compiles for.
    pub triple: String,
}

impl Setting {
    /// `gcc-12 12.2.0, tcc 0.9.27`.
    fn compilers(&self) -> String {
        let name = |c: &Tested| match c.name.contains(&c.version) {
            true => c.name.clone(),
            false => format!("{} {}", c.name, c.version),
        };
        match self.compilers.is_empty() && self.cluster > 0 {
            true => "the compilers of its workers".into(),
            false => self.compilers.iter().map(name).collect::<Vec<_>>().join(", "),
        }
    }
}

/// What a run has found, as it is told in the end.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Its findings that count or are not confirmed yet, without those that are suppressed.
    pub found: Vec<Finding>,
    /// Its findings that are disputed.
    pub disputed: Vec<Finding>,
    /// How many of its findings are suppressed.
    pub suppressed: u64,
    /// Whether the folder has more than these.
    pub has_more: bool,
}

impl Outcome {
    fn of(store: &Store, progress: &Progress) -> Result<Outcome> {
        let now: BTreeSet<i64> = progress.found_now.iter().copied().collect();
        let bugs = store.bugs()?;
        let suppressed: BTreeSet<i64> = bugs
            .iter()
            .filter(|bug| bug.suppressed.is_some())
            .flat_map(|bug| bug.ids.iter().copied())
            .collect();
        let mut outcome = Outcome::default();
        for found in store.findings()? {
            match found.finding.standing {
                _ if !now.contains(&found.id) => outcome.has_more = true,
                _ if suppressed.contains(&found.id) => outcome.suppressed += 1,
                Standing::Disputed => outcome.disputed.push(found),
                Standing::Confirmed | Standing::Unconfirmed => outcome.found.push(found),
            }
        }
        Ok(outcome)
    }
}

/// Runs the command; the exit status.
pub fn main(args: Hunt) -> Result<u8> {
    let (plan, setting) = plan::plan(&args)?;
    for weakness in sandbox::weaknesses() {
        terminal::note(&format!("gainsay: {weakness}"));
    }
    let out = plan.out.clone();
    let mut reporter = Reporter::new(setting, args.output.json);
    let stop = sandbox::Stop::on_signals();
    let tell = &mut |event: Event<'_>| reporter.tell(&event);
    #[cfg(not(feature = "cluster"))]
    let progress = campaign::hunt(plan, &stop, tell)?;
    #[cfg(feature = "cluster")]
    let progress = match crate::cluster::coordinator(&args)? {
        None => campaign::hunt(plan, &stop, tell)?,
        Some(mut workers) => {
            campaign::hunt_with(plan, &mut workers, sandbox::Stop::new(), &stop, tell)?
        }
    };
    let outcome = Outcome::of(&Store::open(&out)?, &progress)?;
    if !args.output.json {
        let text = summary::text(&reporter.setting, &progress, reporter.before, &outcome);
        match &mut reporter.style {
            Style::Live(live) => live.finish(&text)?,
            _ => terminal::print(text.as_bytes())?,
        }
    }
    if let Some(EndReason::Failed(why)) = &progress.ended {
        terminal::complain(&format!("gainsay: {why}"));
        return Ok(status::USAGE);
    }
    Ok(if outcome.found.is_empty() { 0 } else { FOUND })
}

/// The plan of a hunt that somebody else shows.
#[cfg(feature = "cluster")]
pub fn plan_only(args: &Hunt) -> Result<campaign::Plan> {
    Ok(plan::plan(args)?.0)
}

/// The configuration that a hunt reads, if there is one.
#[cfg(feature = "cluster")]
pub fn config_file(args: &Hunt) -> Option<std::path::PathBuf> {
    plan::config_file(args.output.config.as_deref())
}

/// How a hunt is shown.
#[derive(Debug)]
enum Style {
    /// A view at the foot of a terminal, findings above it.
    Live(Live),
    /// Lines of text.
    Lines,
    /// Lines of JSON.
    Json,
}

/// Turns events into what is shown.
#[derive(Debug)]
struct Reporter {
    setting: Setting,
    style: Style,
    /// When the last progress line was due.
    last_line: Duration,
    /// What tests had cost when this run began.
    before: Cost,
}

impl Reporter {
    fn new(setting: Setting, json: bool) -> Reporter {
        // The view would draw over lines on every test.
        let can_draw = io::stdout().is_terminal() && !terminal::is_dumb();
        let style = match (json, can_draw && !terminal::is_verbose() && !terminal::is_quiet()) {
            (true, _) => Style::Json,
            (false, true) => Style::Live(Live::new(terminal::colour_out())),
            (false, false) => Style::Lines,
        };
        Reporter { setting, style, last_line: Duration::ZERO, before: Cost::default() }
    }

    /// Shows an event. Where nobody can read any more the hunt still goes on: the store is what counts.
    fn tell(&mut self, event: &Event) {
        if let Event::Begin(progress) = event {
            self.before = progress.cost;
        }
        let _ = match &self.style {
            Style::Live(_) => self.live(event),
            Style::Lines => self.line(event),
            Style::Json => self.object(event),
        };
    }

    fn live(&mut self, event: &Event) -> io::Result<()> {
        let Style::Live(live) = &mut self.style else { return Ok(()) };
        let view = |progress| View { progress, before: self.before, out: &self.setting.out };
        match event {
            Event::Begin(at) => live.draw(&lines::begin(&self.setting, at), &view(at)),
            Event::Found(found, at) => live.draw(&lines::found(found), &view(at)),
            Event::Studied(id, study, at) => live.draw(&lines::studied(*id, *study), &view(at)),
            Event::Note(word, at) => live.draw(&lines::word(word), &view(at)),
            Event::Tested(_, at) | Event::Tick(at) => live.tick(&view(at)),
            // The summary takes the place of the last picture.
            Event::End(at) => live.draw("", &view(at)),
        }
    }

    fn line(&mut self, event: &Event) -> io::Result<()> {
        let text = match event {
            Event::Begin(_) | Event::Note(..) | Event::Tick(_) if terminal::is_quiet() => {
                return Ok(());
            }
            Event::Begin(at) => lines::begin(&self.setting, at),
            Event::Found(found, _) => lines::found(found),
            Event::Studied(id, study, _) => lines::studied(*id, *study),
            Event::Note(word, _) => lines::word(word),
            Event::Tested(tested, _) if terminal::is_verbose() => lines::tested(tested),
            Event::Tested(_, at) | Event::Tick(at)
                if !terminal::is_quiet() && self.due(at, LINE_EVERY) =>
            {
                lines::progress(at)
            }
            _ => return Ok(()),
        };
        terminal::print(text.as_bytes())
    }

    fn object(&mut self, event: &Event) -> io::Result<()> {
        let object = match event {
            Event::Begin(at) => lines::begin_object(&self.setting, at),
            Event::Found(found, _) => lines::found_object(found),
            Event::Studied(id, study, _) => lines::studied_object(*id, *study),
            Event::Note(word, _) => lines::word_object(word),
            Event::Tested(_, at) | Event::Tick(at) if self.due(at, OBJECT_EVERY) => {
                lines::progress_object(at)
            }
            Event::End(at) => lines::end_object(at),
            _ => return Ok(()),
        };
        terminal::print(format!("{object}\n").as_bytes())
    }

    /// Whether it is time for a progress line again.
    fn due(&mut self, progress: &Progress, every: Duration) -> bool {
        let due = progress.elapsed >= self.last_line + every;
        if due {
            self.last_line = progress.elapsed;
        }
        due
    }
}
