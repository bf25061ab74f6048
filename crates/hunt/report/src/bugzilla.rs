//! `report.txt`: a bug for GCC's Bugzilla.
//!
//! The rules are those of <https://gcc.gnu.org/bugs/> ("What we need", "What we do not want", "Detailed bug reporting
//! instructions") and of <https://gcc.gnu.org/bugs/management.html>:
//!
//! - the exact version, the system type, how GCC was configured (all from `gcc -v`, as it says it), the complete
//!   command line, the compiler's output, and the preprocessed file; a file that includes nothing needs no preprocessing;
//! - a file on its own: no archive, no snippet with an ellipsis, no assembler file, no URL of the source;
//! - before wrong code is reported, `-Wall -Wextra`, and `-fno-strict-aliasing -fwrapv
//!   -fno-aggressive-loop-optimizations`, which must not make a difference;
//! - a compiler of a distribution is reported to the distribution, unless GNU's own does the same;
//! - the versions known to work and to fail have fields of their own.
//!
//! Components are those of <https://gcc.gnu.org/bugzilla/describecomponents.cgi?product=gcc>. Bugzilla shows a comment as
//! plain text, 80 columns wide: there is no markup in it. `tests/rules.rs` checks texts against all this.

use std::fmt::Write;

use oracle::FailureKind;
use toolchain::Language;
use triage::{Cell, Ladder, Method, Rung};

use crate::blame::{self, Whose};
use crate::markdown::{LINES, vouches};
use crate::sentences::{self, Inline};
use crate::test::{SuspectFlags, Test};
use crate::text::{one_line, plural, printable, wrap, wrap_below};

/// Columns of prose; Bugzilla wraps at 80.
pub const COLUMNS: usize = 78;

/// A part of GCC as its tracker names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// The front end of C.
    C,
    /// The front end of C++.
    Cxx,
    /// Optimisation over functions.
    Ipa,
    /// Link-time optimisation.
    Lto,
    /// What is neither a front end nor one of the parts below.
    MiddleEnd,
    /// Passes on RTL.
    RtlOptimization,
    /// `-fsanitize`.
    Sanitizer,
    /// One machine's part.
    Target,
    /// Passes on GIMPLE.
    TreeOptimization,
}

impl Component {
    /// As the tracker spells it.
    pub fn name(self) -> &'static str {
        match self {
            Component::C => "c",
            Component::Cxx => "c++",
            Component::Ipa => "ipa",
            Component::Lto => "lto",
            Component::MiddleEnd => "middle-end",
            Component::RtlOptimization => "rtl-optimization",
            Component::Sanitizer => "sanitizer",
            Component::Target => "target",
            Component::TreeOptimization => "tree-optimization",
        }
    }
}

/// The component that a bug most likely belongs to, and what makes one think so.
pub fn component(test: &Test) -> (Component, String) {
    if test.kind() == FailureKind::Rejection {
        let front = match test.language {
            Language::C => Component::C,
            Language::Cxx => Component::Cxx,
        };
        return (front, "a valid program is rejected".into());
    }
    let of_sanitizers =
        [FailureKind::SanitizerMiss, FailureKind::SanitizerFalseAlarm, FailureKind::Disagreement];
    if of_sanitizers.contains(&test.kind()) {
        return (Component::Sanitizer, "a sanitizer is wrong about it".into());
    }
    let stories = test.study.map(|study| blame::stories(&study.ladder)).unwrap_or_default();
    if let Some(Whose::Target(native)) = blame::whose(&stories) {
        return (Component::Target, format!("the native {native} does not fail"));
    }
    if test.flags.iter().any(|flag| flag.starts_with("-flto")) {
        return (Component::Lto, "it fails with -flto".into());
    }
    by_pass(test)
        .or_else(|| by_place(test))
        .unwrap_or((Component::MiddleEnd, "no pass is known to be at fault".into()))
}

/// By the pass that was switched off, or that the crash names.
fn by_pass(test: &Test) -> Option<(Component, String)> {
    let kinds = [
        ("tree", "GIMPLE", Component::TreeOptimization),
        ("rtl", "RTL", Component::RtlOptimization),
        ("ipa", "IPA", Component::Ipa),
    ];
    let culprits = test.study.map(|study| &study.blame.culprits[..]).unwrap_or_default();
    let disabled = culprits.iter().filter(|culprit| culprit.method == Method::DisabledPass);
    for flag in disabled.flat_map(|culprit| &culprit.hides) {
        for (prefix, language, component) in kinds {
            if flag.starts_with(&format!("-fdisable-{prefix}-")) {
                return Some((component, format!("{flag} hides it, a pass on {language}")));
            }
        }
    }
    let (_, said) = sentences::actual(test);
    let said = said.filter(|_| test.kind() == FailureKind::CompilerCrash)?;
    let during =
        said.lines().find(|line| line.starts_with("during ") && line.contains(" pass: "))?;
    let (.., component) = kinds.into_iter().find(|(_, language, _)| during.contains(language))?;
    Some((component, format!("GCC says \"{}\"", one_line(during))))
}

