//! A program that variants are derived from, ready to be changed and printed again.
//!
//! Seeds are read from their files, preprocessed, whatever made them: `gainsay mutate` on the same files
//! makes the same variants as a hunt. What headers declare and nothing uses is left out of the text, so
//! that it suits compilers other than the one that preprocessed it.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use cgen::policy::Policy;
use cgen::{smith, yarp};
use choice::Choices;
use cmachine::MachineConfig;
use ctree::{Item, Program, Span, UnitId};
use emi::{Chain, Database, Options, Strategies, UnusableSeed};
use oracle::SourceFile;
use toolchain::Preprocessor;

use crate::predict::{self, Unusable};

/// Donors of statements for Athena, of either generator. They are the same in every hunt: a variant
/// depends on its seed and its number alone.
const DONORS: u64 = 10;

/// A program that variants are derived from.
#[derive(Clone, Debug)]
pub struct Seed {
    /// The program, without what its headers declare in vain.
    pub program: Program,
    /// Declarations at the head of each unit that are left as they are.
    pub headers: Vec<usize>,
}

impl Seed {
    /// Preprocesses and reads the units of a program. The preprocessor's time is added to `spent`.
    pub fn read(
        units: &[PathBuf],
        preprocessor: &Preprocessor,
        spent: &mut Duration,
    ) -> Result<Seed, Unusable> {
        Ok(Seed::new(predict::read(units, preprocessor, spent)?))
    }

    /// A program that was read, its units under the names of their files.
    pub fn new(mut program: Program) -> Seed {
        let names: Vec<String> = program.units.iter().map(|unit| unit.name.clone()).collect();
        // Where a file has no function of its own, as one that only includes another, all are.
        let any = program.units.iter().any(|unit| has_own(&program, &unit.items, &names));
        let is_own = |program: &Program, item: &Item| !any || own(program, item, &names);
        cshrink::drop_headers(&mut program, &is_own);
        let may = |item: &Item| is_own(&program, item) && is_mutable(&program, item);
        let headers = headers(&program, &may);
        Seed { program, headers }
    }

    /// The beginning of its variants. The seed number is for the choices.
    pub fn chain(
        self,
        strategies: &Strategies,
        config: &MachineConfig,
        number: u64,
    ) -> Result<Chain, UnusableSeed> {
        let options =
            Options { strategies: strategies.clone(), headers: self.headers, ..Options::default() };
        Chain::new(self.program, options, config, &Choices::new(number))
    }
}

/// The text of a variant: its units under the names of their files, without folders.
pub fn texts(program: &Program) -> Vec<SourceFile> {
    let text = |(n, unit): (usize, &ctree::Unit)| SourceFile {
        name: unit.name.rsplit('/').next().unwrap_or(&unit.name).to_string(),
        bytes: ctree::print::print_unit(program, UnitId(n as u32)).into_bytes(),
    };
    program.units.iter().enumerate().map(text).collect()
}

/// Statements for Athena.
pub fn donors() -> &'static Database {
    static DATABASE: OnceLock<Database> = OnceLock::new();
    DATABASE.get_or_init(|| {
        let mut database = Database::default();
        let options = yarp::Options { policy: Policy::plain(), ..yarp::Options::default() };
        for seed in 1..=DONORS {
            let tuple = smith::SeedTuple::plain(seed);
            let made = smith::generate(&tuple, &smith::Options::default()).program;
            database.gather(&made, &headers(&made, &|item| is_mutable(&made, item)));
            if let Ok(made) = yarp::generate(seed, &options) {
                database.gather(&made.program, &[]);
            }
        }
        database
    })
}

/// Declarations of each unit before the first function that may be changed. In a program of several
/// units, `main`'s only drives the others, mostly without optimisation, and is left alone.
fn headers(program: &Program, may: &dyn Fn(&Item) -> bool) -> Vec<usize> {
    let is_main = |item: &Item| match *item {
        Item::Func(f) => program.name(program.func(f).name) == "main",
        _ => false,
    };
    let of = |unit: &ctree::Unit| match program.units.len() > 1 && unit.items.iter().any(is_main) {
        true => unit.items.len(),
        false => unit.items.iter().position(may).unwrap_or(0),
    };
    program.units.iter().map(of).collect()
}

fn has_own(program: &Program, items: &[Item], files: &[String]) -> bool {
    items.iter().any(|item| matches!(item, Item::Func(_)) && own(program, item, files))
}

/// Whether code may be put into it: wrappers around arithmetic, ours or Csmith's, are better left alone.
fn is_mutable(program: &Program, item: &Item) -> bool {
    match *item {
        Item::Func(f) => !program.name(program.func(f).name).starts_with("safe_"),
        _ => false,
    }
}

/// Whether a definition stands in one of these files, or is where the program begins.
fn own(program: &Program, item: &Item, files: &[String]) -> bool {
    let stands =
        |span: Span| program.source.location(span).is_some_and(|place| files.contains(&place.file));
    match *item {
        Item::Func(f) => {
            let func = program.func(f);
            program.name(func.name) == "main" || stands(func.span)
        }
        Item::Var(v) => stands(program.var(v).span),
        _ => false,
    }
}
