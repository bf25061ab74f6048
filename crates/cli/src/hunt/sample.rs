//! A made-up hunt for tests of what is shown.

use std::time::Duration;

use campaign::{
    Bug, BugCount, BugState, Cost, EngineProgress, Finding, ListedFinding, NewFinding, Progress,
    Snapshot, Standing, Study, StudyBrief, TargetResult, Title,
};
use finding::{ProgramSubject, Subject};
use oracle::{Assessment, Certificate, Expected, FailureKind, Opinion, SourceFile};
use toolchain::Language;

use super::{Setting, Tested};

/// Twelve minutes of an hour, three compilers, three findings.
pub fn progress() -> Progress {
    let seconds = Duration::from_secs;
    let mut progress = Progress {
        seed: 17,
        elapsed: seconds(723),
        time: Some(seconds(3600)),
        tests: 1234,
        tests_now: 1234,
        cost: Cost {
            generate: seconds(9),
            compile: seconds(713),
            run: seconds(250),
            validate: seconds(28),
        },
        own: seconds(17),
        others: seconds(983),
        disputed: 1,
        signatures: 2,
        flaky: 4,
        newest: Some((
            4,
            FailureKind::WrongOutput,
            "prints \"test_3 1f\" for \"test_3 2a\" (line 3)".into(),
        )),
        ..Progress::default()
    };
    progress.skipped.insert("out of fuel".into(), 8);
    progress.skipped.insert("not supported".into(), 12);
    progress.findings.insert(FailureKind::WrongOutput, 2);
    progress.findings.insert(FailureKind::CompilerCrash, 1);
    let yarp = EngineProgress { tests: 1000, signatures: 2, used: 0.71, due: 0.65 };
    let csmith = EngineProgress { tests: 234, signatures: 0, used: 0.29, due: 0.35 };
    progress.engines.insert("yarp".into(), yarp);
    progress.engines.insert("csmith".into(), csmith);
    for name in ["clang-16", "gcc-12", "tcc"] {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let counts = progress.targets.entry(format!("{name} {level}")).or_default();
            counts.insert(TargetResult::Right, 1200);
            if name == "tcc" {
                counts.insert(TargetResult::Unsupported, 34);
            }
            if name == "gcc-12" && level > "-O1" {
                counts.insert(TargetResult::Failed(FailureKind::WrongOutput), 2);
                counts.insert(TargetResult::Flaky, 2);
            }
        }
    }
    progress
}

/// Its bugs, counted.
pub fn count() -> BugCount {
    BugCount { distinct: 2, findings: 3, disputed: 1, ..BugCount::default() }
}

/// A folder with these findings, those of a signature as one bug, the newest shown.
pub fn shot(findings: &[Finding]) -> Snapshot {
    let listed = |found: &Finding| ListedFinding {
        id: found.id,
        engine: found.engine.clone(),
        found_at: found.found_at,
        kind: found.finding.kind,
        signature: found.finding.signature.clone(),
        summary: found.finding.summary.clone(),
        title: Title::of(&found.finding, None).to_string(),
        standing: found.finding.standing,
        targets: found.finding.targets(),
    };
    let mut bugs: Vec<Bug> = Vec::new();
    for Finding { id, finding, .. } in findings {
        match bugs.iter_mut().find(|b| b.key == finding.signature && b.standing == finding.standing)
        {
            Some(bug) => {
                bug.ids.push(*id);
                bug.count += 1;
                bug.representative = *id;
            }
            None => bugs.push(Bug {
                key: finding.signature.clone(),
                kind: finding.kind,
                standing: finding.standing,
                attributed: true,
                count: 1,
                ids: vec![*id],
                suppressed: None,
                state: BugState::Open,
                noted: None,
                representative: *id,
            }),
        }
    }
    // As a store orders them.
    let rank = |kind: FailureKind| FailureKind::ALL.iter().position(|one| *one == kind);
    bugs.sort_by_key(|bug| (bug.standing, rank(bug.kind)));
    Snapshot { findings: findings.iter().map(listed).collect(), bugs, ..Snapshot::default() }
}

/// What a list shows of a study.
pub fn brief() -> StudyBrief {
    let study = study();
    StudyBrief {
        at: 1_800_000_100,
        title: Title::of(&finding(3, FailureKind::WrongOutput, "s").finding, Some(&study))
            .to_string(),
        targets: study.targets(),
        key: study.key,
        summary: study.summary,
        tokens: study.tokens,
        pass: study.blame.pass.as_deref().map(campaign::pass_name),
        ladder: study.ladder,
    }
}

