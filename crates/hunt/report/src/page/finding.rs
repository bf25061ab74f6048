//! One finding: the program, what is wrong, on which targets, why, and the evidence that the program is valid.

use std::borrow::Cow;
use std::collections::BTreeMap;

use campaign::{BugState, Standing, Study, Title, pass_name};
use finding::Subject;
use maud::{Markup, PreEscaped, html};
use oracle::{Assessment, Certificate, Opinion, SourceFile};
use triage::{Blame, Cell, Ladder};

use super::{Detail, LinkStyle, badge, count, span};
use crate::blame;
use crate::paint::{Dialect, paint};
use crate::text::{date, one_line, plural, printable};

/// A file of more bytes is not shown: the report has it.
const LARGE: usize = 60_000;

/// Lines of an output that are shown.
const LINES: usize = 200;

/// Numbers of other findings of the bug that are shown.
const OTHERS: usize = 40;

/// The line by which people know it.
pub fn title(detail: &Detail) -> String {
    Title::of(&detail.found.finding, detail.study.as_ref()).to_string()
}

/// One line on what is wrong, of the reduced program where there is one.
fn summary(detail: &Detail) -> &str {
    detail.study.as_ref().map_or(&detail.found.finding.summary, |study| &study.summary)
}

/// All of it.
pub fn article(detail: &Detail, home: LinkStyle) -> Markup {
    let Detail { found, study, .. } = detail;
    let finding = &found.finding;
    let subject = study.as_ref().map_or(&finding.subject, |study| &study.subject);
    let certificate = study.as_ref().map_or(&finding.certificate, |study| &study.certificate);
    html! {
        (head(detail, home))
        (command(subject, detail, home))
        (program(detail))
        (outputs(detail))
        (classes(detail))
        @if let Some(study) = study {
            (ladder(&study.ladder))
            (cause(&study.blame, study, detail))
        }
        (validity(certificate, study.is_some(), is_module(detail)))
        (origin(detail, home))
        @if study.is_some() && home == LinkStyle::Live {
            section { h2 { "As it was found" } @for file in &finding.files { (source(file, true)) } }
        }
    }
}

fn head(detail: &Detail, home: LinkStyle) -> Markup {
    let Detail { found, bug, .. } = detail;
    let state = bug.as_ref().map(|bug| match bug.state {
        BugState::Open => "open",
        BugState::Fixed => "fixed",
    });
    html! {
        @if home == LinkStyle::Live {
            h1 { "#" (found.id) " " (badge(found.finding.kind)) " " span.summary { (one_line(&title(detail))) } }
        }
        p { (one_line(summary(detail))) }
        ul.facts {
            li { "found " (date(found.found_at)) " by " b { (found.engine) } }
            @if found.finding.standing == Standing::Disputed {
                li.fails { "disputed: the program may be at fault, or Gainsay" }
            }
            @if found.finding.standing == Standing::Unconfirmed {
                li.fails { "not confirmed: seen when the hunt ended" }
            }
            @if found.finding.standing == Standing::CannotTell {
                li.fails { "cannot tell whether it is a regression: the baseline does not show such failures, or does not take this" }
            }
            @if let Some(told) = found.finding.subject.comparison() { li { (one_line(&told)) } }
            @if let Some(state) = state { li { (state) } }
            @if let Some(bug) = bug {
                @if bug.count > 1 { li { (plural(bug.count, "finding")) " of this bug" } }
                @if let Some(reason) = &bug.suppressed { li { "suppressed: " (one_line(reason)) } }
                @if let Some(noted) = &bug.noted { li { (one_line(&noted.note)) ", " (date(noted.at)) } }
            }
            @if let Some(study) = &detail.study {
                li { "reduced from " (count(study.tokens.0 as u64)) " tokens to " b { (count(study.tokens.1 as u64)) } " in " (span(study.took.as_secs())) }
            }
        }
    }
}

