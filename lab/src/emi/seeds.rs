//! Seeds that the machine finishes, so many of each kind.

use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Result, bail};
use campaign::{EngineChoice, Seed, SeedMaker, TestProgram};
use choice::Choices;

use crate::context::Context;
use crate::pool;
use crate::torture::files;

/// Steps of a seed, at most: longer ones are few and would take most of the time.
const STEPS: u64 = 2_000_000;

/// A kind of seeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum SeedKind {
    /// Our generator of small tests
    Yarp,
    /// Our generator of Csmith's kind
    Smith,
    /// The installed Csmith
    Csmith,
    /// GCC's torture tests
    Torture,
}

impl SeedKind {
    /// All of them, in the order of `--seeds`.
    pub const ALL: [SeedKind; 4] =
        [SeedKind::Yarp, SeedKind::Smith, SeedKind::Csmith, SeedKind::Torture];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            SeedKind::Yarp => "yarp",
            SeedKind::Smith => "smith",
            SeedKind::Csmith => "csmith",
            SeedKind::Torture => "torture",
        }
    }

    fn seeds(self, context: &Context) -> Result<EngineChoice> {
        Ok(match self {
            SeedKind::Yarp => EngineChoice::yarp(),
            SeedKind::Smith => EngineChoice::smith(),
            SeedKind::Csmith => EngineChoice::csmith(),
            SeedKind::Torture => match files::unpack(context)? {
                Some(from) => EngineChoice::Files { from, include: Vec::new() },
                None => {
                    bail!("GCC's sources are not installed: apt-get install gcc-12-source xz-utils")
                }
            },
        })
    }
}

/// A seed with its number.
pub struct Numbered {
    /// Its kind.
    pub kind: SeedKind,
    /// Its number there.
    pub number: u64,
    /// As it is tested.
    pub made: TestProgram,
    /// As it is mutated.
    pub seed: Seed,
}

impl Numbered {
    /// `csmith-17`.
    pub fn label(&self) -> String {
        format!("{}-{}", self.kind.name(), self.number)
    }
}

/// The first `count` seeds of a kind that have an answer, exit with 0 and end soon. Those of a folder are
/// taken in random order.
pub fn collect(
    context: &Context,
    kind: SeedKind,
    first: u64,
    count: usize,
) -> Result<Vec<Numbered>> {
    if count == 0 {
        return Ok(Vec::new());
    }
    let maker = SeedMaker::new(&kind.seeds(context)?)?;
    let mut numbers: Vec<u64> = match maker.count() {
        Some(all) => (0..all).collect(),
        None => (first..first + 20 * count as u64 + 20).collect(),
    };
    if maker.count().is_some() {
        Choices::new(first).fork("torture").shuffle(&mut numbers);
    }
    let found = AtomicUsize::new(0);
    let mut all = Vec::new();
    for some in numbers.chunks((2 * count).max(8)) {
        let made = pool::map(kind.name(), some, |&number| -> Result<Option<Numbered>> {
            if found.load(Ordering::Relaxed) >= count + pool::processors() {
                return Ok(None);
            }
            let Ok((made, seed)) = maker.make(number).map_err(anyhow::Error::from)? else {
                return Ok(None);
            };
            let config = cmachine::MachineConfig { fuel: STEPS, ..Default::default() };
            let ends = cmachine::run(&seed.program, &config).outcome
                == cmachine::Outcome::Finished(cmachine::Exit::Status(0));
            Ok(ends.then(|| {
                found.fetch_add(1, Ordering::Relaxed);
                Numbered { kind, number, made, seed }
            }))
        });
        for one in made {
            all.extend(one?);
        }
        if all.len() >= count {
            all.truncate(count);
            return Ok(all);
        }
    }
    bail!("of {} programs of {} only {} can be used", numbers.len(), kind.name(), all.len())
}
