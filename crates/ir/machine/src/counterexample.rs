//! Counterexamples: an input, what both sides do on it, and what is wrong, for people.

use std::fmt;

use irtext::{Bits, Constant, Module, Type, print};

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
        let function = before.function(sides.name);
        let given = input.describe(|index, argument| {
            let param = function.and_then(|f| Some((f, f.params.get(index)?)));
            let Some((function, param)) = param else { return argument.to_string() };
            let (ty, name) = (function.type_of(param.local), print::local(function, param.local));
            format!("{ty} {name} = {}", as_written(before, ty, &argument.to_string()))
        });
        let why = match function {
            Some(function) if refutation.why.starts_with("the result") => {
                as_written(before, &function.result, &refutation.why)
            }
            _ => refutation.why.clone(),
        };
        let source = sides.trace(Side::Source, input, &refutation.source);
        let target = sides.trace(Side::Target, input, &refutation.target);
        Counterexample {
            input: input.clone(),
            given,
            needs_undef: input.has_undef(),
            why,
            source: lines(before, &source),
            target: lines(after, &target),
        }
    }
}

/// A text with values of a type, and floats in it as LLVM writes them.
fn as_written(module: &Module, ty: &Type, text: &str) -> String {
    let scalar = match ty {
        Type::Vector { element, .. } | Type::Array(_, element) => element,
        ty => ty,
    };
    let Type::Float(format) = scalar else { return text.to_string() };
    if text.contains("bits 0x") {
        return text.to_string();
    }
    // "part 1" is no value.
    let (label, text) = text.split_once(" is ").map_or(("", text), |(a, b)| (a, b));
    let number = |word: &str| {
        let value: i128 = word.parse().ok()?;
        let bits = Constant::Float(Bits::new(format.bits(), value as u128));
        Some(print::constant(module, scalar, &bits))
    };
    let mut written = String::new();
    for piece in text.split_inclusive([' ', ',', '>', '}', '<', '{']) {
        let word = piece.trim_end_matches([' ', ',', '>', '}', '<', '{']);
        written += &number(word).unwrap_or_else(|| word.to_string());
        written += &piece[word.len()..];
    }
    if label.is_empty() { written } else { format!("{label} is {written}") }
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
        let ty = instruction.result.map(|result| function.type_of(result));
        lines.push(match (&step.value, ty) {
            (Some(value), Some(ty)) => format!("{text}    ; {}", as_written(module, ty, value)),
            (Some(value), None) => format!("{text}    ; {value}"),
            (None, _) => text.to_string(),
        });
    }
    if lines.len() > 2 * KEPT {
        let left_out = lines.len() - 2 * KEPT;
        lines.splice(KEPT..KEPT + left_out, [format!("… {left_out} more …")]);
    }
    lines.push(match &execution.outcome {
        Outcome::Returned(_) => "returns".into(),
        Outcome::Ub(what) => format!("UB: {what}"),
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
