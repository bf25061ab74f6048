//! From a folder of LLVM's tests to a corpus.
//!
//! First every file is split into seeds, then every seed goes through the pipeline once. What crashes or
//! hangs there by itself is set aside: a crossover of it would only show the same again. What the
//! others reach in the library is the baseline.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use coverage::Set;
use llvmhost::{End, Limits, Server, Signature};
use serde::{Deserialize, Serialize};

use crate::SplitSeed;
use crate::corpus::Corpus;
use crate::work::{CrossoverAnswer, Item};
use optimise::verdict::Verdict;
use optimise::work::{Answer, Item as Plain, Pipeline};

/// Files, or seeds, at a time.
const BATCH: usize = 24;

/// Larger files are generated, not tests.
const LARGEST: u64 = 8 << 20;

/// The result of an import.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Imported {
    /// Files that were read.
    pub files: u64,
    /// Functions that they define.
    pub functions: u64,
    /// Seeds that were kept.
    pub seeds: u64,
    /// What was set aside, by reason.
    pub aside: BTreeMap<String, u64>,
    /// Signatures of seeds on which LLVM fails by itself.
    pub faults: BTreeMap<String, u64>,
    /// Blocks of the library that the seeds reach.
    pub blocks: u64,
    /// How long it took.
    pub took: Duration,
}

impl Imported {
    fn add(&mut self, other: &Imported) {
        self.files += other.files;
        self.functions += other.functions;
        for (mine, theirs) in [(&mut self.aside, &other.aside), (&mut self.faults, &other.faults)] {
            for (key, n) in theirs {
                *mine.entry(key.clone()).or_default() += n;
            }
        }
    }

    fn set_aside(&mut self, reason: impl Into<String>) {
        *self.aside.entry(reason.into()).or_default() += 1;
    }
}

/// The `.ll` and `.bc` files below a folder, in order.
pub fn files(dir: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "ll" || e == "bc") {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// How an import is done.
#[derive(Debug)]
pub struct Import<'a> {
    /// The folder that names are relative to.
    pub root: &'a Path,
    /// What is imported.
    pub files: &'a [PathBuf],
    /// What every seed must survive.
    pub pipeline: Pipeline,
    /// What each may use.
    pub limits: Limits,
}

/// A corpus that was filled.
#[derive(Debug)]
pub struct ImportedCorpus {
    /// What became of the files.
    pub account: Imported,
    /// All blocks that the seeds reach.
    pub known: Set,
    /// Seeds with the blocks that they were the first of their server to reach.
    pub firsts: Vec<(u32, Vec<u32>)>,
}

/// A file, done.
struct ChunkResult {
    pieces: Vec<(String, SplitSeed, Vec<u32>)>,
    imported: Imported,
}

