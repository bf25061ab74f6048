//! Measures seeds and crossovers on a folder of `.ll` files.
//!
//! `CORPUS=folder cargo run -p crossover --example cross_corpus -- VERSION CROSSOVERS [SEED] [FILES]`
//! Every file, and every few crossovers, have a process of their own, so that a crash of LLVM's ends one
//! only. Failures are counted by class; `SHOW=text` prints those whose class contains the text.
//! With `PASSES=default<O3>` these run on the seeds and the crossovers, verified after each: what ends there
//! is LLVM's bug, or ours if the module breaks a rule that the verifier does not know. `KEEP=folder` keeps
//! the modules.

#![allow(unsafe_code, clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::path::{Path, PathBuf};
use std::time::Instant;

use choice::Choices;
use crossover::{
    CrossoverFailure, CrossoverKind, Facts, Policy, SplitFailure, SplitSeed, cross, split_text,
};
use llvmhost::{Context, Installed, Llvm, Machine, Running};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Seconds that a child may take.
const PATIENCE: u32 = 60;

/// Crossovers of one child.
const BATCH: usize = 50;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |at: usize| arguments.get(at).cloned().unwrap_or_default();
    let number = |at: usize, or: u64| argument(at).parse().unwrap_or(or);
    let folder = std::env::var_os("CORPUS").expect("CORPUS is a folder of .ll files");
    let library = Installed::named(&argument(0)).expect("a version of LLVM");
    let llvm = Llvm::open(&library.path, library.major).expect("the library");
    let mut files = Vec::new();
    walk(Path::new(&folder), &mut files);
    files.sort();
    let mut choices = Choices::new(number(2, 1));
    choices.shuffle(&mut files);
    files.truncate(number(3, u64::MAX) as usize);
    files.sort();
    let mut seeds = seeds(&llvm, &files);
    optimised(&llvm, &seeds);
    let generations = std::env::var("GENERATIONS").ok().and_then(|text| text.parse().ok());
    for generation in 1..=generations.unwrap_or(1) {
        println!("generation {generation}");
        let mut made = Vec::new();
        for kind in [CrossoverKind::Inline, CrossoverKind::Sequence] {
            made.extend(crossovers(&llvm, &seeds, kind, number(1, 1000) as usize, &mut choices));
        }
        seeds = made;
    }
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|e| e == "ll") {
            files.push(path);
        }
    }
}

/// Does something in a process of its own; what it sent before it ended, and how it ended.
fn apart<T: DeserializeOwned>(
    work: impl FnOnce(&mut dyn FnMut(&dyn erased::Send)),
) -> (Vec<T>, i32) {
    let mut ends = [0; 2];
    // SAFETY: two places for two descriptors; this process has one thread.
    let child = unsafe {
        assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
        libc::fork()
    };
    // SAFETY: each end is owned once in each process.
    let (mut reader, mut writer) =
        unsafe { (fs::File::from_raw_fd(ends[0]), fs::File::from_raw_fd(ends[1])) };
    if child == 0 {
        // SAFETY: limits of this process.
        unsafe { libc::alarm(PATIENCE) };
        work(&mut |item| {
            let bytes = item.bytes();
            let length = (bytes.len() as u32).to_le_bytes();
            let _ = writer.write_all(&length).and_then(|()| writer.write_all(&bytes));
        });
        // SAFETY: without destructors, which are not needed.
        unsafe { libc::_exit(0) };
    }
    drop(writer);
    let mut bytes = Vec::new();
    let _ = reader.read_to_end(&mut bytes);
    let mut status = 0;
    // SAFETY: our own child.
    unsafe { libc::waitpid(child, &mut status, 0) };
    let mut items = Vec::new();
    let mut rest = &bytes[..];
    while rest.len() >= 4 {
        let (head, tail) = rest.split_at(4);
        let length = u32::from_le_bytes(head.try_into().expect("four bytes")) as usize;
        if tail.len() < length {
            break;
        }
        items.push(postcard::from_bytes(&tail[..length]).expect("what was sent"));
        rest = &tail[length..];
    }
    (items, status)
}

/// Things that a child can send.
mod erased {
    /// As bytes.
    pub trait Send {
        /// As bytes.
        fn bytes(&self) -> Vec<u8>;
    }
}