/// By the file of GCC's source that a crash names.
fn by_place(test: &Test) -> Option<(Component, String)> {
    let summary = test.summary();
    let (_, place) = summary.rsplit_once(", at ")?;
    let file = place.split(':').next()?;
    let component = match file {
        _ if file.contains("config/") || file == "recog.cc" || file == "recog.c" => {
            Component::Target
        }
        _ if file.starts_with("cp/") => Component::Cxx,
        _ if file.starts_with("c/") || file.starts_with("c-family/") => Component::C,
        _ if file.starts_with("tree-ssa") || file.starts_with("tree-vect") => {
            Component::TreeOptimization
        }
        _ => Component::MiddleEnd,
    };
    Some((component, format!("the crash is in {file}")))
}

/// Keywords of GCC's tracker.
pub fn keywords(test: &Test) -> Vec<&'static str> {
    // `tree check`, `verify_gimple failed`: a release may go on where such a check fails.
    const CHECKS: [&str; 4] = [" check: ", "verify_", "verification failed", "RTL flag check"];
    let mut keywords = match test.kind() {
        FailureKind::WrongOutput
        | FailureKind::RuntimeCrash
        | FailureKind::RuntimeHang
        | FailureKind::Miscompilation => vec!["wrong-code"],
        FailureKind::CompilerCrash if CHECKS.iter().any(|words| test.summary().contains(words)) => {
            vec!["ice-checking", "ice-on-valid-code"]
        }
        FailureKind::CompilerCrash => vec!["ice-on-valid-code"],
        FailureKind::CompilerHang => vec!["compile-time-hog"],
        FailureKind::CompilerMemory => vec!["memory-hog"],
        FailureKind::Rejection => vec!["rejects-valid"],
        FailureKind::InvalidIr
        | FailureKind::SanitizerFalseAlarm
        | FailureKind::SanitizerMiss
        | FailureKind::Disagreement => vec![],
    };
    if test.flags.iter().any(|flag| flag.starts_with("-flto")) {
        keywords.push("lto");
    }
    keywords
}

/// The report: what goes into the fields of the form, and the description.
pub fn bugzilla(test: &Test) -> String {
    let title = one_line(&test.title().to_string());
    let mut text =
        String::from("For the form at https://gcc.gnu.org/bugzilla/enter_bug.cgi?product=gcc\n\n");
    let (component, why) = component(test);
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            text += &wrap_below(&format!("{:16}", format!("{name}:")), value, COLUMNS);
        }
    };
    field("Component", &format!("{} (a guess: {why})", component.name()));
    field("Version", &test.version);
    field("Summary", &title);
    field("Keywords", &keywords(test).join(", "));
    for (name, value) in machines(test) {
        field(name, &value);
    }
    if let Some(ladder) = test.study.map(|study| &study.ladder) {
        let (works, fails) = known(ladder);
        field("Known to work", &works);
        field("Known to fail", &fails);
    }
    field("Attachments", &attachments(test));
    text += &before_sending(test);
    let _ = write!(text, "\n{}\nDescription\n\n{}", "-".repeat(COLUMNS), description(test));
    text
}

/// Host, target and build, as `gcc -v` says them.
fn machines(test: &Test) -> Vec<(&'static str, String)> {
    let verbose = test.today.verbose.as_deref().unwrap_or_default();
    let configured = verbose.lines().find(|line| line.starts_with("Configured with:"));
    let told = |option: &str| {
        let word = configured?.split_whitespace().find_map(|word| word.strip_prefix(option))?;
        Some(word.to_string())
    };
    let target = told("--target=").unwrap_or_else(|| test.triple.clone());
    let all = [
        ("Host", told("--host=").unwrap_or_default()),
        ("Target", target),
        ("Build", told("--build=").unwrap_or_default()),
    ];
    all.into_iter().filter(|(_, machine)| !machine.is_empty()).collect()
}

/// Versions of the failing compiler that are right, and that fail.
fn known(ladder: &Ladder) -> (String, String) {
    let list = |rungs: &[&Rung]| {
        rungs.iter().map(|rung| rung.version.as_str()).collect::<Vec<_>>().join(", ")
    };
    match blame::stories(ladder).first() {
        Some(story) => (list(&story.works), list(&story.fails)),
        None => Default::default(),
    }
}

