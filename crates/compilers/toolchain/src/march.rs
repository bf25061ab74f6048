//! Random instruction sets: `-march` with extensions that are drawn, and what they need.
//!
//! What is drawn is a function of the seed alone. Whether a compiler takes it, and whether its programs run,
//! is asked before it is used, as of every extra ([`crate::survey()`]): a compiler or an emulator that does not know
//! an extension loses that one set and nothing else.

use choice::Choices;

use crate::isa::QemuArch;

/// Extensions of RISC-V behind `rv64gc`, each with those it needs, in the order in which they are written.
const RISCV: &[(&str, &[&str])] = &[
    ("zicond", &[]),
    ("zfhmin", &[]),
    ("zfh", &["zfhmin"]),
    ("zfa", &[]),
    ("zba", &[]),
    ("zbb", &[]),
    ("zbc", &[]),
    ("zbs", &[]),
    ("zbkb", &[]),
    ("zbkc", &[]),
    ("zbkx", &[]),
    ("zknd", &[]),
    ("zkne", &[]),
    ("zknh", &[]),
    ("zvbb", &["v"]),
    ("zvfh", &["v", "zfhmin"]),
    ("zvl256b", &["v"]),
    ("zvl512b", &["v"]),
    ("zvl1024b", &["v"]),
];

/// Extensions of AArch64, each with those it needs.
const AARCH64: &[(&str, &[&str])] = &[
    ("crc", &[]),
    ("lse", &[]),
    ("rdma", &[]),
    ("dotprod", &[]),
    ("fp16", &[]),
    ("fp16fml", &["fp16"]),
    ("i8mm", &[]),
    ("bf16", &[]),
    ("sve", &["fp16"]),
    ("sve2", &["sve"]),
    ("sve2-bitperm", &["sve2"]),
    ("sha3", &[]),
    ("rcpc", &[]),
];

/// Extensions of x86, each with those it needs.
const X86: &[(&str, &[&str])] = &[
    ("sse3", &[]),
    ("ssse3", &[]),
    ("sse4.1", &[]),
    ("sse4.2", &[]),
    ("popcnt", &[]),
    ("lzcnt", &[]),
    ("bmi", &[]),
    ("bmi2", &[]),
    ("avx", &[]),
    ("avx2", &["avx"]),
    ("fma", &["avx"]),
    ("f16c", &["avx"]),
    ("movbe", &[]),
];

/// One extension in so many joins a set, about: a program that fails with most of them on says nothing about which.
const SHARE: u64 = 3;

/// How often a set that is there already is drawn again.
const TRIES: usize = 8;

/// So many different instruction sets for a triple, at most: none where its processor has no extensions that we know.
pub fn draw(triple: &str, count: usize, choices: &mut Choices) -> Vec<String> {
    let processor = triple.split('-').next().unwrap_or_default();
    let mut drawn: Vec<String> = Vec::new();
    for _ in 0..count * TRIES {
        if drawn.len() == count {
            break;
        }
        let flags = match QemuArch::of(processor) {
            Some(QemuArch::Riscv) if processor.starts_with("riscv64") => riscv(choices),
            Some(QemuArch::Aarch64) => aarch64(choices),
            Some(QemuArch::X86) => x86(processor == "x86_64", choices),
            // Their names do not compose.
            Some(QemuArch::Power) => format!("-mcpu=power{}", choices.range(8..=10)),
            Some(QemuArch::S390) => format!("-march=z{}", choices.range(13..=16)),
            Some(QemuArch::Arm) => {
                format!("-march={}", ARM[choices.range(0..=ARM.len() as i64 - 1) as usize])
            }
            _ => return drawn,
        };
        if flags.is_empty() {
            continue;
        }
        // With a level it is a set of its own: two instruction sets in one say less about either.
        let set = format!("{} {flags}", if choices.range(0..=2) == 0 { "-O2" } else { "-O3" });
        if !drawn.contains(&set) {
            drawn.push(set);
        }
    }
    drawn
}

const ARM: &[&str] =
    &["armv7-a+neon", "armv7-a+neon-vfpv4", "armv8-a+simd", "armv8.2-a+simd+dotprod"];

/// The extensions that are drawn, closed under what they need, in their order.
fn subset(all: &[(&'static str, &[&'static str])], choices: &mut Choices) -> Vec<&'static str> {
    let mut chosen: Vec<&'static str> = Vec::new();
    for (name, _) in all {
        if choices.range(0..=SHARE as i64 - 1) == 0 {
            chosen.push(name);
        }
    }
    // Backwards, for what is needed stands before what needs it.
    for (name, needs) in all.iter().rev() {
        if chosen.contains(name) {
            let missing = needs.iter().filter(|need| !chosen.contains(need)).copied();
            let missing: Vec<&'static str> = missing.collect();
            chosen.extend(missing);
        }
    }
    let place = |name: &str| all.iter().position(|(known, _)| *known == name);
    chosen.sort_by_key(|name| place(name));
    chosen
}

fn riscv(choices: &mut Choices) -> String {
    let chosen = subset(RISCV, choices);
    let (letters, words): (Vec<&str>, Vec<&str>) = chosen.iter().partition(|name| name.len() == 1);
    let is_vector = letters.contains(&"v") || choices.range(0..=1) == 0;
    let words: String = words.iter().map(|word| format!("_{word}")).collect();
    format!("-march=rv64gc{}{words}", if is_vector { "v" } else { "" })
}

fn aarch64(choices: &mut Choices) -> String {
    // 8.0 to 8.6 are what QEMU of Debian 12 and its compilers have in common.
    let minor = choices.range(0..=6);
    let base = if minor == 0 { "armv8-a".to_string() } else { format!("armv8.{minor}-a") };
    let words: String = subset(AARCH64, choices).iter().map(|word| format!("+{word}")).collect();
    format!("-march={base}{words}")
}

fn x86(is_wide: bool, choices: &mut Choices) -> String {
    if is_wide && choices.range(0..=1) == 0 {
        return format!("-march=x86-64-v{}", choices.range(2..=4));
    }
    let words = subset(X86, choices);
    words.iter().map(|word| format!("-m{word}")).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(triple: &str, seed: u64) -> Vec<String> {
        draw(triple, 6, &mut Choices::new(seed))
    }

    #[test]
    fn sets_are_deterministic_and_different() {
        for triple in ["riscv64-unknown-linux-gnu", "aarch64-linux-gnu", "x86_64-linux-gnu"] {
            assert_eq!(drawn(triple, 7), drawn(triple, 7));
            assert_ne!(drawn(triple, 7), drawn(triple, 8), "{triple}");
            assert_eq!(drawn(triple, 7).len(), 6, "{triple}");
        }
        assert!(drawn("pdp11-dec-unix", 1).is_empty());
    }

    #[test]
    fn what_is_needed_is_there() {
        for seed in 0..200 {
            for march in drawn("riscv64-linux-gnu", seed) {
                let is_vector = march.contains("-march=rv64gcv");
                assert!(is_vector || !march.contains("_zv"), "{march}");
                assert!(!march.contains("_zvfh") || march.contains("_zfhmin"), "{march}");
            }
            for march in drawn("aarch64-linux-gnu", seed) {
                let has = |word: &str| march.split('+').any(|w| w == word);
                assert!(!has("sve2") || has("sve"), "{march}");
                assert!(!has("sve") || has("fp16"), "{march}");
            }
        }
    }
}
