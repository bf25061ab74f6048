//! The store keeps what it was given, once, and stays whole when it cannot take more.

use super::*;
use oracle::{Certificate, Kind, Opinion, Says, SourceFile};

use crate::Word;

fn finding(signature: &str) -> NewFinding {
    NewFinding {
        kind: Kind::WrongOutput,
        signature: signature.into(),
        summary: "prints 1 for 2".into(),
        standing: Standing::Confirmed,
        targets: vec!["gcc-12 -O2".into()],
        right: vec!["gcc-12 -O0".into()],
        files: vec![SourceFile {
            name: "test.c".into(),
            bytes: b"int main(void) {}\n\xff".to_vec(),
        }],
        artifacts: vec![SourceFile { name: "expected".into(), bytes: vec![b'2'; 5000] }],
        commands: vec!["gcc -O2 test.c".into()],
        origin: "gainsay gen --seed 1".into(),
        certificate: Certificate {
            opinions: vec![Opinion {
                tool: "gcc".into(),
                command: "gcc -fsanitize=undefined".into(),
                says: Says::Silent("not installed".into()),
            }],
        },
    }
}

fn tested(seed: u64, findings: Vec<NewFinding>) -> Tested {
    Tested {
        cost: Cost { compile: Duration::from_millis(1500), ..Cost::default() },
        targets: vec![("gcc-12 -O2".into(), Word::Failed(Kind::WrongOutput))],
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
    assert_eq!((got.finding.commands, got.finding.right), (want.commands, want.right));
    assert_eq!(store.findings().expect("it reads").len(), 2);
    assert!(store.finding(3).expect("it reads").is_none());
    let engine = store.engine("yarp").expect("it reads");
    assert_eq!(engine.done.iter().copied().collect::<Vec<_>>(), [seed]);
    assert_eq!((engine.cost.compile, engine.signatures), (Duration::from_millis(1500), 2));
    let tally = ("gcc-12 -O2".to_string(), Word::Failed(Kind::WrongOutput), 1);
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
    assert!(format!("{error:#}").contains("all before it is safe"), "{error:#}");
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
