//! A text that is the same for the same pair of functions, whatever their values are called.

use std::collections::BTreeSet;

use irtext::{Attributes, Constant, Function, Instruction, Metadata, Module, Op, Symbol, Value};

/// Metadata that bears on what is proved.
const MEANINGFUL: &[&str] = &["range", "nonnull", "noundef", "align"];

/// A text that is the same for the same pair: both functions without names of values, and what they refer to.
pub fn key(before: &Module, after: &Module, function: &str) -> String {
    format!("{}\n=>\n{}", of(before, function), of(after, function))
}

/// Whether both functions are one, and refer to the same things: then the one refines the other.
pub fn same(before: &Module, after: &Module, function: &str) -> bool {
    before.layout == after.layout && of(before, function) == of(after, function)
}

fn of(module: &Module, name: &str) -> String {
    let Some(function) = module.function(name) else { return String::new() };
    let mut function: Function = function.clone();
    for local in &mut function.locals {
        local.name = None;
    }
    expand(module, &mut function);
    function.rest.clear();
    function.words.clear();
    let mut symbols = BTreeSet::new();
    for block in &mut function.blocks {
        block.name = None;
        for instruction in &mut block.instructions {
            normalise(module, instruction, &mut symbols);
        }
    }
    let mut text = format!("{:?}\n{function:?}\n", module.layout);
    let mut done = BTreeSet::new();
    while let Some(symbol) = symbols.pop_first() {
        if !done.insert(symbol.clone()) {
            continue;
        }
        if let Some(global) = module.globals.iter().find(|g| g.name.as_deref() == Some(&symbol)) {
            text.push_str(&format!(
                "{symbol} {:?} {:?} {:?} {:?} {:?}\n",
                global.linkage, global.constant, global.ty, global.value, global.align
            ));
            if let Some(value) = &global.value {
                symbols_of(value, &mut symbols);
            }
        } else if let Some(other) = module.function(&symbol) {
            let mut declared = other.clone();
            declared.blocks.clear();
            declared.locals.truncate(declared.params.len());
            declared.locals.iter_mut().for_each(|l| l.name = None);
            declared.attachments.clear();
            expand(module, &mut declared);
            text.push_str(&format!("{declared:?}\n"));
        }
    }
    for (name, ty) in &module.types {
        if text.contains(&**name) {
            text.push_str(&format!("{name} {ty:?}\n"));
        }
    }
    text
}

fn expand(module: &Module, function: &mut Function) {
    let with = |attributes: &mut Attributes| *attributes = module.expand(attributes);
    with(&mut function.attributes);
    with(&mut function.result_attributes);
    function.params.iter_mut().for_each(|p| with(&mut p.attributes));
    function.attachments.clear();
}

fn normalise(module: &Module, instruction: &mut Instruction, symbols: &mut BTreeSet<String>) {
    instruction.line = 0;
    instruction.records.clear();
    instruction.attachments.retain(|(name, _)| MEANINGFUL.contains(&&**name));
    for (_, metadata) in &mut instruction.attachments {
        resolve(module, metadata);
    }
    if let Op::Call(call) | Op::Invoke { call, .. } = &mut instruction.op {
        call.attributes = module.expand(&call.attributes);
        call.result_attributes = module.expand(&call.result_attributes);
        call.tail.clear();
        for argument in &mut call.arguments {
            argument.attributes = module.expand(&argument.attributes);
            if let Value::Metadata(metadata) = &mut argument.value.value {
                resolve(module, metadata);
            }
        }
    }
    irtext::walk::values(&instruction.op, &mut |value| {
        if let Value::Constant(constant) = value {
            symbols_of(constant, symbols);
        }
    });
}

/// A number replaced by what it stands for, one level deep: enough for ranges.
fn resolve(module: &Module, metadata: &mut Metadata) {
    if let Metadata::Number(number) = metadata
        && let Some(what) = module.metadata(*number)
    {
        *metadata = what.clone();
    }
}

fn symbols_of(constant: &Constant, symbols: &mut BTreeSet<String>) {
    match constant {
        Constant::Global(Symbol::Name(name)) => {
            symbols.insert(name.to_string());
        }
        Constant::Struct(parts) | Constant::Array(parts) | Constant::Vector(parts) => {
            parts.iter().for_each(|(_, part)| symbols_of(part, symbols));
        }
        Constant::Splat(part) => symbols_of(&part.1, symbols),
        Constant::Expression(op) => irtext::walk::values(op, &mut |value| {
            if let Value::Constant(constant) = value {
                symbols_of(constant, symbols);
            }
        }),
        _ => {}
    }
}
