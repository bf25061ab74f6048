//! The store keeps what it was given, once, and stays whole when it cannot take more.

use super::*;
use finding::{ProgramSubject, Subject};
use oracle::{Assessment, Certificate, Expected, FailureKind, Opinion, SourceFile};
use triage::{Blame, Cell, Culprit, Ladder, Method, Rung};

use crate::{BugState, NewFinding, Study, TargetResult};

fn subject(flags: &str) -> Subject {
    let (fails, right) = ([("gcc-12", flags)], [("gcc-12", "-O0")]);
    let kind = FailureKind::WrongOutput;
    Subject::Program(ProgramSubject {
        standard: Some("c99".into()),
        expected: Some(Expected { stdout: b"1\n\xfe".to_vec(), status: 134 }),
        ..ProgramSubject::named(kind, &["test.c"], &fails, &right)
    })
}

/// A finding of this signature.
pub(crate) fn finding(signature: &str) -> NewFinding {
    NewFinding {
        attributed_to: None,
        kind: FailureKind::WrongOutput,
        signature: signature.into(),
        summary: "prints 1 for 2".into(),
        standing: Standing::Confirmed,
        subject: subject("-O2"),
        files: vec![SourceFile {
            name: "test.c".into(),
            bytes: b"int main(void) {}\n\xff".to_vec(),
        }],
        artifacts: vec![SourceFile { name: "expected".into(), bytes: vec![b'2'; 5000] }],
        origin: "gainsay gen --seed 1".into(),
        certificate: Certificate {
            opinions: vec![Opinion {
                tool: "gcc".into(),
                command: "gcc -fsanitize=undefined".into(),
                says: Assessment::Silent("not installed".into()),
            }],
        },
    }
}

fn tested(seed: u64, findings: Vec<NewFinding>) -> Tested {
    Tested {
        cost: Cost { compile: Duration::from_millis(1500), ..Cost::default() },
        targets: vec![("gcc-12 -O2".into(), TargetResult::Failed(FailureKind::WrongOutput))],
        findings,
        ..Tested::new("yarp", seed)
    }
}

fn folder() -> sandbox::Scratch {
    sandbox::Scratch::new().expect("a temporary folder")
}

#[test]
fn what_is_recorded_comes_back_the_same() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    // A seed beyond the signed range, which SQLite does not have.
    let seed = u64::MAX - 1;
    let found = store.record(&tested(seed, vec![finding("a"), finding("b")])).expect("it records");
    assert_eq!(found.iter().map(|f| f.id).collect::<Vec<_>>(), [1, 2]);
    drop(store);
    let store = Store::open(dir.path()).expect("it opens again");
    let got = store.finding(2).expect("it reads").expect("it is there");
    assert_eq!((got.seed, got.engine.as_str(), got.seen_before), (seed, "yarp", 0));
    let want = finding("b");
    assert_eq!(got.finding.files, want.files);
    assert_eq!(got.finding.artifacts, want.artifacts);
    assert_eq!(got.finding.certificate, want.certificate);
    assert_eq!(got.finding.subject, want.subject);
    assert_eq!(store.findings().expect("it reads").len(), 2);
    assert!(store.finding(3).expect("it reads").is_none());
    let engine = store.engine("yarp").expect("it reads");
    assert_eq!(engine.done.iter().copied().collect::<Vec<_>>(), [seed]);
    assert_eq!((engine.cost.compile, engine.signatures), (Duration::from_millis(1500), 2));
    let tally = ("gcc-12 -O2".to_string(), TargetResult::Failed(FailureKind::WrongOutput), 1);
    assert_eq!(store.tallies().expect("it reads"), [tally]);
}

#[test]
fn a_test_done_twice_counts_once() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    assert_eq!(store.record(&tested(7, vec![finding("a")])).expect("it records").len(), 1);
    assert_eq!(store.record(&tested(7, vec![finding("a")])).expect("it records").len(), 0);
    let second = store.record(&tested(8, vec![finding("a")])).expect("it records");
    assert_eq!(second[0].seen_before, 1);
    assert_eq!(store.findings().expect("it reads").len(), 2);
    let engine = store.engine("yarp").expect("it reads");
    assert_eq!((engine.done.len(), engine.signatures), (2, 1));
}

