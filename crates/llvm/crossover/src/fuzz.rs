//! The loop (FLUX, III-D): seeds are crossed, crossovers go through the passes, and what reaches
//! something new becomes a seed.
//!
//! A [`Fuzzer`] is one libLLVM with its corpus. Its state is on disk at all times but for the blocks that
//! were reached last, which [`Fuzzer::save`] writes; a fuzzer that was killed goes on where it was. Any
//! number of threads may call [`Fuzzer::batch`]: each takes a server for itself.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use choice::Choices;
use coverage::{BaselineError, Image, Set};
use llvmhost::{End, Installed, Limits, Program, Ran, Running, Server, Setup, Signature};
use optimise::verdict::{Verdict, judge};
use optimise::work::{Answer, Item as Plain, Pipeline, stage};
use serde::{Deserialize, Serialize};

use crate::corpus::{Corpus, FIRSTS, IMPORTED, SeedPool};
use crate::focus::{Focus, Nearness};
use crate::import::{Import, Imported, ImportedCorpus};
use crate::work::{CrossoverAnswer, Item};
use crate::{CrossoverFailure, CrossoverKind, Policy};

/// Occurrences of a fault that are confirmed and recorded; of later ones only some are, the others are counted.
const CLOSELY: u64 = 3;

/// Whether an occurrence of a fault is recorded, with so many before it. Its key may stand for several bugs: behind a
/// frequent one some more are kept, so that a rare one comes through.
fn is_kept(known: u64) -> bool {
    known < CLOSELY || (known + 1).is_power_of_two()
}

/// The blocks are written this often.
const SAVE: Duration = Duration::from_secs(20);

/// Of the time, the part that goes to crossovers of crossovers. They are slower than those of the suite's seeds,
/// and what comes of them is slower still: without a limit a hunt does ever fewer tests.
const DEEPER: f64 = 0.10;

/// A crossover becomes a seed if it takes at most so many times as long as one of the suite's seeds does.
const SLOWER: u32 = 4;

/// A test may take this part of the time limit at first; what takes longer is tried again, with all of it, if
/// it is not known to be slow.
const AT_FIRST: u32 = 5;

/// Seeds that are measured at a time.
const MEASURED: usize = 24;

/// Crossovers that run between two looks at whether to stop: half a second of most corpora. With blocks watched a
/// fork costs ten milliseconds, which twenty at a time did not pay for.
const AT_ONCE: usize = 50;

/// A server is replaced after so many batches, which bounds its leaks.
const RENEW: u64 = 2000;

/// Where the seeds are that a refinement oracle was asked about.
const ASKED: &str = "asked.json";

/// Where the account of the crossovers is.
const TALLY: &str = "tally.json";

/// How a fuzzer works.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is run.
    pub pipeline: Pipeline,
    /// What a test may use.
    pub limits: Limits,
    /// Which crossovers are made.
    pub kinds: Vec<CrossoverKind>,
    /// How they are made.
    pub policy: Policy,
    /// Whether blocks are watched, and seeds that reach something new are kept.
    pub guided: bool,
}

/// What was done so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Tally {
    /// Crossovers that were tried, valid, and refused by reason; for each kind.
    pub kinds: BTreeMap<String, KindTally>,
    /// Crossovers that went through the passes.
    pub tests: u64,
    /// Seeds that were added.
    pub added: u64,
    /// Blocks that no seed of the suite reaches.
    pub blocks: u64,
    /// Faults by signature.
    pub faults: BTreeMap<String, u64>,
    /// Faults that did not show again alone.
    pub unsteady: u64,
    /// Crossovers on which LLVM failed while they were made.
    pub while_made: u64,
}

/// The account of one kind of crossover.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindTally {
    /// Pairs that were drawn.
    pub drawn: u64,
    /// Of those, valid modules.
    pub valid: u64,
    /// The others, by reason.
    pub refused: BTreeMap<String, u64>,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        for (kind, theirs) in &other.kinds {
            let mine = self.kinds.entry(kind.clone()).or_default();
            mine.drawn += theirs.drawn;
            mine.valid += theirs.valid;
            add(&mut mine.refused, &theirs.refused);
        }
        self.tests += other.tests;
        self.added += other.added;
        self.blocks += other.blocks;
        add(&mut self.faults, &other.faults);
        self.unsteady += other.unsteady;
        self.while_made += other.while_made;
    }
}

