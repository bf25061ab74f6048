//! Instructions behind calls of functions that are only declared.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use irtext::{
    Argument, Attribute, Attributes, Block, Call, Constant, FastMath, Function, FunctionType,
    Instruction, Linkage, Local, LocalValue, Module, Op, Param, Symbol, Type, Typed, Unnamed,
    Value, print_function, walk,
};

use crate::claims;
use crate::construct::{Construct, callee, kind};

/// The beginning of the names of what is called in place of an instruction.
const PREFIX: &str = "gainsay.opaque.";

/// What every call in place of an instruction promises, in words that all versions of LLVM read.
const HARMLESS: &[&str] = &["nounwind", "willreturn", "nosync", "nofree"];

/// Intrinsics that are no calls: passes and machines know them by their place.
const IN_PLACE: &[&str] =
    &["llvm.dbg.", "llvm.lifetime.", "llvm.coro.", "llvm.stack", "llvm.va_", "llvm.eh."];

/// A module whose instructions of some kinds are calls.
#[derive(Clone, Debug)]
pub struct Masked {
    module: Module,
    /// What is called, defined.
    helpers: Vec<Function>,
}

impl Masked {
    /// The module as passes are given it: what is called is declared only.
    pub fn text(&self) -> String {
        irtext::print(&self.module)
    }

    /// The module as it is compared.
    pub fn before(&self) -> Module {
        self.judged(self.module.clone())
    }

    /// What passes made of the module, as it is compared: with the definitions of what is called.
    pub fn judged(&self, mut module: Module) -> Module {
        for helper in &self.helpers {
            for function in module.functions.iter_mut().filter(|f| f.name == helper.name) {
                *function = helper.clone();
            }
        }
        module
    }
}

/// A module in which passes cannot see these; `None` where none of them is there.
pub fn without(module: &Module, constructs: &BTreeSet<Construct>) -> Option<Masked> {
    let mut module = module.clone();
    let mut changed = false;
    for construct in constructs {
        changed |= match construct {
            Construct::Flag(name) => claims::drop_flag(&mut module, name),
            Construct::Claim(name) => claims::drop_claim(&mut module, name),
            Construct::Intrinsic(_) | Construct::Library(_) | Construct::Instruction(_) => false,
        };
    }
    let mut opaque = Opaque { helpers: BTreeMap::new() };
    let mut functions = std::mem::take(&mut module.functions);
    for at in 0..functions.len() {
        let calls = opaque.calls(&module, &functions, at, constructs);
        changed |= !calls.is_empty();
        for ((block, place), call) in calls {
            let instruction = &mut functions[at].blocks[block].instructions[place];
            instruction.op = call;
            instruction.attachments.retain(|(kind, _)| &**kind == "dbg");
        }
    }
    module.functions = functions;
    let helpers: Vec<Function> = opaque.helpers.into_values().collect();
    let declared = |helper: &Function| Function { blocks: Vec::new(), ..helper.clone() };
    let declared = helpers.iter().map(declared).map(|function| {
        let params = function.locals[..function.params.len()].to_vec();
        Function { locals: params, ..function }
    });
    module.functions.extend(declared);
    changed.then_some(Masked { module, helpers })
}

/// Whether an instruction can be replaced by a call.
pub(crate) fn is_maskable(module: &Module, function: &Function, instruction: &Instruction) -> bool {
    promises(module, &module.functions, instruction).is_some() && passable(function, instruction)
}

/// Whether its operands and its result can be passed and returned.
fn passable(function: &Function, instruction: &Instruction) -> bool {
    let can = |ty: &Type| {
        !matches!(
            ty,
            Type::Label | Type::Token | Type::Metadata | Type::Other(_) | Type::Function(_)
        )
    };
    let mut all = instruction.result.is_none_or(|result| can(function.type_of(result)));
    walk::values(&instruction.op, &mut |value| match value {
        Value::Local(local) => all &= can(function.type_of(*local)),
        Value::Constant(Constant::Assembly(_) | Constant::BlockAddress(..)) => all = false,
        Value::Constant(_) => {}
        Value::Metadata(_) => all = false,
    });
    if let Op::Call(call) = &instruction.op {
        let is_metadata = |a: &Argument| matches!(a.value.value, Value::Metadata(_));
        all &= call.tail != "musttail" && call.bundles.is_empty() && !call.ty.varargs;
        all &= !call.arguments.iter().any(is_metadata);
    }
    all
}

