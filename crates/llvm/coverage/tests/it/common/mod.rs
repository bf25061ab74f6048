//! What the tests share: making small files, and naming their blocks.

#![allow(dead_code, unsafe_code)]

pub mod loaded;

use std::path::{Path, PathBuf};
use std::time::Duration;

use sandbox::{Ended, Run, Scratch, Status};

/// Far more than any of this takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Flags for `blocks.s`. Its names are its own, or the linker would not let them stand in a table.
pub const SMALL: &[&str] = &["-shared", "-nostdlib", "-Wl,-Bsymbolic"];

/// The blocks of `blocks.s`, by address.
pub const BLOCKS: [&str; 11] = [
    "pick",
    "pick_small",
    "pick_large",
    "table",
    "table_0",
    "table_1",
    "table_2",
    "table_end",
    "skip",
    "skip_locked",
    "stop",
];

/// Whether something is there; in CI it has to be.
pub fn must(there: bool, what: &str) -> bool {
    assert!(there || std::env::var_os("CI").is_none(), "set-up installs {what}: CI skips nothing");
    there
}

/// Compiles a file of `programs`; `None` where there is no such compiler.
pub fn compile(cc: &str, file: &str, flags: &[&str]) -> Option<(Scratch, PathBuf)> {
    let there = Run::new(cc, PATIENCE).arg("--version").finish().success().is_some();
    if !must(there, cc) {
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(file);
    let scratch = Scratch::new().expect("a temporary folder");
    let output = scratch.file("output");
    let run = Run::new(cc, PATIENCE).args(flags).arg(source).arg("-o").arg(&output);
    if let Ended::Finished(finished) = run.finish() {
        assert_eq!(finished.status, Status::Exit(0), "{cc} {file}: {}", finished.stderr.text());
    }
    Some((scratch, output))
}

/// The symbols of a file, by `nm`.
pub fn blocks(path: &Path) -> Vec<(String, u64)> {
    let ended = Run::new("nm", PATIENCE).arg(path).finish();
    let text = ended.success().expect("nm comes with the compiler").stdout.text();
    let symbol = |line: &str| {
        let mut words = line.split(' ');
        let address = u64::from_str_radix(words.next()?, 16).ok()?;
        Some((words.nth(1)?.to_string(), address))
    };
    text.lines().filter_map(symbol).collect()
}

/// Debian's libraries of LLVM; set-up installs the one of clang-16.
pub fn debian_llvms() -> Vec<PathBuf> {
    let names = ["libLLVM-14.so.1", "libLLVM-16.so.1", "libLLVM.so.19.1"];
    let paths = names.map(|name| Path::new("/usr/lib/x86_64-linux-gnu").join(name));
    must(paths[1].exists(), "clang-16");
    paths.into_iter().filter(|path| path.exists()).collect()
}

/// The LLVM of the Rust compiler that builds this.
pub fn rust_llvm() -> Option<PathBuf> {
    let sysroot = Run::new("rustc", PATIENCE).args(["--print", "sysroot"]).finish();
    let sysroot = sysroot.success()?.stdout.text();
    let mut files = std::fs::read_dir(Path::new(sysroot.trim()).join("lib")).ok()?.flatten();
    let found = files.find(|file| file.file_name().to_string_lossy().starts_with("libLLVM.so."));
    must(found.is_some(), "libLLVM with rustc");
    found.map(|file| file.path())
}
