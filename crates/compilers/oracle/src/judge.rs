//! The observations on all targets, compared: which targets are right, which are wrong, and how.

use std::collections::BTreeSet;

use toolchain::{Family, Target, families_of};

use crate::case::Case;
use crate::observe::{Behaviour, Observation};
use crate::output::{Difference, first_difference};
use crate::signal;
use crate::signature::{crash, rejection, shorten};
use crate::verdict::{FailureKind, Fault, Suspicion};

/// Longest line of output that a summary shows, in characters.
const SHOWN: usize = 60;

/// The targets that agree with the machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Labels of the targets that are right.
    pub right: Vec<String>,
    /// Their families. Agreement of two families is worth more than that of two levels.
    pub families_right: BTreeSet<Family>,
}

/// Targets on which the same was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// What was seen, on the first of them.
    pub seen: Behaviour,
    /// Whether it is what must be seen.
    pub right: bool,
    /// Their labels.
    pub targets: Vec<String>,
}

/// The targets that are right. Observations and targets correspond by index.
pub fn agreement(case: &Case, targets: &[Target], observations: &[Observation]) -> Agreement {
    let mut agreement = Agreement::default();
    for (target, observation) in targets.iter().zip(observations) {
        if observation.seen.is_right(case) {
            agreement.right.push(observation.target.clone());
            agreement.families_right.insert(target.compiler.family);
        }
    }
    agreement
}

/// Groups targets by what was seen on them: the right ones first, the others as they come. Crashes
/// and rejections are the same if they are known by the same words.
pub fn classes(case: &Case, observations: &[Observation]) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    for Observation { target, seen, .. } in observations {
        let right = seen.is_right(case);
        match classes.iter_mut().find(|class| right && class.right || same(&class.seen, seen)) {
            Some(class) => class.targets.push(target.clone()),
            None => {
                let targets = vec![target.clone()];
                classes.push(Class { seen: seen.clone(), right, targets });
            }
        }
    }
    classes.sort_by_key(|class| !class.right);
    classes
}

fn same(a: &Behaviour, b: &Behaviour) -> bool {
    match (a, b) {
        (Behaviour::Crashed(a), Behaviour::Crashed(b)) => crash(a).known_by == crash(b).known_by,
        (Behaviour::Rejected(a), Behaviour::Rejected(b)) => rejection(a).0 == rejection(b).0,
        (Behaviour::Exhausted(_), Behaviour::Exhausted(_)) => true,
        _ => a == b,
    }
}

/// Failing targets of one family that show one failure.
struct Group<'a> {
    kind: FailureKind,
    maker: String,
    /// What a crash or a rejection is known by; empty for other kinds.
    known_by: String,
    members: Vec<(&'a Target, &'a Observation)>,
}

/// The failures: one suspicion for each family and kind, and among crashes and rejections for each
/// message. A
/// program that prints one wrong thing at -O2 and another at -O3 is one suspicion. Observations and
/// targets belong together in pairs; the order is that of the targets.
pub fn judge(case: &Case, targets: &[Target], observations: &[Observation]) -> Vec<Suspicion> {
    let mut groups: Vec<Group> = Vec::new();
    for (target, observation) in targets.iter().zip(observations) {
        let Some(Fault { kind, known_by }) = observation.seen.fault(case) else {
            continue;
        };
        // Wrong code shows in many ways on the same program.
        let known_by = if kind.is_wrong_code() { String::new() } else { known_by };
        let maker = maker(target);
        let alike = |g: &&mut Group| g.kind == kind && g.maker == maker && g.known_by == known_by;
        match groups.iter_mut().find(alike) {
            Some(group) => group.members.push((target, observation)),
            None => {
                let members = vec![(target, observation)];
                groups.push(Group { kind, maker, known_by, members });
            }
        }
    }
    groups.iter().map(|group| group.suspicion(case)).collect()
}

/// The family by name; compilers of no known family have nothing in common.
fn maker(target: &Target) -> String {
    match target.compiler.family {
        Family::Gcc => "gcc".into(),
        Family::Clang => "clang".into(),
        Family::Tcc => "tcc".into(),
        Family::Pcc => "pcc".into(),
        Family::Other => target.compiler.name.clone(),
    }
}

