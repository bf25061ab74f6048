//! What a person on a terminal sees of a running hunt, drawn into any rectangle.
//!
//! Lines give up their last parts when the terminal is narrow; the table adds up the targets of
//! each compiler when it is short. Nothing here knows how the picture gets onto the screen.

use std::collections::BTreeMap;
use std::time::Duration;

use campaign::{BugCount, Cost, Progress, Snapshot, TargetResult};
use oracle::FailureKind;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

use crate::human;

/// From this width on, words are spelt out.
const WIDE: u16 = 64;

/// What takes longer than this is named.
const WAITS: Duration = Duration::from_secs(5);

/// Between the parts of a line.
const GAP: &str = "  ";

/// The picture of a hunt.
#[derive(Debug)]
pub struct View<'a> {
    /// Where the hunt stands.
    pub progress: &'a Progress,
    /// What tests had cost when this run began.
    pub before: Cost,
    /// How many bugs there are.
    pub count: BugCount,
    /// What was found, as far as it was read: titles are there.
    pub shot: &'a Snapshot,
    /// Where it keeps findings.
    pub out: &'a str,
}

impl View<'_> {
    /// All lines, as many as there is room for.
    pub fn lines(&self, width: u16, height: u16) -> Vec<Line<'static>> {
        let mut lines = self.head(width);
        let left = height.saturating_sub(lines.len() as u16);
        // The hint needs a row, the table at least a heading and a row.
        let hint = left >= 3;
        lines.extend(self.table(width, left - u16::from(hint)));
        if hint {
            lines.push(fit(&["Ctrl-C ends it;".dim(), "what was found is kept".dim()], width));
        }
        lines.truncate(height.into());
        lines
    }

    /// Everything above the table.
    fn head(&self, width: u16) -> Vec<Line<'static>> {
        let mut lines = vec![self.title(width), self.cpu(width), self.findings(width)];
        lines.extend(self.newest(width));
        lines.extend(self.waits(width));
        lines.extend(self.engines(width));
        lines
    }

    fn title(&self, width: u16) -> Line<'static> {
        let p = self.progress;
        let mut time = human::clock(p.elapsed);
        if let Some(total) = p.time {
            time += &format!(" of {}", human::clock(total));
        }
        let mut tests = human::plural(p.tests, "test");
        if let Some(wanted) = p.tests_wanted {
            let sum = human::plural(wanted, "test");
            tests = format!("{} of {sum}", human::count(p.tests));
        }
        let parts = vec![
            "gainsay hunt".bold(),
            time.into(),
            tests.into(),
            human::rate(p.tests_now, p.elapsed).into(),
            self.out.to_string().dim(),
        ];
        // The name says least: it goes first.
        fit(if width < WIDE { &parts[1..] } else { &parts }, width)
    }

    fn cpu(&self, width: u16) -> Line<'static> {
        let Shares { compile, run, validate, generate, harness, studies } =
            Shares::of(self.progress, self.before);
        let all = compile + run + validate + generate + harness + studies;
        let share = |part: Duration| human::percent(part, all);
        let ours = format!("ours {}", share(generate + harness));
        if width < WIDE {
            let parts =
                [format!("CPU: cc {}", share(compile)), format!("run {}", share(run)), ours];
            return fit(&parts.map(Span::from), width);
        }
        let mut parts = vec![
            format!("CPU: compile {}", share(compile)),
            format!("run {}", share(run)),
            format!("validate {}", share(validate)),
            format!("{ours} (generate {})", share(generate)),
        ];
        if !studies.is_zero() {
            parts.push(format!("reductions {}", share(studies)));
        }
        fit(&parts.into_iter().map(Span::from).collect::<Vec<_>>(), width)
    }

    fn findings(&self, width: u16) -> Line<'static> {
        let p = self.progress;
        let sum: u64 = p.findings.values().sum();
        let mut parts: Vec<Span> = match sum {
            0 => vec!["no findings yet".into()],
            _ if width < WIDE => vec![
                format!("{} ({} distinct)", human::plural(sum, "finding"), self.count.distinct)
                    .red()
                    .bold(),
            ],
            _ => vec![format!("{} ({})", human::plural(sum, "finding"), self.count).red().bold()],
        };
        for kind in FailureKind::ALL {
            if let Some(n) = p.findings.get(&kind).filter(|n| **n > 0) {
                parts.push(format!("{} {}", kind.name(), human::count(*n)).red());
            }
        }
        let (waiting, begun, _) = p.studies;
        for (n, name) in [
            (begun, "being reduced"),
            (waiting, "to be reduced"),
            (p.unconfirmed, "to be confirmed"),
            (p.disputed, "disputed"),
            (p.flaky, "flaky"),
            (p.skipped.values().sum(), "skipped"),
        ] {
            if n > 0 {
                parts.push(format!("{name} {}", human::count(n)).yellow());
            }
        }
        fit(&parts, width)
    }

    fn newest(&self, width: u16) -> Option<Line<'static>> {
        let (id, kind, summary) = self.progress.newest.as_ref()?;
        let title = self.shot.finding(*id).map_or(summary, |found| &found.title);
        let text = format!("newest: #{id} {}: {}", kind.name(), one_line(title));
        Some(Line::from(human::cut(&text, width.into())))
    }

    /// What has been under way for some seconds: one program, one step.
    fn waits(&self, width: u16) -> Option<Line<'static>> {
        let (what, since) = self.progress.waits_for.as_ref().filter(|(_, s)| *s >= WAITS)?;
        let text = format!("{} in {}", human::span(*since), one_line(what));
        Some(Line::from(human::cut(&text, width.into())).yellow())
    }

    /// One engine alone has all the time: nothing to tell.
    fn engines(&self, width: u16) -> Option<Line<'static>> {
        let engines = &self.progress.engines;
        if engines.len() < 2 {
            return None;
        }
        let one = |(name, e): (&String, &campaign::EngineProgress)| -> Span<'static> {
            let (used, due) = (e.used * 100.0, e.due * 100.0);
            if width < WIDE {
                return format!("{name} {used:.0}/{due:.0} %").into();
            }
            let tests = human::plural(e.tests, "test");
            format!("{name} {tests} {used:.0} % (due {due:.0} %)").into()
        };
        Some(fit(&engines.iter().map(one).collect::<Vec<_>>(), width))
    }

    /// The table, in at most so many lines.
    fn table(&self, width: u16, height: u16) -> Vec<Line<'static>> {
        let space = usize::from(height.saturating_sub(1));
        if space == 0 || self.progress.targets.is_empty() {
            return Vec::new();
        }
        let mut rows = tallies(&self.progress.targets, level);
        let mut name = "target";
        if rows.len() > space {
            rows = tallies(&self.progress.targets, |label| human::split(label).0.into());
            name = "compiler";
        }
        let columns = Columns::of(width, rows.iter().map(|(name, _)| name.chars().count()).max());
        let mut lines = vec![columns.heading(name)];
        if rows.len() > space {
            // Those that fail are the ones to see.
            rows.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.failed));
            let left = rows.split_off(space - 1);
            lines.extend(rows.iter().map(|(name, tally)| columns.row(name, tally)));
            lines.push(Line::from(format!("and {} more", left.len())).dim());
        } else {
            lines.extend(rows.iter().map(|(name, tally)| columns.row(name, tally)));
        }
        lines
    }
}