#[test]
fn one_hunt_at_a_time_and_readers_beside_it() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    let second = Store::create(dir.path()).expect_err("it is locked").to_string();
    assert!(second.contains("another hunt is running"), "{second}");
    store.record(&tested(1, vec![finding("a")])).expect("it records");
    let reader = Store::open(dir.path()).expect("a reader may");
    assert_eq!(reader.findings().expect("it reads").len(), 1);
    drop(store);
    Store::create(dir.path()).expect("the lock is gone");
}

#[test]
fn a_full_disk_is_told_and_harms_nothing() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    store.record(&tested(1, vec![finding("a")])).expect("it records");
    store.cap_pages(30).expect("it is capped");
    let mut large = finding("b");
    large.files[0].bytes = vec![b'x'; 1 << 20];
    let error = store.record(&tested(2, vec![large])).expect_err("there is no room");
    assert!(is_full(&error), "{error:#}");
    assert!(format!("{error:#}").contains("everything recorded before is safe"), "{error:#}");
    drop(store);
    let store = Store::open(dir.path()).expect("it opens");
    assert_eq!(store.findings().expect("it reads").len(), 1);
    let done: Vec<u64> = store.engine("yarp").expect("it reads").done.into_iter().collect();
    assert_eq!(done, [1], "a test is recorded whole or not at all");
}

#[test]
fn a_folder_without_a_hunt_and_a_file_of_another_kind() {
    let dir = folder();
    let error = Store::open(dir.path()).expect_err("nothing there").to_string();
    assert!(error.contains("there is no hunt in"), "{error}");
    fs::write(dir.file(FILE), "this is no database, whatever its name says".repeat(100))
        .expect("it is written");
    let error = format!("{:#}", Store::open(dir.path()).expect_err("not a database"));
    assert!(error.contains("not a database"), "{error}");
}

fn study(key: &str, tokens: usize) -> Study {
    Study {
        about: None,
        mask: triage::Mask::default(),
        files: vec![SourceFile { name: "test.c".into(), bytes: b"int x;\n\0\xff".to_vec() }],
        evidence: vec![SourceFile { name: "actual".into(), bytes: b"2\n".to_vec() }],
        subject: subject("-O2 -fwrapv"),
        summary: "prints 1 for 2".into(),
        certificate: finding("").certificate,
        blame: Blame {
            pass: Some("tailr1".into()),
            culprits: vec![Culprit {
                method: Method::DisabledPass,
                name: "tailr1".into(),
                hides: vec!["-fdisable-tree-tailr1".into()],
                detail: String::new(),
            }],
            limits: vec!["no more".into()],
        },
        ladder: Ladder {
            levels: vec!["-O2".into()],
            rungs: vec![Rung {
                compiler: "gcc-12".into(),
                version: "12.2.0".into(),
                cells: vec![Cell::Fails, Cell::Otherwise(FailureKind::CompilerHang)],
            }],
        },
        key: key.into(),
        tokens: (5000, tokens),
        took: Duration::new(12, 345_678_901),
    }
}

