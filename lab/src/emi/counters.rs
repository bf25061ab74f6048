//! `cargo lab emi counters`: which counters of GCC's optimisations variants reach besides those that
//! their seeds reach.
//!
//! A counter is a pass and what it counts, from `-fdump-statistics-stats`. Seeds and variants are printed
//! by the same printer, so that nothing but the mutations differs.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use campaign::{donors, texts};
use cmachine::MachineConfig;
use ctree::Program;
use emi::Strategies;
use sandbox::Scratch;

use super::{Numbered, SeedKind, collect};
use crate::LabOutcome;
use crate::compiler::Compiler;
use crate::context::Context;
use crate::{counters, pool};

/// The mutations that are compared.
const SETS: [(&str, &str); 3] =
    [("Athena", "athena"), ("Hermes", "hermes"), ("all strategies", "all")];

/// Arguments of `cargo lab emi counters`.
#[derive(clap::Args, Debug)]
pub struct Counters {
    /// Whose programs are the seeds.
    #[arg(long, value_enum, default_value = "csmith")]
    kind: SeedKind,
    /// How many.
    #[arg(long, default_value_t = 100)]
    seeds: usize,
    /// Variants of each.
    #[arg(long, default_value_t = 10)]
    variants: u32,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Optimisation level.
    #[arg(long, default_value = "-O3", allow_hyphen_values = true)]
    level: String,
}

/// Counters by name.
type Reached = BTreeSet<String>;

/// Measures and prints the table.
pub fn main(context: &Context, args: &Counters) -> Result<LabOutcome> {
    let gcc = Compiler::reference()?.program;
    let seeds = collect(context, args.kind, args.seed, args.seeds)?;
    let counter = Counter { gcc, scratch: Scratch::new()?, level: args.level.clone() };
    let results = pool::map("emi counters", &seeds, |seed| counter.seed(seed, args.variants));
    let mut all: Vec<Vec<Reached>> = Vec::new();
    for result in results {
        all.push(result?);
    }
    println!(
        "{} seeds of {}, gcc {}, {} variants of each\n",
        all.len(),
        args.kind.name(),
        args.level,
        args.variants
    );
    print!("{}", table(&all));
    Ok(LabOutcome::Nothing)
}

struct Counter {
    gcc: PathBuf,
    scratch: Scratch,
    level: String,
}

impl Counter {
    /// What the seed reaches, then what variants by each set of strategies reach.
    fn seed(&self, seed: &Numbered, variants: u32) -> Result<Vec<Reached>> {
        let dir = self.scratch.file(seed.label());
        fs::create_dir_all(&dir)?;
        let harness = seed.made.case.harness.as_deref();
        let mut all = vec![self.program(&seed.seed.program, harness, &dir)?];
        for (_, names) in SETS {
            let strategies: Strategies = names.parse().map_err(anyhow::Error::msg)?;
            let config = MachineConfig::default();
            let mut reached = Reached::new();
            if let Ok(mut chain) = seed.seed.clone().chain(&strategies, &config, seed.number) {
                for _ in 0..variants {
                    let Ok(derived) = chain.next(donors()) else { break };
                    if !derived.new.is_empty() {
                        reached.extend(self.program(chain.program(), harness, &dir)?);
                    }
                }
            }
            all.push(reached);
        }
        fs::remove_dir_all(&dir)?;
        Ok(all)
    }

    /// What one program reaches, its harness aside.
    fn program(&self, program: &Program, harness: Option<&str>, dir: &Path) -> Result<Reached> {
        let mut reached = Reached::new();
        for file in texts(program).iter().filter(|file| Some(file.name.as_str()) != harness) {
            let path = dir.join(&file.name);
            fs::write(&path, &file.bytes)?;
            let counted =
                counters::compile(&self.gcc, &path, &self.level, &[], &dir.join("statistics"));
            reached.extend(counted.into_iter().flat_map(|(counters, _)| counters.into_keys()));
        }
        Ok(reached)
    }
}

fn table(all: &[Vec<Reached>]) -> String {
    let union = |n: usize| -> Reached {
        all.iter().filter_map(|seed| seed.get(n)).flatten().cloned().collect()
    };
    let seeds = union(0);
    // Counters that a seed's variants reach and the seed does not, in the mean.
    let more = |n: usize| {
        let new = |seed: &Vec<Reached>| match (seed.first(), seed.get(n)) {
            (Some(own), Some(reached)) => reached.difference(own).count(),
            _ => 0,
        };
        all.iter().map(new).sum::<usize>() as f64 / all.len().max(1) as f64
    };
    let own = all.iter().filter_map(|s| s.first()).map(BTreeSet::len).sum::<usize>();
    let mut text = "| programs | counters in all | not reached by any seed | for each seed |\n\
                    | --- | --- | --- | --- |\n"
        .to_string();
    let mean = own as f64 / all.len().max(1) as f64;
    text += &format!("| seeds | {} | | {mean:.1} |\n", seeds.len());
    for (n, (name, _)) in SETS.iter().enumerate() {
        let reached = union(n + 1);
        let together = reached.union(&seeds).count();
        let new = reached.difference(&seeds).count();
        text +=
            &format!("| with variants by {name} | {together} | {new} | +{:.1} |\n", more(n + 1));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_variants_add_is_counted_for_all_and_for_each() {
        let set = |names: &[&str]| -> Reached { names.iter().map(|n| n.to_string()).collect() };
        let first = vec![set(&["a"]), set(&["a", "b"]), set(&["b", "c"]), set(&[])];
        let second = vec![set(&["a", "b"]), set(&["b"]), set(&["c"]), set(&["a"])];
        let text = table(&[first, second]);
        assert!(text.contains("| seeds | 2 | | 1.5 |"), "{text}");
        assert!(text.contains("by Athena | 2 | 0 | +0.5 |"), "{text}");
        assert!(text.contains("by Hermes | 3 | 1 | +1.5 |"), "{text}");
    }
}
