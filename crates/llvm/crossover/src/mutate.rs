//! A crossover of two seeds, from bitcode to a valid module.

use std::fmt;

use choice::Choices;
use llvmhost::{Context, Linkage, Module};
use serde::{Deserialize, Serialize};

use crate::inline::inline;
use crate::merge::{Merged, merge};
use crate::prune::prune;
use crate::sequence::sequence;

/// Which crossover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CrossoverKind {
    /// One function's body inside another's (FLUX, III-B).
    Inline,
    /// Both called by a new function (FLUX, III-C).
    Sequence,
}

impl CrossoverKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            CrossoverKind::Inline => "inline",
            CrossoverKind::Sequence => "sequence",
        }
    }
}

/// What crossovers decide at random, in percent, and their limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Constants, and parts of them, that are `undef`.
    pub undef: u32,
    /// Constants, and parts of them, that are `poison`.
    pub poison: u32,
    /// Pointer arguments that are fresh variables rather than null.
    pub variable: u32,
    /// Variables that begin with a constant.
    pub initialised: u32,
    /// Functions called in sequence that become local to the module.
    pub internal: u32,
    /// The most instructions of a crossover.
    pub instructions: usize,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            // Rare: one of them lets a whole function be folded away.
            undef: 2,
            poison: 1,
            // Null is undefined to most tests, and then little is left of them.
            variable: 80,
            initialised: 30,
            // Interprocedural passes look only at local functions.
            internal: 50,
            // Passes take about a second on this many.
            instructions: 3000,
        }
    }
}

/// Why two seeds cannot be crossed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CrossoverFailure {
    /// One of them is no module.
    Parse(String),
    /// LLVM's linker refuses them.
    Merge(String),
    /// No function is suitable; the reason of the last one.
    Unfit(String),
    /// No operand has the type.
    NoLocation,
    /// At no location are there values for all parameters.
    NoArguments,
    /// LLVM did not inline the call.
    NotInlined(String),
    /// The result is not valid; the verifier's message. A bug of ours.
    Invalid(String),
    /// LLVM's inliner made an invalid module of a valid one: a finding by itself.
    Broken {
        /// The verifier's words.
        why: String,
        /// Bitcode of the module before the pass `always-inline`.
        before: Vec<u8>,
    },
    /// The result would be larger than the policy wants.
    TooLarge,
}

impl CrossoverFailure {
    /// The reason without its details.
    pub fn reason(&self) -> &'static str {
        match self {
            CrossoverFailure::Parse(_) => "not a module",
            CrossoverFailure::Merge(_) => "not linked",
            CrossoverFailure::Unfit(_) => "unfit",
            CrossoverFailure::NoLocation => "no operand of the type",
            CrossoverFailure::NoArguments => "not enough values for the arguments",
            CrossoverFailure::NotInlined(_) => "not inlined",
            CrossoverFailure::Invalid(_) => "invalid",
            CrossoverFailure::Broken { .. } => "broken by LLVM's inliner",
            CrossoverFailure::TooLarge => "too large",
        }
    }
}

impl fmt::Display for CrossoverFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CrossoverFailure::Parse(why) => write!(f, "not a module: {why}"),
            CrossoverFailure::Merge(why) => write!(f, "not linked: {why}"),
            CrossoverFailure::Unfit(why) => write!(f, "unfit: {why}"),
            CrossoverFailure::NoLocation => f.write_str("no operand of the type"),
            CrossoverFailure::NoArguments => f.write_str("not enough values for the arguments"),
            CrossoverFailure::NotInlined(why) => write!(f, "not inlined: {why}"),
            CrossoverFailure::Invalid(why) => write!(f, "invalid: {why}"),
            CrossoverFailure::Broken { why, .. } => write!(f, "broken by LLVM's inliner: {why}"),
            CrossoverFailure::TooLarge => f.write_str("too large"),
        }
    }
}

impl std::error::Error for CrossoverFailure {}

