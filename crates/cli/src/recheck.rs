//! `gainsay recheck`: which bugs of the past are still there.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Result;
use campaign::{
    Bug, LlvmTools, RecheckOptions, RecheckOutcome, Rechecked, Specimen, Standing, Store,
};
use clap::Args;
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
    /// Compilers to ask, as for `gainsay hunt`
    ///
    /// By default those that failed and their other versions.
    #[arg(long, value_name = "PATTERN")]
    pub cc: Vec<String>,
    /// Compilers, flags and limits; ./gainsay.toml, if there is one and this is not given.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print one JSON object for each finding that is tried.
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "\
Exit status:
  0   none of them fails any more
  1   some still fail
  2   a mistake in the arguments, or something is missing here
  3   none is seen to fail, but of some it cannot be told: their compilers are not here, say

Examples:
  gainsay recheck
  gainsay recheck 3 7 --hunt my-hunt
  gainsay recheck --cc gcc-12 --json | jq 'select(.verdict == \"fixed\")'";

/// Runs the command; the exit status.
pub fn main(args: &Recheck) -> Result<u8> {
    let mut store = Store::open(&args.folder.dir)?;
    let bugs = store.bugs()?;
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
        stop: sandbox::Stop::on_signals(),
    };
    let mut counts = [0u64; 3];
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
            if done.verdict == RecheckOutcome::Fixed {
                campaign::forget_exclusions(&args.folder.dir, &found.finding)
                    .map_err(anyhow::Error::msg)?;
            }
        }
        let key = bugs.iter().find(|bug| bug.ids.contains(id)).map_or("", |bug| &bug.key);
        let line = match args.json {
            true => format!("{}\n", object(*id, key, &done)),
            false => line(*id, &done),
        };
        terminal::print(line.as_bytes())?;
    }
    let [fails, fixed, unknown] = counts;
    if !args.json {
        let sum = format!("\n{fails} still fail, {fixed} fixed, {unknown} cannot be told\n");
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
    if args.all {
        return Ok(bugs.iter().flat_map(|bug| bug.ids.iter().copied()).collect());
    }
    let stands = bugs.iter().filter(|bug| bug.standing == Standing::Confirmed);
    Ok(stands.map(|bug| bug.representative).collect())
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
        RecheckOutcome::Unknown => format!("#{id:<4} cannot be told: {}", unknown(done)),
    };
    if done.verdict == RecheckOutcome::Fails && !done.gone.is_empty() {
        let _ = write!(text, " ({} not here)", done.gone.join(", "));
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
            "right": done.right, "gone": done.gone,
            "otherwise": done.otherwise.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
        }),
        Err(why) => json!({ "id": id, "key": key, "verdict": RecheckOutcome::Unknown, "why": why }),
    }
}
