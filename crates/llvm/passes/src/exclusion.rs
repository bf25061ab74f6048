//! Sequences that are not run, because what they find is known already (CTOS Table 3).
//!
//! A finding that turns up again and again hides others. Until it is fixed, the passes that bring it about
//! are not drawn together: an [`Exclusion`] is a pass, an ordered pair with anything between, or a regular
//! expression over the names, with the finding it stands for. They are written by hand in a file, or learnt:
//! the most frequent pair in the reduced sequences of one finding, as in the paper.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::{fs, io};

use choice::Choices;
use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::inventory::Inventory;
use crate::sequence::{Draw, Sequence};

/// A finding is excluded when it was seen this often: fewer duplicates cost less than what their exclusion
/// hides.
const OFTEN: u32 = 5;

/// What is excluded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Excluded {
    /// A pass, wherever it stands.
    Pass(String),
    /// A pass, and somewhere behind it another.
    Pair(String, String),
    /// A regular expression that matches somewhere in the names joined by blanks.
    Pattern(String),
}

/// An exclusion.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exclusion {
    /// What is not drawn.
    pub what: Excluded,
    /// The finding that it stands for; of one that was learnt, its signature.
    pub reason: String,
    /// Not written by a person.
    #[serde(default)]
    pub learnt: bool,
    /// How often it kept a pass from being drawn.
    #[serde(default)]
    pub hits: u64,
}

/// All exclusions, and what is counted for those to come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "ExclusionsFile", into = "ExclusionsFile")]
pub struct Exclusions {
    rules: Vec<Rule>,
    noted: BTreeMap<String, ReductionCounts>,
}

/// As in the file.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct ExclusionsFile {
    excluded: Vec<Exclusion>,
    #[serde(default)]
    noted: BTreeMap<String, ReductionCounts>,
}

#[derive(Clone, Debug)]
struct Rule {
    exclusion: Exclusion,
    /// Of a pattern.
    regex: Option<Regex>,
}

/// What was seen of one finding.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ReductionCounts {
    /// Reduced sequences.
    count: u32,
    /// In how many of them each pass was, and each ordered pair, as `first then`.
    passes: BTreeMap<String, u32>,
    pairs: BTreeMap<String, u32>,
}

impl Exclusions {
    /// Those of a file, none if there is no file. `Err` is a sentence.
    pub fn read(path: &Path) -> Result<Exclusions, String> {
        let wrong = |e: String| format!("{}: {e}", path.display());
        match fs::read(path) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Exclusions::default()),
            Err(e) => Err(wrong(e.to_string())),
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|e| wrong(e.to_string())),
        }
    }

    /// Writes the file.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = serde_json::to_string_pretty(self).map_err(io::Error::other)?;
        sandbox::replace_file(path, text + "\n")
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Exclusion> {
        self.rules.iter().map(|rule| &rule.exclusion)
    }

    /// Adds one. `Err` is a sentence about its regular expression.
    pub fn add(&mut self, exclusion: Exclusion) -> Result<(), String> {
        self.rules.push(Rule::new(exclusion)?);
        Ok(())
    }

    /// Whether nothing in a sequence is excluded.
    pub fn allows(&self, sequence: &Sequence, inventory: &Inventory) -> bool {
        let names = sequence.names(inventory);
        let ends = 0..names.len();
        // A pattern may need the end of the whole; for the rest each pass is the last of its beginning.
        self.rules.iter().all(|rule| match &rule.regex {
            Some(regex) => !regex.is_match(&names.join(" ")),
            None => ends.clone().all(|at| !rule.forbids(&names[..at], names[at], "")),
        })
    }

    /// A sequence that is allowed. A pass that would make it excluded is drawn again, and nothing else: all
    /// passes that are allowed in its place are alike. So of an excluded pair, the first shuts the second
    /// out from there on; which of both a sequence has behind that is left to chance. If no pass is allowed,
    /// the sequence ends early.
    pub fn draw(
        &mut self,
        draw: &Draw,
        list: &[u16],
        inventory: &Inventory,
        choices: &mut Choices,
    ) -> Sequence {
        let rules = &mut self.rules;
        let mut names: Vec<&str> = Vec::new();
        let mut joined = String::new();
        draw.draw_while(list, choices, |before, next| {
            for number in &before[names.len()..] {
                let name = inventory.pass(*number).map_or("", |pass| &pass.name);
                names.push(name);
                joined.push_str(name);
                joined.push(' ');
            }
            let next = inventory.pass(next).map_or("", |pass| &pass.name);
            let against = rules.iter_mut().find(|rule| rule.forbids(&names, next, &joined));
            let is_allowed = against.is_none();
            if let Some(rule) = against {
                rule.exclusion.hits += 1;
            }
            is_allowed
        })
    }

    /// Counts a reduced sequence of a finding. When it is seen often, and a pair is in most of its sequences,
    /// or else a pass, that is excluded from now on, and returned.
    pub fn note(&mut self, reduced: &[&str], signature: &str) -> Option<&Exclusion> {
        let noted = self.noted.entry(signature.to_string()).or_default();
        noted.count += 1;
        for name in reduced.iter().collect::<BTreeSet<_>>() {
            *noted.passes.entry(name.to_string()).or_default() += 1;
        }
        let pairs = reduced.iter().enumerate().flat_map(|(at, first)| {
            reduced[at + 1..].iter().map(move |then| format!("{first} {then}"))
        });
        for pair in pairs.collect::<BTreeSet<_>>() {
            *noted.pairs.entry(pair).or_default() += 1;
        }
        let what = noted.exclusion()?;
        let is_known = |rule: &Rule| {
            rule.exclusion.what == what
                || rule.exclusion.learnt && rule.exclusion.reason == signature
        };
        if self.rules.iter().any(is_known) {
            return None;
        }
        let reason = signature.to_string();
        self.add(Exclusion { what, reason, learnt: true, hits: 0 }).ok()?;
        self.iter().last()
    }

    /// Drops what was learnt of a finding that is no more, and its counts. How many exclusions went.
    pub fn forget(&mut self, signature: &str) -> usize {
        self.noted.remove(signature);
        let before = self.rules.len();
        self.rules.retain(|rule| !(rule.exclusion.learnt && rule.exclusion.reason == signature));
        before - self.rules.len()
    }
}