/// A store as version 4 made them, with a study if there was one, and then what later versions added is forgotten.
fn of_version(version: i64, dir: &Path) -> Store {
    let mut store = Store::create(dir).expect("it opens");
    store.record(&tested(1, vec![finding("a"), finding("b")])).expect("it records");
    let older = "DROP TABLE mask; DROP TABLE attribution; ALTER TABLE finding DROP COLUMN subject;
        ALTER TABLE finding ADD COLUMN right TEXT NOT NULL DEFAULT '[\"gcc-12 -O0\"]';
        ALTER TABLE finding ADD COLUMN commands TEXT NOT NULL
            DEFAULT '[\"gcc-12 -O2 -w -std=c99 test.c -o program -lm && ./program | diff expected -\"]';
        DROP TABLE study;
        CREATE TABLE study (
            finding INTEGER PRIMARY KEY REFERENCES finding, at INTEGER NOT NULL,
            standard TEXT, stdout BLOB, status INTEGER, summary TEXT NOT NULL,
            compiler TEXT NOT NULL, flags TEXT NOT NULL, targets TEXT NOT NULL, right TEXT NOT NULL,
            commands TEXT NOT NULL, certificate TEXT NOT NULL, blame TEXT NOT NULL, ladder TEXT NOT NULL,
            key TEXT NOT NULL, tokens_before INTEGER NOT NULL, tokens_after INTEGER NOT NULL,
            nanoseconds INTEGER NOT NULL);";
    let forget = match version {
        1 => {
            "DROP TABLE study; DROP TABLE suppression; DROP TABLE state; DROP TABLE count;
              DROP TABLE sample; DROP TABLE spent"
        }
        2 => "DROP TABLE count; DROP TABLE sample; DROP TABLE spent",
        3 => "DROP TABLE sample; DROP TABLE spent",
        _ => "",
    };
    store.db.execute_batch(older).expect("it is as it was");
    if version > 1 {
        store.db.execute(
            "INSERT INTO study VALUES (1, 5, 'c99', ?1, 134, 'prints 1 for 2', 'gcc-12',
             '[\"-O2\",\"-fwrapv\"]', '[\"gcc-12 -O2 -fwrapv\"]', '[\"gcc-12 -O0\"]',
             '[\"gcc-12 -O2 -fwrapv -w -std=c99 test.c -o program -lm && ./program | diff expected -\"]',
             ?2, ?3, ?4, 'key', 5000, 3, 12345678901)",
            params![
                b"1\n\xfe",
                rows::json(&study("key", 3).certificate).expect("JSON"),
                rows::json(&study("key", 3).blame).expect("JSON"),
                rows::json(&study("key", 3).ladder).expect("JSON"),
            ],
        ).expect("it is kept");
        store
            .db
            .execute("INSERT INTO file VALUES (1, 'reduced', 'test.c', x'00')", [])
            .expect("it is kept");
    }
    store.db.execute_batch(forget).expect("it forgets");
    store.db.pragma_update(None, "user_version", version).expect("it is set");
    store
}

#[test]
fn a_study_comes_back_the_same_and_replaces_another() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    store.record(&tested(1, vec![finding("a"), finding("b")])).expect("it records");
    store.put_study(2, &study("first", 90)).expect("it is kept");
    let last = study("key", 40);
    store.put_study(2, &last).expect("it is kept");
    drop(store);
    let store = Store::open(dir.path()).expect("it opens");
    assert_eq!(store.study(1).expect("it reads"), None);
    assert_eq!(store.study(2).expect("it reads"), Some(last.clone()));
    assert_eq!(store.studies().expect("it reads"), [(2, last)]);
    // The original stays as it was.
    let original = store.finding(2).expect("it reads").expect("it is there").finding;
    assert_eq!(original.files, finding("b").files);
    assert_eq!(original.artifacts, finding("b").artifacts);
    let mut store = store;
    let error = store.put_study(7, &study("key", 1)).expect_err("no such finding").to_string();
    assert!(error.ends_with("they are numbered 1 to 2"), "{error}");
}

#[test]
fn a_store_of_version_1_is_read_as_it_is_and_written_as_the_newest() {
    let dir = folder();
    drop(of_version(1, dir.path()));
    let mut store = Store::open(dir.path()).expect("it opens");
    assert_eq!(store.version().expect("it reads"), 1);
    assert_eq!(store.study(1).expect("it reads"), None);
    assert!(store.suppressions().expect("it reads").is_empty());
    assert_eq!(store.state(1).expect("it reads"), None);
    assert_eq!(store.bugs().expect("it reads").len(), 2);
    let found = store.finding(1).expect("it reads").expect("it is there");
    assert_eq!(found.finding.commands(), finding("a").commands());
    assert_eq!(store.version().expect("it reads"), 1, "reading changes nothing");
    store.put_study(1, &study("key", 3)).expect("it is kept");
    assert_eq!(store.version().expect("it reads"), VERSION);
    let found = store.finding(1).expect("it reads").expect("it is there");
    assert_eq!(found.finding.commands(), finding("a").commands());
    assert_eq!(store.bugs().expect("it reads")[0].key, "key");

    let dir = folder();
    drop(of_version(1, dir.path()));
    let store = Store::create(dir.path()).expect("it opens");
    assert_eq!(store.version().expect("it reads"), VERSION);
    assert_eq!(store.findings().expect("it reads").len(), 2);
    store.db.execute_batch("PRAGMA user_version = 7").expect("it is set");
    drop(store);
    assert!(Store::open(dir.path()).is_err(), "of the future nothing is known");
}

