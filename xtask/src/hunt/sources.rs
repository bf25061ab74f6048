//! Where the programs of a hunt come from.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use choice::Choices;
use ctree::UnitId;
use ctree::print::print_unit;

use crate::csmith::Csmith;

/// A source of programs.
#[derive(Clone, Debug)]
pub enum Source {
    /// Our own plain generator: defined by construction, and always there.
    Simple,
    /// Csmith, with default options.
    Csmith(Csmith),
}

impl Source {
    /// Every source there is.
    pub fn all(csmith: Option<Csmith>) -> Vec<Source> {
        [Source::Simple].into_iter().chain(csmith.map(Source::Csmith)).collect()
    }

    /// Writes the program of a seed.
    pub fn generate(&self, seed: u64, file: &Path) -> Result<()> {
        match self {
            Source::Simple => {
                let program = cgen::simple(&mut Choices::new(seed));
                if program.units.is_empty() {
                    bail!("seed {seed} makes no unit");
                }
                fs::write(file, print_unit(&program, UnitId(0)))?;
                Ok(())
            }
            Source::Csmith(csmith) => csmith.generate(seed, file),
        }
    }
}
