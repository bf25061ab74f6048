//! Removal of what a module no longer needs.

use std::collections::BTreeMap;

use llvmhost::{Broken, Linkage, Module, Running};

/// Runs passes that remove what is unused, and lets them remove global variables as if nothing outside referred to
/// them. What is left is linked as before.
pub(crate) fn prune(module: &mut Module<'_>, passes: &str) -> Result<(), Broken> {
    let mut before = BTreeMap::new();
    for global in module.globals() {
        if !global.is_declaration() && global.linkage() != Linkage::Appending {
            before.insert(global.name(), global.linkage());
            global.set_linkage(Linkage::LinkOnceOdr);
        }
    }
    module.run(passes, None, Running::default())?;
    for global in module.globals() {
        if let Some(&linkage) = before.get(&global.name()) {
            global.set_linkage(linkage);
        }
    }
    Ok(())
}