/// Something without an answer.
fn judged() -> Subject {
    Subject::Judged(finding::JudgedSubject::of("gcc -fsanitize=address", "gcc test.c"))
}

#[test]
fn a_store_of_version_2_keeps_its_studies() {
    let dir = folder();
    drop(of_version(2, dir.path()));
    let mut store = Store::open(dir.path()).expect("it opens");
    assert_eq!(store.counts().expect("it reads"), Default::default());
    let before = store.study(1).expect("it reads").expect("it is there");
    assert_eq!(
        (before.commands(), before.right()),
        (study("", 3).commands(), study("", 3).right())
    );
    assert_eq!((before.expected(), &before.blame), (study("", 3).expected(), &study("", 3).blame));
    let unanswered = Study { subject: judged(), ..study("other", 5) };
    store.put_study(2, &unanswered).expect("it is kept");
    assert_eq!(store.version().expect("it reads"), VERSION);
    assert_eq!(store.study(1).expect("it reads"), Some(before));
    assert_eq!(store.study(2).expect("it reads"), Some(unanswered));
}

#[test]
fn programs_without_an_answer_and_checks_are_counted() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    for (seed, reason) in [(1, "undefined: x"), (2, "undefined: x"), (3, "unspecified: y")] {
        let unanswered = Some(reason.to_string());
        store.record(&Tested { unanswered, ..tested(seed, vec![]) }).expect("it records");
    }
    for seed in [4, 5, 5] {
        let checks = Checks { all: 10, removed: 4 };
        let variants = 7;
        store.record(&Tested { checks, variants, ..tested(seed, vec![]) }).expect("it records");
    }
    let Counts { unanswered, checks, variants, .. } = store.counts().expect("it reads");
    assert_eq!(checks, Checks { all: 20, removed: 8 }, "a test counts once");
    assert_eq!(variants, 14);
    let unanswered: Vec<_> = unanswered.iter().map(|(reason, n)| (&reason[..], *n)).collect();
    assert_eq!(unanswered, [("undefined: x", 2), ("unspecified: y", 1)]);
}

#[test]
fn findings_of_one_bug_are_put_together() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    let mut disputed = finding("a");
    disputed.standing = Standing::Disputed;
    let mut crash = finding("crash");
    crash.kind = FailureKind::CompilerCrash;
    // 1 2 3: a, one of them disputed; 4 5: b; 6: c; 7: a crash
    let all =
        vec![finding("a"), finding("a"), disputed, finding("b"), finding("b"), finding("c"), crash];
    for (seed, one) in (1..).zip(all) {
        store.record(&tested(seed, vec![one])).expect("it records");
    }
    let seen = |store: &Store| -> Vec<(String, Vec<i64>, i64)> {
        let bugs = store.bugs().expect("it reads").into_iter();
        bugs.map(|bug| (bug.key, bug.ids, bug.representative)).collect()
    };
    let bug = |key: &str, ids: &[i64], shown: i64| (key.to_string(), ids.to_vec(), shown);
    // What says itself which bug it is, then wrong code of which that is not known, rare ones first; the disputed
    // one last.
    let want = [
        bug("crash", &[7], 7),
        bug("c", &[6], 6),
        bug("b", &[4, 5], 5),
        bug("a", &[1, 2], 2),
        bug("a", &[3], 3),
    ];
    assert_eq!(seen(&store), want);
    // A study of 1 says nothing of 2, which may be another bug, until it is known to explain it.
    store.put_study(1, &study("k", 50)).expect("it is kept");
    store.put_study(6, &study("k", 40)).expect("it is kept");
    store.put_study(5, &study("l", 40)).expect("it is kept");
    let want = [
        bug("l", &[5], 5),
        bug("k", &[1, 6], 6),
        bug("crash", &[7], 7),
        bug("b", &[4], 4),
        bug("a", &[2], 2),
        bug("a", &[3], 3),
    ];
    assert_eq!(seen(&store), want);
    // A study whose program is still large has the signature for a key.
    store.put_study(2, &study("a", 500)).expect("it is kept");
    assert!(!store.bugs().expect("it reads")[4].attributed);
    store.attribute(2, 1).expect("it is kept");
    let attributed: Vec<bool> =
        store.bugs().expect("it reads").iter().map(|bug| bug.attributed).collect();
    assert_eq!(attributed, [true, true, true, false, false]);
    assert_eq!(seen(&store)[1], bug("k", &[1, 2, 6], 6));
    store.put_study(4, &study("m", 40)).expect("it is kept");
    assert_eq!(seen(&store)[..2], [bug("l", &[5], 5), bug("m", &[4], 4)]);
}

