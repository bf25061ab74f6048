//! Counterexamples: an input, what both sides do on it, and what is wrong, for people.

use std::fmt;

use irtext::{Module, print};

use crate::check::{Refutation, Sides};
use crate::exec::Side;
use crate::input::Input;
use crate::outcome::{Execution, Outcome};

/// An input on which the target does what the source may not. It has been executed twice.
#[derive(Clone, Debug)]
pub struct Counterexample {
    /// The input.
    pub input: Input,
    /// The input as text, with the names of the parameters.
    pub given: String,
    /// Whether the input has `undef` in it: LLVM is known to be careless of that in places.
    pub needs_undef: bool,
    /// What is wrong, in one sentence.
    pub why: String,
    /// The source's instructions, each with its value.
    pub source: Vec<String>,
    /// The target's.
    pub target: Vec<String>,
}

/// Lines of a trace that are kept at its beginning and at its end.
const KEPT: usize = 60;

impl Counterexample {
    pub(crate) fn new(
        (before, after): (&Module, &Module),
        sides: &Sides<'_>,
        input: &Input,
        refutation: &Refutation,
    ) -> Counterexample {
        let parameters: Vec<(String, String)> = match before.function(sides.name) {
            Some(function) => function
                .params
                .iter()
                .map(|p| (function.type_of(p.local).to_string(), print::local(function, p.local)))
                .collect(),
            None => Vec::new(),
        };
        let source = sides.trace(Side::Source, input, &refutation.source);
        let target = sides.trace(Side::Target, input, &refutation.target);
        Counterexample {
            input: input.clone(),
            given: input.describe(&parameters),
            needs_undef: input.has_undef(),
            why: refutation.why.clone(),
            source: lines(before, &source),
            target: lines(after, &target),
        }
    }
}

/// The steps of an execution as text.
fn lines(module: &Module, execution: &Execution) -> Vec<String> {
    let mut lines = Vec::new();
    for step in &execution.steps {
        let Some(function) = module.function(&step.function) else { continue };
        let block = function.blocks.get(step.at.0 as usize);
        let Some(instruction) = block.and_then(|b| b.instructions.get(step.at.1 as usize)) else {
            continue;
        };
        let text = print::instruction(module, function, instruction);
        let text = text.trim();
        lines.push(match &step.value {
            Some(value) => format!("{text}    ; {value}"),
            None => text.to_string(),
        });
    }
    if lines.len() > 2 * KEPT {
        let left_out = lines.len() - 2 * KEPT;
        lines.splice(KEPT..KEPT + left_out, [format!("… {left_out} more …")]);
    }
    lines.push(match &execution.outcome {
        Outcome::Returned(_) => "returns".into(),
        Outcome::Undefined(why) => format!("undefined: {why}"),
        Outcome::Ended => "does not return".into(),
        Outcome::Unknown(why) => format!("unknown: {why}"),
    });
    lines
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "input: {}", self.given)?;
        for (side, lines) in [("source", &self.source), ("target", &self.target)] {
            writeln!(f, "{side}:")?;
            for line in lines {
                writeln!(f, "  {line}")?;
            }
        }
        write!(f, "{}", self.why)
    }
}
