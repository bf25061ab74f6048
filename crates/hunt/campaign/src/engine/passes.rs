//! The engine `passes`: sequences of LLVM's passes on whole programs (CTOS).
//!
//! Tests come in rounds. A round has its sequences for each library and its programs, both drawn afresh and
//! chosen from many; a test is one program under some of the sequences on one library. What a round has
//! follows from its seed alone, but for exclusions, which are learnt.

mod programs;
mod suspect;
mod tally;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use cgen::policy::Policy;
use finding::{LibraryIdentity, SequenceSubject, Subject};
use llvmhost::{Allowance, Installed, Limits, Program, Server, Setup};
use oracle::Trouble;
use passes::exclusion::Exclusions;
use passes::inventory::{Inventory, Library, List};
use passes::represent::{self, ProgramSelection, SequenceRequest, SequenceSelection};
use passes::sequence::{Draw, Sequence};
use passes::trial::{ExecuteFn, Trial};
use reduce::NotReduced;
use sandbox::Stop;
use toolchain::Language;

pub use programs::{PreparedProgram, ProgramMaker};
pub use tally::PassesTally;

use super::{Engine, Source, Yarp};
use crate::baseline::LibraryBaseline;
use crate::bench::TestBench;
use crate::explain::explained_by;
use crate::module::{LlvmTools, at_hand, compiler, identity, label, library_at_hand, study_module};
use crate::program::{self, study_program};
use crate::record::{Finding, Standing, Study, Tested};
use crate::refinement::RefinementOracles;
use crate::store::StoredTarget;

/// Sequences in a test: enough to pay for a fork, few enough to be done soon.
pub const CHUNK: usize = 10;

/// Rounds that are kept: workers may be a test apart at the end of one.
const KEPT: usize = 2;

/// Its name in the store, whose programs are what their engine makes by default.
const NAME: &str = "passes";

/// The beginning of its names where they are not: programs of other options, of the same seeds, are other tests.
const NAME_OF: &str = "passes of ";

/// The name for programs of an engine of that name.
fn name_for(programs: &str) -> String {
    let small = Yarp::new(Language::C, Policy::small(), "small");
    let is_default = ["yarp", small.name(), "smith", "csmith", "csmith swarm"].contains(&programs);
    match is_default || programs.starts_with("files ") {
        true => NAME.to_string(),
        false => format!("{NAME_OF}{programs}"),
    }
}

/// Where a library's state is, in the folder of a hunt.
fn state(out: &Path, library: &Installed) -> PathBuf {
    out.join(format!("passes-{}", library.folder()))
}

/// The file of what is not drawn any more.
pub(crate) fn exclusions_file(out: &Path, library: &Installed) -> PathBuf {
    state(out, library).join("exclusions.json")
}

/// Options of the engine.
#[derive(Clone, Debug)]
pub struct PassesOptions {
    /// Libraries, which take turns.
    pub libraries: Vec<Installed>,
    /// How servers are started.
    pub program: Program,
    /// The clang that makes IR of programs.
    pub clang: PathBuf,
    /// The folder for inventories and exclusions.
    pub dir: PathBuf,
    /// Which passes.
    pub list: List,
    /// How to choose sequences.
    pub sequences_by: SequenceSelection,
    /// Sequences of a round, and how many they are selected from.
    pub sequences: (usize, usize),
    /// Their lengths.
    pub draw: Draw,
    /// How to choose programs.
    pub programs_by: ProgramSelection,
    /// Programs of a round, and how many they are selected from.
    pub programs: (usize, usize),
    /// Where the expected result comes from.
    pub oracle: Judge,
    /// How code is executed.
    pub backend: Backend,
    /// What LLVM may use for one sequence.
    pub limits: Limits,
    /// Whether modules are verified after each pass.
    pub verify_each: bool,
    /// Whether what fails often is not drawn any more.
    pub exclude: bool,
    /// Threads for what is done at the start of a round.
    pub threads: usize,
}

