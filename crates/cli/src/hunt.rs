//! `gainsay hunt`: from arguments to a plan, and what a person or a script sees of it.

mod crossover;
mod lines;
mod live;
pub mod passes;
mod plan;
#[cfg(test)]
pub mod sample;
mod summary;
mod view;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ::crossover::fuzz::Fuzzer;
use anyhow::Result;
use campaign::{Cost, EndReason, Event, Progress, Store};
use llvmhost::Installed;
use toolchain::Language;

use crate::args::Hunt;
use crate::{status, terminal};
use live::Live;
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
    pub again: String,
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

/// Runs the command; the exit status.
pub fn main(args: Hunt) -> Result<u8> {
    let (plan, setting) = plan::plan(&args)?;
    for weakness in sandbox::weaknesses() {
        terminal::complain(&format!("gainsay: {weakness}"));
    }
    let out = plan.out.clone();
    let mut face = Face::new(setting, args.json);
    let stop = sandbox::Stop::on_signals();
    let tell = &mut |event: Event<'_>| face.tell(&event);
    let progress = match crate::cluster::coordinator(&args)? {
        None => campaign::hunt(plan, &stop, tell)?,
        Some(mut workers) => {
            campaign::hunt_with(plan, &mut workers, sandbox::Stop::new(), &stop, tell)?
        }
    };
    if !args.json {
        let findings = Store::open(&out)?.findings()?;
        let text = summary::text(&face.setting, &progress, face.before, &findings);
        match &mut face.style {
            Style::Live(live) => live.finish(&text)?,
            _ => terminal::print(text.as_bytes())?,
        }
    }
    if let Some(EndReason::Failed(why)) = &progress.ended {
        terminal::complain(&format!("gainsay: {why}"));
        return Ok(status::USAGE);
    }
    Ok(if face.found > 0 { FOUND } else { 0 })
}

/// The plan of a hunt that somebody else shows.
pub fn plan_only(args: &Hunt) -> Result<campaign::Plan> {
    Ok(plan::plan(args)?.0)
}

/// The configuration that a hunt reads, if there is one.
pub fn config_file(args: &Hunt) -> Option<PathBuf> {
    plan::config_file(args.config.as_deref())
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
struct Face {
    setting: Setting,
    style: Style,
    /// When the last progress line was due.
    told: Duration,
    /// What tests had cost when this run began.
    before: Cost,
    /// Findings of this run that stand.
    found: u64,
}

impl Face {
    fn new(setting: Setting, json: bool) -> Face {
        let style = match (json, io::stdout().is_terminal() && !terminal::is_dumb()) {
            (true, _) => Style::Json,
            (false, true) => Style::Live(Live::new(terminal::colour_out())),
            (false, false) => Style::Lines,
        };
        Face { setting, style, told: Duration::ZERO, before: Cost::default(), found: 0 }
    }

    /// Shows an event. Where nobody can read any more the hunt still goes on: the store is what counts.
    fn tell(&mut self, event: &Event) {
        match event {
            Event::Begin(progress) => self.before = progress.cost,
            Event::Found(found, _) if found.finding.stands() => self.found += 1,
            _ => {}
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
            Event::Begin(at) => lines::begin(&self.setting, at),
            Event::Found(found, _) => lines::found(found),
            Event::Studied(id, study, _) => lines::studied(*id, *study),
            Event::Note(word, _) => lines::word(word),
            Event::Tested(_, at) | Event::Tick(at) if self.due(at, LINE_EVERY) => {
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
        let due = progress.elapsed >= self.told + every;
        if due {
            self.told = progress.elapsed;
        }
        due
    }
}
