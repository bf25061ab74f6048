//! Where a hunt stands: numbers, plots, shares, targets.

use std::collections::{BTreeMap, BTreeSet};

use campaign::{Bug, BugCount, Sample, Standing, TargetResult};
use maud::{Markup, html};

use super::{LinkStyle, View, badge, count, list, percent, span};
use crate::plot::{self, Join};
use crate::text::{date, one_line};

/// Tests a second are those of this many seconds of hunting: enough to be calm, few enough to be now.
const WINDOW: f64 = 60.0;

/// Points of a curve: more cannot be told apart.
const POINTS: usize = 150;

/// A distribution by rank is worth a plot where there are so many bugs, one of them with so many findings.
const RANKS: usize = 5;
const RANKED: usize = 10;

/// Bars of a ranking; the rest is one.
const BARS: usize = 8;

/// Bugs that stand and are not suppressed, and what is not yet attributed.
fn found<'v>(view: &View<'v>) -> Vec<&'v Bug> {
    let counts = |bug: &&Bug| bug.suppressed.is_none() && bug.standing == Standing::Confirmed;
    view.shot.bugs.iter().filter(counts).collect()
}

/// The distinct bugs, as [`BugCount`] counts them.
fn standing<'v>(view: &View<'v>) -> Vec<&'v Bug> {
    let mut bugs = found(view);
    bugs.retain(|bug| bug.attributed);
    bugs
}

/// Whether the hunt is running.
pub fn status(view: &View) -> Markup {
    let words = match (view.is_running(), view.shot.samples.last()) {
        (true, _) => "Hunting".to_string(),
        (false, Some(last)) => {
            format!("Not hunting. Last seen {} ago.", span(view.now.saturating_sub(last.at)))
        }
        (false, None) => "Not hunting.".into(),
    };
    let class = if view.is_running() { "status running" } else { "status" };
    html! { h1.visually-hidden { "Overview" } p class=(class) data-live="status" { (words) } }
}

/// From when to when, by whom and on what, in a line.
pub fn period(view: &View) -> Markup {
    let shot = view.shot;
    let (first, last) = clock(view).unwrap_or_default();
    let engines: Vec<String> =
        shot.spent.iter().map(|one| format!("{} ({})", one.engine, count(one.seeds))).collect();
    html! {
        @if !shot.spent.is_empty() {
            p.quiet {
                (date(first)) @if date(first) != date(last) { " to " (date(last)) }
                "; programs of " (engines.join(", ")) "; on " (compilers(view).join(", ")) "."
            }
        }
    }
}

/// Compilers with their versions.
fn compilers(view: &View) -> Vec<String> {
    let all: BTreeSet<(&str, &str)> =
        view.shot.targets.iter().map(|t| (t.compiler.as_str(), t.version.as_str())).collect();
    let name = |(name, version): (&str, &str)| match name.contains(version) {
        true => name.to_string(),
        false => format!("{name} {version}"),
    };
    all.into_iter().map(name).collect()
}

/// When the first and the last test were recorded.
fn clock(view: &View) -> Option<(u64, u64)> {
    let spans = view.shot.spent.iter().map(|one| one.span);
    spans.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
}