/// Where the expected result of a program comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judge {
    /// The machine, before anything is compiled.
    #[default]
    Machine,
    /// What most sequences make of it (CTOS): for programs that the machine cannot execute.
    Majority,
}

/// How code is executed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Backend {
    /// Linked by LLVM's JIT, in a fork of the server.
    #[default]
    Jit,
    /// Linked by the system's linker, as a program of its own.
    Linker,
}

/// The engine.
pub struct Passes {
    name: String,
    options: PassesOptions,
    programs: ProgramMaker,
    benches: Vec<LibraryState>,
    /// Oracles that check whether functions are miscompiled.
    oracles: RefinementOracles,
    rounds: Mutex<BTreeMap<u64, Arc<Round>>>,
    /// Of a comparison.
    baseline: Option<LibraryBaseline>,
}

/// A library with what is known of it.
struct LibraryState {
    installed: Installed,
    inventory: Inventory,
    exclusions: Mutex<Exclusions>,
    tally: Mutex<PassesTally>,
    servers: Mutex<Vec<Server>>,
    /// Reduced sequences that made wrong code.
    wrong: Mutex<Vec<Sequence>>,
    dir: PathBuf,
    exclusions_file: PathBuf,
}

#[derive(Default)]
struct Round {
    programs: OnceLock<Result<Vec<PreparedProgram>, Trouble>>,
    sequences: BTreeMap<usize, OnceLock<Vec<Sequence>>>,
}

impl Passes {
    /// The engine; it asks libraries for their passes. An error is a sentence.
    /// `baseline` is the older library of a comparison, which must be right: passes that it lacks are not drawn.
    pub fn new(
        options: PassesOptions,
        source: Box<dyn Source>,
        baseline: Option<&Installed>,
    ) -> Result<Passes, String> {
        let mut benches = Vec::new();
        for library in &options.libraries {
            benches.push(LibraryState::open(library, &options)?);
        }
        if let Some(library) = baseline {
            let old = LibraryState::open(library, &options)?;
            for state in &mut benches {
                state.keep_common(&old.inventory, options.list)?;
            }
        }
        let name = name_for(source.name());
        let programs = ProgramMaker::new(source, &options);
        let oracles = RefinementOracles::find();
        let baseline = baseline.map(|library| LibraryBaseline::new(library, &options.program));
        let rounds = Mutex::default();
        Ok(Passes { name, options, programs, benches, oracles, rounds, baseline })
    }

    /// Tests of a round: programs, chunks of sequences, libraries.
    fn round_size(&self) -> u64 {
        let chunks = self.options.sequences.0.div_ceil(CHUNK).max(1);
        (chunks * self.options.programs.0.max(1) * self.benches.len()) as u64
    }

    fn round(&self, number: u64) -> Arc<Round> {
        let mut rounds = lock(&self.rounds);
        let fresh = || {
            let sequences = (0..self.benches.len()).map(|at| (at, OnceLock::new())).collect();
            Arc::new(Round { sequences, ..Round::default() })
        };
        let round = rounds.entry(number).or_insert_with(fresh).clone();
        while rounds.len() > KEPT {
            rounds.pop_first();
        }
        round
    }

    /// A test that was stopped. If it has seen nothing that is to be confirmed, its sequences so far are a test like
    /// any other; else it is done again.
    fn part_of(&self, tested: Tested, bench: &TestBench) -> Tested {
        let seen = bench.sightings(self.name(), tested.seed);
        let is_open = seen.iter().any(|seen| seen.standing == Standing::Unconfirmed);
        Tested { interrupted: is_open || tested.tests == 0, ..tested }
    }

