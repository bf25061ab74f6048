//! Exports what libraries that count their own coverage call when they are loaded: see
//! `crates/llvm/coverage/src/counters.rs`.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    for name in ["__sanitizer_cov_8bit_counters_init", "__sanitizer_cov_pcs_init"] {
        println!(
            "cargo::rustc-link-arg-bins=-Wl,--undefined={name},--export-dynamic-symbol={name}"
        );
    }
}
