//! The list of bugs, and its filter.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use campaign::{Bug, BugCount, BugState, Standing};
use maud::{Markup, html};

use super::{LinkStyle, View, badge, count};
use crate::blame;
use crate::text::{date, one_line, plural};

/// Bugs on one page.
pub const ROWS: usize = 50;

/// Which bugs are wanted; what is empty does not matter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The name of a kind.
    pub kind: String,
    /// The name of a compiler.
    pub target: String,
    /// The blamed pass.
    pub pass: String,
    /// An engine that found it.
    pub engine: String,
    /// `open`, `fixed`, `not attributed`, `not confirmed`, `disputed` or `suppressed`.
    pub status: String,
    /// Words that its number, summary, key, signature or targets contain, whatever their case.
    pub text: String,
    /// The page, from 1.
    pub page: usize,
}

/// The compilers of labels. A compiler's name may have blanks: the store knows them.
pub struct TargetNames<'v> {
    levels: HashMap<&'v str, &'v str>,
    compilers: BTreeSet<&'v str>,
}

impl<'v> TargetNames<'v> {
    /// Of the targets of a hunt.
    pub fn new(view: &View<'v>) -> TargetNames<'v> {
        let targets = &view.shot.targets;
        TargetNames {
            levels: targets.iter().map(|t| (t.label.as_str(), t.compiler.as_str())).collect(),
            compilers: targets.iter().map(|t| t.compiler.as_str()).collect(),
        }
    }

    /// The compiler of a label.
    pub fn compiler<'a>(&self, label: &'a str) -> &'a str {
        let known = |name: &&&str| {
            label.strip_prefix(**name).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let length = match self.levels.get(label) {
            Some(name) if label.starts_with(name) => name.len(),
            _ => match self.compilers.iter().filter(known).map(|name| name.len()).max() {
                Some(length) => length,
                None => label.find(' ').unwrap_or(label.len()),
            },
        };
        &label[..length]
    }

    /// The compilers of labels, each once.
    pub fn compilers<'a>(&self, labels: &'a [String]) -> BTreeSet<&'a str> {
        labels.iter().map(|label| self.compiler(label)).collect()
    }

    /// Whether it is one of a compiler's own levels, and no flags that were drawn.
    pub fn is_level(&self, label: &str) -> bool {
        self.levels.contains_key(label)
    }
}

/// What a bug is filtered by.
struct Facets<'v> {
    bug: &'v Bug,
    compilers: BTreeSet<&'v str>,
    engines: BTreeSet<&'v str>,
    pass: &'v str,
}

fn facets<'v>(view: &View<'v>) -> Vec<Facets<'v>> {
    let names = TargetNames::new(view);
    let of = |bug: &'v Bug| Facets {
        bug,
        compilers: names.compilers(view.labels(bug)),
        engines: bug
            .ids
            .iter()
            .filter_map(|id| view.shot.finding(*id))
            .map(|f| f.engine.as_str())
            .collect(),
        pass: view.pass(bug).unwrap_or_default(),
    };
    view.shot.bugs.iter().map(of).collect()
}

/// What is said of a bug's state, in a word.
fn status(bug: &Bug) -> &'static str {
    match (&bug.suppressed, bug.standing, bug.state) {
        (Some(_), ..) => "suppressed",
        (None, Standing::Disputed, _) => "disputed",
        (None, Standing::Unconfirmed, _) => "not confirmed",
        (None, Standing::CannotTell, _) => "cannot tell",
        (None, Standing::Confirmed, _) if !bug.attributed => "not attributed",
        (None, Standing::Confirmed, BugState::Fixed) => "fixed",
        (None, Standing::Confirmed, BugState::Open) => "open",
    }
}

impl Filter {
    fn fits(&self, view: &View, one: &Facets) -> bool {
        let is = |wanted: &str, got: &str| wanted.is_empty() || wanted == got;
        let among = |wanted: &str, all: &BTreeSet<&str>| wanted.is_empty() || all.contains(wanted);
        is(&self.kind, one.bug.kind.name())
            && is(&self.pass, one.pass)
            && is(&self.status, status(one.bug))
            && among(&self.target, &one.compilers)
            && among(&self.engine, &one.engines)
            && self.mentions(view, one.bug)
    }