#[test]
fn suppressed_bugs_are_counted_and_come_last() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    for (seed, signature) in (1..).zip(["wrong gcc -O2", "wrong gcc -O2", "wrong clang -O1"]) {
        store.record(&tested(seed, vec![finding(signature)])).expect("it records");
    }
    store.put_study(1, &study("tailr1 wrong", 9)).expect("it is kept");
    store.attribute(2, 1).expect("it is kept");
    store.suppress("tailr1*", "PR 1").expect("it is kept");
    store.suppress("tailr1*", "PR 2").expect("it is kept");
    store.suppress("*clang-*", "PR 3").expect("it is kept");
    let told: Vec<_> = store.suppressions().expect("it reads").into_iter().collect();
    let brief: Vec<_> = told.iter().map(|s| (&s.pattern[..], &s.reason[..], s.hits)).collect();
    assert_eq!(brief, [("*clang-*", "PR 3", 0), ("tailr1*", "PR 2", 2)]);
    let bugs = store.bugs().expect("it reads");
    assert_eq!((bugs[0].count, bugs[0].suppressed.clone()), (1, None));
    assert_eq!((bugs[1].count, bugs[1].suppressed.as_deref()), (2, Some("PR 2")));
    assert_eq!(store.suppressed("tailr1 x").expect("it reads").as_deref(), Some("PR 2"));
    assert_eq!(store.suppressed("wrong gcc -O2").expect("it reads"), None);
    assert!(store.unsuppress("tailr1*").expect("it is forgotten"));
    assert!(!store.unsuppress("tailr1*").expect("it is gone"));
    assert!(store.bugs().expect("it reads").iter().all(|bug| bug.suppressed.is_none()));
    assert!(store.suppress(" ", "").is_err());
}

#[test]
fn a_fixed_bug_that_is_found_again_is_open() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    store.record(&tested(1, vec![finding("a")])).expect("it records");
    store.set_state(1, BugState::Fixed, "right on gcc-13").expect("it is noted");
    let noted = store.state(1).expect("it reads").expect("it is there");
    assert_eq!((noted.state, noted.note.as_str()), (BugState::Fixed, "right on gcc-13"));
    assert!(noted.at > 1_700_000_000);
    assert_eq!(store.bugs().expect("it reads")[0].state, BugState::Fixed);
    store.record(&tested(2, vec![finding("a")])).expect("it records");
    store.db.execute_batch("UPDATE state SET at = at - 10").expect("time passes");
    assert_eq!(store.bugs().expect("it reads")[0].state, BugState::Open);
    assert!(store.set_state(9, BugState::Open, "").is_err());
}

#[test]
fn a_store_of_version_3_gets_its_sums() {
    let dir = folder();
    let mut store = of_version(4, dir.path());
    for seed in 1..=3 {
        store.record(&tested(seed, vec![])).expect("it records");
    }
    let sums = store.spent().expect("it reads");
    assert_eq!((sums.len(), sums[0].engine.as_str(), sums[0].seeds), (1, "yarp", 3));
    assert_eq!(sums[0].cost.compile, Duration::from_millis(4500));
    let forget = "DROP TABLE sample; DROP TABLE spent; PRAGMA user_version = 3";
    store.db.execute_batch(forget).expect("it forgets");
    assert_eq!(store.spent().expect("it reads"), sums, "they can be made of the tests");
    assert!(store.samples().expect("it reads").is_empty());
    assert_eq!(store.last_sample().expect("it reads"), None);
    drop(store);
    let mut store = Store::create(dir.path()).expect("it opens");
    assert_eq!(store.version().expect("it reads"), VERSION);
    assert_eq!(store.spent().expect("it reads"), sums);
    store.record(&tested(3, vec![])).expect("it records");
    store.record(&tested(4, vec![])).expect("it records");
    assert_eq!(store.spent().expect("it reads")[0].seeds, 4, "a test counts once");
}

