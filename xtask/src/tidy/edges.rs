//! The crate graph: who may depend on whom, the workspace's lints, dependencies nobody uses.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result};

use super::rust_files;
use crate::context::Context;

/// The crates of the design, each of which depends only on crates before it. A new crate is
/// entered here when it is made.
const ORDER: &[&str] = &[
    "choice",
    "ctree",
    "cparse",
    "cmachine",
    "cgen",
    "cshrink",
    "emi",
    "irtext",
    "irmachine",
    "irproof",
    "sandbox",
    "embed",
    "coverage",
    "llvmhost",
    "refine",
    "optimise",
    "crossover",
    "passes",
    "toolchain",
    "oracle",
    "reduce",
    "triage",
    "campaign",
    "cluster",
    "report",
    "serve",
    "cli",
    "xtask",
];

/// The first crate that may touch the outside world; those before it are pure.
const FIRST_IMPURE: &str = "sandbox";

/// One crate of the workspace.
#[derive(Debug)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub dir: PathBuf,
    /// Its Cargo.toml.
    manifest: String,
    dependencies: Vec<Dependency>,
}

#[derive(Debug)]
struct Dependency {
    name: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Normal,
    Dev,
    Build,
}

impl Crate {
    /// Whether it must keep away from files, clocks, threads and processes.
    pub fn is_pure(&self) -> bool {
        position(&self.name) < position(FIRST_IMPURE)
    }
}

fn position(name: &str) -> Option<usize> {
    ORDER.iter().position(|&n| n == name)
}

/// The crates as cargo tells them.
pub fn crates(context: &Context) -> Result<Vec<Crate>> {
    let packages =
        context.metadata["packages"].as_array().context("cargo metadata: no packages")?;
    let text = |value: &serde_json::Value| value.as_str().unwrap_or("").to_string();
    let one = |package: &serde_json::Value| -> Result<Crate> {
        let path = PathBuf::from(text(&package["manifest_path"]));
        let manifest =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let dependency = |d: &serde_json::Value| Dependency {
            name: text(&d["name"]),
            kind: match d["kind"].as_str() {
                Some("dev") => Kind::Dev,
                Some("build") => Kind::Build,
                _ => Kind::Normal,
            },
        };
        Ok(Crate {
            name: text(&package["name"]),
            dir: path.parent().context("a manifest lies in a folder")?.to_path_buf(),
            manifest,
            dependencies: dependencies.map(dependency).collect(),
        })
    };
    packages.iter().map(one).collect()
}

/// Complaints on the graph and the manifests.
pub fn check(crates: &[Crate]) -> Vec<String> {
    let mut complaints = Vec::new();
    for one in crates {
        let name = &one.name;
        let Some(own) = position(name) else {
            complaints.push(format!("{name}: enter it in ORDER of xtask/src/tidy/edges.rs"));
            continue;
        };
        if !one.manifest.contains("[lints]\nworkspace = true") {
            complaints.push(format!("{name}: Cargo.toml does not take the workspace's lints"));
        }
        // Tests may use any crate: they are where pure crates meet real compilers.
        for dependency in one.dependencies.iter().filter(|d| d.kind != Kind::Dev) {
            if position(&dependency.name).is_some_and(|at| at >= own) {
                let other = &dependency.name;
                complaints
                    .push(format!("{name}: must not depend on {other}, which comes after it"));
            }
        }
    }
    complaints
}

/// Dependencies whose name stands nowhere in the crate.
pub fn unused(one: &Crate) -> Result<Vec<String>> {
    let mut text = String::new();
    for file in rust_files(&one.dir)? {
        text.push_str(&fs::read_to_string(&file)?);
    }
    let used = |name: &str| {
        let name = name.replace('-', "_");
        text.match_indices(&name).any(|(i, _)| {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            !text[..i].ends_with(word) && !text[i + name.len()..].starts_with(word)
        })
    };
    let complain = |d: &Dependency| format!("{}: dependency {} is not used", one.name, d.name);
    Ok(one.dependencies.iter().filter(|d| !used(&d.name)).map(complain).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(name: &str, dependencies: &[(&str, Kind)]) -> Crate {
        let dependency = |&(name, kind): &(&str, Kind)| Dependency { name: name.to_string(), kind };
        Crate {
            name: name.into(),
            dir: PathBuf::new(),
            manifest: "[lints]\nworkspace = true\n".into(),
            dependencies: dependencies.iter().map(dependency).collect(),
        }
    }

    #[test]
    fn the_order_is_kept() {
        assert!(check(&[one("cparse", &[("ctree", Kind::Normal)])]).is_empty());
        assert_eq!(check(&[one("ctree", &[("cparse", Kind::Normal)])]).len(), 1);
        assert_eq!(check(&[one("cmachine", &[("sandbox", Kind::Build)])]).len(), 1);
        assert!(check(&[one("cmachine", &[("toolchain", Kind::Dev)])]).is_empty());
    }

    #[test]
    fn strangers_and_missing_lints_are_told() {
        assert!(check(&[one("stranger", &[])])[0].contains("ORDER"));
        let bare = Crate { manifest: String::new(), ..one("ctree", &[]) };
        assert!(check(&[bare])[0].contains("lints"));
    }

    #[test]
    fn purity_follows_the_order() {
        assert!(one("cgen", &[]).is_pure());
        assert!(!one("sandbox", &[]).is_pure());
        assert!(!one("cli", &[]).is_pure());
    }
}