impl Group<'_> {
    fn suspicion(&self, case: &Case) -> Suspicion {
        Suspicion {
            kind: self.kind,
            targets: self.members.iter().map(|(_, seen)| seen.target.clone()).collect(),
            summary: self.members.first().map_or_else(String::new, |(_, o)| summary(&o.seen, case)),
            signature: self.signature(),
        }
    }

    fn signature(&self) -> String {
        let kind = self.kind.name();
        match self.members.first().map(|(_, observation)| &observation.seen) {
            // Where the compiler says nothing, the levels are at least something.
            Some(Behaviour::Crashed(messages)) if crash(messages).plain => {
                format!("{kind} {} {}", self.targets(), self.known_by)
            }
            Some(Behaviour::Crashed(_)) => format!("{kind} {} {}", self.maker, self.known_by),
            Some(Behaviour::Rejected(_)) => format!("{kind} {} {}", self.maker, self.known_by),
            _ => format!("{kind} {}", self.targets()),
        }
    }

    /// `gcc-11 gcc-12 -O2 -O3`: names and levels. Flags drawn by chance do not count, unless
    /// nothing fails without them; and then what they are about is enough (`gcc-12 -O3 passes-off`), for
    /// hardly any two draws are alike.
    fn targets(&self) -> String {
        let names: BTreeSet<&str> =
            self.members.iter().map(|(t, _)| t.compiler.name.as_str()).collect();
        let is_plain = |target: &Target| target.flags.len() <= 1;
        let plain =
            self.members.iter().filter(|(t, _)| is_plain(t)).map(|(t, _)| t.flags.join(" "));
        let plain: BTreeSet<String> = plain.collect();
        let about = |target: &Target| match target.compiler.drawn.is_empty() {
            true => target.flags.join(" "),
            false => families_of(target.compiler.family, &target.flags).join(" "),
        };
        let levels = match plain.is_empty() {
            true => self.members.iter().map(|(t, _)| about(t)).collect(),
            false => plain,
        };
        let words = names.into_iter().map(String::from).chain(levels);
        words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

/// One line on one failure.
fn summary(seen: &Behaviour, case: &Case) -> String {
    match seen {
        Behaviour::Ran { status, stdout } => ran(*status, stdout, case),
        Behaviour::Compiled => "it compiles".into(),
        Behaviour::Alarmed(report) => {
            format!("its sanitizer stops the program: {}", shorten(report))
        }
        Behaviour::ProgramHung => "the program does not end".into(),
        Behaviour::Crashed(messages) => shorten(&crash(messages).line),
        Behaviour::CompilerHung => "the compiler does not end".into(),
        Behaviour::Exhausted(messages) => {
            let line = messages.lines().find(|line| !line.trim().is_empty());
            shorten(line.unwrap_or("killed: out of memory").trim())
        }
        Behaviour::Rejected(messages) => shorten(&rejection(messages).1),
        Behaviour::Unsupported(why) => why.clone(),
    }
}

fn ran(status: u8, stdout: &[u8], case: &Case) -> String {
    let Some(expected) = &case.expected else { return "it runs".into() };
    let different = first_difference(&expected.stdout, stdout);
    let differs = |Difference { line, wanted, got }: Difference| match (wanted, got) {
        (Some(wanted), Some(got)) => {
            format!("prints {}, expected {} (line {line})", show(&got), show(&wanted))
        }
        (Some(wanted), None) => format!("prints nothing, expected {} (line {line})", show(&wanted)),
        (None, Some(got)) => {
            format!("prints {} after the expected output (line {line})", show(&got))
        }
        (None, None) => "prints something else".into(),
    };
    match signal::of_status(status).filter(|_| status != expected.status) {
        Some(number) => {
            let after = match stdout.iter().filter(|b| **b == b'\n').count() {
                0 => String::new(),
                1 => " after 1 line".into(),
                lines => format!(" after {lines} lines"),
            };
            format!("the program dies of {}{after}", signal::name(number))
        }
        None if status != expected.status => {
            let prints = different.map_or_else(String::new, |d| format!("; {}", differs(d)));
            format!("exit status {status}, expected {}{prints}", expected.status)
        }
        None => different.map_or_else(|| "as expected".into(), differs),
    }
}

/// A line of output in quotes, with what cannot be shown escaped.
fn show(line: &str) -> String {
    let short: String = line.chars().take(SHOWN).collect();
    let more = if short.len() < line.len() { "…" } else { "" };
    format!("\"{}{more}\"", short.escape_debug())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use toolchain::{Compiler, Language};

    use super::*;
    use crate::case::{Expected, SourceFile};

    /// A case of two files that must print this and exit with 0.
    pub(crate) fn case(stdout: &str) -> Case {
        let file = |name: &str| SourceFile { name: name.into(), bytes: Vec::new() };
        Case {
            language: Language::C,
            harness: None,
            standard: None,
            files: vec![file("a.c"), file("a.h"), file("b.c")],
            include: Vec::new(),
            expected: Some(Expected { stdout: stdout.into(), status: 0 }),
            omitted: Default::default(),
        }
    }

    pub(crate) fn target(family: Family, name: &str, flags: &str) -> Target {
        let compiler = Compiler {
            family,
            name: name.into(),
            version: "1".into(),
            triple: "x86_64-linux-gnu".into(),
            c: vec![name.into()],
            cxx: (family != Family::Tcc).then(|| vec![format!("{name}++").into()]),
            runner: Default::default(),
            abi: Some(toolchain::Abi::Lp64),
            levels: Vec::new(),
            extras: Vec::new(),
            drawn: Default::default(),
            lacks: Vec::new(),
            checks: None,
            root: None,
        };
        let flags = flags.split_whitespace().map(String::from).collect();
        Target { compiler: Arc::new(compiler), flags }
    }

    fn seen(target: &Target, seen: Behaviour) -> Observation {
        Observation { target: target.label(), seen, compile: Duration::ZERO, run: Duration::ZERO }
    }

    fn prints(status: u8, text: &str) -> Behaviour {
        Behaviour::Ran { status, stdout: text.into() }
    }

    /// The matrix gcc-12, clang-16 and tcc with what each shows.
    fn matrix(all: &[(&str, Behaviour)]) -> (Vec<Target>, Vec<Observation>) {
        let one = |(label, what): &(&str, Behaviour)| {
            let (name, flags) = label.split_once(' ').unwrap_or((label, ""));
            let family = match name.split('-').next() {
                Some("gcc") => Family::Gcc,
                Some("clang") => Family::Clang,
                Some("tcc") => Family::Tcc,
                _ => Family::Other,
            };
            let target = target(family, name, flags);
            let observation = seen(&target, what.clone());
            (target, observation)
        };
        all.iter().map(one).unzip()
    }

    fn suspicions(all: &[(&str, Behaviour)]) -> Vec<(FailureKind, String, String, String)> {
        let (targets, observations) = matrix(all);
        let suspicions = judge(&case("a\nb\n"), &targets, &observations);
        let one = |s: Suspicion| (s.kind, s.targets.join(", "), s.summary, s.signature);
        suspicions.into_iter().map(one).collect()
    }

    #[test]
    fn wrong_code_of_one_family_is_one_suspicion() {
        let right = || prints(0, "a\nb\n");
        let got = suspicions(&[
            ("gcc-12 -O0", right()),
            ("gcc-12 -O2", prints(0, "a\nc\n")),
            ("gcc-12 -O3", prints(0, "x\nc\n")),
            ("gcc-11 -O3", prints(1, "a\nb\n")),
            ("gcc-12 -O2 -flto", prints(0, "")),
            ("clang-16 -O3 -march=native", prints(139, "a\n")),
            ("clang-16 -O1", Behaviour::ProgramHung),
            ("tcc -O0", Behaviour::Unsupported("no".into())),
        ]);
        let want = [
            (
                FailureKind::WrongOutput,
                "gcc-12 -O2, gcc-12 -O3, gcc-11 -O3, gcc-12 -O2 -flto",
                r#"prints "c", expected "b" (line 2)"#,
                "wrong-output gcc-11 gcc-12 -O2 -O3",
            ),
            (
                FailureKind::RuntimeCrash,
                "clang-16 -O3 -march=native",
                "the program dies of SIGSEGV after 1 line",
                "runtime-crash clang-16 -O3 -march=native",
            ),
            (
                FailureKind::RuntimeHang,
                "clang-16 -O1",
                "the program does not end",
                "runtime-hang clang-16 -O1",
            ),
        ];
        let got: Vec<_> = got.iter().map(|(k, t, s, g)| (*k, &t[..], &s[..], &g[..])).collect();
        assert_eq!(got, want);
    }

    #[test]
    fn crashes_are_told_apart() {
        let ice =
            |at: &str| Behaviour::Crashed(format!("a.c:3:1: internal compiler error: in {at}"));
        let fault = || Behaviour::Crashed("killed by SIGSEGV".into());
        let got = suspicions(&[
            ("gcc-12 -O1", ice("f, at x.cc:1")),
            ("gcc-12 -O2", ice("g, at x.cc:2")),
            ("gcc-12 -O3", ice("f, at x.cc:1")),
            ("mycc -O0", fault()),
            ("othercc -O0", fault()),
            ("clang-16 -O0", Behaviour::CompilerHung),
            ("clang-16 -O1", Behaviour::Exhausted("\nout of memory\n".into())),
            ("clang-16 -O2", Behaviour::Rejected("a.c:12:3: error: use of 'x12'".into())),
        ]);
        let signatures: Vec<&str> = got.iter().map(|(.., signature)| &signature[..]).collect();
        assert_eq!(
            signatures,
            [
                "compiler-crash gcc in f, at x.cc:1",
                "compiler-crash gcc in g, at x.cc:2",
                "compiler-crash mycc -O0 SIGSEGV",
                "compiler-crash othercc -O0 SIGSEGV",
                "compiler-hang clang-16 -O0",
                "compiler-memory clang-16 -O1",
                "rejection clang use of 'x#'",
            ]
        );
        assert_eq!(got[0].1, "gcc-12 -O1, gcc-12 -O3");
        assert_eq!(got[0].2, "a.c:3:1: internal compiler error: in f, at x.cc:1");
        assert_eq!(got[5].2, "out of memory");
    }

    #[test]
    fn classes_have_the_right_one_first() {
        let (targets, observations) = matrix(&[
            ("gcc-12 -O2", prints(0, "float 2\n")),
            ("gcc-12 -O0", prints(0, "float 1.00001\n")),
            ("tcc -O0", prints(0, "float 2\n")),
            ("clang-16 -O0", prints(0, "float 1\n")),
        ]);
        let case = case("float 1\n");
        let classes = classes(&case, &observations);
        let labels: Vec<_> = classes.iter().map(|c| (c.right, c.targets.join(", "))).collect();
        let want = [(true, "gcc-12 -O0, clang-16 -O0"), (false, "gcc-12 -O2, tcc -O0")];
        assert_eq!(labels, want.map(|(right, labels)| (right, labels.to_string())));
        let agreement = agreement(&case, &targets, &observations);
        assert_eq!(agreement.right, ["gcc-12 -O0", "clang-16 -O0"]);
        assert_eq!(agreement.families_right, BTreeSet::from([Family::Gcc, Family::Clang]));
    }

    #[test]
    fn an_expected_abort_is_right() {
        let expected = Some(Expected { stdout: b"a\n".to_vec(), status: 134 });
        let case = Case { expected, ..case("") };
        assert_eq!(prints(134, "a\n").kind(&case), None);
        assert_eq!(prints(134, "b\n").kind(&case), Some(FailureKind::WrongOutput));
        assert_eq!(prints(139, "a\n").kind(&case), Some(FailureKind::RuntimeCrash));
        assert_eq!(prints(0, "a\n").kind(&case), Some(FailureKind::WrongOutput));
        assert_eq!(
            ran(0, b"b\n", &case),
            r#"exit status 0, expected 134; prints "b", expected "a" (line 1)"#
        );
    }
}
