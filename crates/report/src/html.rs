//! One page on a whole hunt: numbers, plots, bugs. It loads nothing and runs nothing; everything that
//! comes from outside is escaped.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use campaign::{Bug, Finding, Standing, State, StoredTarget, Study};
use oracle::Kind;

use crate::blame;
use crate::plot;
use crate::text::{date, escape, one_line};

/// The style sheet.
const STYLE: &str = include_str!("page.css");

/// A reduced test of more bytes is not put into the page.
const LARGE: usize = 20_000;

/// What a page is made of.
#[derive(Debug)]
pub struct Hunt<'a> {
    /// The folder, or any other name.
    pub name: &'a str,
    /// When the page is made, in seconds since 1970.
    pub now: u64,
    /// When the first and the last test were recorded.
    pub span: Option<(u64, u64)>,
    /// Tests by engine.
    pub tests: &'a [(String, u64)],
    /// What was tested.
    pub targets: &'a [StoredTarget],
    /// All findings.
    pub findings: &'a [Finding],
    /// The bugs in the order in which they are listed.
    pub bugs: &'a [Bug],
    /// Studies by finding.
    pub studies: &'a BTreeMap<i64, Study>,
}

impl Hunt<'_> {
    fn finding(&self, id: i64) -> Option<&Finding> {
        self.findings.iter().find(|found| found.id == id)
    }

    fn study(&self, bug: &Bug) -> Option<&Study> {
        self.studies.get(&bug.representative)
    }

    /// The bugs of the main table, those that are disputed, those that are suppressed.
    fn parts(&self) -> [Vec<&Bug>; 3] {
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        for bug in self.bugs {
            let at = match (&bug.suppressed, bug.standing) {
                (Some(_), _) => 2,
                (None, Standing::Disputed) => 1,
                (None, Standing::Confirmed) => 0,
            };
            parts[at].push(bug);
        }
        parts
    }
}

/// The page.
pub fn page(hunt: &Hunt) -> String {
    let [bugs, disputed, suppressed] = hunt.parts();
    let name = escape(hunt.name);
    let mut text = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Gainsay: {name}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
         <h1>Gainsay <span>{name}</span></h1>\n"
    );
    text += &summary(hunt, &bugs);
    text += &plots(hunt, &bugs);
    let mut section = |title: &str, note: &str, some: &[&Bug]| {
        if !some.is_empty() {
            let note = if note.is_empty() { String::new() } else { format!("<p>{note}</p>\n") };
            let _ = write!(text, "<section>\n<h2>{title}</h2>\n{note}{}", table(hunt, some));
            some.iter().for_each(|bug| text += &details(hunt, bug));
            text += "</section>\n";
        }
    };
    section("Bugs", "", &bugs);
    section(
        "Disputed",
        "Here the program may be to blame, or Gainsay. Not counted above.",
        &disputed,
    );
    section("Suppressed", "Known already. Not counted above.", &suppressed);
    if hunt.bugs.is_empty() {
        text += "<p>Nothing was found.</p>\n";
    }
    let _ = write!(
        text,
        "<footer>Written on {} by <a href=\"https://github.com/gainsay/gainsay\">Gainsay</a> {}.</footer>\n\
         </main>\n</body>\n</html>\n",
        date(hunt.now),
        env!("CARGO_PKG_VERSION")
    );
    text
}

fn summary(hunt: &Hunt, bugs: &[&Bug]) -> String {
    let tests: u64 = hunt.tests.iter().map(|(_, n)| n).sum();
    let findings: usize = bugs.iter().map(|bug| bug.count).sum();
    let wrong = bugs.iter().filter(|bug| bug.kind.is_wrong_code()).count();
    let reduced = bugs.iter().filter(|bug| hunt.study(bug).is_some()).count();
    let fixed = bugs.iter().filter(|bug| bug.state == State::Fixed).count();
    let compilers: BTreeSet<(&str, &str)> =
        hunt.targets.iter().map(|t| (t.compiler.as_str(), t.version.as_str())).collect();
    let numbers = [
        (tests, "tests"),
        (findings as u64, "findings"),
        (bugs.len() as u64, "distinct bugs"),
        (wrong as u64, "of them wrong code"),
        (reduced as u64, "reduced"),
        (fixed as u64, "fixed since"),
        (compilers.len() as u64, "compilers"),
    ];
    let mut text = "<ul class=\"numbers\">\n".to_string();
    for (n, what) in numbers {
        let _ = writeln!(text, "<li><b>{}</b> {what}</li>", count(n));
    }
    text += "</ul>\n";
    if let Some((first, last)) = hunt.span {
        let engines: Vec<String> = hunt
            .tests
            .iter()
            .map(|(name, n)| format!("{} ({})", escape(name), count(*n)))
            .collect();
        let names: Vec<String> = compilers
            .iter()
            .map(|(name, version)| match name.contains(version) {
                true => escape(name),
                false => format!("{} {}", escape(name), escape(version)),
            })
            .collect();
        let when = match date(first) == date(last) {
            true => date(first),
            false => format!("{} to {}", date(first), date(last)),
        };
        let _ = writeln!(
            text,
            "<p class=\"quiet\">{when}; programs of {}; on {}.</p>",
            engines.join(", "),
            names.join(", ")
        );
    }
    text
}

