//! Crossovers of LLVM's unit tests: what they reach (`cargo lab crossover`), and how fast they are made
//! and run against a loop that starts `opt` for each (`cargo lab bench crossover`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use coverage::Set;
use crossover::corpus::{Corpus, SeedPool};
use crossover::fuzz::{Fuzzer, KindTally, Options, Tally};
use crossover::import::files;
use crossover::{CrossoverKind, Policy};
use llvmhost::{Installed, Limits, Program, Running, Server, Setup};
use optimise::work::{Answer, Item, Pipeline};
use sandbox::{Ended, Run, Scratch, Status};

use crate::context::Context;
use crate::pool::{self, Progress};
use crate::programs::Source;

/// Crossovers of a batch.
const BATCH: usize = 100;

/// Common arguments.
#[derive(clap::Args, Debug)]
pub struct Common {
    /// LLVM's tests, such as llvm/test/Transforms of a checkout.
    #[arg(long, value_name = "DIR")]
    tests: PathBuf,
    /// Which libLLVM; `opt` of the same version is the peer.
    #[arg(long, default_value = "16")]
    lib: String,
    /// The pipeline.
    #[arg(long, default_value = "default<O3>")]
    passes: String,
    /// Keep the imported corpus here, and use it if it is there.
    #[arg(long, value_name = "DIR")]
    corpus: Option<PathBuf>,
    /// Verify modules at the end only.
    #[arg(long)]
    verify_end: bool,
}

/// Arguments of `cargo lab crossover`.
#[derive(clap::Args, Debug)]
pub struct Args {
    #[command(flatten)]
    common: Common,
    /// Crossovers of each kind.
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// Programs of Csmith and of yarp.
    #[arg(long, default_value_t = 1000)]
    programs: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Arguments of `cargo lab bench crossover`.
#[derive(clap::Args, Debug)]
pub struct BenchArgs {
    #[command(flatten)]
    common: Common,
    /// Crossovers in the fork server.
    #[arg(long, default_value_t = 10_000)]
    count: u64,
    /// Crossovers of which each starts `opt`.
    #[arg(long, default_value_t = 500)]
    peer: u64,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What measurements need.
struct Experiment {
    library: Installed,
    program: Program,
    options: Options,
    corpus: PathBuf,
    scratch: Scratch,
}

impl Experiment {
    /// Finds the library and imports the tests.
    fn new(context: &Context, args: &Common) -> Result<Experiment> {
        let library = Installed::named(&args.lib).map_err(|e| anyhow!(e))?;
        let args_of_server = vec!["llvm".to_string(), "serve".to_string()];
        let program = Program { path: context.gainsay()?, args: args_of_server };
        let running = Running { verify_each: !args.verify_end, log: false };
        let options = Options {
            pipeline: Pipeline::of(&args.passes, running),
            limits: Limits::default(),
            kinds: vec![CrossoverKind::Inline, CrossoverKind::Sequence],
            policy: Policy::default(),
            guided: true,
        };
        let scratch = Scratch::new()?;
        let corpus = args.corpus.clone().unwrap_or_else(|| scratch.path().join("corpus"));
        let bench = Experiment { library, program, options, corpus, scratch };
        bench.import(&args.tests)?;
        Ok(bench)
    }

    fn open(&self, dir: &Path, options: Options) -> Result<Fuzzer> {
        Fuzzer::open(dir, &self.library, &self.program, options).map_err(|e| anyhow!(e))
    }

    fn import(&self, tests: &Path) -> Result<()> {
        let fuzzer = self.open(&self.corpus, self.options.clone())?;
        if fuzzer.imported().is_none() {
            let found = files(tests).with_context(|| tests.display().to_string())?;
            let progress = Progress::new("test files", found.len());
            let mut done = 0;
            let mut tell = |now: usize| {
                (done..now).for_each(|_| progress.step());
                done = now;
            };
            let jobs = pool::processors();
            let imported = fuzzer.import(tests, &found, jobs, &mut tell, &|| false);
            progress.end();
            imported.map_err(|e| anyhow!(e))?;
        }
        let imported = fuzzer.imported().context("the import is not whole")?;
        println!(
            "LLVM {}: {} files, {} functions, {} seeds, {:.0} functions/s, {} blocks; aside: {:?}",
            self.library.major,
            imported.files,
            imported.functions,
            imported.seeds,
            imported.functions as f64 / imported.took.as_secs_f64(),
            imported.blocks,
            imported.aside,
        );
        Ok(())
    }

