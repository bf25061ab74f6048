//! `cargo lab torture`: GCC's `gcc.c-torture/execute` through the machine.
//!
//! The files come from Debian's `gcc-12-source`, are unpacked under the target folder and never
//! committed. The reference is gcc -O0: a test that it cannot compile and run to status 0 is
//! skipped, and so are those of `execute/builtins`, which need a library of their own. A test is
//! *wrong* when the machine finishes it with another status or output.

mod directives;
pub mod files;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::Args;
use sandbox::Scratch;
use toolchain::Preprocessor;

use crate::LabOutcome;
use crate::compiler::Compiler;
use crate::context::Context;
use crate::machine::Machine;
use crate::pool;
use crate::reference::{Reference, version};
use crate::tally::{Class, Tally, classify};
use directives::Directives;

/// A torture test is a few thousand steps; one that needs more than this is not going to finish.
const FUEL: u64 = 2_000_000_000;

/// Arguments of `cargo lab torture`.
#[derive(Args, Debug)]
pub struct Torture {
    /// List the files of a class: finished, undefined, unspecified, needs-flags, unsupported,
    /// out-of-fuel, refused, wrong, panic or skipped. May be repeated.
    #[arg(long, value_name = "CLASS")]
    list: Vec<String>,
    /// Only files whose names contain this.
    #[arg(value_name = "NAME")]
    filter: Option<String>,
}

/// Runs the suite and prints the counts.
pub fn main(context: &Context, args: &Torture) -> Result<LabOutcome> {
    let lists = args.list.iter().map(|name| class(name)).collect::<Result<Vec<_>>>()?;
    let gcc = Compiler::reference()?;
    let Some(suite) = files::unpack(context)? else {
        println!(
            "torture: skipped, because GCC's sources are not installed: apt-get install gcc-12-source xz-utils"
        );
        return Ok(LabOutcome::Nothing);
    };
    let machine = Machine { fuel: Some(FUEL), ..Machine::new(context.gainsay()?) };
    let mut tests = files::tests(&suite)?;
    if let Some(part) = &args.filter {
        tests.retain(|file| file.to_string_lossy().contains(part.as_str()));
    }
    let memory = context.work_folder(&format!("torture/reference-gcc-{}", version(&gcc)))?;
    let bench = Suite { suite, machine, gcc, memory, scratch: Scratch::new()? };
    let results = pool::map("torture", &tests, |file| bench.one(file));
    let mut tally = Tally::default();
    for result in results {
        let (class, reason, item) = result?;
        tally.add(class, reason, item);
    }
    if args.filter.is_none() {
        for file in files::builtins(&bench.suite)? {
            tally.add(Class::Skipped, "needs the library of execute/builtins".into(), file);
        }
    }
    print!("{}", tally.text());
    for class in [Class::Wrong, Class::Panic].into_iter().chain(lists) {
        print!("{}", tally.list(class));
    }
    Ok(if tally.is_bad() { LabOutcome::Something } else { LabOutcome::Nothing })
}

fn class(name: &str) -> Result<Class> {
    let Some(class) = Class::ALL.into_iter().find(|class| class.name() == name) else {
        let names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
        bail!("--list takes one of {}, not {name}", names.join(", "));
    };
    Ok(class)
}

/// What it takes to judge a test.
struct Suite {
    suite: PathBuf,
    machine: Machine,
    gcc: Compiler,
    /// Folder of what gcc said before.
    memory: PathBuf,
    scratch: Scratch,
}

impl Suite {
    /// One test: class, reason, and what to list it as.
    fn one(&self, file: &Path) -> Result<(Class, String, String)> {
        let name = file.strip_prefix(&self.suite).unwrap_or(file).display().to_string();
        let stem = name.replace('/', "-");
        let directives = Directives::read(&fs::read(file)?);
        let own = directives.options.iter().map(String::as_str);
        let options: Vec<&str> = ["-std=gnu17"].into_iter().chain(own).collect();
        // Level 0 last, so that a test's own -O2 does not make the reference another one.
        let gcc = self.gcc.clone().with(&options).with(&["-O0"]);
        let reference = Reference::remembered(&self.memory.join(&stem), || {
            Reference::of(&gcc, file, &self.scratch.file(&stem))
        })?;
        let stdout = match reference {
            Reference::Ran { status: 0, stdout } => stdout,
            Reference::Ran { .. } => return Ok((Class::Skipped, "gcc -O0 fails it".into(), name)),
            Reference::Skip(why) => return Ok((Class::Skipped, why, name)),
        };
        let to = self.scratch.file(format!("{stem}.i"));
        let input = match preprocessed(file, &self.gcc.program, &options, to) {
            Ok(input) => input,
            Err(error) => return Ok((Class::Refused, error.to_string(), name)),
        };
        let got = self.machine.run(&input);
        let (mut class, reason) = classify(&got, 0, &stdout);
        if directives.changes_semantics
            && matches!(class, Class::Undefined | Class::Unspecified | Class::Wrong)
        {
            class = Class::NeedsFlags;
        }
        let item = if got.place.is_empty() { name } else { format!("{name}  ({})", got.place) };
        Ok((class, reason, item))
    }
}

fn preprocessed(file: &Path, gcc: &Path, options: &[&str], to: PathBuf) -> Result<PathBuf> {
    let preprocessor = Preprocessor::with_compiler(gcc);
    let preprocessor = options.iter().fold(preprocessor, |p, option| p.option(*option));
    let preprocessor = match file.parent() {
        Some(dir) => preprocessor.include(dir),
        None => preprocessor,
    };
    fs::write(&to, preprocessor.run(file)?)?;
    Ok(to)
}
