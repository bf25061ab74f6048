//! `gainsay suppress`: which bugs nobody wants to hear of any more.

use std::fmt::Write;

use anyhow::{Result, bail};
use campaign::{Store, Suppression};

use crate::args::{DEFAULT_OUT, Suppress};
use crate::{terminal, words};

/// Runs the command; the exit status.
pub fn main(args: &Suppress) -> Result<u8> {
    let mut store = Store::open(&args.out)?;
    let text = match (&args.pattern, &args.remove) {
        (Some(pattern), _) => add(&mut store, pattern, args)?,
        (None, Some(pattern)) => {
            if !store.unsuppress(pattern)? {
                let there: Vec<String> =
                    store.suppressions()?.iter().map(|s| words::quote(&s.pattern)).collect();
                let there = if there.is_empty() { "nothing".into() } else { there.join(", ") };
                bail!("{} is not suppressed; what is: {there}", words::quote(pattern));
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
    store.suppress(pattern, reason)?;
    let hits = store.suppressions()?.iter().find(|s| s.pattern == pattern).map_or(0, |s| s.hits);
    let out = match args.out.to_string_lossy().as_ref() {
        DEFAULT_OUT => String::new(),
        out => format!(" --out {}", words::quote(out)),
    };
    let undo = format!("gainsay suppress --remove {}{out}", words::quote(pattern));
    let fits = match hits {
        0 => "fits no finding yet".to_string(),
        n => format!("fits {}", words::plural(n, "finding")),
    };
    Ok(format!("suppressed: {pattern} ({fits})\nTo take it back: {undo}\n"))
}

fn list(all: &[Suppression]) -> String {
    let mut text = String::new();
    for Suppression { pattern, reason, since, hits } in all {
        let hits = words::plural(*hits, "finding");
        let _ = writeln!(text, "{pattern}\n    {reason} ({hits}, since {})", report::date(*since));
    }
    if text.is_empty() { "nothing is suppressed\n".into() } else { text }
}
