//! The page: a hunt's overview, the list of its bugs, and one finding. Live from a server, or frozen in one
//! file that loads nothing and runs nothing. Everything is text made of data; what comes from outside goes
//! through maud's escaping or [`escape`](crate::text::escape).

mod finding;
mod list;
mod overview;

use std::path::{Path, PathBuf};

use campaign::{Bug, Finding, ListedFinding, Snapshot, StoredTarget, Study};
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub use list::{Filter, ROWS};

use crate::text::date;

/// The style sheet.
pub const STYLE: &str = include_str!("page/style.css");

/// Where Gainsay lives.
const PROJECT_URL: &str = "https://github.com/gainsay/gainsay";

/// A hunt that was sampled less long ago is running, in seconds. Samples come every five.
const ALIVE: u64 = 20;

/// What pages are made of.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The hunt's folder, or any other name.
    pub name: &'a str,
    /// Seconds since 1970.
    pub now: u64,
    /// The hunt.
    pub shot: &'a Snapshot,
}

/// All about one finding.
#[derive(Debug)]
pub struct Detail {
    /// The finding with its files.
    pub found: Finding,
    /// Its study.
    pub study: Option<Study>,
    /// The bug it belongs to.
    pub bug: Option<Bug>,
    /// What was tested.
    pub targets: Vec<StoredTarget>,
    /// The hunt's folder, if it is on this machine.
    pub folder: Option<PathBuf>,
}

impl Detail {
    /// A command on this finding's hunt.
    fn command(&self, words: &str) -> String {
        let folder = self.folder.as_deref().unwrap_or(Path::new(crate::text::DEFAULT_HUNT));
        crate::text::command_on(folder, words)
    }
}

/// Where links lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkStyle {
    /// To pages of a server.
    Live,
    /// Within one file.
    Frozen,
}

impl LinkStyle {
    fn finding(self, id: i64) -> String {
        match self {
            LinkStyle::Live => format!("/finding/{id}"),
            LinkStyle::Frozen => format!("#finding-{id}"),
        }
    }
}

impl<'v> View<'v> {
    /// Whether the hunt is running, as far as its samples tell.
    pub fn is_running(&self) -> bool {
        let last = self.shot.samples.last();
        last.is_some_and(|last| !last.last && self.now < last.at + ALIVE)
    }

    fn listed(&self, bug: &Bug) -> Option<&'v ListedFinding> {
        self.shot.finding(bug.representative)
    }

    /// Labels of the targets that fail.
    fn labels(&self, bug: &Bug) -> &'v [String] {
        self.shot.targets_of(bug)
    }

    fn pass(&self, bug: &Bug) -> Option<&'v str> {
        self.shot.studies.get(&bug.representative)?.pass.as_deref()
    }
}

/// The overview of a server.
pub fn overview(view: &View) -> String {
    let body = html! {
        (overview::status(view))
        (overview::numbers(view))
        (overview::plots(view))
        (overview::newest(view))
        div.columns { (overview::shares(view)) (overview::engines(view)) }
        (overview::targets(view))
    };
    shell("Overview", view.name, "/", body).into_string()
}

/// The list of a server, filtered.
pub fn findings(view: &View, filter: &Filter) -> String {
    shell("Findings", view.name, "/findings", list::page(view, filter)).into_string()
}

/// One finding's page of a server.
pub fn finding(name: &str, detail: &Detail) -> String {
    let title = format!("Finding {}", detail.found.id);
    let body = html! { article.finding data-live="finding" { (finding::article(detail, LinkStyle::Live)) } };
    shell(&title, name, "/finding", body).into_string()
}

/// A page that only says something.
pub fn notice(title: &str, words: &str) -> String {
    let body = html! { h1 { (title) } p { (words) } };
    shell(title, "", "", body).into_string()
}

