//! Modules with everything in them, through LLVM 16.

mod common;

#[test]
fn modules_come_through_llvm_16() {
    common::round_trips("16", &["common.ll", "old.ll", "middle.ll"]);
}
