//! Flags of Clang by family, as tables: what a test may draw.
//!
//! Of LLVM's own options (`-mllvm`) only such as move thresholds and widths: they choose among code that must
//! do the same, and are no switches of passes that are not ready.

use super::family::FlagFamily;

/// The rows of a family.
pub(super) fn rows(family: FlagFamily) -> &'static [&'static str] {
    match family {
        FlagFamily::Plain | FlagFamily::Processor => &[],
        FlagFamily::Vector => VECTOR,
        FlagFamily::CostModel => COST_MODEL,
        FlagFamily::Limits => LIMITS,
        FlagFamily::PassesOff => PASSES_OFF,
        FlagFamily::PassesOn => PASSES_ON,
        FlagFamily::Promises => PROMISES,
        FlagFamily::WholeProgram => &["-flto", "-flto=thin"],
        // Its profiles go through llvm-profdata of the same version.
        FlagFamily::Profile => &[],
        FlagFamily::Sanitizer => SANITIZER,
    }
}

const VECTOR: &[&str] = &[
    "-mprefer-vector-width=128",
    "-mprefer-vector-width=256",
    "-mprefer-vector-width=512",
    "-mllvm -force-vector-width=2",
    "-mllvm -force-vector-width=4",
    "-mllvm -force-vector-width=8",
    "-mllvm -force-vector-interleave=2",
    "-mllvm -force-vector-interleave=4",
    "-mllvm -slp-threshold=-50",
    "-mllvm -slp-max-reg-size=128",
    "-mllvm -vectorizer-min-trip-count=1",
];

const COST_MODEL: &[&str] = &[
    "-mtune=atom",
    "-mtune=k8",
    "-mtune=znver3",
    "-mtune=skylake-avx512",
    "-mtune=silvermont",
    "-mllvm -two-entry-phi-node-folding-threshold=20",
    "-mllvm -phi-node-folding-threshold=10",
    "-mllvm -bonus-inst-threshold=8",
    "-mllvm -speculate-one-expensive-inst=0",
    "-mllvm -likely-branch-weight=1",
];

const LIMITS: &[&str] = &[
    "-mllvm -inline-threshold=0",
    "-mllvm -inline-threshold=1000",
    "-mllvm -inlinehint-threshold=0",
    "-mllvm -unroll-threshold=1000",
    "-mllvm -unroll-count=3",
    "-mllvm -unroll-count=4",
    "-mllvm -unroll-allow-partial",
    "-mllvm -unroll-runtime",
    "-mllvm -unroll-allow-remainder",
    "-mllvm -unroll-max-iteration-count-to-analyze=64",
    "-mllvm -unswitch-threshold=400",
    "-mllvm -jump-threading-threshold=30",
    "-mllvm -rotation-max-header-size=100",
    "-mllvm -memdep-block-scan-limit=1000",
    "-mllvm -memdep-block-scan-limit=2",
    "-mllvm -dse-memoryssa-scanlimit=1000",
    "-mllvm -available-load-scan-limit=100",
    "-mllvm -available-load-scan-limit=1",
    "-mllvm -licm-mssa-optimization-cap=1",
    "-mllvm -scalar-evolution-max-arith-depth=2",
    "-mllvm -max-dependences=2",
    "-mllvm -funcspec-min-function-size=1",
];

const PASSES_OFF: &[&str] = &[
    "-fno-unroll-loops",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-fno-inline",
    "-fno-inline-functions",
    "-fno-optimize-sibling-calls",
    "-fno-jump-tables",
    "-fno-builtin",
    "-fno-finite-loops",
];

const PASSES_ON: &[&str] = &[
    "-funroll-loops",
    "-fvectorize",
    "-fslp-vectorize",
    "-finline-functions",
    "-ftrivial-auto-var-init=pattern",
    "-fzero-call-used-regs=all",
    "-fzero-call-used-regs=used-gpr",
];

/// What a program promises less of, or how it is laid out.
const PROMISES: &[&str] = &[
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-delete-null-pointer-checks",
    "-fPIC",
    "-fno-plt",
    "-fno-omit-frame-pointer",
    "-fstack-protector-strong",
    "-fstack-clash-protection",
    "-fcf-protection=full",
    "-ffunction-sections -fdata-sections",
    "-fexceptions",
    "-g",
    "-mno-red-zone",
    "-mstackrealign",
];

const SANITIZER: &[&str] = &[
    "-fsanitize=undefined -fno-sanitize-recover=all",
    "-fsanitize=address",
    "-fsanitize=undefined,address -fno-sanitize-recover=all",
    "-fsanitize=memory",
];