/// The whole hunt in one file: the overview, the list, and each bug.
pub fn page(view: &View, details: &[Detail]) -> String {
    let body = html! {
        (overview::numbers(view))
        (overview::period(view))
        (overview::plots(view))
        div.columns { (overview::shares(view)) (overview::engines(view)) }
        (overview::targets(view))
        @if view.shot.bugs.is_empty() { p { "Nothing was found." } }
        @for (title, note, bugs) in list::parts(view) {
            @if !bugs.is_empty() {
                section {
                    h2 { (title) }
                    @if !note.is_empty() { p.quiet { (note) } }
                    (list::table(view, &bugs, LinkStyle::Frozen))
                }
            }
        }
        @for detail in details {
            // The mark is inside, so that a link to it unfolds.
            details.finding {
                summary { "#" (detail.found.id) " " (badge(detail.found.finding.kind)) " "
                    span { (crate::text::one_line(&finding::title(detail))) } }
                article id={ "finding-" (detail.found.id) } { (finding::article(detail, LinkStyle::Frozen)) }
            }
        }
        footer { "Written on " (date(view.now)) " by " a href=(PROJECT_URL) { "Gainsay" } " " (env!("CARGO_PKG_VERSION")) "." }
    };
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { "Gainsay: " (view.name) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { h1 { "Gainsay " span.quiet { (view.name) } } (body) } }
        }
    }
    .into_string()
}

/// A page of the server around its contents.
fn shell(title: &str, name: &str, at: &str, body: Markup) -> Markup {
    let here = |path: &str| (path == at).then_some("page");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · Gainsay" @if !name.is_empty() { " · " (name) } }
                link rel="icon" href="/icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="/style.css";
                script src="/script.js" defer {}
            }
            body {
                a.skip href="#main" { "Skip to the contents" }
                header.bar {
                    a.brand href="/" { "Gainsay" }
                    nav aria-label="Pages" {
                        a href="/" aria-current=[here("/")] { "Overview" }
                        a href="/findings" aria-current=[here("/findings")] { "Findings" }
                    }
                    span.where title="The hunt's folder" { (name) }
                    // Both do nothing without the script, which shows them.
                    button #help-button type="button" hidden aria-label="Keys" title="Keys (?)" { "?" }
                    button #theme type="button" hidden aria-label="Light or dark" title="Light or dark" { "◐" }
                }
                main #main { (body) }
                (keys())
                div #told role="status" aria-live="polite" {}
            }
        }
    }
}

fn keys() -> Markup {
    let keys = [
        ("j, k", "next and previous finding"),
        ("Enter", "open it"),
        ("/", "search"),
        ("o, f", "overview, findings"),
        ("c", "copy the command"),
        ("?", "this help"),
        ("Esc", "close it"),
    ];
    html! {
        dialog #help aria-labelledby="help-title" {
            h2 #help-title { "Keys" }
            dl { @for (key, what) in keys { dt { kbd { (key) } } dd { (what) } } }
            form method="dialog" { button { "Close" } }
        }
    }
}

fn badge(kind: oracle::FailureKind) -> Markup {
    let class = if kind.is_wrong_code() { "badge wrong" } else { "badge other" };
    html! { span class=(class) { (kind.name()) } }
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

/// `12 s`, `3 min 20 s`, `5 h 3 min`, `2 d 4 h`.
fn span(seconds: u64) -> String {
    let parts = |a: u64, big: &str, b: u64, small: &str| match b {
        0 => format!("{a} {big}"),
        b => format!("{a} {big} {b} {small}"),
    };
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => parts(seconds / 60, "min", seconds % 60, "s"),
        3600..86_400 => parts(seconds / 3600, "h", seconds / 60 % 60, "min"),
        _ => parts(seconds / 86_400, "d", seconds / 3600 % 24, "h"),
    }
}

/// `37.5 %` of a part from 0 to 1; a dash where there is no whole.
fn percent(part: f64) -> String {
    if part.is_finite() { format!("{:.1} %", part * 100.0) } else { "–".into() }
}

#[cfg(test)]
mod tests;
