//! Which of the passes without which a bug is gone is the one to name.
//!
//! Usually there are several: what prepares the code for the wrong transformation, the transformation,
//! and what makes use of its wrong result. The rule: a pass whose own debug counter hides the bug too
//! comes before one whose own option does, and that before the others; among equals the last in the
//! pipeline, because most passes prepare; and inlining only where there is nothing else, because nearly
//! everything needs it. It is a guess: all culprits are kept.

use crate::found::{Blame, Culprit, Method};

/// Counters and options that belong to a pass but are not called after it.
const ALIASES: &[(&str, &[&str])] = &[
    ("tailr", &["tailcall", "optimizesiblingcalls"]),
    ("tailc", &["tailcall", "optimizesiblingcalls"]),
    ("pre", &["treepreinsert", "codehoisting"]),
    ("esra", &["sra"]),
    ("evrp", &["vrp"]),
    ("ivopts", &["ivoptsloop"]),
    ("vect", &["vectloop", "loopvectorize", "vectorize"]),
    ("slp", &["vectslp", "slpvectorize"]),
    ("ifcvt", &["ifconversiontree", "loopifconvert"]),
    ("ce", &["ifconversion", "ifaftercombine", "ifafterreload"]),
    ("dom", &["dominatoropts"]),
    ("lim", &["loopim"]),
    ("icf", &["mergedipaicf", "icffunctions", "icfvariables"]),
    ("modref", &["ipamodref", "ipamodrefpta"]),
    ("cp", &["ipacpbits", "ipacpvalues", "ipacpvr", "bitcp"]),
    ("ethread", &["registeredjumpthread", "threadjumps"]),
    ("thread", &["registeredjumpthread", "backthread", "threadjumps"]),
    ("threadfull", &["registeredjumpthread", "backthreadfull", "threadjumps"]),
    ("cunroll", &["gimpleunroll", "unrollloops", "peelloops"]),
    ("cunrolli", &["gimpleunroll"]),
    ("rtl pre", &["gcse", "pre", "preinsn"]),
    ("fwprop", &["forwardpropagate"]),
    ("cddce", &["dce"]),
    ("ldist", &["loopdistribution", "loopdistributepatterns"]),
    ("switchconv", &["switchconversion"]),
    ("sched", &["schedinsn", "schedblock", "schedregion", "schedfunc", "scheduleinsns"]),
];

/// Passes that nearly every bug needs.
const INLINERS: &[&str] = &["einline", "inline"];

/// A name without what only says where or which.
fn stem(name: &str) -> String {
    let name = name.trim_start_matches("tree-").trim_start_matches("ipa-");
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name.trim_start_matches("tree_").chars().filter(|c| !"-_".contains(*c)).collect()
}

/// Whether a counter or an option is that of a pass.
fn belongs(other: &Culprit, pass: &Culprit) -> bool {
    let (other, pass) = (stem(&other.name), stem(&pass.name));
    let aliases = ALIASES.iter().filter(|(name, _)| *name == pass);
    other == pass || aliases.flat_map(|(_, names)| *names).any(|name| *name == other)
}

/// Names the pass and puts all culprits in order: what the crash said, the pass, what confirms it,
/// and the rest.
pub(super) fn choose(
    blame: &mut Blame,
    passes: Vec<Culprit>,
    counters: Vec<Culprit>,
    options: Vec<Culprit>,
) {
    let others: Vec<Culprit> = counters.into_iter().chain(options).collect();
    let score = |pass: &Culprit| {
        let confirmed = others
            .iter()
            .filter(|other| belongs(other, pass))
            .map(|other| if other.method == Method::DebugCounter { 2 } else { 1 });
        (!INLINERS.contains(&pass.name.as_str()), confirmed.max().unwrap_or(0))
    };
    // The last of the best.
    let best = passes.iter().max_by_key(|pass| score(pass)).cloned();
    let rank = |culprit: &Culprit| match &best {
        Some(best) if culprit == best => 0,
        Some(best) if others.contains(culprit) && belongs(culprit, best) => 1,
        _ if others.contains(culprit) => 2,
        _ => 3,
    };
    let mut all: Vec<Culprit> = others.iter().chain(&passes).cloned().collect();
    all.sort_by_key(rank);
    blame.culprits.extend(all);
    blame.pass = blame.pass.take().or(best.map(|best| best.name));
    if blame.pass.is_none() && !blame.culprits.is_empty() {
        blame.limits.push("No single pass hides it.".into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blame::culprit;
    use Method::{DebugCounter, DisabledPass, Option};

    fn all(method: Method, names: &[&str]) -> Vec<Culprit> {
        names.iter().map(|name| culprit(method, name, &[], String::new())).collect()
    }

    fn chosen(passes: &[&str], counters: &[&str], options: &[&str]) -> (String, Vec<String>) {
        let mut blame = Blame::default();
        let (passes, counters) = (all(DisabledPass, passes), all(DebugCounter, counters));
        choose(&mut blame, passes, counters, all(Option, options));
        let order = blame.culprits.into_iter().map(|culprit| culprit.name).collect();
        (blame.pass.unwrap_or_default(), order)
    }

    #[test]
    fn what_other_methods_confirm_comes_first() {
        let options = ["inline-small-functions", "optimize-sibling-calls"];
        let (pass, order) =
            chosen(&["einline", "tailr1", "forwprop2"], &["match", "tail_call"], &options);
        assert_eq!(pass, "tailr1");
        assert_eq!(order[..3], ["tailr1", "tail_call", "optimize-sibling-calls"]);
        assert_eq!(order[3..], ["match", "inline-small-functions", "einline", "forwprop2"]);
    }

    #[test]
    fn then_the_last_and_inlining_only_for_want_of_another() {
        // One fault of the unroller, as two programs showed it.
        let passes = ["ch2", "dom2", "vect", "cunroll"];
        let options = ["tree-loop-vectorize", "tree-ch", "tree-dominator-opts"];
        assert_eq!(chosen(&passes, &["gimple_unroll", "vect_loop"], &options).0, "cunroll");
        let passes = ["evrp", "ch2", "lim2", "pre", "cunroll", "vrp2"];
        let counters = ["gimple_unroll", "match", "treepre_insert"];
        assert_eq!(chosen(&passes, &counters, &["tree-ch", "tree-pre", "tree-vrp"]).0, "cunroll");
        assert_eq!(chosen(&["ccp1", "fre3", "dse2"], &[], &[]).0, "dse2");
        assert_eq!(chosen(&["fre1", "inline"], &[], &["inline"]).0, "fre1");
        assert_eq!(chosen(&["einline"], &[], &[]).0, "einline");
        assert_eq!(chosen(&["ccp1", "sra", "dse2"], &["tree_sra"], &["tree-sra"]).0, "sra");
        assert_eq!(chosen(&[], &["match"], &[]), (String::new(), vec!["match".to_string()]));
    }
}
