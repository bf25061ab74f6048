//! Seeds and crossovers with LLVM 19.

mod common;

#[test]
fn seeds_and_crossovers() {
    common::all("19");
}