/// What it was asked to do.
pub fn setting() -> Setting {
    let tested = |name: &str, version: &str| Tested {
        name: name.into(),
        version: version.into(),
        triple: "x86_64-linux-gnu".into(),
    };
    Setting {
        out: "gainsay-hunt".into(),
        resume: "gainsay hunt --for 10m".into(),
        compilers: vec![tested("gcc-12", "12.2.0"), tested("clang-16", "16.0.6")],
        fuzzers: Vec::new(),
        sequenced: Vec::new(),
        engines: vec!["yarp".into(), "csmith".into()],
        language: Language::C,
        jobs: 2,
        cluster: 0,
        baseline: None,
    }
}

/// Wrong code of one file on compilers of the sample.
pub fn subject(failing: &[(&str, &str)], right: &[(&str, &str)]) -> Subject {
    subject_of(FailureKind::WrongOutput, &["test.c"], failing, right)
}

fn subject_of(
    kind: FailureKind,
    units: &[&str],
    failing: &[(&str, &str)],
    right: &[(&str, &str)],
) -> Subject {
    let expected = Some(Expected { stdout: b"1\n".to_vec(), status: 0 });
    let named = ProgramSubject::named(kind, units, failing, right);
    Subject::Program(ProgramSubject { expected, ..named })
}

/// A finding of the sample.
pub fn finding(id: i64, kind: FailureKind, signature: &str) -> Finding {
    let opinion = |tool: &str, command: &str, says| Opinion {
        tool: tool.into(),
        command: command.into(),
        says,
    };
    let summary = match kind {
        FailureKind::CompilerCrash => "internal compiler error: in extract_insn, at recog.cc:2791",
        _ => "prints \"test_3 1f\" for \"test_3 2a\" (line 3)",
    };
    let file = |name: &str, text: &str| SourceFile { name: name.into(), bytes: text.into() };
    let failing = [("gcc-12", "-O2"), ("gcc-12", "-O3")];
    let right = [("gcc-12", "-O0"), ("clang-16", "-O2")];
    Finding {
        id,
        engine: "yarp".into(),
        seed: 7000 + id as u64,
        found_at: 1_800_000_000,
        seen_before: 0,
        finding: NewFinding {
            attributed_to: None,
            kind,
            signature: signature.into(),
            summary: summary.into(),
            standing: Standing::Confirmed,
            subject: subject_of(kind, &["func.c", "driver.c"], &failing, &right),
            files: vec![
                file("func.c", "int f;\n"),
                file("driver.c", "int main(void) { return 0; }\n"),
            ],
            artifacts: vec![
                file("expected", "test_1 00\ntest_2 ff\ntest_3 2a\n"),
                file("gcc-12_-O2.stdout", "test_1 00\ntest_2 ff\ntest_3 1f\n"),
            ],
            origin: format!("gainsay gen --seed {} -o DIR", 7000 + id),
            certificate: Certificate {
                opinions: vec![
                    opinion(
                        "gainsay's abstract machine",
                        "gainsay run func.c driver.c",
                        Assessment::Valid,
                    ),
                    opinion(
                        "clang 16.0.6 -fsanitize=memory",
                        "clang-16 …",
                        Assessment::Silent("too slow".into()),
                    ),
                ],
            },
        },
    }
}

/// A study of a finding.
pub fn study() -> Study {
    let rung = |name: &str, version: &str| triage::Rung {
        compiler: name.into(),
        version: version.into(),
        cells: vec![triage::Cell::Works, triage::Cell::Fails],
    };
    Study {
        about: None,
        mask: triage::Mask::default(),
        files: vec![SourceFile {
            name: "test.c".into(),
            bytes: b"int main(void)\n{\n    return 0;\n}\n".to_vec(),
        }],
        evidence: vec![SourceFile { name: "actual".into(), bytes: b"0\n".to_vec() }],
        subject: subject(&[("gcc-12", "-O2")], &[("gcc-12", "-O0")]),
        summary: "prints \"0\" for \"1\" (line 1)".into(),
        certificate: Certificate::default(),
        blame: triage::Blame {
            pass: Some("tailr1".into()),
            culprits: vec![triage::Culprit {
                method: triage::Method::DisabledPass,
                name: "tailr1".into(),
                hides: vec!["-fdisable-tree-tailr1".into()],
                detail: String::new(),
            }],
            limits: Vec::new(),
        },
        ladder: triage::Ladder {
            levels: vec!["-O0".into(), "-O2".into()],
            rungs: vec![rung("gcc-11", "11.3.0"), rung("gcc-12", "12.2.0")],
        },
        key: "wrong-output gcc tailr1".into(),
        tokens: (5210, 61),
        took: Duration::from_secs(42),
    }
}
