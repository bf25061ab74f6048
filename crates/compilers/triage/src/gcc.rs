//! GCC: options, passes and debug counters, switched off one at a time.
//!
//! Each method sees another part: options are what a user can type, passes are what a developer
//! knows, counters say which single change of the code is wrong. `choose` puts them together.

mod choose;
mod counters;
mod options;
mod passes;

use oracle::Trouble;
use toolchain::Target;

use crate::found::Blame;
use crate::probe::{FaultProbe, ProbeAnswer};

pub(crate) fn blame(
    bench: &FaultProbe,
    target: &Target,
    right: &[Target],
    blame: &mut Blame,
    tell: &(dyn Fn(&str) + Sync),
) -> Result<(), Trouble> {
    // What fails without optimisation has nothing that could be switched off, and hundreds of
    // questions would show it.
    let plain = at_level_0(target);
    if bench.ask(&plain, &[])? == ProbeAnswer::Fails {
        blame.limits.push("It fails at -O0 as well, so there is nothing to switch off.".into());
        return Ok(());
    }
    let settings = bench.settings(target, &["-Q", "--help=optimizers"])?;
    if options::parse(&settings).is_empty() {
        blame.limits.push(format!("{} does not list its options.", target.label()));
        return Ok(());
    }
    let options = options::culprits(bench, target, &plain, right, blame, tell)?;
    let passes = passes::culprits(bench, target, blame, tell)?;
    let counters = counters::culprits(bench, target, blame, tell)?;
    choose::choose(blame, passes, counters, options);
    Ok(())
}

/// The same target without optimisation.
fn at_level_0(target: &Target) -> Target {
    let mut plain = target.clone();
    plain.flags.retain(|flag| !flag.starts_with("-O"));
    plain.flags.insert(0, "-O0".into());
    plain
}

/// Tells every twentieth answer: more is not read.
pub(crate) fn progress<'a>(
    tell: &'a (dyn Fn(&str) + Sync),
    target: &Target,
    count: usize,
    what: &'a str,
) -> impl Fn(usize) + Sync + use<'a> {
    let label = target.label();
    move |done| {
        if done % 20 == 0 || done == count {
            tell(&format!("{label}: {done} of {count} {what}"));
        }
    }
}
