//! A pool of programs of one source, and whether each exposes a mutant.
//!
//! A program that does not execute a fault's site cannot expose it, so it is not even compiled;
//! one whose assembly is the stock compiler's is neither assembled nor run. Both are charged in
//! full all the same: what counts is what a campaign, which knows nothing of the fault, would pay.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Result, bail};
use sandbox::Scratch;

use super::plant::{Compiled, Planter};
use super::sites::Site;
use crate::pool;
use crate::programs::{Program, Source, StockTools, WRONG};

/// Programs generated at a time.
const BATCH: u64 = 16;

/// What a mutant did with one program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutantFate {
    /// Nothing that shows.
    Alive,
    /// The compiler or the assembler failed.
    Crash,
    /// The compiler did not end.
    Hang,
    /// The program gave another output or status, or did not end.
    Wrong,
}

/// The tools of an experiment.
#[derive(Debug)]
pub struct Tools {
    /// Stock tools.
    pub bench: StockTools,
    /// The compiler with faults.
    pub planter: Planter,
    /// Optimisation level under test.
    pub level: String,
    /// Folder for everything that is written.
    pub scratch: Scratch,
    /// Numbers for files.
    next: AtomicUsize,
}

impl Tools {
    /// Tools for a level.
    pub fn new(level: &str) -> Result<Tools> {
        let (bench, scratch) = (StockTools::new()?, Scratch::new()?);
        let planter = Planter::new(&bench.gcc, &bench.cc1, scratch.path())?;
        Ok(Tools { bench, planter, level: level.into(), scratch, next: AtomicUsize::new(0) })
    }

    /// A name not used before.
    pub fn fresh(&self, what: &str) -> std::path::PathBuf {
        self.scratch.file(format!("{what}{}", self.next.fetch_add(1, Ordering::Relaxed)))
    }

    /// Tries one program on one mutant.
    pub fn test_mutant(&self, site: &Site, program: &Program) -> Result<MutantFate> {
        self.test_mutant_at(site, program, &self.level)
    }

    /// The same with these flags; the program's assembly is the stock compiler's with them.
    pub fn test_mutant_at(
        &self,
        site: &Site,
        program: &Program,
        flags: &str,
    ) -> Result<MutantFate> {
        let asm = self.fresh("mutant").with_extension("s");
        // Several times what the stock compiler needs; a slow mutant is no fault.
        let cpu = program.cost.compile * 4 + Duration::from_secs(2);
        let compiled = self.planter.mutant(site, &program.unit, flags, &asm, cpu);
        let fate = match compiled {
            Compiled::Crashed => MutantFate::Crash,
            Compiled::Hung => MutantFate::Hang,
            Compiled::Assembly(assembly, _) if assembly == program.assembly => MutantFate::Alive,
            Compiled::Assembly(..) => self.run(&asm, program),
        };
        let _ = fs::remove_file(&asm);
        Ok(fate)
    }

    fn run(&self, asm: &Path, program: &Program) -> MutantFate {
        let exe = asm.with_extension("exe");
        let Some((linked, _)) = self.bench.link(asm, &program.rest, &exe) else {
            return MutantFate::Crash;
        };
        let limit = program.cost.run * 10 + Duration::from_secs(1);
        match linked.run(limit) {
            Some((ran, _)) if ran == program.answer => MutantFate::Alive,
            _ => MutantFate::Wrong,
        }
    }
}

/// Prepared programs of a source and the watched sites each executes.
#[derive(Debug)]
pub struct ProgramPool {
    /// The source's label.
    pub label: String,
    /// Programs in the order of their seeds.
    pub programs: Vec<Program>,
    /// For each program, addresses of the sites it executes.
    pub reach: Vec<HashSet<u64>>,
}

/// The result of a source on one mutant.
#[derive(Clone, Debug, PartialEq)]
pub struct MutantResult {
    /// The first fate that is not alive, or alive.
    pub fate: MutantFate,
    /// Processor time charged until then.
    pub spent: Duration,
    /// Programs of these that execute the site.
    pub reaching: usize,
    /// The program that exposed the fault.
    pub by: Option<String>,
}

impl ProgramPool {
    /// Prepares programs until `enough` says so or there are no more.
    pub fn prepare(
        tools: &Tools,
        source: &Source,
        first_seed: u64,
        enough: impl Fn(&[Program]) -> bool,
    ) -> Result<ProgramPool> {
        let (mut programs, mut seed) = (Vec::new(), first_seed);
        let mut wasted = Duration::ZERO;
        let mut unusable: BTreeMap<String, usize> = BTreeMap::new();
        let end = source.count().map_or(u64::MAX, |count| first_seed.saturating_add(count));
        while !enough(&programs) && seed < end {
            let raws = source.generate(seed..seed + BATCH, &tools.fresh("raw"))?;
            seed += BATCH;
            let stock = |unit: &Path, asm: &Path| match tools.planter.stock(unit, &tools.level, asm)
            {
                Compiled::Assembly(assembly, cpu) => Some((assembly, cpu)),
                _ => None,
            };
            let results = pool::map(&format!("prepare {}", source.label), &raws, |raw| {
                tools.bench.prepare(raw, &tools.fresh("program"), stock)
            });
            for (raw, result) in raws.iter().zip(results) {
                match result {
                    Ok(mut program) => {
                        program.cost.generation += std::mem::take(&mut wasted);
                        programs.push(program);
                    }
                    Err(why) => {
                        wasted += raw.generation;
                        if why.starts_with(WRONG) {
                            eprintln!("{}: {why}", source.label);
                        }
                        *unusable.entry(why).or_default() += 1;
                    }
                }
                if enough(&programs) {
                    break;
                }
            }
        }
        for (why, count) in unusable {
            eprintln!("{}: {count} programs left out: {why}", source.label);
        }
        if programs.is_empty() {
            bail!("{} gives no program that can be used", source.label);
        }
        Ok(ProgramPool { label: source.label.clone(), programs, reach: Vec::new() })
    }

