//! The crate graph: layers are folders, and nobody depends on a later one. Also the names of
//! packages, the workspace's lints, and dependencies nobody uses.

use std::path::{Path, PathBuf};

use super::{entries, read, rust_files};
use crate::Result;

/// The folders of `crates`, and the crates beside it: each depends only on itself and those before
/// it. Cargo itself sees to it that crates of one folder do not depend on each other in a circle.
const LAYERS: &[&str] = &["choice", "c", "ir", "compilers", "llvm", "hunt", "cli", "lab", "xtask"];

/// The first layer that may touch the outside world; those before it are pure.
const FIRST_IMPURE: &str = "compilers";

/// Programs for the tests of other crates: no part of the product.
const FOR_TESTS: &str = "ctestgen";

/// One crate of the workspace.
#[derive(Clone, Debug)]
pub struct Crate {
    /// Its folder.
    pub dir: PathBuf,
    /// Its layer, and its folder within it if the layer has more than one crate.
    layer: String,
    folder: Option<String>,
    /// The name of its package.
    name: String,
    /// Its Cargo.toml.
    manifest: String,
    dependencies: Vec<Dependency>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
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
    fn new(dir: PathBuf, layer: &str, folder: Option<&str>, manifest: String) -> Crate {
        let (name, dependencies) = (package_name(&manifest), dependencies(&manifest));
        let folder = folder.map(String::from);
        Crate { dir, layer: layer.into(), folder, name, manifest, dependencies }
    }

    /// Whether it must keep away from files, clocks, threads and processes.
    pub fn is_pure(&self) -> bool {
        position(&self.layer) < position(FIRST_IMPURE)
    }

    /// What its package is called: after its folder, with the layer where that says more.
    fn proper_name(&self) -> String {
        match (self.layer.as_str(), self.folder.as_deref()) {
            ("c", Some("emi")) => "emi".into(),
            (layer @ ("c" | "ir"), Some(folder)) => format!("{layer}{folder}"),
            ("llvm", Some("host")) => "llvmhost".into(),
            (layer, folder) => folder.unwrap_or(layer).into(),
        }
    }
}

fn position(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|&known| known == layer)
}

/// The crates of the workspace, by their manifests.
pub fn crates(root: &Path) -> Result<Vec<Crate>> {
    let name = |dir: &Path| dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let has_manifest = |dir: &&PathBuf| dir.join("Cargo.toml").is_file();
    let mut found = Vec::new();
    let mut layers = entries(&root.join("crates"))?;
    layers.extend(["lab", "xtask"].map(|dir| root.join(dir)));
    for layer in layers.iter().filter(|path| path.is_dir()) {
        if has_manifest(&layer) {
            let manifest = read(&layer.join("Cargo.toml"))?;
            found.push(Crate::new(layer.clone(), &name(layer), None, manifest));
            continue;
        }
        for dir in entries(layer)?.iter().filter(has_manifest) {
            let manifest = read(&dir.join("Cargo.toml"))?;
            found.push(Crate::new(dir.clone(), &name(layer), Some(&name(dir)), manifest));
        }
    }
    Ok(found)
}

fn package_name(manifest: &str) -> String {
    let line = manifest.lines().find_map(|line| line.strip_prefix("name = \""));
    line.and_then(|rest| rest.split('"').next()).unwrap_or_default().into()
}

/// The dependencies of a manifest: `NAME = …` or `NAME.workspace = true` below a heading that says so.
fn dependencies(manifest: &str) -> Vec<Dependency> {
    let mut kind = None;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if let Some(heading) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            // `[target.….dependencies]` is one, too.
            kind = match heading.rsplit('.').next() {
                Some("dependencies") => Some(Kind::Normal),
                Some("dev-dependencies") => Some(Kind::Dev),
                Some("build-dependencies") => Some(Kind::Build),
                _ => None,
            };
        } else if let (Some(kind), Some((left, _))) = (kind, line.split_once('='))
            && line.starts_with(|c: char| c.is_alphanumeric())
        {
            let name = left.split('.').next().unwrap_or(left).trim().to_string();
            found.push(Dependency { name, kind });
        }
    }
    found
}

/// Complaints on the graph and the manifests.
pub fn check(crates: &[Crate]) -> Vec<String> {
    let mut complaints = Vec::new();
    for one in crates {
        let name = &one.name;
        let Some(own) = position(&one.layer) else {
            let layer = &one.layer;
            complaints.push(format!("{name}: enter {layer} in LAYERS of xtask/src/tidy/layers.rs"));
            continue;
        };
        let proper = one.proper_name();
        if *name != proper {
            complaints
                .push(format!("{}: call the package {proper}, not {name}", one.dir.display()));
        }
        if !one.manifest.contains("[lints]\nworkspace = true") {
            complaints.push(format!("{name}: Cargo.toml does not take the workspace's lints"));
        }
        // Tests may use any crate: they are where pure crates meet real compilers.
        for dependency in one.dependencies.iter().filter(|d| d.kind != Kind::Dev) {
            let other = &dependency.name;
            let layer = crates.iter().find(|c| c.name == *other).map(|c| &*c.layer);
            if one.layer == "xtask" {
                complaints.push(format!("xtask: must do without {other}: it is compiled first"));
            } else if other == FOR_TESTS {
                complaints.push(format!("{name}: {other} is for [dev-dependencies] alone"));
            } else if layer.and_then(position).is_some_and(|at| at > own) {
                complaints
                    .push(format!("{name}: must not depend on {other}, which is of a later layer"));
            }
        }
    }
    complaints
}

