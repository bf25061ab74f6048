//! Processors by their names in triples, and the emulators that run programs for them.

use std::env::consts::ARCH;
use std::ffi::OsString;
use std::path::Path;

use sandbox::Root;

use crate::find::{executable, on_path};

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

/// What runs a program for this machine: nothing for our own processor, else QEMU's emulator with
/// the libraries that Debian's cross compilers link to.
pub(crate) fn runner(triple: &str, root: Option<&Root>) -> Result<Vec<OsString>, String> {
    if is_native(triple) {
        return Ok(Vec::new());
    }
    let name = processor(triple);
    let name = RENAMED.iter().find(|(ours, _)| *ours == name).map_or(name, |(_, qemu)| qemu);
    let own = root.map(|root| root.tree().join(format!("usr/bin/qemu-{name}")));
    let found = own
        .filter(|path| executable(path))
        .or_else(|| on_path(&format!("qemu-{name}")))
        .or_else(|| on_path(&format!("qemu-{name}-static")))
        .ok_or_else(|| {
            format!("its programs need the emulator qemu-{name}: apt-get install qemu-user")
        })?;
    let mut runner = vec![found.into_os_string()];
    let libraries = format!("/usr/{triple}");
    let of_root = root.map(|root| root.tree().join(&libraries[1..]));
    if of_root.unwrap_or_else(|| Path::new(&libraries).into()).is_dir() {
        runner.extend(["-L".into(), libraries.into()]);
    }
    Ok(runner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_own_processor_needs_no_emulator() {
        let own = format!("{ARCH}-linux-gnu");
        assert!(is_native(&own));
        assert_eq!(runner(&own, None), Ok(Vec::new()));
    }

    #[test]
    fn an_emulator_that_is_not_there_is_named() {
        let why = runner("pdp11-dec-unix", None).expect_err("QEMU has no such machine");
        assert!(why.contains("qemu-pdp11"), "{why}");
    }
}
