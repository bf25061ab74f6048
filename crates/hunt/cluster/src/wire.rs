//! Messages. The hunt itself is JSON, so that a worker of another version can read what it refuses;
//! everything else is MessagePack.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use campaign::{Finding, SeedBlock, Study, StudyOutcome, Tested};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Bumped when a message changes.
pub const PROTOCOL: u64 = 3;

/// A hunt, for its workers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Spec {
    /// Of the messages.
    pub protocol: u64,
    /// Of gainsay: programs of the same seed must be the same everywhere.
    pub version: String,
    /// The folder of the store, among all folders.
    pub identity: String,
    /// What is tested, and with what: for whoever makes a plan of it.
    pub workload: serde_json::Value,
    /// The files that it names.
    pub files: Vec<Shipped>,
    /// The engines, as the store calls them.
    pub engines: Vec<String>,
    /// A worker that is silent for so many milliseconds is taken for dead.
    pub lease: u64,
    /// A block that so many workers did not finish is set aside.
    pub deliveries: i64,
    /// Who coordinates, for people.
    pub coordinator: String,
    /// Whether it goes on.
    pub open: bool,
}

/// A file or folder in the object store.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shipped {
    /// As the options name it.
    pub given: String,
    /// The same from the root, where the hunt was started.
    pub home: String,
    /// Its object.
    pub object: String,
}

impl Spec {
    /// What subjects and consumers of this hunt have in them: another workload is another hunt.
    pub fn hunt(&self) -> String {
        let what = (&self.workload, &self.files, &self.engines);
        let bytes = serde_json::to_vec(&what).unwrap_or_default();
        format!("{}-{}", self.identity, &digest(&bytes)[..8])
    }

    /// Reads a hunt; a sentence if it is one of another version.
    pub fn read(bytes: &[u8]) -> Result<Spec> {
        let value: serde_json::Value =
            serde_json::from_slice(bytes).context("the hunt of this cluster cannot be read")?;
        let (theirs, ours) = (&value["version"], env!("CARGO_PKG_VERSION"));
        if value["protocol"] != PROTOCOL || theirs != ours {
            bail!(
                "the hunt is coordinated by gainsay {} (protocol {}), and this is {ours} (protocol \
                 {PROTOCOL}): the same seeds would give other programs; use the same version everywhere",
                theirs.as_str().unwrap_or("of an unknown version"),
                value["protocol"],
            );
        }
        serde_json::from_value(value).context("the hunt of this cluster cannot be read")
    }
}

/// A heartbeat of a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hello {
    /// Its own name, unlike all others.
    pub worker: String,
    /// Tests at a time.
    pub jobs: usize,
    /// Its set of targets; see [`set_of`].
    pub set: String,
    /// Why it cannot take part, if so; or why it leaves.
    pub word: Option<String>,
    /// It goes.
    pub leaves: bool,
}

/// A piece of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum WorkMessage {
    /// Tests.
    Block(SeedBlock),
    /// A finding to study, how long that may take, and the bugs that were studied before.
    Study(Box<Finding>, Duration, Vec<(i64, Study)>),
}

/// What came of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ResultMessage {
    /// One test.
    Tested(Box<Tested>),
    /// The study of a finding, or why it cannot be made.
    Studied(i64, Box<Result<StudyOutcome, String>>),
    /// The time of a study was over before its end.
    Unfinished(i64),
    /// Tests that too many workers did not finish, of this hunt.
    BlockAside(String, SeedBlock),
    /// A study that too many workers did not finish.
    StudyAside(i64),
}

/// As bytes.
pub fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>> {
    rmp_serde::to_vec_named(value).context("a message cannot be written")
}

/// From bytes.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    rmp_serde::from_slice(bytes).context("a message cannot be read")
}

/// What bytes are known by.
pub fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a set of targets is known by: labels, versions and machines, and not where compilers are installed.
pub fn set_of(targets: &[campaign::StoredTarget]) -> String {
    let mut all: Vec<_> = targets.iter().map(|t| (&t.label, &t.version, &t.triple)).collect();
    all.sort();
    digest(format!("{all:?}").as_bytes())[..16].to_string()
}

