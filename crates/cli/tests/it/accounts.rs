//! The processor time that a hunt says it has used is the time that the kernel says it has used, and all of it is
//! tests', studies' or our own: nothing is forgotten in servers of LLVM or in their children, and nothing is
//! counted twice.

use std::fs;
use std::path::Path;
use std::time::Duration;

use kills::scenarios;
use sandbox::{Run, Scratch};
use serde_json::Value;

/// What may be missing: what is done after the last event, and what a server has not told when it ends.
const LEAST: f64 = 0.95;

/// The kernel's clock and the children's sums are rounded differently.
const MOST: f64 = 1.02;

/// Runs a hunt of one job; what it says of its time, and what it took by the kernel's account and by the clock.
fn hunted(dir: &Path, words: &[String], more: &str) -> (Value, Duration, Duration) {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(600))
        .args(["hunt", "--json", "--jobs", "1", "--hunt", "out"])
        .args(words)
        .args(more.split_whitespace())
        .cwd(dir);
    let done = run.finish().finished().expect("it ends");
    let text = done.stdout.text();
    let end = text.lines().last().expect("an end");
    let end: Value = serde_json::from_str(end).expect("JSON");
    (end["cpu_s"].clone(), done.cpu, done.wall)
}

fn all_is_accounted_for(name: &str, more: &str) -> Value {
    let all = scenarios();
    let Some(scenario) = all.iter().find(|scenario| scenario.name.contains(name)) else {
        assert!(std::env::var_os("CI").is_none(), "set-up installs what {name} needs");
        return Value::Null;
    };
    let scratch = Scratch::new().expect("a temporary folder");
    scenario.prepare(scratch.path()).expect("it is written");
    fs::remove_file(scratch.file("from/0.c")).expect("it was there");
    let (said, cpu, wall) = hunted(scratch.path(), &scenario.words, more);
    let part = |name: &str| said[name].as_f64().expect("a number");
    let sum = part("own") + part("others") + part("studies");
    let share = sum / cpu.as_secs_f64();
    println!(
        "{name}: {sum:.2} s said, {:.2} s of the kernel, {:.2} s by the clock",
        cpu.as_secs_f64(),
        wall.as_secs_f64()
    );
    assert!((LEAST..MOST).contains(&share), "{name}: {share:.3} of {cpu:?}: {said}");
    // One job: no more than the clock allows, with a little for threads beside it.
    assert!(sum < wall.as_secs_f64() * 1.1, "{name}: {sum} in {wall:?}");
    said
}

#[test]
fn of_compilers_and_their_studies() {
    let said = all_is_accounted_for("files", "--tests 6");
    assert!(said["studies"].as_f64().is_some_and(|time| time > 0.0), "{said}");
}

#[test]
fn of_servers_of_llvm_and_code_that_they_execute() {
    let said = all_is_accounted_for("passes", "--tests 60");
    let (own, others) = (said["own"].as_f64(), said["others"].as_f64());
    assert!(said.is_null() || others > own, "the servers' time is not ours: {said}");
}

#[test]
fn of_crossovers() {
    let said = all_is_accounted_for("crossover", "--tests 300");
    let (own, others) = (said["own"].as_f64(), said["others"].as_f64());
    assert!(said.is_null() || others > own, "the servers' time is not ours: {said}");
}
