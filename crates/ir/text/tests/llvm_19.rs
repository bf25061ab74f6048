//! Modules with everything in them, through LLVM 19.

mod common;

#[test]
fn modules_come_through_llvm_19() {
    common::round_trips("19", &["common.ll", "middle.ll", "new.ll"]);
}
