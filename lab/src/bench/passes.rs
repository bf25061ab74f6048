//! `cargo lab bench passes`: sequences of passes in the fork server against LLVM's own programs, started for each.
//!
//! The same programs and the same sequences, one after another, the sides in turn. Passes alone: `opt -disable-output`.
//! The whole way: `opt`, `llc`, a linker, and the program. A sequence counts as fine if it comes to its end;
//! the others crash, or leave a module that does not verify, on both sides. Processor time is that of all
//! processes, ours included.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, anyhow, bail};
use campaign::front;
use choice::Choices;
use llvmhost::{Allowance, ExecutionEnd, Installed, Limits, Program, Running, Server, Setup};
use optimise::work::{Answer, Item, Pipeline};
use passes::inventory::{Inventory, List};
use passes::sequence::{Draw, Grouping, Sequence};
use passes::trial::{SequenceOutcome, Trial};
use sandbox::{Ended, Run, Scratch, Status};

use crate::context::Context;
use crate::passes::spent::spent;
use crate::pool::Progress;
use crate::programs::Source;

/// As in a hunt: sequences that a server is given at once.
const CHUNK: usize = 10;

/// As in a hunt.
const LIMITS: Limits = Limits { time: Duration::from_secs(30), memory: 4 << 30 };

/// For a peer, by the clock: the machine may be busy.
const WALL: Duration = Duration::from_secs(120);

/// Programs of one or two tests: about a tenth of the default.
const SMALL: &str = "base = \"default\"\nprogram.tests = [1, 2]\ntest.statements = [2, 4]\n";

/// Arguments of `cargo lab bench passes`.
#[derive(clap::Args, Debug)]
pub struct PassesArgs {
    /// Which libLLVM; `opt` and `llc` of the same version are the peers.
    #[arg(long, default_value = "16")]
    lib: String,
    /// Programs of each size.
    #[arg(long, default_value_t = 5)]
    programs: usize,
    /// Sequences, each on every program.
    #[arg(long, default_value_t = 10)]
    sequences: usize,
    /// The first seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// A gainsay that is built already.
    #[arg(long, value_name = "PATH")]
    gainsay: Option<PathBuf>,
}

/// What a side did.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    tests: usize,
    fine: usize,
    cpu: Duration,
    wall: Duration,
}

impl Side {
    /// Adds what some work takes, which says how many of its tests are fine.
    fn add(&mut self, tests: usize, work: impl FnOnce() -> Result<usize>) -> Result<()> {
        let (begin, cpu) = (Instant::now(), spent()?);
        self.fine += work()?;
        self.tests += tests;
        self.cpu += spent()?.saturating_sub(cpu);
        self.wall += begin.elapsed();
        Ok(())
    }

    fn rate(self) -> f64 {
        self.tests as f64 / self.cpu.as_secs_f64().max(1e-9)
    }

    fn cells(self) -> String {
        let by_clock = self.tests as f64 / self.wall.as_secs_f64().max(1e-9);
        format!("{:.2} | {by_clock:.2} | {}", self.rate(), self.fine)
    }
}

/// A program as both sides read it.
struct Input {
    bitcode: Vec<u8>,
    file: PathBuf,
}

struct Bench {
    library: Installed,
    server: Server,
    inventory: Inventory,
    sequences: Vec<Sequence>,
    scratch: Scratch,
}