impl<T: Serialize> erased::Send for T {
    fn bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(self).expect("serialisable")
    }
}

fn seeds(llvm: &Llvm, files: &[PathBuf]) -> Vec<SplitSeed> {
    let begin = Instant::now();
    let (mut seeds, mut aside) = (Vec::new(), Classes::default());
    let mut slowest = (0.0, PathBuf::new());
    for file in files {
        let Ok(bytes) = fs::read(file) else { continue };
        let one = Instant::now();
        let (pieces, status) = apart::<Vec<Result<SplitSeed, SplitFailure>>>(|send| {
            send(&split_text(&Context::new(llvm), &bytes));
        });
        if status != 0 {
            aside.add(&format!("ended: {status}"), &file.display().to_string());
        }
        if one.elapsed().as_secs_f64() > slowest.0 {
            slowest = (one.elapsed().as_secs_f64(), file.clone());
        }
        for piece in pieces.into_iter().flatten() {
            match piece {
                Ok(piece) => seeds.push(piece),
                Err(why) => {
                    aside.add(&class(&why.to_string()), &format!("{}: {why}", file.display()))
                }
            }
        }
    }
    let seconds = begin.elapsed().as_secs_f64();
    let size: usize = seeds.iter().map(|seed| seed.bitcode.len()).sum();
    let of = |what: fn(&crossover::FunctionFacts) -> bool| {
        seeds.iter().filter(|seed| seed.facts.functions.iter().any(what)).count()
    };
    println!(
        "{} files, {} seeds of {} KiB in {seconds:.1} s, {:.0} a second; slowest {:.1} s {}",
        files.len(),
        seeds.len(),
        size / 1024,
        seeds.len() as f64 / seconds,
        slowest.0,
        slowest.1.display()
    );
    println!(
        "inlinable {}, hosting {}, callable {}",
        of(|f| f.inlinable),
        of(|f| f.hosting),
        of(|f| f.callable)
    );
    aside.print("set aside");
    seeds
}

/// Runs the passes that were asked for; the process ends if LLVM does.
fn optimise(llvm: &Llvm, bitcode: &[u8], name: &str) {
    let Ok(passes) = std::env::var("PASSES") else { return };
    let kept = std::env::var_os("KEEP").map(|folder| Path::new(&folder).join(name));
    let context = Context::new(llvm);
    let machine = Machine::x86_64(llvm).expect("a machine");
    let mut module = context.parse(bitcode, "x").expect("a module");
    if let Some(path) = &kept {
        fs::write(path, module.text()).expect("KEEP is a folder");
    }
    let running = Running { verify_each: true, ..Running::default() };
    module.run(&passes, Some(&machine), running).expect("passes");
    if let Some(path) = kept {
        let _ = fs::remove_file(path);
    }
}

/// The passes on the seeds alone.
fn optimised(llvm: &Llvm, seeds: &[SplitSeed]) {
    if std::env::var_os("PASSES").is_none() {
        return;
    }
    let mut failed = Classes::default();
    let mut rest = seeds;
    while !rest.is_empty() {
        let batch = &rest[..rest.len().min(BATCH)];
        let (ends, status) = apart::<u8>(|send| {
            for seed in batch {
                optimise(
                    llvm,
                    &seed.bitcode,
                    &format!("seed-{}-{}.ll", seed.bitcode.len(), seed.name.replace('/', "_")),
                );
                send(&1u8);
            }
        });
        let mut done = ends.len();
        if status != 0 && done < batch.len() {
            failed.add(&format!("ended: {status}"), &batch[done].name);
            done += 1;
        }
        rest = &rest[done.max(1)..];
    }
    failed.print("seeds that LLVM did not survive");
}

