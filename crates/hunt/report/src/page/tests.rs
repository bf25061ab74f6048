//! Pages of a made-up hunt, in which every text is hostile.

use std::collections::BTreeMap;
use std::time::Duration;

use ::finding::{ProgramSubject, Subject};
use campaign::{
    Bug, BugState, Cost, Counts, EngineSpent, ListedFinding, NewFinding, NotedState, Sample,
    Standing, StudyBrief, TargetResult,
};
use oracle::{Assessment, Certificate, Expected, FailureKind, Opinion, SourceFile};
use triage::{Blame, Cell, Culprit, Ladder, Method, Rung};

use super::*;

/// Gets out of elements, attributes, comments and text areas, where it is not escaped.
const EVIL: &str =
    "\"'--></textarea></pre></style><script>alert(1)</script><img src=x onerror=alert(1)>";

fn evil(what: &str) -> String {
    format!("{what} {EVIL}")
}

fn file(name: &str) -> SourceFile {
    SourceFile { name: name.into(), bytes: format!("/* {EVIL} */ int x;\n{EVIL}\n").into_bytes() }
}

fn ladder() -> Ladder {
    let rung =
        Rung { compiler: evil("old"), version: evil("1"), cells: vec![Cell::Fails, Cell::Works] };
    Ladder { levels: vec![evil("-O0"), "-O2".into()], rungs: vec![rung] }
}

fn certificate() -> Certificate {
    let says = [
        Assessment::Valid,
        Assessment::Undefined(evil("u")),
        Assessment::Differs(evil("d")),
        Assessment::NoAlarm,
        Assessment::Alarm(evil("a")),
        Assessment::Silent(evil("s")),
    ];
    let opinion = |says| Opinion { tool: evil("tool"), command: evil("cmd"), says };
    Certificate { opinions: says.into_iter().map(opinion).collect() }
}

fn bug(id: i64, standing: Standing, suppressed: bool) -> Bug {
    Bug {
        attributed: true,
        key: evil("key"),
        kind: if id == 1 { FailureKind::WrongOutput } else { FailureKind::CompilerCrash },
        standing,
        count: 2,
        ids: vec![id, id + 10],
        suppressed: suppressed.then(|| evil("reason")),
        state: if id == 2 { BugState::Fixed } else { BugState::Open },
        noted: Some(NotedState { state: BugState::Open, note: evil("note"), at: 1_800_000_100 }),
        representative: id,
    }
}

/// Four bugs: open, fixed, disputed, suppressed; the first is studied.
fn shot() -> Snapshot {
    let listed = |id: i64| ListedFinding {
        id,
        engine: if id == 2 { "smith".into() } else { evil("yarp") },
        found_at: 1_800_000_000 + id as u64,
        kind: FailureKind::CompilerCrash,
        signature: evil("signature"),
        summary: evil("summary"),
        title: evil("title"),
        standing: Standing::Confirmed,
        targets: vec![format!("{} -O2", evil("gcc-12"))],
    };
    let sample = |n: u64| Sample {
        at: 1_800_000_000 + 5 * n,
        last: n == 20,
        hunted: Duration::from_secs(5 * n),
        tests: 10 * n,
        findings: n,
        signatures: n,
        own: Duration::from_secs(n),
        others: Duration::from_secs(9 * n),
        blocks: Some(100 * n),
    };
    let brief = StudyBrief {
        at: 1_800_000_050,
        key: evil("key"),
        summary: evil("reduced"),
        title: evil("reduced title"),
        tokens: (100, 9),
        targets: vec!["gcc-12 -O2".into()],
        pass: Some(evil("pass")),
        ladder: ladder(),
    };
    let target = |label: String, compiler: String| StoredTarget {
        label,
        compiler,
        version: evil("12"),
        triple: evil("x86"),
        command: evil("gcc"),
        runner: String::new(),
    };
    let tallies = [
        TargetResult::Right,
        TargetResult::Failed(FailureKind::WrongOutput),
        TargetResult::Flaky,
        TargetResult::Unsupported,
    ];
    Snapshot {
        attributions: Default::default(),
        spent: vec![EngineSpent {
            engine: evil("yarp"),
            seeds: 1234,
            cost: Cost { compile: Duration::from_secs(60), ..Cost::default() },
            span: (1_800_000_000, 1_800_000_200),
        }],
        counts: Counts::default(),
        samples: (0..=20).map(sample).collect(),
        targets: vec![
            target("gcc-12 -O2".into(), "gcc-12".into()),
            target(format!("{} -O2", evil("gcc-12")), evil("gcc-12")),
        ],
        tallies: tallies
            .into_iter()
            .map(|word| (format!("{} -O2 -fx", evil("gcc-12")), word, 5))
            .collect(),
        findings: [1, 2, 3, 4, 11, 12, 13, 14].map(listed).to_vec(),
        bugs: vec![
            bug(1, Standing::Confirmed, false),
            bug(2, Standing::Confirmed, false),
            bug(3, Standing::Disputed, false),
            bug(4, Standing::Confirmed, true),
        ],
        studies: BTreeMap::from([(1, brief)]),
    }
}