    /// The number of programs and what one costs, in a line.
    pub fn summary(&self) -> String {
        let mean = |part: fn(&Program) -> Duration| {
            let sum: Duration = self.programs.iter().map(part).sum();
            1e3 * sum.as_secs_f64() / self.programs.len().max(1) as f64
        };
        format!(
            "{}: {} programs of {:.0} ms: generate {:.1}, compile {:.0}, link {:.0}, run {:.1}",
            self.label,
            self.programs.len(),
            mean(|program| program.cost.total()),
            mean(|program| program.cost.generation),
            mean(|program| program.cost.compile),
            mean(|program| program.cost.link),
            mean(|program| program.cost.run),
        )
    }

    /// Finds out which of these addresses, in ascending order, each program executes.
    pub fn watch(&mut self, tools: &Tools, sites: &[u64]) -> Result<()> {
        let met = pool::map(&format!("watch {}", self.label), &self.programs, |program| {
            let asm = tools.fresh("watched").with_extension("s");
            let traced = tools.planter.trace(sites, &program.unit, &tools.level, &asm);
            let _ = fs::remove_file(&asm);
            traced
        });
        self.reach.clear();
        for (traced, program) in met.into_iter().zip(&self.programs) {
            let (assembly, met) = traced?;
            if assembly != program.assembly {
                bail!("the compiler is not deterministic on {} {}", self.label, program.name);
            }
            self.reach.push(met.into_iter().collect());
        }
        Ok(())
    }

    /// Compiles one program after the other with a mutant, from `start` on, until one exposes it or the budget is spent.
    pub fn run_until_exposed(
        &self,
        tools: &Tools,
        site: &Site,
        start: usize,
        budget: Duration,
    ) -> Result<MutantResult> {
        let mut verdict =
            MutantResult { fate: MutantFate::Alive, spent: Duration::ZERO, reaching: 0, by: None };
        for i in (0..self.programs.len()).map(|i| (start + i) % self.programs.len()) {
            let program = &self.programs[i];
            let spent = verdict.spent + program.cost.total();
            if spent > budget {
                break;
            }
            verdict.spent = spent;
            if !self.reach[i].contains(&site.address) {
                continue;
            }
            verdict.reaching += 1;
            verdict.fate = tools.test_mutant(site, program)?;
            if verdict.fate != MutantFate::Alive {
                verdict.by = Some(program.name.clone());
                break;
            }
        }
        Ok(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::super::sites::Executable;
    use super::*;
    use crate::programs::Raw;

    /// A program with something to optimise.
    const PROGRAM: &str = r#"
        extern int printf(const char *, ...);
        static int a[16];
        static int f(int x, int y) { return x > y ? x * 8 + y : (x - y) / 3; }
        int main(void) {
            int sum = 0;
            for (int i = 0; i < 16; i++) a[i] = f(i, 7);
            for (int i = 0; i < 16; i++) sum += a[i] ^ (sum << 1);
            printf("%d\n", sum);
            return 0;
        }
    "#;

    #[test]
    fn planted_faults_are_exposed() {
        let tools = Tools::new("-O2").unwrap();
        let executable = match Executable::read(&tools.bench.cc1) {
            Ok(executable) => executable,
            Err(error) if std::env::var_os("CI").is_none() => {
                return eprintln!("skipped: {error}");
            }
            Err(error) => panic!("{error}"),
        };
        let unit = tools.scratch.file("test.c");
        fs::write(&unit, PROGRAM).unwrap();
        let raw = Raw {
            name: "test".into(),
            unit,
            rest: Vec::new(),
            include: None,
            expected: None,
            generation: Duration::from_millis(1),
        };
        let program = tools.bench.prepare(&raw, &tools.fresh("program"), |unit, asm| {
            match tools.planter.stock(unit, &tools.level, asm) {
                Compiled::Assembly(assembly, cpu) => Some((assembly, cpu)),
                _ => None,
            }
        });
        let program = program.unwrap();
        let all: Vec<u64> = executable.sites.iter().map(|site| site.address).collect();
        let mut range = ProgramPool {
            label: "test".into(),
            programs: vec![program.clone()],
            reach: Vec::new(),
        };
        range.watch(&tools, &all).unwrap();
        let reach = &range.reach[0];
        assert!((10_000..all.len() / 2).contains(&reach.len()), "{} sites met", reach.len());

        // What is not executed cannot be exposed, and is charged all the same.
        let budget = Duration::from_secs(10);
        let idle = executable.sites.iter().find(|site| !reach.contains(&site.address)).unwrap();
        let verdict = range.run_until_exposed(&tools, idle, 0, budget).unwrap();
        assert_eq!((verdict.fate, verdict.reaching), (MutantFate::Alive, 0));
        assert_eq!(verdict.spent, program.cost.total());
        assert_eq!(tools.test_mutant(idle, &program).unwrap(), MutantFate::Alive);

        // Many of those that are executed show, and nothing is tried beyond the budget.
        let met: Vec<&Site> =
            executable.sites.iter().filter(|site| reach.contains(&site.address)).collect();
        let few = met.iter().step_by(met.len() / 20);
        let exposed = few.filter(|site| {
            range.run_until_exposed(&tools, site, 0, budget).unwrap().fate != MutantFate::Alive
        });
        assert!(exposed.count() > 0);
        let verdict = range.run_until_exposed(&tools, met[0], 0, Duration::ZERO).unwrap();
        assert_eq!((verdict.reaching, verdict.spent), (0, Duration::ZERO));
    }
}