#[test]
fn samples_come_back_and_do_not_grow_without_end() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    store.db.pragma_update(None, "synchronous", "OFF").expect("no need to flush");
    let sample = |n: u64| sample::Sample {
        at: 1_800_000_000 + 5 * n,
        last: n == 100,
        hunted: Duration::from_secs(5 * n),
        tests: 3 * n,
        findings: n / 10,
        signatures: n / 100,
        own: Duration::from_millis(n),
        others: Duration::from_millis(9 * n),
        blocks: (n > 50).then_some(n),
    };
    for n in 0..6000 {
        store.put_sample(&sample(n)).expect("it is kept");
    }
    let all = store.samples().expect("it reads");
    assert!((1000..=2000).contains(&all.len()), "{}", all.len());
    assert_eq!((all[0].clone(), all.last().cloned()), (sample(0), Some(sample(5999))));
    assert_eq!(store.last_sample().expect("it reads"), Some(sample(5999)));
    assert!(all.contains(&sample(100)), "the end of a run is kept");
    assert!(all.is_sorted_by_key(|s| s.at));
    assert!((5500..6000).all(|n| all.contains(&sample(n))), "what is new is whole");
}

#[test]
fn a_snapshot_is_all_that_a_list_shows() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("it opens");
    store.record(&tested(1, vec![finding("a"), finding("b")])).expect("it records");
    store.put_study(2, &study("k", 9)).expect("it is kept");
    let reader = Store::open_to_read(dir.path()).expect("it opens");
    let before = reader.changes().expect("it reads");
    let shot = reader.snapshot().expect("it reads");
    assert_eq!(shot.bugs, store.bugs().expect("it reads"));
    assert_eq!((shot.tests(), shot.findings.len()), (1, 2));
    let listed = shot.finding(2).expect("it is there");
    assert_eq!((listed.signature.as_str(), &listed.targets), ("b", &finding("b").targets()));
    let (brief, whole) = (&shot.studies[&2], study("k", 9));
    assert_eq!((brief.pass.as_deref(), &brief.ladder), (Some("tailr"), &whole.ladder));
    assert_eq!((brief.key.as_str(), brief.tokens), ("k", (5000, 9)));
    assert!(shot.finding(3).is_none());
    assert_eq!(reader.changes().expect("it reads"), before, "reading changes nothing");
    store.record(&tested(2, vec![finding("a")])).expect("it records beside a reader");
    assert_ne!(reader.changes().expect("it reads"), before);
    store.put_study(2, &study("other", 8)).expect("it is kept");
    let (mut updated, fresh) = (shot, reader.snapshot().expect("it reads"));
    reader.refresh(&mut updated).expect("it reads");
    assert_eq!((updated.findings.len(), &updated.findings), (3, &fresh.findings));
    assert_eq!((updated.studies[&2].key.as_str(), &updated.studies), ("other", &fresh.studies));
    assert_eq!((updated.tests(), updated.bugs), (2, fresh.bugs));
    let write = reader.db.execute_batch("DELETE FROM finding").expect_err("it only reads");
    assert!(write.to_string().contains("readonly"), "{write}");
    assert!(Store::open_to_read(&dir.file("nowhere")).is_err());
}

