//! The list of mutants: chosen once, kept in a file, the same for every generator.
//!
//! Candidates are the conditional instructions that sample programs execute when optimising and
//! that none executes at -O0. Samples come in equal shares, by compile time, from every generator
//! to be compared and from GCC's own tests, so that no generator chooses its own targets. Left out
//! are mutants that a few of GCC's tests expose at once (such a compiler would never be released)
//! and mutants that no sample exposes: most inverted conditions only make the code better or worse,
//! and would cost the most time for no answer.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use choice::Choices;

use super::program_pool::{MutantFate, ProgramPool, Tools};
use super::sites::{Executable, Site};
use crate::pool;
use crate::programs::{Program, Source};

/// Compile time of the samples of each source.
const SAMPLE: Duration = Duration::from_secs(6);

/// Time that each source's samples have to expose a candidate.
const SCREEN: Duration = Duration::from_secs(4);

/// Samples have seeds of their own: what is measured later must not have chosen its targets.
const SAMPLE_SEEDS: u64 = 1_000_000;

/// GCC tests that a mutant must survive.
const SMOKE: usize = 20;

/// Candidates that are tried at a time.
const BATCH: usize = 32;

/// Mutants of one executable, in random order: any prefix is a fair sample.
#[derive(Debug)]
pub struct List {
    /// Build id of the executable.
    pub build_id: String,
    /// How the list was made, for a reader.
    pub notes: Vec<String>,
    /// The mutants.
    pub mutants: Vec<Site>,
}

impl List {
    /// Reads the list of an executable.
    pub fn read(file: &Path, executable: &Executable) -> Result<List> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let (comments, lines): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with('#'));
        let mut notes = comments.iter().map(|line| line.trim_start_matches('#').trim().to_string());
        let build_id = notes.next().unwrap_or_default();
        if build_id != executable.build_id {
            bail!("{} belongs to another build of cc1, {build_id}", file.display());
        }
        let site = |line: &&str| {
            let address = u64::from_str_radix(line.split('\t').next()?, 16).ok()?;
            let at = executable.sites.binary_search_by_key(&address, |site| site.address).ok()?;
            Some(executable.sites[at])
        };
        let mutants = lines.iter().map(site).collect::<Option<Vec<Site>>>();
        let mutants = mutants.with_context(|| format!("{} is damaged", file.display()))?;
        Ok(List { build_id, notes: notes.collect(), mutants })
    }

    /// Writes the list.
    pub fn write(&self, file: &Path) -> Result<()> {
        let mut text = format!("# {}\n", self.build_id);
        self.notes.iter().for_each(|note| text += &format!("# {note}\n"));
        for site in &self.mutants {
            let _ = writeln!(text, "{:x}\t{}", site.address, site.kind.name());
        }
        if let Some(dir) = file.parent() {
            fs::create_dir_all(dir)?;
        }
        let partial = file.with_extension("partial");
        fs::write(&partial, text)?;
        fs::rename(&partial, file).with_context(|| file.display().to_string())
    }

    /// An empty list.
    pub fn new(executable: &Executable) -> List {
        let notes = vec!["mutants of cc1: address and kind of the inverted condition".into()];
        List { build_id: executable.build_id.clone(), notes, mutants: Vec::new() }
    }

    /// Lengthens the list to `count` mutants, or to as many as are found by `end`. It is written to
    /// `file` as it grows.
    pub fn lengthen(
        &mut self,
        plan: &MutantPlan<'_>,
        executable: &Executable,
        file: &Path,
    ) -> Result<()> {
        // Another piece of the list takes other samples and another order.
        let (tools, seed) = (plan.tools, plan.seed + self.mutants.len() as u64);
        self.notes.push(format!("at {}, seed {seed}:", tools.level));
        let sampled = |programs: &[Program]| {
            programs.iter().map(|program| program.cost.compile).sum::<Duration>() >= SAMPLE
        };
        let mut ranges = Vec::new();
        for source in plan.samples {
            ranges.push(ProgramPool::prepare(tools, source, SAMPLE_SEEDS * (seed + 1), sampled)?);
        }
        let mut candidates = candidates(tools, executable, &ranges, &mut self.notes)?;
        candidates.retain(|site| !self.mutants.contains(site));
        Choices::new(seed).fork("mutants").shuffle(&mut candidates);
        // At least one in this many can be exposed.
        candidates.truncate(plan.count * 100);
        let mut addresses: Vec<u64> = candidates.iter().map(|site| site.address).collect();
        addresses.sort_unstable();
        let mut smoke =
            ProgramPool::prepare(tools, plan.tests, 0, |programs| programs.len() >= SMOKE)?;
        smoke.watch(tools, &addresses)?;
        ranges.iter_mut().try_for_each(|range| range.watch(tools, &addresses))?;
        let (mut tried, mut easy, before) = (0, 0, self.mutants.len());
        self.notes.push(String::new());
        for batch in candidates.chunks(BATCH) {
            if self.mutants.len() >= plan.count || plan.end.is_some_and(|end| Instant::now() >= end)
            {
                break;
            }
            let grades = pool::map("candidates", batch, |site| grade(tools, &smoke, &ranges, site));
            for (site, grade) in batch.iter().zip(grades) {
                match grade? {
                    Grade::Easy => easy += 1,
                    Grade::Fair => self.mutants.push(*site),
                    Grade::Unseen => {}
                }
            }
            tried += batch.len();
            let note = format!(
                "{tried} candidates: {easy} exposed by {SMOKE} of GCC's own tests and left out, {} \
                 exposed by the samples and kept",
                self.mutants.len() - before
            );
            eprintln!("{note}");
            self.notes.pop();
            self.notes.push(note);
            self.write(file)?;
        }
        Ok(())
    }
}