/// What a call in place of an instruction promises; `None`: it cannot be replaced.
fn promises(
    module: &Module,
    functions: &[Function],
    instruction: &Instruction,
) -> Option<Attributes> {
    let words = |more: &[&str]| {
        let all = HARMLESS.iter().chain(more);
        Some(Attributes(all.map(|word| Attribute::Flag((*word).into())).collect()))
    };
    use irtext::Binary::{SDiv, SRem, UDiv, URem};
    match &instruction.op {
        Op::Binary { op: UDiv | SDiv | URem | SRem, .. } => words(&["readnone"]),
        Op::FNeg { .. }
        | Op::Binary { .. }
        | Op::ICmp { .. }
        | Op::FCmp { .. }
        | Op::Cast { .. }
        | Op::Select { .. }
        | Op::Freeze(_)
        | Op::ExtractElement { .. }
        | Op::InsertElement { .. }
        | Op::ShuffleVector { .. }
        | Op::ExtractValue { .. }
        | Op::InsertValue { .. }
        | Op::GetElementPtr { .. } => words(&["readnone", "speculatable"]),
        Op::Load { volatile: false, atomic: None, .. } => words(&["argmemonly", "readonly"]),
        Op::Store { volatile: false, atomic: None, .. } => words(&["argmemonly", "writeonly"]),
        Op::Load { .. } | Op::Store { .. } | Op::CmpXchg { .. } | Op::AtomicRmw { .. } => {
            Some(Attributes(vec![Attribute::Flag("nounwind".into())]))
        }
        Op::Call(_) => {
            let name = callee(&instruction.op)?;
            let known = name.starts_with("llvm.") || irmachine::is_library(name);
            if !known || IN_PLACE.iter().any(|prefix| name.starts_with(prefix)) {
                return None;
            }
            let declared = functions.iter().find(|f| f.name.as_deref() == Some(name))?;
            (!declared.is_defined()).then(|| module.expand(&declared.attributes))
        }
        Op::Ret(_)
        | Op::Br(_)
        | Op::CondBr { .. }
        | Op::Switch { .. }
        | Op::IndirectBr { .. }
        | Op::Unreachable
        | Op::Resume(_)
        | Op::Invoke { .. }
        | Op::CallBr { .. }
        | Op::LandingPad { .. }
        | Op::Funclet(_)
        | Op::Phi { .. }
        | Op::Alloca { .. }
        | Op::Fence(_)
        | Op::VaArg { .. } => None,
    }
}

/// Where an instruction stands: its block, its place in it.
type Place = (usize, usize);

/// Functions that stand for instructions, by what they do.
struct Opaque {
    helpers: BTreeMap<String, Function>,
}

impl Opaque {
    /// The calls that take the place of the instructions of a function.
    fn calls(
        &mut self,
        module: &Module,
        functions: &[Function],
        at: usize,
        constructs: &BTreeSet<Construct>,
    ) -> Vec<(Place, Op)> {
        let function = &functions[at];
        let mut calls = Vec::new();
        for (block, body) in function.blocks.iter().enumerate() {
            for (place, instruction) in body.instructions.iter().enumerate() {
                if constructs.contains(&kind(&instruction.op))
                    && passable(function, instruction)
                    && let Some(promised) = promises(module, functions, instruction)
                {
                    let call = self.call(module, function, instruction, promised);
                    calls.push(((block, place), call));
                }
            }
        }
        calls
    }

