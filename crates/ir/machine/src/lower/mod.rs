//! A module to code: symbols, functions, blocks.
//!
//! `constant` does constants, `instruction` what is in blocks, `call` calls. What is not supported becomes
//! code that refuses when it is reached.

mod call;
mod constant;
mod instruction;

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use irtext::layout::Layout;
use irtext::{Attribute, Attributes, Linkage, Metadata, Module, Op, Symbol as TreeSymbol};

use crate::code::{Block, Code, Function, INVARIANT, Instruction, Phi, Program};
use crate::code::{Symbol, SymbolKind, Variable};
use crate::facts::{Effects, Facts, tuple};
use crate::reason::Construct;
use crate::shape::Shape;

/// Blocks of memory larger than this are not supported.
pub(crate) const LARGEST_BLOCK: u64 = 1 << 14;

/// What lowering knows of the module.
struct Lower<'a> {
    module: &'a Module,
    layout: Layout,
    /// The place of each name among all that is global: variables, aliases, functions.
    places: HashMap<Arc<str>, u32>,
    /// What was mentioned so far.
    mentioned: RefCell<Mentioned>,
    /// Tags of accesses by what their metadata claims; the first two mean nothing and `!invariant.load`.
    tags: HashMap<String, u32>,
}

/// Symbols by the order in which they are mentioned: a function is executed with what it needs alone.
#[derive(Default)]
struct Mentioned {
    numbers: HashMap<u32, u32>,
    places: Vec<u32>,
}

impl Program {
    /// Makes a function of a module ready for execution, with everything it mentions. An `Err` is about the
    /// whole module: its data layout.
    pub fn new(module: &Module, function: &str) -> Result<Program, Construct> {
        let layout = Layout::of(module).map_err(|why| Construct::DataLayout(why.into()))?;
        let mut lower = Lower {
            module,
            layout,
            places: symbol_places(module),
            mentioned: RefCell::default(),
            tags: HashMap::new(),
        };
        let mut program = Program {
            functions: Vec::new(),
            symbols: Vec::new(),
            names: HashMap::new(),
            big: lower.layout.is_big_endian(),
            pointer_bits: lower.layout.pointer_bits(0),
        };
        if let Some(place) = lower.places.get(function) {
            lower.mention(*place);
        }
        let names: HashMap<u32, Arc<str>> =
            lower.places.iter().map(|(name, place)| (*place, name.clone())).collect();
        loop {
            let number = program.symbols.len();
            let Some(place) = lower.mentioned.borrow().places.get(number).copied() else { break };
            let kind = lower.kind(place as usize, &mut program.functions);
            let name = names[&place].clone();
            program.names.insert(name.clone(), number as u32);
            program.symbols.push(Symbol { name, kind });
        }
        Ok(program)
    }
}

/// Whether calls of a function execute its body, and no other that takes its place when linked.
fn is_exact(function: &irtext::Function) -> bool {
    use Linkage::*;
    function.is_defined() && !matches!(function.linkage, Weak | LinkOnce | ExternWeak | Common)
}

/// Names of all that is global, by their order: variables, aliases, functions. Those without name are numbered.
fn symbol_places(module: &Module) -> HashMap<Arc<str>, u32> {
    let all = module.globals.iter().map(|g| &g.name);
    let all = all.chain(module.aliases.iter().map(|a| &a.name));
    let all = all.chain(module.functions.iter().map(|f| &f.name));
    let mut number = 0;
    let mut names = HashMap::new();
    for (place, name) in all.enumerate() {
        let name = name.clone().unwrap_or_else(|| {
            number += 1;
            numbered(number - 1)
        });
        names.insert(name, place as u32);
    }
    names
}

/// The name of what has a number only. No name begins with this byte.
fn numbered(number: u32) -> Arc<str> {
    format!("\u{0}{number}").into()
}

