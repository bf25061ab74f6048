//! Parses preprocessed files and says how long each took and why it was refused.
//!
//! `cargo run --release -p cparse --example parse -- [-q] [-p] [-d] [-r] file.i…`: `-q` prints refusals
//! only, `-p` the tree as C, `-d` its dump, `-r` checks that the printed text reads back as the same
//! tree.

use ctree::{DataModel, Program};
use std::time::{Duration, Instant};

fn main() {
    let (mut quiet, mut print, mut dump, mut reread) = (false, false, false, false);
    let (mut total, mut failed, mut bytes) = (Duration::ZERO, 0u32, 0usize);
    let mut count = 0u32;
    for path in std::env::args().skip(1) {
        match path.as_str() {
            "-q" => quiet = true,
            "-p" => print = true,
            "-d" => dump = true,
            "-r" => reread = true,
            _ => {}
        }
        if path.starts_with('-') {
            continue;
        }
        let text = match std::fs::read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        count += 1;
        bytes += text.len();
        let mut program = Program::new(DataModel::X86_64_SYSV);
        let (start, start_cpu) = (Instant::now(), cpu_time());
        let result = cparse::parse_unit(&mut program, &path, &text);
        let took = match (start_cpu, cpu_time()) {
            (Some(before), Some(after)) => after - before,
            _ => start.elapsed(),
        };
        total += took;
        match result {
            Ok(unit) if print => println!("{}", ctree::print::print_unit(&program, unit)),
            Ok(unit) if dump => println!("{}", ctree::dump::dump_unit(&program, unit)),
            Ok(unit) if reread => {
                if let Err(why) = read_back(&program, unit) {
                    failed += 1;
                    println!("{path}: {why}");
                }
            }
            Ok(_) if quiet => {}
            Ok(_) => println!(
                "{path}: ok, {} bytes, {:.2} ms, {} expressions",
                text.len(),
                took.as_secs_f64() * 1e3,
                program.exprs.len()
            ),
            Err(error) => {
                failed += 1;
                let place = program.source.location(error.span);
                let at =
                    place.map_or(String::new(), |p| format!("{}:{}:{}", p.file, p.line, p.column));
                println!("{path}: {:?}: {} [{at}]", error.kind, error.message);
            }
        }
    }
    eprintln!(
        "{count} files, {failed} refused, {:.1} ms, {:.1} MB/s",
        total.as_secs_f64() * 1e3,
        bytes as f64 / 1e6 / total.as_secs_f64().max(1e-9)
    );
}

/// Time this process has had on a processor, where Linux tells: fair on a busy machine.
fn cpu_time() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/schedstat").ok()?;
    Some(Duration::from_nanos(stat.split_whitespace().next()?.parse().ok()?))
}

/// Prints and parses again: both trees must be the same.
fn read_back(program: &Program, unit: ctree::UnitId) -> Result<(), String> {
    let first = ctree::print::print_unit(program, unit);
    let mut again = Program::new(DataModel::X86_64_SYSV);
    let unit = cparse::parse_unit(&mut again, "printed.c", &first).map_err(|error| {
        let place = again.source.location(error.span);
        let shown = place.map_or(String::new(), |p| format!("{}: {}", p.line, p.text.trim()));
        format!("printed text refused: {error} [{shown}]")
    })?;
    let (before, after) =
        (ctree::dump::dump_unit(program, unit), ctree::dump::dump_unit(&again, unit));
    match before.lines().zip(after.lines()).find(|(a, b)| a != b) {
        Some((a, b)) => Err(format!("the tree differs:\n  {a}\n  {b}")),
        None => Ok(()),
    }
}
