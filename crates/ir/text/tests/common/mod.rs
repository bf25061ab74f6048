//! A round trip through one libLLVM: what it prints is read, printed, and printed by it again.

use std::path::Path;

use llvmhost::{Context, Installed, Llvm};

/// Puts each module before the library of a version. It opens the library in this process, so only one test
/// of a program may call it, and fails if the library is not installed.
pub fn round_trips(version: &str, modules: &[&str]) {
    let found = Installed::named(version).expect("the library is installed: cargo xtask setup");
    let llvm = Llvm::open(&found.path, found.major).expect("it opens");
    for name in modules {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/modules").join(name);
        let written = std::fs::read_to_string(file).expect("the module is there");
        let first = printed(&llvm, &written);
        for (what, text) in [("as written", &written), ("as LLVM prints it", &first)] {
            let module =
                irtext::parse(text).unwrap_or_else(|refused| panic!("{name} {what}: {refused}"));
            let ours = irtext::print(&module);
            same(&printed(&llvm, &ours), &printed(&llvm, text), &format!("{name} {what}"));
            let again =
                irtext::parse(&ours).unwrap_or_else(|refused| panic!("{name} {what}: {refused}"));
            same(&irtext::print(&again), &ours, &format!("{name} {what}, by us"));
        }
    }
}

/// Fails with the first line that differs.
fn same(one: &str, other: &str, what: &str) {
    if let Some((one, other)) = one.lines().zip(other.lines()).find(|(one, other)| one != other) {
        panic!("{what}:\n{one}\n{other}");
    }
    assert_eq!(one.len(), other.len(), "{what}");
}

fn printed(llvm: &Llvm, text: &str) -> String {
    let context = Context::new(llvm);
    let module = context.parse(text.as_bytes(), "module");
    let module = module.unwrap_or_else(|broken| panic!("LLVM does not take it: {}", broken.0));
    module.verify().unwrap_or_else(|broken| panic!("LLVM's verifier: {}", broken.0));
    module.text()
}