fn crossovers(
    llvm: &Llvm,
    seeds: &[SplitSeed],
    kind: CrossoverKind,
    count: usize,
    choices: &mut Choices,
) -> Vec<SplitSeed> {
    let begin = Instant::now();
    let mut pairs = Vec::new();
    let mut drawn = 0;
    while pairs.len() < count && drawn < count * 1000 {
        drawn += 1;
        let (a, b) = (choices.index(seeds.len()), choices.index(seeds.len()));
        let (one, two) = (&seeds[a].facts, &seeds[b].facts);
        let fits = match kind {
            CrossoverKind::Inline => one.may_host(two) || two.may_host(one),
            CrossoverKind::Sequence => one.may_precede(two),
        };
        if fits {
            pairs.push((a, b, choices.bits(64)));
        }
    }
    let policy = Policy::default();
    let (mut made, mut failed, mut differ) = (Vec::new(), Classes::default(), 0);
    let mut rest = &pairs[..];
    while !rest.is_empty() {
        let batch = &rest[..rest.len().min(BATCH)];
        let make = |&(a, b, seed): &(usize, usize, u64)| -> Result<SplitSeed, CrossoverFailure> {
            let context = Context::new(llvm);
            let mut choices = Choices::new(seed);
            let (a, b) = (&seeds[a].bitcode, &seeds[b].bitcode);
            let module = cross(&context, a, b, kind, &policy, &mut choices)?;
            let name = format!("{kind:?}-{seed}");
            Ok(SplitSeed { name, bitcode: module.bitcode(), facts: Facts::of(&module) })
        };
        let (ends, status) = apart::<(Result<SplitSeed, CrossoverFailure>, bool)>(|send| {
            for pair in batch {
                let (once, again) = (make(pair), make(pair));
                let same = once == again;
                if !same && std::env::var_os("DIFFERS").is_some() {
                    for piece in [&once, &again].into_iter().flatten() {
                        let context = Context::new(llvm);
                        let module = context.parse(&piece.bitcode, "x").expect("a module");
                        eprintln!("DIFFERS {:?}\n{}", piece.facts, module.text());
                    }
                }
                if let Ok(piece) = &once {
                    optimise(llvm, &piece.bitcode, &format!("{}.ll", piece.name));
                }
                send(&(once, same));
            }
        });
        let mut done = ends.len();
        for (&(a, b, seed), (end, same)) in batch.iter().zip(ends) {
            differ += usize::from(!same);
            let who = format!("{} {} {seed}", seeds[a].name, seeds[b].name);
            if !same {
                println!("-- differs: {who}");
            }
            match end {
                Ok(piece) => made.push(piece),
                Err(why) => failed.add(&class(&why.to_string()), &format!("{who}: {why}")),
            }
        }
        if status != 0 && done < batch.len() {
            let (a, b, seed) = batch[done];
            let who = format!("{} {} {seed}", seeds[a].name, seeds[b].name);
            failed.add(&format!("ended: {status}"), &who);
            done += 1;
        }
        rest = &rest[done.max(1)..];
    }
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{kind:?}: {} pairs of {drawn} drawn, {} valid ({:.2} %), {differ} not reproducible, {:.0} a second",
        pairs.len(),
        made.len(),
        100.0 * made.len() as f64 / pairs.len().max(1) as f64,
        pairs.len() as f64 / seconds
    );
    // The same on every run: addresses differ from process to process.
    let bytes = made.iter().flat_map(|piece: &SplitSeed| &piece.bitcode);
    let digest = bytes.fold(0u64, |sum, &byte| sum.wrapping_mul(0x100000001b3) ^ u64::from(byte));
    println!("digest {digest:016x}");
    failed.print("failed");
    made
}

/// A reason without what differs from case to case.
fn class(why: &str) -> String {
    let line = why.lines().next().unwrap_or("");
    let digits = |c: char| if c.is_ascii_digit() { '#' } else { c };
    line.chars().map(digits).take(70).collect()
}

#[derive(Default)]
struct Classes(BTreeMap<String, (usize, String)>);

impl Classes {
    fn add(&mut self, class: &str, example: &str) {
        if std::env::var("SHOW").is_ok_and(|show| class.contains(&show)) {
            println!("-- {example}");
        }
        self.0.entry(class.to_string()).or_insert_with(|| (0, example.to_string())).0 += 1;
    }

    fn print(self, what: &str) {
        let mut all: Vec<(String, (usize, String))> = self.0.into_iter().collect();
        all.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
        let total: usize = all.iter().map(|(_, (count, _))| count).sum();
        println!("{what}: {total} of {} classes", all.len());
        for (class, (count, example)) in all.into_iter().take(25) {
            let example: String = example.replace('\n', " | ").chars().take(200).collect();
            println!("  {count:6}  {class}\n          {example}");
        }
    }
}
