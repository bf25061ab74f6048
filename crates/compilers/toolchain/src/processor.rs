//! Processors by their names in triples, and the emulators that run programs for them.

use std::env::consts::ARCH;
use std::ffi::OsString;

use std::path::Path;

use sandbox::Root;

use crate::cross;
use crate::find::{executable, on_path};
use crate::isa::{CpuRule, QemuArch};
use crate::runner::{Emulator, Runner};

/// A triple's first word and what QEMU calls it, where that is another name.
const RENAMED: &[(&str, &str)] = &[
    ("i486", "i386"),
    ("i586", "i386"),
    ("i686", "i386"),
    ("powerpc", "ppc"),
    ("powerpc64", "ppc64"),
    ("powerpc64le", "ppc64le"),
    ("mipsisa32r6", "mips"),
    ("mipsisa32r6el", "mipsel"),
    ("mipsisa64r6", "mips64"),
    ("mipsisa64r6el", "mips64el"),
];

/// Whether programs for this machine run here without help.
pub(crate) fn is_native(triple: &str) -> bool {
    processor(triple) == ARCH
}

fn processor(triple: &str) -> &str {
    triple.split('-').next().unwrap_or(triple)
}

/// Whether this is a processor of Intel's line.
pub(crate) fn is_x86(triple: &str) -> bool {
    QemuArch::of(processor(triple)) == Some(QemuArch::X86)
}

/// Whether programs for this machine are for no system that could run them here: bare metal, or another
/// operating system.
pub(crate) fn is_foreign_system(triple: &str) -> bool {
    triple.split('-').count() > 1 && !triple.contains("linux")
}

/// What runs a program of this command for this machine: nothing for our own processor, else QEMU's emulator
/// with the libraries that Debian's cross compilers link to.
pub(crate) fn runner(
    triple: &str,
    command: &[OsString],
    properties: &[String],
) -> Result<Runner, String> {
    if is_native(triple) && properties.is_empty() {
        return Ok(Runner::Native);
    }
    let name = processor(triple);
    let renamed = RENAMED.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, qemu)| qemu);
    let renamed = if QemuArch::of(name) == Some(QemuArch::Arm) { "arm" } else { renamed };
    let root = command.first().and_then(|program| Root::of(Path::new(program)));
    let own = root.map(|root| root.tree().join(format!("usr/bin/qemu-{renamed}")));
    let found = own
        .filter(|path| executable(path))
        .or_else(|| on_path(&format!("qemu-{renamed}")))
        .or_else(|| on_path(&format!("qemu-{renamed}-static")))
        .ok_or_else(|| {
            format!("its programs need the emulator qemu-{renamed}: apt-get install qemu-user")
        })?;
    let mut words = vec![found.into_os_string()];
    if let Some(libraries) = cross::libraries(triple, command) {
        words.extend(["-L".into(), libraries.into()]);
    }
    let properties = properties.to_vec();
    let cpu = QemuArch::of(name).map(|arch| CpuRule { arch, properties });
    Ok(Runner::Emulator(Emulator { command: words, cpu, by_flag: Vec::new() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_processor_needs_no_emulator() {
        let own = format!("{ARCH}-linux-gnu");
        assert!(is_native(&own));
        assert_eq!(runner(&own, &[], &[]), Ok(Runner::Native));
    }

    #[test]
    fn bare_metal_runs_nowhere() {
        assert!(is_foreign_system("riscv32-unknown-elf") && is_foreign_system("arm-none-eabi"));
        assert!(!is_foreign_system("x86_64-linux") && !is_foreign_system("i686-linux-gnu"));
    }

    #[test]
    fn an_emulator_that_is_not_there_is_named() {
        let why = runner("pdp11-dec-unix", &[], &[]).expect_err("QEMU has no such machine");
        assert!(why.contains("qemu-pdp11"), "{why}");
    }
}
