//! The code before and after a blamed pass, as its compiler prints it: GCC's dumps, LLVM's IR.
//!
//! Only for programs of one unit. Of a crash there may be no code after the pass; where a compiler
//! prints nothing, there is nothing.

use std::fs;
use std::path::Path;

use oracle::{Case, Failure, Lab, SourceFile, Trouble};
use toolchain::{Family, Target};

use crate::found::{Blame, Method};
use crate::probe::FaultProbe;

/// Larger dumps are left out, in bytes.
const LARGE: usize = 1 << 16;

/// GCC's options for all dumps of one kind.
const GCC: [&str; 3] = ["-fdump-tree-all", "-fdump-rtl-all", "-fdump-ipa-all"];

/// What the failing compiler has before and after the blamed pass, as far as it tells; the files are called
/// `before.…` and `after.…`.
pub fn dumps(
    lab: &Lab,
    case: &Case,
    failure: &Failure,
    blame: &Blame,
) -> Result<Vec<SourceFile>, Trouble> {
    let (Some(target), Some(pass)) = (failure.bad.first(), &blame.pass) else {
        return Ok(Vec::new());
    };
    if case.units().count() != 1 || case.harness.is_some() {
        return Ok(Vec::new());
    }
    let bench = FaultProbe::new(lab.clone(), case, &failure.fault, 1)?;
    let files = match target.compiler.family {
        Family::Gcc => gcc(&bench, target, pass)?,
        Family::Clang => llvm(&bench, target, blame)?,
        _ => Vec::new(),
    };
    Ok(files.into_iter().filter(|file| (1..LARGE).contains(&file.bytes.len())).collect())
}

/// GCC numbers its dumps in the order of its passes: `test.c.112t.tailr1`.
fn gcc(bench: &FaultProbe, target: &Target, pass: &str) -> Result<Vec<SourceFile>, Trouble> {
    bench.listings(target, &GCC)?;
    let mut dumps: Vec<(String, Vec<u8>)> = Vec::new();
    for entry in fs::read_dir(bench.folder()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(dump) = dump_of(&name) {
            dumps.push((dump.to_string(), fs::read(entry.path()).unwrap_or_default()));
        }
    }
    dumps.sort();
    let is_it =
        |(name, _): &(String, Vec<u8>)| name.split_once('.').is_some_and(|(_, p)| p == pass);
    let Some(at) = dumps.iter().position(is_it) else { return Ok(Vec::new()) };
    // Trees, RTL and the passes over all functions print different things: only like is compared.
    let alike = |(name, _): &&(String, Vec<u8>)| name.get(3..4) == dumps[at].0.get(3..4);
    let file = |when: &str, (name, bytes): &(String, Vec<u8>)| SourceFile {
        name: format!("{when}.{name}"),
        bytes: bytes.clone(),
    };
    let before = dumps[..at].iter().rev().find(alike).map(|dump| file("before", dump));
    Ok(before.into_iter().chain([file("after", &dumps[at])]).collect())
}

/// `112t.tailr1` of the name of a dump.
fn dump_of(name: &str) -> Option<&str> {
    let (head, pass) = name.rsplit_once('.')?;
    let number = head.rsplit('.').next()?;
    let (digits, kind) = number.split_at_checked(3)?;
    let is_dump = digits.bytes().all(|b| b.is_ascii_digit()) && ["t", "r", "i"].contains(&kind);
    is_dump.then(|| &name[name.len() - pass.len() - 1 - number.len()..])
}

/// LLVM stops after any pass: the one that is blamed, and the one before it.
fn llvm(bench: &FaultProbe, target: &Target, blame: &Blame) -> Result<Vec<SourceFile>, Trouble> {
    let bisected = blame.culprits.iter().find(|culprit| culprit.method == Method::OptBisect);
    let limit = bisected.and_then(|culprit| {
        culprit.hides.last()?.strip_prefix("-opt-bisect-limit=")?.parse::<u64>().ok()
    });
    let Some(limit) = limit else { return Ok(Vec::new()) };
    let output = bench.folder().join("dump.ll");
    let stopped = |name: &str, limit: u64| -> Result<SourceFile, Trouble> {
        let limit = format!("-opt-bisect-limit={limit}");
        bench.compile(target, &["-S", "-emit-llvm", "-mllvm", &limit], &output)?;
        let bytes = fs::read(&output).unwrap_or_default();
        let _ = fs::remove_file(&output);
        Ok(SourceFile { name: name.into(), bytes: plain(&bytes, bench.folder()) })
    };
    let (before, after) = (stopped("before.ll", limit)?, stopped("after.ll", limit + 1)?);
    // A pass of the code generator leaves the IR as it was.
    Ok(if before.bytes == after.bytes { Vec::new() } else { vec![before, after] })
}

/// Without the folder that is gone tomorrow.
fn plain(text: &[u8], folder: &Path) -> Vec<u8> {
    let text = String::from_utf8_lossy(text);
    text.replace(&format!("{}/", folder.display()), "").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::dump_of;

    #[test]
    fn names_of_dumps() {
        assert_eq!(dump_of("test.c.112t.tailr1"), Some("112t.tailr1"));
        assert_eq!(dump_of("listing.c.330r.combine"), Some("330r.combine"));
        for other in ["test.c", "test.c.12t.x", "test.c.112x.y", "listing.o", "é.112", "..."] {
            assert_eq!(dump_of(other), None, "{other}");
        }
    }
}
