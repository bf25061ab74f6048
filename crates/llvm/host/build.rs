//! Lets the tests load instrumented libraries: see `crates/llvm/coverage/src/counters.rs`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["__sanitizer_cov_8bit_counters_init", "__sanitizer_cov_pcs_init"] {
        println!(
            "cargo::rustc-link-arg-tests=-Wl,--undefined={name},--export-dynamic-symbol={name}"
        );
    }
}
