//! Facts of a seed that are kept beside it: which types it provides and requires.
//!
//! Types are texts, so that facts of different contexts compare. Equal texts may still be different types
//! (structs of one name), and a value of the right type may not reach the place: facts say which pairs are
//! hopeless, not which succeed.

use std::collections::BTreeSet;

use llvmhost::{Module, Type, TypeKind, Value};
use serde::{Deserialize, Serialize};

use crate::fitness;
use crate::host::Host;

/// Facts of a module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Of each function that it defines.
    pub functions: Vec<FunctionFacts>,
}

/// Facts of a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionFacts {
    /// Its name.
    pub name: String,
    /// What it returns.
    pub result: String,
    /// What it takes.
    pub parameters: Vec<String>,
    /// Types of its arguments and instructions: what can be passed on. Sorted.
    pub offers: Vec<String>,
    /// Types of operands that may be replaced. Sorted.
    pub wants: Vec<String>,
    /// Whether it can be inlined.
    pub inlinable: bool,
    /// Whether something can be inlined into it.
    pub hosting: bool,
    /// Whether it can be called.
    pub callable: bool,
    /// Its collector, personality and `strictfp`, which both sides of an inlining must agree on.
    pub manner: FrameProperties,
    /// How many instructions it has.
    pub instructions: usize,
}

/// What a function's frame is like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrameProperties {
    /// Its garbage collector.
    pub gc: Option<String>,
    /// The function that unwinds it.
    pub personality: Option<String>,
    /// Whether floating point has side effects.
    pub strict: bool,
}

impl FrameProperties {
    /// Of a function.
    pub(crate) fn of(function: Value<'_>) -> FrameProperties {
        FrameProperties {
            gc: function.gc(),
            personality: function.personality().map(Value::name),
            strict: function.has_attribute("strictfp"),
        }
    }

    /// Whether one frame can be part of the other.
    pub fn agrees(&self, other: &FrameProperties) -> bool {
        fn same(one: &Option<String>, two: &Option<String>) -> bool {
            one.is_none() || two.is_none() || one == two
        }
        // Floating point must not be made less strict by where it stands.
        same(&self.gc, &other.gc)
            && same(&self.personality, &other.personality)
            && self.strict == other.strict
    }
}

impl Facts {
    /// Of a valid module.
    pub fn of(module: &Module<'_>) -> Facts {
        Facts { functions: module.definitions().into_iter().map(FunctionFacts::of).collect() }
    }

    /// Whether a function of the other might be inlined into one of this.
    pub fn may_host(&self, other: &Facts) -> bool {
        let pair = |host: &FunctionFacts| other.functions.iter().any(|guest| host.may_host(guest));
        self.functions.iter().any(pair)
    }

    /// Whether a function of each can be called.
    pub fn may_precede(&self, other: &Facts) -> bool {
        [self, other].iter().all(|facts| facts.functions.iter().any(|function| function.callable))
    }

    /// Instructions of all functions.
    pub fn instructions(&self) -> usize {
        self.functions.iter().map(|function| function.instructions).sum()
    }
}

impl FunctionFacts {
    fn of(function: Value<'_>) -> FunctionFacts {
        let ty = function.content_type();
        let host = Host::new(function);
        let hosting = fitness::check_host(function).is_ok();
        let offers = host.values().map(Value::ty).filter(|ty| ty.kind() != TypeKind::Void);
        let wants = host.operands(|_| true).into_iter().map(|(_, ty)| ty);
        FunctionFacts {
            name: function.name(),
            result: ty.result().map(text).unwrap_or_default(),
            parameters: ty.parameters().into_iter().map(text).collect(),
            offers: texts(offers),
            wants: texts(wants),
            inlinable: fitness::check_inlinable(function).is_ok(),
            hosting,
            callable: fitness::check_callable(function).is_ok(),
            manner: FrameProperties::of(function),
            instructions: host.size(),
        }
    }

    /// Whether the other might be inlined into this one.
    pub fn may_host(&self, guest: &FunctionFacts) -> bool {
        let has = |list: &[String], ty: &String| list.binary_search(ty).is_ok();
        self.hosting
            && guest.inlinable
            && self.manner.agrees(&guest.manner)
            && (guest.result == "void" || has(&self.wants, &guest.result))
            && guest.parameters.iter().all(|ty| has(&self.offers, ty))
    }
}

/// Each text once, in order. Types are told apart by their handles first: texts take time.
fn texts<'c>(types: impl Iterator<Item = Type<'c>>) -> Vec<String> {
    let mut seen: Vec<Type<'c>> = Vec::new();
    for ty in types {
        if !seen.contains(&ty) {
            seen.push(ty);
        }
    }
    let texts: BTreeSet<String> = seen.into_iter().map(text).collect();
    texts.into_iter().collect()
}

/// A type's text, the same in every process: LLVM shows structs without a name by their addresses.
pub(crate) fn text(ty: Type<'_>) -> String {
    without_addresses(&ty.text())
}

fn without_addresses(text: &str) -> String {
    let mut parts = text.split("%\"type 0x");
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        out.push_str("%\"type\"");
        out.push_str(part.split_once('"').map_or("", |(_, rest)| rest));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_address_is_in_a_text() {
        let text = "%\"type 0x55e5003c80\" = type { i32, %\"type 0x12\" }";
        assert_eq!(without_addresses(text), "%\"type\" = type { i32, %\"type\" }");
        assert_eq!(without_addresses("%\"my type\" = type { i8 }"), "%\"my type\" = type { i8 }");
    }
}
