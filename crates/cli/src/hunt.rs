//! `gainsay hunt`: from arguments to a plan, and what a person or a script sees of it.

#[cfg(test)]
mod counted;
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
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ::crossover::fuzz::Fuzzer;
use anyhow::Result;
use campaign::{Bug, BugCount, Cost, EndReason, Event, Progress, Snapshot, Standing, Store};
use llvmhost::Installed;
use toolchain::Language;

use crate::{status, terminal};
use live::Live;
use options::Hunt;
pub use plan::{Compilers, compilers, plan};
use view::View;
pub use view::{Tally, one_line};

/// Exit status when something was found.
const FOUND: u8 = 1;

/// A log wants a sign of life, but no more.
const LINE_EVERY: Duration = Duration::from_secs(30);

/// Scripts draw curves.
const OBJECT_EVERY: Duration = Duration::from_secs(10);

/// Counting bugs reads what is new in the store.
const COUNT_EVERY: Duration = Duration::from_secs(1);

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
    /// Of a comparison: what must be right, by name and version.
    pub baseline: Option<String>,
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
        let name = |c: &Tested| name_with_version(&c.name, &c.version);
        match self.compilers.is_empty() && self.cluster > 0 {
            true => "the compilers of its workers".into(),
            false => self.compilers.iter().map(name).collect::<Vec<_>>().join(", "),
        }
    }
}

/// `gcc-12 12.2.0`; a name that has the version is enough.
pub fn name_with_version(name: &str, version: &str) -> String {
    match name.contains(version) {
        true => name.to_string(),
        false => format!("{name} {version}"),
    }
}

/// What a run has found, as it is told in the end.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Bugs with findings of this run, in the order of the folder's, each with these findings alone.
    pub bugs: Vec<Bug>,
    /// All of the folder.
    pub shot: Snapshot,
}

impl Outcome {
    fn of(store: &Store, progress: &Progress) -> Result<Outcome> {
        let now: BTreeSet<i64> = progress.found_now.iter().copied().collect();
        Ok(Outcome::in_run(store.snapshot()?, &now))
    }

    /// What a run with these findings has of a folder.
    fn in_run(shot: Snapshot, now: &BTreeSet<i64>) -> Outcome {
        let of_run = |bug: &Bug| {
            let ids: Vec<i64> = bug.ids.iter().copied().filter(|id| now.contains(id)).collect();
            (!ids.is_empty()).then(|| Bug { count: ids.len(), ids, ..bug.clone() })
        };
        Outcome { bugs: shot.bugs.iter().filter_map(of_run).collect(), shot }
    }

    /// Bugs of this run that stand or are not confirmed yet, and are not suppressed.
    fn found(&self) -> impl Iterator<Item = &Bug> {
        let counts = |bug: &&Bug| {
            let is_found = matches!(bug.standing, Standing::Confirmed | Standing::Unconfirmed);
            bug.suppressed.is_none() && is_found
        };
        self.bugs.iter().filter(counts)
    }

    /// Whether the folder has more than what this run has found.
    fn has_more(&self) -> bool {
        self.bugs.iter().map(|bug| bug.count).sum::<usize>() < self.shot.findings.len()
    }
}

/// Runs the command; the exit status.
pub fn main(args: Hunt) -> Result<u8> {
    let (plan, setting) = plan::plan(&args)?;
    for weakness in sandbox::weaknesses() {
        terminal::note(&format!("gainsay: {weakness}"));
    }
    let out = plan.out.clone();
    let mut reporter = Reporter::new(setting, args.output.json, Counter::new(&out));
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
    Ok(if outcome.found().next().is_none() { 0 } else { FOUND })
}

/// A run that is over.
#[derive(Debug)]
pub struct Done {
    /// Where it stands.
    pub progress: Progress,
    /// What it has found.
    pub outcome: Outcome,
}