fn detail(shot: &Snapshot, study: bool) -> Detail {
    let kind = FailureKind::WrongOutput;
    let (gcc, tcc) = (evil("gcc-12"), evil("tcc"));
    let subject = |units: &[&str]| {
        let (bad, right) = ([(gcc.as_str(), "-O2"), ("clang", "-O1")], [(tcc.as_str(), "-O0")]);
        let expected = Some(Expected { stdout: EVIL.into(), status: 0 });
        let named = ProgramSubject::named(kind, units, &bad, &right);
        Subject::Program(ProgramSubject { expected, ..named })
    };
    let label = subject(&[]).targets()[0].replace([' ', '/'], "_");
    let stdout = SourceFile { name: format!("{label}.stdout"), ..file("") };
    Detail {
        found: Finding {
            id: 1,
            engine: evil("yarp"),
            seed: 7,
            found_at: 1_800_000_000,
            seen_before: 0,
            finding: NewFinding {
                attributed_to: None,
                kind: FailureKind::WrongOutput,
                signature: evil("signature"),
                summary: evil("summary"),
                standing: Standing::Disputed,
                subject: subject(&["a.c", &evil("b.cpp")]),
                files: vec![file("a.c"), file(&evil("b.cpp")), file("c.ll"), file("d.h")],
                artifacts: vec![file("expected"), stdout, file("messages")],
                origin: evil("origin"),
                certificate: certificate(),
            },
        },
        study: study.then(|| Study {
            about: None,
            mask: triage::Mask::default(),
            files: vec![file("test.c")],
            evidence: vec![file("actual"), file(&evil("before")), file(&evil("after"))],
            subject: subject(&["test.c"]),
            summary: evil("summary"),
            certificate: certificate(),
            blame: Blame {
                pass: Some(evil("pass")),
                culprits: vec![Culprit {
                    method: Method::Option,
                    name: evil("-f"),
                    hides: vec![evil("-fno")],
                    detail: evil("detail"),
                }],
                limits: vec![evil("limit")],
            },
            ladder: ladder(),
            key: evil("key"),
            tokens: (1000, 9),
            took: Duration::from_secs(5),
        }),
        bug: shot.bugs.first().cloned(),
        targets: Vec::new(),
        folder: Some(evil("my-hunt").into()),
    }
}

fn view<'a>(shot: &'a Snapshot, name: &'a str) -> View<'a> {
    View { name, now: 1_800_000_300, shot }
}

#[test]
fn hostile_text_stays_text() {
    let (shot, name) = (shot(), evil("hunt"));
    let view = view(&shot, &name);
    let asked = Filter { kind: evil("k"), text: evil("t"), page: 1, ..Filter::default() };
    let pages = [
        overview(&view),
        findings(&view, &Filter::default()),
        findings(&view, &asked),
        finding(&name, &detail(&shot, true)),
        finding(&name, &detail(&shot, false)),
        notice(&evil("title"), &evil("words")),
        page(&view, &[detail(&shot, true), detail(&shot, false)]),
    ];
    for html in pages {
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "it is shown: {html}");
        for evil in ["<script>", "<img", "</textarea", "onerror=alert(1)>", "-->"] {
            assert!(!html.contains(evil), "{evil} in {html}");
        }
        assert_eq!(html.matches("</style>").count(), html.matches("<style>").count(), "{html}");
        // The policy of the server forbids both.
        assert!(!html.contains(" style=") && !html.contains(" onclick"), "{html}");
        assert_eq!(html.matches("<pre").count(), html.matches("</pre>").count(), "{html}");
    }
}

#[test]
fn a_frozen_page_loads_nothing() {
    let shot = shot();
    let html = page(&view(&shot, "h"), &[detail(&shot, true)]);
    assert!(
        !html.contains("<script") && !html.contains("src=\"") && !html.contains("@import"),
        "{html}"
    );
    assert!(!html.contains("href=\"/"), "{html}");
    assert!(html.contains("href=\"#finding-1\"") && html.contains("id=\"finding-1\""), "{html}");
    assert!(html.contains("prefers-color-scheme: dark") && html.contains("width=device-width"));
}

/// Numbers of the bugs that a filter leaves.
fn listed(shot: &Snapshot, filter: Filter) -> Vec<i64> {
    let html = findings(&view(shot, "h"), &filter);
    let links = html.split("<td data-label=\"bug\"><a href=\"/finding/").skip(1);
    links.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
}