/// Crosses two seeds. The same arguments give the same module, bit for bit.
pub fn cross<'c>(
    context: &'c Context<'c>,
    first: &[u8],
    second: &[u8],
    kind: CrossoverKind,
    policy: &Policy,
    choices: &mut Choices,
) -> Result<Module<'c>, CrossoverFailure> {
    let module = match kind {
        CrossoverKind::Inline => inlined(context, [first, second], policy, choices)?,
        CrossoverKind::Sequence => sequenced(context, [first, second], policy, choices)?,
    };
    module.verify().map_err(|e| CrossoverFailure::Invalid(e.0))?;
    match size(&module) > policy.instructions {
        true => Err(CrossoverFailure::TooLarge),
        false => Ok(module),
    }
}

/// Instructions of a module.
fn size(module: &Module<'_>) -> usize {
    let blocks = module.definitions().into_iter().flat_map(|function| function.blocks());
    blocks.map(|block| block.instructions().len()).sum()
}

fn merged<'c>(
    context: &'c Context<'c>,
    first: &[u8],
    second: &[u8],
    policy: &Policy,
) -> Result<Merged<'c>, CrossoverFailure> {
    let merged = merge(context, first, second)?;
    match size(&merged.module) > policy.instructions {
        true => Err(CrossoverFailure::TooLarge),
        false => Ok(merged),
    }
}

/// Every pair of functions in both directions, in random order, until one works.
fn inlined<'c>(
    context: &'c Context<'c>,
    seeds: [&[u8]; 2],
    policy: &Policy,
    choices: &mut Choices,
) -> Result<Module<'c>, CrossoverFailure> {
    // The destination's module comes first, so that it keeps its names.
    let make = |swapped: bool| match swapped {
        false => merged(context, seeds[0], seeds[1], policy),
        true => merged(context, seeds[1], seeds[0], policy),
    };
    let plain = make(false)?;
    let mut pairs = Vec::new();
    for one in 0..plain.first.len() {
        for two in 0..plain.second.len() {
            pairs.extend([(false, one, two), (true, two, one)]);
        }
    }
    choices.shuffle(&mut pairs);
    let mut ready = [Some(plain), None];
    let mut last = CrossoverFailure::NoLocation;
    for (swapped, destination, source) in pairs {
        let mut merged = match ready[usize::from(swapped)].take() {
            Some(merged) => merged,
            None => make(swapped)?,
        };
        let (destination, source) = (&merged.first[destination], &merged.second[source]);
        match inline(&mut merged.module, destination, source, choices) {
            Ok(()) => {
                discard(&mut merged)?;
                return Ok(merged.module);
            }
            Err(failed) => {
                if let CrossoverFailure::Invalid(_) | CrossoverFailure::Broken { .. } = failed {
                    return Err(failed);
                }
                // Only a call that was put in and stayed has changed the module.
                if !matches!(failed, CrossoverFailure::NotInlined(_)) {
                    ready[usize::from(swapped)] = Some(merged);
                }
                last = failed;
            }
        }
    }
    Err(last)
}

/// Removes what the source's module defines and nothing needs: the destination grows, not the module.
fn discard(merged: &mut Merged<'_>) -> Result<(), CrossoverFailure> {
    for name in &merged.second {
        if let Some(function) = merged.module.function(name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    let passes = "globaldce,strip-dead-prototypes";
    prune(&mut merged.module, passes).map_err(|e| CrossoverFailure::NotInlined(e.0))
}

/// A pair of functions, one of each seed, called in sequence: the first in random order that can be.
fn sequenced<'c>(
    context: &'c Context<'c>,
    [first, second]: [&[u8]; 2],
    policy: &Policy,
    choices: &mut Choices,
) -> Result<Module<'c>, CrossoverFailure> {
    let merged = merged(context, first, second, policy)?;
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    for first in &merged.first {
        pairs.extend(merged.second.iter().map(|second| (first.as_str(), second.as_str())));
    }
    choices.shuffle(&mut pairs);
    let mut last = CrossoverFailure::Unfit("no functions".into());
    for pair in pairs {
        match sequence(&merged.module, pair, policy, choices) {
            Ok(()) => return Ok(merged.module),
            Err(failed) => last = failed,
        }
    }
    Err(last)
}