impl ReductionCounts {
    /// What is to be excluded, if it is time. Of several that are equally frequent, the first by name.
    fn exclusion(&self) -> Option<Excluded> {
        if self.count < OFTEN {
            return None;
        }
        let most = |counts: &BTreeMap<String, u32>| {
            let best = counts.iter().rev().max_by_key(|(_, count)| **count)?;
            (*best.1 * 2 > self.count).then(|| best.0.clone())
        };
        let pair = most(&self.pairs).and_then(|pair| {
            let (first, then) = pair.split_once(' ')?;
            Some(Excluded::Pair(first.to_string(), then.to_string()))
        });
        pair.or_else(|| most(&self.passes).map(Excluded::Pass))
    }
}

impl Rule {
    fn new(exclusion: Exclusion) -> Result<Rule, String> {
        let regex = match &exclusion.what {
            Excluded::Pattern(text) => {
                let wrong = |e| format!("`{text}` is no regular expression: {e}");
                Some(Regex::new(text).map_err(wrong)?)
            }
            Excluded::Pass(_) | Excluded::Pair(..) => None,
        };
        Ok(Rule { exclusion, regex })
    }

    /// Whether a pass may not stand behind others. `joined` is those with a blank behind each.
    fn forbids(&self, before: &[&str], next: &str, joined: &str) -> bool {
        match (&self.exclusion.what, &self.regex) {
            (Excluded::Pass(name), _) => name == next,
            (Excluded::Pair(first, then), _) => then == next && before.contains(&first.as_str()),
            (Excluded::Pattern(_), Some(regex)) => regex.is_match(&format!("{joined}{next}")),
            (Excluded::Pattern(_), None) => false,
        }
    }
}

impl TryFrom<ExclusionsFile> for Exclusions {
    type Error = String;

    fn try_from(text: ExclusionsFile) -> Result<Exclusions, String> {
        let rules = text.excluded.into_iter().map(Rule::new).collect::<Result<_, _>>()?;
        Ok(Exclusions { rules, noted: text.noted })
    }
}