fn add(mine: &mut BTreeMap<String, u64>, theirs: &BTreeMap<String, u64>) {
    for (key, n) in theirs {
        *mine.entry(key.clone()).or_default() += n;
    }
}

/// A fault of LLVM's, seen twice.
#[derive(Clone, Debug)]
pub struct FoundFault {
    /// What it did.
    pub signature: Signature,
    /// The module's text.
    pub module: String,
    /// The passes.
    pub passes: String,
    /// The two seeds, and how they were crossed.
    pub origin: String,
    /// LLVM's messages and stack.
    pub told: String,
}

/// What a batch came to.
#[derive(Clone, Debug, Default)]
pub struct BatchResult {
    /// Its part of the account.
    pub tally: Tally,
    /// What it found.
    pub found: Vec<FoundFault>,
    /// Time in the children.
    pub time: Duration,
    /// What reached something new.
    fresh: Vec<NewCoverage>,
}

/// A crossover that reached something new.
#[derive(Clone, Debug)]
struct NewCoverage {
    bitcode: Vec<u8>,
    kind: CrossoverKind,
    parents: [u32; 2],
}

/// What a corpus has for a change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Focused {
    /// Blocks of the functions that it is about.
    pub blocks: usize,
    /// Seeds of its own tests.
    pub tests: usize,
    /// Seeds that were the first to reach one of these blocks.
    pub reaching: usize,
    /// All seeds that are drawn more often, but for the tests.
    pub seeds: usize,
}

/// One libLLVM and its corpus.
#[derive(Debug)]
pub struct Fuzzer {
    /// The library.
    pub library: Installed,
    program: Program,
    options: Options,
    image: Image,
    state: Mutex<FuzzerState>,
    /// Idle servers, with the batches they have done and how much of `reached` they know.
    servers: Mutex<Vec<(Server, u64, usize)>>,
}

/// A crossover that a refinement oracle is to be asked about.
#[derive(Clone, Debug)]
pub struct RefinementCandidate {
    /// Its number in the corpus.
    pub seed: u32,
    /// The module.
    pub before: String,
    /// What the passes made of it.
    pub after: String,
}

#[derive(Debug)]
struct FuzzerState {
    corpus: Corpus,
    /// Seeds that a refinement oracle was asked about.
    asked: Set,
    known: Set,
    /// Whether blocks on disk are those of another build of the library: `known` is empty then.
    stale: bool,
    /// What was added to `known` since the fuzzer was opened, in order.
    reached: Vec<u32>,
    baseline: usize,
    tally: Tally,
    saved: Instant,
    /// Time and number of tests of crossovers of the suite's seeds, and of the others.
    plain: (Duration, u32),
    deeper: (Duration, u32),
}