/// Measures and prints.
pub fn main(context: &Context, args: &PassesArgs) -> Result<()> {
    if args.programs == 0 || args.sequences == 0 {
        bail!("--programs and --sequences must be at least 1");
    }
    let gainsay = args.gainsay.clone().map_or_else(|| context.gainsay(), Ok)?;
    let mut bench = Bench::new(args, &gainsay)?;
    println!(
        "| programs | verified | way | tests | server /CPU s | /s | fine | peer /CPU s | /s | fine | ratio, CPU | ratio, clock |"
    );
    println!("|{}", " --- |".repeat(12));
    let small = bench.scratch.file("small.toml");
    fs::write(&small, SMALL)?;
    for (size, policy) in [("small", small.to_string_lossy()), ("default", "default".into())] {
        let inputs = bench.programs(context, &gainsay, args, size, &policy)?;
        for verify_each in [false, true] {
            for whole in [false, true] {
                let (ours, theirs) = bench.both(&inputs, verify_each, whole)?;
                let bytes: usize = inputs.iter().map(|input| input.bitcode.len()).sum();
                println!(
                    "| {size}, {} KB | {} | {} | {} | {} | {} | {:.1} | {:.1} |",
                    (bytes / inputs.len()) >> 10,
                    if verify_each { "each pass" } else { "at the end" },
                    if whole { "to the output" } else { "passes" },
                    ours.tests,
                    ours.cells(),
                    theirs.cells(),
                    ours.rate() / theirs.rate(),
                    theirs.wall.as_secs_f64() / ours.wall.as_secs_f64(),
                );
            }
        }
    }
    Ok(())
}

impl Bench {
    fn new(args: &PassesArgs, gainsay: &Path) -> Result<Bench> {
        let library = Installed::named(&args.lib).map_err(|e| anyhow!(e))?;
        for tool in ["opt", "llc"] {
            let tool = format!("{tool}-{}", library.major);
            if toolchain::on_path(&tool).is_none() {
                bail!("there is no {tool}: apt-get install llvm-{}", library.major);
            }
        }
        let program = Program {
            path: gainsay.to_path_buf(),
            args: vec!["llvm".to_string(), "serve".to_string()],
        };
        let setup =
            Setup { library: library.path.clone(), major: library.major, ..Setup::default() };
        let mut server = Server::start(&program, &setup).map_err(|e| anyhow!(e))?;
        let inventory = Inventory::make(&mut server, &library).map_err(|e| anyhow!(e))?;
        let (list, draw) = (inventory.list(List::Production), Draw::default());
        let mut choices = Choices::new(args.seed);
        let sequences = (0..args.sequences).map(|_| draw.draw(&list, &mut choices)).collect();
        Ok(Bench { library, server, inventory, sequences, scratch: Scratch::new()? })
    }

    /// Programs as bitcode, unoptimised; those that the JIT executes to their end.
    fn programs(
        &mut self,
        context: &Context,
        gainsay: &Path,
        args: &PassesArgs,
        size: &str,
        policy: &str,
    ) -> Result<Vec<Input>> {
        let text = format!("{}:--single-file --policy {policy}", gainsay.display());
        let source = Source::parse(context, &text)?;
        // One or the other may be of no use.
        let seeds = args.seed..args.seed + 2 * args.programs as u64;
        let clang = front::clang_for(self.library.major).map_err(|e| anyhow!(e))?;
        let mut inputs = Vec::new();
        for raw in source.generate(seeds, &self.scratch.file(size))? {
            let file = raw.unit.with_extension("bc");
            let run =
                Run::new(&clang, WALL).args(front::clang_arguments(false)).arg("-w").arg(&raw.unit);
            if run.arg("-o").arg(&file).finish().success().is_none() {
                continue;
            }
            let input = Input { bitcode: fs::read(&file)?, file };
            let seen = self.trial(&input, false).run(&[Sequence::default()])?;
            let is_fine = seen.iter().all(is_executed);
            if is_fine && inputs.len() < args.programs {
                inputs.push(input);
            }
        }
        if inputs.is_empty() {
            bail!("none of the programs can be used");
        }
        Ok(inputs)
    }

    fn trial<'t>(&'t mut self, input: &'t Input, verify_each: bool) -> Trial<'t> {
        Trial {
            server: &mut self.server,
            inventory: &self.inventory,
            bitcode: &input.bitcode,
            limits: LIMITS,
            allowance: Allowance::default(),
            runner: None,
            verify_each,
            spent: Duration::ZERO,
            is_stopped: &|| false,
        }
    }

