//! The programs of a round: made by another engine, turned into IR by clang, and chosen.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use llvmhost::{Allowance, Installed, Limits, Program, Running, Server};
use optimise::verdict::Verdict;
use optimise::work::{Answer, Item, Pipeline};
use oracle::{Assessment, Trouble};
use passes::represent::{ProgramSelection, programs};
use passes::shape::ModuleShape;
use passes::trial::ExpectedRun;
use passes::work as items;

use super::{Judge, PassesOptions, start};
use crate::bench::TestBench;
use crate::engine::{Source, TestProgram};
use crate::front;
use crate::record::Cost;

/// Larger programs take seconds for a sequence.
const LARGEST: usize = 600 << 10;

/// A program, ready to be tested with.
#[derive(Debug)]
pub struct PreparedProgram {
    /// The program and where it comes from.
    pub made: TestProgram,
    /// Whether clang wrote the IR as for an optimised build.
    pub optimising: bool,
    /// Its unoptimised IR.
    pub bitcode: Vec<u8>,
    /// Its expected result, if the machine knows it.
    pub must: Option<ExpectedRun>,
    /// That as text, once somebody has asked for it.
    pub text: OnceLock<String>,
    shape: ModuleShape,
    /// Time that clang took, until it is reported.
    clang: Mutex<Duration>,
}

impl PreparedProgram {
    /// Time that was spent on it and not yet reported.
    pub fn preparing(&self) -> Duration {
        std::mem::take(&mut *self.clang.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Makes programs.
pub struct ProgramMaker {
    source: Box<dyn Source>,
    clang: PathBuf,
    /// The oldest library: what it reads, all read.
    library: Installed,
    program: Program,
    by: ProgramSelection,
    count: usize,
    of: usize,
    oracle: Judge,
    threads: usize,
}

impl ProgramMaker {
    /// As the options say, out of this source.
    pub fn new(source: Box<dyn Source>, options: &PassesOptions) -> ProgramMaker {
        let oldest = options.libraries.iter().min_by_key(|library| library.major);
        ProgramMaker {
            source,
            clang: options.clang.clone(),
            library: oldest.unwrap_or(&options.libraries[0]).clone(),
            program: options.program.clone(),
            by: options.programs_by,
            count: options.programs.0,
            of: options.programs.1,
            oracle: options.oracle,
            threads: options.threads,
        }
    }

    /// The programs of a round.
    pub fn make(&self, round: u64, bench: &TestBench) -> Result<Vec<PreparedProgram>, Trouble> {
        let of = match self.by {
            ProgramSelection::Chance => self.count,
            _ => self.of.max(self.count),
        } as u64;
        let next = AtomicU64::new(0);
        let all: Mutex<Vec<(u64, PreparedProgram)>> = Mutex::default();
        let work = || -> Result<(), Trouble> {
            let mut server = start(&self.library, &self.program).map_err(Trouble::Io)?;
            loop {
                let at = next.fetch_add(1, Ordering::Relaxed);
                if at >= of {
                    return Ok(());
                }
                if bench.lab.stop.is_set() {
                    return Err(Trouble::Stopped);
                }
                if let Some(prepared) = self.prepare(round * of + at, bench, &mut server)? {
                    all.lock().unwrap_or_else(PoisonError::into_inner).push((at, prepared));
                }
            }
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads.max(1)).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })?;
        let mut all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        all.sort_by_key(|(at, _)| *at);
        let mut all: Vec<Option<PreparedProgram>> =
            all.into_iter().map(|(_, one)| Some(one)).collect();
        let shapes: Vec<ModuleShape> = all.iter().flatten().map(|one| one.shape.clone()).collect();
        let chosen = programs(self.by, &shapes, self.count, round, self.threads);
        Ok(chosen.into_iter().filter_map(|at| all[at].take()).collect())
    }

    /// One program; `None` if it cannot be used.
    fn prepare(
        &self,
        seed: u64,
        bench: &TestBench,
        server: &mut Server,
    ) -> Result<Option<PreparedProgram>, Trouble> {
        let folder = bench.folder()?;
        let mut cost = Cost::default();
        let first = self.source.seeds(0);
        let seed = first.start + seed % (first.end - first.start).max(1);
        let Ok(mut made) = self.source.make(seed, folder.path(), bench, &mut cost)? else {
            return Ok(None);
        };
        // All of it goes through the passes.
        made.case.harness = None;
        let expected = made.case.expected.clone();
        // Floating point may differ in its last digits; by how much is not known here.
        let inexact =
            expected.as_ref().is_some_and(|e| e.stdout.windows(6).any(|word| word == b"float "));
        // Whatever most make of a program that is undefined is right.
        let undefined = matches!(made.own.says, Assessment::Undefined(_));
        if inexact || expected.is_none() && (undefined || self.oracle == Judge::Machine) {
            return Ok(None);
        }
        bench.lab.write(&made.case, folder.path())?;
        let optimising = seed % 2 == 1;
        let mut clang = cost.total();
        let mut modules = Vec::new();
        for unit in made.case.units().map(String::from).collect::<Vec<_>>() {
            let read = front::bitcode(&made.case, &unit, optimising, &self.clang, folder.path());
            let Ok((bitcode, time)) = read else { return Ok(None) };
            clang += time;
            modules.push(bitcode);
        }
        let bitcode = match modules.len() {
            1 => modules.remove(0),
            _ => match ask(server, &Item::Link { modules })? {
                Verdict::Fine(Answer::Object(bitcode)) => bitcode,
                _ => return Ok(None),
            },
        };
        if bitcode.len() > LARGEST {
            return Ok(None);
        }
        let must = expected.map(|e| ExpectedRun { status: e.status, stdout: e.stdout });
        let prepared = |shape| PreparedProgram {
            made,
            optimising,
            bitcode: bitcode.clone(),
            must: must.clone(),
            text: OnceLock::new(),
            shape,
            clang: Mutex::new(clang),
        };
        // Without passes it does as it must, or we do not understand each other.
        let plain = Item::Execute {
            module: bitcode.clone(),
            pipeline: Pipeline::of("", Running::default()),
            allowance: Some(Allowance::default()),
        };
        match ask(server, &plain)? {
            Verdict::Fine(Answer::Executed(executed))
                if must.as_ref().is_none_or(|must| must.matches(&executed)) => {}
            _ => return Ok(None),
        }
        let item = items::Item::Shape { module: bitcode.clone() };
        let ran = server.run(vec![item.bytes()], Limits::default(), false);
        let ran = ran.map_err(|error| Trouble::Io(error.to_string()))?;
        Ok(match ran.first().map(|ran| items::Answer::read(&ran.output)) {
            Some(items::Answer::Shape(shape)) => Some(prepared(shape)),
            _ => None,
        })
    }
}

fn ask(server: &mut Server, item: &Item) -> Result<Verdict, Trouble> {
    let ran = server.run(vec![item.bytes()], Limits::default(), false);
    let ran = ran.map_err(|error| Trouble::Io(error.to_string()))?;
    ran.first().map(Verdict::of).ok_or_else(|| Trouble::Io("the server did nothing".into()))
}
