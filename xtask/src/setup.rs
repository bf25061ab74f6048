//! `cargo xtask setup`: the Debian packages that the workspace can use.
//!
//! Quick when there is nothing to do (one `dpkg-query`). Where it cannot install, it says in one
//! sentence what to do, and goes on unless a required package is missing: everything else is
//! skipped, and named, by those who would have used it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use sandbox::{Ended, Run, Status};
use toolchain::on_path;

use crate::context::Context;

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Package {
    name: String,
    required: bool,
    unlocks: String,
}

/// Installs what is missing.
pub fn main(context: &Context) -> Result<()> {
    let file = context.root.join("xtask/debian-packages.txt");
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let packages = parse(&text);
    if on_path("dpkg-query").is_none() || on_path("apt-get").is_none() {
        return cannot("this is no Debian system", &without_dpkg(packages));
    }
    let missing = missing_among(&packages);
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|p| p.name.as_str()).collect();
    eprintln!("xtask: installing {}", names.join(", "));
    let Some(prefix) = privileges() else {
        return cannot("installing needs root, and there is no sudo", &missing);
    };
    if !apt(&prefix, &["update"]) {
        return cannot("apt-get update failed (is the network there?)", &missing);
    }
    // All at once is quickest; one that this release does not have must not stop the others.
    if !install(&prefix, &names) {
        for name in &names {
            install(&prefix, &[name]);
        }
    }
    let still = missing_among(&missing);
    if still.is_empty() { Ok(()) } else { cannot("apt-get could not install all", &still) }
}

fn parse(text: &str) -> Vec<Package> {
    let line = |line: &str| {
        let (name, note) = line.split_once('#').unwrap_or((line, ""));
        let note = note.trim();
        let unlocks = note.strip_prefix("required:").unwrap_or(note).trim().to_string();
        let package =
            Package { name: name.trim().into(), required: note.starts_with("required:"), unlocks };
        (!package.name.is_empty()).then_some(package)
    };
    text.lines().filter_map(line).collect()
}

/// Says what to do; an error only if something required is missing.
fn cannot(why: &str, missing: &[Package]) -> Result<()> {
    let names: Vec<&str> = missing.iter().map(|p| p.name.as_str()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let advice =
        format!("{why}: install {} yourself (or pass --no-setup to do without)", names.join(" "));
    if missing.iter().any(|p| p.required) {
        bail!("{advice}");
    }
    eprintln!("xtask: {advice}");
    for package in missing {
        eprintln!("xtask: {} would unlock: {}", package.name, package.unlocks);
    }
    Ok(())
}

/// Where dpkg cannot be asked, only what is not on the `PATH` is taken as missing.
fn without_dpkg(packages: Vec<Package>) -> Vec<Package> {
    let tools = ["gcc", "csmith", "clang-16"];
    packages
        .into_iter()
        .filter(|p| tools.contains(&p.name.as_str()) && on_path(&p.name).is_none())
        .collect()
}

/// Those of `packages` that dpkg does not have as installed.
fn missing_among(packages: &[Package]) -> Vec<Package> {
    let run = Run::new("dpkg-query", Duration::from_secs(60))
        .args(["-W", "-f", "${Package} ${db:Status-Abbrev}\n"])
        .args(packages.iter().map(|p| p.name.as_str()));
    // It fails when one is unknown, but tells of the others all the same.
    let known = match run.finish() {
        Ended::Finished(done) => done.stdout.text(),
        _ => String::new(),
    };
    let installed = |name: &str| known.lines().any(|line| line.trim_end() == format!("{name} ii"));
    packages.iter().filter(|p| !installed(&p.name)).cloned().collect()
}

/// What to put before apt-get: nothing for root, else sudo, which must not ask where nobody can
/// answer.
fn privileges() -> Option<Vec<String>> {
    if fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0) {
        return Some(Vec::new());
    }
    on_path("sudo")?;
    let quiet = std::env::var_os("CI").is_some();
    Some(if quiet { vec!["sudo".into(), "-n".into()] } else { vec!["sudo".into()] })
}

fn install(prefix: &[String], names: &[&str]) -> bool {
    let mut args = vec!["install", "-y", "--no-install-recommends"];
    args.extend(names);
    apt(prefix, &args)
}

fn apt(prefix: &[String], args: &[&str]) -> bool {
    // Through env, because sudo drops variables.
    let mut words: Vec<&str> = prefix.iter().map(String::as_str).collect();
    words.extend(["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"]);
    words.extend(args);
    let done = sandbox::foreground(words[0], &words[1..], &[], None);
    matches!(done, Ok(Status::Exit(0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list() {
        let got = parse("# head\ngcc  # required: all\n\ncsmith # programs\n");
        let want = |name: &str, required, unlocks: &str| Package {
            name: name.into(),
            required,
            unlocks: unlocks.into(),
        };
        assert_eq!(got, [want("gcc", true, "all"), want("csmith", false, "programs")]);
    }

    #[test]
    fn our_own_list_is_well_formed() {
        let packages = parse(include_str!("../debian-packages.txt"));
        assert!(packages.iter().any(|p| p.name == "gcc" && p.required));
        assert!(packages.iter().all(|p| !p.unlocks.is_empty() && !p.name.contains(' ')));
    }
}
