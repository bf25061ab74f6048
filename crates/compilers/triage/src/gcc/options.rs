//! Options that are on where it fails.
//!
//! `-Q --help=optimizers` lists what a level sets. What differs from a level that works is tried
//! first. Levels do more than their options say (`-Os` and `-O2` differ in little that is listed), so
//! the rest is tried too when none of those hides the bug; then sets of them.

use std::collections::BTreeMap;

use oracle::Trouble;
use toolchain::Target;

use super::progress;
use crate::blame::culprit;
use crate::found::{Blame, Culprit, Method};
use crate::minimise::minimise;
use crate::probe::{FaultProbe, ProbeAnswer};

/// What an option is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    On,
    Off,
    /// `-freorder-blocks-algorithm=stc`.
    Value(String),
}

/// The options of `-Q --help=optimizers` that are set to something: `-fgcse`,
/// `-freorder-blocks-algorithm=`.
pub(super) fn parse(text: &str) -> BTreeMap<String, Setting> {
    let option = |line: &str| {
        let (name, value) = line.trim().split_once(char::is_whitespace)?;
        let name = match name.split_once('=') {
            Some((name, _)) => format!("{name}="),
            None => name.to_string(),
        };
        let setting = match value.trim() {
            "[enabled]" => Setting::On,
            "[disabled]" => Setting::Off,
            // `[default]`, or no value.
            value if value.is_empty() || value.starts_with('[') => return None,
            value => Setting::Value(value.to_string()),
        };
        name.starts_with("-f").then_some((name, setting))
    };
    text.lines().filter_map(option).collect()
}

/// Flags that make one option of `bad` what it is in `good`.
fn differing(
    bad: &BTreeMap<String, Setting>,
    good: &BTreeMap<String, Setting>,
) -> Vec<(String, String)> {
    let flag = |(name, setting): (&String, &Setting)| {
        let flag = match (setting, good.get(name)?) {
            (now, then) if now == then => return None,
            (_, Setting::On) => name.clone(),
            (_, Setting::Off) => off(name),
            (_, Setting::Value(value)) => format!("{name}{value}"),
        };
        Some((name.clone(), flag))
    };
    bad.iter().filter_map(flag).collect()
}

/// `-fno-gcse`, of `-fgcse`.
fn off(name: &str) -> String {
    format!("-fno-{}", name.trim_start_matches("-f"))
}

pub(super) fn culprits(
    bench: &FaultProbe,
    target: &Target,
    plain: &Target,
    right: &[Target],
    blame: &mut Blame,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Culprit>, Trouble> {
    let list = |target: &Target| -> Result<_, Trouble> {
        Ok(parse(&bench.settings(target, &["-Q", "--help=optimizers"])?))
    };
    let bad = list(target)?;
    let own = right.iter().filter(|good| good.compiler.name == target.compiler.name);
    let mut likely: Vec<(String, String)> = Vec::new();
    for good in own.chain([plain]) {
        let mut more = differing(&bad, &list(good)?);
        more.retain(|(name, _)| likely.iter().all(|(n, _)| n != name));
        likely.extend(more);
    }
    let rest: Vec<(String, String)> = bad
        .iter()
        .filter(|(name, set)| **set == Setting::On && likely.iter().all(|(n, _)| n != *name))
        .map(|(name, _)| (name.clone(), off(name)))
        .collect();
    for some in [&likely, &rest] {
        let sets: Vec<Vec<String>> = some.iter().map(|(_, flag)| vec![flag.clone()]).collect();
        let told = progress(tell, target, sets.len(), "options");
        let answers = bench.ask_all(target, &sets, &told)?;
        let hiding = some.iter().zip(answers).filter(|(_, answer)| *answer == ProbeAnswer::Works);
        let found: Vec<Culprit> = hiding
            .map(|((name, flag), _)| {
                let name = name.trim_start_matches("-f").trim_end_matches('=');
                culprit(Method::Option, name, std::slice::from_ref(flag), String::new())
            })
            .collect();
        if !found.is_empty() {
            return Ok(found);
        }
    }
    let all: Vec<(String, String)> = likely.into_iter().chain(rest).collect();
    set_of(bench, target, &all, blame, tell)
}

/// A smallest set of options that hides the bug together, if all of them do.
fn set_of(
    bench: &FaultProbe,
    target: &Target,
    all: &[(String, String)],
    blame: &mut Blame,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Vec<Culprit>, Trouble> {
    let flags =
        |chosen: &[usize]| -> Vec<String> { chosen.iter().map(|i| all[*i].1.clone()).collect() };
    let mut hides = |chosen: &[usize]| {
        tell(&format!("{}: {} options together", target.label(), chosen.len()));
        Ok(bench.ask(target, &flags(chosen))? == ProbeAnswer::Works)
    };
    let every: Vec<usize> = (0..all.len()).collect();
    if !hides(&every)? {
        blame.limits.push("No option hides it, and neither do all of them together.".into());
        return Ok(Vec::new());
    }
    let least = minimise(every, &mut hides)?;
    let names: Vec<&str> = least.iter().map(|i| all[*i].0.trim_start_matches("-f")).collect();
    let detail = format!("these {} together", least.len());
    Ok(vec![culprit(Method::Option, &names.join("+"), &flags(&least), detail)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_two_levels() {
        // gcc 12.2, shortened.
        let good = "The following options control optimizations:\n  -O<number>                  \t\t\n\
            \x20 -Ofast                      \t\t\n  -faggressive-loop-optimizations \t[enabled]\n\
            \x20 -falign-functions           \t\t[disabled]\n  -falign-functions=          \t\t\n\
            \x20 -fgcse                      \t\t[disabled]\n\
            \x20 -flifetime-dse=<0,2>        \t\t2\n\
            \x20 -freorder-blocks-algorithm=[simple|stc] \tsimple\n\
            \x20 -fvect-cost-model=[unlimited|dynamic|cheap|very-cheap] \t[default]\n";
        let bad = good
            .replace("-fgcse                      \t\t[disabled]", "-fgcse  \t[enabled]")
            .replace("functions=          \t\t\n", "functions=          \t\t16\n")
            .replace("\tsimple", "\tstc")
            .replace("-cheap] \t[default]", "-cheap] \tvery-cheap");
        let flags: Vec<String> =
            differing(&parse(&bad), &parse(good)).into_iter().map(|(_, flag)| flag).collect();
        // What had no value before cannot be given it back.
        assert_eq!(flags, ["-fno-gcse", "-freorder-blocks-algorithm=simple"]);
        let back: Vec<String> =
            differing(&parse(good), &parse(&bad)).into_iter().map(|(_, flag)| flag).collect();
        assert_eq!(back, ["-fgcse", "-freorder-blocks-algorithm=stc"]);
        assert_eq!(parse(&bad).len(), 7);
    }
}
