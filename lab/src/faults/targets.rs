//! `cargo lab targets`: faults planted in GCC that programs expose, by how each test chooses its targets.
//!
//! The same programs in the same order, one choice of targets after the other, within a budget of processor time for
//! each mutant: *levels*, as hunts did it before (five levels and one set of flags), and *drawn* by
//! `campaign::draw`, so and so many for each test. A test is charged its generation and its driver once, and
//! compiling, linking and running for each target, as measured once with the stock compiler.
//!
//! Faults are in `cc1`, so what happens elsewhere is left out of all choices: link-time optimisation (`lto1`),
//! profiles and sanitizers, and `-march=native`, which the driver translates. What a target does with a program and a
//! mutant is tried once, whichever choice asks.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use campaign::{DrawnTarget, TargetChoice, Weights, draw};
use choice::Choices;
use toolchain::{Compiler, Config, FlagFamily, FlagTable, Language};

use super::mutants::List;
use super::plant::Compiled;
use super::program_pool::{MutantFate, MutantResult, Tools};
use super::report::{self, Row};
use super::sites::{Executable, Site};
use crate::LabOutcome;
use crate::context::Context;
use crate::pool;
use crate::programs::{Program, Source, WRONG};

/// Flags of which one to three were put behind a level before targets were drawn by family. The others of then,
/// `-flto` and `-march=native`, are not for a mutant.
const EARLIER: &[&str] = &[
    "-fno-strict-aliasing",
    "-fwrapv",
    "-funroll-loops",
    "-ftree-vectorize",
    "-fno-tree-vectorize",
    "-fno-inline",
    "-fPIC",
    "-fno-omit-frame-pointer",
    "-fstack-protector-strong",
    "-g",
    "-fipa-pta",
    "-fno-ivopts",
    "-fno-gcse",
    "-fno-tree-pre",
    "-fno-tree-vrp",
    "-fno-tree-ccp",
    "-fno-tree-fre",
    "-fno-tree-sra",
    "-fno-ipa-cp",
    "-fno-forward-propagate",
    "-fschedule-insns",
    "-fmodulo-sched",
];

/// Arguments of `cargo lab targets`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Number of mutants, from the top of the list.
    #[arg(long, default_value_t = 42)]
    mutants: usize,
    /// Seconds of processor time that each choice has for each mutant.
    #[arg(long, default_value_t = 4.0, value_name = "SECONDS")]
    budget: f64,
    /// Where programs come from, as in `cargo lab faults`.
    #[arg(long, default_value = "yarp")]
    source: String,
    /// First seed of the programs.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of programs.
    #[arg(long, default_value_t = 40)]
    programs: usize,
    /// How many targets each test draws. May be repeated.
    #[arg(long, default_values_t = [1, 2, 4])]
    targets: Vec<usize>,
    /// Take up no more mutants after this long (such as 20m).
    #[arg(long = "for", value_name = "TIME", value_parser = super::duration)]
    limit: Option<Duration>,
}

/// A way to choose the targets of a test.
struct Strategy {
    label: String,
    compiler: Arc<Compiler>,
    choice: TargetChoice,
}

impl Strategy {
    /// The flags of each target of a test, and the family they were drawn from.
    fn targets(&self, seed: u64) -> Vec<DrawnTarget> {
        let mut choices = Choices::new(seed).fork("targets");
        draw(std::slice::from_ref(&self.compiler), self.choice, &Weights::default(), &mut choices)
    }
}

/// A program, ready for any target.
struct Prepared {
    seed: u64,
    program: Program,
    /// To compile its driver.
    driver: Duration,
}

/// A program on one target of the stock compiler; `None` if that does not work.
type Build = Option<Arc<Built>>;

/// A build that is made once, by whoever asks first.
type Slot = Arc<Mutex<Option<Build>>>;

struct Built {
    program: Program,
    /// Sites that are executed.
    reach: BTreeSet<u64>,
}

/// What targets did, by level and family: times that a reached site was tried, seconds charged, faults exposed.
type Sums = BTreeMap<(String, String), (u64, f64, u64)>;

/// What was built and tried so far.
struct Trial<'a> {
    tools: &'a Tools,
    programs: &'a [Prepared],
    /// Addresses of all mutants, ascending.
    sites: Vec<u64>,
    built: Mutex<BTreeMap<(usize, String), Slot>>,
    fates: Mutex<BTreeMap<(u64, usize, String), MutantFate>>,
    sums: Mutex<Sums>,
}