fn plots(hunt: &Hunt, bugs: &[&Bug]) -> String {
    if bugs.is_empty() {
        return String::new();
    }
    let found: BTreeMap<i64, u64> = hunt.findings.iter().map(|f| (f.id, f.found_at)).collect();
    let (begin, end) = hunt.span.unwrap_or_default();
    let since = |ids: &mut dyn Iterator<Item = i64>| -> Vec<u64> {
        let mut all: Vec<u64> =
            ids.filter_map(|id| found.get(&id)).map(|at| at.saturating_sub(begin)).collect();
        all.sort_unstable();
        all
    };
    let findings = since(&mut bugs.iter().flat_map(|bug| bug.ids.iter().copied()));
    let distinct = since(&mut bugs.iter().filter_map(|bug| bug.ids.iter().copied().min()));
    let span = end.saturating_sub(begin);
    let counts: Vec<usize> = bugs.iter().map(|bug| bug.count).collect();
    let mut text = "<div class=\"plots\">\n".to_string();
    text += &plot::growth("Findings over time", &findings, span);
    text += &plot::growth("Distinct bugs over time", &distinct, span);
    text += &plot::bars("Bugs by compiler", &tally(bugs, |bug| compilers(hunt, bug)));
    text += &plot::bars("Bugs by blamed pass", &tally(bugs, |bug| vec![pass(hunt, bug)]));
    text += &plot::ranks("Findings of each bug, by rank", &counts);
    text + "</div>\n"
}

/// How many bugs have each name, most first.
fn tally(bugs: &[&Bug], names: impl Fn(&Bug) -> Vec<String>) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in bugs.iter().flat_map(|bug| names(bug)) {
        *counts.entry(name).or_default() += 1;
    }
    let mut rows: Vec<(String, usize)> = counts.into_iter().collect();
    rows.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    rows
}

/// Names of the compilers that fail, each once.
fn compilers(hunt: &Hunt, bug: &Bug) -> Vec<String> {
    let names: BTreeSet<String> = labels(hunt, bug)
        .iter()
        .map(|label| {
            let known = hunt.targets.iter().find(|target| target.label == *label);
            let first = || label.split(' ').next().unwrap_or_default().to_string();
            known.map_or_else(first, |target| target.compiler.clone())
        })
        .collect();
    names.into_iter().collect()
}

fn labels<'h>(hunt: &'h Hunt, bug: &Bug) -> &'h [String] {
    match (hunt.study(bug), hunt.finding(bug.representative)) {
        (Some(study), _) => &study.targets,
        (None, Some(found)) => &found.finding.targets,
        (None, None) => &[],
    }
}

fn pass(hunt: &Hunt, bug: &Bug) -> String {
    match hunt.study(bug).map(|study| &study.blame.pass) {
        Some(Some(pass)) => pass.clone(),
        Some(None) => "not known".into(),
        None => "not studied".into(),
    }
}

fn table(hunt: &Hunt, bugs: &[&Bug]) -> String {
    let mut text = "<table>\n<thead><tr><th>bug</th><th>count</th><th>kind</th><th>compilers</th>\
                    <th>pass</th><th>versions</th><th>state</th></tr></thead>\n<tbody>\n"
        .to_string();
    for bug in bugs {
        let study = hunt.study(bug);
        let cells = [
            ("kind", badge(bug.kind)),
            ("compilers", escape(&compilers(hunt, bug).join(", "))),
            ("pass", escape(study.and_then(|s| s.blame.pass.as_deref()).unwrap_or("–"))),
            ("versions", escape(&study.map_or_else(|| "–".into(), |s| blame::versions(&s.ladder)))),
            ("state", state(bug)),
        ];
        let _ = write!(
            text,
            "<tr><td data-label=\"bug\"><a href=\"#bug-{id}\">#{id}</a> <span class=\"key\">{}</span></td>\
             <td data-label=\"count\" class=\"n\">{}</td>",
            escape(&one_line(&bug.key)),
            bug.count,
            id = bug.representative,
        );
        for (name, cell) in cells {
            let none = if cell == "–" { " class=\"none\"" } else { "" };
            let _ = write!(text, "<td data-label=\"{name}\"{none}>{cell}</td>");
        }
        text += "</tr>\n";
    }
    text + "</tbody>\n</table>\n"
}

