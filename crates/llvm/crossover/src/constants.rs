//! A random constant of any type.

use choice::Choices;
use llvmhost::{Type, TypeKind, Value};

use crate::mutate::Policy;

/// Larger aggregates are all zero: their text would be most of the module.
const LARGE: usize = 64;

/// A constant of a type; `None` if it has none that we can write.
pub(crate) fn constant<'c>(
    ty: Type<'c>,
    policy: &Policy,
    choices: &mut Choices,
) -> Option<Value<'c>> {
    match ty.kind() {
        TypeKind::Void | TypeKind::Label | TypeKind::Function | TypeKind::Other => return None,
        _ if !ty.is_sized() => return None,
        _ if choices.chance(policy.undef) => return Some(ty.undef()),
        _ if choices.chance(policy.poison) => return Some(ty.poison()),
        TypeKind::Integer => return Some(integer(ty, choices)),
        TypeKind::Float => return Some(ty.real(real(choices))),
        TypeKind::Pointer | TypeKind::ScalableVector => return Some(ty.zero()),
        TypeKind::Vector | TypeKind::Array | TypeKind::Struct => {}
    }
    let parts: Vec<Type<'c>> = match ty.element() {
        Some(_) if ty.length() as usize > LARGE => return Some(ty.zero()),
        Some(element) => vec![element; ty.length() as usize],
        None => ty.members(),
    };
    if parts.is_empty() || parts.len() > LARGE {
        return Some(ty.zero());
    }
    let parts: Option<Vec<Value<'c>>> =
        parts.into_iter().map(|part| constant(part, policy, choices)).collect();
    ty.of_parts(&parts?)
}

/// Numbers at which arithmetic turns, more often than others.
fn integer<'c>(ty: Type<'c>, choices: &mut Choices) -> Value<'c> {
    let bits = ty.bits();
    let words = bits.div_ceil(64) as usize;
    let small = |number: i64| {
        let mut all = vec![if number < 0 { u64::MAX } else { 0 }; words];
        all[0] = number as u64;
        all
    };
    let power = |bit: u32| {
        let mut all = vec![0; words];
        all[(bit / 64) as usize] = 1 << (bit % 64);
        all
    };
    let words = match choices.below(8) {
        0 => small(0),
        1 => small(1),
        2 => small(-1),
        3 => power(bits - 1),
        // All bits but the sign's.
        4 => power(bits - 1).into_iter().map(|word| !word).collect(),
        5 => power(choices.below(bits.into()) as u32),
        6 => small(choices.range(-16..=16)),
        _ => (0..words).map(|_| choices.bits(64)).collect(),
    };
    ty.wide_number(&words)
}

fn real(choices: &mut Choices) -> f64 {
    match choices.below(10) {
        0 => 0.0,
        1 => -0.0,
        2 => 1.0,
        3 => -1.0,
        4 => f64::INFINITY,
        5 => f64::NEG_INFINITY,
        6 => f64::NAN,
        // Too small for any type that is narrower: it rounds to zero or a subnormal.
        7 => f64::MIN_POSITIVE,
        8 => choices.range(-1000..=1000) as f64 / 8.0,
        _ => choices.range(i64::MIN..=i64::MAX) as f64,
    }
}