impl Widget for &View<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let lines = self.lines(area.width, area.height);
        for (line, row) in lines.iter().zip(area.rows()) {
            line.render(row, buffer);
        }
    }
}

/// What a target, or a compiler, did.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct Tally {
    /// Times as it must.
    pub right: u64,
    /// Times it failed.
    pub failed: u64,
    /// Times it failed like the baseline of a comparison.
    pub before: u64,
    /// Times it failed where it cannot be told whether that is new.
    pub cannot_tell: u64,
    /// Times it failed and then did not.
    pub flaky: u64,
    /// Times it could not take the program.
    pub unsupported: u64,
}

impl Tally {
    /// Adds up what one target did.
    pub fn add(&mut self, counts: &BTreeMap<TargetResult, u64>) {
        for (word, n) in counts {
            *match word {
                TargetResult::Right => &mut self.right,
                TargetResult::Failed(_) => &mut self.failed,
                TargetResult::FailedBefore(_) => &mut self.before,
                TargetResult::CannotTell(_) => &mut self.cannot_tell,
                TargetResult::Flaky => &mut self.flaky,
                TargetResult::Unsupported => &mut self.unsupported,
            } += n;
        }
    }
}

/// The tally of each group of labels.
fn tallies(
    targets: &BTreeMap<String, BTreeMap<TargetResult, u64>>,
    group: impl Fn(&str) -> String,
) -> Vec<(String, Tally)> {
    let mut sums: BTreeMap<String, Tally> = BTreeMap::new();
    for (label, counts) in targets {
        sums.entry(group(label)).or_default().add(counts);
    }
    sums.into_iter().collect()
}

