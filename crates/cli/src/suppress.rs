//! `gainsay suppress`: which bugs nobody wants to hear of any more.

use std::fmt::Write;

use anyhow::{Result, bail};
use campaign::{Store, Suppression};
use clap::Args;

use crate::args::HuntFolder;
use crate::{human, terminal};

/// Hide bugs that are known already
///
/// A pattern is a key or a signature, in which `*` stands for anything; the number of a finding stands for
/// the key of its bug. Findings that fit are still recorded and counted, but they are not reduced, and `gainsay
/// findings` only counts them. So are programs in which what hides such a bug (a pass, an option, a construct)
/// hides the failure.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Suppress {
    /// Keys or signatures to hide, or the number of a finding
    #[arg(value_name = "PATTERN", required_unless_present_any = ["list", "remove"], requires = "reason",
          conflicts_with_all = ["list", "remove"])]
    pub pattern: Option<String>,
    /// Why: the number of the bug in a tracker, for example.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// List what is suppressed, and how many findings that is.
    #[arg(long, conflicts_with = "remove")]
    pub list: bool,
    /// Take a suppression back.
    #[arg(long, value_name = "PATTERN")]
    pub remove: Option<String>,
    #[command(flatten)]
    pub folder: HuntFolder,
}

const HELP: &str = "\
Examples:
  gainsay suppress 3 --reason 'GCC PR 12345'
  gainsay suppress 'compiler-crash gcc in gimplify_expr*' --reason 'GCC PR 12345'
  gainsay suppress --list
  gainsay suppress --remove 'compiler-crash gcc in gimplify_expr*'";

/// Runs the command; the exit status.
pub fn main(args: &Suppress) -> Result<u8> {
    let mut store = Store::open(&args.folder.dir)?;
    let text = match (&args.pattern, &args.remove) {
        (Some(pattern), _) => add(&mut store, pattern, args)?,
        (None, Some(pattern)) => {
            if !store.unsuppress(pattern)? {
                let there: Vec<String> =
                    store.suppressions()?.iter().map(|s| human::quote(&s.pattern)).collect();
                let there = if there.is_empty() { "nothing".into() } else { there.join(", ") };
                bail!("{} is not suppressed; what is: {there}", human::quote(pattern));
            }
            format!("not suppressed any more: {pattern}\n")
        }
        (None, None) => list(&store.suppressions()?),
    };
    terminal::print(text.as_bytes())?;
    Ok(0)
}

fn add(store: &mut Store, pattern: &str, args: &Suppress) -> Result<String> {
    let reason = args.reason.as_deref().map(str::trim).unwrap_or_default();
    if reason.is_empty() {
        bail!("--reason must say something: the next reader will want to know");
    }
    let of_bug = match pattern.parse() {
        Ok(id) => Some(key_of(store, id)?),
        Err(_) => None,
    };
    let pattern = of_bug.as_deref().unwrap_or(pattern);
    store.suppress(pattern, reason)?;
    let hits = store.suppressions()?.iter().find(|s| s.pattern == pattern).map_or(0, |s| s.hits);
    let undo = args.folder.command(&format!("suppress --remove {}", human::quote(pattern)));
    let fits = match hits {
        0 => "fits no finding yet".to_string(),
        n => format!("fits {}", human::plural(n, "finding")),
    };
    let hint = match terminal::is_quiet() {
        true => String::new(),
        false => format!("To take it back: {undo}\n"),
    };
    Ok(format!("suppressed: {pattern} ({fits})\n{hint}"))
}

/// What the findings of a finding's bug have in common.
fn key_of(store: &Store, id: i64) -> Result<String> {
    store.known(id)?;
    let bug = store.bugs()?.into_iter().find(|bug| bug.ids.contains(&id));
    match bug {
        Some(bug) if bug.attributed => Ok(bug.key),
        _ => bail!(
            "it is not known yet which bug #{id} is: `gainsay reduce {id}` finds out; or suppress its \
             signature, which others may share"
        ),
    }
}

fn list(all: &[Suppression]) -> String {
    let mut text = String::new();
    for Suppression { pattern, reason, since, hits } in all {
        let hits = human::plural(*hits, "finding");
        let _ = writeln!(text, "{pattern}\n    {reason} ({hits}, since {})", report::date(*since));
    }
    if text.is_empty() { "nothing is suppressed\n".into() } else { text }
}
