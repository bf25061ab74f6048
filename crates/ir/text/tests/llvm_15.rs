//! Modules with everything in them, through LLVM 15.

mod common;

#[test]
fn modules_come_through_llvm_15() {
    common::round_trips("15", &["common.ll", "old.ll"]);
}