    fn call(
        &mut self,
        module: &Module,
        function: &Function,
        instruction: &Instruction,
        promised: Attributes,
    ) -> Op {
        let mut op = instruction.op.clone();
        if let Op::Call(call) = &mut op {
            call.attributes = module.expand(&call.attributes);
            call.tail = String::new();
        }
        // Constants stay with the instruction: some of its operands must be constants.
        let mut passed: Vec<Local> = Vec::new();
        walk::values_mut(&mut op, &mut |value| {
            if let Value::Local(local) = value {
                let at = passed.iter().position(|known| known == local);
                let at = at.unwrap_or(passed.len());
                if at == passed.len() {
                    passed.push(*local);
                }
                *value = Value::Local(Local(at as u32));
            }
        });
        let types: Vec<Type> = passed.iter().map(|l| function.type_of(*l).clone()).collect();
        let result = instruction.result.map_or(Type::Void, |r| function.type_of(r).clone());
        let helper = helper(&op, &types, &result, promised);
        let text = print_function(module, &helper);
        let number = self.helpers.len();
        let name: Arc<str> = format!("{PREFIX}{number}").into();
        let helper =
            self.helpers.entry(text).or_insert_with(|| Function { name: Some(name), ..helper });
        let arguments = passed.iter().zip(&types).map(|(local, ty)| Argument {
            value: Typed { ty: ty.clone(), value: Value::Local(*local) },
            attributes: Attributes::default(),
        });
        let name = helper.name.clone().unwrap_or_default();
        Op::Call(Box::new(Call {
            tail: String::new(),
            fast: FastMath::default(),
            convention: String::new(),
            result_attributes: Attributes::default(),
            space: None,
            callee: Value::Constant(Constant::Global(Symbol::Name(name))),
            arguments: arguments.collect(),
            attributes: Attributes::default(),
            bundles: Vec::new(),
            ty: Arc::new(FunctionType { result, params: types, varargs: false }),
        }))
    }
}

/// A function that does what an instruction does, whose operands are its parameters.
fn helper(op: &Op, types: &[Type], result: &Type, promised: Attributes) -> Function {
    // Who only reads or writes there keeps no pointer; a pointer that is stored is kept.
    let address = match op {
        Op::Load { from: typed, volatile: false, atomic: None, .. }
        | Op::Store { to: typed, volatile: false, atomic: None, .. } => match typed.value {
            Value::Local(local) => Some(local),
            Value::Constant(_) | Value::Metadata(_) => None,
        },
        _ => None,
    };
    let stored = match op {
        Op::Store { value: Typed { value: Value::Local(local), .. }, .. } => Some(*local),
        _ => None,
    };
    let param = |at: usize| {
        let local = Local(at as u32);
        let kept_by_nobody = address == Some(local) && stored != Some(local);
        let attributes = kept_by_nobody.then(|| Attribute::Flag("nocapture".into()));
        Param { local, attributes: Attributes(attributes.into_iter().collect()) }
    };
    let value = |ty: &Type| LocalValue { name: None, ty: ty.clone() };
    let mut locals: Vec<LocalValue> = types.iter().map(value).collect();
    let has_result = *result != Type::Void;
    let done = has_result.then(|| {
        locals.push(value(result));
        Local(types.len() as u32)
    });
    let instruction = |result: Option<Local>, op: Op| Instruction {
        records: Vec::new(),
        result,
        op,
        attachments: Vec::new(),
        line: 0,
    };
    let returned = done.map(|local| Typed { ty: result.clone(), value: Value::Local(local) });
    let body = vec![instruction(done, op.clone()), instruction(None, Op::Ret(returned))];
    Function {
        name: None,
        linkage: Linkage::External,
        words: Vec::new(),
        convention: String::new(),
        result_attributes: Attributes::default(),
        result: result.clone(),
        params: (0..types.len()).map(param).collect(),
        varargs: false,
        unnamed: Unnamed::No,
        space: 0,
        attributes: promised,
        rest: Vec::new(),
        personality: None,
        attachments: Vec::new(),
        locals,
        blocks: vec![Block { name: None, instructions: body }],
    }
}