    /// Whether every word stands somewhere.
    fn mentions(&self, view: &View, bug: &Bug) -> bool {
        if self.text.trim().is_empty() {
            return true;
        }
        let mut all = format!("#{} {} {}", bug.representative, bug.key, view.shot.title(bug));
        if let Some(found) = view.listed(bug) {
            all += &format!(" {} {} {}", found.summary, found.signature, found.targets.join(" "));
        }
        // Compilers speak ASCII, and this is asked of every bug at each key.
        all.make_ascii_lowercase();
        self.text.to_ascii_lowercase().split_whitespace().all(|word| all.contains(word))
    }

    /// The query of another page of the same list.
    fn query(&self, page: usize) -> String {
        let fields = [
            ("q", &self.text),
            ("kind", &self.kind),
            ("target", &self.target),
            ("pass", &self.pass),
            ("engine", &self.engine),
            ("status", &self.status),
        ];
        let mut query = String::from("/findings?");
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_empty()) {
            query += &format!("{name}={}&", encode(value));
        }
        format!("{query}page={page}")
    }
}

/// A value in a query.
fn encode(value: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    value
        .bytes()
        .map(|b| if plain(b) { (b as char).to_string() } else { format!("%{b:02X}") })
        .collect()
}

/// The list with its form.
pub fn page(view: &View, filter: &Filter) -> Markup {
    let all = facets(view);
    let fitting: Vec<&Bug> =
        all.iter().filter(|one| filter.fits(view, one)).map(|one| one.bug).collect();
    let pages = fitting.len().div_ceil(ROWS).max(1);
    let page = filter.page.clamp(1, pages);
    let shown: Vec<&Bug> = fitting.iter().copied().skip((page - 1) * ROWS).take(ROWS).collect();
    let findings: usize = fitting.iter().map(|bug| bug.count).sum();
    let sum = BugCount::of(fitting.iter().copied());
    html! {
        h1.visually-hidden { "Findings" }
        (form(filter, &all))
        div data-live="list" {
            p #sum.quiet {
                (sum) " (" (plural(findings, "finding")) " in " (plural(fitting.len(), "row"))
                @if fitting.len() < all.len() { " of " (all.len()) } ")"
            }
            @if shown.is_empty() {
                p { @if all.is_empty() { "Nothing was found yet." } @else { "Nothing fits. " a href="/findings" { "Show all" } } }
            } @else {
                (table(view, &shown, LinkStyle::Live))
            }
            @if pages > 1 {
                nav.pages aria-label="More findings" {
                    @if page > 1 { a rel="prev" href=(filter.query(page - 1)) { "← previous page" } }
                    span { "page " (page) " of " (pages) }
                    @if page < pages { a rel="next" href=(filter.query(page + 1)) { "next page →" } }
                }
            }
        }
    }
}

fn form(filter: &Filter, all: &[Facets]) -> Markup {
    let mut kinds = BTreeMap::new();
    let (mut targets, mut passes) = (BTreeMap::new(), BTreeMap::new());
    let (mut engines, mut states) = (BTreeMap::new(), BTreeMap::new());
    for one in all {
        *kinds.entry(one.bug.kind.name()).or_insert(0) += 1;
        *states.entry(status(one.bug)).or_insert(0) += 1;
        one.compilers.iter().for_each(|name| *targets.entry(*name).or_insert(0) += 1);
        one.engines.iter().for_each(|name| *engines.entry(*name).or_insert(0) += 1);
        if !one.pass.is_empty() {
            *passes.entry(one.pass).or_insert(0) += 1;
        }
    }
    let choices = [
        ("kind", &filter.kind, kinds),
        ("target", &filter.target, targets),
        ("pass", &filter.pass, passes),
        ("engine", &filter.engine, engines),
        ("status", &filter.status, states),
    ];
    html! {
        form.filter #filter action="/findings" role="search" aria-label="Filter findings" {
            label.search { span { "search" } input #search type="search" name="q" value=(filter.text) placeholder="words, #12, -O2 …"; }
            @for (name, wanted, options) in choices { (select(name, wanted, &options)) }
            button type="submit" { "Filter" }
            @if *filter != (Filter { page: filter.page, ..Filter::default() }) { a.clear href="/findings" { "Clear" } }
        }
    }
}

