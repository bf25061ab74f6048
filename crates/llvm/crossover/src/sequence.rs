//! The sequencing crossover (FLUX, III-C): a new function that calls two others one after the other.
//!
//! Data flows between them where it can: the result of the first is an argument of the second, or both get
//! one pointer, or an operation combines both results. What is left of the arguments are random constants,
//! and for pointers also fresh variables.

use choice::Choices;
use llvmhost::{Builder, Linkage, Module, Type, TypeKind, Value};

use crate::constants::constant;
use crate::fitness::check_callable;
use crate::mutate::{CrossoverFailure, Policy};

/// `LLVMOpcode`s of operations on integers: add, sub, mul, udiv, sdiv, urem, srem, shl, lshr, ashr, and,
/// or, xor.
const INTEGER: &[i32] = &[8, 10, 12, 14, 15, 17, 18, 20, 21, 22, 23, 24, 25];

/// `LLVMOpcode`s of operations on floating numbers: fadd, fsub, fmul, fdiv, frem.
const FLOATING: &[i32] = &[9, 11, 13, 16, 19];

/// How data flows from one call to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Strategy {
    /// The first result is this argument of the second.
    Chain(usize),
    /// This argument of the first and that of the second are one pointer.
    Pointer(usize, usize),
    /// An operation takes both results.
    Binary,
    /// Not at all.
    Apart,
}

/// Calls two functions, given by name, in sequence from a new one.
pub(crate) fn sequence(
    module: &Module<'_>,
    pair: (&str, &str),
    policy: &Policy,
    choices: &mut Choices,
) -> Result<(), CrossoverFailure> {
    let find = |name: &str| {
        let function = module.function(name).ok_or_else(|| unfit("the function is gone"))?;
        check_callable(function).map(|()| function).map_err(unfit)
    };
    let (mut first, mut second) = (find(pair.0)?, find(pair.1)?);
    if choices.chance(50) {
        std::mem::swap(&mut first, &mut second);
    }
    let mut strategy = choose(first, second, choices);
    if strategy == Strategy::Apart {
        // A result may fit the other way round.
        strategy = choose(second, first, choices);
        if strategy != Strategy::Apart {
            std::mem::swap(&mut first, &mut second);
        }
    }
    build(module, [first, second], strategy, policy, choices)?;
    for function in [first, second] {
        if choices.chance(policy.internal) {
            function.set_linkage(Linkage::Internal);
        }
    }
    Ok(())
}

/// One of the strategies that apply, each kind as likely as another.
fn choose(first: Value<'_>, second: Value<'_>, choices: &mut Choices) -> Strategy {
    let (one, two) = (first.content_type(), second.content_type());
    let mut kinds = Vec::new();
    let fits = |ty: &Type<'_>| Some(*ty) == one.result();
    let chains = positions(&two, fits);
    if let Some(&at) = choices.pick(&chains) {
        kinds.push(Strategy::Chain(at));
    }
    // A variable is in address space 0.
    let is_pointer = |ty: &Type<'_>| ty.kind() == TypeKind::Pointer && ty.address_space() == 0;
    let (left, right) = (positions(&one, is_pointer), positions(&two, is_pointer));
    if let (Some(&left), Some(&right)) = (choices.pick(&left), choices.pick(&right)) {
        kinds.push(Strategy::Pointer(left, right));
    }
    if one.result() == two.result() && one.result().is_some_and(|ty| !operations(ty).is_empty()) {
        kinds.push(Strategy::Binary);
    }
    choices.pick(&kinds).copied().unwrap_or(Strategy::Apart)
}

fn positions(ty: &Type<'_>, which: impl Fn(&Type<'_>) -> bool) -> Vec<usize> {
    let parameters = ty.parameters();
    (0..parameters.len()).filter(|&at| which(&parameters[at])).collect()
}

