//! Instructions that become other values, and operands that do.

use llvmhost::{Module, Type, TypeKind, Value, opcode};

use super::{EditKind, chosen};

/// Opcodes of exception handling: they hold blocks together and go with these.
const PADS: [i32; 6] = [opcode::LANDING_PAD, 61, 62, 63, 64, 65];

/// Instructions that a kind of edit can replace, in order, each with what to put for it: the number of a
/// replacement, of which [`EditKind::ToOperand`] may have several. Terminators are for `blocks`.
pub(super) fn places<'c>(module: &Module<'c>, kind: EditKind) -> Vec<(Value<'c>, usize)> {
    let mut all = Vec::new();
    for function in module.definitions() {
        let parameters = function.parameters();
        for block in function.blocks() {
            let terminator = block.terminator();
            for old in block.instructions() {
                if Some(old) != terminator && !PADS.contains(&old.opcode()) {
                    // What nobody uses needs no replacement.
                    let ways = replacements(old, &parameters, kind).len();
                    let ways = if old.is_used() { ways } else { 1 };
                    all.extend((0..ways).map(|way| (old, way)));
                }
            }
        }
    }
    all
}

/// What a kind of edit puts for an instruction.
fn replacements<'c>(old: Value<'c>, parameters: &[Value<'c>], kind: EditKind) -> Vec<Value<'c>> {
    let ty = old.ty();
    if !ty.has_values() {
        return Vec::new();
    }
    match kind {
        EditKind::ToOperand => {
            // What comes into a phi need not be there where the phi is, unless it is no instruction.
            let fits = |operand: &Value<'c>| {
                operand.ty() == ty
                    && *operand != old
                    && (old.opcode() != opcode::PHI || !operand.is_instruction())
            };
            let mut fitting: Vec<Value<'c>> = Vec::new();
            for operand in old.operands().into_iter().filter(fits) {
                if !fitting.contains(&operand) {
                    fitting.push(operand);
                }
            }
            fitting
        }
        EditKind::ToParameter => of_type(parameters, ty).into_iter().collect(),
        EditKind::ToZero => vec![ty.zero()],
        _ => vec![ty.poison()],
    }
}

fn of_type<'c>(values: &[Value<'c>], ty: Type<'c>) -> Option<Value<'c>> {
    values.iter().copied().find(|value| value.ty() == ty)
}

/// Replaces instructions. In order, so that what became of an operand is what its user becomes.
pub(super) fn replace(module: &mut Module<'_>, kind: EditKind, places: &[u32]) -> bool {
    let mut chosen = chosen(&self::places(module, kind), places);
    // One way for each: the first that was chosen.
    chosen.dedup_by(|later, first| later.0 == first.0);
    let mut changed = false;
    for (old, way) in chosen {
        if old.is_used() {
            let parameters = old.block().function().parameters();
            let ways = replacements(old, &parameters, kind);
            // Its operands may have become one.
            let Some(new) = ways.get(way).or(ways.first()) else { continue };
            old.replace_with(*new);
        }
        // SAFETY: nothing uses it now, and each is visited once.
        unsafe { old.erase() };
        changed = true;
    }
    changed
}

/// Operands that may be any value of their type.
pub(super) fn free_operands<'c>(instruction: Value<'c>) -> Vec<(u32, Value<'c>)> {
    let count = match instruction.opcode() {
        _ if instruction.is_call() => instruction.arguments().len(),
        // Cases are constants that differ.
        opcode::SWITCH => 1,
        opcode::ALLOCA | opcode::INDIRECT_BR => 0,
        code if PADS.contains(&code) => 0,
        _ => instruction.operands().len(),
    };
    let count = u32::try_from(count).unwrap_or(0);
    let operands = (0..count).filter_map(|index| Some((index, instruction.operand(index)?)));
    operands.filter(|(_, operand)| operand.ty().has_values()).collect()
}

/// Operands that a kind of edit can replace.
pub(super) fn operands<'c>(module: &Module<'c>, kind: EditKind) -> Vec<(Value<'c>, u32)> {
    let mut all = Vec::new();
    for function in module.definitions() {
        let parameters = function.parameters();
        for instruction in function.blocks().into_iter().flat_map(|block| block.instructions()) {
            for (index, operand) in free_operands(instruction) {
                if simple(operand, &parameters, kind).is_some() {
                    all.push((instruction, index));
                }
            }
        }
    }
    all
}

/// What a kind of edit puts for an operand; always less than it was, so that this ends.
fn simple<'c>(old: Value<'c>, parameters: &[Value<'c>], kind: EditKind) -> Option<Value<'c>> {
    let ty = old.ty();
    match kind {
        EditKind::OperandToParameter if old.is_instruction() => of_type(parameters, ty),
        // A null pointer makes an access undefined, and the program with it.
        EditKind::OperandToZero => {
            (!old.is_zero() && ty.kind() != TypeKind::Pointer).then(|| ty.zero())
        }
        EditKind::OperandToOne => (ty.kind() == TypeKind::Integer
            && !matches!(old.as_number(), Some(0 | 1)))
        .then(|| ty.number(1)),
        _ => None,
    }
}

/// Replaces operands.
pub(super) fn set_operands(module: &mut Module<'_>, kind: EditKind, places: &[u32]) -> bool {
    let mut changed = false;
    for (instruction, index) in chosen(&operands(module, kind), places) {
        let parameters = instruction.block().function().parameters();
        let Some(old) = instruction.operand(index) else { continue };
        let Some(new) = simple(old, &parameters, kind) else { continue };
        instruction.set_operand(index, new);
        changed = true;
    }
    changed
}
