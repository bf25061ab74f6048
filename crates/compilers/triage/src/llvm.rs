//! LLVM: which is the first pass that makes the bug, and whether an option of clang hides it.
//!
//! `-opt-bisect-limit=N` runs the first N passes that may be left out and says which. Each unit counts for itself. What
//! the linker optimises (`-flto`) counts apart, and is asked through it where no pass of a unit matters.

use std::collections::BTreeSet;

use oracle::Trouble;
use toolchain::Target;

use crate::blame::culprit;
use crate::found::{Blame, Method};
use crate::probe::{FaultProbe, ProbeAnswer};

/// One run of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PassRun {
    number: u64,
    pass: String,
    /// What it works on: `[module]`, `f`, `function (f)`.
    on: String,
}

/// Where passes are run and counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// When a unit is compiled.
    Compile,
    /// When the linker optimises the whole program: only asked where no pass of the units matters.
    Link,
}

impl Stage {
    /// Stops after so many passes; -1 lists them all.
    fn flags(self, limit: i64) -> Vec<String> {
        match self {
            Stage::Compile => vec!["-mllvm".into(), format!("-opt-bisect-limit={limit}")],
            Stage::Link => vec![format!("-Wl,-plugin-opt=-opt-bisect-limit={limit}")],
        }
    }

    /// The passes that are run for each unit, or for all.
    fn steps(self, bench: &FaultProbe, target: &Target) -> Result<Vec<Vec<PassRun>>, Trouble> {
        let flags = self.flags(-1);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        Ok(match self {
            Stage::Compile => {
                bench.listings(target, &flags)?.iter().map(|(_, text)| steps(text)).collect()
            }
            Stage::Link => vec![steps(&bench.linking(target, &flags)?)],
        })
    }

    fn words(self) -> &'static str {
        match self {
            Stage::Compile => "",
            Stage::Link => " when linking",
        }
    }
}

pub(crate) fn blame(
    bench: &FaultProbe,
    target: &Target,
    blame: &mut Blame,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), Trouble> {
    let links = target.flags.iter().any(|flag| flag.starts_with("-flto"));
    for stage in [Stage::Compile, Stage::Link] {
        let is_last = !links || stage == Stage::Link;
        if let Some(limit) = bisect(bench, target, stage, blame, tell)? {
            if is_last {
                blame.limits.push(limit);
                return Ok(());
            }
            continue;
        }
        return option(bench, target, blame, tell);
    }
    Ok(())
}

/// Finds the pass of a stage; else why there is none.
fn bisect(
    bench: &FaultProbe,
    target: &Target,
    stage: Stage,
    blame: &mut Blame,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<Option<String>, Trouble> {
    let units = stage.steps(bench, target)?;
    let count = units.iter().flatten().map(|step| step.number).max().unwrap_or(0);
    if count == 0 {
        let label = target.label();
        return Ok(Some(format!("{label} lists no passes for -opt-bisect-limit.")));
    }
    let fails = |limit: u64| {
        tell(&format!(
            "{}: stopped after pass {limit} of {count}{}",
            target.label(),
            stage.words()
        ));
        bench.ask(target, &stage.flags(limit as i64))
    };
    if fails(count)? != ProbeAnswer::Fails {
        return Ok(Some("With all passes counted (-opt-bisect-limit) it does not fail.".into()));
    }
    if fails(0)? == ProbeAnswer::Fails {
        return Ok(Some(
            "It fails with every pass left out that may be left out, so the bug is in a part that \
             always runs."
                .into(),
        ));
    }
    // Invariant: `bad` fails and `good` does not. So there is a boundary even where a bug comes and
    // goes, and both sides of the one that is found were seen.
    let (mut good, mut bad, mut before) = (0, count, ProbeAnswer::Works);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        match fails(middle)? {
            ProbeAnswer::Fails => bad = middle,
            other => (good, before) = (middle, other),
        }
    }
    if good > 0 && before != ProbeAnswer::Works {
        blame.limits.push("With one pass fewer it fails in another way.".into());
    }
    let here: Vec<&PassRun> = units.iter().flatten().filter(|step| step.number == bad).collect();
    let names: BTreeSet<&str> = here.iter().map(|step| step.pass.as_str()).collect();
    if names.len() > 1 {
        blame.limits.push("Each file numbers its own passes, so it is one of several.".into());
    }
    for step in here {
        let (words, on) = (stage.words(), plain(&step.on));
        let detail = format!("pass {bad} of {count}{words}, on {on}");
        let hides = stage.flags(good as i64);
        blame.culprits.push(culprit(Method::OptBisect, &step.pass, &hides, detail));
        blame.pass.get_or_insert_with(|| step.pass.clone());
    }
    Ok(None)
}

/// Options of the front end that switch off a part of the optimiser, or what it may assume, in any program.
const OPTIONS: &[&str] = &[
    "strict-aliasing",
    "vectorize",
    "slp-vectorize",
    "unroll-loops",
    "delete-null-pointer-checks",
    "builtin",
    "jump-tables",
];

/// Of these, the first without which the bug is gone.
fn option(
    bench: &FaultProbe,
    target: &Target,
    blame: &mut Blame,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), Trouble> {
    for name in OPTIONS {
        tell(&format!("{}: without {name}", target.label()));
        let hides = vec![format!("-fno-{name}")];
        if bench.ask(target, &hides)? == ProbeAnswer::Works {
            blame.culprits.push(culprit(Method::Option, name, &hides, String::new()));
            break;
        }
    }
    Ok(())
}

/// The passes that were run.
fn steps(text: &str) -> Vec<PassRun> {
    let step = |line: &str| {
        let told = line.strip_prefix("BISECT: running pass (")?;
        let (number, told) = told.split_once(") ")?;
        let (pass, on) = told.split_once(" on ")?;
        let number = number.parse().ok()?;
        Some(PassRun { number, pass: pass.to_string(), on: on.trim().to_string() })
    };
    text.lines().filter_map(step).collect()
}

/// `function f`, of `function (f)`; `the module`, of `[module]`; the rest as it is.
fn plain(on: &str) -> String {
    match on.split_once('(') {
        _ if on == "[module]" => "the module".into(),
        _ if on == "<unnamed loop>" || on.starts_with("Loop at ") => "a loop".into(),
        Some((what, name)) => format!("{what}{}", name.trim_end_matches(')')),
        None => on.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_versions() {
        let text = "BISECT: running pass (1) Annotation2MetadataPass on [module]\n\
            BISECT: running pass (4) LowerExpectIntrinsicPass on power\n\
            warning: something else\n\
            BISECT: running pass (24) InlinerPass on (f)\n\
            BISECT: running pass (44) LICMPass on Loop at depth 1 containing: %3<header>,%9<latch>\n\
            BISECT: running pass (43) LICMPass on <unnamed loop>\n\
            BISECT: running pass (80) LICMPass on loop %for.body in function f\n\
            BISECT: NOT running pass (81) SimplifyCFGPass on power\n\
            BISECT: running pass (7) X86 DAG->DAG Instruction Selection on function (main)\n";
        let shown: Vec<String> = steps(text)
            .iter()
            .map(|s| format!("{} {} / {}", s.number, s.pass, plain(&s.on)))
            .collect();
        assert_eq!(
            shown,
            [
                "1 Annotation2MetadataPass / the module",
                "4 LowerExpectIntrinsicPass / power",
                "24 InlinerPass / f",
                "44 LICMPass / a loop",
                "43 LICMPass / a loop",
                "80 LICMPass / loop %for.body in function f",
                "7 X86 DAG->DAG Instruction Selection / function main",
            ]
        );
    }
}