/// The headline numbers.
pub fn numbers(view: &View) -> Markup {
    let (shot, bugs) = (view.shot, standing(view));
    let sum = BugCount::of(&shot.bugs);
    let wrong = bugs.iter().filter(|bug| bug.kind.is_wrong_code()).count();
    let reduced = bugs.iter().filter(|b| shot.studies.contains_key(&b.representative)).count();
    let hunted = shot.samples.last().map(|last| last.hunted.as_secs());
    let rate = match rate(&shot.samples) {
        None => "–".to_string(),
        Some(rate) if rate < 1.0 => format!("{rate:.2}"),
        Some(rate) => format!("{rate:.1}"),
    };
    let number = |n: usize, one: &'static str, many: &'static str| {
        (count(n as u64), if n == 1 { one } else { many })
    };
    let small = [
        number(sum.findings, "finding of these", "findings of these"),
        number(sum.unattributed, "finding not yet attributed", "findings not yet attributed"),
        number(wrong, "wrong-code bug", "wrong-code bugs"),
        number(reduced, "bug reduced", "bugs reduced"),
        number(sum.fixed, "bug fixed", "bugs fixed"),
        number(shot.studies.len(), "study", "studies"),
        number(compilers(view).len(), "compiler", "compilers"),
    ];
    let tests = if shot.tests() == 1 { " test" } else { " tests" };
    let (distinct, distinct_bugs) = number(sum.distinct, " distinct bug", " distinct bugs");
    html! {
        ul.numbers.great data-live="great" {
            li { b #tests { (count(shot.tests())) } (tests) }
            li { b { (rate) } " tests a second" }
            li { b { (distinct) } (distinct_bugs) }
            li { b #hunted { (hunted.map_or_else(|| "–".into(), span)) } " of hunting" }
        }
        ul.numbers data-live="small" { @for (n, what) in small { li { b { (n) } " " (what) } } }
    }
}

/// Tests for each second of hunting, of late; `None` where there are no two samples.
pub fn rate(samples: &[Sample]) -> Option<f64> {
    let last = samples.last()?;
    let since = |sample: &Sample| last.hunted.as_secs_f64() - sample.hunted.as_secs_f64();
    let before = samples.iter().rev().skip(1).find(|s| since(s) >= WINDOW).or(samples.first())?;
    let tests = last.tests.checked_sub(before.tests)?;
    (since(before) > 0.0).then(|| tests as f64 / since(before))
}

/// Curves over time, and bugs by compiler and pass.
pub fn plots(view: &View) -> Markup {
    let bugs = standing(view);
    let Some((begin, end)) = clock(view) else { return html! {} };
    let end = view.shot.samples.last().map_or(end, |last| end.max(last.at));
    let seconds = end.saturating_sub(begin) as f64;
    let growth = |ids: &mut dyn Iterator<Item = i64>| {
        let found = ids.filter_map(|id| view.shot.finding(id));
        let mut all: Vec<u64> = found.map(|f| f.found_at.saturating_sub(begin)).collect();
        all.sort_unstable();
        vec![thin(all.into_iter().map(|at| at as f64).zip((1..).map(f64::from)).collect())]
    };
    let all = found(view);
    let findings = growth(&mut all.iter().flat_map(|bug| bug.ids.iter().copied()));
    let distinct = growth(&mut bugs.iter().filter_map(|bug| bug.ids.first().copied()));
    let rates = rates(&view.shot.samples, begin);
    let blocks = blocks(&view.shot.samples, begin);
    let counts: Vec<usize> = bugs.iter().map(|bug| bug.count).collect();
    let names = list::TargetNames::new(view);
    html! {
        div.plots data-live="plots" {
            (plot::curve("Distinct bugs over time", &distinct, seconds, Join::Steps))
            (plot::curve("Findings over time", &findings, seconds, Join::Steps))
            @if !rates.is_empty() { (plot::curve("Tests a second", &rates, seconds, Join::Lines)) }
            @if !blocks.is_empty() {
                (plot::curve("Basic blocks of compilers reached", &blocks, seconds, Join::Lines))
            }
            @if !bugs.is_empty() {
                (bars("Bugs by compiler", tally(&bugs, |bug| names.compilers(view.labels(bug)).into_iter().map(String::from).collect())))
                (bars("Bugs by blamed pass", tally(&bugs, |bug| vec![pass(view, bug)])))
                @if counts.len() >= RANKS && counts.iter().any(|n| *n >= RANKED) {
                    (plot::ranks("Findings of each bug, by rank", &counts))
                }
            }
        }
    }
}

fn pass(view: &View, bug: &Bug) -> String {
    match view.shot.studies.get(&bug.representative) {
        None => "not studied".into(),
        Some(study) => study.pass.clone().unwrap_or_else(|| "not known".into()),
    }
}

/// Some of many points, the last among them.
fn thin<T: Copy>(points: Vec<T>) -> Vec<T> {
    let every = points.len().div_ceil(POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let kept = |(i, _): &(usize, T)| i % every == 0 || *i == last;
    points.into_iter().enumerate().filter(kept).map(|(_, point)| point).collect()
}

/// Samples of each run.
fn runs(samples: &[Sample]) -> impl Iterator<Item = &[Sample]> {
    // A run that was killed has no last sample: the next begins where time has passed without hunting.
    samples.chunk_by(|a, b| {
        let (clock, hunted) = (b.at.saturating_sub(a.at), b.hunted.saturating_sub(a.hunted));
        !a.last && clock <= hunted.as_secs() + 30
    })
}

fn rates(samples: &[Sample], begin: u64) -> Vec<Vec<(f64, f64)>> {
    let every = samples.len().div_ceil(POINTS).max(1);
    let of_run = |run: &[Sample]| -> Vec<(f64, f64)> {
        let some: Vec<&Sample> = run.iter().step_by(every).collect();
        let rate = |pair: &[&Sample]| {
            let hunted = pair[1].hunted.saturating_sub(pair[0].hunted).as_secs_f64();
            let tests = pair[1].tests.saturating_sub(pair[0].tests) as f64;
            (hunted > 0.0).then(|| (pair[1].at.saturating_sub(begin) as f64, tests / hunted))
        };
        some.windows(2).filter_map(rate).collect()
    };
    runs(samples).map(of_run).filter(|run| run.len() > 1).collect()
}

fn blocks(samples: &[Sample], begin: u64) -> Vec<Vec<(f64, f64)>> {
    let of_run = |run: &[Sample]| {
        let point = |s: &Sample| Some((s.at.saturating_sub(begin) as f64, s.blocks? as f64));
        thin(run.iter().filter_map(point).collect::<Vec<_>>())
    };
    runs(samples).map(of_run).filter(|run| run.len() > 1).collect()
}

/// How many bugs have each name, most first.
fn tally(bugs: &[&Bug], names: impl Fn(&Bug) -> Vec<String>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in bugs.iter().flat_map(|bug| names(bug)) {
        *counts.entry(name).or_default() += 1;
    }
    let mut rows: Vec<(String, usize)> = counts.into_iter().collect();
    rows.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    let rest: usize = rows.iter().skip(BARS).map(|(_, n)| n).sum();
    if rest > 0 {
        let others = format!("{} others", rows.len() - BARS);
        rows.truncate(BARS);
        rows.push((others, rest));
    }
    rows
}

fn bars(caption: &str, rows: Vec<(String, usize)>) -> Markup {
    let most = rows.iter().map(|(_, n)| *n).max().unwrap_or(1).max(1) as f64;
    html! {
        figure.bars {
            figcaption { (caption) }
            table {
                tbody {
                    @for (name, n) in &rows {
                        tr {
                            th scope="row" { (one_line(name)) }
                            td.bar { (plot::share(*n as f64 / most)) }
                            td.n { (count(*n as u64)) }
                        }
                    }
                }
            }
        }
    }
}

/// The bugs that were found last.
pub fn newest(view: &View) -> Markup {
    let mut bugs = found(view);
    bugs.sort_by_key(|bug| std::cmp::Reverse(bug.ids.first().copied()));
    bugs.truncate(5);
    html! {
        section.newest data-live="newest" {
            h2 { "Newest" }
            @if bugs.is_empty() { p.quiet { "Nothing was found yet." } }
            ul {
                @for bug in bugs {
                    li {
                        a href=(LinkStyle::Live.finding(bug.representative)) { "#" (bug.representative) } " "
                        (badge(bug.kind)) " "
                        span { (one_line(view.shot.title(bug))) } " "
                        @if let Some(first) = bug.ids.first().and_then(|id| view.shot.finding(*id)) {
                            span.quiet { (span(view.now.saturating_sub(first.found_at))) " ago" }
                        }
                    }
                }
            }
        }
    }
}

/// Where processor time went.
pub fn shares(view: &View) -> Markup {
    let mut cost = campaign::Cost::default();
    view.shot.spent.iter().for_each(|one| cost += one.cost);
    let Some(last) = view.shot.samples.last() else { return html! {} };
    let (own, others) = (last.own.as_secs_f64(), last.others.as_secs_f64());
    let tests = (cost.compile + cost.run + cost.validate).as_secs_f64();
    let generate = cost.generate.as_secs_f64().min(own);
    let rows = [
        ("compilers", cost.compile.as_secs_f64()),
        ("compiled programs", cost.run.as_secs_f64()),
        ("detectors, retries", cost.validate.as_secs_f64()),
        // Tests in flight are in it too, for a moment.
        ("studies", (others - tests).max(0.0)),
        ("Gainsay: generating programs", generate),
        ("Gainsay: everything else", own - generate),
    ];
    let all: f64 = rows.iter().map(|(_, seconds)| seconds).sum();
    html! {
        section data-live="shares" {
            h2 { "Processor time" }
            table.compact {
                thead { tr { th scope="col" { "in" } th.bar scope="col" { span.visually-hidden { "bar" } } th.n scope="col" { "share" } th.n scope="col" { "time" } } }
                tbody {
                    @for (name, seconds) in rows {
                        tr {
                            th scope="row" { (name) }
                            td.bar { (plot::share(seconds / all)) }
                            td.n { (percent(seconds / all)) }
                            td.n { (span(seconds as u64)) }
                        }
                    }
                }
            }
        }
    }
}

/// What each engine did.
pub fn engines(view: &View) -> Markup {
    let all: f64 = view.shot.spent.iter().map(|one| one.cost.total().as_secs_f64()).sum();
    let mut found: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for bug in self::found(view) {
        for (i, id) in bug.ids.iter().enumerate() {
            let Some(one) = view.shot.finding(*id) else { continue };
            let sums = found.entry(&one.engine).or_default();
            sums.0 += 1;
            sums.1 += u64::from(i == 0 && bug.attributed);
        }
    }
    html! {
        section data-live="engines" {
            h2 { "Engines" }
            table.compact {
                thead { tr {
                    th scope="col" { "engine" } th.bar scope="col" { span.visually-hidden { "bar" } } th.n scope="col" { "share" }
                    th.n scope="col" { "seeds" } th.n scope="col" { "findings" } th.n scope="col" title="Bugs that it was the first to find" { "bugs" }
                } }
                tbody {
                    @for one in &view.shot.spent {
                        @let part = one.cost.total().as_secs_f64() / all;
                        @let (findings, bugs) = found.get(one.engine.as_str()).copied().unwrap_or_default();
                        tr {
                            th scope="row" { (one.engine) }
                            td.bar { (plot::share(part)) }
                            td.n { (percent(part)) }
                            td.n { (count(one.seeds)) }
                            td.n { (count(findings)) }
                            td.n { (count(bugs)) }
                        }
                    }
                }
            }
        }
    }
}

/// What targets did, for one compiler.
#[derive(Default)]
struct Row {
    right: u64,
    failed: BTreeMap<&'static str, u64>,
    /// Failed like the baseline of a comparison.
    before: u64,
    flaky: u64,
    unsupported: u64,
}

impl Row {
    fn add(&mut self, word: TargetResult, n: u64) {
        match word {
            TargetResult::Right => self.right += n,
            TargetResult::Failed(kind) => *self.failed.entry(kind.name()).or_default() += n,
            TargetResult::FailedBefore(_) => self.before += n,
            // What was seen has no part in a comparison, like what a compiler cannot take.
            TargetResult::CannotTell(_) => self.unsupported += n,
            TargetResult::Flaky => self.flaky += n,
            TargetResult::Unsupported => self.unsupported += n,
        }
    }

    fn cells(&self) -> Markup {
        let failed: u64 = self.failed.values().sum();
        let all = self.right + failed + self.before + self.flaky + self.unsupported;
        let kinds: Vec<String> =
            self.failed.iter().map(|(kind, n)| format!("{} {kind}", count(*n))).collect();
        html! {
            td.n data-label="programs" { (count(all)) }
            td.n data-label="right" { (count(self.right)) }
            td data-label="failed" class=[(failed > 0).then_some("fails")] {
                @if failed > 0 { (kinds.join(", ")) } @else { "0" }
                @if self.before > 0 { ", " (count(self.before)) " not new" }
            }
            td.n data-label="flaky" { (count(self.flaky)) }
            td.n data-label="unsupported" { (count(self.unsupported)) }
        }
    }
}

/// What each compiler did, its levels one by one and drawn flags together.
pub fn targets(view: &View) -> Markup {
    let names = list::TargetNames::new(view);
    let mut rows: BTreeMap<(&str, &str), Row> = BTreeMap::new();
    let mut sums: BTreeMap<&str, Row> = BTreeMap::new();
    for (label, word, n) in &view.shot.tallies {
        let name = names.compiler(label);
        // Drawn targets are counted by families of flags, whatever the level.
        let level = match (names.is_level(label), label.rfind(" +")) {
            (true, _) => label[name.len()..].trim(),
            (false, Some(at)) => &label[at + 1..],
            (false, None) => "drawn flags",
        };
        rows.entry((name, level)).or_default().add(*word, *n);
        sums.entry(name).or_default().add(*word, *n);
    }
    html! {
        section data-live="targets" {
            h2 { "Targets" }
            @if sums.is_empty() {
                p.quiet { "No program was compiled" @if view.shot.spent.is_empty() { " yet." } @else { "; tests of LLVM's passes keep no tally by target." } }
            } @else {
                div.scroll tabindex="0" role="region" aria-label="Targets" { table.targets {
                    thead { tr {
                        th scope="col" { "compiler" } th scope="col" { "flags" } th.n scope="col" { "programs" } th.n scope="col" { "right" }
                        th scope="col" { "failed" } th.n scope="col" title="Failures that did not recur" { "flaky" }
                        th.n scope="col" title="Programs that use what the compiler does not support" { "unsupported" }
                    } }
                    @for (name, sum) in &sums {
                        tbody {
                            tr.sum { th scope="row" { (name) } td data-label="flags" { "all" } (sum.cells()) }
                            @for ((_, level), row) in rows.range((*name, "")..).take_while(|((n, _), _)| n == name) {
                                tr { th scope="row" { span.visually-hidden { (name) } } td data-label="flags" { (level) } (row.cells()) }
                            }
                        }
                    }
                } }
            }
        }
    }
}
