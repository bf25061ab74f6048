//! Generators behind one interface.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use sandbox::{Ended, Finished, Run, Status};
use toolchain::{csmith_headers, on_path};

use super::Raw;
use crate::context::Context;
use crate::pool;
use crate::torture::files;

/// Csmith sometimes takes seconds, and with some seeds does not end.
const WALL: Duration = Duration::from_secs(60);

/// A place programs come from.
#[derive(Clone, Debug)]
pub struct Source {
    /// How it was asked for; names it in reports.
    pub label: String,
    kind: SourceKind,
}

#[derive(Clone, Debug)]
enum SourceKind {
    Csmith { program: PathBuf, headers: PathBuf, args: Vec<String> },
    Gainsay { program: PathBuf, args: Vec<String> },
    Files(Vec<PathBuf>),
}

impl Source {
    /// A source by its description: `csmith`, `yarp` or the path of a `gainsay`, each with options
    /// behind a colon or without, or a folder of programs.
    pub fn parse(context: &Context, text: &str) -> Result<Source> {
        let (name, args) = text.split_once(':').unwrap_or((text, ""));
        let args: Vec<String> = args.split_whitespace().map(str::to_string).collect();
        let kind = match name {
            "csmith" => SourceKind::Csmith {
                program: on_path("csmith").context("apt-get install csmith")?,
                headers: csmith_headers().context("apt-get install libcsmith-dev")?,
                args,
            },
            "yarp" => SourceKind::Gainsay { program: context.gainsay()?, args },
            _ if Path::new(text).is_dir() => SourceKind::Files(programs_in(Path::new(text))?),
            // Another build of the generator, to compare with.
            _ if Path::new(name).is_file() => SourceKind::Gainsay { program: name.into(), args },
            _ => bail!(
                "no source {text}: give csmith, yarp or the path of a gainsay, each with :OPTIONS or \
                 without, or a folder"
            ),
        };
        Ok(Source { label: text.into(), kind })
    }

    /// GCC's torture tests in random order; `None` where GCC's sources are not installed.
    pub fn torture(context: &Context, choices: &mut choice::Choices) -> Result<Option<Source>> {
        let Some(suite) = files::unpack(context)? else { return Ok(None) };
        let mut tests = files::tests(&suite)?;
        choices.shuffle(&mut tests);
        Ok(Some(Source { label: "torture".into(), kind: SourceKind::Files(tests) }))
    }

    /// How many different programs there are, if that is known; seeds beyond repeat them.
    pub fn count(&self) -> Option<u64> {
        match &self.kind {
            SourceKind::Files(files) => Some(files.len() as u64),
            SourceKind::Csmith { .. } | SourceKind::Gainsay { .. } => None,
        }
    }

    /// The programs of some seeds, in order, written below `dir`. Seeds that give no program are
    /// left out, but what they took is charged to the next.
    pub fn generate(&self, seeds: Range<u64>, dir: &Path) -> Result<Vec<Raw>> {
        fs::create_dir_all(dir)?;
        match &self.kind {
            SourceKind::Csmith { program, headers, args } => {
                let seeds: Vec<u64> = seeds.collect();
                let all = pool::map(&self.label, &seeds, |&seed| {
                    let file = dir.join(format!("{seed}.c"));
                    csmith(program, args, seed, &file).map(|(cpu, good)| {
                        let raw = single(seed.to_string(), file, cpu);
                        (Raw { include: Some(headers.clone()), ..raw }, good)
                    })
                });
                Ok(merge(all.into_iter().collect::<Result<Vec<_>>>()?))
            }
            SourceKind::Gainsay { program, args } => gainsay(program, args, seeds, dir),
            SourceKind::Files(files) => {
                let file = |seed: u64| &files[(seed % files.len() as u64) as usize];
                Ok(seeds.filter_map(|seed| found(file(seed))).collect())
            }
        }
    }
}

/// A program that lies in a folder or a file.
fn found(path: &Path) -> Option<Raw> {
    let name = path.file_stem()?.to_string_lossy().into_owned();
    if path.is_dir() {
        return folder(name, path, Duration::ZERO);
    }
    let raw = single(name, path.into(), Duration::ZERO);
    let expected = fs::read(path.with_extension("expected")).ok();
    Some(Raw { include: path.parent().map(Path::to_path_buf), expected, ..raw })
}