impl Import<'_> {
    /// Fills an empty corpus. Each server works on files of its own; the order of the seeds is that of the
    /// files. `None` when `stop` says so: a part of a corpus is of no use.
    pub fn run(
        &self,
        corpus: &mut Corpus,
        servers: &mut [Server],
        tell: &mut dyn FnMut(usize),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> io::Result<Option<ImportedCorpus>> {
        let begin = Instant::now();
        let chunks: Vec<&[PathBuf]> = self.files.chunks(BATCH).collect();
        let (next, mut all, mut known) = (AtomicUsize::new(0), Imported::default(), Set::default());
        let mut firsts = Vec::new();
        thread::scope(|scope| {
            let (send, receive) = mpsc::channel();
            for server in servers {
                let (send, next, chunks) = (send.clone(), &next, &chunks);
                scope.spawn(move || {
                    while let Some((at, chunk)) = take(next, chunks).filter(|_| !stop()) {
                        let done = self.chunk(chunk, server);
                        let failed = done.is_err();
                        // Nobody listens any more after a failure.
                        if send.send((at, done)).is_err() || failed {
                            return;
                        }
                    }
                });
            }
            drop(send);
            let mut waiting = BTreeMap::new();
            let mut written = 0;
            for (at, done) in receive {
                waiting.insert(at, done?);
                while let Some(done) = waiting.remove(&written) {
                    written += 1;
                    all.add(&done.imported);
                    for (name, piece, blocks) in done.pieces {
                        let seed = corpus.add(&piece.bitcode, name, None, piece.facts)?;
                        known.extend(blocks.iter().copied());
                        if !blocks.is_empty() {
                            firsts.push((seed, blocks));
                        }
                    }
                    tell((written * BATCH).min(self.files.len()));
                }
            }
            io::Result::Ok(())
        })?;
        all.seeds = corpus.len() as u64;
        all.blocks = known.len() as u64;
        all.took = begin.elapsed();
        Ok((!stop()).then_some(ImportedCorpus { account: all, known, firsts }))
    }

    fn chunk(&self, files: &[PathBuf], server: &mut Server) -> io::Result<ChunkResult> {
        let mut done = ChunkResult { pieces: Vec::new(), imported: Imported::default() };
        let mut seeds = Vec::new();
        for (name, piece) in self.split(files, server, &mut done.imported)? {
            seeds.push((name, piece));
        }
        for part in seeds.chunks(BATCH) {
            let item = |(name, piece): &(String, SplitSeed)| Plain::Optimise {
                module: piece.bitcode.clone(),
                name: name.clone(),
                pipeline: self.pipeline.clone(),
                x86: true,
                print: false,
            };
            let items = part.iter().map(|seed| item(seed).bytes()).collect();
            for (ran, (name, piece)) in server.run(items, self.limits, false)?.into_iter().zip(part)
            {
                match Verdict::of(&ran) {
                    Verdict::Fine(_) => done.pieces.push((name.clone(), piece.clone(), ran.blocks)),
                    Verdict::Fault(fault) => {
                        *done.imported.faults.entry(fault.key).or_default() += 1;
                        done.imported.set_aside("LLVM fails on it");
                    }
                    Verdict::Refused(_) => done.imported.set_aside("not taken by the passes"),
                    Verdict::Trouble(words) => return Err(io::Error::other(words)),
                }
            }
        }
        Ok(done)
    }

    /// The seeds of some files, each with its name.
    fn split(
        &self,
        files: &[PathBuf],
        server: &mut Server,
        imported: &mut Imported,
    ) -> io::Result<Vec<(String, SplitSeed)>> {
        let mut names = Vec::new();
        let mut items = Vec::new();
        for path in files {
            imported.files += 1;
            match fs::read(path) {
                Ok(bytes) if bytes.len() as u64 > LARGEST => imported.set_aside("file too large"),
                Ok(bytes) => {
                    names.push(path.strip_prefix(self.root).unwrap_or(path).display().to_string());
                    items.push(Item::Split { bytes }.bytes());
                }
                Err(_) => imported.set_aside("file not readable"),
            }
        }
        let mut seeds = Vec::new();
        for (ran, file) in server.run(items, self.limits, false)?.into_iter().zip(names) {
            let pieces = match (&ran.end, Answer::read(&ran.output).into_own()) {
                (End::Done, Ok(CrossoverAnswer::Pieces(pieces))) => pieces,
                (End::Done, other) => return Err(io::Error::other(format!("{file}: {other:?}"))),
                (End::Panic(words), _) => return Err(io::Error::other(format!("{file}: {words}"))),
                (end, _) => {
                    let key = Signature::of(end).map(|signature| signature.key).unwrap_or_default();
                    *imported.faults.entry(format!("reading: {key}")).or_default() += 1;
                    imported.set_aside("LLVM fails when reading it");
                    continue;
                }
            };
            for piece in pieces {
                match piece {
                    Ok(piece) => {
                        imported.functions += 1;
                        seeds.push((format!("{file}:{}", piece.name), piece));
                    }
                    Err(aside) => {
                        imported.functions += u64::from(!aside.is_of_file());
                        imported.set_aside(aside.reason());
                    }
                }
            }
        }
        Ok(seeds)
    }
}

fn take<'a, T>(next: &AtomicUsize, all: &[&'a [T]]) -> Option<(usize, &'a [T])> {
    let at = next.fetch_add(1, Ordering::Relaxed);
    all.get(at).map(|chunk| (at, *chunk))
}