/// Dependencies whose name stands nowhere in the crate.
pub fn unused(one: &Crate) -> Result<Vec<String>> {
    let mut text = String::new();
    for file in rust_files(&one.dir)? {
        text.push_str(&read(&file)?);
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

    /// A crate `LAYER/FOLDER` or `LAYER`, with what its manifest says of dependencies.
    fn one(place: &str, dependencies: &str) -> Crate {
        let (layer, folder) = place.split_once('/').map_or((place, None), |(l, f)| (l, Some(f)));
        let name = match place {
            "c/tree" => "ctree",
            "c/machine" => "cmachine",
            "c/testgen" => "ctestgen",
            "ir/text" => "irtext",
            "llvm/host" => "llvmhost",
            _ => folder.unwrap_or(layer),
        };
        let manifest = format!(
            "[package]\nname = \"{name}\"\n\n{dependencies}\n\n[lints]\nworkspace = true\n"
        );
        Crate::new(place.into(), layer, folder, manifest)
    }

    /// Complaints on a crate beside some others.
    fn told(place: &str, dependencies: &str) -> Vec<String> {
        let others = ["choice", "c/tree", "c/testgen", "ir/text", "compilers/sandbox", "llvm/host"];
        let mut crates: Vec<Crate> = others.map(|place| one(place, "")).into();
        crates.retain(|c| c.dir != Path::new(place));
        crates.push(one(place, dependencies));
        check(&crates)
    }

    #[test]
    fn nobody_depends_on_a_later_layer() {
        assert!(told("c/machine", "[dependencies]\nctree.workspace = true").is_empty());
        assert!(told("ir/text", "[dependencies]\nctree.workspace = true").is_empty());
        assert_eq!(told("c/machine", "[dependencies]\nirtext.workspace = true").len(), 1);
        assert_eq!(told("c/machine", "[build-dependencies]\nsandbox.workspace = true").len(), 1);
        assert!(told("c/machine", "[dev-dependencies]\nsandbox.workspace = true").is_empty());
        assert!(told("hunt/campaign", "[dependencies]\nllvmhost.workspace = true").is_empty());
        assert_eq!(told("c/machine", "[dependencies]\nllvmhost = { path = \"x\" }").len(), 1);
    }

    #[test]
    fn what_only_tests_use() {
        let complaints = told("c/machine", "[dependencies]\nctestgen.workspace = true");
        assert!(complaints[0].contains("dev-dependencies"), "{complaints:?}");
        assert!(told("c/machine", "[dev-dependencies]\nctestgen.workspace = true").is_empty());
    }

    #[test]
    fn xtask_is_alone() {
        assert!(told("xtask", "[dependencies]").is_empty());
        assert_eq!(told("xtask", "[dependencies]\nanyhow.workspace = true").len(), 1);
    }

    #[test]
    fn strangers_names_and_missing_lints_are_told() {
        assert!(told("stranger/thing", "")[0].contains("LAYERS"));
        let wrong = Crate { name: "tree".into(), ..one("c/tree", "") };
        assert!(check(&[wrong])[0].contains("call the package ctree"));
        let bare = Crate { manifest: String::new(), ..one("c/tree", "") };
        assert!(check(&[bare])[0].contains("lints"));
        assert_eq!(one("c/emi", "").proper_name(), "emi");
        assert_eq!(one("cli", "").proper_name(), "cli");
    }

    #[test]
    fn purity_follows_the_layers() {
        assert!(one("c/machine", "").is_pure() && one("ir/text", "").is_pure());
        assert!(!one("compilers/sandbox", "").is_pure() && !one("cli", "").is_pure());
    }

    #[test]
    fn manifests() {
        let text = "[package]\nname = \"a\"\n[dependencies]\n# why\nb.workspace = true\n\
                    c-d = { version = \"1\", features = [\n    \"x\",\n] }\n[features]\ne = []\n\
                    [target.'cfg(unix)'.dev-dependencies]\nf = \"1\"\n";
        let want = [("b", Kind::Normal), ("c-d", Kind::Normal), ("f", Kind::Dev)];
        let want = want.map(|(name, kind)| Dependency { name: name.into(), kind });
        assert_eq!(dependencies(text), want);
        assert_eq!(package_name(text), "a");
    }
}
