//! Asks about every function of pairs of modules, and counts the answers:
//! `corpus SECONDS BEFORE.ll AFTER.ll [BEFORE.ll AFTER.ll …]`. The solver is the `z3` on the path.
#![allow(clippy::disallowed_methods)] // An example starts the solver itself.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use irproof::{Limits, ProofVerdict, Question, decide, pose};

fn ask(question: &Question, seconds: &str) -> String {
    let solver = Command::new("z3")
        .args([&format!("-T:{seconds}"), "-memory:2000", "-in"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut solver) = solver else { return "no solver".into() };
    if let Some(mut input) = solver.stdin.take() {
        // A solver that is done before it has read everything is no mistake.
        let _ = input.write_all(question.text.as_bytes());
    }
    match solver.wait_with_output() {
        Ok(output) => String::from_utf8_lossy(&output.stdout).into_owned(),
        Err(why) => why.to_string(),
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((seconds, files)) = arguments.split_first() else { return };
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for pair in files.chunks(2).filter(|pair| pair.len() == 2) {
        let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let (before, after) =
            (irtext::parse_lenient(&read(&pair[0])), irtext::parse_lenient(&read(&pair[1])));
        let (Ok((before, _)), Ok((after, _))) = (before, after) else {
            *counts.entry("module not parsed".into()).or_default() += 1;
            continue;
        };
        for function in before.functions.iter().filter(|f| f.is_defined()) {
            let Some(name) = function.name.as_deref() else { continue };
            let start = std::time::Instant::now();
            let mut asked = 0;
            let outcome = match pose(&before, &after, name, &Limits::default()) {
                Err(why) => format!("refused: {why}"),
                Ok(questions) if questions.is_empty() => "proved without a solver".into(),
                Ok(questions) => {
                    let verdict = decide(&questions, &mut |question| {
                        asked += 1;
                        if let Ok(folder) = std::env::var("QUESTIONS") {
                            let path = format!("{folder}/{name}.{asked}.smt2");
                            let _ = std::fs::write(path, &question.text);
                        }
                        ask(question, seconds)
                    });
                    match verdict {
                        ProofVerdict::Refines => "proved".into(),
                        ProofVerdict::Refuted(input) => {
                            println!(
                                "INPUT {} @{name}: {}",
                                pair[0],
                                input.to_string().replace('\n', "; ")
                            );
                            "refuted".into()
                        }
                        ProofVerdict::Unknown(why) => format!("unknown: {why}"),
                    }
                }
            };
            let milliseconds = start.elapsed().as_millis();
            println!("{} @{name}: {outcome} ({milliseconds} ms, {asked} questions)", pair[0]);
            *counts.entry(outcome).or_default() += 1;
        }
    }
    let mut sorted: Vec<(u32, String)> = counts.into_iter().map(|(what, n)| (n, what)).collect();
    sorted.sort_by(|a, b| b.cmp(a));
    println!("---");
    for (count, what) in sorted {
        println!("{count:6} {what}");
    }
}
