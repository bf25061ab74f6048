//! Checks pairs of modules by execution and prints a table: `corpus BEFORE AFTER [--all]`, where both are files,
//! or folders with files of the same names. Refutations are printed in full.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use irmachine::{Comparison, Limits, check};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [before, after, ..] = arguments.as_slice() else {
        eprintln!("corpus BEFORE AFTER [--all]");
        std::process::exit(2);
    };
    let all = arguments.iter().any(|a| a == "--all");
    let mut table = Table::default();
    for (before, after) in pairs(Path::new(before), Path::new(after)) {
        table.file(&before, &after, all);
    }
    table.print();
}

fn pairs(before: &Path, after: &Path) -> Vec<(PathBuf, PathBuf)> {
    if before.is_file() {
        return vec![(before.into(), after.into())];
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(before)
        .map(|dir| dir.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    files.sort();
    let with = |file: PathBuf| {
        let other = after.join(file.file_name()?);
        other.exists().then_some((file, other))
    };
    files.into_iter().filter_map(with).collect()
}

#[derive(Default)]
struct Table {
    counts: BTreeMap<&'static str, u32>,
    reasons: BTreeMap<String, u32>,
    times: Vec<Duration>,
    slowest: (Duration, String),
}

impl Table {
    fn file(&mut self, before: &Path, after: &Path, all: bool) {
        let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| e.to_string());
        let parse = |path: &Path| {
            let text = read(path)?;
            irtext::parse_lenient(&text).map(|(module, _)| module).map_err(|e| e.to_string())
        };
        let (old, new) = match (parse(before), parse(after)) {
            (Ok(old), Ok(new)) => (old, new),
            (Err(why), _) | (_, Err(why)) => {
                *self.counts.entry("files not parsed").or_default() += 1;
                println!("{}: {why}", before.display());
                return;
            }
        };
        for function in old.functions.iter().filter(|f| f.is_defined()) {
            let Some(name) = &function.name else { continue };
            let Some(other) = new.function(name).filter(|f| f.is_defined()) else {
                *self.counts.entry("gone").or_default() += 1;
                continue;
            };
            let text = irtext::print_function(&old, function);
            if !all && text == irtext::print_function(&new, other) {
                *self.counts.entry("unchanged").or_default() += 1;
                continue;
            }
            let start = Instant::now();
            let answer = check(&old, &new, name, &Limits::default(), &[]);
            let time = start.elapsed();
            self.times.push(time);
            let place = format!("{} @{name}", before.display());
            if time > Duration::from_millis(200) {
                println!("slow: {time:?} {place}");
            }
            if time > self.slowest.0 {
                self.slowest = (time, place.clone());
            }
            self.answer(&place, answer);
        }
    }

    fn answer(&mut self, place: &str, answer: Comparison) {
        let kind = match answer {
            Comparison::Holds { complete: true, .. } => "holds on all inputs",
            Comparison::Holds { inconclusive, .. } => {
                for (why, _) in inconclusive {
                    *self.reasons.entry(format!("(some) {why}")).or_default() += 1;
                }
                "holds on those tried"
            }
            Comparison::Refuted(found) => {
                println!("== {place}\n{found}\n");
                "REFUTED"
            }
            Comparison::Unknown(why) => {
                *self.reasons.entry(why.to_string()).or_default() += 1;
                "unknown"
            }
        };
        *self.counts.entry(kind).or_default() += 1;
    }

    fn print(mut self) {
        let mut reasons: Vec<(u32, String)> =
            self.reasons.into_iter().map(|(a, b)| (b, a)).collect();
        reasons.sort_by(|a, b| b.cmp(a));
        for (count, why) in reasons.iter().take(60) {
            println!("{count:6}  {why}");
        }
        println!();
        for (kind, count) in &self.counts {
            println!("{count:6}  {kind}");
        }
        self.times.sort();
        if let Some(median) = self.times.get(self.times.len() / 2) {
            println!("median {median:?}, slowest {:?} ({})", self.slowest.0, self.slowest.1);
        }
    }
}
