//! The title of a finding: the line by which people know its bug, wherever one is shown.
//!
//! It says what is wrong, at which level, what the program is about, and which pass is blamed: `wrong code at -O2:
//! 64-bit multiplication, pass tailr`. Lists, pages and trackers have a place of their own for the compiler. Trackers
//! that are read by component put that in front ([`Title::in_component`]).
//!
//! Titles are for people: they hold no key and no signature, and nothing is told apart by them.

use std::fmt;

use finding::{CompilerTarget, Subject};
use optimise::shrink::pipeline::{class_of, name_of};
use oracle::FailureKind;
use toolchain::Family;
use triage::{Blame, Construct, Method};

use crate::record::{NewFinding, Study};

/// Characters of the longest title: trackers take 255, with a component and a version beside it.
const LONGEST: usize = 180;

/// Characters of flags: a pipeline may have hundreds of passes.
const FLAGS: usize = 60;

/// How compilers, or we, begin to say that they died; what there is to say is behind it.
const DEATHS: [&str; 5] = [
    "internal compiler error: ",
    "error in backend: ",
    "compiler error: ",
    "fatal error: ",
    "SIGABRT: ",
];

/// A title in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Title {
    /// What is wrong, where, and with what: `wrong code at -O2: 64-bit multiplication`.
    what: String,
    /// The blamed pass as one names it to its compiler, or the option in its place.
    part: Option<Part>,
}

/// The part of a compiler that is blamed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Pass(String),
    Option(String),
}

/// What a title is made of: a finding, or what its study left of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TitleSource<'a> {
    pub kind: FailureKind,
    pub subject: &'a Subject,
    pub summary: &'a str,
    /// What was learnt, if it was studied.
    pub blame: Option<&'a Blame>,
    /// The construct that the reduced program is about.
    pub about: Option<Construct>,
}

impl Title {
    /// Of a finding, and of its study if there is one.
    pub fn of(finding: &NewFinding, study: Option<&Study>) -> Title {
        Title::from(match study {
            Some(study) => TitleSource {
                kind: finding.kind,
                subject: &study.subject,
                summary: &study.summary,
                blame: Some(&study.blame),
                about: study.about,
            },
            None => TitleSource {
                kind: finding.kind,
                subject: &finding.subject,
                summary: &finding.summary,
                blame: None,
                about: None,
            },
        })
    }

    /// With the component in front, as LLVM's tracker is read: `[InstCombine] wrong code at -O2`. The pass is the
    /// component, where one is known; else `component` is.
    pub fn in_component(&self, component: &str) -> String {
        match &self.part {
            Some(Part::Pass(pass)) => {
                let class = class_of(pass);
                cut(&format!("[{}] {}", class.strip_suffix("Pass").unwrap_or(&class), self.what))
            }
            Some(Part::Option(_)) | None => format!("[{component}] {self}"),
        }
    }

    /// The blamed pass as one names it to its compiler: `tailr`, `instcombine`.
    pub fn pass(&self) -> Option<&str> {
        match &self.part {
            Some(Part::Pass(pass)) => Some(pass),
            Some(Part::Option(_)) | None => None,
        }
    }
}

impl fmt::Display for Title {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = match &self.part {
            Some(Part::Pass(pass)) => format!(", pass {pass}"),
            Some(Part::Option(option)) => format!(", option {option}"),
            None => String::new(),
        };
        f.write_str(&cut(&format!("{}{part}", self.what)))
    }
}

impl From<TitleSource<'_>> for Title {
    fn from(source: TitleSource<'_>) -> Title {
        let part = source.blame.and_then(part);
        let what = cut(&printable(&what(&source, part.as_ref())));
        Title { what, part }
    }
}

/// A blamed pass by one name, whoever named it: `instcombine` of `InstCombinePass`, and `tailr` of `tailr1`, the first
/// place of that pass in GCC's pipeline.
pub fn pass_name(pass: &str) -> String {
    let name = name_of(pass);
    match name == pass && !pass.contains(' ') {
        true => triage::pass_stem(pass).to_string(),
        false => name,
    }
}

fn part(blame: &Blame) -> Option<Part> {
    let option = || {
        let is_option = |culprit: &&triage::Culprit| culprit.method == Method::Option;
        blame.culprits.iter().find(is_option).map(|culprit| culprit.name.clone())
    };
    let pass = blame.pass.as_deref().map(|pass| Part::Pass(pass_name(pass)));
    pass.or_else(|| option().map(Part::Option))
}

