//! Detectors asked before any compiler: the eager validation of CsmithEdge's Figure 1a.
//!
//! Lazy validation is in [`differential`](crate::differential): no detector runs until targets disagree. A
//! program to which a detector objects has no expected result from then on. Where the machine had one, that is
//! recorded as a finding: one of the two has a bug. Frama-C's alarms prove nothing and make no
//! finding.

use finding::{JudgedSubject, Subject};
use oracle::{Assessment, Certificate, FailureKind, Opinion, Trouble};

use crate::bench::TestBench;
use crate::engine::TestProgram;
use crate::record::{NewFinding, Standing, Tested};

/// Asks the detectors that are to run before the compilers about a program with an expected result.
pub fn test(bench: &TestBench, made: &mut TestProgram, tested: &mut Tested) -> Result<(), Trouble> {
    if made.first.is_empty() || made.case.expected.is_none() {
        return Ok(());
    }
    let folder = bench.folder()?;
    bench.lab.write(&made.case, folder.path())?;
    let (lab, detectors) = (&bench.lab, bench.detectors());
    let (asked, cost) = detectors.ask_some(lab, &made.case, folder.path(), &made.first)?;
    tested.cost.validate += cost;
    let Some((detector, opinion)) = asked.last().filter(|(_, opinion)| opinion.says.objects())
    else {
        return Ok(());
    };
    made.unanswered =
        Some(format!("{}: {}", detector.name(), without_varying_parts(&opinion.says)));
    if matches!(opinion.says, Assessment::Undefined(_)) && made.fuel.is_some() {
        let opinions = asked.iter().map(|(_, opinion)| opinion.clone());
        let opinions = std::iter::once(made.own.clone()).chain(opinions).collect();
        tested.findings.push(disagreement(made, opinion, Certificate { opinions }));
    }
    made.case.expected = None;
    made.own = opinion.clone();
    Ok(())
}

fn disagreement(made: &TestProgram, opinion: &Opinion, certificate: Certificate) -> NewFinding {
    let Opinion { tool, command, says } = opinion;
    let words = match says {
        Assessment::Undefined(words) => words.clone(),
        _ => String::new(),
    };
    NewFinding {
        attributed_to: None,
        kind: FailureKind::Disagreement,
        signature: format!(
            "{} {tool} {}",
            FailureKind::Disagreement.name(),
            without_varying_parts(says)
        ),
        summary: words,
        standing: Standing::Disputed,
        subject: Subject::Judged(JudgedSubject::of(tool, command)),
        files: made.case.files.clone(),
        artifacts: Vec::new(),
        origin: made.origin.clone(),
        certificate,
    }
}

/// What an objection is about, without what changes from program to program: `signed integer overflow`
/// of `test.c:3:5: runtime error: signed integer overflow: 2147483647 + 1 …`.
fn without_varying_parts(says: &Assessment) -> String {
    let (Assessment::Undefined(words) | Assessment::Alarm(words)) = says else {
        return String::new();
    };
    let starts = ["runtime error: ", "Sanitizer: ", "Warning: "];
    let told = starts.iter().find_map(|start| Some(words.split_once(start)?.1)).unwrap_or(words);
    let numbers = |c: char| c.is_ascii_digit();
    let end = [": ", " on ", ". ", ", at "].iter().filter_map(|end| told.find(end)).min();
    let told = &told[..end.unwrap_or(told.len())];
    told.split(numbers).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("#")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use oracle::{Case, Detector, Detectors, Expected, Lab, SourceFile};
    use toolchain::{InstalledTool, Language, Tool, on_path};

    use super::*;
    use crate::predict::own_opinion;

    /// A program with an answer of which UBSan is to be asked first.
    fn made() -> TestProgram {
        let text = b"int main(void) { return 0; }\n".to_vec();
        let case = Case {
            language: Language::C,
            files: vec![SourceFile { name: "test.c".into(), bytes: text }],
            harness: None,
            standard: None,
            include: Vec::new(),
            expected: Some(Expected::default()),
            omitted: Default::default(),
        };
        let made = TestProgram::new(case, "a test".into(), own_opinion("test.c", 1), 1000);
        TestProgram { first: [Detector::Undefined].into(), ..made }
    }

    /// What becomes of a program before this sanitizer.
    fn asked(script: &str, mut made: TestProgram) -> (TestProgram, Tested) {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/compilers/faulty");
        let path = dir.join(script);
        let found =
            InstalledTool { tool: Tool::Gcc, name: "gcc".into(), path, version: "1".into() };
        let bench = TestBench::new(Lab::default(), Vec::new(), 0);
        let bench = bench.with_detectors(Detectors::among(vec![found]));
        let mut tested = Tested::new("test", 1);
        test(&bench, &mut made, &mut tested).expect("no trouble");
        (made, tested)
    }

    #[test]
    fn an_objection_takes_the_answer_away_and_is_told() {
        assert!(on_path("gcc").is_some() || std::env::var_os("CI").is_none(), "CI skips none");
        if on_path("gcc").is_none() {
            return;
        }
        let (silent, tested) = asked("deaf.sh", made());
        assert!(silent.case.expected.is_some() && silent.unanswered.is_none());
        assert!(tested.findings.is_empty() && !tested.cost.validate.is_zero());

        let (objected, tested) = asked("alarmed.sh", made());
        assert_eq!(objected.case.expected, None);
        assert_eq!(objected.unanswered.as_deref(), Some("UBSan: made up"));
        let [finding] = &tested.findings[..] else { panic!("{tested:?}") };
        assert_eq!(
            (finding.kind, finding.standing),
            (FailureKind::Disagreement, Standing::Disputed)
        );
        assert_eq!(finding.signature, "disagreement gcc 1 -fsanitize=undefined made up");
        assert_eq!(finding.certificate.opinions[0].says, Assessment::Valid);

        // Where the machine said nothing, nobody disagrees with it.
        let (objected, tested) = asked("alarmed.sh", TestProgram { fuel: None, ..made() });
        assert!(objected.case.expected.is_none() && tested.findings.is_empty());
    }

    #[test]
    fn objections_of_one_kind_are_alike() {
        let told = |words: &str| without_varying_parts(&Assessment::Undefined(words.into()));
        let overflow = "t.c:3:5: runtime error: signed integer overflow: 2147483647 + 1 cannot be";
        assert_eq!(told(overflow), "signed integer overflow");
        assert_eq!(
            told("t.c:3:5: runtime error: index 7 out of bounds for type 'int [5]'"),
            "index # out of bounds for type 'int [#]'"
        );
        let scope = "ERROR: AddressSanitizer: stack-use-after-scope on address 0x7f at pc 0x5";
        assert_eq!(told(scope), "stack-use-after-scope");
        let unset = "WARNING: MemorySanitizer: use-of-uninitialized-value, at test.c:3:4";
        assert_eq!(told(unset), "use-of-uninitialized-value");
        let alarm = "[eva:alarm] f.c:2: Warning: signed overflow. assert y + 1 <= 2147483647;";
        assert_eq!(without_varying_parts(&Assessment::Alarm(alarm.into())), "signed overflow");
    }
}
