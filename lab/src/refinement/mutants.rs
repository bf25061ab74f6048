//! Wrong changes to functions of LLVM's tests: `cargo lab refine mutants`.
//!
//! Each is put to both oracles. What the machine refutes the solver must not prove: a mutant that is both is a
//! bug of ours. And it tells how much of what is wrong either of them sees.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use choice::Choices;
use crossover::import::files;
use irtext::{Binary, Bits, Constant, IntPredicate, Module, Op, Value};
use llvmhost::Limits;
use optimise::locate::{OnText, Optimiser as _};
use refine::{Own, Pair, Proof, Scope, Solver};

use crate::context::Context;
use crate::pool;
use crate::refinement;

/// Arguments.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// LLVM's tests, such as llvm/test/Transforms of a checkout.
    #[arg(long, value_name = "DIR")]
    tests: PathBuf,
    /// Which libLLVM reads them.
    #[arg(long, default_value = "16")]
    lib: String,
    /// Every so many files only.
    #[arg(long, default_value_t = 20)]
    every: usize,
    /// Milliseconds of the solver for a question.
    #[arg(long, default_value_t = 2000)]
    solver_ms: u64,
    /// The seed of all random decisions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What the two say of a mutant, in words for a table.
type Said = (&'static str, &'static str);

/// Runs the command; an error if something refuted is proved.
pub fn main(context: &Context, args: &Args) -> Result<()> {
    let mut tests = files(&args.tests).with_context(|| args.tests.display().to_string())?;
    tests.sort();
    let tests: Vec<PathBuf> = tests.into_iter().step_by(args.every.max(1)).collect();
    let (_, servers) = refinement::servers(context, &args.lib)?;
    let solver = Solver::find().context("there is no z3 or cvc5")?;
    let solver = solver.within(Duration::from_millis(args.solver_ms));
    let own = Own::new(Some(solver)).within(Scope::Function);
    let said = pool::map("test files", &tests, |file| {
        let text = fs::read_to_string(file).unwrap_or_default();
        let limits = Limits { time: Duration::from_secs(10), ..Limits::default() };
        let read = servers.with(|server| OnText { server, limits, x86: true }.run(&text, "verify"));
        let text = read.ok().flatten().unwrap_or_default();
        let Ok((module, _)) = irtext::parse_lenient(&text) else { return Vec::new() };
        let mut choices = Choices::new(args.seed).fork(&file.display().to_string());
        of_module(&module, &own, &mut choices)
    });
    let (mut table, mut wrong): (BTreeMap<Said, u32>, Vec<String>) = Default::default();
    for (file, (name, said)) in
        tests.iter().zip(said).flat_map(|(f, all)| all.into_iter().map(move |s| (f, s)))
    {
        *table.entry(said).or_default() += 1;
        if said == ("refuted", "proved") {
            wrong.push(format!("{} {name}", file.display()));
        }
    }
    println!("| execution | solver | mutants |\n| --- | --- | ---: |");
    for ((execution, solver), count) in &table {
        println!("| {execution} | {solver} | {count} |");
    }
    for line in &wrong {
        println!("PROVED, AND WRONG: {line}");
    }
    match wrong.len() {
        0 => Ok(()),
        wrong => bail!("{wrong} mutants are proved and refuted"),
    }
}

/// A mutant of each function.
fn of_module(module: &Module, own: &Own, choices: &mut Choices) -> Vec<(String, Said)> {
    let mut said = Vec::new();
    for (index, function) in module.functions.iter().enumerate() {
        let Some(name) = function.name.as_deref().filter(|_| function.is_defined()) else {
            continue;
        };
        let Some((after, what)) = mutated(module, index, choices) else { continue };
        let pair = Pair::of(module.clone(), after);
        let execution = own.executed(&pair, name);
        let proof = own.proved(&pair, name);
        said.push((format!("@{name}: {what}"), (execution.name(), word(&proof))));
    }
    said
}

fn word(proof: &Proof) -> &'static str {
    match proof {
        Proof::Same | Proof::Proved => "proved",
        Proof::Refuted => "refuted",
        Proof::Unconfirmed(_) => "refuted, not confirmed",
        Proof::TooHard => "out of time",
        Proof::None | Proof::Unsupported(_) | Proof::Failed(_) => "refused",
    }
}

/// One instruction of a function changed so that it does something else, and which.
fn mutated(module: &Module, index: usize, choices: &mut Choices) -> Option<(Module, String)> {
    let function = &module.functions[index];
    let blocks = function.blocks.iter().enumerate();
    let places: Vec<(usize, usize)> = blocks
        .flat_map(|(b, block)| (0..block.instructions.len()).map(move |i| (b, i)))
        .filter(|(b, i)| changed(&function.blocks[*b].instructions[*i].op).is_some())
        .collect();
    if places.is_empty() {
        return None;
    }
    let (b, i) = places[choices.index(places.len())];
    let mut after = module.clone();
    let instruction = &mut after.functions[index].blocks[b].instructions[i];
    let what = irtext::print::instruction(module, function, instruction);
    instruction.op = changed(&instruction.op)?;
    Some((after, what))
}

fn changed(op: &Op) -> Option<Op> {
    let mut new = op.clone();
    match &mut new {
        Op::Binary { op, left, right, flags, .. } => match op {
            Binary::Sub | Binary::Shl | Binary::LShr | Binary::UDiv | Binary::SRem => {
                std::mem::swap(&mut left.value, right);
            }
            Binary::Add if !flags.nsw => flags.nsw = true,
            Binary::AShr => *op = Binary::LShr,
            Binary::SDiv => *op = Binary::UDiv,
            Binary::And => *op = Binary::Or,
            Binary::Or => *op = Binary::Xor,
            _ => increment(right)?,
        },
        Op::ICmp { predicate, .. } => {
            *predicate = match predicate {
                IntPredicate::Slt => IntPredicate::Sle,
                IntPredicate::Ult => IntPredicate::Slt,
                IntPredicate::Sgt => IntPredicate::Ugt,
                IntPredicate::Eq => IntPredicate::Ne,
                IntPredicate::Uge => IntPredicate::Ugt,
                _ => return None,
            }
        }
        Op::Select { then, otherwise, .. } => std::mem::swap(then, otherwise),
        Op::GetElementPtr { indices, .. } => increment(&mut indices.last_mut()?.value)?,
        Op::Store { value, .. } => increment(&mut value.value)?,
        Op::CondBr { then, otherwise, .. } if then != otherwise => std::mem::swap(then, otherwise),
        Op::Ret(Some(value)) => increment(&mut value.value)?,
        _ => return None,
    }
    (new != *op).then_some(new)
}

/// A constant, and one more.
fn increment(value: &mut Value) -> Option<()> {
    match value {
        Value::Constant(Constant::Integer(bits)) => {
            let one = Bits::of_big(bits.width(), &(bits.unsigned() + 1u8));
            *bits = one;
            Some(())
        }
        _ => None,
    }
}
