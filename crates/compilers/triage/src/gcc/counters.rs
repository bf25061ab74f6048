//! Debug counters: which use of a transformation makes the bug.
//!
//! `-fdbg-cnt=NAME:N` permits a transformation N times; `-fdbg-cnt-list` says how often it was
//! asked for. Versions differ in how they write ranges, not in this.

use std::collections::BTreeMap;

use oracle::Trouble;
use toolchain::Target;

use super::progress;
use crate::blame::culprit;
use crate::found::{Blame, Culprit, Method};
use crate::probe::{FaultProbe, ProbeAnswer};

/// Counters and their values, of `-fdbg-cnt-list`.
fn parse(text: &str) -> BTreeMap<String, u64> {
    let counter = |line: &str| {
        let mut words = line.split_whitespace();
        let (name, value) = (words.next()?, words.next()?.parse().ok()?);
        words.next().map(|_| (name.to_string(), value))
    };
    // A compiler's other messages are not in the table.
    let table = text.lines().skip_while(|line| !line.contains("counter name")).skip(2);
    table.take_while(|line| !line.trim().is_empty()).filter_map(counter).collect()
}

pub(super) fn culprits(
    bench: &FaultProbe,
    target: &Target,
    blame: &mut Blame,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Culprit>, Trouble> {
    let mut counters: BTreeMap<String, u64> = BTreeMap::new();
    for (_, text) in bench.listings(target, &["-fdbg-cnt-list"])? {
        for (name, value) in parse(&text) {
            let most = counters.entry(name).or_default();
            *most = (*most).max(value);
        }
    }
    if counters.is_empty() {
        // One that crashes does not come to the list.
        blame.limits.push(format!("{} does not list its debug counters.", target.label()));
        return Ok(Vec::new());
    }
    let used: Vec<(String, u64)> = counters.into_iter().filter(|(_, value)| *value > 0).collect();
    let sets: Vec<Vec<String>> = used.iter().map(|(name, _)| flags(name, 0)).collect();
    let told = progress(tell, target, sets.len(), "debug counters");
    let answers = bench.ask_all(target, &sets, &told)?;
    let mut found = Vec::new();
    for ((name, value), answer) in used.iter().zip(answers) {
        if answer == ProbeAnswer::Works {
            found.push(which(bench, target, name, *value, tell)?);
        }
    }
    Ok(found)
}

fn flags(name: &str, limit: u64) -> Vec<String> {
    vec![format!("-fdbg-cnt={name}:{limit}")]
}

/// The use that makes the bug, of a counter that hides it at 0.
fn which(
    bench: &FaultProbe,
    target: &Target,
    name: &str,
    value: u64,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Culprit, Trouble> {
    let (mut good, mut bad) = (0, value);
    tell(&format!("{}: which of the uses of {name}", target.label()));
    if bench.ask(target, &flags(name, value))? != ProbeAnswer::Fails {
        return Ok(culprit(Method::DebugCounter, name, &flags(name, 0), String::new()));
    }
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        // What is neither right nor the same fault does not move the boundary of what is right.
        match bench.ask(target, &flags(name, middle))? {
            ProbeAnswer::Works => good = middle,
            _ => bad = middle,
        }
    }
    let detail = format!("use {bad} of {value}");
    Ok(culprit(Method::DebugCounter, name, &flags(name, good), detail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_alone_is_read() {
        // gcc 12.2.
        let text = "***dbgcnt: upper limit 1 reached for tail_call.***\n\
            \x20 counter name                  counter value     closed intervals\n\
            -----------------------------------------------------------------\n\
            \x20 asan_use_after_scope          0                 unset\n\
            \x20 ccp                           240               unset\n\
            \x20 tail_call                     11                [1, 1]\n\n\
            a 1 b\n";
        let read: Vec<(String, u64)> = parse(text).into_iter().collect();
        let expected = [("asan_use_after_scope", 0), ("ccp", 240), ("tail_call", 11)];
        assert_eq!(read, expected.map(|(name, value)| (name.to_string(), value)));
        assert!(parse("cc1: error: unrecognized option\n").is_empty());
    }
}
