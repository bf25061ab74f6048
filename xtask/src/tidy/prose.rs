//! Paths that Markdown names must be there: recipes that name files stay true when files move.

use std::path::{Path, PathBuf};

use super::{entries, read};
use crate::Result;

/// Folders of the repository; a word in backticks that begins with one is a path.
const ROOTS: &[&str] =
    &["crates/", "docs/", "tests/", "xtask/", "lab/", "deploy/", "trophies/", ".ci/"];

/// Complaints on README.md, ARCHITECTURE.md and the like, and on the pages of `docs`.
pub fn check(root: &Path) -> Result<Vec<String>> {
    let mut pages = Vec::new();
    for dir in ["", "docs", "docs/experiments", "trophies"] {
        pages.extend(entries(&root.join(dir))?);
    }
    let is_page = |path: &PathBuf| path.extension().is_some_and(|e| e == "md");
    let mut complaints = Vec::new();
    // A log of changes names what was there then.
    for page in pages.iter().filter(|p| is_page(p) && !p.ends_with("CHANGELOG.md")) {
        let name = page.strip_prefix(root).unwrap_or(page).display().to_string();
        let dir = page.parent().unwrap_or(root);
        for (number, line) in read(page)?.lines().enumerate() {
            let named = paths_in(line).map(|path| root.join(path));
            let linked = links_in(line).map(|path| dir.join(path));
            for missing in named.chain(linked).filter(|path| !path.exists()) {
                let missing = missing.strip_prefix(root).unwrap_or(&missing).display();
                complaints.push(format!("{name}:{}: there is no {missing}", number + 1));
            }
        }
    }
    Ok(complaints)
}

/// Paths in backticks, without those that stand for several (`*`, `<kind>`, `{a,b}`, `NAME`).
fn paths_in(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split('`').skip(1).step_by(2);
    words.filter(|word| {
        let one = !word.contains(['*', '<', '{', ' ', ':', '[']);
        one && ROOTS.iter().any(|root| word.starts_with(root))
    })
}

/// Targets of links within the repository.
fn links_in(line: &str) -> impl Iterator<Item = &str> {
    let targets = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let targets = targets.filter(|target| !target.contains(':') && !target.starts_with('#'));
    targets.filter_map(|target| target.split('#').next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_links() {
        let line = "see `crates/c/tree`, `tests/ub/<kind>/*.c`, `cargo lab`, [here](docs/a.md#b) and \
                    [there](https://example.org)";
        assert_eq!(paths_in(line).collect::<Vec<_>>(), ["crates/c/tree"]);
        assert_eq!(links_in(line).collect::<Vec<_>>(), ["docs/a.md"]);
    }
}
