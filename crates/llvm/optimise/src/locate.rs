//! Which passes of a pipeline make of a module what does not mean the same.
//!
//! Passes are run one by one, each on what the one before it left, and each result is put before
//! a refinement oracle; those that are refuted are the culprits. The search goes on behind the first: a bug that
//! nearly every module shows must not hide those of later passes. A pass alone may do other than it does
//! among others, which keep analyses for it; then pipelines are run up to each pass.

use llvmhost::{Limits, Running, Server};
use refine::{Refinement, Refutation, Verdict as Refined};

use crate::shrink::pipeline::{Pipeline as Passes, expansions};
use crate::verdict::Verdict;
use crate::work::{Answer, Item, Pipeline};

/// Culprits of one pipeline at most.
const MOST: usize = 4;

/// Runs passes on a module's text.
pub trait Optimiser {
    /// What they make of it; `None` if they fail.
    fn run(&mut self, module: &str, passes: &str) -> Option<String>;
}

/// A server.
#[derive(Debug)]
pub struct OnText<'s> {
    /// The server.
    pub server: &'s mut Server,
    /// What LLVM may use.
    pub limits: Limits,
    /// Whether a module that names no machine is one for x86-64.
    pub x86: bool,
}

impl Optimiser for OnText<'_> {
    fn run(&mut self, module: &str, passes: &str) -> Option<String> {
        let pipeline = Pipeline::of(passes, Running { verify_each: false, log: false });
        let module = module.as_bytes().to_vec();
        let item =
            Item::Optimise { module, name: "module".into(), pipeline, x86: self.x86, print: true };
        let ran = self.server.run(vec![item.bytes()], self.limits, false).ok()?;
        match Verdict::of(ran.first()?) {
            Verdict::Fine(Answer::Fine(text)) => Some(text),
            _ => None,
        }
    }
}

/// A pass that is to blame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The pass, in the groups that it stands in, as for `opt -passes=`.
    pub passes: String,
    /// Whether it does so alone; if not, it takes those before it, which are in `passes` too.
    pub alone: bool,
    /// The module before it.
    pub before: String,
    /// The module after it.
    pub after: String,
    /// What the oracle says of the two.
    pub refuted: Box<Refutation>,
}

impl Located {
    /// The pass without its groups and options.
    pub fn pass(&self) -> &str {
        last_pass(&self.passes)
    }
}

/// The last pass of a pipeline, without its groups and options.
pub fn last_pass(passes: &str) -> &str {
    let last = passes.rsplit([',', '(']).next().unwrap_or(passes);
    last.trim_end_matches(')').split('<').next().unwrap_or(last)
}

/// Finds the passes whose results do not refine what they were given, in their order. Of passes that are wrong only
/// after others, the first.
pub fn locate(
    optimiser: &mut dyn Optimiser,
    module: &str,
    passes: &str,
    oracle: &dyn Refinement,
) -> Vec<Located> {
    let texts = std::iter::once(passes.to_string()).filter(|_| expansions(passes).is_empty());
    let texts: Vec<String> = texts.chain(expansions(passes)).collect();
    let mut search = Search { optimiser, oracle, module };
    let pipelines = texts.iter().filter_map(|text| Passes::parse(text));
    // A pipeline of another version is refused as a whole, or as good as its own.
    let pipelines: Vec<Passes> = pipelines.collect();
    let mut one_by_one = pipelines.iter().map(|pipeline| search.one_by_one(pipeline));
    if let Some(located) = one_by_one.find(|located| !located.is_empty()) {
        return located;
    }
    pipelines.iter().find_map(|pipeline| search.up_to_each(pipeline)).into_iter().collect()
}

struct Search<'a> {
    optimiser: &'a mut dyn Optimiser,
    oracle: &'a dyn Refinement,
    module: &'a str,
}

impl Search<'_> {
    fn one_by_one(&mut self, pipeline: &Passes) -> Vec<Located> {
        let mut located = Vec::new();
        let Some(mut before) = self.optimiser.run(self.module, "verify") else { return located };
        for number in 0..pipeline.len() {
            let passes = pipeline.only(|n| n == number).to_string();
            // A pass that this version does not know, or that fails alone, is one that is not there.
            let Some(after) = self.optimiser.run(&before, &passes) else { continue };
            if let Some(refuted) = self.refuted(&before, &after) {
                let after = after.clone();
                located.push(Located { passes, alone: true, before, after, refuted });
                if located.len() == MOST {
                    break;
                }
            }
            before = after;
        }
        located
    }

    fn up_to_each(&mut self, pipeline: &Passes) -> Option<Located> {
        let mut before = self.optimiser.run(self.module, "verify")?;
        for number in 0..pipeline.len() {
            let passes = pipeline.only(|n| n <= number).to_string();
            let after = self.optimiser.run(self.module, &passes)?;
            if let Some(refuted) = self.refuted(&before, &after) {
                return Some(Located { passes, alone: false, before, after, refuted });
            }
            before = after;
        }
        None
    }

    fn refuted(&self, before: &str, after: &str) -> Option<Box<Refutation>> {
        if before == after {
            return None;
        }
        match self.oracle.check(before, after) {
            Refined::Refuted(refuted) => Some(refuted),
            _ => None,
        }
    }
}