fn attachments(test: &Test) -> String {
    match test.today.preprocessed {
        Some(_) => "test.i (preprocessed), as a file of its own and not in an archive".into(),
        None => {
            let names: Vec<&str> = test.files.iter().map(|file| file.name.as_str()).collect();
            match &names[..] {
                [one] => format!("{one}, as a file of its own and not in an archive"),
                all => format!("{}, as files of their own and not in an archive", all.join(", ")),
            }
        }
    }
}

/// What GCC's maintainers ask reporters to do, and Gainsay has not done.
fn before_sending(test: &Test) -> String {
    let mut all: Vec<String> = Vec::new();
    if let Some((mark, why)) = sentences::doubt(test) {
        all.push(format!("{}: {why}", mark.to_uppercase()));
    }
    if test.study.is_none() {
        let id = test.found.id;
        all.push(format!("The program is not reduced: run gainsay reduce {id} first."));
    }
    all.extend(sentences::fixed(test));
    if test.today.suspects.as_ref().is_some_and(|suspects| !suspects.still_wrong) {
        all.push(format!(
            "With {} the result is right: GCC's maintainers take that for a sign that the program is at fault.",
            SuspectFlags::LENIENT.join(" ")
        ));
    }
    all.push("Search the tracker for the same bug: that was not done.".into());
    if let Some(vendor) = vendor(test) {
        all.push(format!(
            "This compiler is a build of {vendor}: GCC takes bugs of its own releases and snapshots. \
             ./reproduce.sh COMPILER says whether one of these has the bug."
        ));
    } else {
        all.push(
            "Try the development branch: ./reproduce.sh COMPILER says whether it has the bug."
                .into(),
        );
    }
    if test.today.preprocessed.is_none() && includes(test) {
        all.push("The source includes headers and could not be preprocessed here: add -save-temps to the command and attach the .i file.".into());
    }
    if test.today.verbose.is_none() {
        all.push("Add the output of gcc -v: the compiler was not here to be asked.".into());
    }
    let items: String = all.iter().map(|item| wrap_below("- ", item, COLUMNS)).collect();
    format!("\nBefore you send it:\n\n{items}")
}

/// Who built the compiler, if it was not GNU: `Debian 12.2.0-14` of `gcc version 12.2.0 (Debian 12.2.0-14)`.
fn vendor<'t>(test: &'t Test) -> Option<&'t str> {
    let verbose = test.today.verbose.as_deref()?;
    let line = verbose.lines().find(|line| line.starts_with("gcc version "))?;
    let (_, vendor) = line.split_once('(')?;
    Some(vendor.trim_end().trim_end_matches(')')).filter(|vendor| *vendor != "GCC")
}

fn includes(test: &Test) -> bool {
    let is_include = |line: &str| line.trim_start().starts_with("#include");
    test.files.iter().any(|f| String::from_utf8_lossy(&f.bytes).lines().any(is_include))
}

/// What stands in the first comment.
fn description(test: &Test) -> String {
    let prose = |text: &str| wrap(text, COLUMNS) + "\n";
    let mut text = prose(&sentences::statement(test, Inline::Plain));
    text += &format!("\n{}", source(test));
    text += "\nCommand:\n\n";
    for command in test.commands() {
        let _ = writeln!(text, "$ {command}");
    }
    let _ = write!(text, "\n{}\n", sentences::expectation(test));
    if let Some(printed) = sentences::expected_output(test) {
        let _ = write!(text, "\n{}", verbatim(&printed));
    }
    let (words, got) = sentences::actual(test);
    text += &match got {
        Some(got) => {
            format!("\n{}\n{}", prose(&format!("Observed{words}:")), verbatim(&got))
        }
        None => format!("\n{}", prose(&format!("Observed: {}.", one_line(&test.summary())))),
    };
    text += &versions(test);
    text += &cause(test);
    text += &format!("\n{}:\n\n{}", vouches(test), validity(test));
    if let Some(verbose) = &test.today.verbose {
        let _ = write!(text, "\n$ {} -v\n{}", test.recipe.compiler.join(" "), verbatim(verbose));
    }
    if let Some(system) = &test.today.system {
        let _ = write!(text, "\nSystem: {}\n", one_line(system));
    }
    text + "\n" + &prose(&sentences::found(test))
}