fn command(subject: &Subject, detail: &Detail, home: LinkStyle) -> Markup {
    let id = detail.found.id;
    let reportable = detail.study.is_some() || detail.found.finding.kind.is_of_a_compiler();
    html! {
        section.command {
            h2 { "To reproduce" }
            @if let Some(first) = subject.first_command() {
                div.copy {
                    pre id={ "command-" (id) } tabindex="0" { code { (printable(&first)) } }
                    @if home == LinkStyle::Live {
                        button type="button" hidden data-copy={ "command-" (id) } { "Copy" }
                    }
                }
            }
            @if home == LinkStyle::Live {
                @if reportable { p { a.button href={ "/finding/" (id) "/report.zip" } download { "Download report" }
                    span.quiet { " The test, report.md, reproduce.sh and the original. " code { (detail.command(&format!("report {id} -o DIR"))) } " adds what the compiler says today." } } }
            }
        }
    }
}

fn program(detail: &Detail) -> Markup {
    let (title, files) = match &detail.study {
        Some(study) => ("Reduced program", &study.files),
        None => ("Program", &detail.found.finding.files),
    };
    let title = match is_module(detail) {
        true => title.replace("program", "module").replace("Program", "Module"),
        false => title.into(),
    };
    html! {
        section {
            h2 { (title) }
            @if detail.study.is_none() {
                p.quiet { "Not reduced yet: run " code { (detail.command(&format!("reduce {}", detail.found.id))) } "." }
            }
            @for file in files { (source(file, files.len() > 1 && detail.study.is_none())) }
        }
    }
}

/// Whether it is a module of LLVM's, and no program.
fn is_module(detail: &Detail) -> bool {
    detail.found.finding.subject.is_module()
}

fn source(file: &SourceFile, folded: bool) -> Markup {
    let lines = file.bytes.iter().filter(|b| **b == b'\n').count();
    html! {
        @if file.bytes.len() > LARGE {
            p { code { (one_line(&file.name)) } ": " (count(file.bytes.len() as u64)) " bytes, in the report." }
        } @else if folded {
            details { summary { code { (one_line(&file.name)) } " " span.quiet { (plural(lines, "line")) } } (code(file)) }
        } @else {
            (code(file))
        }
    }
}

fn code(file: &SourceFile) -> Markup {
    let text = String::from_utf8_lossy(&file.bytes);
    html! {
        pre.source tabindex="0" aria-label=(one_line(&file.name)) {
            code { (PreEscaped(paint(&text, Dialect::of(&file.name)))) }
        }
    }
}

/// What it must print and what it prints, and the words of compilers.
fn outputs(detail: &Detail) -> Markup {
    let finding = &detail.found.finding;
    let kept = |name: &str| finding.artifacts.iter().find(|file| file.name == name);
    let (expected, actual) = match &detail.study {
        Some(study) => (
            study.expected().map(|expected| expected.stdout.as_slice()),
            study.evidence.iter().find(|file| file.name == "actual"),
        ),
        None => (
            kept("expected").map(|file| file.bytes.as_slice()),
            failing(detail).map(|(_, file)| file).next(),
        ),
    };
    let says = |file: &SourceFile| {
        html! {
            section { h2 { "What the compiler says" } pre tabindex="0" aria-label="Messages" { (head_of(&file.bytes)) } }
        }
    };
    match (expected, actual) {
        (Some(expected), Some(actual)) if finding.kind.is_wrong_code() => {
            sides(expected, &actual.bytes)
        }
        (_, Some(actual)) => says(actual),
        (Some(expected), None) if finding.kind.is_wrong_code() => html! {
            section { h2 { "Expected" } pre tabindex="0" aria-label="Expected output" { (head_of(expected)) } }
        },
        _ => kept("messages").map_or_else(|| html! {}, says),
    }
}

/// Files that failing targets left, with their labels.
fn failing(detail: &Detail) -> impl Iterator<Item = (String, &SourceFile)> {
    let finding = &detail.found.finding;
    finding.targets().into_iter().filter_map(move |label| {
        let stem = label.replace([' ', '/'], "_");
        let of = |file: &&SourceFile| {
            let end = file.name.strip_prefix(&stem);
            end.is_some_and(|end| end == ".stdout" || end == ".messages")
        };
        let file = finding.artifacts.iter().find(of)?;
        Some((label, file))
    })
}

