//! Seeds and crossovers with LLVM 22.

mod common;

#[test]
fn seeds_and_crossovers() {
    common::all("22");
}