#[test]
fn an_interrupted_test_keeps_what_it_saw_and_is_done_again() {
    let dir = folder();
    let mut store = Store::create(dir.path()).expect("a store");
    let unconfirmed =
        |signature: &str| NewFinding { standing: Standing::Unconfirmed, ..finding(signature) };
    let interrupted = |found| Tested { interrupted: true, variants: 3, ..tested(7, found) };
    let first = store.record(&interrupted(vec![unconfirmed("a"), unconfirmed("b")])).expect("kept");
    assert_eq!(first.iter().map(|f| f.id).collect::<Vec<_>>(), [1, 2]);
    let record = store.engine("yarp").expect("a record");
    assert!(record.done.is_empty() && record.cost == Cost::default() && record.signatures == 0);
    assert_eq!(store.skipped().expect("reasons"), []);
    assert!(store.tallies().expect("tallies").is_empty());
    assert_eq!(store.counts().expect("counts"), Counts::default());
    let mut shot = store.snapshot().expect("a snapshot");
    assert_eq!((shot.tests(), shot.findings.len(), shot.seen().0), (0, 2, 0));

    // Interrupted once more: nothing twice, and what is new is kept.
    let again = store.record(&interrupted(vec![unconfirmed("a"), unconfirmed("c")])).expect("kept");
    assert_eq!(again.iter().map(|f| f.id).collect::<Vec<_>>(), [3]);
    store.set_state(2, BugState::Open, "noted").expect("it is noted");
    // Another test shows it meanwhile, and is the first that counts.
    let other = store.record(&tested(8, vec![finding("a")])).expect("recorded");
    assert_eq!((other[0].id, other[0].seen_before), (4, 0));

    let done = store.record(&tested(7, vec![finding("a"), finding("b")])).expect("recorded");
    assert_eq!(done.iter().map(|f| f.id).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(done.iter().map(|f| f.seen_before).collect::<Vec<_>>(), [0, 0]);
    assert_eq!(store.engine("yarp").expect("a record").done, [7, 8].into());
    assert_eq!(store.spent().expect("sums")[0].seeds, 2);
    let standings: Vec<Standing> =
        store.findings().expect("findings").iter().map(|f| f.finding.standing).collect();
    use Standing::{Confirmed, Unconfirmed};
    // Seen once, and not when its test was repeated: it stays what it is.
    assert_eq!(standings, [Confirmed, Confirmed, Unconfirmed, Confirmed]);
    let confirmed = store.finding(1).expect("read").expect("there");
    assert_eq!((confirmed.finding, confirmed.seed), (finding("a"), 7));
    assert_eq!(store.state(2).expect("read").expect("noted").note, "noted");
    // A page that has seen it before sees it confirmed.
    store.refresh(&mut shot).expect("refreshed");
    let shown: Vec<Standing> = shot.findings.iter().map(|f| f.standing).collect();
    assert_eq!((shown, shot.seen().0), (standings, 2));
    assert_eq!(store.bugs().expect("bugs").len(), 3);
    // It was done: nothing more is recorded of it.
    assert!(store.record(&interrupted(vec![unconfirmed("d")])).expect("known").is_empty());
}

/// SIGKILL between the making of the file and that of its tables.
#[test]
fn a_store_that_was_never_made_is_none() {
    let dir = folder();
    let db = Connection::open(dir.path().join(FILE)).expect("a file");
    db.pragma_update(None, "journal_mode", "WAL").expect("it is set");
    drop(db);
    let told = Store::open(dir.path()).expect_err("it is none").to_string();
    assert!(told.contains("there is no hunt in"), "{told}");
    assert!(Store::open_to_read(dir.path()).is_err());
    Store::check(dir.path()).expect("a hunt can make one");
    let mut store = Store::create(dir.path()).expect("it is made");
    store.record(&tested(1, vec![finding("a")])).expect("it records");
    assert_eq!(store.verify().expect("it reads"), Vec::<String>::new());
}

#[test]
fn what_does_not_agree_is_told() {
    for (harm, word) in [
        ("UPDATE spent SET seeds = 7", "engine yarp: 7 tests are counted, 1 are there"),
        ("UPDATE spent SET compile = 1", "or their times differ"),
        ("DELETE FROM spent", "engine yarp: 0 tests are counted, 1 are there"),
        ("DELETE FROM file", "finding #1 has no program"),
        ("DELETE FROM test", "a row of finding names no test"),
        ("INSERT INTO attribution VALUES (1, 9)", "a row of attribution names no finding"),
    ] {
        let dir = folder();
        let mut store = Store::create(dir.path()).expect("it opens");
        store.record(&tested(1, vec![finding("a")])).expect("it records");
        let interrupted = Tested { interrupted: true, ..tested(2, vec![finding("b")]) };
        store.record(&interrupted).expect("it records");
        assert_eq!(store.verify().expect("it reads"), Vec::<String>::new());
        store.db.pragma_update(None, "foreign_keys", false).expect("it is set");
        store.db.execute(harm, []).expect(harm);
        let wrong = store.verify().expect("it reads");
        assert!(wrong.iter().any(|sentence| sentence.contains(word)), "{harm}: {wrong:?}");
    }
}
