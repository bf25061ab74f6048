//! Which mutations are to blame: the least of them that still show a failure (section 5.4 of the Hermes
//! paper).

use std::time::{Duration, Instant};

use cmachine::MachineConfig;
use ctree::Program;
use emi::Variant;
use oracle::{Case, Fault, Lab, Trouble};
use toolchain::Target;

use super::names;
use crate::bench::TestBench;
use crate::record::Cost;

/// Findings beyond this many of one signature keep all their mutations: it takes some hundred
/// compilations.
const BLAMED: u64 = 20;

/// The search ends here with the best it has: a hang takes its limit every time.
const PATIENCE: Duration = Duration::from_secs(120);

/// A failure of a variant.
pub struct Culprits<'a> {
    pub variant: &'a Variant,
    /// Where it fails.
    pub target: Target,
    /// How.
    pub fault: Fault,
    pub bench: &'a TestBench,
    /// With the limits of the variant.
    pub lab: &'a Lab,
}

/// The mutations that are to blame.
#[derive(Clone, Debug)]
pub struct MutationBlame {
    /// Their numbers.
    pub edits: Vec<usize>,
    /// The program with these alone.
    pub program: Program,
    /// Steps that the machine takes for it.
    pub steps: u64,
}

impl MutationBlame {
    /// `fcb+tcb, 2 of 17 mutations`.
    pub fn describe(&self, variant: &Variant) -> String {
        let of = variant.edits().len();
        if self.edits.is_empty() {
            return format!("none of {of} mutations is needed: the seed itself shows it");
        }
        let by =
            names(self.edits.iter().filter_map(|&n| variant.edits().get(n)).map(|e| e.strategy));
        format!("{by}, {} of {of} mutations", self.edits.len())
    }

    /// How `gainsay mutate` is told of them.
    pub fn argument(&self) -> String {
        let numbers: Vec<String> = self.edits.iter().map(usize::to_string).collect();
        match numbers.is_empty() {
            true => " --keep none".into(),
            false => format!(" --keep {}", numbers.join(",")),
        }
    }
}

impl Culprits<'_> {
    /// The least mutations that still show the failure; `None` where it is not to be asked, or does not
    /// show again at all. `known` is how many findings have its signature; `case` makes of a program
    /// what a compiler is given.
    pub fn find(
        &self,
        known: u64,
        case: &dyn Fn(&Program) -> Case,
        cost: &mut Cost,
    ) -> Result<Option<MutationBlame>, Trouble> {
        if known >= BLAMED || !self.fault.kind.is_of_a_compiler() {
            return Ok(None);
        }
        let begin = Instant::now();
        let mut best = None;
        let all: Vec<usize> = (0..self.variant.edits().len()).collect();
        least(&all, &mut |edits| {
            if begin.elapsed() > PATIENCE {
                return Ok(false);
            }
            let what = format!("{}, with {} mutations", self.target.label(), edits.len());
            self.bench.begins(what);
            let program = self.variant.with(|n| edits.binary_search(&n).is_ok());
            let report = cmachine::run(&program, &MachineConfig::default());
            let case = case(&program);
            // It is by construction; but nothing that was not executed is shown to a compiler.
            let same = crate::predict::answer(report)
                .is_ok_and(|found| Some(&found.expected) == case.expected.as_ref());
            if !same || !self.shows(&case, cost)? {
                return Ok(false);
            }
            best = Some((edits.to_vec(), program));
            Ok(true)
        })?;
        let Some((edits, program)) = best else { return Ok(None) };
        let steps = cmachine::run(&program, &MachineConfig::default()).steps;
        Ok(Some(MutationBlame { edits, program, steps }))
    }

    fn shows(&self, case: &Case, cost: &mut Cost) -> Result<bool, Trouble> {
        let folder = self.bench.folder()?;
        self.lab.write(case, folder.path())?;
        let seen = self.lab.observe(case, folder.path(), &self.target)?;
        cost.validate += seen.compile + seen.run;
        Ok(seen.seen.fault(case).is_some_and(|fault| fault == self.fault))
    }
}

/// Takes ever smaller parts away from `all` as long as the rest `shows`, until nothing can be spared. The
/// empty one and the whole are asked first; `shows` has seen what is left last.
pub fn least(
    all: &[usize],
    shows: &mut dyn FnMut(&[usize]) -> Result<bool, Trouble>,
) -> Result<(), Trouble> {
    if shows(&[])? || !shows(all)? {
        return Ok(());
    }
    let mut kept = all.to_vec();
    let mut size = kept.len().div_ceil(2);
    loop {
        let (before, mut at) = (kept.len(), 0);
        while at < kept.len() {
            let end = (at + size).min(kept.len());
            let rest = [&kept[..at], &kept[end..]].concat();
            match !rest.is_empty() && shows(&rest)? {
                true => kept = rest,
                false => at = end,
            }
        }
        if size > 1 {
            size = size.div_ceil(2);
        } else if kept.len() == before {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::least;

    /// What is left where all of `needed` must be there, and how often it was asked.
    fn found(of: usize, needed: &[usize]) -> (Vec<usize>, usize) {
        let all: Vec<usize> = (0..of).collect();
        let (mut last, mut asked) = (Vec::new(), 0);
        least(&all, &mut |part| {
            asked += 1;
            let shows = needed.iter().all(|n| part.contains(n));
            if shows {
                last = part.to_vec();
            }
            Ok(shows)
        })
        .unwrap();
        (last, asked)
    }

    #[test]
    fn what_is_needed_is_found_wherever_it_is() {
        for needed in
            [&[] as &[usize], &[0], &[299], &[17, 18], &[3, 120, 298], &[0, 1, 2, 3, 4, 5]]
        {
            let (left, asked) = found(300, needed);
            assert_eq!(left, needed);
            assert!(asked < 80, "{asked} for {needed:?}");
        }
        assert_eq!(found(1, &[0]).0, [0]);
        assert_eq!(found(0, &[]).0, [] as [usize; 0]);
    }

    #[test]
    fn what_does_not_show_is_not_searched() {
        let mut asked = 0;
        least(&[0, 1, 2], &mut |_| {
            asked += 1;
            Ok(false)
        })
        .unwrap();
        assert_eq!(asked, 2);
    }
}
