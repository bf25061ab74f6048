//! Passes that are left out, by name, each with its reason.
//!
//! What is kept must keep the meaning of a whole C program. A name that no line here matches is kept if
//! the pass survives the probes: new versions bring new transformations. A `*` stands for anything.

/// Reasons and the names they hold for.
const RULES: &[(&str, &str)] = &[
    (
        "prints, draws or counts, and changes nothing",
        "print print-* print<* dot-* view-* *-printer aa-eval pa-eval annotation-remarks count-visits \
         instcount kernel-info lint",
    ),
    ("checks, and changes nothing", "verify *-verify transform-warning"),
    ("analyses, and changes nothing", "require *-divergence-analysis"),
    ("does nothing, or harm on purpose", "helloworld no-op-* invalidate trigger-*"),
    (
        "is a whole pipeline",
        "default lto* thinlto* fatlto* function-simplification inliner-wrapper* inliner-ml-advisor-* \
         scc-oz-module-inliner extra-*-passes",
    ),
    (
        "instruments the program for a run-time library",
        "asan* hwasan* msan* tsan* tysan* nsan* rtsan* dfsan* sancov* sanmd* kcfi memprof memprof-module \
         bounds-checking safe-stack stack-protector jmc-instrumenter ee-instrument poison-checking \
         alloc-token lower-allow-check cfguard",
    ),
    (
        "needs or makes a profile",
        "pgo-* sample-profile* pseudo-probe* insert-gcov* instrprof* instrorderfile ctx-* chr memprof-* \
         prof-* synthetic-counts-propagation assign-guid strip-dead-cg-profile",
    ),
    (
        "is for linking several modules",
        "canonicalize-aliases cross-dso-cfi embed-bitcode function-import internalize lowertypetests \
         name-anon-globals noinline-nonprevailing *-lto-inference simplify-type-tests wholeprogramdevirt",
    ),
    (
        "is for other languages",
        "coro-* objc-arc* swift-* guard-widening lower-guard-intrinsic make-guards-explicit \
         lower-widenable-condition place-safepoints rewrite-statepoints-for-gc *gc-lowering \
         strip-gc-relocates *-eh-prepare",
    ),
    (
        "is for other machines",
        "aarch64-* amdgpu-* bpf-* dxil-* hipstdpar-* nvptx-* nvvm-* r600-* spirv-* wasm-* \
         infer-address-spaces hardware-loops",
    ),
    (
        "prepares the module for a code generator",
        "atomic-expand callbr-prepare codegenprepare complex-deinterleaving declare-runtime-libcalls \
         expand-* global-merge* indirectbr-expand inline-asm-prepare interleaved-* *-machine-function \
         lower-emutls lower-global-dtors lower-ifunc pre-isel-intrinsic-lowering replace-with-veclib \
         scalarize-masked-mem-intrin select-optimize tlshoist typepromotion x86-*",
    ),
    (
        "changes names or debug information only",
        "add-discriminators check-debugify debugify declare-to-assign instnamer metarenamer normalize \
         redundant-dbg-inst-elim rewrite-symbols strip-dead-debug-info strip-debug-declare \
         strip-nonlinetable-debuginfo",
    ),
    ("takes the program apart", "extract-blocks"),
];

/// Why a pass is left out by its name alone.
pub(super) fn reason(name: &str) -> Option<&'static str> {
    // With whatever parameters.
    let base = name.split('<').next().unwrap_or(name);
    let is_meant = |pattern: &str| matches(pattern, name) || matches(pattern, base);
    let holds = |names: &str| names.split_whitespace().any(is_meant);
    RULES.iter().find(|(_, names)| holds(names)).map(|(reason, _)| *reason)
}

/// At most one `*`, which stands for anything.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((head, tail)) => {
            name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("dce", "dce", true),
            ("dce", "adce", false),
            ("pgo-*", "pgo-memop-opt", true),
            ("*-eh-prepare", "dwarf-eh-prepare", true),
            ("ab*ba", "aba", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn what_transforms_is_kept() {
        for name in ["instcombine", "licm", "early-cse<memssa>", "inline", "globaldce", "strip"] {
            assert_eq!(reason(name), None, "{name}");
        }
        for name in ["print<memoryssa>", "require<memdep>", "asan", "ee-instrument<post-inline>"] {
            assert!(reason(name).is_some(), "{name}");
        }
    }
}
