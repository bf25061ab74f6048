//! Two seeds in one module.
//!
//! The first keeps its names. What the second defines is named apart, and so is what it declares under a
//! name that means something else in the first; declarations that agree become one. Seeds have no comdats,
//! aliases or appending lists (`split` sees to that). Module flags that contradict each other are refused,
//! by LLVM's linker.

use std::collections::BTreeSet;

use llvmhost::{Context, Linkage, Module, Value};

use crate::facts::text;
use crate::mutate::CrossoverFailure;

/// A module of two.
#[derive(Debug)]
pub(crate) struct Merged<'c> {
    /// Both.
    pub module: Module<'c>,
    /// Functions that the first defined.
    pub first: Vec<String>,
    /// Functions that the second defined, by their new names.
    pub second: Vec<String>,
}

/// Reads both and puts the second into the first.
pub(crate) fn merge<'c>(
    context: &'c Context<'c>,
    first: &[u8],
    second: &[u8],
) -> Result<Merged<'c>, CrossoverFailure> {
    let parse = |bytes| context.parse(bytes, "crossover").map_err(|e| CrossoverFailure::Parse(e.0));
    let (mut module, other) = (parse(first)?, parse(second)?);
    module.rename("crossover");
    let mut taken: BTreeSet<String> = [&module, &other].into_iter().flat_map(names).collect();
    for value in other.globals().into_iter().chain(other.functions()) {
        if clashes(&module, value) {
            let name = free_name(&value.name(), &taken);
            value.set_name(&name);
            taken.insert(name);
        }
    }
    let defined = |module: &Module<'c>| module.definitions().into_iter().map(Value::name).collect();
    let (first, second) = (defined(&module), defined(&other));
    context.errors();
    // What comes after a colon may have addresses in it, which are others each time.
    let reason = |text: String| text.split(": '").next().unwrap_or_default().to_string();
    module.link(other).map_err(|e| CrossoverFailure::Merge(reason(e.0)))?;
    Ok(Merged { module, first, second })
}

fn names(module: &Module<'_>) -> Vec<String> {
    module.globals().into_iter().chain(module.functions()).map(Value::name).collect()
}

/// Whether a value of the second must not keep its name.
fn clashes(first: &Module<'_>, value: Value<'_>) -> bool {
    let name = value.name();
    let Some(other) = first.function(&name).or_else(|| first.global(&name)) else { return false };
    if value.is_function() && value.is_intrinsic() {
        return false;
    }
    // What the first keeps to itself is not what the second means. Equal texts, since structs of one name are two types until they are linked.
    !value.is_declaration()
        || matches!(other.linkage(), Linkage::Internal | Linkage::Private)
        || value.is_function() != other.is_function()
        || value.ty() != other.ty()
        || text(value.content_type()) != text(other.content_type())
}

/// A name like this one. A number at its end gives way, so that names stay short over generations.
fn free_name(name: &str, taken: &BTreeSet<String>) -> String {
    let base = match name.rsplit_once('.') {
        Some((base, number)) if !base.is_empty() && number.parse::<u32>().is_ok() => base,
        _ => name,
    };
    let numbered = (1u32..).map(|number| format!("{base}.{number}"));
    numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or_else(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_short() {
        let taken: BTreeSet<String> = ["f", "f.1", "f.2", ".1"].map(String::from).into();
        assert_eq!(free_name("f", &taken), "f.3");
        assert_eq!(free_name("f.1", &taken), "f.3");
        assert_eq!(free_name("g.x", &taken), "g.x.1");
        assert_eq!(free_name(".1", &taken), ".1.1");
    }
}
