//! Seeds and crossovers with LLVM 15.

mod common;

#[test]
fn seeds_and_crossovers() {
    common::all("15");
}