impl From<Exclusions> for ExclusionsFile {
    fn from(exclusions: Exclusions) -> ExclusionsFile {
        let excluded = exclusions.rules.into_iter().map(|rule| rule.exclusion).collect();
        ExclusionsFile { excluded, noted: exclusions.noted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequence::tests::{sequence, usual};

    fn excluded(what: &[Excluded]) -> Exclusions {
        let mut all = Exclusions::default();
        for what in what {
            let reason = "a finding".to_string();
            let one = Exclusion { what: what.clone(), reason, learnt: false, hits: 0 };
            all.add(one).expect("a good one");
        }
        all
    }

    fn pair(first: &str, then: &str) -> Excluded {
        Excluded::Pair(first.into(), then.into())
    }

    #[test]
    fn what_is_allowed() {
        let inventory = usual();
        let all = excluded(&[
            pair("dce", "licm"),
            pair("inline", "inline"),
            Excluded::Pattern("globaldce dce$".into()),
            Excluded::Pass("loop-flatten".into()),
        ]);
        for (names, expected) in [
            ("licm dce", true),
            ("dce indvars licm", false),
            ("inline dce globaldce", true),
            ("inline dce inline", false),
            ("globaldce dce inline", true),
            ("inline globaldce dce", false),
            ("loop-flatten", false),
        ] {
            assert_eq!(all.allows(&sequence(names, &inventory), &inventory), expected, "{names}");
        }
    }

    #[test]
    fn what_is_drawn() {
        let inventory = usual();
        let list: Vec<u16> = (0..7).collect();
        let what = [
            pair("dce", "licm"),
            pair("indvars", "indvars"),
            Excluded::Pattern("inline (dce|licm)".into()),
        ];
        let mut all = excluded(&what);
        let mut choices = Choices::new(1);
        let mut counts = [0usize; 7];
        for _ in 0..200 {
            let drawn = all.draw(&Draw::default(), &list, &inventory, &mut choices);
            assert!(all.allows(&drawn, &inventory), "{:?}", drawn.names(&inventory));
            assert!(drawn.0.len() >= 50);
            drawn.0.iter().for_each(|number| counts[usize::from(*number)] += 1);
        }
        assert!(all.iter().all(|one| one.hits > 100), "{all:?}");
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
        // Those that no rule is about are alike.
        assert!(counts[0].abs_diff(counts[3]) < counts[0] / 10, "{counts:?}");
        // Without exclusions it is the plain draw.
        let (mut some, mut same) = (Choices::new(2), Choices::new(2));
        let drawn = Exclusions::default().draw(&Draw::default(), &list, &inventory, &mut some);
        assert_eq!(drawn, Draw::default().draw(&list, &mut same));
        // Nothing is left.
        let none: Vec<Excluded> =
            inventory.passes.iter().map(|p| Excluded::Pass(p.name.clone())).collect();
        assert!(
            excluded(&none).draw(&Draw::default(), &list, &inventory, &mut choices).0.is_empty()
        );
    }

    #[test]
    fn what_is_learnt() {
        let mut all = Exclusions::default();
        for reduced in [&["a", "b"][..], &["x", "a", "b"], &["b"], &["a", "c", "b"]] {
            assert_eq!(all.note(reduced, "crash in B"), None);
            assert_eq!(all.note(&["a"], "crash in A"), None);
        }
        let learnt = all.note(&["b", "c"], "crash in B").cloned().expect("the fifth");
        assert_eq!((&learnt.what, learnt.learnt), (&pair("a", "b"), true));
        assert_eq!(all.note(&["b", "c"], "crash in B"), None, "once");
        let learnt = all.note(&["a"], "crash in A").cloned();
        assert_eq!(learnt.map(|one| one.what), Some(Excluded::Pass("a".into())));
        // No pass is in most of them.
        for reduced in [["p"], ["q"], ["r"], ["p"], ["q"], ["r"]] {
            assert_eq!(all.note(&reduced, "crash anywhere"), None);
        }
        assert_eq!(all.forget("crash in B"), 1);
        assert_eq!(all.iter().map(|one| one.reason.as_str()).collect::<Vec<_>>(), ["crash in A"]);
        assert_eq!(all.note(&["a", "b"], "crash in B"), None, "counted from the beginning");
    }

    #[test]
    fn files_are_for_people() {
        let by_hand = r#"{ "excluded": [
            { "what": { "pair": ["reg2mem", "newgvn"] }, "reason": "wrong code" },
            { "what": { "pattern": "gvn.*gvn" }, "reason": "slow" }
        ] }"#;
        let all: Exclusions = serde_json::from_str(by_hand).expect("well formed");
        assert_eq!(all.iter().next().map(|one| &one.what), Some(&pair("reg2mem", "newgvn")));
        let again: Exclusions = serde_json::to_string(&all)
            .and_then(|text| serde_json::from_str(&text))
            .expect("as it was");
        assert!(again.iter().eq(all.iter()));
        let wrong = r#"{ "excluded": [{ "what": { "pattern": "(" }, "reason": "" }] }"#;
        let told = serde_json::from_str::<Exclusions>(wrong).expect_err("a bracket").to_string();
        assert!(told.contains("`(` is no regular expression"), "{told}");
        assert!(
            Exclusions::read(Path::new("/no/such/file")).is_ok_and(|all| all.iter().count() == 0)
        );
    }
}
