//! Calls: who is called, and what is claimed of the arguments and the answer.

use std::sync::Arc;

use irtext::{Attribute, Attributes, Call as TreeCall, Constant, Metadata, Value as TreeValue};

use super::Lower;
use crate::code::{Call, Callee, Code, Operand};
use crate::facts::{Effects, Facts};
use crate::intrinsic::Intrinsic;
use crate::library::Library;
use crate::reason::Construct;
use crate::shape::Shape;
use crate::value::Value;

impl Lower<'_> {
    /// A call.
    pub(super) fn call(
        &self,
        caller: &irtext::Function,
        call: &TreeCall,
        attachments: &[(Arc<str>, Metadata)],
    ) -> Result<Code, Construct> {
        let called = match &call.callee {
            TreeValue::Constant(Constant::Global(symbol)) => self.called(symbol),
            TreeValue::Constant(Constant::Assembly(_)) => return Err(Construct::InlineAssembly),
            _ => None,
        };
        let (place, called) = called.unzip();
        let name = called.and_then(|function| function.name.as_deref());
        let intrinsic = match name.filter(|name| name.starts_with("llvm.")) {
            None => None,
            Some(name) => match Intrinsic::of(name) {
                Some(Intrinsic::Nothing) => return Ok(Code::Nothing),
                Some(intrinsic) => Some(intrinsic),
                None => return Err(Construct::Intrinsic(base_name(name).into())),
            },
        };
        let is_assume = intrinsic == Some(Intrinsic::Assume);
        if !call.bundles.is_empty() && !is_assume {
            return Err(Construct::OperandBundle((&*call.bundles[0].0).into()));
        }
        let own = self.module.expand(&call.attributes);
        let declared = called.map(|f| self.module.expand(&f.attributes)).unwrap_or_default();
        let outer = self.module.expand(&caller.attributes);
        let has = |word: &str| own.has(word) || declared.has(word);
        let allocates = |set: &Attributes| {
            set.0.iter().any(|a| matches!(a, Attribute::Words(name, _) if &**name == "allockind"))
        };
        if allocates(&own) || allocates(&declared) {
            return Err(Construct::Allocator);
        }
        let has_variant = |set: &Attributes| {
            let key = "vector-function-abi-variant";
            set.0.iter().any(|a| matches!(a, Attribute::Text(name, _) if name == key))
        };
        if has_variant(&own) || has_variant(&declared) {
            return Err(Construct::VectorVariant);
        }
        for word in ["convergent", "returns_twice", "strictfp"] {
            if has(word) {
                return Err(Construct::CallAttribute(word.into()));
            }
        }
        let callee = match (intrinsic, called) {
            (Some(intrinsic), _) => Callee::Intrinsic(intrinsic),
            (None, None) => {
                Callee::Indirect(self.operand(&irtext::Type::Pointer(0), &call.callee)?)
            }
            (None, Some(function)) => {
                if mismatch(call, function) {
                    return Err(Construct::CallTypeOrConvention);
                }
                // `builtin` at the call outweighs `nobuiltin` at the declaration.
                let plain = own.has("nobuiltin")
                    || declared.has("nobuiltin") && !own.has("builtin")
                    || no_builtin(&outer, name.unwrap_or(""));
                self.callee(place.unwrap_or(0), function, plain)
            }
        };
        self.finish(call, called, callee, attachments, (&own, &declared))
    }

    fn finish(
        &self,
        call: &TreeCall,
        called: Option<&irtext::Function>,
        callee: Callee,
        attachments: &[(Arc<str>, Metadata)],
        (own, declared): (&Attributes, &Attributes),
    ) -> Result<Code, Construct> {
        let is_assume = matches!(callee, Callee::Intrinsic(Intrinsic::Assume));
        let mut arguments = Vec::new();
        for (index, argument) in call.arguments.iter().enumerate() {
            let mut sets = vec![&argument.attributes];
            sets.extend(called.and_then(|f| f.params.get(index)).map(|p| &p.attributes));
            let facts = self.facts(&sets);
            if let Some(name) = &facts.unsupported {
                return Err(Construct::ArgumentAttribute(name.clone()));
            }
            if matches!(argument.value.value, TreeValue::Metadata(_)) {
                // Of no meaning to what is executed; its place is kept.
                arguments.push((Operand::Constant(Value::many(vec![])), Shape::Void, facts));
                continue;
            }
            let shape = self.shape(&argument.value.ty)?;
            arguments.push((self.typed(&argument.value)?, shape, facts));
        }
        let mut sets = vec![&call.result_attributes];
        sets.extend(called.map(|f| &f.result_attributes));
        let facts = self.facts(&sets).and(Facts::of_metadata(self.module, attachments));
        if let Some(name) = &facts.unsupported {
            return Err(Construct::ResultAttribute(name.clone()));
        }
        let mut bundles = Vec::new();
        for (name, operands) in call.bundles.iter().filter(|_| is_assume) {
            let operands = operands.iter().map(|o| Ok((self.typed(o)?, self.shape(&o.ty)?)));
            bundles.push((name.clone(), operands.collect::<Result<Vec<_>, Construct>>()?));
        }
        let has = |word: &str| own.has(word) || declared.has(word);
        Ok(Code::Call(Box::new(Call {
            callee,
            arguments,
            result: self.shape(&call.ty.result)?,
            facts,
            effects: Effects::of(self.module, &[own, declared]),
            fast: call.fast,
            no_return: has("noreturn"),
            bundles,
        })))
    }

    /// The function that a symbol names, and its place.
    fn called(&self, symbol: &irtext::Symbol) -> Option<(u32, &irtext::Function)> {
        let first = self.module.globals.len() + self.module.aliases.len();
        let place = self.place(symbol).ok()?;
        Some((place, self.module.functions.get((place as usize).checked_sub(first)?)?))
    }

    fn callee(&self, place: u32, function: &irtext::Function, plain: bool) -> Callee {
        let name = function.name.clone().unwrap_or_else(|| super::numbered(place));
        if let Some(library) = Library::of(&name) {
            // Declarations get attributes by their names, whatever a call says.
            let other = Library::Other((&*name).into());
            return Callee::Library(if plain { other } else { library });
        }
        match super::is_exact(function) {
            true => Callee::Known(self.mention(place)),
            false => Callee::World(name),
        }
    }
}

