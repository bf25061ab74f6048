//! From the log of a run to the pass that was running last.
//!
//! A pass has a line for each function or loop that it visits. With each pass in a group of its own
//! ([`super::Grouping::Alone`]) every pass has at least one: groups of loop passes bring loops into shape
//! first, on every function, and that is logged even where there are none ([`Pass::opening`]).
//! So the lines can be followed strictly, from the beginning ([`reached`]) or, if only the end of a long log
//! was kept, from wherever it fits ([`reached_by_end`]).

use std::collections::BTreeSet;

use super::Sequence;
use crate::inventory::log::{Step, steps};
use crate::inventory::{Inventory, Pass, Unit};

/// The index in the sequence of the pass that the last line of a log is about. `None` if it is about none of
/// them.
pub fn reached(sequence: &Sequence, inventory: &Inventory, log: &str) -> Option<usize> {
    let passes: Vec<&Pass> = sequence.passes(inventory).collect();
    let lines: Vec<Step<'_>> = steps(log).collect();
    follow(&passes, &lines, None, true).or_else(|| follow(&passes, &lines, None, false))
}

/// The same of a log that has lost its beginning, as in [`llvm::Crash::printed`] of a long one. `None` also
/// if it could be one as well as another.
pub fn reached_by_end(sequence: &Sequence, inventory: &Inventory, log: &str) -> Option<usize> {
    let passes: Vec<&Pass> = sequence.passes(inventory).collect();
    let lines: Vec<Step<'_>> = steps(log).collect();
    if lines.is_empty() {
        return None;
    }
    let starts = std::iter::once(None).chain((0..passes.len()).map(Some));
    let ends: BTreeSet<usize> =
        starts.filter_map(|start| follow(&passes, &lines, start, true)).collect();
    if ends.len() == 1 { ends.first().copied() } else { None }
}

/// Where the lines lead from a start, which may be in the midst of a pass. Unless strict, passes
/// without a line and lines without a pass are passed over.
fn follow(
    passes: &[&Pass],
    lines: &[Step<'_>],
    start: Option<usize>,
    is_strict: bool,
) -> Option<usize> {
    let mut at = start;
    let mut seen = BTreeSet::new();
    for line in lines {
        let is_new = line.unit.is_empty() || seen.insert((line.class, line.unit));
        let next = at.map_or(0, |at| at + 1);
        if at.is_some_and(|at| stays(passes[at], passes.get(next), line, is_new)) {
            continue;
        }
        let rest = &passes[next.min(passes.len())..];
        let ahead = if is_strict { &rest[..rest.len().min(1)] } else { rest };
        match ahead.iter().position(|pass| enters(pass, line)) {
            Some(skipped) => at = Some(next + skipped),
            None if is_strict => return None,
            None => continue,
        }
        seen = BTreeSet::from([(line.class, line.unit)]);
    }
    at
}

/// Whether a line may be the first of a pass.
fn enters(pass: &Pass, line: &Step<'_>) -> bool {
    line.class == pass.opening.first().unwrap_or(&pass.class)
}

/// Whether a line may be another one of the pass that is running.
fn stays(pass: &Pass, next: Option<&&Pass>, line: &Step<'_>, is_new: bool) -> bool {
    // Functions are visited once.
    if pass.opening.iter().any(|class| class == line.class) {
        return is_new;
    }
    match pass.unit {
        Unit::Module => false,
        Unit::Function => line.class == pass.class && is_new,
        // Callers are visited again when what they call was changed; only the same pass right behind
        // makes that doubtful.
        Unit::Cgscc => {
            line.class == pass.class && (is_new || next.is_none_or(|next| next.class != pass.class))
        }
        Unit::LoopNest | Unit::Loop => line.class == pass.class,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{sequence, usual};
    use super::*;

    /// `class unit` in a line each.
    fn log(lines: &[&str]) -> String {
        let line = |line: &&str| {
            let (class, unit) = line.split_once(' ').expect("a class and a unit");
            format!(
                "Running pass: {class}Pass on {unit} (3 instructions)\nRunning analysis: A on f\n"
            )
        };
        lines.iter().map(line).collect()
    }

    fn check(names: &str, lines: &[&str], expected: Option<usize>) {
        let inventory = usual();
        let found = reached(&sequence(names, &inventory), &inventory, &log(lines));
        assert_eq!(found, expected, "{names}: {lines:?}");
    }

    const LOOP: [&str; 5] =
        ["LoopSimplify f", "LCSSA f", "IndVarSimplify l", "LoopSimplify g", "LCSSA g"];

    #[test]
    fn the_whole_log() {
        check("dce dce", &["DCE f", "DCE g"], Some(0));
        check("dce dce", &["DCE f", "DCE g", "DCE f"], Some(1));
        check("globaldce globaldce dce", &["GlobalDCE [module]"], Some(0));
        check("globaldce globaldce dce", &["GlobalDCE [module]", "GlobalDCE [module]"], Some(1));
        check("indvars loop-simplify", &LOOP, Some(0));
        check("indvars loop-simplify", &[&LOOP[..], &["LoopSimplify f"]].concat(), Some(1));
        check("loop-simplify indvars", &["LoopSimplify f", "LoopSimplify g"], Some(0));
        check("indvars indvars", &[&LOOP[..], &LOOP[..3]].concat(), Some(1));
        // The loop pass has nothing to do.
        check("licm dce", &["LoopSimplify f", "LCSSA f", "DCE f"], Some(1));
        // What a pass needs belongs to it.
        let structured = ["LowerSwitch f", "StructurizeCFG f", "LowerSwitch g", "StructurizeCFG g"];
        check("structurizecfg structurizecfg dce", &structured, Some(0));
        check("structurizecfg structurizecfg dce", &[structured, structured].concat(), Some(1));
        // A caller again.
        check("inline dce", &["Inliner (g)", "Inliner (f)", "Inliner (g)"], Some(0));
        check("inline inline", &["Inliner (g)", "Inliner (f)", "Inliner (g)"], Some(1));
        check("dce", &[], None);
    }

    #[test]
    fn functions_without_names() {
        check("dce dce dce", &["DCE f", "DCE ", "DCE ", "DCE f", "DCE "], Some(1));
    }

    #[test]
    fn only_the_end_of_the_log() {
        let inventory = usual();
        for (names, lines, expected) in [
            ("dce globaldce inline dce", &["Inliner (g)", "DCE f"][..], Some(3)),
            ("globaldce dce inline globaldce dce inline", &["DCE g", "Inliner (f)"], None),
            ("globaldce globaldce", &["GlobalDCE [module]"], None),
            ("dce inline", &["LICM l"], None),
            ("dce inline", &[], None),
        ] {
            let found = reached_by_end(&sequence(names, &inventory), &inventory, &log(lines));
            assert_eq!(found, expected, "{names}: {lines:?}");
        }
    }

    #[test]
    fn lines_that_are_nobodys() {
        check("dce globaldce inline", &["DCE f", "Unheard f", "Inliner (f)"], Some(2));
        check("dce", &["Unheard f"], None);
    }
}