fn badge(kind: Kind) -> String {
    let class = if kind.is_wrong_code() { "wrong" } else { "other" };
    format!("<span class=\"badge {class}\">{}</span>", kind.name())
}

fn state(bug: &Bug) -> String {
    let word = match bug.state {
        State::Open => "open",
        State::Fixed => "fixed",
    };
    match &bug.noted {
        Some(noted) => {
            let (note, date) = (escape(&noted.note), date(noted.at));
            format!("<span title=\"{note}\">{word}, <span class=\"date\">{date}</span></span>")
        }
        None => word.into(),
    }
}

/// All about a bug, folded away. The mark is inside, so that a link to it unfolds.
fn details(hunt: &Hunt, bug: &Bug) -> String {
    let id = bug.representative;
    let Some(found) = hunt.finding(id) else { return String::new() };
    let study = hunt.study(bug);
    let summary = study.map_or(&found.finding.summary, |study| &study.summary);
    let mut text = format!(
        "<details>\n<summary>#{id} {} <span>{}</span></summary>\n<div id=\"bug-{id}\">\n",
        badge(bug.kind),
        escape(&one_line(summary))
    );
    if let Some(reason) = &bug.suppressed {
        let _ = writeln!(text, "<p>Suppressed: {}</p>", escape(reason));
    }
    let commands = study.map_or(&found.finding.commands, |study| &study.commands);
    match study {
        Some(study) => text += &studied(study),
        None => {
            let _ = writeln!(
                text,
                "<p>Not reduced yet: <code>gainsay reduce {id}</code> does that.</p>"
            );
        }
    }
    if let Some(command) = commands.first() {
        let _ = writeln!(text, "<pre class=\"command\">{}</pre>", escape(command));
    }
    let _ = writeln!(
        text,
        "<p class=\"quiet\">Fails: {}. Found on {} by <code>{}</code>{}.</p>\n</div>\n</details>",
        escape(&labels(hunt, bug).join(", ")),
        date(found.found_at),
        escape(&found.finding.origin),
        match bug.count {
            1 => String::new(),
            n => format!(", and {} more times (findings {})", n - 1, numbers(&bug.ids)),
        }
    );
    text
}

/// `1, 2, 3 … 90`.
fn numbers(ids: &[i64]) -> String {
    let text = |ids: &[i64]| ids.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    match ids {
        [start @ .., last] if start.len() > 8 => format!("{} … {last}", text(&start[..8])),
        ids => text(ids),
    }
}

fn studied(study: &Study) -> String {
    let mut text = format!(
        "<p>Reduced from {} tokens to {}. {}</p>\n",
        count(study.tokens.0 as u64),
        count(study.tokens.1 as u64),
        match blame::flags_that_hide(&study.blame) {
            Some(flags) => format!("<code>{}</code> hides it.", escape(&flags)),
            None => String::new(),
        }
    );
    for file in &study.files {
        if file.bytes.len() <= LARGE {
            let source = escape(&String::from_utf8_lossy(&file.bytes));
            let _ = writeln!(text, "<pre><code>{source}</code></pre>");
        }
    }
    if !study.ladder.rungs.is_empty() {
        let head: String =
            study.ladder.levels.iter().map(|l| format!("<th>{}</th>", escape(l))).collect();
        let _ = write!(
            text,
            "<div class=\"wide\"><table class=\"ladder\"><thead><tr><th></th>{head}</tr></thead><tbody>"
        );
        for rung in &study.ladder.rungs {
            let cells: String = rung.cells.iter().map(|cell| ladder_cell(*cell)).collect();
            let name = escape(&format!("{} {}", rung.compiler, rung.version));
            let _ = write!(text, "<tr><th>{name}</th>{cells}</tr>");
        }
        text += "</tbody></table></div>\n";
    }
    text
}

fn ladder_cell(cell: triage::Cell) -> String {
    match cell {
        triage::Cell::Works => "<td>works</td>".into(),
        triage::Cell::Fails => "<td class=\"fails\">fails</td>".into(),
        triage::Cell::Otherwise(kind) => format!("<td class=\"fails\">{}</td>", kind.name()),
        triage::Cell::NotForIt => "<td>–</td>".into(),
    }
}

/// `1,234`.
fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}
