//! Passes, in the order of the pipeline.
//!
//! `-fdump-passes` lists them, with a group's members indented below it. A pass whose absence makes
//! the compiler crash is one that others rely on, and says nothing. A pass that stands in several places
//! is switched off in all of them first.

use oracle::Trouble;
use toolchain::Target;

use super::progress;
use crate::blame::culprit;
use crate::found::{Blame, Culprit, Method};
use crate::probe::{FaultProbe, ProbeAnswer};

/// A pass that runs.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Pass {
    /// `tree`, `ipa` or `rtl`.
    kind: String,
    /// `tailr1`.
    name: String,
    /// How deep it stands in groups.
    depth: usize,
}

impl Pass {
    /// Its name without the number of its place in the pipeline.
    fn stem(&self) -> &str {
        match self.name.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "" => &self.name,
            stem => stem,
        }
    }
}

/// The passes that are on, of `-fdump-passes`.
fn parse(text: &str) -> Vec<Pass> {
    let pass = |line: &str| {
        let (left, state) = line.rsplit_once(':')?;
        let name = left.trim();
        // A name with a star has no switch.
        let (kind, name) = name.split_once('-').filter(|_| state.trim() == "ON")?;
        let known = matches!(kind, "tree" | "ipa" | "rtl");
        let depth = left.len() - left.trim_start().len();
        known.then(|| Pass { kind: kind.to_string(), name: name.to_string(), depth })
    };
    text.lines().filter_map(pass).collect()
}

