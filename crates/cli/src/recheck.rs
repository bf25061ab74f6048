//! `gainsay recheck`: which bugs of the past are still there.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::{Error, Result};
use campaign::{
    Bug, LlvmTools, MaskState, RecheckOptions, RecheckOutcome, Rechecked, Specimen, Standing, Store,
};
use clap::Args;
use llvmhost::Installed;
use serde_json::json;

use crate::args::HuntFolder;
use crate::installed::InstalledCompilers;
use crate::{human, terminal};

/// Exit status when something still fails.
const FAILS: u8 = 1;

/// Exit status when nothing is seen to fail, but of some it is not known.
const UNKNOWN: u8 = 3;

/// Try findings again with the compilers that are installed now
///
/// Takes one finding for each bug, its reduced program where there is one, and compiles it with what
/// failed and with other versions of that. What came of it is kept and listed by `gainsay findings`.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Recheck {
    /// Numbers of findings; one for each bug by default
    #[arg(value_name = "ID", conflicts_with = "all")]
    pub ids: Vec<i64>,
    /// Every finding, disputed ones too.
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub folder: HuntFolder,
    /// Compilers to ask, as for `gainsay hunt`: a name, a pattern or a command's file
    ///
    /// By default those that failed and their other versions. Other compilers are asked with the flags that failed, and
    /// at their levels; what they do is told, and noted only of what failed.
    #[arg(long, value_name = "PATTERN")]
    pub cc: Vec<String>,
    /// The libLLVM to ask in the place of the one that failed: a version, or a file
    ///
    /// Only findings of LLVM's passes are tried then. What it does is told; the bug stays as it is noted unless this is
    /// the library that failed.
    #[arg(long, value_name = "FILE")]
    pub lib: Option<String>,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object for each finding that is tried.
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "\
Exit status:
  0   none of them fails any more, or none with what --cc or --lib names
  1   some still fail
  2   a mistake in the arguments, or something is missing here
  3   none is seen to fail, but of some it cannot be told: their compilers are not here, say

Examples:
  gainsay recheck
  gainsay recheck 3 7 --hunt my-hunt
  gainsay recheck --cc clang-16                              # another compiler
  gainsay recheck --lib 16                                   # findings of passes on another LLVM
  gainsay recheck --cc gcc-12 --json | jq 'select(.verdict == \"fixed\")'";

/// Runs the command; the exit status.
pub fn main(args: &Recheck) -> Result<u8> {
    let mut store = Store::open(&args.folder.dir)?;
    let bugs = store.bugs()?;
    let library = args.lib.as_deref().map(Installed::named).transpose().map_err(Error::msg)?;
    let ids = chosen(args, &store, &bugs)?;
    if ids.is_empty() {
        terminal::print(if args.json { b"" } else { b"no findings\n" })?;
        return Ok(0);
    }
    let mut installed = InstalledCompilers::new(args.config.as_deref(), &args.cc);
    let program = crate::llvm::program()?;
    let options = RecheckOptions {
        tools: LlvmTools { program: &program, limits: llvmhost::Limits::default() },
        everywhere: !args.cc.is_empty(),
        library: library.as_ref(),
        stop: sandbox::Stop::on_signals(),
    };
    let mut counts = [0u64; 4];
    for (n, id) in ids.iter().enumerate() {
        let Some(found) = store.finding(*id)? else { continue };
        let study = store.study(*id)?;
        let mut begin = |label: &str| {
            terminal::status(&format!("[{}/{}] #{id} {label}", n + 1, ids.len()));
        };
        let specimen = Specimen::of(&found, study.as_ref());
        let done = campaign::recheck_finding(specimen, &options, &mut installed, &mut begin);
        terminal::status("");
        let done = done?;
        let verdict = done.as_ref().map_or(RecheckOutcome::Unknown, |done| done.verdict);
        counts[verdict as usize] += 1;
        if let Ok(done) = &done {
            done.note(&mut store, *id)?;
            if done.verdict == RecheckOutcome::Fixed && !done.is_elsewhere {
                campaign::forget_exclusions(&args.folder.dir, &found.finding)
                    .map_err(Error::msg)?;
            }
        }
        let key = bugs.iter().find(|bug| bug.ids.contains(id)).map_or("", |bug| &bug.key);
        let line = match args.json {
            true => format!("{}\n", object(*id, key, &done)),
            false => line(*id, &done),
        };
        terminal::print(line.as_bytes())?;
    }
    let [fails, fixed, right, unknown] = counts;
    if !args.json {
        let right = if right > 0 { format!("{right} right, ") } else { String::new() };
        let sum = format!("\n{fails} still fail, {fixed} fixed, {right}{unknown} cannot be told\n");
        terminal::print(sum.as_bytes())?;
    }
    Ok(match (fails, unknown) {
        (0, 0) => 0,
        (0, _) => UNKNOWN,
        (_, _) => FAILS,
    })
}