    /// A copy of the corpus as it was imported, for one experiment.
    fn copy(&self, name: &str) -> Result<PathBuf> {
        let dir = self.scratch.path().join(name);
        fs::create_dir_all(&dir)?;
        for file in ["seeds.bc", "index", "blocks", "imported.json"] {
            fs::copy(self.corpus.join(file), dir.join(file)).with_context(|| file.to_string())?;
        }
        Ok(dir)
    }

    /// Makes and runs crossovers until so many went through the passes.
    fn cross(
        &self,
        name: &str,
        kinds: &[CrossoverKind],
        guided: bool,
        count: u64,
        seed: u64,
    ) -> Result<(Crossed, Set)> {
        let options = Options { kinds: kinds.to_vec(), guided, ..self.options.clone() };
        let fuzzer = self.open(&self.copy(name)?, options)?;
        let before = fuzzer.known();
        let (next, done) = (AtomicU64::new(seed), AtomicU64::new(0));
        let progress = Progress::new(name, count as usize);
        let begin = Instant::now();
        let cpu = sandbox::served();
        let work = || -> Result<()> {
            while done.load(Ordering::Relaxed) < count {
                let next = next.fetch_add(1, Ordering::Relaxed);
                let batch = fuzzer.batch(next, BATCH, &|| false, &mut |_| {})?;
                done.fetch_add(batch.tally.tests, Ordering::Relaxed);
                (0..batch.tally.tests).for_each(|_| progress.step());
            }
            Ok(())
        };
        let ended: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..pool::processors()).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        });
        progress.end();
        for one in ended {
            one.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        let took = begin.elapsed();
        let (tally, seeds, ..) = fuzzer.account();
        let run = Crossed { took, inside: sandbox::served().saturating_sub(cpu), tally, seeds };
        Ok((run, fuzzer.known().difference(&before)))
    }

    /// Blocks beyond the seeds' that modules reach, and how many modules went through the passes.
    fn modules(&self, name: &str, modules: &[PathBuf]) -> Result<(usize, u64, Duration)> {
        let progress = Progress::new(name, modules.len());
        let begin = Instant::now();
        let share = modules.len().div_ceil(pool::processors()).max(1);
        let parts: Vec<_> = thread::scope(|scope| {
            let progress = &progress;
            let part = |part| scope.spawn(move || self.part(name, part, progress));
            let threads: Vec<_> = modules.chunks(share).map(part).collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        });
        progress.end();
        let (mut blocks, mut ran) = (Set::new(), 0);
        for part in parts {
            let (new, done) = part.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            blocks.extend(new);
            ran += done;
        }
        Ok((blocks.len(), ran, begin.elapsed()))
    }

    fn part(
        &self,
        name: &str,
        modules: &[PathBuf],
        progress: &Progress,
    ) -> Result<(Vec<u32>, u64)> {
        let setup = Setup {
            library: self.library.path.clone(),
            major: self.library.major,
            coverage: true,
            known: Some(self.corpus.join("blocks")),
            work: Vec::new(),
        };
        let mut server = Server::start(&self.program, &setup).map_err(|e| anyhow!(e))?;
        let (mut blocks, mut ran) = (Vec::new(), 0);
        for chunk in modules.chunks(10) {
            let item = |path: &PathBuf| -> Result<Vec<u8>> {
                Ok(Item::Optimise {
                    module: fs::read(path)?,
                    name: name.to_string(),
                    // Verifying after each pass takes longer than all passes, and reaches nothing that seeds do not.
                    pipeline: Pipeline::of(&self.options.pipeline.passes, Running::default()),
                    x86: true,
                    print: false,
                }
                .bytes())
            };
            let items = chunk.iter().map(item).collect::<Result<Vec<_>>>()?;
            for one in server.run(items, self.options.limits, true)? {
                ran += u64::from(matches!(Answer::read(&one.output), Answer::Fine(_)));
                blocks.extend(one.blocks);
                progress.step();
            }
        }
        Ok((blocks, ran))
    }
}

