//! Findings that are likely to be one bug, put together.
//!
//! A studied finding is known by its study's key, and so is one that a study explains. Of the others, a failure
//! with words of its own (a crash, a rejection) has the key of a studied finding with the same signature, and else
//! its signature. Wrong code and miscompiled modules have no such words: their signature says only where it was seen,
//! or what a pass must see, so they are *not yet attributed*. Disputed findings and those that are not confirmed yet are kept apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

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
    /// Whether it is one bug. Wrong code, or a miscompiled module, that was not studied, and that no study explains, may be any: such
    /// findings are listed by their signature.
    #[serde(default = "yes")]
    pub attributed: bool,
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

fn yes() -> bool {
    true
}

/// How many bugs there are: the same number on a terminal, in lists, on pages and for scripts.
///
/// A *distinct bug* stands, is not suppressed, and is one bug; what became fixed was one, too. Findings that are not
/// yet attributed are counted apart: each may be any of these bugs, or another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct BugCount {
    /// Distinct bugs.
    pub distinct: usize,
    /// Of these, bugs that are fixed.
    pub fixed: usize,
    /// Findings of distinct bugs.
    pub findings: usize,
    /// Findings that stand and of which nobody knows yet which bug they show.
    pub unattributed: usize,
    /// Bugs that are suppressed.
    pub suppressed: usize,
    /// Findings of these.
    pub suppressed_findings: usize,
    /// Findings that are disputed and not suppressed.
    pub disputed: usize,
    /// Findings that were seen once, and are not suppressed.
    pub unconfirmed: usize,
    /// Findings of a comparison of which it cannot be told whether they are new.
    pub cannot_tell: usize,
}

impl BugCount {
    /// Of bugs as [`Store::bugs`] gives them, or of some of these.
    pub fn of<'b>(bugs: impl IntoIterator<Item = &'b Bug>) -> BugCount {
        let mut sum = BugCount::default();
        for bug in bugs {
            match (&bug.suppressed, bug.standing, bug.attributed) {
                (Some(_), ..) => {
                    sum.suppressed += 1;
                    sum.suppressed_findings += bug.count;
                }
                (None, Standing::Disputed, _) => sum.disputed += bug.count,
                (None, Standing::Unconfirmed, _) => sum.unconfirmed += bug.count,
                (None, Standing::CannotTell, _) => sum.cannot_tell += bug.count,
                (None, Standing::Confirmed, false) => sum.unattributed += bug.count,
                (None, Standing::Confirmed, true) => {
                    sum.distinct += 1;
                    sum.findings += bug.count;
                    sum.fixed += usize::from(bug.state == BugState::Fixed);
                }
            }
        }
        sum
    }
}

impl fmt::Display for BugCount {
    /// `3 distinct bugs, 5 findings not yet attributed`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let s = |n: usize| if n == 1 { "" } else { "s" };
        write!(f, "{} distinct bug{}", self.distinct, s(self.distinct))?;
        match self.unattributed {
            0 => Ok(()),
            n => write!(f, ", {n} finding{} not yet attributed", s(n)),
        }
    }
}

/// What of a study matters here.
#[derive(Clone, Debug)]
pub(super) struct Studied {
    key: String,
    tokens: usize,
}

impl Store {
    /// The bugs: those that stand before disputed ones, suppressed ones last; among each those that are one bug
    /// before what is not yet attributed, the open ones
    /// first, then by kind, the gravest first. Within a kind the rarest and then the newest are first:
    /// a few bugs make up most findings, and what is found every minute needs no searching for.
    pub fn bugs(&self) -> Result<Vec<Bug>> {
        let findings = self.listed()?;
        let (studied, explained) = (self.studied()?, self.attributions()?);
        Ok(group(&findings, &studied, &explained, &self.patterns()?, &self.states()?))
    }

    /// The key of each finding.
    pub(super) fn keys(&self, findings: &[ListedFinding]) -> Result<Vec<String>> {
        let keys = keys(findings, &self.studied()?, &self.attributions()?);
        Ok(keys.into_iter().map(|(key, _)| key).collect())
    }

    /// The numbers of the findings that were studied.
    pub fn studied_ids(&self) -> Result<BTreeSet<i64>> {
        Ok(self.studied()?.into_keys().collect())
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

/// The key of each finding, and whether that is one bug's.
fn keys(
    findings: &[ListedFinding],
    studies: &BTreeMap<i64, Studied>,
    explained: &BTreeMap<i64, i64>,
) -> Vec<(String, bool)> {
    // The first study of a signature speaks for the findings without one.
    let mut by_signature: BTreeMap<&str, &str> = BTreeMap::new();
    for found in findings {
        if let Some(study) = studies.get(&found.id) {
            by_signature.entry(&found.signature).or_insert(&study.key);
        }
    }
    let study_key = |id: &i64| studies.get(id).map(|study| study.key.as_str());
    let key = |found: &ListedFinding| {
        let signature = found.signature.as_str();
        // What explains it was learnt after its own study, if that was only begun.
        let explained = explained.get(&found.id).and_then(study_key);
        let own = explained.or_else(|| study_key(&found.id));
        let is_told = found.kind.names_its_bug();
        let alike = || by_signature.get(signature).copied().filter(|_| is_told);
        let key = own.or_else(alike);
        // The study of a program that is still large has no key of its own.
        let key = key.filter(|key| *key != signature);
        (key.unwrap_or(signature).to_string(), key.is_some() || is_told)
    };
    findings.iter().map(key).collect()
}

/// Puts findings together.
pub(super) fn group(
    findings: &[ListedFinding],
    studies: &BTreeMap<i64, Studied>,
    explained: &BTreeMap<i64, i64>,
    suppressions: &[Suppression],
    states: &[(i64, NotedState)],
) -> Vec<Bug> {
    let mut groups: BTreeMap<(Standing, (String, bool)), Vec<&ListedFinding>> = BTreeMap::new();
    for (found, key) in findings.iter().zip(keys(findings, studies, explained)) {
        groups.entry((found.standing, key)).or_default().push(found);
    }
    let states: BTreeMap<i64, &NotedState> =
        states.iter().map(|(id, noted)| (*id, noted)).collect();
    let bug = |((_, (key, attributed)), members): ((_, (String, bool)), Vec<&ListedFinding>)| {
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
            attributed,
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
            !bug.attributed,
            bug.state == BugState::Fixed,
            rank(bug.kind),
            bug.count,
            std::cmp::Reverse(bug.ids.last().copied()),
        )
    });
    bugs
}
