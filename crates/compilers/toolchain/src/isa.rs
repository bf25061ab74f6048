//! The `-cpu` of QEMU that programs need which were compiled with given flags.
//!
//! An instruction set that flags name (`-march`, `-mcpu`) has to be there when the program runs, and so has
//! the length of vector registers that they promise (`zvl512b`, `-msve-vector-bits=512`): a program that was
//! compiled for another length prints something else, and no compiler is to blame. Where an emulator can have
//! everything at once (`max`), it gets that. What an emulator does not have it refuses when it starts, which
//! says nothing about the compiler either. Not here: processors by their names (`-mcpu=sifive-x280`); for
//! these, a configuration gives a runner of its own.

use serde::{Deserialize, Serialize};

/// Processors that QEMU has to be told about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum QemuArch {
    /// `qemu-riscv64`, `qemu-riscv32`.
    Riscv,
    /// `qemu-aarch64`.
    Aarch64,
    /// `qemu-arm`.
    Arm,
    /// `qemu-ppc64`, `qemu-ppc64le`.
    Power,
    /// `qemu-s390x`.
    S390,
    /// `qemu-mips` and `qemu-mipsel`.
    Mips32,
    /// `qemu-mips64` and `qemu-mips64el`.
    Mips64,
    /// `qemu-i386`, `qemu-x86_64`.
    X86,
}

/// How an emulator is told of the processor that a target needs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CpuRule {
    /// Which processor.
    pub arch: QemuArch,
    /// Properties (`vlen=512`) besides those that flags ask for, and stronger than they.
    pub properties: Vec<String>,
}

/// Extensions of RISC-V that QEMU's `rv64` always has, that are part of another letter there, or that only
/// hint: it knows no property for them, or did not when it could already run them.
const RISCV_INHERENT: &[&str] = &[
    "zicsr",
    "zifencei",
    "zihintpause",
    "zihintntl",
    "zicbop",
    "zicntr",
    "zihpm",
    "zic64b",
    "zca",
    "zcd",
    "zaamo",
    "zalrsc",
];

/// Bits of a vector register that the V extension guarantees.
const V_LENGTH: u32 = 128;

/// Bits of an SVE register that one step of `sve-max-vq` stands for.
const QUADWORD: u32 = 128;

impl QemuArch {
    /// By the first word of a triple.
    pub(crate) fn of(processor: &str) -> Option<QemuArch> {
        let begins = |word: &str| processor.starts_with(word);
        Some(match processor {
            "i386" | "i486" | "i586" | "i686" | "x86_64" => QemuArch::X86,
            "s390x" => QemuArch::S390,
            _ if begins("riscv") => QemuArch::Riscv,
            _ if begins("aarch64") || begins("arm64") => QemuArch::Aarch64,
            _ if begins("arm") => QemuArch::Arm,
            _ if begins("powerpc64") || begins("ppc64") => QemuArch::Power,
            _ if begins("mips64") || begins("mipsisa64") => QemuArch::Mips64,
            _ if begins("mips") => QemuArch::Mips32,
            _ => return None,
        })
    }
}

impl CpuRule {
    /// What stands behind `-cpu` for these flags; `None` where the emulator's own processor will do.
    pub fn cpu(&self, flags: &[String]) -> Option<String> {
        // Of several the last counts, as for compilers.
        let value = |name: &str| {
            flags.iter().rev().find_map(|flag| flag.strip_prefix(name)?.strip_prefix('='))
        };
        let march = value("-march");
        let named = march.or(value("-mcpu"));
        let (model, mut properties) = match self.arch {
            QemuArch::Riscv => {
                let (bits, properties) =
                    riscv(march.unwrap_or_default(), value("-mrvv-vector-bits"));
                (format!("rv{bits}"), properties)
            }
            QemuArch::Aarch64 => ("max".into(), sve(value("-msve-vector-bits"))),
            QemuArch::Arm | QemuArch::S390 | QemuArch::X86 => ("max".into(), Vec::new()),
            QemuArch::Power => (power(named)?, Vec::new()),
            QemuArch::Mips32 => (mips32(named)?.into(), Vec::new()),
            QemuArch::Mips64 => (mips64(named)?.into(), Vec::new()),
        };
        let is_plain = match self.arch {
            QemuArch::Riscv => properties.is_empty(),
            _ => named.is_none() && properties.is_empty() && !is_vector_flag(flags),
        };
        if is_plain && self.properties.is_empty() {
            return None;
        }
        for own in &self.properties {
            let name = property_name(own);
            properties.retain(|known| property_name(known) != name);
            properties.push(own.clone());
        }
        Some(std::iter::once(model).chain(properties).collect::<Vec<_>>().join(","))
    }
}