/// The programs of a folder: folders in it, or else C files.
fn programs_in(dir: &Path) -> Result<Vec<PathBuf>> {
    let all = files::entries(dir)?;
    let folders: Vec<PathBuf> = all.iter().filter(|path| path.is_dir()).cloned().collect();
    if !folders.is_empty() {
        return Ok(folders);
    }
    let found: Vec<PathBuf> =
        all.into_iter().filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    if found.is_empty() {
        bail!("{} holds neither folders nor C files", dir.display());
    }
    Ok(found)
}

fn single(name: String, unit: PathBuf, generation: Duration) -> Raw {
    Raw { name, unit, rest: Vec::new(), include: None, expected: None, generation }
}

/// A program as `gainsay gen` lays it out.
fn folder(name: String, dir: &Path, generation: Duration) -> Option<Raw> {
    let expected = fs::read(dir.join("expected")).ok();
    let func = dir.join("func.c");
    if func.is_file() {
        let raw = single(name, func, generation);
        return Some(Raw { rest: vec![dir.join("driver.c")], expected, ..raw });
    }
    let test = dir.join("test.c");
    test.is_file().then(|| Raw { expected, ..single(name, test, generation) })
}

/// Leaves out what is of no use and charges it to the next.
fn merge(all: Vec<(Raw, bool)>) -> Vec<Raw> {
    let mut wasted = Duration::ZERO;
    let mut kept = Vec::new();
    for (mut raw, good) in all {
        wasted += raw.generation;
        if good {
            raw.generation = std::mem::take(&mut wasted);
            kept.push(raw);
        }
    }
    kept
}

/// One Csmith program: what it took, and whether it is there.
fn csmith(program: &Path, args: &[String], seed: u64, file: &Path) -> Result<(Duration, bool)> {
    // It drops a file of its own where it runs.
    let dir = file.parent().context("a file in a folder")?;
    let run = Run::new(program, WALL).args(args).args(["--seed", &seed.to_string()]).cwd(dir);
    match run.memory(4 << 30).finish() {
        Ended::Finished(done) => {
            fs::write(file, &done.stdout.bytes)?;
            Ok((done.cpu, done.status == Status::Exit(0)))
        }
        Ended::Killed(_, done) => Ok((done.cpu, false)),
        Ended::NotStarted(error) => Err(anyhow!("csmith: {error}")),
    }
}

/// Programs of `gainsay gen`, made in one go; each is charged its share.
fn gainsay(program: &Path, args: &[String], seeds: Range<u64>, dir: &Path) -> Result<Vec<Raw>> {
    let count = seeds.end.saturating_sub(seeds.start).max(1);
    let done = gen_run(program, args, seeds.start, count, dir)?;
    let share = done.cpu / u32::try_from(count)?;
    let of = |seed: u64| {
        folder(seed.to_string(), &dir.join(seed.to_string()), share)
            .with_context(|| format!("gainsay gen wrote no program for seed {seed}"))
    };
    seeds.map(of).collect()
}

/// Runs `gainsay gen --engine yarp`.
pub fn gen_run(
    program: &Path,
    args: &[String],
    start: u64,
    count: u64,
    dir: &Path,
) -> Result<Finished> {
    let run = Run::new(program, WALL * 10)
        .args(["gen", "--engine", "yarp", "--seed", &start.to_string()])
        .args(["--count", &count.to_string()])
        .args(args)
        .arg("-o")
        .arg(dir);
    match run.finish() {
        Ended::Finished(done) if done.status == Status::Exit(0) => Ok(done),
        Ended::Finished(done) => bail!("gainsay gen failed: {}", done.stderr.text().trim()),
        Ended::Killed(_, _) => bail!("gainsay gen took more than ten minutes"),
        Ended::NotStarted(error) => bail!("gainsay gen: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waste_is_charged_to_the_next() {
        let raw = |name: &str, secs| single(name.into(), PathBuf::new(), Duration::from_secs(secs));
        let got = merge(vec![(raw("a", 1), true), (raw("b", 2), false), (raw("c", 4), true)]);
        let got: Vec<(&str, u64)> =
            got.iter().map(|raw| (raw.name.as_str(), raw.generation.as_secs())).collect();
        assert_eq!(got, [("a", 1), ("c", 6)]);
    }
}
