//! Seeds and crossovers with LLVM 14.

mod common;

#[test]
fn seeds_and_crossovers() {
    common::all("14");
}