pub(super) fn culprits(
    bench: &FaultProbe,
    target: &Target,
    blame: &mut Blame,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Culprit>, Trouble> {
    let listings = bench.listings(target, &["-fdump-passes"])?;
    // The list is the compiler's, whatever the unit.
    let mut passes = listings.first().map(|(_, text)| parse(text)).unwrap_or_default();
    if let Some(crashed) = &blame.pass {
        up_to(&mut passes, crashed);
    }
    if passes.is_empty() {
        blame.limits.push(format!("{} does not list its passes.", target.label()));
        return Ok(Vec::new());
    }
    let all = together(&passes);
    let mut hiding = hide(bench, target, &passes, &all, tell)?;
    // Of passes that hide it together, or that the compiler cannot do without all at once, each is
    // asked alone.
    let alone: Vec<Vec<usize>> = all
        .iter()
        .zip(&hiding)
        .filter(|(set, answer)| set.len() > 1 && **answer != ProbeAnswer::Fails)
        .flat_map(|(set, _)| set.iter().map(|i| vec![*i]))
        .collect();
    hiding.extend(hide(bench, target, &passes, &alone, tell)?);
    let sets = all.into_iter().chain(alone).zip(hiding);
    let sets =
        sets.filter(|(_, answer)| *answer == ProbeAnswer::Works).map(|(set, _)| set).collect();
    Ok(smallest(&passes, sets).iter().map(|set| named(&passes, set)).collect())
}

/// What is seen without each of these sets of passes.
fn hide(
    bench: &FaultProbe,
    target: &Target,
    passes: &[Pass],
    sets: &[Vec<usize>],
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Vec<ProbeAnswer>, Trouble> {
    let flags: Vec<Vec<String>> = sets.iter().map(|set| flags(passes, set)).collect();
    bench.ask_all(target, &flags, &progress(tell, target, flags.len(), "passes"))
}

fn flags(passes: &[Pass], set: &[usize]) -> Vec<String> {
    set.iter().map(|i| format!("-fdisable-{}-{}", passes[*i].kind, passes[*i].name)).collect()
}

/// A pass by its name, or by what its places in the pipeline have in common.
fn named(passes: &[Pass], set: &[usize]) -> Culprit {
    let last = set.last().copied().unwrap_or_default();
    let Pass { kind, name, .. } = &passes[last];
    let (name, detail) = match set.len() {
        1 => (name.as_str(), format!("{kind} pass, {} of {}", last + 1, passes.len())),
        places => (passes[last].stem(), format!("{kind} pass, its {places} places together")),
    };
    culprit(Method::DisabledPass, name, &flags(passes, set), detail)
}

/// The places of each pass in the pipeline: where the first does not, the second may do the harm.
fn together(passes: &[Pass]) -> Vec<Vec<usize>> {
    let same = |a: &Pass, b: &Pass| a.kind == b.kind && a.stem() == b.stem();
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for (i, pass) in passes.iter().enumerate() {
        match sets.iter_mut().find(|set| same(&passes[set[0]], pass)) {
            Some(set) => set.push(i),
            None => sets.push(vec![i]),
        }
    }
    sets
}

/// Leaves out what comes after a crash. It names a pass without the number of its place.
fn up_to(passes: &mut Vec<Pass>, crashed: &str) {
    let is_it = |pass: &Pass| pass.name == crashed || pass.stem() == crashed;
    if let Some(at) = passes.iter().rposition(is_it) {
        passes.truncate(at + 1);
    }
}

/// Sets that hide it, in the order of the pipeline, without those of which a smaller one does: groups
/// with a member among them, and several places of a pass where one is enough.
fn smallest(passes: &[Pass], mut sets: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    sets.sort_by_key(|set| set.last().copied());
    let inside = |inner: usize, outer: usize| {
        let deeper = |j: usize| passes[j].depth > passes[outer].depth;
        inner > outer && (outer + 1..=inner).all(deeper)
    };
    let is_less = |a: &Vec<usize>, b: &Vec<usize>| {
        let part = a.len() < b.len() && a.iter().all(|i| b.contains(i));
        part || b.iter().any(|outer| a.iter().any(|i| inside(*i, *outer)))
    };
    let all = sets.clone();
    sets.retain(|set| !all.iter().any(|other| is_less(other, set)));
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    /// gcc 12.2 -O2, shortened.
    const LIST: &str = "\
   *warn_unused_result                                 :  ON
   tree-lower                                          :  ON
   tree-tmlower                                        :  OFF
   ipa-opt_local_passes                                :  ON
      *rebuild_cgraph_edges                            :  ON
      tree-einline                                     :  ON
      tree-early_optimizations                         :  ON
         *remove_cgraph_callee_edges                   :  ON
         tree-tailr1                                   :  ON
      tree-release_ssa                                 :  ON
   rtl-expand                                          :  ON
      rtl-rtl pre                                      :  ON
t.c:1:22: internal compiler error: in gimplify_expr, at gimplify.cc:15905
";

    #[test]
    fn passes_with_their_groups() {
        let passes = parse(LIST);
        let shown: Vec<String> = passes.iter().map(|p| format!("{} {}", p.kind, p.name)).collect();
        assert_eq!(
            shown,
            [
                "tree lower",
                "ipa opt_local_passes",
                "tree einline",
                "tree early_optimizations",
                "tree tailr1",
                "tree release_ssa",
                "rtl expand",
                "rtl rtl pre",
            ]
        );
        let until = |crashed: &str| {
            let mut some = passes.clone();
            up_to(&mut some, crashed);
            some.len()
        };
        assert_eq!((until("tailr"), until("expand"), until("unknown")), (5, 7, 8));
        let least =
            |sets: &[&[usize]]| smallest(&passes, sets.iter().map(|set| set.to_vec()).collect());
        // A group is left out beside its member, and is named where it has none.
        assert_eq!(least(&[&[1], &[3], &[4]]), [[4]]);
        assert_eq!(least(&[&[1], &[6]]), [[1], [6]]);
    }

    #[test]
    fn places_of_one_pass_are_asked_together() {
        let text = ["tree-sink1", "tree-dse1", "tree-sink2", "rtl-dse1"];
        let text: Vec<String> = text.iter().map(|name| format!("   {name}  :  ON")).collect();
        let passes = parse(&text.join("\n"));
        assert_eq!(together(&passes), [vec![0, 2], vec![1], vec![3]]);
        let both = named(&passes, &[0, 2]);
        assert_eq!(both.name, "sink");
        assert_eq!(both.hides, ["-fdisable-tree-sink1", "-fdisable-tree-sink2"]);
        // One place is enough.
        let sets = vec![vec![0, 2], vec![2]];
        assert_eq!(smallest(&passes, sets), [vec![2]]);
        assert_eq!(named(&passes, &[2]).name, "sink2");
    }
}