/// The source: all of it, or where it is. A part of it would not show the bug.
fn source(test: &Test) -> String {
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().count();
    let sum: usize = test.files.iter().map(|file| lines(&file.bytes)).sum();
    if sum > LINES {
        return wrap(&format!("The source is attached: {}.", plural(sum, "line")), COLUMNS) + "\n";
    }
    let one = |file: &oracle::SourceFile| {
        format!("{}:\n\n{}", file.name, verbatim(&String::from_utf8_lossy(&file.bytes)))
    };
    test.files.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// Text as it is, with a newline at its end.
fn verbatim(text: &str) -> String {
    let text = printable(text);
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}")
}

/// Who fails at what, a line each.
fn versions(test: &Test) -> String {
    let mut text = String::new();
    if let Some(ladder) = test.study.map(|study| &study.ladder).filter(|l| !l.rungs.is_empty()) {
        text += &format!("\nVersions:\n\n{}\n\n", wrap(&blame::history(ladder), COLUMNS));
        for rung in blame::by_compiler(ladder) {
            let name = format!("- {} ({}): ", one_line(&rung.compiler), one_line(&rung.version));
            text += &wrap_below("- ", &format!("{}{}", &name[2..], cells(ladder, rung)), COLUMNS);
        }
    }
    let rows = blame::other_targets(test);
    if !rows.is_empty() {
        text += "\nTargets:\n\n";
    }
    for row in rows {
        let list = |word: &str, flags: &[String]| match flags {
            [] => None,
            flags => Some(format!("{word} at {}", flags.join(", "))),
        };
        let says = [list("fails", &row.fails), list("works", &row.works)];
        let says = says.into_iter().flatten().collect::<Vec<_>>().join("; ");
        let machine = match row.triple.is_empty() {
            true => String::new(),
            false => format!(" for {}", row.triple),
        };
        text += &wrap_below(
            "- ",
            &format!("{} ({}){machine}: {says}", row.compiler, row.version),
            COLUMNS,
        );
    }
    text
}

/// `fails at -O2, -O3; works at -O0`.
fn cells(ladder: &Ladder, rung: &Rung) -> String {
    let at = |wanted: &dyn Fn(Cell) -> bool| -> Vec<&str> {
        let levels = ladder.levels.iter().zip(&rung.cells);
        levels.filter(|(_, cell)| wanted(**cell)).map(|(level, _)| level.as_str()).collect()
    };
    let kinds: [(&str, &dyn Fn(Cell) -> bool); 4] = [
        ("fails", &|cell| cell == Cell::Fails),
        ("fails in another way", &|cell| matches!(cell, Cell::Otherwise(_))),
        ("works", &|cell| cell == Cell::Works),
        ("cannot tell", &|cell| cell == Cell::CannotTell),
    ];
    let told = kinds.iter().filter_map(|(word, wanted)| match &at(*wanted)[..] {
        [] => None,
        levels => Some(format!("{word} at {}", levels.join(", "))),
    });
    match told.collect::<Vec<_>>() {
        told if told.is_empty() => "unsupported".into(),
        told => told.join("; "),
    }
}

fn cause(test: &Test) -> String {
    let Some(blame) = test.study.map(|study| &study.blame) else { return String::new() };
    let mut told: Vec<String> = Vec::new();
    told.extend(blame.culprits.iter().map(blame::sentence_plain));
    if told.is_empty() {
        told.extend(blame.pass.as_deref().map(|pass| format!("most likely at fault: {pass}")));
    }
    match told.is_empty() {
        true => String::new(),
        false => {
            let items: String = told.iter().map(|item| wrap_below("- ", item, COLUMNS)).collect();
            format!("\nCause, as far as it is known:\n\n{items}")
        }
    }
}

fn validity(test: &Test) -> String {
    let mut text = String::new();
    for one in sentences::telling(test) {
        text += &wrap_below("- ", &sentences::says(one, Inline::Plain), COLUMNS);
        if !one.command.is_empty() {
            let _ = writeln!(text, "  $ {}", one_line(&test.renamed(&one.command)));
        }
    }
    let mut items: Vec<String> = Vec::new();
    if let Some(suspects) = &test.today.suspects {
        items.push(match suspects.warnings.trim() {
            "" => format!("{} warns of nothing", SuspectFlags::WARN.join(" ")),
            warnings => format!(
                "{} warns: {}",
                SuspectFlags::WARN.join(" "),
                warnings.lines().next().unwrap_or_default()
            ),
        });
        let flags = SuspectFlags::LENIENT.join(" ");
        items.push(match suspects.still_wrong {
            true => format!("with {flags} the result is still wrong"),
            false => format!("with {flags} the result is right"),
        });
    }
    text.extend(items.iter().map(|item| wrap_below("- ", item, COLUMNS)));
    if text.is_empty() { "- no tool had an answer\n".into() } else { text }
}