/// The findings to try.
fn chosen(args: &Recheck, store: &Store, bugs: &[Bug]) -> Result<Vec<i64>> {
    for id in &args.ids {
        store.known(*id)?;
    }
    if !args.ids.is_empty() {
        return Ok(args.ids.clone());
    }
    let mut ids: Vec<i64> = match args.all {
        true => bugs.iter().flat_map(|bug| bug.ids.iter().copied()).collect(),
        false => {
            let stands = bugs.iter().filter(|bug| bug.standing == Standing::Confirmed);
            stands.map(|bug| bug.representative).collect()
        }
    };
    if args.lib.is_some() {
        let mut of_passes = Vec::new();
        for found in store.findings()? {
            if found.finding.subject.library().is_some() {
                of_passes.push(found.id);
            }
        }
        ids.retain(|id| of_passes.contains(id));
    }
    Ok(ids)
}

fn line(id: i64, done: &Result<Rechecked, String>) -> String {
    let done = match done {
        Ok(done) => done,
        Err(why) => return format!("#{id:<4} cannot be told: {why}\n"),
    };
    let mut text = match done.verdict {
        RecheckOutcome::Fails => format!("#{id:<4} still fails: {}", human::targets(&done.fails)),
        RecheckOutcome::Fixed => {
            format!("#{id:<4} fixed: right on {}", human::targets(&done.right))
        }
        RecheckOutcome::Right => {
            format!("#{id:<4} right: {}; what failed was not asked", human::targets(&done.right))
        }
        RecheckOutcome::Unknown => format!("#{id:<4} cannot be told: {}", unknown(done)),
    };
    if done.verdict == RecheckOutcome::Fails && !done.gone.is_empty() {
        let _ = write!(text, " ({} not here)", done.gone.join(", "));
    }
    if done.mask == Some(MaskState::HidesNoMore) {
        text += " (not only by the bug that was studied: what hid that does not hide this)";
    }
    text + "\n"
}

fn unknown(done: &Rechecked) -> String {
    let mut parts = Vec::new();
    if !done.gone.is_empty() {
        parts.push(format!("{} not here", done.gone.join(", ")));
    }
    parts.extend(done.otherwise.iter().map(|(label, what)| format!("{label}: {what}")));
    if !done.right.is_empty() {
        parts.push(format!("right on {}", human::targets(&done.right)));
    }
    if parts.is_empty() {
        parts.push("no compiler was asked".into());
    }
    parts.join("; ")
}

fn object(id: i64, key: &str, done: &Result<Rechecked, String>) -> serde_json::Value {
    match done {
        Ok(done) => json!({
            "id": id, "key": key, "verdict": done.verdict, "fails": done.fails,
            "right": done.right, "gone": done.gone, "elsewhere": done.is_elsewhere,
            "otherwise": done.otherwise.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
            "mask": done.mask,
        }),
        Err(why) => json!({ "id": id, "key": key, "verdict": RecheckOutcome::Unknown, "why": why }),
    }
}