fn head_of(bytes: &[u8]) -> String {
    printable(&crate::text::head(&String::from_utf8_lossy(bytes), LINES))
}

/// Two outputs side by side; lines that differ are marked.
fn sides(expected: &[u8], actual: &[u8]) -> Markup {
    let (expected, actual) = (String::from_utf8_lossy(expected), String::from_utf8_lossy(actual));
    let (a, b): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let side = |name: &str, own: &[&str], other: &[&str]| {
        html! {
            div {
                h3 { (name) }
                pre tabindex="0" aria-label={ (name) " output" } {
                    @if own.is_empty() { span.quiet { "(nothing)" } }
                    @for (i, line) in own.iter().take(LINES).enumerate() {
                        @if other.get(i) == Some(line) { (printable(line)) } @else { mark { (printable(line)) } }
                        "\n"
                    }
                    @if own.len() > LINES { span.quiet { "… " (plural(own.len() - LINES, "more line")) } }
                }
            }
        }
    };
    html! {
        section { h2 { "Output" } div.sides { (side("Expected", &a, &b)) (side("Actual", &b, &a)) } }
    }
}

/// Targets that did the same, together.
fn classes(detail: &Detail) -> Markup {
    let finding = &detail.found.finding;
    let mut wrong: BTreeMap<Cow<[u8]>, Vec<&str>> = BTreeMap::new();
    let left: BTreeMap<String, &SourceFile> = failing(detail).collect();
    let (fails, right) = (finding.targets(), finding.right());
    for label in &fails {
        let bytes = left.get(label.as_str()).map_or(&b""[..], |file| &file.bytes);
        // Messages name temporary files; what was printed does not.
        let is_output = left.get(label.as_str()).is_some_and(|file| file.name.ends_with(".stdout"));
        let key = if is_output { Cow::from(bytes) } else { Cow::from(&b""[..]) };
        wrong.entry(key).or_default().push(label);
    }
    let many = wrong.len() > 1;
    let labels = |all: &mut dyn Iterator<Item = &str>| html! { ul.labels { @for label in all { li { code { (one_line(label)) } } } } };
    html! {
        section {
            h2 { "Targets" }
            div.classes {
                @for (i, all) in wrong.values().enumerate() {
                    div.class.fails-class { h3 { "Fails" @if many { ", class " (i + 1) } } (labels(&mut all.iter().copied())) }
                }
                div.class { h3 { "Right" }
                    @if right.is_empty() { p.quiet { "none" } }
                    (labels(&mut right.iter().map(String::as_str)))
                }
            }
            @if let Some(study) = &detail.study {
                details { summary { "On the reduced program" }
                    div.classes {
                        div.class.fails-class { h3 { "Fails" } (labels(&mut study.targets().iter().map(String::as_str))) }
                        div.class { h3 { "Right" } (labels(&mut study.right().iter().map(String::as_str))) }
                    }
                }
            }
        }
    }
}

fn ladder(ladder: &Ladder) -> Markup {
    let cell = |cell: &Cell| match cell {
        Cell::Works => html! { td { "works" } },
        Cell::Fails => html! { td.fails { "fails" } },
        Cell::Otherwise(kind) => html! { td.fails { (kind.name()) } },
        Cell::Unsupported => html! { td.quiet { "unsupported" } },
        Cell::CannotTell => html! { td.quiet { "cannot tell" } },
    };
    html! {
        @if !ladder.rungs.is_empty() {
            section {
                h2 { "Versions" }
                p { (blame::history(ladder)) }
                div.scroll tabindex="0" role="region" aria-label="Versions" { table.ladder {
                    thead { tr { th scope="col" { "compiler" } @for level in &ladder.levels { th scope="col" { code { (one_line(level)) } } } } }
                    tbody { @for rung in blame::by_compiler(ladder) {
                        tr { th scope="row" { (rung.compiler) " " span.quiet { (rung.version) } } @for one in &rung.cells { (cell(one)) } }
                    } }
                } }
            }
        }
    }
}