fn property_name(property: &str) -> &str {
    property.split('=').next().unwrap_or(property)
}

/// Whether flags ask for vectors without naming a processor (`-mavx2`, `-mfpu=neon`, `-mvx`).
fn is_vector_flag(flags: &[String]) -> bool {
    const OTHER: &[&str] =
        &["-mtune", "-mcmodel", "-m32", "-m64", "-mllvm", "-mno-", "-mabi", "-mfloat-abi"];
    flags.iter().any(|flag| flag.starts_with("-m") && !OTHER.iter().any(|o| flag.starts_with(o)))
}

/// The width and the properties of `rv64gcv_zba_zvl256b`.
fn riscv(march: &str, vector_bits: Option<&str>) -> (u32, Vec<String>) {
    let lower = march.to_lowercase();
    let (bits, rest) = match lower.strip_prefix("rv32") {
        Some(rest) => (32, rest),
        None => (64, lower.strip_prefix("rv64").unwrap_or_default()),
    };
    let mut words = rest.split('_');
    let mut extensions: Vec<String> = Vec::new();
    let first = words.next().unwrap_or_default();
    // Extensions with names may follow the letters without a line between: `rv64gczba`.
    let letters = first.find(['z', 's', 'x']).unwrap_or(first.len());
    extensions.extend(first[..letters].chars().filter(char::is_ascii_alphabetic).map(String::from));
    extensions.extend(Some(&first[letters..]).filter(|w| !w.is_empty()).map(without_version));
    extensions.extend(words.filter(|w| !w.is_empty()).map(without_version));
    let mut length = extensions
        .iter()
        .filter_map(|e| e.strip_prefix("zvl")?.strip_suffix('b')?.parse().ok())
        .max();
    if let Some(exact) = vector_bits.and_then(|bits| bits.parse().ok()) {
        length = Some(exact);
    }
    let is_vector = |e: &String| e == "v" || e.starts_with("zve") || e.starts_with("zvl");
    let mut properties = Vec::new();
    if extensions.iter().any(is_vector) {
        let length = length.unwrap_or(V_LENGTH).max(V_LENGTH);
        properties.extend(["v=true".to_string(), format!("vlen={length}"), "elen=64".to_string()]);
    }
    for extension in extensions {
        let is_named = extension.len() > 1 && !extension.starts_with('s');
        let is_inherent = RISCV_INHERENT.contains(&extension.as_str());
        if is_named && !is_inherent && !is_vector(&extension) {
            properties.push(format!("{extension}=true"));
        }
    }
    (bits, properties)
}

/// `zba1p0` as `zba`.
fn without_version(extension: &str) -> String {
    let Some((front, minor)) = extension.rsplit_once('p') else { return extension.into() };
    let name = front.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_version =
        !minor.is_empty() && minor.bytes().all(|b| b.is_ascii_digit()) && name.len() < front.len();
    if is_version { name.into() } else { extension.into() }
}

/// A fixed length of SVE's registers; without one, a program is right at any length.
fn sve(bits: Option<&str>) -> Vec<String> {
    let bits: Option<u32> =
        bits.map(|bits| bits.trim_end_matches('+')).and_then(|bits| bits.parse().ok());
    bits.map(|bits| format!("sve-max-vq={}", bits / QUADWORD)).into_iter().collect()
}

/// `power9` and later; the emulator's own processor has what came before.
fn power(named: Option<&str>) -> Option<String> {
    let name = named?.to_lowercase();
    let number = name.strip_prefix("power").or_else(|| name.strip_prefix("pwr"))?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| format!("power{number}"))
}

fn mips32(named: Option<&str>) -> Option<&'static str> {
    Some(match named? {
        "mips32r6" => "mips32r6-generic",
        "mips32r2" | "mips32r3" | "mips32r5" | "p5600" => "P5600",
        _ => return None,
    })
}

