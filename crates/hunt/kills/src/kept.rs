//! What the folder of a hunt holds, and what was announced of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::Result;
use campaign::{Snapshot, Standing, Store};
use serde_json::Value;

/// What a folder holds.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Tests, those of batches one by one.
    pub tests: u64,
    /// Findings with their signatures.
    pub findings: BTreeMap<i64, (String, Standing)>,
    /// Findings that were studied.
    pub studies: BTreeSet<i64>,
    /// Findings that a study explains.
    pub attributed: BTreeSet<i64>,
    /// The first of each signature among those of compilers that were not studied yet.
    waiting: BTreeSet<i64>,
}

/// How many findings of a folder are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FolderState {
    /// Seen, and not confirmed.
    pub unconfirmed: usize,
    /// Waiting for their study, or in it.
    pub waiting: usize,
    /// Studied.
    pub studied: usize,
    /// Explained by the study of another.
    pub attributed: usize,
}

impl Kept {
    /// What is in a folder, and what does not hold of it. A folder without a store holds nothing.
    pub fn read(out: &Path) -> Result<(Kept, Vec<String>)> {
        if !Store::is_in(out)? {
            return Ok((Kept::default(), Vec::new()));
        }
        let store = Store::open(out)?;
        let wrong = store.verify()?;
        Ok((Kept::of(&store.snapshot()?), wrong))
    }

    fn of(shot: &Snapshot) -> Kept {
        let mut kept = Kept {
            tests: shot.tests(),
            studies: shot.studies.keys().copied().collect(),
            attributed: shot.attributions.keys().copied().collect(),
            ..Kept::default()
        };
        let mut seen = BTreeSet::new();
        for found in &shot.findings {
            kept.findings.insert(found.id, (found.signature.clone(), found.standing));
            let stands = found.standing == Standing::Confirmed;
            if stands && found.kind.is_of_a_compiler() && seen.insert(&found.signature) {
                kept.waiting.insert(found.id);
            }
        }
        kept.waiting.retain(|id| !kept.studies.contains(id));
        kept
    }

    /// Its findings by state.
    pub fn state(&self) -> FolderState {
        let unconfirmed = |(_, standing): &&(String, Standing)| *standing == Standing::Unconfirmed;
        FolderState {
            unconfirmed: self.findings.values().filter(unconfirmed).count(),
            waiting: self.waiting.len(),
            studied: self.studies.len(),
            attributed: self.attributed.len(),
        }
    }

    /// What was there before and is not in `now`.
    pub fn lost(&self, now: &Kept) -> Vec<String> {
        let mut wrong = Vec::new();
        if now.tests < self.tests {
            wrong.push(format!("{} tests of {} are left", now.tests, self.tests));
        }
        for (id, (signature, standing)) in &self.findings {
            wrong.extend(now.lacks(*id, signature, *standing));
        }
        for id in self.studies.difference(&now.studies) {
            wrong.push(format!("the study of #{id} is lost"));
        }
        // One that is studied afterwards speaks for itself.
        for id in self.attributed.iter().filter(|id| !now.studies.contains(id)) {
            if !now.attributed.contains(id) {
                wrong.push(format!("what explains #{id} is lost"));
            }
        }
        wrong
    }

    fn lacks(&self, id: i64, signature: &str, standing: Standing) -> Option<String> {
        match self.findings.get(&id) {
            None => Some(format!("finding #{id} is lost: {signature}")),
            Some((now, _)) if now != signature => {
                Some(format!("finding #{id} is another now: {now}, and was {signature}"))
            }
            Some((_, Standing::Unconfirmed)) if standing != Standing::Unconfirmed => {
                Some(format!("finding #{id} is not confirmed any more"))
            }
            Some(_) => None,
        }
    }