fn cause(blame: &Blame, study: &Study, detail: &Detail) -> Markup {
    let before = study.evidence.iter().find(|file| file.name.starts_with("before"));
    let after = study.evidence.iter().find(|file| file.name.starts_with("after"));
    let kept = |name: &str| detail.found.finding.artifacts.iter().find(|file| file.name == name);
    let (before, after) = match kept("after.ll") {
        // What LLVM made of a module that is wrong to a checker of refinement.
        Some(refined) if before.is_none() => (study.files.first(), Some(refined)),
        _ => (before, after),
    };
    let nothing = blame.pass.is_none() && blame.culprits.is_empty() && blame.limits.is_empty();
    if nothing && before.is_none() && after.is_none() {
        return html! {};
    }
    html! {
        section {
            h2 { (blame::heading(blame)) }
            @match &blame.pass {
                Some(pass) => p { "Most likely at fault: " b { code { (one_line(&pass_name(pass))) } } },
                None => {}
            }
            ul {
                @for culprit in &blame.culprits { li { (blame::sentence_plain(culprit)) } }
                @for limit in &blame.limits { li.quiet { (one_line(limit)) } }
            }
            @if before.is_some() || after.is_some() {
                div.sides {
                    @for (name, file) in [("Before the pass", before), ("After the pass", after)] {
                        @if let Some(file) = file { div { h3 { (name) " " span.quiet { (one_line(&file.name)) } } (code(file)) } }
                    }
                }
            }
        }
    }
}

fn validity(certificate: &Certificate, reduced: bool, module: bool) -> Markup {
    let says = |opinion: &Opinion| match &opinion.says {
        Assessment::Valid => ("good", "valid, with the expected result".to_string()),
        Assessment::Undefined(what) => ("bad", format!("undefined: {what}")),
        Assessment::Differs(what) => ("bad", format!("no report, but a different result: {what}")),
        Assessment::NoAlarm => ("good", "no alarm".into()),
        Assessment::Alarm(what) => ("quiet", format!("an alarm, possibly false: {what}")),
        Assessment::Silent(why) => ("quiet", format!("no answer: {why}")),
    };
    html! {
        section {
            h2 { "Evidence that the " @if reduced { "reduced " } @if module { "module" } @else { "program" } " is valid" }
            @if certificate.opinions.is_empty() { p.quiet { "No tool was asked." } }
            ul.opinions {
                @for opinion in &certificate.opinions {
                    @let (class, words) = says(opinion);
                    li { b { (one_line(&opinion.tool)) } ": " span class=(class) { (one_line(&words)) }
                        @if !opinion.command.is_empty() { br; code { (one_line(&opinion.command)) } } }
                }
            }
        }
    }
}

fn origin(detail: &Detail, home: LinkStyle) -> Markup {
    let found = &detail.found;
    let others: Vec<i64> =
        detail.bug.iter().flat_map(|bug| &bug.ids).copied().filter(|id| *id != found.id).collect();
    html! {
        section {
            h2 { "Origin" }
            pre.wrap tabindex="0" aria-label="Origin" { (printable(&found.finding.origin)) }
            p.quiet { "Engine " (found.engine) ", seed " (found.seed) ". Known by " code { (one_line(detail.bug.as_ref().map_or(&found.finding.signature, |bug| &bug.key))) } }
            @if !others.is_empty() {
                h3 { "Other findings of this bug" }
                p.ids {
                    @for id in others.iter().take(OTHERS) {
                        @if home == LinkStyle::Live { a href=(home.finding(*id)) { "#" (id) } } @else { "#" (id) } " "
                    }
                    @if others.len() > OTHERS { span.quiet { "and " (count((others.len() - OTHERS) as u64)) " more" } }
                }
            }
        }
    }
}