impl Fuzzer {
    /// Opens the corpus in a folder, which may be empty. `Err` is a sentence.
    pub fn open(
        dir: &Path,
        library: &Installed,
        program: &Program,
        mut options: Options,
    ) -> Result<Fuzzer, String> {
        // As `opt` must be told it to show what is found.
        let passes = &mut options.pipeline.passes;
        *passes = llvmhost::without_fixpoint_check(passes, library.major);
        let image = Image::read(&library.path).map_err(|e| e.to_string())?;
        let corpus = Corpus::open(dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        // A library that was built anew has other blocks: they are found by measuring.
        let (known, stale) = match corpus.blocks_file() {
            path if path.exists() => match Set::load(&path, &image) {
                Ok(known) => (known, false),
                Err(e @ BaselineError::Io { .. }) => return Err(e.to_string()),
                Err(_) => (Set::default(), true),
            },
            _ => (Set::default(), false),
        };
        let tally: Tally = read_json(&dir.join(TALLY)).unwrap_or_default();
        let baseline = known.len().saturating_sub(tally.blocks as usize);
        let asked: Vec<u32> = read_json(&dir.join(ASKED)).unwrap_or_default();
        let asked = asked.into_iter().collect();
        let state = FuzzerState {
            corpus,
            asked,
            known,
            stale,
            reached: Vec::new(),
            baseline,
            tally,
            saved: Instant::now(),
            plain: Default::default(),
            deeper: Default::default(),
        };
        Ok(Fuzzer {
            library: library.clone(),
            program: program.clone(),
            options,
            image,
            state: Mutex::new(state),
            servers: Mutex::default(),
        })
    }

    /// What the import came to, if there was one.
    pub fn imported(&self) -> Option<Imported> {
        read_json(&self.dir().join(IMPORTED))
    }

    /// Imports test files into an empty corpus. `tell` hears how many are done. `None` when stopped.
    pub fn import(
        &self,
        root: &Path,
        files: &[PathBuf],
        jobs: usize,
        tell: &mut dyn FnMut(usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Option<Imported>, String> {
        let mut servers = Vec::new();
        for _ in 0..jobs.max(1) {
            servers.push(self.start(true)?);
        }
        let (pipeline, limits) = (self.options.pipeline.clone(), self.options.limits);
        let import = Import { root, files, pipeline, limits };
        let mut state = self.state();
        let done = import.run(&mut state.corpus, &mut servers, tell, stop);
        let Some(filled) = done.map_err(|e| e.to_string())? else { return Ok(None) };
        let ImportedCorpus { account: imported, known, firsts } = filled;
        state.baseline = known.len();
        (state.known, state.stale) = (known, false);
        let dir = state.corpus.dir().to_path_buf();
        self.write(&state).map_err(|e| e.to_string())?;
        let bytes = postcard::to_stdvec(&firsts).map_err(|e| e.to_string())?;
        sandbox::replace_file(&dir.join(FIRSTS), bytes).map_err(|e| e.to_string())?;
        // Last: what is without it is not whole.
        write_json(&dir.join(IMPORTED), &imported).map_err(|e| e.to_string())?;
        Ok(Some(imported))
    }

    /// Whether the blocks of the corpus are those of another build of the library, or of other rules.
    /// [`Fuzzer::measure`] finds them anew.
    pub fn is_stale(&self) -> bool {
        self.state().stale
    }

    /// Runs all seeds again to see which blocks they reach: of the suite's seeds first, which are the
    /// baseline. `tell` hears how many are done. `None` when stopped. `Err` is a sentence.
    pub fn measure(
        &self,
        tell: &mut dyn FnMut(usize),
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<usize>, String> {
        let mut server = self.start(true)?;
        let (suite, crossed) = {
            let corpus = &self.state().corpus;
            let all = 0..corpus.len() as u32;
            all.partition::<Vec<u32>, _>(|seed| !corpus.is_crossed(*seed))
        };
        let (mut known, mut baseline, mut done, mut refused) = (Set::default(), None, 0, 0);
        for seeds in [suite, crossed] {
            for some in seeds.chunks(MEASURED) {
                if stop() {
                    return Ok(None);
                }
                refused += self.reach(&mut server, some, &mut known).map_err(|e| e.to_string())?;
                done += some.len();
                tell(done);
            }
            baseline.get_or_insert(known.len());
        }
        if refused * 2 > done {
            return Err(format!(
                "{} is the corpus of another LLVM: {} does not take {refused} of its {done} seeds; give the \
                 tests that it was made of",
                self.dir().display(),
                self.library.path.display(),
            ));
        }
        let mut state = self.state();
        let blocks = known.len();
        state.baseline = baseline.unwrap_or(blocks);
        state.tally.blocks = blocks.saturating_sub(state.baseline) as u64;
        (state.known, state.stale) = (known, false);
        self.write(&state).map_err(|e| e.to_string())?;
        Ok(Some(blocks))
    }

    /// Adds the blocks that seeds reach; how many of the seeds this library does not take.
    fn reach(&self, server: &mut Server, seeds: &[u32], known: &mut Set) -> io::Result<usize> {
        let mut items = Vec::new();
        for seed in seeds {
            let state = self.state();
            let item = Plain::Optimise {
                module: state.corpus.bitcode(*seed)?,
                name: state.corpus.name(*seed).to_string(),
                pipeline: self.options.pipeline.clone(),
                x86: true,
                print: false,
            };
            items.push(item.bytes());
        }
        let mut refused = 0;
        for ran in server.run(items, self.options.limits, false)? {
            refused += usize::from(matches!(Verdict::of(&ran), Verdict::Refused(_)));
            known.extend(ran.blocks);
        }
        Ok(refused)
    }

    /// Draws seeds more often that have to do with a change; how many of them there are.
    pub fn focus(&self, focus: &Focus) -> Focused {
        let blocks = self.blocks_of(focus);
        let mut state = self.state();
        let dir = state.corpus.dir().to_path_buf();
        let firsts = fs::read(dir.join(FIRSTS)).ok();
        let firsts: Vec<(u32, Vec<u32>)> =
            firsts.and_then(|bytes| postcard::from_bytes(&bytes).ok()).unwrap_or_default();
        let reach = |(_, reached): &&(u32, Vec<u32>)| reached.iter().any(|b| blocks.contains(*b));
        let reaching: Set = firsts.iter().filter(reach).map(|(seed, _)| *seed).collect();
        let (mut tests, mut favoured) = (Vec::new(), Vec::new());
        for seed in 0..state.corpus.len() as u32 {
            match focus.nearness(state.corpus.name(seed)) {
                Some(Nearness::Test) => tests.push(seed),
                Some(Nearness::Neighbour) => favoured.push(seed),
                None if reaching.contains(seed) => favoured.push(seed),
                None => {}
            }
        }
        let focused = Focused {
            blocks: blocks.len(),
            tests: tests.len(),
            reaching: reaching.len(),
            seeds: favoured.len(),
        };
        state.corpus.favour(tests, favoured);
        focused
    }

    /// The blocks of the functions that a change is about.
    fn blocks_of(&self, focus: &Focus) -> Set {
        let names: Vec<Option<&str>> = (self.image.leaders().iter())
            .map(|leader| self.image.function_of(*leader).and_then(|(_, name)| name))
            .collect();
        let mut symbols: Vec<&str> = names.iter().flatten().copied().collect();
        symbols.dedup();
        let filter = focus.among(symbols.iter().copied());
        let wanted: std::collections::HashSet<&str> =
            symbols.into_iter().filter(|symbol| filter.has(symbol)).collect();
        let numbered = (0u32..).zip(names);
        numbered
            .filter(|(_, name)| name.is_some_and(|n| wanted.contains(n)))
            .map(|(n, _)| n)
            .collect()
    }

    /// What a test may use.
    pub fn limits(&self) -> Limits {
        self.options.limits
    }

    /// The folder of the corpus.
    pub fn dir(&self) -> PathBuf {
        self.state().corpus.dir().to_path_buf()
    }

    /// The account so far, seeds, blocks of the suite's seeds, and blocks in all.
    pub fn account(&self) -> (Tally, usize, usize, usize) {
        let state = self.state();
        (state.tally.clone(), state.corpus.len(), state.baseline, state.known.len())
    }

    /// All blocks that were reached.
    pub fn known(&self) -> Set {
        self.state().known.clone()
    }

    /// Makes and runs crossovers, drawn by a random number, fewer if it is stopped. What is found is told at once.
    /// `Err`: the server is lost, or nothing can be drawn.
    pub fn batch(
        &self,
        random: u64,
        count: usize,
        is_stopped: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(&FoundFault),
    ) -> io::Result<BatchResult> {
        let mut choices = Choices::new(random);
        let drawn = self.draw(&mut choices, count);
        if drawn.is_empty() {
            return Err(io::Error::other("no two seeds of the corpus can be crossed"));
        }
        let (mut server, used, told) = self.take_server()?;
        // What others have reached since this server was last asked.
        let reached = {
            let state = self.state();
            server.mark_known(&state.reached[told..]);
            state.reached.len()
        };
        let mut batch = BatchResult::default();
        let limits = Limits { time: self.options.limits.time / AT_FIRST, ..self.options.limits };
        for some in drawn.chunks(AT_ONCE) {
            if is_stopped() {
                break;
            }
            let items = some.iter().map(|(item, ..)| item.bytes()).collect();
            let all = server.run(items, limits, self.options.guided)?;
            for (ran, (item, kind, parents)) in all.into_iter().zip(some) {
                batch.time += ran.time;
                let before = batch.found.len();
                self.judge_crossover(&mut server, item, *kind, *parents, ran, &mut batch)?;
                batch.found[before..].iter().for_each(&mut *tell);
            }
        }
        self.add_new_seeds(&mut server, &mut batch)?;
        self.lock_servers().push((server, used + 1, reached));
        let mut state = self.state();
        state.tally.add(&batch.tally);
        if state.saved.elapsed() > SAVE {
            self.write(&state)?;
            state.saved = Instant::now();
        }
        Ok(batch)
    }

    fn draw(&self, choices: &mut Choices, count: usize) -> Vec<(Item, CrossoverKind, [u32; 2])> {
        let state = self.state();
        let (plain, deeper) = (state.plain.0.as_secs_f64(), state.deeper.0.as_secs_f64());
        let from = match deeper <= DEEPER * (plain + deeper) {
            true => SeedPool::All,
            false => SeedPool::Suite,
        };
        let mut drawn = Vec::new();
        for _ in 0..count {
            let Some(kind) = choices.pick(&self.options.kinds).copied() else { break };
            let Some(parents) = state.corpus.draw(kind, from, choices) else { continue };
            let item = Item::Cross {
                seeds: parents.map(|seed| state.corpus.span(seed)),
                kind,
                policy: self.options.policy.clone(),
                random: choices.bits(64),
                pipeline: Some(self.options.pipeline.clone()),
            };
            drawn.push((item, kind, parents));
        }
        drawn
    }

    /// Judges one crossover.
    fn judge_crossover(
        &self,
        server: &mut Server,
        item: &Item,
        kind: CrossoverKind,
        parents: [u32; 2],
        ran: Ran,
        batch: &mut BatchResult,
    ) -> io::Result<()> {
        let tally = &mut batch.tally;
        let of_kind = tally.kinds.entry(kind.name().to_string()).or_default();
        of_kind.drawn += 1;
        tally.unsteady += u64::from(ran.only_in_company);
        let verdict = Verdict::of(&ran);
        if let Verdict::Fine(answer @ Answer::Own(_)) = &verdict {
            let Ok(CrossoverAnswer::NotCrossed(failed)) = answer.clone().into_own() else {
                return Err(io::Error::other("an answer to something else"));
            };
            *of_kind.refused.entry(failed.reason().to_string()).or_default() += 1;
            // LLVM's own inliner spoilt what was valid before: that is a fault like any other.
            if let CrossoverFailure::Broken { before, .. } = &failed {
                let passes = Some("always-inline");
                self.confirm_fault(server, item, parents, before, None, passes, batch)?;
            }
            return Ok(());
        }
        if ran.stage < stage::PASSES && matches!(verdict, Verdict::Fault(_)) {
            tally.while_made += 1;
            *of_kind.refused.entry("LLVM failed while it was made".into()).or_default() += 1;
            return Ok(());
        }
        of_kind.valid += 1;
        tally.tests += 1;
        // Of one that was stopped only the limit is known; it was tried twice.
        let took = match ran.end {
            End::Time(_) => self.options.limits.time / AT_FIRST * 2,
            _ => ran.time,
        };
        let is_quick = self.note_time(parents, took);
        match verdict {
            Verdict::Trouble(words) => return Err(io::Error::other(words)),
            Verdict::Refused(words) => return Err(io::Error::other(words)),
            Verdict::Fault(seen) => {
                self.confirm_fault(server, item, parents, &ran.artifact, Some(seen), None, batch)?
            }
            Verdict::Fine(_) => {
                let mut state = self.state();
                let FuzzerState { known, reached, .. } = &mut *state;
                let before = reached.len();
                reached.extend(ran.blocks.iter().filter(|block| known.insert(**block)));
                let fresh = reached.len() - before;
                batch.tally.blocks += fresh as u64;
                if fresh > 0 && self.options.guided && is_quick {
                    batch.fresh.push(NewCoverage { bitcode: ran.artifact, kind, parents });
                }
            }
        }
        Ok(())
    }

    /// Notes the time of a test; whether it was quick enough to become a seed.
    fn note_time(&self, parents: [u32; 2], time: Duration) -> bool {
        let mut state = self.state();
        let is_deeper = parents.iter().any(|seed| state.corpus.is_crossed(*seed));
        let account = if is_deeper { &mut state.deeper } else { &mut state.plain };
        *account = (account.0 + time, account.1 + 1);
        let (time_of_plain, tests) = state.plain;
        time * tests <= time_of_plain * SLOWER
    }

    /// A fault: once more, with the module as it was laid down and nothing else. `passes` are others than
    /// those of the pipeline.
    #[allow(clippy::too_many_arguments)]
    fn confirm_fault(
        &self,
        server: &mut Server,
        item: &Item,
        parents: [u32; 2],
        bitcode: &[u8],
        seen: Option<Signature>,
        passes: Option<&str>,
        batch: &mut BatchResult,
    ) -> io::Result<()> {
        if let Some(seen) = seen.filter(|seen| seen.pass.is_some()) {
            let before = self.state().tally.faults.get(&seen.key).copied().unwrap_or(0);
            if !is_kept(before) {
                *batch.tally.faults.entry(seen.key).or_default() += 1;
                return Ok(());
            }
        }
        let mut pipeline = self.options.pipeline.clone();
        if let Some(passes) = passes {
            pipeline.passes = passes.to_string();
        }
        let alone = Plain::Optimise {
            module: bitcode.to_vec(),
            name: "crossover".into(),
            pipeline: pipeline.clone(),
            x86: true,
            print: false,
        };
        let (verdict, again) = judge(server, &alone, self.options.limits)?;
        let Verdict::Fault(signature) = verdict else {
            batch.tally.unsteady += 1;
            return Ok(());
        };
        let n = batch.tally.faults.entry(signature.key.clone()).or_default();
        *n += 1;
        let known = self.state().tally.faults.get(&signature.key).copied().unwrap_or(0) + *n;
        if !is_kept(known - 1) {
            return Ok(());
        }
        let print = Plain::Print { bitcode: bitcode.to_vec() };
        let printed = server.run(vec![print.bytes()], self.options.limits, false)?;
        let module = match printed.first().map(|ran| Answer::read(&ran.output)) {
            Some(Answer::Fine(text)) => text,
            _ => return Err(io::Error::other("a module cannot be printed")),
        };
        let Item::Cross { random, kind, .. } = item else { return Ok(()) };
        let state = self.state();
        let names = parents.map(|seed| state.corpus.name(seed).to_string());
        let origin = format!("{} of {} and {}, random {random}", kind.name(), names[0], names[1]);
        let told = again.end.describe();
        let passes = pipeline.passes;
        batch.found.push(FoundFault { signature, module, passes, origin, told });
        Ok(())
    }

    /// Keeps the crossovers that reached something new.
    fn add_new_seeds(&self, server: &mut Server, batch: &mut BatchResult) -> io::Result<()> {
        let fresh = std::mem::take(&mut batch.fresh);
        let facts = |fresh: &NewCoverage| Item::Facts { bitcode: fresh.bitcode.clone() }.bytes();
        let items: Vec<Vec<u8>> = fresh.iter().map(facts).collect();
        if items.is_empty() {
            return Ok(());
        }
        let answers = server.run(items, self.options.limits, false)?;
        let mut state = self.state();
        for (NewCoverage { bitcode, kind, parents }, answer) in fresh.into_iter().zip(answers) {
            let Ok(CrossoverAnswer::Facts(facts)) = Answer::read(&answer.output).into_own() else {
                continue;
            };
            let name = format!("{} {} {}", kind.name(), parents[0], parents[1]);
            state.corpus.add(&bitcode, name, Some(parents), facts)?;
            batch.tally.added += 1;
        }
        Ok(())
    }

    /// What passes make of the smallest crossover of the corpus that was not asked about yet (FLUX, IV-B: a
    /// refinement oracle begins with the smallest). `None` when there is nothing left to ask, or the passes
    /// fail on it.
    pub fn next_to_refine(&self, passes: &str) -> io::Result<Option<RefinementCandidate>> {
        let (seed, bitcode, name) = {
            let mut state = self.state();
            let FuzzerState { corpus, asked, .. } = &mut *state;
            let Some(seed) = corpus.smallest_crossed(|seed| !asked.contains(seed)) else {
                return Ok(None);
            };
            asked.insert(seed);
            (seed, state.corpus.bitcode(seed)?, state.corpus.name(seed).to_string())
        };
        let running = Running { verify_each: false, log: false };
        let optimise = |passes: &str| {
            let pipeline = Pipeline::of(passes, running);
            let module = bitcode.clone();
            Plain::Optimise { module, name: name.clone(), pipeline, x86: true, print: true }.bytes()
        };
        let items = vec![optimise("verify"), optimise(passes)];
        let ran = self.with_server(|server| server.run(items, self.options.limits, false))??;
        let texts = ran.iter().map(|ran| match Verdict::of(ran) {
            Verdict::Fine(Answer::Fine(text)) => Some(text),
            _ => None,
        });
        let texts: Option<Vec<String>> = texts.collect();
        let pair = texts.and_then(|texts| <[String; 2]>::try_from(texts).ok());
        Ok(pair.map(|[before, after]| RefinementCandidate { seed, before, after }))
    }

    /// Calls `work` with an idle server.
    pub fn with_server<T>(&self, work: impl FnOnce(&mut Server) -> T) -> io::Result<T> {
        let (mut server, used, told) = self.take_server()?;
        let done = work(&mut server);
        self.lock_servers().push((server, used + 1, told));
        Ok(done)
    }

    /// Starts a server on the library and the corpus.
    fn start(&self, coverage: bool) -> Result<Server, String> {
        let (seeds, known) = {
            let state = self.state();
            (state.corpus.seeds_file(), (!state.stale).then(|| state.corpus.blocks_file()))
        };
        let setup = Setup {
            library: self.library.path.clone(),
            major: self.library.major,
            coverage,
            known,
            work: seeds.to_string_lossy().into_owned().into_bytes(),
        };
        Server::start(&self.program, &setup)
    }

    fn take_server(&self) -> io::Result<(Server, u64, usize)> {
        while let Some((server, used, told)) = self.lock_servers().pop() {
            if used < RENEW {
                return Ok((server, used, told));
            }
        }
        let told = {
            let state = self.state();
            self.write(&state)?;
            state.reached.len()
        };
        Ok((self.start(self.options.guided).map_err(io::Error::other)?, 0, told))
    }

    /// Writes what is not on disk yet.
    pub fn save(&self) -> io::Result<()> {
        let state = self.state();
        self.write(&state)
    }

    fn write(&self, state: &FuzzerState) -> io::Result<()> {
        // What was measured on another build stays until this one was measured.
        if state.stale {
            return Ok(());
        }
        state.known.save(&state.corpus.blocks_file(), &self.image).map_err(io::Error::other)?;
        let asked: Vec<u32> = state.asked.iter().collect();
        write_json(&state.corpus.dir().join(ASKED), &asked)?;
        write_json(&state.corpus.dir().join(TALLY), &state.tally)
    }

    /// Plain data: a panic elsewhere has not broken it.
    fn state(&self) -> MutexGuard<'_, FuzzerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_servers(&self) -> MutexGuard<'_, Vec<(Server, u64, usize)>> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Fuzzer {
    fn drop(&mut self) {
        // Nobody is left to be told; the next start reaches the same blocks again.
        let _ = self.save();
    }
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn write_json<T: Serialize>(path: &Path, value: &T) -> io::Result<()> {
    sandbox::replace_file(path, serde_json::to_vec_pretty(value)?)
}

#[cfg(test)]
mod tests {
    use super::is_kept;

    #[test]
    fn a_rare_bug_comes_through_behind_a_frequent_one() {
        let kept: Vec<u64> = (0..70).filter(|known| is_kept(*known)).map(|n| n + 1).collect();
        assert_eq!(kept, [1, 2, 3, 4, 8, 16, 32, 64]);
    }
}