/// Measures and prints the tables.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    let tools = Tools::new("-O0")?;
    let executable = Executable::read(&tools.bench.cc1)?;
    let list = List::read(&super::list_file(context, &executable), &executable)?;
    let mutants = &list.mutants[..args.mutants.min(list.mutants.len())];
    let strategies = strategies(args)?;
    let programs = prepare(context, args, &tools)?;
    let mut sites: Vec<u64> = mutants.iter().map(|site| site.address).collect();
    sites.sort_unstable();
    let trial = Trial {
        tools: &tools,
        programs: &programs,
        sites,
        built: Mutex::default(),
        fates: Mutex::default(),
        sums: Mutex::default(),
    };
    let end = args.limit.map(|limit| Instant::now() + limit);
    let budget = Duration::from_secs_f64(args.budget);
    let rows = pool::map("mutants", mutants, |site| -> Result<Vec<Row>> {
        if end.is_some_and(|end| Instant::now() >= end) {
            return Ok(Vec::new());
        }
        let one = |strategy: &Strategy| {
            let result = trial.run_until_exposed(strategy, site, budget)?;
            Ok(Row::new(site.address, &strategy.label, args.budget, &result))
        };
        strategies.iter().map(one).collect()
    });
    let rows: Vec<Row> =
        rows.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    let file = results_file(context, args)?;
    let lines: Vec<String> = rows.iter().map(Row::line).collect();
    fs::write(&file, format!("{}\n{}\n", report::HEAD, lines.join("\n")))?;
    print!("{}", report::tables(&rows));
    print!("{}", report::rates(&rows));
    print!("{}", trial.by_arm());
    println!("\nraw results: {}", file.display());
    Ok(LabOutcome::Nothing)
}

fn results_file(context: &Context, args: &Args) -> Result<PathBuf> {
    let name = format!("targets-{}.tsv", args.seed);
    Ok(context.work_folder("faults")?.join(name))
}

/// The choices to be compared, the earlier one first.
fn strategies(args: &Args) -> Result<Vec<Strategy>> {
    let survey = toolchain::survey(&Config::default(), &["gcc".into()], Language::C, &mut |_| {})?;
    let gcc = survey.compilers.first().context("gcc is needed: apt-get install gcc")?;
    let in_cc1 = |of: FlagFamily, row: &str| match of {
        FlagFamily::WholeProgram | FlagFamily::Profile | FlagFamily::Sanitizer => false,
        _ => !row.contains("=native"),
    };
    let earlier = Arc::new(Compiler {
        drawn: FlagTable::default(),
        extras: EARLIER.iter().map(ToString::to_string).collect(),
        ..(**gcc).clone()
    });
    let drawn = Arc::new(Compiler { drawn: gcc.drawn.clone().retain(in_cc1), ..(**gcc).clone() });
    let mut all = vec![Strategy {
        label: "levels".into(),
        compiler: earlier,
        choice: TargetChoice { extras_per_test: 1, targets_per_test: None },
    }];
    all.extend(args.targets.iter().map(|&count| Strategy {
        label: format!("drawn {count}"),
        compiler: drawn.clone(),
        choice: TargetChoice { extras_per_test: 0, targets_per_test: Some(count) },
    }));
    Ok(all)
}

/// The programs, each with what it takes besides its targets.
fn prepare(context: &Context, args: &Args, tools: &Tools) -> Result<Vec<Prepared>> {
    let source = Source::parse(context, &args.source)?;
    let seeds = args.seed..args.seed + args.programs as u64;
    let raws = source.generate(seeds, &tools.fresh("raw"))?;
    let work: Vec<_> = raws.iter().enumerate().collect();
    let prepared = pool::map("prepare", &work, |(at, raw)| {
        let dir = tools.fresh("program");
        let stock = |unit: &std::path::Path, asm: &std::path::Path| match tools
            .planter
            .stock(unit, "-O0", asm)
        {
            Compiled::Assembly(assembly, cpu) => Some((assembly, cpu)),
            Compiled::Crashed | Compiled::Hung => None,
        };
        let program = tools.bench.prepare(raw, &dir, stock)?;
        let exe = dir.join("linked");
        let linked = tools.bench.link(&dir.join("unit.s"), &program.rest, &exe);
        let (_, link) = linked.ok_or("not linked")?;
        let driver = program.cost.link.saturating_sub(link);
        Ok::<_, String>(Prepared { seed: args.seed + *at as u64, program, driver })
    });
    let mut all = Vec::new();
    for one in prepared {
        match one {
            Ok(prepared) => all.push(prepared),
            Err(why) if why.starts_with(WRONG) => bail!("{why}"),
            Err(why) => eprintln!("{}: a program is left out: {why}", args.source),
        }
    }
    if all.is_empty() {
        bail!("{} gives no program that can be used", args.source);
    }
    Ok(all)
}