fn what(source: &TitleSource<'_>, part: Option<&Part>) -> String {
    let TitleSource { kind, subject, summary, about, .. } = *source;
    let at = at(subject, part);
    match kind {
        FailureKind::WrongOutput | FailureKind::RuntimeCrash | FailureKind::RuntimeHang => {
            let told = match (kind, about, part) {
                (_, Some(construct), _) => construct.words(),
                (FailureKind::RuntimeHang, ..) => "the program does not end".into(),
                (FailureKind::RuntimeCrash, ..) | (_, None, None) => summary.into(),
                (_, None, Some(_)) => return format!("wrong code{at}"),
            };
            format!("wrong code{at}: {told}")
        }
        FailureKind::CompilerCrash => {
            format!("{}{at}: {}", death(subject), without_callers(words(summary)))
        }
        FailureKind::CompilerHang => format!("compiler hangs{at}"),
        FailureKind::CompilerMemory => format!("compiler exhausts memory{at}"),
        FailureKind::Rejection => format!("rejects valid code{at}: {}", behind_place(summary)),
        FailureKind::InvalidIr => match source.blame.and_then(|blame| blame.pass.as_deref()) {
            Some(pass) => summary.replacen(pass, &pass_name(pass), 1),
            None => summary.into(),
        },
        FailureKind::Miscompilation => format!("miscompilation{at}: {}", refuted(summary, part)),
        FailureKind::SanitizerFalseAlarm => format!("false alarm of a sanitizer{at}: {summary}"),
        FailureKind::SanitizerMiss | FailureKind::Disagreement => {
            format!("{} {summary}", subject.compiler())
        }
    }
}

/// ` at -O2`, ` at -O2, -O3`, ` with -passes=gvn,licm`; nothing where there are no flags, or the blamed pass is all of
/// them.
fn at(subject: &Subject, part: Option<&Part>) -> String {
    let short = |flags: String| match flags.chars().nth(FLAGS) {
        Some(_) => format!("{}…", flags.chars().take(FLAGS - 1).collect::<String>()),
        None => flags,
    };
    match subject {
        Subject::Program(program) => match levels(&program.failing) {
            flags if flags.is_empty() => String::new(),
            flags => format!(" at {}", short(flags)),
        },
        Subject::Sequence(it) => format!(" with {}", short(it.flags().join(" "))),
        Subject::Module(it) if it.passes.is_empty() => " in the code generator".into(),
        Subject::Module(it) if part.is_some_and(|part| is_alone(part, &it.passes)) => String::new(),
        Subject::Module(it) => format!(" with {}", short(format!("-passes={}", it.passes))),
        Subject::Judged(_) => String::new(),
    }
}

/// Whether a pipeline is nothing but the blamed pass.
fn is_alone(part: &Part, passes: &str) -> bool {
    let inner = passes.rsplit('(').next().unwrap_or(passes).trim_end_matches(')');
    matches!(part, Part::Pass(pass) if !passes.contains(',') && pass_name(inner) == *pass)
}

/// Levels at which the first compiler fails. Flags that were drawn by chance count only where nothing fails without
/// them.
fn levels(failing: &[CompilerTarget]) -> String {
    let Some(first) = failing.first() else { return String::new() };
    let own = failing.iter().filter(|target| target.compiler == first.compiler);
    let mut levels: Vec<&str> = Vec::new();
    for target in own {
        if let [level] = &target.flags[..]
            && !levels.contains(&level.as_str())
        {
            levels.push(level);
        }
    }
    match levels.is_empty() {
        true => first.flags.join(" "),
        false => levels.join(", "),
    }
}

/// GCC's own word for its death; nobody else has one.
fn death(subject: &Subject) -> &'static str {
    let family = match subject {
        Subject::Program(program) => program.first().map(|compiler| compiler.family),
        Subject::Module(_) | Subject::Sequence(_) | Subject::Judged(_) => None,
    };
    if family == Some(Family::Gcc) { "ICE" } else { "crash" }
}

/// What a compiler says of its crash, without the place in the program and the words that all crashes have.
fn words(summary: &str) -> &str {
    let told = DEATHS.iter().find_map(|words| Some(summary.split_once(words)?.1));
    told.unwrap_or_else(|| behind_place(summary))
}