/// What a run of crossovers came to.
struct Crossed {
    took: Duration,
    inside: Duration,
    tally: Tally,
    seeds: usize,
}

impl Crossed {
    fn rate(&self) -> f64 {
        self.tally.tests as f64 / self.took.as_secs_f64()
    }

    fn validity(&self) -> String {
        let share = |(name, kind): (&String, &KindTally)| {
            format!("{name} {:.1} %", 100.0 * kind.valid as f64 / kind.drawn.max(1) as f64)
        };
        self.tally.kinds.iter().map(share).collect::<Vec<_>>().join(", ")
    }

    fn refused(&self) -> BTreeMap<&str, u64> {
        let mut all = BTreeMap::new();
        for (reason, n) in self.tally.kinds.values().flat_map(|kind| &kind.refused) {
            *all.entry(reason.as_str()).or_default() += n;
        }
        all
    }
}

/// What crossovers reach beyond the tests that they are made of, against generated programs.
pub fn main(context: &Context, args: &Args) -> Result<()> {
    let bench = Experiment::new(context, &args.common)?;
    let baseline = bench.open(&bench.corpus, bench.options.clone())?.known().len();
    println!("\n| source | tests | time | tests/s | valid | new seeds | new blocks | % |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    let row = |name: &str, tests: u64, took: Duration, valid: &str, seeds: &str, blocks: usize| {
        println!(
            "| {name} | {tests} | {:.0} s | {:.0} | {valid} | {seeds} | {blocks} | +{:.2} |",
            took.as_secs_f64(),
            tests as f64 / took.as_secs_f64().max(1e-9),
            100.0 * blocks as f64 / baseline as f64
        );
    };
    let both = [CrossoverKind::Inline, CrossoverKind::Sequence];
    for (name, kinds) in
        [("inline + sequence", &both[..]), ("inline", &both[..1]), ("sequence", &both[1..])]
    {
        let (run, blocks) = bench.cross(name, kinds, true, args.count, args.seed)?;
        let added = run.tally.added.to_string();
        row(name, run.tally.tests, run.took, &run.validity(), &added, blocks.len());
        eprintln!("lab: {name}: refused {:?}, faults {:?}", run.refused(), run.tally.faults);
    }
    for name in ["csmith", "yarp"] {
        let source = Source::parse(context, name)?;
        let modules = compile(&bench, &source, name, args.seed..args.seed + args.programs)?;
        let (blocks, ran, took) = bench.modules(name, &modules)?;
        row(name, ran, took, "–", "–", blocks);
    }
    println!("| the tests themselves | | | | | | {baseline} | |");
    Ok(())
}

/// Programs as bitcode, unoptimised.
fn compile(
    bench: &Experiment,
    source: &Source,
    name: &str,
    seeds: std::ops::Range<u64>,
) -> Result<Vec<PathBuf>> {
    let clang = format!("clang-{}", bench.library.major);
    let dir = bench.scratch.path().join(name);
    let programs = source.generate(seeds, &dir)?;
    let modules = pool::map(&format!("{name} compiled"), &programs, |program| {
        let out = program.unit.with_extension("bc");
        let mut run = Run::new(&clang, Duration::from_secs(60))
            .args(["-O0", "-Xclang", "-disable-O0-optnone", "-w", "-emit-llvm", "-c", "-o"])
            .arg(&out)
            .arg(&program.unit);
        if let Some(include) = &program.include {
            run = run.arg("-I").arg(include);
        }
        match run.finish() {
            Ended::Finished(done) if done.status == Status::Exit(0) => Some(out),
            _ => None,
        }
    });
    let modules: Vec<PathBuf> = modules.into_iter().flatten().collect();
    if modules.is_empty() {
        bail!("{clang} compiles none of {name}'s programs");
    }
    Ok(modules)
}

