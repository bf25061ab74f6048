//! The printer: the tree as text that LLVM's parser takes.
//!
//! It is LLVM's own style, without its comments. Numbers of values and blocks without a name are given
//! here, in order.

mod constants;
mod instructions;
mod types;

use std::fmt::Write as _;

use crate::op::{Constant, Instruction, Value};
use crate::tree::{
    Attributes, Block, BlockId, Function, Global, Linkage, Local, Metadata, Module, Type, Unnamed,
};

/// Writes to a text, which cannot fail.
macro_rules! put {
    ($out:expr, $($what:tt)*) => {{ let _ = write!($out, $($what)*); }};
}
pub(crate) use put;

/// A whole module.
pub fn module(module: &Module) -> String {
    let mut printer = Printer { module, names: Names::default(), out: String::new() };
    printer.module();
    printer.out
}

/// A function: its definition, or its declaration.
pub fn function(module: &Module, function: &Function) -> String {
    let mut printer = Printer { module, names: Names::of(function), out: String::new() };
    printer.function(function, number(module, function));
    printer.out
}

/// The number of a function without a name.
fn number(module: &Module, function: &Function) -> Option<u32> {
    let globals = module.globals.iter().map(|global| &global.name);
    let aliases = module.aliases.iter().map(|alias| &alias.name);
    let before = module.functions.iter().take_while(|other| !std::ptr::eq(*other, function));
    let names = globals.chain(aliases).chain(before.map(|function| &function.name));
    let count = names.filter(|name| name.is_none()).count();
    function.name.is_none().then_some(count as u32)
}

/// An instruction of a function, without its debug records: one line, and several for a `switch`.
pub fn instruction(module: &Module, function: &Function, instruction: &Instruction) -> String {
    let mut printer = Printer { module, names: Names::of(function), out: String::new() };
    printer.instruction(function, instruction);
    printer.out
}

/// A value of a function, as `%x` or `%5`.
pub fn local(function: &Function, local: Local) -> String {
    Names::of(function).local(function, local)
}

/// A block of a function, as `%entry` or `%0`.
pub fn block(function: &Function, block: BlockId) -> String {
    Names::of(function).block(function, block)
}

/// A name of the module, as `@x` or `@"a b"`.
pub fn symbol(text: &str) -> String {
    format!("@{}", name(text))
}

/// A type.
pub fn ty(ty: &Type) -> String {
    ty.to_string()
}

/// A constant of a type, without the type.
pub fn constant(module: &Module, ty: &Type, constant: &Constant) -> String {
    let mut printer = Printer { module, names: Names::default(), out: String::new() };
    printer.constant(ty, constant);
    printer.out
}

/// Attributes, one space before each.
pub fn attributes(attributes: &Attributes) -> String {
    attributes
        .0
        .iter()
        .map(|attribute| format!(" {}", types::attribute(attribute, false)))
        .collect()
}

/// A name behind its sign, in quotes where it needs them.
pub fn name(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '$' | '.' | '_');
    if !name.is_empty()
        && name.chars().all(plain)
        && !name.starts_with(|c: char| c.is_ascii_digit())
    {
        return name.to_string();
    }
    format!("\"{}\"", escaped(name.chars().map(|c| c as u32 as u8)))
}

/// Bytes as they stand between quotes.
fn escaped(bytes: impl Iterator<Item = u8>) -> String {
    let mut text = String::new();
    for byte in bytes {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => put!(text, "\\{byte:02X}"),
            _ => text.push(char::from(byte)),
        }
    }
    text
}

/// Numbers of what has no name in a function.
#[derive(Default)]
struct Names {
    locals: Vec<Option<u32>>,
    blocks: Vec<Option<u32>>,
}

impl Names {
    fn of(function: &Function) -> Names {
        let mut names = Names { locals: vec![None; function.locals.len()], blocks: Vec::new() };
        let mut next = 0;
        let mut number = |named: bool| {
            next += u32::from(!named);
            (!named).then(|| next - 1)
        };
        let named = |local: Local| function.locals[local.0 as usize].name.is_some();
        for param in &function.params {
            names.locals[param.local.0 as usize] = number(named(param.local));
        }
        for block in &function.blocks {
            names.blocks.push(number(block.name.is_some()));
            for local in block.instructions.iter().filter_map(|instruction| instruction.result) {
                names.locals[local.0 as usize] = number(named(local));
            }
        }
        names
    }