/// Runs a plan on this machine, shows it as a hunt, and in the end what `summary` makes of it.
pub fn run(
    plan: campaign::Plan,
    setting: Setting,
    json: bool,
    summary: &dyn Fn(&Setting, &Progress, &Outcome) -> String,
) -> Result<Done> {
    let out = plan.out.clone();
    let mut reporter = Reporter::new(setting, json, Counter::new(&out));
    let stop = sandbox::Stop::on_signals();
    let progress = campaign::hunt(plan, &stop, &mut |event| reporter.tell(&event))?;
    let outcome = Outcome::of(&Store::open(&out)?, &progress)?;
    if !json {
        let text = summary(&reporter.setting, &progress, &outcome);
        match &mut reporter.style {
            Style::Live(live) => live.finish(&text)?,
            Style::Lines | Style::Json => terminal::print(text.as_bytes())?,
        }
    }
    Ok(Done { progress, outcome })
}

/// The plan of a hunt that somebody else shows.
#[cfg(feature = "cluster")]
pub fn plan_only(args: &Hunt) -> Result<campaign::Plan> {
    Ok(plan::plan(args)?.0)
}

/// The configuration that a hunt reads, if there is one.
#[cfg(feature = "cluster")]
pub fn config_file(args: &Hunt) -> Option<std::path::PathBuf> {
    plan::config_file(args.workload.config.as_deref())
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
    /// How many bugs there are.
    counter: Counter,
}

/// Counts the bugs of a folder while its hunt goes on, as everything else counts them.
#[derive(Debug)]
struct Counter {
    dir: PathBuf,
    store: Option<Store>,
    shot: Snapshot,
    count: BugCount,
    /// Whether there is something new, and when it was looked at last.
    is_stale: bool,
    last: Option<Instant>,
}

impl Counter {
    fn new(dir: &Path) -> Counter {
        let (shot, count) = Default::default();
        Counter { dir: dir.into(), store: None, shot, count, is_stale: false, last: None }
    }

    /// Notes what an event changes. A store that cannot be read now can be read later: the number stays as it was.
    fn tell(&mut self, event: &Event) {
        let at_once = matches!(event, Event::Begin(_) | Event::End(_));
        self.is_stale |= at_once || matches!(event, Event::Found(..) | Event::Studied(..));
        let is_due = self.last.is_none_or(|last| last.elapsed() >= COUNT_EVERY);
        if self.is_stale && (at_once || is_due) {
            self.is_stale = self.count_again().is_err();
            self.last = Some(Instant::now());
        }
    }

    fn count_again(&mut self) -> Result<()> {
        let store = match self.store.take() {
            Some(store) => store,
            None => Store::open_to_read(&self.dir)?,
        };
        store.refresh(&mut self.shot)?;
        self.count = BugCount::of(&self.shot.bugs);
        self.store = Some(store);
        Ok(())
    }
}

impl Reporter {
    fn new(setting: Setting, json: bool, counter: Counter) -> Reporter {
        // The view would draw over lines on every test.
        let can_draw = io::stdout().is_terminal() && !terminal::is_dumb();
        let style = match (json, can_draw && !terminal::is_verbose() && !terminal::is_quiet()) {
            (true, _) => Style::Json,
            (false, true) => Style::Live(Live::new(terminal::colour_out())),
            (false, false) => Style::Lines,
        };
        Reporter { setting, style, last_line: Duration::ZERO, before: Cost::default(), counter }
    }

    /// Shows an event. Where nobody can read any more the hunt still goes on: the store is what counts.
    fn tell(&mut self, event: &Event) {
        if let Event::Begin(progress) = event {
            self.before = progress.cost;
        }
        self.counter.tell(event);
        let _ = match &self.style {
            Style::Live(_) => self.live(event),
            Style::Lines => self.line(event),
            Style::Json => self.object(event),
        };
    }

    fn live(&mut self, event: &Event) -> io::Result<()> {
        let Style::Live(live) = &mut self.style else { return Ok(()) };
        let (before, count, shot) = (self.before, self.counter.count, &self.counter.shot);
        let view = |progress| View { progress, before, count, shot, out: &self.setting.out };
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
                lines::progress(at, &self.counter.count)
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
                lines::progress_object(at, &self.counter.count)
            }
            Event::End(at) => lines::end_object(at, &self.counter.count),
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