/// The fork server against `opt`, started for each crossover.
pub fn bench(context: &Context, args: &BenchArgs) -> Result<()> {
    let bench = Experiment::new(context, &args.common)?;
    let both = [CrossoverKind::Inline, CrossoverKind::Sequence];
    let mut rates = Vec::new();
    for guided in [true, false] {
        let name = if guided { "with coverage" } else { "without coverage" };
        let (ours, blocks) = bench.cross(name, &both, guided, args.count, args.seed)?;
        println!(
            "fork server, {name}: {} tests in {:.1} s = {:.0}/s ({:.0} % of it in children); \
             valid: {}; {} seeds added, {} in all; {} new blocks; refused {:?}; faults {:?}",
            ours.tally.tests,
            ours.took.as_secs_f64(),
            ours.rate(),
            100.0 * ours.inside.as_secs_f64()
                / (ours.took.as_secs_f64() * pool::processors() as f64),
            ours.validity(),
            ours.tally.added,
            ours.seeds,
            blocks.len(),
            ours.refused(),
            ours.tally.faults,
        );
        rates.push((name, ours.rate()));
    }
    let (done, took) = exec(&bench, args.peer, args.seed)?;
    let rate = done as f64 / took.as_secs_f64();
    println!(
        "opt-{} for each: {done} tests in {:.1} s = {rate:.0}/s",
        bench.library.major,
        took.as_secs_f64()
    );
    for (name, ours) in rates {
        println!("ratio, {name}: {:.1}", ours / rate);
    }
    Ok(())
}

/// The same crossovers, each written to a file that `opt` is started on.
fn exec(bench: &Experiment, count: u64, seed: u64) -> Result<(u64, Duration)> {
    let opt = format!("opt-{}", bench.library.major);
    if toolchain::on_path(&opt).is_none() {
        bail!("there is no {opt}: apt-get install llvm-{}", bench.library.major);
    }
    let corpus = Corpus::open(&bench.copy("peer")?)?;
    let next = AtomicU64::new(0);
    let progress = Progress::new(&opt, count as usize);
    let begin = Instant::now();
    let work = || -> Result<u64> {
        let setup = Setup {
            library: bench.library.path.clone(),
            major: bench.library.major,
            work: corpus.seeds_file().to_string_lossy().into_owned().into_bytes(),
            ..Setup::default()
        };
        let mut server = Server::start(&bench.program, &setup).map_err(|e| anyhow!(e))?;
        let scratch = Scratch::new()?;
        let file = scratch.path().join("test.bc");
        let mut done = 0;
        loop {
            let n = next.fetch_add(BATCH as u64, Ordering::Relaxed);
            if n >= count {
                return Ok(done);
            }
            let mut choices = choice::Choices::new(seed.wrapping_add(n));
            let draw = |_: usize| {
                let kind = *choices.pick(&[CrossoverKind::Inline, CrossoverKind::Sequence])?;
                let seeds =
                    corpus.draw(kind, SeedPool::Suite, &mut choices)?.map(|seed| corpus.span(seed));
                let policy = bench.options.policy.clone();
                let random = choices.bits(64);
                Some(
                    crossover::work::Item::Cross { seeds, kind, policy, random, pipeline: None }
                        .bytes(),
                )
            };
            let items: Vec<Vec<u8>> = (0..BATCH).filter_map(draw).collect();
            for ran in server.run(items, bench.options.limits, false)? {
                if !matches!(Answer::read(&ran.output), Answer::Fine(_)) {
                    continue;
                }
                fs::write(&file, &ran.artifact)?;
                let mut run = Run::new(&opt, Duration::from_secs(60))
                    .arg(format!("-passes={}", bench.options.pipeline.passes))
                    .arg("-disable-output")
                    .arg(&file);
                if bench.options.pipeline.running.verify_each {
                    run = run.arg("-verify-each");
                }
                run.finish();
                done += 1;
                progress.step();
            }
        }
    };
    let ended: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..pool::processors()).map(|_| scope.spawn(work)).collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    progress.end();
    let mut done = 0;
    for one in ended {
        done += one.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    }
    Ok((done, begin.elapsed()))
}