fn mips64(named: Option<&str>) -> Option<&'static str> {
    Some(match named? {
        "mips64r6" | "i6400" => "I6400",
        "mips64r2" | "mips64r3" | "mips64r5" => "MIPS64R2-generic",
        "loongson3a" | "gs464" => "Loongson-3A1000",
        "gs464e" | "gs264e" => "Loongson-3A4000",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu(arch: QemuArch, properties: &[&str], flags: &str) -> Option<String> {
        let properties = properties.iter().map(ToString::to_string).collect();
        let flags: Vec<String> = flags.split_whitespace().map(String::from).collect();
        CpuRule { arch, properties }.cpu(&flags)
    }

    #[track_caller]
    fn same(arch: QemuArch, flags: &str, want: &str) {
        assert_eq!(cpu(arch, &[], flags).as_deref().unwrap_or_default(), want, "{flags}");
    }

    #[test]
    fn riscv_by_march() {
        let riscv = |flags, want| same(QemuArch::Riscv, flags, want);
        riscv("-O2", "");
        riscv("-march=rv64gc", "");
        riscv("-march=rv64imafdc_zicsr_zifencei", "");
        riscv("-march=rv64gcv", "rv64,v=true,vlen=128,elen=64");
        riscv("-march=rv64gcv_zvl512b -O3", "rv64,v=true,vlen=512,elen=64");
        riscv("-march=rv64gcv_zvl128b_zvl1024b", "rv64,v=true,vlen=1024,elen=64");
        riscv("-march=rv64gc_zve32x_zvl32b", "rv64,v=true,vlen=128,elen=64");
        riscv("-march=rv64gc_zba_zbb1p0", "rv64,zba=true,zbb=true");
        riscv("-march=rv64gczba", "rv64,zba=true");
        riscv("-march=rv64gc -march=rv64gc_zbs", "rv64,zbs=true");
        riscv("-march=rv64gcv -mrvv-vector-bits=256", "rv64,v=true,vlen=256,elen=64");
        riscv("-march=rv64gcv_zvl256b -mrvv-vector-bits=zvl", "rv64,v=true,vlen=256,elen=64");
        riscv("-march=rv32imac_zbkb", "rv32,zbkb=true");
        riscv("-mcpu=sifive-u74", "");
    }

    #[test]
    fn own_properties_are_stronger() {
        let own = |properties: &[&str], flags| cpu(QemuArch::Riscv, properties, flags);
        let got = own(&["vlen=1024"], "-march=rv64gcv").expect("a processor");
        assert_eq!(got, "rv64,v=true,elen=64,vlen=1024");
        assert_eq!(own(&["zfh=true"], "-O2").as_deref(), Some("rv64,zfh=true"));
        assert_eq!(cpu(QemuArch::Aarch64, &["sve256=on"], "-O2").as_deref(), Some("max,sve256=on"));
    }

    #[test]
    fn other_processors() {
        same(QemuArch::Aarch64, "-O2", "");
        same(QemuArch::Aarch64, "-march=armv8-a+sve", "max");
        same(QemuArch::Aarch64, "-march=armv9-a -msve-vector-bits=512", "max,sve-max-vq=4");
        same(QemuArch::Arm, "-mfpu=neon -mfloat-abi=hard", "max");
        same(QemuArch::Arm, "-mfloat-abi=hard -mtune=cortex-a9", "");
        same(QemuArch::S390, "-march=z14 -mzvector", "max");
        same(QemuArch::Power, "-mcpu=power10", "power10");
        same(QemuArch::Power, "-mcpu=pwr8", "power8");
        same(QemuArch::Power, "-O2", "");
        same(QemuArch::Mips32, "-march=mips32r6", "mips32r6-generic");
        same(QemuArch::Mips32, "-O2", "");
        same(QemuArch::Mips64, "-march=mips64r6", "I6400");
        same(QemuArch::X86, "-m32 -mtune=generic", "");
        same(QemuArch::X86, "-march=x86-64-v3", "max");
        same(QemuArch::X86, "-msse4.2", "max");
    }

    #[test]
    fn processors_by_their_triples() {
        let of = QemuArch::of;
        assert_eq!(of("riscv32"), Some(QemuArch::Riscv));
        assert_eq!(of("armv7l"), Some(QemuArch::Arm));
        assert_eq!(of("aarch64_be"), Some(QemuArch::Aarch64));
        assert_eq!(of("mipsisa64r6el"), Some(QemuArch::Mips64));
        assert_eq!(of("mipsel"), Some(QemuArch::Mips32));
        assert_eq!(of("powerpc64le"), Some(QemuArch::Power));
        assert_eq!(of("pdp11"), None);
    }
}
