//! Findings that are likely to be one bug, put together.
//!
//! A studied finding is known by its study's key. One that was not studied has the key of a studied
//! finding with the same signature, and else its signature. Disputed findings and those that are not
//! confirmed yet are kept apart.

use std::collections::BTreeMap;

use anyhow::Result;
use oracle::FailureKind;

use super::{ListedFinding, NotedState, Store, Suppression};
use crate::record::{BugState, Standing};

/// Findings that are likely to be one bug.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Bug {
    /// What its findings have in common.
    pub key: String,
    /// What kind of failure the representative is.
    pub kind: FailureKind,
    /// Whether its findings count.
    pub standing: Standing,
    /// How many findings.
    pub count: usize,
    /// Their numbers, in order.
    pub ids: Vec<i64>,
    /// Why it is suppressed, if it is.
    pub suppressed: Option<String>,
    /// Whether it is still there. What was found again after it was fixed is open.
    pub state: BugState,
    /// What was last noted of it, with the date.
    pub noted: Option<NotedState>,
    /// The finding to look at: the smallest that was studied, else the newest.
    pub representative: i64,
}

/// What of a study matters here.
#[derive(Clone, Debug)]
pub(super) struct Studied {
    key: String,
    tokens: usize,
}

impl Store {
    /// The bugs: those that stand before disputed ones, suppressed ones last; among each the open ones
    /// first, then by kind, the gravest first. Within a kind the rarest and then the newest are first:
    /// a few bugs make up most findings, and what is found every minute needs no searching for.
    pub fn bugs(&self) -> Result<Vec<Bug>> {
        let findings = self.listed()?;
        Ok(group(&findings, &self.studied()?, &self.patterns()?, &self.states()?))
    }

    /// The key of each finding.
    pub(super) fn keys(&self, findings: &[ListedFinding]) -> Result<Vec<String>> {
        Ok(keys(findings, &self.studied()?))
    }

    pub(super) fn studied(&self) -> Result<BTreeMap<i64, Studied>> {
        if !self.has_studies()? {
            return Ok(BTreeMap::new());
        }
        let mut statement = self.db.prepare("SELECT finding, key, tokens_after FROM study")?;
        let rows = statement.query_map([], |row| {
            let tokens = usize::try_from(row.get::<_, i64>(2)?).unwrap_or(0);
            Ok((row.get(0)?, Studied { key: row.get(1)?, tokens }))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn keys(findings: &[ListedFinding], studies: &BTreeMap<i64, Studied>) -> Vec<String> {
    // The first study of a signature speaks for the findings without one.
    let mut by_signature: BTreeMap<&str, &str> = BTreeMap::new();
    for found in findings {
        if let Some(study) = studies.get(&found.id) {
            by_signature.entry(&found.signature).or_insert(&study.key);
        }
    }
    let key = |found: &ListedFinding| {
        let signature = found.signature.as_str();
        let own = studies.get(&found.id).map(|study| study.key.as_str());
        own.or(by_signature.get(signature).copied()).unwrap_or(signature).to_string()
    };
    findings.iter().map(key).collect()
}

/// Puts findings together.
pub(super) fn group(
    findings: &[ListedFinding],
    studies: &BTreeMap<i64, Studied>,
    suppressions: &[Suppression],
    states: &[(i64, NotedState)],
) -> Vec<Bug> {
    let mut groups: BTreeMap<(Standing, String), Vec<&ListedFinding>> = BTreeMap::new();
    for (found, key) in findings.iter().zip(keys(findings, studies)) {
        groups.entry((found.standing, key)).or_default().push(found);
    }
    let states: BTreeMap<i64, &NotedState> =
        states.iter().map(|(id, noted)| (*id, noted)).collect();
    let bug = |((_, key), members): ((Standing, String), Vec<&ListedFinding>)| {
        let smallest = members
            .iter()
            .filter_map(|found| Some((studies.get(&found.id)?.tokens, *found)))
            .min_by_key(|(tokens, found)| (*tokens, found.id));
        let newest = members.iter().max_by_key(|found| found.id)?;
        let shown = smallest.map_or(*newest, |(_, found)| found);
        let fits = |suppression: &&Suppression| {
            suppression.fits(&key) || members.iter().all(|found| suppression.fits(&found.signature))
        };
        let suppressed = suppressions.iter().find(fits).map(|s| s.reason.clone());
        let noted = members.iter().filter_map(|found| states.get(&found.id)).max_by_key(|n| n.at);
        let last = members.iter().map(|found| found.found_at).max();
        let fixed = noted.is_some_and(|n| n.state == BugState::Fixed && last <= Some(n.at));
        Some(Bug {
            kind: shown.kind,
            standing: shown.standing,
            count: members.len(),
            ids: members.iter().map(|found| found.id).collect(),
            suppressed,
            state: if fixed { BugState::Fixed } else { BugState::Open },
            noted: noted.map(|noted| (*noted).clone()),
            representative: shown.id,
            key,
        })
    };
    let mut bugs: Vec<Bug> = groups.into_iter().filter_map(bug).collect();
    let rank = |kind: FailureKind| FailureKind::ALL.iter().position(|k| *k == kind);
    bugs.sort_by_key(|bug| {
        (
            bug.suppressed.is_some(),
            bug.standing,
            bug.state == BugState::Fixed,
            rank(bug.kind),
            bug.count,
            std::cmp::Reverse(bug.ids.last().copied()),
        )
    });
    bugs
}