    /// What these events of one run announced and the folder does not hold; `before` is what it held then.
    pub fn unkept(&self, before: &Kept, events: &[Value]) -> Vec<String> {
        let mut wrong = Vec::new();
        for event in events {
            let id = event["id"].as_i64().unwrap_or_default();
            match event["event"].as_str() {
                Some("begin") if event["tests"].as_u64() != Some(before.tests) => {
                    let tests = &event["tests"];
                    wrong.push(format!("it goes on after {tests} tests of {}", before.tests));
                }
                Some("finding") => {
                    let standing = match event["standing"].as_str() {
                        Some("unconfirmed") => Standing::Unconfirmed,
                        _ => Standing::Confirmed,
                    };
                    let signature = event["signature"].as_str().unwrap_or_default();
                    wrong.extend(self.lacks(id, signature, standing));
                }
                Some("study") if event["failed"].is_null() && !self.studies.contains(&id) => {
                    wrong.push(format!("the study of #{id} was announced and is not there"));
                }
                _ => {}
            }
            if event["tests"].as_u64().is_some_and(|tests| tests > self.tests) {
                let tests = &event["tests"];
                wrong.push(format!("{tests} tests were announced, {} are there", self.tests));
            }
        }
        wrong
    }

    /// What the last event of a run that ended in order says otherwise than its folder.
    pub fn disagrees(&self, end: &Value) -> Vec<String> {
        let count = |is: &dyn Fn(Standing) -> bool| {
            self.findings.values().filter(|(_, standing)| is(*standing)).count() as u64
        };
        let confirmed: u64 = end["findings"]
            .as_object()
            .map_or(0, |kinds| kinds.values().filter_map(Value::as_u64).sum());
        let said = |field: &str| end[field].as_u64().unwrap_or_default();
        let sums = [
            ("tests", said("tests"), self.tests),
            ("findings", confirmed, count(&|s| s == Standing::Confirmed)),
            ("disputed findings", said("disputed"), count(&|s| s == Standing::Disputed)),
            ("unconfirmed findings", said("unconfirmed"), count(&|s| s == Standing::Unconfirmed)),
        ];
        let differ = sums.iter().filter(|(_, said, kept)| said != kept);
        differ
            .map(|(what, said, kept)| format!("it says {said} {what}, the store {kept}"))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kept() -> Kept {
        let finding = |standing| ("ice in fold".to_string(), standing);
        Kept {
            tests: 7,
            findings: BTreeMap::from([
                (1, finding(Standing::Confirmed)),
                (2, finding(Standing::Unconfirmed)),
            ]),
            studies: BTreeSet::from([1]),
            attributed: BTreeSet::from([2]),
            waiting: BTreeSet::new(),
        }
    }

    #[test]
    fn each_loss_is_noticed() {
        let before = kept();
        assert_eq!(before.lost(&before), Vec::<String>::new());
        let losses: [&dyn Fn(&mut Kept); 5] = [
            &|now| now.tests = 6,
            &|now| _ = now.findings.remove(&2),
            &|now| now.studies.clear(),
            &|now| now.attributed.clear(),
            &|now| _ = now.findings.insert(1, ("ice in fold".into(), Standing::Unconfirmed)),
        ];
        for lose in losses {
            let mut now = kept();
            lose(&mut now);
            assert_eq!(before.lost(&now).len(), 1, "{now:?}");
        }
    }

    #[test]
    fn what_was_announced_must_be_there() {
        let (before, now) = (Kept { tests: 5, ..Kept::default() }, kept());
        let kept_word = [
            json!({"event": "begin", "tests": 5}),
            json!({"event": "finding", "id": 1, "signature": "ice in fold", "standing": "confirmed"}),
            json!({"event": "study", "id": 1}),
            json!({"event": "study", "id": 2, "failed": "no"}),
            json!({"event": "progress", "tests": 7}),
        ];
        assert_eq!(now.unkept(&before, &kept_word), Vec::<String>::new());
        for broken in [
            json!({"event": "begin", "tests": 4}),
            json!({"event": "finding", "id": 3, "signature": "x", "standing": "confirmed"}),
            json!({"event": "finding", "id": 1, "signature": "x", "standing": "confirmed"}),
            json!({"event": "finding", "id": 2, "signature": "ice in fold", "standing": "confirmed"}),
            json!({"event": "study", "id": 2}),
            json!({"event": "progress", "tests": 8}),
        ] {
            assert_eq!(now.unkept(&before, std::slice::from_ref(&broken)).len(), 1, "{broken}");
        }
    }

    #[test]
    fn sums_are_compared() {
        let end =
            |n: u64| json!({"tests": n, "findings": {"a": 1}, "disputed": 0, "unconfirmed": 1});
        assert_eq!(kept().disagrees(&end(7)), Vec::<String>::new());
        assert_eq!(kept().disagrees(&end(8)), ["it says 8 tests, the store 7"]);
    }
}