/// The group of a label: its own if it is a compiler at a level. Flag sets are drawn anew for each
/// test, so those of a compiler are one group.
fn level(label: &str) -> String {
    match human::split(label) {
        (name, flags) if flags.contains(' ') => format!("{name} more flags"),
        _ => label.into(),
    }
}

/// Where the processor time of this run went. Tests in flight are shared out as those that are done.
#[derive(Debug)]
pub struct Shares {
    /// Compilers.
    pub compile: Duration,
    /// Compiled programs.
    pub run: Duration,
    /// Detectors, and failures tried again.
    pub validate: Duration,
    /// Ours: making programs and their answers.
    pub generate: Duration,
    /// Ours: all else.
    pub harness: Duration,
    /// Studies, ours and others'.
    pub studies: Duration,
}

impl Shares {
    /// Those of a run that began when tests had cost `before`.
    pub fn of(progress: &Progress, before: Cost) -> Shares {
        let Progress { own, others, cost, .. } = progress;
        let compile = cost.compile.saturating_sub(before.compile);
        let run = cost.run.saturating_sub(before.run);
        let validate = cost.validate.saturating_sub(before.validate);
        let done = (compile + run + validate).as_secs_f64();
        let part = |time: Duration| match done > 0.0 {
            true => others.mul_f64(time.as_secs_f64() / done),
            false => Duration::ZERO,
        };
        // An engine that is another program generates in processes that are not ours.
        let generate = cost.generate.saturating_sub(before.generate).min(*own);
        Shares {
            // Before the first test is done only compilers can have worked.
            compile: if done > 0.0 { part(compile) } else { *others },
            run: part(run),
            validate: part(validate),
            generate,
            harness: *own - generate,
            studies: progress.studying,
        }
    }
}

/// Widths of the table.
struct Columns {
    label: usize,
    number: usize,
    last: &'static str,
}

impl Columns {
    fn of(width: u16, longest: Option<usize>) -> Columns {
        let (number, last) = if width < WIDE { (7, "unsup.") } else { (12, "unsupported") };
        let room = usize::from(width).saturating_sub(4 * number);
        Columns { label: room.min(longest.unwrap_or(0).max("compiler".len())), number, last }
    }

    fn heading(&self, name: &str) -> Line<'static> {
        let Columns { label, number: n, last } = self;
        let name = human::cut(name, *label);
        let numbers = format!("{:>n$}{:>n$}{:>n$}{last:>n$}", "right", "failed", "flaky");
        Line::from(format!("{name:label$}{numbers}")).dim()
    }

    fn row(&self, name: &str, tally: &Tally) -> Line<'static> {
        let Columns { label, number: n, .. } = self;
        let cell = |value: u64, style: Style| -> Span<'static> {
            let text = format!("{:>n$}", human::count(value));
            if value > 0 { Span::styled(text, style) } else { text.dim() }
        };
        Line::from(vec![
            format!("{:label$}", human::cut(name, *label)).into(),
            cell(tally.right, Style::new()),
            cell(tally.failed, Style::new().red().bold()),
            cell(tally.flaky, Style::new().yellow()),
            cell(tally.unsupported, Style::new()),
        ])
    }
}

/// As many of the parts as fit, the first one cut if even that does not.
fn fit(parts: &[Span<'static>], width: u16) -> Line<'static> {
    let width = usize::from(width);
    let mut line: Vec<Span> = Vec::new();
    let mut used = 0;
    for part in parts {
        let gap = if line.is_empty() { 0 } else { GAP.len() };
        if used + gap + part.width() > width {
            break;
        }
        used += gap + part.width();
        if gap > 0 {
            line.push(GAP.into());
        }
        line.push(part.clone());
    }
    if line.is_empty()
        && let Some(first) = parts.first()
    {
        line.push(Span::styled(human::cut(&first.content, width), first.style));
    }
    Line::from(line)
}

/// A compiler's message may have line breaks, tabs, escape codes.
pub fn one_line(text: &str) -> String {
    let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    clean.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
