//! `cargo lab csmith`: Csmith's programs through the machine, compared with gcc -O0; and the
//! source of Csmith programs for the hunt and the bench.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use sandbox::{Ended, Run, Scratch, Status};
use toolchain::{Tool, csmith_headers, find_tool, on_path};

use crate::LabOutcome;
use crate::compiler::{Built, Compiler, Cost};
use crate::context::Context;
use crate::machine::{Machine, Measured};
use crate::pool;
use crate::reference::{Reference, version};
use crate::tally::{Class, Tally, classify};

/// Programs that run longer than this when compiled are left out: most such loop forever.
pub const TERMINATES: Duration = Duration::from_secs(1);

/// Csmith itself sometimes takes seconds, and with some seeds does not end.
const GENERATE_WALL: Duration = Duration::from_secs(30);

/// Arguments of `cargo lab csmith`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// Seeds, from the first to before the last.
    #[arg(long, value_name = "A..B", default_value = "1..51", value_parser = seeds)]
    seeds: Range<u64>,
    /// Ask the sanitizers of gcc and clang about each program with an undefined-behaviour verdict.
    #[arg(long)]
    external: bool,
}

/// Reads `A..B`.
pub fn seeds(text: &str) -> Result<Range<u64>, String> {
    let parsed = text.split_once("..").and_then(|(a, b)| Some(a.parse().ok()?..b.parse().ok()?));
    match parsed {
        Some(range) if range.start < range.end => Ok(range),
        _ => Err("two numbers are needed, the first less than the second, such as 1..501".into()),
    }
}

/// An installed Csmith.
#[derive(Clone, Debug)]
pub struct Csmith {
    program: PathBuf,
    /// Folder of `csmith.h`.
    pub headers: PathBuf,
}

/// A program that ends, and the cost of compiling and running it with the reference.
#[derive(Clone, Debug)]
pub struct Case {
    /// Csmith's seed.
    pub seed: u64,
    /// The C file.
    pub file: PathBuf,
    /// Cost of compiling and running it.
    pub cost: Cost,
}

impl Csmith {
    /// Csmith on this machine, if both the program and its headers are here.
    pub fn find() -> Option<Csmith> {
        Some(Csmith { program: on_path("csmith")?, headers: csmith_headers()? })
    }

    /// The same, or one sentence on how to get it.
    pub fn required() -> Result<Csmith> {
        Csmith::find()
            .ok_or_else(|| anyhow!("Csmith is not installed: apt-get install csmith libcsmith-dev"))
    }

    /// Generates the program of a seed, with default options, into a file.
    pub fn generate(&self, seed: u64, file: &Path) -> Result<()> {
        // Csmith drops a file of its own where it runs.
        let dir = file.parent().context("a file in a folder")?;
        let run = Run::new(&self.program, GENERATE_WALL)
            .args(["--seed", &seed.to_string()])
            .cwd(dir)
            .memory(4 << 30);
        match run.finish() {
            Ended::Finished(done) if done.status == Status::Exit(0) => {
                fs::write(file, done.stdout.bytes)?;
                Ok(())
            }
            _ => Err(anyhow!("csmith --seed {seed} failed or took too long")),
        }
    }

    /// The program of a seed, if it ends soon enough when compiled by the reference.
    pub fn case(&self, seed: u64, dir: &Path, reference: &Compiler) -> Option<Case> {
        let file = dir.join(format!("{seed}.c"));
        self.generate(seed, &file).ok()?;
        let compiler = reference.clone().include(&self.headers).run_wall(TERMINATES);
        match compiler.build_and_run(&file, &dir.join(format!("{seed}.exe"))) {
            (Built::Ran(_), cost) => Some(Case { seed, file, cost }),
            _ => {
                let _ = fs::remove_file(file);
                None
            }
        }
    }

    /// The program of a seed and the reference's word on it, both remembered in `memory`.
    fn remembered(&self, seed: u64, memory: &Path, gcc: &Compiler) -> Result<(PathBuf, Reference)> {
        let file = memory.join(format!("{seed}.c"));
        let reference = Reference::remembered(&memory.join(format!("{seed}.reference")), || {
            if let Err(error) = self.generate(seed, &file) {
                return Reference::Skip(error.to_string());
            }
            let compiler = gcc.clone().include(&self.headers).run_wall(TERMINATES);
            Reference::of(&compiler, &file, &memory.join(format!("{seed}.exe")))
        })?;
        Ok((file, reference))
    }
}

