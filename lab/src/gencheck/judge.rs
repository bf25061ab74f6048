//! Compilers and sanitizers that say whether a program does what its generator says.
//!
//! MemorySanitizer knows nothing of what libstdc++'s compiled part writes: C++ programs that print
//! through streams are reported wrongly, those with `printf` and containers from headers are not.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use oracle::difference;
use toolchain::on_path;

use super::program::{GeneratedProgram, Lang};
use crate::compiler::{Built, Compiler};

/// C++ standards, one after the other by seed: a program must be right in each.
const STANDARDS: [&str; 4] = ["-std=c++11", "-std=c++14", "-std=c++17", "-std=c++20"];

/// Undefined behaviour that the sanitizers' groups leave out. Unsigned overflow and implicit
/// conversions are no such behaviour, and division of floats by zero is IEEE 754's.
const MORE: &str = "-fsanitize=float-cast-overflow";

/// Instrumented programs take several times as long, on a machine that does other things too.
const SANITIZED_WALL: Duration = Duration::from_secs(60);

/// Leaks are no undefined behaviour. The rest is off by default.
const ADDRESS: (&str, &str) = (
    "ASAN_OPTIONS",
    "detect_leaks=0:detect_invalid_pointer_pairs=2:detect_stack_use_after_return=1",
);

/// A compiler or sanitizer that checks programs.
#[derive(Clone, Debug)]
pub struct ReferenceTool {
    /// For the table.
    pub name: String,
    compiler: Compiler,
    lang: Lang,
}

/// gcc and clang without optimisation.
pub fn compilers(lang: Lang) -> Result<Vec<ReferenceTool>> {
    let (gcc, clang) = drivers(lang);
    [gcc, clang].iter().map(|driver| ReferenceTool::new(lang, driver, "-O0", &[])).collect()
}

/// The sanitizers of gcc and clang.
pub fn sanitizers(lang: Lang) -> Result<Vec<ReferenceTool>> {
    let (gcc, clang) = drivers(lang);
    let both = ["-fsanitize=undefined,address", MORE];
    let pairs = "-fsanitize=pointer-compare,pointer-subtract,bounds-strict";
    Ok(vec![
        ReferenceTool::new(lang, gcc, "ASan+UBSan", &[both[0], both[1], pairs])?,
        ReferenceTool::new(lang, clang, "ASan+UBSan", &both)?,
        ReferenceTool::new(
            lang,
            clang,
            "MSan",
            &["-fsanitize=memory", "-fsanitize-memory-track-origins"],
        )?,
    ])
}

fn drivers(lang: Lang) -> (&'static str, &'static str) {
    match lang {
        Lang::C => ("gcc", "clang-16"),
        Lang::Cxx => ("g++", "clang++-16"),
    }
}

impl ReferenceTool {
    fn new(lang: Lang, driver: &str, what: &str, options: &[&str]) -> Result<ReferenceTool> {
        let program = on_path(driver)
            .with_context(|| format!("{driver} is not installed: run cargo xtask setup"))?;
        let mut compiler = Compiler::new(program, &["-O0", "-w"]);
        if !options.is_empty() {
            compiler = compiler.with(&["-g1", "-fno-sanitize-recover=all"]).with(options);
            compiler.env.push(ADDRESS);
            compiler.run_wall = SANITIZED_WALL;
        }
        Ok(ReferenceTool { name: format!("{driver} {what}"), compiler, lang })
    }

    /// Compiles and runs a program; what is wrong with it, if anything.
    pub fn check(&self, seed: u64, made: &GeneratedProgram) -> Result<(), String> {
        let standard = match self.lang {
            Lang::C => "-std=gnu11",
            Lang::Cxx => STANDARDS[(seed % STANDARDS.len() as u64) as usize],
        };
        let compiler = self.compiler.clone().with(&[standard]);
        let sources: Vec<&Path> = made.sources().iter().map(|path| path.as_path()).collect();
        let done = match compiler.build_and_run_all(&sources, &made.dir.join("program")).0 {
            Built::Ran(done) => done,
            Built::TooLong => {
                return Err(format!("not done in {} s", compiler.run_wall.as_secs()));
            }
            Built::NotCompiled(why) => return Err(format!("not compiled: {}", error(&why))),
            Built::Crashed(why) => return Err(format!("the compiler crashed: {}", error(&why))),
        };
        let stderr = done.stderr.text();
        if let Some(line) = stderr.lines().find(|line| is_complaint(line)) {
            return Err(format!("{}\n{stderr}", line.trim()));
        }
        if done.status.shell() != 0 {
            return Err(format!("status {}\n{stderr}", done.status.shell()));
        }
        let different = difference(&made.expected, &done.stdout.bytes);
        different.map_or(Ok(()), |difference| Err(format!("output differs: {difference}")))
    }
}

fn is_complaint(line: &str) -> bool {
    line.contains("runtime error") || line.contains("Sanitizer")
}

/// A compiler's messages with the first error on top.
fn error(messages: &str) -> String {
    let first = messages.lines().find(|line| line.contains("error"));
    format!("{}\n{messages}", first.unwrap_or("").trim())
}