impl Trial<'_> {
    /// Does one test after the other on a mutant until one exposes it or the budget is spent.
    fn run_until_exposed(
        &self,
        strategy: &Strategy,
        site: &Site,
        budget: Duration,
    ) -> Result<MutantResult> {
        let count = self.programs.len();
        let first = Choices::new(site.address).fork("first program").index(count);
        let (fate, spent) = (MutantFate::Alive, Duration::ZERO);
        let mut result = MutantResult { fate, spent, reaching: 0, by: None };
        for at in (0..count).map(|n| (first + n) % count) {
            let prepared = &self.programs[at];
            result.spent += prepared.program.cost.generation + prepared.driver;
            for drawn in strategy.targets(prepared.seed) {
                let flags = drawn.target.flags.join(" ");
                let Some(built) = self.build(at, &flags)? else { continue };
                let cost = built.program.cost;
                result.spent += cost.compile + cost.link + cost.run;
                if result.spent > budget {
                    result.spent = budget;
                    return Ok(result);
                }
                let is_reached = built.reach.contains(&site.address);
                let fate = match is_reached {
                    true => self.fate(site, at, &flags, &built)?,
                    false => MutantFate::Alive,
                };
                let seconds = (cost.compile + cost.link + cost.run).as_secs_f64();
                self.count(&drawn, seconds, is_reached, fate);
                result.reaching += usize::from(is_reached);
                if fate != MutantFate::Alive {
                    result.fate = fate;
                    result.by = Some(format!("{} {flags}", prepared.program.name));
                    return Ok(result);
                }
            }
        }
        Ok(result)
    }

    /// A program as the stock compiler builds it with these flags, built once.
    fn build(&self, at: usize, flags: &str) -> Result<Build> {
        let slot = {
            let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
            built.entry((at, flags.to_string())).or_default().clone()
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none() {
            *slot = Some(self.build_anew(at, flags)?.map(Arc::new));
        }
        Ok(slot.clone().flatten())
    }

    fn build_anew(&self, at: usize, flags: &str) -> Result<Option<Built>> {
        let mut program = self.programs[at].program.clone();
        let asm = self.tools.fresh("stock").with_extension("s");
        let stock = self.tools.planter.stock(&program.unit, flags, &asm);
        let Compiled::Assembly(assembly, compile) = stock else {
            eprintln!("{} is not compiled with {flags}", program.name);
            return Ok(None);
        };
        let exe = asm.with_extension("exe");
        let linked = self.tools.bench.link(&asm, &program.rest, &exe);
        let Some((linked, link)) = linked else { return Ok(None) };
        let Some((ran, run)) = linked.run(Duration::from_secs(1)) else { return Ok(None) };
        if ran != program.answer {
            bail!("{WRONG}: {} with {flags}", program.name);
        }
        (program.cost.compile, program.cost.link, program.cost.run) = (compile, link, run);
        let (traced, met) = self.tools.planter.trace(&self.sites, &program.unit, flags, &asm)?;
        let _ = fs::remove_file(&asm);
        if traced != assembly {
            bail!("the compiler is not deterministic on {} with {flags}", program.name);
        }
        program.assembly = assembly;
        Ok(Some(Built { program, reach: met.into_iter().collect() }))
    }

    fn fate(&self, site: &Site, at: usize, flags: &str, built: &Built) -> Result<MutantFate> {
        let key = (site.address, at, flags.to_string());
        let known = |fates: &Mutex<BTreeMap<_, MutantFate>>| {
            fates.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied()
        };
        if let Some(fate) = known(&self.fates) {
            return Ok(fate);
        }
        let fate = self.tools.test_mutant_at(site, &built.program, flags)?;
        self.fates.lock().unwrap_or_else(PoisonError::into_inner).insert(key, fate);
        Ok(fate)
    }

    fn count(&self, drawn: &DrawnTarget, seconds: f64, is_reached: bool, fate: MutantFate) {
        let level = drawn.target.flags.first().cloned().unwrap_or_default();
        let family = drawn.arm.as_ref().map_or("levels", |arm| arm.family.name());
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let sum = sums.entry((level, family.to_string())).or_default();
        sum.0 += u64::from(is_reached);
        sum.1 += seconds;
        sum.2 += u64::from(fate != MutantFate::Alive);
    }

    /// Faults exposed for each hundred seconds charged to targets, by level and family.
    fn by_arm(&self) -> String {
        let sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text =
            "\n| level | family | reached | seconds | exposed | for 100 s |\n".to_string();
        text += "| --- | --- | ---: | ---: | ---: | ---: |\n";
        for ((level, family), (reached, seconds, exposed)) in sums.iter() {
            let rate = 100.0 * *exposed as f64 / seconds.max(1e-9);
            let _ = writeln!(
                text,
                "| {level} | {family} | {reached} | {seconds:.0} | {exposed} | {rate:.1} |"
            );
        }
        text
    }
}