/// What a list is made from.
#[derive(Clone, Copy, Debug)]
pub struct MutantPlan<'a> {
    /// Tools, and the level.
    pub tools: &'a Tools,
    /// Sources of samples.
    pub samples: &'a [Source],
    /// GCC's own tests.
    pub tests: &'a Source,
    /// Length wanted.
    pub count: usize,
    /// Seed of all choices.
    pub seed: u64,
    /// When to stop.
    pub end: Option<Instant>,
}

/// The sites that some program executes at the level, and none at -O0.
fn candidates(
    tools: &Tools,
    executable: &Executable,
    ranges: &[ProgramPool],
    notes: &mut Vec<String>,
) -> Result<Vec<Site>> {
    let all: Vec<u64> = executable.sites.iter().map(|site| site.address).collect();
    let (mut optimising, mut plain) = (BTreeSet::new(), BTreeSet::new());
    for range in ranges {
        let met = executed(tools, range, &tools.level, &all)?;
        notes.push(format!("{}; they execute {} sites", range.summary(), met.len()));
        optimising.extend(met);
        plain.extend(executed(tools, range, "-O0", &all)?);
    }
    let of = |site: &&Site| optimising.contains(&site.address) && !plain.contains(&site.address);
    let candidates: Vec<Site> = executable.sites.iter().filter(of).copied().collect();
    notes.push(format!("{} sites, {} of them candidates", all.len(), candidates.len()));
    Ok(candidates)
}

/// The sites that a range's programs execute at a level. A site is watched until the first meets
/// it: most sites are met by every program, and each time costs a signal.
fn executed(
    tools: &Tools,
    range: &ProgramPool,
    level: &str,
    sites: &[u64],
) -> Result<BTreeSet<u64>> {
    let known = Mutex::new(BTreeSet::new());
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let done = pool::map(&format!("{} at {level}", range.label), &range.programs, |program| {
        let new: Vec<u64> = {
            let known = lock();
            sites.iter().filter(|&site| !known.contains(site)).copied().collect()
        };
        let asm = tools.fresh("watched").with_extension("s");
        let traced = tools.planter.trace(&new, &program.unit, level, &asm);
        let _ = fs::remove_file(&asm);
        lock().extend(traced?.1);
        Ok(())
    });
    done.into_iter().collect::<Result<()>>()?;
    Ok(known.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// What a candidate is worth.
enum Grade {
    /// GCC's own tests expose it.
    Easy,
    /// Some sample exposes it.
    Fair,
    /// None does.
    Unseen,
}

fn grade(tools: &Tools, smoke: &ProgramPool, ranges: &[ProgramPool], site: &Site) -> Result<Grade> {
    if smoke.run_until_exposed(tools, site, 0, Duration::MAX)?.fate != MutantFate::Alive {
        return Ok(Grade::Easy);
    }
    let mut choices = Choices::new(site.address).fork("screen");
    for range in ranges {
        let first = choices.index(range.programs.len());
        if range.run_until_exposed(tools, site, first, SCREEN)?.fate != MutantFate::Alive {
            return Ok(Grade::Fair);
        }
    }
    Ok(Grade::Unseen)
}
