//! A module on which passes of a library fail, made small: what is wrong is found out first.
//!
//! In this order: the passes have a fault; their result is refuted; the code generator has a fault with
//! what they leave. Not here: findings of a hunt, whose fault is known (`campaign`).

use llvmhost::{Limits, Running, Server};
use refine::{Checker, Refinement as _, Scope, Verdict as Refined};

use crate::locate::{OnText, Optimiser as _};
use crate::shrink::{self, Progress, Shrunk};
use crate::tester::{OnServer, Refuting};
use crate::verdict::{Verdict, judge};
use crate::work::{Answer, Item, Pipeline};

/// A module and passes that were made small.
#[derive(Clone, Debug)]
pub struct ReducedModule {
    /// Module and passes; the best so far when it was stopped.
    pub shrunk: Shrunk,
    /// What is wrong, in one line.
    pub summary: String,
}

/// Why nothing was made small.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotReduced {
    /// It is no module, or there is no such pass.
    #[error("{0}")]
    Refused(String),
    /// Nothing is wrong.
    #[error(
        "nothing is wrong: the passes take it, and no input was found on which their result differs"
    )]
    Fine,
    /// Seen once, and not again.
    #[error("what was seen does not show again: {0}")]
    NotAgain(String),
    /// Our own trouble.
    #[error("{0}")]
    Trouble(String),
}

/// Finds out what passes do wrong on a module, and makes both small as long as they do.
pub fn reduce(
    server: &mut Server,
    module: &[u8],
    passes: &str,
    limits: Limits,
    tell: &dyn Fn(&Progress<'_>),
    stop: &dyn Fn() -> bool,
) -> Result<ReducedModule, NotReduced> {
    let mut wanted = None;
    for code in [false, true] {
        let item = Item::Optimise {
            module: module.to_vec(),
            name: "module".into(),
            pipeline: Pipeline {
                passes: passes.to_string(),
                running: Running { verify_each: true, log: false },
                code,
            },
            x86: false,
            print: true,
        };
        match judge(server, &item, limits).map_err(|e| NotReduced::Trouble(e.to_string()))?.0 {
            Verdict::Fault(signature) => {
                wanted = Some(signature);
                break;
            }
            Verdict::Refused(why) => return Err(NotReduced::Refused(why)),
            Verdict::Trouble(why) => return Err(NotReduced::Trouble(why)),
            Verdict::Fine(Answer::Fine(after)) if !code => {
                if let Some(refuted) = refuted(server, module, &after, passes, limits, tell, stop) {
                    return refuted;
                }
            }
            Verdict::Fine(_) => {}
        }
    }
    let wanted = wanted.ok_or(NotReduced::Fine)?;
    let summary = wanted.summary.clone();
    let mut tester = OnServer::new(server, wanted, limits);
    let shrunk = shrink::shrink(module, passes, &mut tester, tell, stop);
    finished(shrunk, tester.lost, summary)
}

/// Makes it small as long as the result is refuted; `None` if it is not.
fn refuted(
    server: &mut Server,
    module: &[u8],
    after: &str,
    passes: &str,
    limits: Limits,
    tell: &dyn Fn(&Progress<'_>),
    stop: &dyn Fn() -> bool,
) -> Option<Result<ReducedModule, NotReduced>> {
    let text = String::from_utf8_lossy(module);
    let own = Checker::new(None).within(Scope::Module);
    let before = OnText { server, limits, x86: false }.run(&text, "verify")?;
    let Refined::Refuted(refutation) = own.check(&before, after) else { return None };
    let last = refutation.report.lines().rev().find(|line| !line.trim().is_empty());
    let summary = format!("does not refine: {}", last.unwrap_or_default().trim());
    let mut tester = Refuting::new(server, &own, limits);
    let shrunk = shrink::shrink(before.as_bytes(), passes, &mut tester, tell, stop);
    Some(finished(shrunk, tester.lost, summary))
}

fn finished(
    shrunk: Option<Shrunk>,
    lost: Option<String>,
    summary: String,
) -> Result<ReducedModule, NotReduced> {
    match (shrunk, lost) {
        (_, Some(lost)) => Err(NotReduced::Trouble(lost)),
        (Some(shrunk), None) => Ok(ReducedModule { shrunk, summary }),
        (None, None) => Err(NotReduced::NotAgain(summary)),
    }
}