    fn sequences<'r>(&self, round: &'r Round, number: u64, library: usize) -> &'r [Sequence] {
        let bench = &self.benches[library];
        let wanted = SequenceRequest {
            by: self.options.sequences_by,
            list: self.options.list,
            draw: self.options.draw.clone(),
            of: self.options.sequences.1,
            count: self.options.sequences.0,
            seed: number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ library as u64,
            threads: self.options.threads,
        };
        round.sequences.get(&library).map_or(&[], |cell| {
            cell.get_or_init(|| {
                represent::sequences(&wanted, &bench.inventory, &mut lock(&bench.exclusions))
            })
        })
    }
}

impl LibraryState {
    /// Which library it is, for findings.
    fn identity(&self) -> LibraryIdentity {
        identity(&self.installed, &self.inventory.library.release)
    }

    fn open(library: &Installed, options: &PassesOptions) -> Result<LibraryState, String> {
        let dir = state(&options.dir, library);
        let cannot = |e: io::Error| format!("{} cannot be written: {e}", dir.display());
        fs::create_dir_all(&dir).map_err(cannot)?;
        let mut server = start(library, &options.program)?;
        let file = dir.join("inventory.json");
        let known = Inventory::read(&file, &Library::new(&library.path, &server.release));
        let inventory = match known {
            Some(inventory) => inventory,
            None => Inventory::make(&mut server, library)?,
        };
        inventory.write(&file).map_err(cannot)?;
        if inventory.list(options.list).is_empty() {
            return Err(format!("LLVM {} has no passes on that list", library.name()));
        }
        let exclusions = Exclusions::read(&exclusions_file(&options.dir, library))?;
        let tally = PassesTally::read(&dir);
        Ok(LibraryState {
            installed: library.clone(),
            inventory,
            exclusions: Mutex::new(exclusions),
            tally: Mutex::new(tally),
            servers: Mutex::new(vec![server]),
            wrong: Mutex::default(),
            exclusions_file: exclusions_file(&options.dir, library),
            dir,
        })
    }

    /// Leaves only passes on a list that another library has on it, too. An error is a sentence.
    fn keep_common(&mut self, other: &Inventory, list: List) -> Result<(), String> {
        for pass in &mut self.inventory.passes {
            let is_it = |theirs: &passes::inventory::Pass| {
                theirs.name == pass.name && theirs.unit == pass.unit && theirs.lists.contains(&list)
            };
            if !other.passes.iter().any(is_it) {
                pass.lists.clear();
            }
        }
        match self.inventory.list(list).is_empty() {
            true => Err(format!(
                "{} and the baseline have no pass in common",
                compiler(&self.installed)
            )),
            false => Ok(()),
        }
    }

    /// Exclusions are on disk before they take effect.
    fn write(&self) -> io::Result<()> {
        lock(&self.tally).write(&self.dir)?;
        lock(&self.exclusions).write(&self.exclusions_file)
    }

    fn take_server(&self, program: &Program) -> Result<Server, Trouble> {
        let idle = lock(&self.servers).pop();
        idle.map_or_else(|| start(&self.installed, program).map_err(Trouble::Io), Ok)
    }
}