/// Runs the seeds and prints the counts.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    let csmith = Csmith::required()?;
    let gcc = Compiler::reference()?;
    let machine = Machine::new(context.gainsay()?).include(&csmith.headers);
    let keep = context.work_folder("csmith")?;
    let memory = context.work_folder(&format!("csmith/reference-gcc-{}", version(&gcc)))?;
    let seeds: Vec<u64> = args.seeds.clone().collect();
    let results = pool::map("csmith", &seeds, |&seed| -> Result<_> {
        let (file, reference) = csmith.remembered(seed, &memory, &gcc)?;
        Ok(match reference {
            Reference::Ran { status, stdout } => {
                let got = machine.run(&file);
                let (class, reason) = classify(&got, status, &stdout);
                Judged { seed, file, class, reason, got: Some(got) }
            }
            Reference::Skip(reason) => {
                Judged { seed, file, class: Class::Skipped, reason, got: None }
            }
        })
    });
    let mut tally = Tally::default();
    for judged in results {
        let judged = judged?;
        let place = judged.got.as_ref().map_or("", |got| got.place.as_str());
        let item = format!("seed {}  {place}", judged.seed);
        tally.add(judged.class, judged.reason.clone(), item);
        if let (Some(got), true) = (&judged.got, judged.class != Class::Finished) {
            odd_one(&judged, got, &machine, &keep, args.external.then_some(&csmith))?;
        }
    }
    print!("{}", tally.text());
    for class in [Class::Wrong, Class::Panic] {
        print!("{}", tally.list(class));
    }
    Ok(if tally.is_bad() { LabOutcome::Something } else { LabOutcome::Nothing })
}

/// One seed's program after the machine had it.
struct Judged {
    seed: u64,
    file: PathBuf,
    class: Class,
    reason: String,
    got: Option<Measured>,
}

/// Keeps and shows a program that did not simply finish.
fn odd_one(
    judged: &Judged,
    got: &Measured,
    machine: &Machine,
    keep: &Path,
    external: Option<&Csmith>,
) -> Result<()> {
    let Judged { seed, class, file, .. } = judged;
    let kept = keep.join(format!("{seed}-{}.c", class.name()));
    fs::copy(file, &kept)?;
    println!("seed {seed}: {} ({})", class.name(), kept.display());
    match class {
        Class::Wrong | Class::Panic => println!("{:?}", got.answer),
        _ => println!("{}", machine.diagnostic(&kept).trim_end()),
    }
    if let (Class::Undefined, Some(csmith)) = (class, external) {
        for (name, opinion) in second_opinions(&kept, csmith)? {
            println!("  {name}: {opinion}");
        }
    }
    println!();
    Ok(())
}

/// What the sanitizers say about a program.
fn second_opinions(file: &Path, csmith: &Csmith) -> Result<Vec<(String, String)>> {
    let scratch = Scratch::new()?;
    let all = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"];
    let mut compilers: Vec<(String, Compiler)> = Vec::new();
    for found in find_tool(Tool::Gcc).into_iter().chain(find_tool(Tool::Clang)) {
        let compiler = Compiler::new(&found.path, &["-O0", "-w", "-g"]).include(&csmith.headers);
        compilers.push((format!("{} ASan+UBSan", found.name), compiler.clone().with(&all)));
        if found.tool == Tool::Clang {
            let memory = compiler.with(&["-fsanitize=memory"]);
            compilers.push((format!("{} MSan", found.name), memory));
        }
    }
    let opinion = |compiler: &Compiler| match compiler.build_and_run(file, &scratch.file("a")).0 {
        Built::Ran(done) => first_complaint(&done.stderr.text()),
        Built::TooLong => "took too long".into(),
        Built::NotCompiled(why) | Built::Crashed(why) => {
            format!("no opinion: {}", why.lines().next().unwrap_or(""))
        }
    };
    Ok(compilers.iter().map(|(name, compiler)| (name.clone(), opinion(compiler))).collect())
}

fn first_complaint(stderr: &str) -> String {
    let line = stderr.lines().find(|l| l.contains("runtime error") || l.contains("Sanitizer"));
    line.map_or("silent".into(), |line| line.trim().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_of_seeds() {
        assert_eq!(seeds("1..501"), Ok(1..501));
        assert!(seeds("5").is_err() && seeds("9..3").is_err() && seeds("a..b").is_err());
    }

    #[test]
    fn complaints_of_sanitizers() {
        let stderr = "x\na.c:3:5: runtime error: signed integer overflow\n";
        assert_eq!(first_complaint(stderr), "a.c:3:5: runtime error: signed integer overflow");
        assert_eq!(first_complaint(""), "silent");
    }
}