impl Lower<'_> {
    /// The number of what is at a place.
    fn mention(&self, place: u32) -> u32 {
        let mut mentioned = self.mentioned.borrow_mut();
        let next = mentioned.places.len() as u32;
        let number = *mentioned.numbers.entry(place).or_insert(next);
        if number == next {
            mentioned.places.push(place);
        }
        number
    }

    /// What is at a place; the code of a function goes to the others.
    fn kind(&mut self, place: usize, functions: &mut Vec<Function>) -> SymbolKind {
        let (globals, aliases) = (self.module.globals.len(), self.module.aliases.len());
        if let Some(global) = self.module.globals.get(place) {
            return match self.variable(global) {
                Ok(variable) => SymbolKind::Variable(variable),
                Err(why) => SymbolKind::Unsupported(why),
            };
        }
        match place.checked_sub(globals + aliases).map(|place| &self.module.functions[place]) {
            None => SymbolKind::Unsupported(Construct::Alias),
            Some(function) if function.linkage == Linkage::ExternWeak => {
                SymbolKind::Unsupported(Construct::ExternWeak)
            }
            Some(function) if is_exact(function) => {
                functions.push(self.function(function));
                SymbolKind::Function(Some(functions.len() as u32 - 1))
            }
            Some(_) => SymbolKind::Function(None),
        }
    }

    /// The place of a symbol.
    fn place(&self, symbol: &TreeSymbol) -> Result<u32, Construct> {
        let name = match symbol {
            TreeSymbol::Name(name) => name.clone(),
            TreeSymbol::Number(number) => numbered(*number),
        };
        self.places.get(&name).copied().ok_or_else(|| Construct::MissingSymbol((&*name).into()))
    }

    fn shape(&self, ty: &irtext::Type) -> Result<Shape, Construct> {
        Shape::of(self.module, &self.layout, ty)
    }

    fn variable(&self, global: &irtext::Global) -> Result<Variable, Construct> {
        if global.linkage == Linkage::ExternWeak {
            return Err(Construct::ExternWeak);
        }
        if global.words.iter().any(|word| word.starts_with("thread_local")) {
            return Err(Construct::ThreadLocal);
        }
        let (module, layout) = (self.module, &self.layout);
        let size = layout.size(module, &global.ty).ok_or(Construct::UnsizedVariable)?;
        if size > LARGEST_BLOCK {
            return Err(Construct::LargeVariable);
        }
        let local = matches!(global.linkage, Linkage::Private | Linkage::Internal);
        if local && !global.constant && self.places.contains_key("llvm.global_ctors") {
            return Err(Construct::Constructors);
        }
        let replaceable = matches!(
            global.linkage,
            Linkage::Weak | Linkage::LinkOnce | Linkage::Common | Linkage::Appending
        );
        let mut initial = None;
        if let Some(value) = &global.value
            && !replaceable
            && !global.externally_initialized
        {
            let mut parts = Vec::new();
            self.initial(&global.ty, value, 0, &mut parts)?;
            initial = Some(parts);
        }
        Ok(Variable {
            size,
            align: global.align.or(layout.align(module, &global.ty)).unwrap_or(1),
            constant: global.constant,
            local,
            fixed: initial.is_some() && (global.constant || local),
            initial,
        })
    }

    fn function(&mut self, function: &irtext::Function) -> Function {
        let name = function.name.clone().unwrap_or_else(|| numbered(0));
        let mut code = Function {
            name,
            params: Vec::new(),
            result: Shape::Void,
            result_facts: Facts::default(),
            registers: function.locals.len() as u32,
            blocks: Vec::new(),
            effects: Effects::of(self.module, &[&function.attributes]),
            null_is_valid: false,
            tagged: false,
            unsupported: None,
        };
        if let Err(why) = self.signature(function, &mut code) {
            code.unsupported = Some(why);
            return code;
        }
        for block in &function.blocks {
            code.blocks.push(self.block(function, block));
        }
        let tagged = |code: &Code| match code {
            Code::Load { access, .. }
            | Code::Store { access, .. }
            | Code::CmpXchg { access, .. }
            | Code::AtomicRmw { access, .. } => access.tag != 0,
            _ => false,
        };
        code.tagged = code.blocks.iter().any(|b| b.code.iter().any(|i| tagged(&i.code)));
        code
    }

    fn signature(&self, function: &irtext::Function, code: &mut Function) -> Result<(), Construct> {
        let attributes = self.module.expand(&function.attributes);
        for attribute in &attributes.0 {
            match attribute {
                Attribute::Flag(name) => match &**name {
                    "strictfp" | "presplitcoroutine" | "naked" | "convergent" | "returns_twice" => {
                        return Err(Construct::FunctionAttribute((&**name).into()));
                    }
                    "null_pointer_is_valid" => code.null_is_valid = true,
                    _ => {}
                },
                Attribute::Text(key, Some(value))
                    if key.starts_with("denormal-fp-math")
                        && !value.split(',').all(|part| part == "ieee" || part.is_empty()) =>
                {
                    return Err(Construct::DenormalMode);
                }
                _ => {}
            }
        }
        if function.varargs {
            return Err(Construct::VariadicFunction);
        }
        code.result = self.shape(&function.result)?;
        code.result_facts = Facts::of(self.module, &[&function.result_attributes]);
        for param in &function.params {
            let facts = self.facts(&[&param.attributes]);
            if let Some(name) = &facts.unsupported {
                return Err(Construct::ParameterAttribute(name.clone()));
            }
            code.params.push((self.shape(function.type_of(param.local))?, facts));
        }
        Ok(())
    }

    /// Claims of attributes, with the size of what is passed by value or returned through a pointer.
    fn facts(&self, attributes: &[&Attributes]) -> Facts {
        let mut facts = Facts::of(self.module, attributes);
        for set in attributes {
            if let Some(ty) = self.module.expand(set).typed("byval") {
                match (self.layout.size(self.module, ty), self.layout.align(self.module, ty)) {
                    (Some(size), Some(align)) => {
                        facts.byval = Some((size, facts.align.unwrap_or(align)));
                    }
                    _ => facts.unsupported = Some("byval".into()),
                }
            }
            // The callee may assume that it can be written, and is aligned as its type.
            if let Some(ty) = self.module.expand(set).typed("sret") {
                facts.align = facts.align.max(self.layout.align(self.module, ty));
                let size = self.layout.size(self.module, ty);
                facts.dereferenceable = facts.dereferenceable.max(size);
            }
        }
        facts
    }

    fn block(&mut self, function: &irtext::Function, block: &irtext::Block) -> Block {
        let mut phis = Vec::new();
        let mut code = Vec::new();
        for (at, instruction) in block.instructions.iter().enumerate() {
            let at = at as u32;
            let result = instruction.result.map(|local| local.0);
            if let (Op::Phi { flags, ty, incoming }, Some(result)) = (&instruction.op, result) {
                let shape = self.shape(ty);
                let lowered = shape.and_then(|shape| {
                    let incoming =
                        incoming.iter().map(|(value, from)| Ok((from.0, self.operand(ty, value)?)));
                    let incoming = incoming.collect::<Result<Vec<_>, Construct>>()?;
                    Ok(Phi { result, at, fast: *flags, format: shape.format(), incoming })
                });
                match lowered {
                    Ok(phi) => phis.push(phi),
                    Err(why) => {
                        code.push(Instruction { result: None, at, code: Code::Unsupported(why) })
                    }
                }
                continue;
            }
            let lowered = self.instruction(function, instruction);
            code.push(Instruction { result, at, code: lowered.unwrap_or_else(Code::Unsupported) });
            match &instruction.op {
                Op::Invoke { normal, .. } => {
                    code.push(Instruction { result: None, at, code: Code::Br(normal.0) });
                }
                Op::CallBr { .. } => {}
                _ => {}
            }
        }
        Block { phis, code }
    }

    /// What the metadata of an access claims about aliases.
    fn tag_of(&mut self, attachments: &[(Arc<str>, Metadata)]) -> u32 {
        let constant = |(name, metadata): &(Arc<str>, Metadata)| match &**name {
            "invariant.load" => true,
            "tbaa" => claims_constant(&tuple(self.module, metadata)),
            _ => false,
        };
        if attachments.iter().any(constant) {
            return INVARIANT;
        }
        let claims = ["tbaa", "tbaa.struct", "alias.scope", "noalias", "invariant.group"];
        let mut text = String::new();
        for (name, metadata) in attachments {
            if claims.contains(&&**name) {
                text.push_str(&format!("{name} {metadata:?} "));
            }
        }
        if text.is_empty() {
            return 0;
        }
        let next = self.tags.len() as u32 + INVARIANT + 1;
        *self.tags.entry(text).or_insert(next)
    }
}

/// Whether a tag of `!tbaa` says that what is read never changes: a last part, behind those it always has.
fn claims_constant(parts: &[Metadata]) -> bool {
    let last = match parts.last() {
        Some(Metadata::Value(typed)) => &typed.value,
        _ => return false,
    };
    let one = matches!(
        last,
        irtext::Value::Constant(irtext::Constant::Integer(bits)) if !bits.is_zero()
    );
    one && (parts.len() >= 4 || matches!(parts.first(), Some(Metadata::Text(_))))
}
