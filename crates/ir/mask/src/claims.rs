//! Flags, attributes and metadata: what a module says that passes may rely on.

use std::collections::BTreeSet;

use irtext::{Attribute, Attributes, FastMath, Function, Instruction, IntFlags, Module, Op};

use crate::construct::{Construct, callee};

/// Attributes that claim something of values, memory or control. How something is passed (`byval`, `signext`) is no
/// claim.
const ATTRIBUTES: &str = "align allockind argmemonly captures dereferenceable dereferenceable_or_null \
    inaccessiblemem_or_argmemonly inaccessiblememonly initializes memory mustprogress noalias nocapture nofpclass \
    nofree nonnull norecurse noreturn nosync noundef nounwind null_pointer_is_valid range readnone readonly \
    returned speculatable willreturn writable writeonly";

/// Metadata of instructions that bears on no result.
const SILENT: &[&str] = &["dbg", "prof", "srcloc", "annotation", "heapallocsite"];

/// Adds the claims of a function.
pub(crate) fn of_function(module: &Module, function: &Function, found: &mut BTreeSet<Construct>) {
    of_attributes(module, &function.attributes, found);
    of_attributes(module, &function.result_attributes, found);
    for param in &function.params {
        of_attributes(module, &param.attributes, found);
    }
}

/// Adds the claims of an instruction, and its flags.
pub(crate) fn of_instruction(
    module: &Module,
    instruction: &Instruction,
    found: &mut BTreeSet<Construct>,
) {
    let mut op = instruction.op.clone();
    for_each_flag(&mut op, &mut |name, flag| {
        if *flag {
            found.insert(Construct::Flag(name.to_string()));
        }
    });
    for (kind, _) in &instruction.attachments {
        if !SILENT.contains(&&**kind) {
            found.insert(Construct::Claim(format!("!{kind}")));
        }
    }
    if let Op::Call(call) | Op::Invoke { call, .. } | Op::CallBr { call, .. } = &instruction.op {
        of_attributes(module, &call.attributes, found);
        of_attributes(module, &call.result_attributes, found);
        for argument in &call.arguments {
            of_attributes(module, &argument.attributes, found);
        }
    }
    // What LLVM itself knows of an intrinsic cannot be taken away.
    let named = callee(&instruction.op).filter(|name| !name.starts_with("llvm."));
    if let Some(function) = named.and_then(|name| module.function(name)) {
        of_function(module, function, found);
    }
}

fn of_attributes(module: &Module, set: &Attributes, found: &mut BTreeSet<Construct>) {
    let names = module.expand(set).0.iter().filter_map(claim).map(String::from).collect::<Vec<_>>();
    found.extend(names.into_iter().map(Construct::Claim));
}

/// What an attribute is called, if it is a claim.
fn claim(attribute: &Attribute) -> Option<&str> {
    let name: &str = match attribute {
        Attribute::Flag(name) | Attribute::Number(name, _) | Attribute::Words(name, _) => name,
        Attribute::Range(..) => "range",
        Attribute::Typed(..) | Attribute::Text(..) | Attribute::Group(_) => return None,
    };
    ATTRIBUTES.split_whitespace().any(|known| known == name).then_some(name)
}

/// Takes a flag from every instruction; whether there was one.
pub(crate) fn drop_flag(module: &mut Module, wanted: &str) -> bool {
    let mut dropped = false;
    for instruction in all_instructions(module) {
        for_each_flag(&mut instruction.op, &mut |name, flag| {
            dropped |= *flag && name == wanted;
            *flag &= name != wanted;
        });
    }
    dropped
}