/// Whether the caller may not know library functions.
fn no_builtin(attributes: &Attributes, name: &str) -> bool {
    attributes.0.iter().any(|attribute| match attribute {
        Attribute::Text(key, _) => {
            key == "no-builtins"
                || key.strip_prefix("no-builtin-").is_some_and(|builtin| builtin == name)
        }
        _ => false,
    })
}

/// Whether a call says another type or calling convention than the function.
fn mismatch(call: &TreeCall, function: &irtext::Function) -> bool {
    let types = function.params.iter().map(|p| function.type_of(p.local));
    let fixed = function.params.len();
    call.convention != function.convention
        || call.ty.result != function.result
        || call.arguments.len() < fixed
        || (call.arguments.len() > fixed && !function.varargs)
        || call.arguments.iter().zip(types).any(|(a, ty)| a.value.ty != *ty)
}

/// The name of an intrinsic without the types behind it, so that refusals can be counted.
fn base_name(name: &str) -> String {
    let is_type = |part: &str| {
        let mut chars = part.chars();
        matches!(chars.next(), Some('i' | 'f' | 'v' | 'p' | 'n'))
            && part.chars().any(|c| c.is_ascii_digit())
            || part.starts_with("s_")
            || part.starts_with("sl_")
    };
    let parts: Vec<&str> = name.split('.').collect();
    let keep = parts.iter().rposition(|part| !is_type(part)).map_or(parts.len(), |last| last + 1);
    parts[..keep].join(".")
}