#[test]
fn filters_leave_what_fits() {
    let shot = shot();
    let with = |change: fn(&mut Filter)| {
        let mut filter = Filter::default();
        change(&mut filter);
        listed(&shot, filter)
    };
    assert_eq!(with(|_| {}), [1, 2, 3, 4]);
    assert_eq!(with(|f| f.kind = "wrong-output".into()), [1]);
    assert_eq!(with(|f| f.target = "gcc-12".into()), [1]);
    assert_eq!(with(|f| f.target = evil("gcc-12")), [2, 3, 4]);
    assert_eq!(with(|f| f.pass = evil("pass")), [1]);
    assert_eq!(with(|f| f.engine = "smith".into()), [2]);
    assert_eq!(with(|f| f.status = "open".into()), [1]);
    assert_eq!(with(|f| f.status = "fixed".into()), [2]);
    assert_eq!(with(|f| f.status = "disputed".into()), [3]);
    assert_eq!(with(|f| f.status = "suppressed".into()), [4]);
    assert_eq!(with(|f| f.text = "REDUCED title".into()), [1]);
    assert_eq!(with(|f| f.text = "#3 summary".into()), [3]);
    assert_eq!(with(|f| f.kind = "no-such".into()), Vec::<i64>::new());
    assert_eq!(with(|f| f.page = 99), [1, 2, 3, 4], "the last page is the nearest");
}

#[test]
fn a_list_says_how_many_bugs_it_has() {
    let shot = shot();
    let view = View { name: "h", now: 1_800_000_300, shot: &shot };
    let text = |filter: &Filter| findings(&view, filter);
    assert!(text(&Filter::default()).contains("2 distinct bugs (8 findings in 4 rows)"));
    let fixed = Filter { status: "fixed".into(), ..Filter::default() };
    assert!(text(&fixed).contains("1 distinct bug (2 findings in 1 row of 4)"), "{}", text(&fixed));
}

#[test]
fn long_lists_have_pages() {
    let mut shot = shot();
    let many = ROWS as i64 + 3;
    shot.bugs = (1..=many).map(|id| bug(id, Standing::Confirmed, false)).collect();
    assert_eq!(listed(&shot, Filter { page: 1, ..Filter::default() }).len(), ROWS);
    assert_eq!(listed(&shot, Filter { page: 2, ..Filter::default() }), [51, 52, 53]);
    let html = findings(
        &view(&shot, "h"),
        &Filter { kind: "compiler-crash".into(), page: 1, ..Filter::default() },
    );
    assert!(html.contains("href=\"/findings?kind=compiler-crash&amp;page=2\""), "{html}");
}

#[test]
fn numbers_are_those_of_the_hunt() {
    let shot = shot();
    let html = overview(&view(&shot, "h"));
    for part in [
        "<b id=\"tests\">1,234</b> tests",
        "<b>2.0</b> tests a second",
        "<b>2</b> distinct bugs",
        "<b id=\"hunted\">1 min 40 s</b> of hunting",
        "<b>4</b> findings",
        "Not hunting. Last seen 3 min 20 s ago.",
        "5 wrong-output",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    assert_eq!(html.matches("<figure").count(), 6, "{html}");
    let mut live = shot.clone();
    live.samples.truncate(20);
    let html = overview(&View { now: 1_800_000_100, ..view(&live, "h") });
    assert!(html.contains(">Hunting<"), "{html}");
    let killed = overview(&View { now: 1_800_000_200, ..view(&live, "h") });
    assert!(killed.contains("Not hunting. Last seen 1 min 45 s ago."), "{killed}");
}

#[test]
fn an_empty_hunt_has_pages_too() {
    let mut shot = shot();
    (shot.bugs, shot.findings) = (Vec::new(), Vec::new());
    (shot.samples, shot.spent, shot.tallies) = (Vec::new(), Vec::new(), Vec::new());
    shot.studies.clear();
    let view = view(&shot, "h");
    assert!(overview(&view).contains("Nothing was found yet."));
    assert!(findings(&view, &Filter::default()).contains("Nothing was found yet."));
    assert!(page(&view, &[]).contains("Nothing was found."));
}

#[test]
fn times_and_counts() {
    assert_eq!(
        [0, 59, 60, 3599, 3600, 90_000].map(span).join("|"),
        "0 s|59 s|1 min|59 min 59 s|1 h|1 d 1 h"
    );
    assert_eq!(
        (count(0), count(1234), count(12_345_678)),
        ("0".into(), "1,234".into(), "12,345,678".into())
    );
    assert_eq!((percent(0.375), percent(f64::NAN)), ("37.5 %".into(), "–".into()));
}