    fn local(&self, function: &Function, local: Local) -> String {
        let at = local.0 as usize;
        match (function.locals.get(at).and_then(|l| l.name.as_deref()), self.locals.get(at)) {
            (Some(text), _) => format!("%{}", name(text)),
            (None, Some(Some(number))) => format!("%{number}"),
            _ => "%?".to_string(),
        }
    }

    fn block(&self, function: &Function, block: BlockId) -> String {
        let at = block.0 as usize;
        match (function.blocks.get(at).and_then(|b| b.name.as_deref()), self.blocks.get(at)) {
            (Some(text), _) => format!("%{}", name(text)),
            (None, Some(Some(number))) => format!("%{number}"),
            _ => "%?".to_string(),
        }
    }
}

/// What is being printed.
struct Printer<'m> {
    module: &'m Module,
    /// Of the function at hand.
    names: Names,
    out: String,
}

impl Printer<'_> {
    fn module(&mut self) {
        let module = self.module;
        let texts = [
            ("source_filename", &module.source_filename),
            ("target datalayout", &module.layout),
            ("target triple", &module.triple),
        ];
        for (what, text) in texts {
            if let Some(text) = text {
                put!(self.out, "{what} = \"{text}\"\n");
            }
        }
        for line in &module.assembly {
            put!(self.out, "module asm \"{line}\"\n");
        }
        for (name, ty) in &module.types {
            let name = types::type_name(name);
            match ty {
                Some(ty) => put!(self.out, "{name} = type {ty}\n"),
                None => put!(self.out, "{name} = type opaque\n"),
            }
        }
        for (text, kind) in &module.comdats {
            put!(self.out, "${} = comdat {kind}\n", name(text));
        }
        let mut numbers = 0..;
        let mut number = |name: &Option<_>| if name.is_none() { numbers.next() } else { None };
        for global in &module.globals {
            self.global(global, number(&global.name));
        }
        for alias in &module.aliases {
            self.alias(alias, number(&alias.name));
        }
        for function in &module.functions {
            self.names = Names::of(function);
            self.out.push('\n');
            self.function(function, number(&function.name));
        }
        for (number, group) in &module.groups {
            put!(self.out, "attributes #{number} = {{");
            for attribute in &group.0 {
                put!(self.out, " {}", types::attribute(attribute, true));
            }
            self.out.push_str(" }\n");
        }
        for (name, parts) in &module.named_metadata {
            put!(self.out, "!{name} = ");
            self.tuple(None, parts);
            self.out.push('\n');
        }
        for (number, distinct, what) in &module.metadata {
            put!(self.out, "!{number} = {}", if *distinct { "distinct " } else { "" });
            self.metadata(None, what);
            self.out.push('\n');
        }
    }

    /// `@name = `.
    fn begin(&mut self, text: &Option<std::sync::Arc<str>>, number: Option<u32>) {
        put!(self.out, "@{} =", global_name(text, number));
    }

    fn prefix(&mut self, linkage: Linkage, written: bool, words: &[String]) {
        if linkage != Linkage::External || written {
            put!(self.out, " {}", linkage.word());
        }
        for word in words {
            put!(self.out, " {word}");
        }
    }

    fn global(&mut self, global: &Global, number: Option<u32>) {
        self.begin(&global.name, number);
        self.prefix(global.linkage, global.value.is_none(), &global.words);
        self.unnamed(global.unnamed);
        if global.space != 0 {
            put!(self.out, " addrspace({})", global.space);
        }
        if global.externally_initialized {
            self.out.push_str(" externally_initialized");
        }
        put!(self.out, " {} {}", if global.constant { "constant" } else { "global" }, global.ty);
        if let Some(value) = &global.value {
            self.out.push(' ');
            self.constant(&global.ty, value);
        }
        for part in &global.rest {
            put!(self.out, ", {part}");
        }
        if let Some(align) = global.align {
            put!(self.out, ", align {align}");
        }
        for attachment in &global.attachments {
            self.out.push(',');
            self.attachment(attachment);
        }
        self.out.push_str(&attributes(&global.attributes));
        self.out.push('\n');
    }

    fn alias(&mut self, alias: &crate::tree::Alias, number: Option<u32>) {
        self.begin(&alias.name, number);
        self.prefix(alias.linkage, false, &alias.words);
        self.unnamed(alias.unnamed);
        put!(self.out, " {} {}, ", if alias.ifunc { "ifunc" } else { "alias" }, alias.ty);
        let (ty, target) = &alias.target;
        if !matches!(target, Constant::Expression(_)) {
            put!(self.out, "{ty} ");
        }
        self.constant(ty, target);
        for part in &alias.rest {
            put!(self.out, ", {part}");
        }
        self.out.push('\n');
    }

    fn unnamed(&mut self, unnamed: Unnamed) {
        self.out.push_str(match unnamed {
            Unnamed::No => "",
            Unnamed::Local => " local_unnamed_addr",
            Unnamed::Yes => " unnamed_addr",
        });
    }

    fn attachment(&mut self, (name, metadata): &(std::sync::Arc<str>, Metadata)) {
        put!(self.out, " !{name} ");
        self.metadata(None, metadata);
    }

    fn function(&mut self, function: &Function, number: Option<u32>) {
        let defined = function.is_defined();
        self.out.push_str(if defined { "define" } else { "declare" });
        if !defined {
            function.attachments.iter().for_each(|attachment| self.attachment(attachment));
        }
        self.prefix(function.linkage, false, &function.words);
        if !function.convention.is_empty() {
            put!(self.out, " {}", function.convention);
        }
        self.out.push_str(&attributes(&function.result_attributes));
        put!(self.out, " {} @{}(", function.result, global_name(&function.name, number));
        for (index, param) in function.params.iter().enumerate() {
            let comma = if index > 0 { ", " } else { "" };
            put!(
                self.out,
                "{comma}{}{}",
                function.type_of(param.local),
                attributes(&param.attributes)
            );
            if defined {
                put!(self.out, " {}", self.names.local(function, param.local));
            }
        }
        if function.varargs {
            self.out.push_str(if function.params.is_empty() { "..." } else { ", ..." });
        }
        self.out.push(')');
        self.function_tail(function);
        if defined {
            self.out.push_str(" {\n");
            for (index, block) in function.blocks.iter().enumerate() {
                self.block(function, index, block);
            }
            self.out.push('}');
        }
        self.out.push('\n');
    }

    fn function_tail(&mut self, function: &Function) {
        self.unnamed(function.unnamed);
        let layout = self.module.layout.as_deref().unwrap_or("");
        if function.space != 0 || layout.split('-').any(|part| part.starts_with('P')) {
            put!(self.out, " addrspace({})", function.space);
        }
        self.out.push_str(&attributes(&function.attributes));
        for part in &function.rest {
            put!(self.out, " {part}");
        }
        if let Some((ty, constant)) = &function.personality {
            put!(self.out, " personality {ty} ");
            self.constant(ty, constant);
        }
        if function.is_defined() {
            function.attachments.iter().for_each(|attachment| self.attachment(attachment));
        }
    }

    fn block(&mut self, function: &Function, index: usize, block: &Block) {
        if index > 0 {
            self.out.push('\n');
        }
        match (&block.name, self.names.blocks[index]) {
            (Some(text), _) => put!(self.out, "{}:\n", name(text)),
            (None, Some(number)) if index > 0 => put!(self.out, "{number}:\n"),
            _ => {}
        }
        for instruction in &block.instructions {
            for record in &instruction.records {
                put!(self.out, "    {record}\n");
            }
            self.out.push_str("  ");
            self.instruction(function, instruction);
            self.out.push('\n');
        }
    }

    fn value(&mut self, function: Option<&Function>, ty: &Type, value: &Value) {
        match (value, function) {
            (Value::Local(local), Some(function)) => {
                self.out.push_str(&self.names.local(function, *local))
            }
            (Value::Local(_), None) => self.out.push_str("%?"),
            (Value::Constant(constant), _) => self.constant(ty, constant),
            (Value::Metadata(metadata), _) => self.metadata(function, metadata),
        }
    }

    fn metadata(&mut self, function: Option<&Function>, metadata: &Metadata) {
        match metadata {
            Metadata::Number(number) => put!(self.out, "!{number}"),
            Metadata::Tuple(parts) => self.tuple(function, parts),
            Metadata::Text(text) => put!(self.out, "!\"{text}\""),
            Metadata::Value(typed) => {
                put!(self.out, "{} ", typed.ty);
                self.value(function, &typed.ty, &typed.value);
            }
            Metadata::Null => self.out.push_str("null"),
            Metadata::Special(text) => put!(self.out, "!{text}"),
        }
    }

    fn tuple(&mut self, function: Option<&Function>, parts: &[Metadata]) {
        self.out.push_str("!{");
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.out.push_str(", ");
            }
            self.metadata(function, part);
        }
        self.out.push('}');
    }
}

fn global_name(text: &Option<std::sync::Arc<str>>, number: Option<u32>) -> String {
    match (text, number) {
        (Some(text), _) => name(text),
        (None, Some(number)) => number.to_string(),
        (None, None) => "?".to_string(),
    }
}