/// Operations that values of a type have.
fn operations(ty: Type<'_>) -> &'static [i32] {
    let scalar = match ty.kind() {
        TypeKind::Vector | TypeKind::ScalableVector => ty.element().map(Type::kind),
        kind => Some(kind),
    };
    match scalar {
        Some(TypeKind::Integer) => INTEGER,
        Some(TypeKind::Float) => FLOATING,
        _ => &[],
    }
}

/// What a call gets at one place.
#[derive(Clone, Copy, Debug)]
enum Argument<'c> {
    /// A value that is there.
    Known(Value<'c>),
    /// The address of a variable that is yet to be made.
    Variable(Type<'c>),
    /// The result of the first call.
    Result,
}

/// Makes the caller.
fn build<'c>(
    module: &Module<'c>,
    functions: [Value<'c>; 2],
    strategy: Strategy,
    policy: &Policy,
    choices: &mut Choices,
) -> Result<(), CrossoverFailure> {
    let context = module.context();
    let [first, second] = functions;
    let results = functions.map(|f| f.content_type().result().unwrap_or(context.void()));
    // What can fail comes before anything is built.
    let mut lists =
        [arguments(module, first, policy, choices)?, arguments(module, second, policy, choices)?];
    // The caller returns the last result there is.
    let is_void = |ty: Type<'_>| ty.kind() == TypeKind::Void;
    let returned = if is_void(results[1]) { results[0] } else { results[1] };
    let caller = module.declare("sequence", context.function(returned, &[]));
    let builder = Builder::at_end(context, module.append_block(caller, "entry"));
    match strategy {
        Strategy::Chain(at) => lists[1][at] = Argument::Result,
        Strategy::Pointer(left, right) => {
            let ty = demanded(second, right).unwrap_or_else(|| room(module, first, left, choices));
            let shared = Argument::Known(variable(&builder, ty, policy, choices));
            (lists[0][left], lists[1][right]) = (shared, shared);
        }
        Strategy::Binary | Strategy::Apart => {}
    }
    // All variables come first, as a front end puts them.
    for argument in lists.iter_mut().flatten() {
        if let Argument::Variable(ty) = *argument {
            *argument = Argument::Known(variable(&builder, ty, policy, choices));
        }
    }
    let [left, right] = lists;
    let one = builder.call(first, &values(left, None));
    let two = builder.call(second, &values(right, Some(one)));
    let operation = match strategy {
        Strategy::Binary => choices.pick(operations(results[0])).copied(),
        _ => None,
    };
    builder.ret(match operation {
        Some(opcode) => Some(builder.binary(opcode, one, two)),
        None if !is_void(results[1]) => Some(two),
        None if !is_void(results[0]) => Some(one),
        None => None,
    });
    Ok(())
}

fn values<'c>(arguments: Vec<Argument<'c>>, result: Option<Value<'c>>) -> Vec<Value<'c>> {
    let value = |argument| match argument {
        Argument::Known(value) => Some(value),
        Argument::Result => result,
        Argument::Variable(_) => None,
    };
    arguments.into_iter().filter_map(value).collect()
}

/// Arguments that have nothing to do with the other call.
fn arguments<'c>(
    module: &Module<'c>,
    function: Value<'c>,
    policy: &Policy,
    choices: &mut Choices,
) -> Result<Vec<Argument<'c>>, CrossoverFailure> {
    let mut list = Vec::new();
    for (at, ty) in function.content_type().parameters().into_iter().enumerate() {
        let local = ty.kind() == TypeKind::Pointer && ty.address_space() == 0;
        let demanded = demanded(function, at).is_some();
        let variable = local && (demanded || choices.chance(policy.variable));
        list.push(match variable {
            true => Argument::Variable(room(module, function, at, choices)),
            false => {
                let value = constant(ty, policy, choices);
                Argument::Known(value.ok_or_else(|| unfit("a type without constants"))?)
            }
        });
    }
    Ok(list)
}

/// The type of object that a parameter asks for, if it does.
fn demanded<'c>(function: Value<'c>, parameter: usize) -> Option<Type<'c>> {
    let names = ["byval", "sret", "byref"];
    let ty = names.iter().find_map(|name| function.parameter_type(parameter, name));
    ty.filter(|ty| ty.is_sized())
}

/// A type of object for a pointer parameter.
fn room<'c>(
    module: &Module<'c>,
    function: Value<'c>,
    parameter: usize,
    choices: &mut Choices,
) -> Type<'c> {
    if let Some(ty) = demanded(function, parameter) {
        return ty;
    }
    let context = module.context();
    match choices.below(8) {
        0 => context.int(8),
        1 => context.int(32),
        2 => context.int(64),
        3 => function.ty(),
        4 => context.int(8).array(16),
        5 => context.int(32).array(64),
        // Enough for what most tests do to an array.
        _ => context.int(64).array(128),
    }
}

/// A variable, with something in it or not.
fn variable<'c>(
    builder: &Builder<'c>,
    ty: Type<'c>,
    policy: &Policy,
    choices: &mut Choices,
) -> Value<'c> {
    let pointer = builder.alloca(ty);
    if choices.chance(policy.initialised)
        && let Some(value) = constant(ty, policy, choices)
    {
        builder.store(value, pointer);
    }
    pointer
}

fn unfit(why: &str) -> CrossoverFailure {
    CrossoverFailure::Unfit(why.to_string())
}