/// A signal with the innermost function that has a name. Summaries of earlier versions name all that a bug is known
/// by. (In the condition of an assertion the sign is an operator.)
fn without_callers(told: &str) -> String {
    let (Some((signal, functions)), false) = (told.split_once(" in "), told.contains('`')) else {
        return told.into();
    };
    match functions.split(" < ").find(|name| !name.starts_with('+')) {
        Some(name) => format!("{signal} in {name}"),
        None => signal.into(),
    }
}

/// A diagnostic without the place in the program: that is another one in another program.
fn behind_place(line: &str) -> &str {
    line.split_once("error: ").map_or(line, |(_, told)| told)
}

/// A refutation without the pass that its summary begins with: titles name it in its own place.
fn refuted<'a>(summary: &'a str, part: Option<&Part>) -> &'a str {
    let Some(Part::Pass(pass)) = part else { return summary };
    summary
        .split_once(": ")
        .filter(|(name, _)| pass_name(name) == *pass)
        .map_or(summary, |(_, told)| told)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.into(),
    }
}

/// In one line, without control characters and addresses: these are others in each run.
fn printable(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let is_address = |word: &&str| {
        let digits = word.strip_prefix("0x").unwrap_or_default();
        digits.len() >= 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    plain.split_whitespace().filter(|word| !is_address(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #[test]
    fn addresses_are_no_part_of_titles() {
        let told = "Cannot generate code, node 0x558b8047e880 op\t% of 0x12";
        assert_eq!(super::printable(told), "Cannot generate code, node op % of 0x12");
    }

    use finding::{LibraryIdentity, ModuleFault, ModuleSubject, ProgramSubject};
    use triage::Culprit;

    use super::*;

    fn program(kind: FailureKind, family: Family, failing: &[(&str, &str)]) -> Subject {
        let mut program = ProgramSubject::named(kind, &["test.c"], failing, &[]);
        program.compilers.iter_mut().for_each(|compiler| compiler.family = family);
        Subject::Program(program)
    }

    fn blamed(pass: Option<&str>, method: Method, name: &str) -> Blame {
        let hides = vec![format!("-fno-{name}")];
        let culprit = Culprit { method, name: name.into(), hides, detail: String::new() };
        Blame { pass: pass.map(String::from), culprits: vec![culprit], limits: Vec::new() }
    }

    fn title(
        kind: FailureKind,
        subject: &Subject,
        summary: &str,
        blame: Option<&Blame>,
        about: Option<Construct>,
    ) -> String {
        Title::from(TitleSource { kind, subject, summary, blame, about }).to_string()
    }

    #[test]
    fn wrong_code_says_level_construct_and_pass() {
        let kind = FailureKind::WrongOutput;
        let one = program(kind, Family::Gcc, &[("gcc-12", "-O2")]);
        let many = program(
            kind,
            Family::Gcc,
            &[("gcc-12", "-O2"), ("gcc-12", "-O2 -fwrapv"), ("gcc-12", "-O3"), ("gcc-11", "-Os")],
        );
        let drawn = program(kind, Family::Gcc, &[("gcc-12", "-O2 -fwrapv")]);
        let says = "prints \"0\", expected \"1\" (line 1)";
        let tailr = blamed(Some("tailr1"), Method::DisabledPass, "tailr1");
        let option = blamed(None, Method::Option, "-ftree-vrp");
        let about = Some(Construct::Multiplication(64));
        for (subject, blame, about, want) in [
            (&one, Some(&tailr), about, "wrong code at -O2: 64-bit multiplication, pass tailr"),
            (&one, Some(&tailr), None, "wrong code at -O2, pass tailr"),
            (&one, Some(&option), None, "wrong code at -O2, option -ftree-vrp"),
            (&many, None, None, "wrong code at -O2, -O3: prints \"0\", expected \"1\" (line 1)"),
            (&drawn, None, about, "wrong code at -O2 -fwrapv: 64-bit multiplication"),
        ] {
            assert_eq!(title(kind, subject, says, blame, about), want);
        }
        let hangs = title(FailureKind::RuntimeHang, &one, says, None, None);
        assert_eq!(hangs, "wrong code at -O2: the program does not end");
    }

    #[test]
    fn crashes_are_told_by_their_words_alone() {
        let kind = FailureKind::CompilerCrash;
        let gcc = program(kind, Family::Gcc, &[("gcc-12", "-O1")]);
        let clang = program(kind, Family::Clang, &[("clang-16", "-O2")]);
        let pcc = program(kind, Family::Pcc, &[("pcc", "")]);
        for (subject, summary, want) in [
            (
                &gcc,
                "a.c:3:1: internal compiler error: in extract_insn, at recog.cc:2791",
                "ICE at -O1: in extract_insn, at recog.cc:2791",
            ),
            (
                &clang,
                "Assertion `x && \"told\"' failed, at X.cpp:12",
                "crash at -O2: Assertion `x && \"told\"' failed, at X.cpp:12",
            ),
            (&clang, "fatal error: error in backend: no\nway", "crash at -O2: no way"),
            (
                &clang,
                "SIGABRT: Assertion `x' failed, X.cpp:12",
                "crash at -O2: Assertion `x' failed, X.cpp:12",
            ),
            (&pcc, "a.c, line 3: compiler error: no register", "crash: no register"),
        ] {
            assert_eq!(title(kind, subject, summary, None, None), want);
        }
        let rejected = "a.c:3:1: error: use of 'x'";
        let told = title(FailureKind::Rejection, &gcc, rejected, None, None);
        assert_eq!(told, "rejects valid code at -O1: use of 'x'");
        let hang = title(FailureKind::CompilerHang, &gcc, "", None, None);
        assert_eq!(hang, "compiler hangs at -O1");
    }

    fn module(passes: &str) -> Subject {
        Subject::Module(ModuleSubject {
            library: LibraryIdentity { major: 16, ..LibraryIdentity::default() },
            passes: passes.into(),
            fault: ModuleFault::Pass,
            baseline: None,
        })
    }

    #[test]
    fn a_pass_of_llvm_has_one_name_and_is_the_component() {
        assert_eq!(pass_name("InstCombinePass"), pass_name("instcombine"));
        assert_eq!(pass_name("IndVarSimplifyPass"), "indvars");
        assert_eq!(pass_name("SomethingNewPass"), "SomethingNew");
        assert_eq!((pass_name("tailr2"), pass_name("tailr")), ("tailr".into(), "tailr".into()));
        assert_eq!(
            pass_name("X86 DAG->DAG Instruction Selection 2"),
            "X86 DAG->DAG Instruction Selection 2"
        );
        let blame = blamed(Some("InstCombinePass"), Method::LastPass, "InstCombinePass");
        let refuted = TitleSource {
            kind: FailureKind::Miscompilation,
            subject: &module("function(instcombine<no-verify-fixpoint>)"),
            summary: "instcombine: the result is 1 in the source and 2 in the target",
            blame: Some(&blame),
            about: None,
        };
        let told = Title::from(refuted);
        assert_eq!(
            told.to_string(),
            "miscompilation: the result is 1 in the source and 2 in the target, pass instcombine"
        );
        assert!(
            told.in_component("llvm").starts_with("[InstCombine] miscompilation: the"),
            "{told}"
        );
        assert!(!told.in_component("llvm").contains("pass instcombine"));
        let invalid = TitleSource {
            kind: FailureKind::InvalidIr,
            summary: "invalid IR after InstCombinePass: no terminator",
            ..refuted
        };
        let told = Title::from(invalid).to_string();
        assert_eq!(told, "invalid IR after instcombine: no terminator, pass instcombine");
        let unknown = Title::from(TitleSource { blame: None, ..invalid });
        assert!(unknown.in_component("llvm").starts_with("[llvm] invalid IR"), "{unknown}");
    }

    #[test]
    fn a_stack_is_its_innermost_function() {
        for (told, want) in [
            ("SIGSEGV in +0x22 < llvm::f < llvm::g", "SIGSEGV in llvm::f"),
            ("SIGSEGV in +0x22", "SIGSEGV"),
            ("SIGSEGV in llvm::f", "SIGSEGV in llvm::f"),
            ("Assertion `in a < b' failed, at x.h:1", "Assertion `in a < b' failed, at x.h:1"),
            ("in extract_insn, at recog.cc:3", "in extract_insn, at recog.cc:3"),
        ] {
            assert_eq!(without_callers(told), want);
        }
    }

    #[test]
    fn titles_are_one_short_line() {
        let passes = "instcombine,".repeat(50);
        let long =
            title(FailureKind::CompilerCrash, &module(&passes), &"y\n".repeat(500), None, None);
        assert!(long.chars().count() <= LONGEST + 1 && !long.contains('\n'), "{long}");
        let wrong = title(FailureKind::CompilerHang, &module(&passes), "", None, None);
        assert!(wrong.chars().count() < FLAGS + 30, "{wrong}");
    }
}