    /// All sequences on all programs. The sides take turns, so that what else the machine does hits both.
    fn both(&mut self, inputs: &[Input], verify_each: bool, whole: bool) -> Result<(Side, Side)> {
        let (mut ours, mut theirs) = (Side::default(), Side::default());
        let progress = Progress::new("sequences on programs", inputs.len() * self.sequences.len());
        for input in inputs {
            for chunk in self.sequences.clone().chunks(CHUNK) {
                ours.add(chunk.len(), || match whole {
                    true => {
                        let seen = self.trial(input, verify_each).run(chunk)?;
                        Ok(seen.iter().filter(|seen| is_executed(seen)).count())
                    }
                    false => self.optimise(input, chunk, verify_each),
                })?;
                theirs.add(chunk.len(), || self.started(input, chunk, verify_each, whole))?;
                chunk.iter().for_each(|_| progress.step());
            }
        }
        progress.end();
        Ok((ours, theirs))
    }

    /// Passes and nothing else; how many sequences come through.
    fn optimise(&mut self, input: &Input, chunk: &[Sequence], verify_each: bool) -> Result<usize> {
        let item = |sequence: &Sequence| {
            let passes = sequence.text(&self.inventory, Grouping::Alone);
            Item::Optimise {
                module: input.bitcode.clone(),
                name: "test".into(),
                pipeline: Pipeline::of(passes, Running { verify_each, log: false }),
                x86: true,
                print: false,
            }
            .bytes()
        };
        let items = chunk.iter().map(item).collect();
        let ran = self.server.run(items, LIMITS, false)?;
        let is_fine = |answer: Answer| matches!(answer, Answer::Fine(_));
        Ok(ran.iter().filter(|ran| is_fine(Answer::read(&ran.output))).count())
    }

    /// The same by programs that are started for each.
    fn started(&self, input: &Input, chunk: &[Sequence], each: bool, whole: bool) -> Result<usize> {
        let mut fine = 0;
        for sequence in chunk {
            let passes = sequence.text(&self.inventory, Grouping::Alone);
            fine += usize::from(self.start(input, &passes, each, whole)?);
        }
        Ok(fine)
    }

    fn start(&self, input: &Input, passes: &str, verify_each: bool, whole: bool) -> Result<bool> {
        let tool = |name: &str| {
            // A crash that looks for names in a library of 120 MB takes longer than the passes.
            Run::new(format!("{name}-{}", self.library.major), WALL)
                .memory(LIMITS.memory)
                .env("LLVM_DISABLE_SYMBOLIZATION", "1")
        };
        let [bitcode, object, program] = ["out.bc", "out.o", "out"].map(|n| self.scratch.file(n));
        let mut opt = tool("opt").arg(format!("-passes={passes}")).arg(&input.file);
        if verify_each {
            opt = opt.arg("-verify-each");
        }
        if !whole {
            return exits(opt.arg("-disable-output"));
        }
        let llc = tool("llc").args(["-O2", "-relocation-model=pic", "-filetype=obj", "-o"]);
        Ok(exits(opt.arg("-o").arg(&bitcode))?
            && exits(llc.arg(&object).arg(&bitcode))?
            && exits(Run::new("cc", WALL).arg(&object).arg("-o").arg(&program))?
            && exits(Run::new(&program, Allowance::default().time))?)
    }
}

fn is_executed(seen: &SequenceOutcome) -> bool {
    matches!(seen, SequenceOutcome::Executed(executed) if matches!(executed.how, ExecutionEnd::Status(_)))
}

/// Whether it ends with status 0, as the programs here all do.
fn exits(run: Run) -> Result<bool> {
    match run.finish() {
        Ended::Finished(done) => Ok(done.status == Status::Exit(0)),
        Ended::Killed(..) => Ok(false),
        Ended::NotStarted(error) => Err(error).context(run.program.display().to_string()),
    }
}