#[cfg(test)]
mod tests {
    use campaign::{NewFinding, Standing, StoredTarget, TargetResult};
    use finding::{ProgramSubject, Subject};
    use oracle::{Assessment, Certificate, Expected, FailureKind, Opinion, SourceFile};

    use super::*;

    fn tested() -> Tested {
        let says = [
            Assessment::Valid,
            Assessment::Undefined("x".into()),
            Assessment::NoAlarm,
            Assessment::Silent("y".into()),
        ];
        let opinion = |says: Assessment| Opinion { tool: "t".into(), command: "c".into(), says };
        let mut tested = Tested::new("yarp", u64::MAX);
        tested.targets = vec![
            ("gcc -O2".into(), TargetResult::Failed(FailureKind::WrongOutput)),
            ("gcc -O0".into(), TargetResult::Right),
        ];
        let mut program =
            ProgramSubject::named(FailureKind::WrongOutput, &["a.c"], &[("gcc", "-O2")], &[]);
        program.expected = Some(Expected { stdout: vec![0, 255, 10], status: 1 });
        tested.findings = vec![NewFinding {
            attributed_to: None,
            kind: FailureKind::WrongOutput,
            signature: "s".into(),
            summary: "one line".into(),
            standing: Standing::Confirmed,
            subject: Subject::Program(program),
            files: vec![SourceFile { name: "a.c".into(), bytes: vec![0, 255, 10] }],
            artifacts: vec![],
            origin: "o".into(),
            certificate: Certificate { opinions: says.map(opinion).into() },
        }];
        tested
    }

    #[test]
    fn what_is_sent_arrives() {
        let bytes = encode(&ResultMessage::Tested(Box::new(tested()))).expect("bytes");
        let ResultMessage::Tested(read) = decode(&bytes).expect("an answer") else {
            panic!("another")
        };
        assert_eq!(*read, tested());
        assert!(decode::<ResultMessage>(&bytes[..9]).is_err());
    }

    fn spec() -> Spec {
        Spec {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").into(),
            identity: "i".into(),
            workload: serde_json::json!({ "engine": ["yarp"] }),
            files: vec![],
            engines: vec!["yarp".into()],
            lease: 30_000,
            deliveries: 5,
            coordinator: "here".into(),
            open: true,
        }
    }

    #[test]
    fn another_version_is_refused_with_a_sentence() {
        let bytes = serde_json::to_vec(&spec()).expect("JSON");
        assert_eq!(Spec::read(&bytes).expect("ours"), spec());
        let other = Spec { version: "9.9.9".into(), ..spec() };
        let told = Spec::read(&serde_json::to_vec(&other).expect("JSON")).expect_err("refused");
        assert!(told.to_string().contains("gainsay 9.9.9 (protocol 3), and this is"), "{told}");
        assert!(Spec::read(br#"{"protocol": 3, "version": "0.1.0"}"#).is_err());
        assert!(Spec::read(b"nonsense").is_err());
    }

    #[test]
    fn another_workload_is_another_hunt() {
        let other = Spec { workload: serde_json::json!({ "engine": ["csmith"] }), ..spec() };
        assert_ne!(other.hunt(), spec().hunt());
        assert_eq!(
            Spec { open: false, coordinator: "there".into(), ..spec() }.hunt(),
            spec().hunt()
        );
    }

    #[test]
    fn a_set_is_what_compilers_are_and_not_where() {
        let target = |label: &str, version: &str, command: &str| StoredTarget {
            label: label.into(),
            compiler: "gcc".into(),
            version: version.into(),
            triple: "x86_64".into(),
            command: command.into(),
            runner: String::new(),
        };
        let (one, two) = (target("gcc -O0", "12", "/usr/bin/gcc"), target("gcc -O2", "12", "gcc"));
        let here = set_of(&[one.clone(), two.clone()]);
        assert_eq!(here, set_of(&[two.clone(), target("gcc -O0", "12", "/opt/gcc")]));
        assert_ne!(here, set_of(std::slice::from_ref(&one)));
        assert_ne!(here, set_of(&[one, target("gcc -O2", "13", "gcc")]));
    }
}