fn select(name: &str, wanted: &str, options: &BTreeMap<&str, u64>) -> Markup {
    html! {
        label { span { (name) }
            select name=(name) {
                option value="" { "any" }
                // What is asked for is shown even where nothing has it any more.
                @if !wanted.is_empty() && !options.contains_key(wanted) { option value=(wanted) selected { (wanted) " (0)" } }
                @for (option, n) in options {
                    option value=(option) selected[*option == wanted] { (one_line(option)) " (" (count(*n)) ")" }
                }
            }
        }
    }
}

/// Bugs of a frozen page: those that count first.
pub fn parts<'v>(view: &View<'v>) -> [(&'static str, &'static str, Vec<&'v Bug>); 5] {
    let of = |states: &[&str]| {
        view.shot.bugs.iter().filter(|bug| states.contains(&status(bug))).collect::<Vec<_>>()
    };
    let doubt = "The program may be at fault, or Gainsay. Not counted above.";
    let any = "Each may show one of the bugs above, or another: a study says which.";
    [
        ("Bugs", "", of(&["open", "fixed"])),
        ("Not yet attributed", any, of(&["not attributed"])),
        ("Not confirmed", "Seen once. Not counted above.", of(&["not confirmed"])),
        ("Disputed", doubt, of(&["disputed"])),
        ("Suppressed", "Known bugs. Not counted above.", of(&["suppressed"])),
    ]
}

/// A row for each bug.
pub fn table(view: &View, bugs: &[&Bug], home: LinkStyle) -> Markup {
    let names = TargetNames::new(view);
    html! {
        table.list {
            thead { tr {
                th scope="col" { "bug" } th.n scope="col" title="Findings that are likely to be this bug" { "count" }
                th scope="col" { "kind" } th scope="col" { "title" } th scope="col" { "compilers" }
                th scope="col" { "pass" } th scope="col" { "versions" } th scope="col" { "state" }
            } }
            tbody { @for bug in bugs { (row(view, bug, &names, home)) } }
        }
    }
}

fn row(view: &View, bug: &Bug, names: &TargetNames, home: LinkStyle) -> Markup {
    let compilers = names.compilers(view.labels(bug)).into_iter().collect::<Vec<_>>().join(", ");
    let study = view.shot.studies.get(&bug.representative);
    let versions = study.map(|study| blame::versions(&study.ladder)).unwrap_or_default();
    let cell = |name: &str, text: &str| {
        html! { td data-label=(name) class=[text.is_empty().then_some("none")] { @if text.is_empty() { "–" } @else { (one_line(text)) } } }
    };
    html! {
        tr {
            td data-label="bug" { a href=(home.finding(bug.representative)) { "#" (bug.representative) } }
            td.n data-label="count" { "×" (count(bug.count as u64)) }
            td data-label="kind" { (badge(bug.kind)) }
            td.what data-label="title" { (one_line(view.shot.title(bug))) }
            (cell("compilers", &compilers))
            (cell("pass", view.pass(bug).unwrap_or_default()))
            (cell("versions", &versions))
            td data-label="state" {
                @match &bug.noted {
                    Some(noted) => span title=(one_line(&noted.note)) { (status(bug)) ", " span.date { (date(noted.at)) } },
                    None => (status(bug)),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_hold_whatever_is_asked() {
        let filter = Filter { text: "a&b=\"<é>".into(), kind: "x".into(), ..Filter::default() };
        assert_eq!(filter.query(2), "/findings?q=a%26b%3D%22%3C%C3%A9%3E&kind=x&page=2");
    }
}
