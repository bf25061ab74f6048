//! Which studied bug explains a program that fails, asked before it is reduced.
//!
//! A study knows what hides its bug in any program: a [`Mask`]. Of a program that fails in the same
//! way each mask is asked whether it hides this failure, too; if one does, it is the same bug. Where masks of two bugs do,
//! it is reduced first. If none does alone, two bugs may be in one program: then all masks together are tried, and the program goes to the bug
//! without whose mask it still fails. What not even all of them hide is a bug that nobody has seen, and is reduced
//! behind those masks with which it still fails ([`KnownMasks`]).
//!
//! Programs of C only; modules of LLVM are asked in [`crate::explain`].

use std::collections::BTreeSet;

use finding::Subject;
use oracle::{Case, FailureKind, Lab, Trouble};
use reduce::KnownMasks;
use toolchain::{Family, Language, Target};
use triage::{Mask, MaskProbe};

use crate::record::Study;

/// Bugs that are known, each by a finding that was studied: the most frequent first.
pub type KnownBugs = [(i64, Study)];

/// What is known of a program that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribution {
    /// The bug of the finding with this number, studied before, explains it.
    Explained(i64),
    /// No bug that is known explains it. It fails behind these masks, too.
    New(KnownMasks),
}

/// The masks of wrong code of a family.
fn masks(known: &KnownBugs, family: Family) -> Vec<(i64, &Mask)> {
    let is_meant = |study: &Study| match &study.subject {
        Subject::Program(program) => {
            program.kind.is_wrong_code()
                && program.first().is_some_and(|compiler| compiler.family == family)
                && study.mask.is_telling()
        }
        Subject::Module(_) | Subject::Sequence(_) | Subject::Judged(_) => false,
    };
    known.iter().filter(|(_, s)| is_meant(s)).map(|(id, s)| (*id, &s.mask)).collect()
}

/// Which known bug explains that a program is wrong on a target.
pub fn attribute(
    lab: &Lab,
    case: &Case,
    kind: FailureKind,
    target: &Target,
    known: &KnownBugs,
) -> Result<Attribution, Trouble> {
    let nothing = Attribution::New(KnownMasks::default());
    let masks = masks(known, target.compiler.family);
    if !kind.is_wrong_code() || case.language != Language::C || masks.is_empty() {
        return Ok(nothing);
    }
    let probe = MaskProbe::new(
        lab,
        case,
        target,
        reduce::executed(case, std::slice::from_ref(target)).ok(),
    )?;
    let mut explained: Option<i64> = None;
    for (id, mask) in &masks {
        let is_other = || explained.is_some_and(|other| key(known, other) != key(known, *id));
        if (explained.is_none() || is_other()) && probe.is_hidden_by(mask)? {
            if explained.is_some() {
                // Masked values are hidden from everything that the compiler knows of them: one of the two is
                // hidden by accident, and only the reduced program tells which.
                return Ok(nothing);
            }
            explained = Some(*id);
        }
    }
    match explained {
        Some(id) => Ok(Attribution::Explained(id)),
        None => together(&probe, &masks),
    }
}

/// The key of a bug that is known.
fn key(known: &KnownBugs, id: i64) -> Option<&str> {
    known.iter().find(|(of, _)| *of == id).map(|(_, study)| study.key.as_str())
}

/// Several bugs in one program.
fn together(probe: &MaskProbe<'_>, masks: &[(i64, &Mask)]) -> Result<Attribution, Trouble> {
    let maskable = probe.maskable();
    let of = |masks: &[(i64, &Mask)]| -> KnownMasks {
        let constructs = masks.iter().filter_map(|(_, mask)| mask.construct);
        // One that hides nearly every bug would hide the unknown one.
        let constructs = constructs.filter(|c| !c.hides_much() && maskable.contains(c)).collect();
        let flags = masks.iter().filter(|(_, m)| m.construct.is_none());
        let flags = flags.flat_map(|(_, m)| m.switch.iter().flatten().cloned()).collect();
        KnownMasks { constructs, flags }
    };
    let is_right = |all: &KnownMasks| probe.is_right_behind(&all.constructs, &all.flags);
    let all = of(masks);
    if all.is_empty() {
        return Ok(Attribution::New(all));
    }
    if is_right(&all)? {
        // The rarest of those that are needed: the others are found often enough.
        let mut needed = masks.to_vec();
        let mut at = 0;
        while at < needed.len() && needed.len() > 1 {
            let mut fewer = needed.clone();
            fewer.remove(at);
            match is_right(&of(&fewer))? {
                true => needed = fewer,
                false => at += 1,
            }
        }
        return Ok(match needed.as_slice() {
            [.., (rarest, _)] if needed.len() > 1 => Attribution::Explained(*rarest),
            // About the same construct, and not in the same part of the compiler.
            _ => Attribution::New(KnownMasks::default()),
        });
    }
    Ok(Attribution::New(all))
}

/// The key of a study that is about the same bug as a reduced program: the one whose mask hides its failure.
pub fn same_bug<'a>(
    probe: &MaskProbe<'_>,
    family: Family,
    known: &'a KnownBugs,
) -> Result<Option<&'a str>, Trouble> {
    let mut asked = BTreeSet::new();
    for (id, mask) in masks(known, family) {
        let key = key(known, id);
        if asked.insert(key) && probe.is_hidden_by(mask)? {
            return Ok(key);
        }
    }
    Ok(None)
}