/// Starts a server for a library.
pub(crate) fn start(library: &Installed, program: &Program) -> Result<Server, String> {
    let setup = Setup { library: library.path.clone(), major: library.major, ..Setup::default() };
    Server::start(program, &setup)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine for Passes {
    fn name(&self) -> &str {
        &self.name
    }

    fn seeds(&self, first: u64) -> Range<u64> {
        // Each seed is a round of its own.
        first.saturating_mul(self.round_size())..u64::MAX
    }

    fn tests_each(&self) -> u64 {
        CHUNK as u64
    }

    fn test(&self, seed: u64, bench: &TestBench) -> Result<Tested, Trouble> {
        let mut tested = Tested::new(self.name(), seed);
        tested.tests = 0;
        let (number, at) = (seed / self.round_size(), seed % self.round_size());
        let libraries = self.benches.len() as u64;
        let (library, at) = ((at % libraries) as usize, at / libraries);
        let round = self.round(number);
        let programs = round.programs.get_or_init(|| self.programs.make(number, bench));
        let programs = programs.as_ref().map_err(Trouble::clone)?;
        let wanted = self.options.programs.0.max(1) as u64;
        let (program, chunk) = ((at % wanted) as usize, (at / wanted) as usize);
        let Some(program) = programs.get(program) else {
            tested.skipped = Some("fewer programs than wanted are usable".into());
            return Ok(tested);
        };
        let here = &self.benches[library];
        let sequences = self.sequences(&round, number, library);
        let some: Vec<Sequence> =
            sequences.iter().skip(chunk * CHUNK).take(CHUNK).cloned().collect();
        let mut server = here.take_server(&self.options.program)?;
        let runner = |object: &[u8]| {
            program::linked(object, &self.options.clang, &bench.lab.stop).map_err(io::Error::other)
        };
        let mut trial = Trial {
            server: &mut server,
            inventory: &here.inventory,
            bitcode: &program.bitcode,
            limits: self.options.limits,
            allowance: Allowance::default(),
            runner: (self.options.backend == Backend::Linker).then_some(&runner as ExecuteFn<'_>),
            verify_each: self.options.verify_each,
            spent: program.preparing(),
            is_stopped: &|| bench.lab.stop.is_set(),
        };
        let ran = self.test_sequences(here, program, &some, &mut trial, bench, &mut tested);
        tested.cost.compile += trial.spent;
        if let Err(trouble) = ran {
            return if bench.lab.stop.is_set() {
                Ok(self.part_of(tested, bench))
            } else {
                Err(trouble)
            };
        }
        lock(&here.servers).push(server);
        here.write().map_err(|error| Trouble::Io(error.to_string()))?;
        Ok(tested)
    }

    fn study(&self, found: &Finding, stop: &Stop) -> Option<Result<Study, NotReduced>> {
        let tools = LlvmTools { program: &self.options.program, limits: self.options.limits };
        let libraries = self.benches.iter().map(|bench| &bench.installed);
        match &found.finding.subject {
            Subject::Module(module) => {
                let module = at_hand(module, libraries)?;
                Some(study_module(found, &module, tools, stop, &|_| {}))
            }
            Subject::Sequence(it) => {
                let library = library_at_hand(&it.library, libraries)?;
                let sequence = SequenceSubject { library, ..it.clone() };
                Some(study_program(found, &sequence, tools, &self.options.clang, stop, &|_| {}))
            }
            Subject::Program(_) | Subject::Judged(_) => None,
        }
    }

    fn explained_by(&self, found: &Finding, known: &[(i64, Study)], stop: &Stop) -> Option<i64> {
        let Subject::Module(module) = &found.finding.subject else { return None };
        let module = at_hand(module, self.benches.iter().map(|bench| &bench.installed))?;
        let tools = LlvmTools { program: &self.options.program, limits: self.options.limits };
        // What cannot be told now is learnt by a study.
        explained_by(found, &module, known, tools, stop).ok().flatten()
    }

    fn targets(&self) -> Vec<StoredTarget> {
        let target = |bench: &LibraryState| StoredTarget {
            label: label(&bench.installed, &format!("{:?}", self.options.list).to_lowercase()),
            compiler: compiler(&bench.installed),
            version: bench.inventory.library.release.clone(),
            triple: llvmhost::X86_64.to_string(),
            command: bench.installed.path.display().to_string(),
            runner: String::new(),
        };
        self.benches.iter().map(target).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Smith, SmithOptions};

    #[test]
    fn other_programs_are_another_engine() {
        let smith = Smith::new(SmithOptions { as_drawn: true, ..Default::default() });
        assert_eq!(name_for("yarp"), "passes");
        assert_eq!(name_for("files /some/folder"), "passes");
        assert_eq!(name_for(smith.name()), "passes of smith-drawn");
    }
}