/// Takes a claim from everything in a module but its intrinsics; whether there was one.
pub(crate) fn drop_claim(module: &mut Module, wanted: &str) -> bool {
    let mut dropped = false;
    if let Some(kind) = wanted.strip_prefix('!') {
        for instruction in all_instructions(module) {
            let before = instruction.attachments.len();
            instruction.attachments.retain(|(name, _)| &**name != kind);
            dropped |= instruction.attachments.len() < before;
        }
        return dropped;
    }
    let mut strip = |set: &mut Attributes| {
        let before = set.0.len();
        set.0.retain(|attribute| claim(attribute) != Some(wanted));
        dropped |= set.0.len() < before;
    };
    module.groups.iter_mut().for_each(|(_, group)| strip(group));
    let is_intrinsic = |f: &Function| f.name.as_ref().is_some_and(|n| n.starts_with("llvm."));
    for function in module.functions.iter_mut().filter(|f| !is_intrinsic(f)) {
        strip(&mut function.attributes);
        strip(&mut function.result_attributes);
        function.params.iter_mut().for_each(|param| strip(&mut param.attributes));
    }
    for instruction in all_instructions(module) {
        if let Op::Call(call) | Op::Invoke { call, .. } | Op::CallBr { call, .. } =
            &mut instruction.op
        {
            strip(&mut call.attributes);
            strip(&mut call.result_attributes);
            call.arguments.iter_mut().for_each(|argument| strip(&mut argument.attributes));
        }
    }
    dropped
}

fn all_instructions(module: &mut Module) -> impl Iterator<Item = &mut Instruction> {
    let blocks = module.functions.iter_mut().flat_map(|function| &mut function.blocks);
    blocks.flat_map(|block| &mut block.instructions)
}

/// Every flag that an instruction may have, with its name.
fn for_each_flag(op: &mut Op, see: &mut dyn FnMut(&'static str, &mut bool)) {
    match op {
        Op::Binary { flags, fast, .. } | Op::Cast { flags, fast, .. } => {
            integer(flags, see);
            floating(fast, see);
        }
        Op::ICmp { samesign, .. } => see("samesign", samesign),
        Op::FNeg { flags, .. }
        | Op::FCmp { flags, .. }
        | Op::Select { flags, .. }
        | Op::Phi { flags, .. } => floating(flags, see),
        Op::Call(call) | Op::Invoke { call, .. } | Op::CallBr { call, .. } => {
            floating(&mut call.fast, see);
        }
        Op::GetElementPtr { flags, .. } => {
            // The one implies the other.
            let implied = flags.inbounds;
            see("inbounds", &mut flags.inbounds);
            if implied {
                flags.nusw = flags.inbounds;
            } else {
                see("nusw", &mut flags.nusw);
            }
            see("nuw", &mut flags.nuw);
        }
        Op::Ret(_)
        | Op::Br(_)
        | Op::CondBr { .. }
        | Op::Switch { .. }
        | Op::IndirectBr { .. }
        | Op::Unreachable
        | Op::Resume(_)
        | Op::LandingPad { .. }
        | Op::Funclet(_)
        | Op::Freeze(_)
        | Op::ExtractElement { .. }
        | Op::InsertElement { .. }
        | Op::ShuffleVector { .. }
        | Op::ExtractValue { .. }
        | Op::InsertValue { .. }
        | Op::Alloca { .. }
        | Op::Load { .. }
        | Op::Store { .. }
        | Op::Fence(_)
        | Op::CmpXchg { .. }
        | Op::AtomicRmw { .. }
        | Op::VaArg { .. } => {}
    }
}

fn integer(flags: &mut IntFlags, see: &mut dyn FnMut(&'static str, &mut bool)) {
    let IntFlags { nuw, nsw, exact, disjoint, nneg } = flags;
    let all =
        [("nuw", nuw), ("nsw", nsw), ("exact", exact), ("disjoint", disjoint), ("nneg", nneg)];
    all.into_iter().for_each(|(name, flag)| see(name, flag));
}

fn floating(flags: &mut FastMath, see: &mut dyn FnMut(&'static str, &mut bool)) {
    let FastMath { nnan, ninf, nsz, arcp, contract, afn, reassoc } = flags;
    let all = [
        ("nnan", nnan),
        ("ninf", ninf),
        ("nsz", nsz),
        ("arcp", arcp),
        ("contract", contract),
        ("afn", afn),
        ("reassoc", reassoc),
    ];
    all.into_iter().for_each(|(name, flag)| see(name, flag));
}

/// The flags that an instruction has.
pub(crate) fn flags(op: &Op) -> Vec<&'static str> {
    let mut all = Vec::new();
    for_each_flag(&mut op.clone(), &mut |name, flag| {
        if *flag {
            all.push(name);
        }
    });
    all
}
