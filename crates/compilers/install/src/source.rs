//! Where compilers come from, as one types it.

use std::path::{Path, PathBuf};

use crate::InstallError;

/// A place that compilers come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A suite of Debian: `debian:sid`.
    Debian {
        /// Its name.
        suite: String,
    },
    /// Python's package index: `pypi:ziglang==0.17.0`.
    Pypi,
    /// A folder or the root of a file system: `root:/srv/gcc-trunk`.
    Own {
        /// Which.
        folder: PathBuf,
    },
}

impl Source {
    /// Reads the words of a command line: the source, and the packages to be had from it. For `pypi` the source
    /// itself names the first; a folder is one package, whose name is what follows or the folder's.
    pub fn parse(words: &[String]) -> Result<(Source, Vec<String>), InstallError> {
        let asked = |text: String| Err(InstallError::Asked(text));
        let Some((first, rest)) = words.split_first() else {
            return asked("name a source, as in: gainsay compilers add debian:sid gcc-16".into());
        };
        let Some((kind, name)) = first.split_once(':') else {
            return asked(format!(
                "{first} is no source: it is debian:SUITE, pypi:PACKAGE or root:FOLDER"
            ));
        };
        if name.is_empty() {
            return asked(format!("{first} names nothing behind its colon"));
        }
        let packages: Vec<String> = rest.to_vec();
        match kind {
            "debian" => {
                if !is_word(name) {
                    return asked(format!(
                        "{name} is not the name of a suite of Debian, such as sid"
                    ));
                }
                match packages.iter().find(|package| !is_word(package)) {
                    Some(odd) => asked(format!("{odd} is not the name of a package of Debian")),
                    None if packages.is_empty() => {
                        asked(format!("name packages, as in: gainsay compilers add {first} gcc-16"))
                    }
                    None => Ok((Source::Debian { suite: name.into() }, packages)),
                }
            }
            "pypi" => {
                let all: Vec<String> = [name.to_string()].into_iter().chain(packages).collect();
                match all.iter().find(|package| !is_requirement(package)) {
                    Some(odd) => asked(format!(
                        "{odd} is not a package with a version, such as ziglang==0.17.0"
                    )),
                    None => Ok((Source::Pypi, all)),
                }
            }
            "root" => own(Path::new(name), packages),
            _ => asked(format!(
                "{kind} is no source: it is debian:SUITE, pypi:PACKAGE or root:FOLDER"
            )),
        }
    }

    /// The name of the folder that a package gets.
    pub(crate) fn folder_of(&self, package: &str) -> String {
        let name = match self {
            Source::Debian { suite } => format!("debian-{suite}-{package}"),
            Source::Pypi => format!("pypi-{}", package.replace("==", "-")),
            Source::Own { .. } => format!("root-{package}"),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._+".contains(c);
        name.chars().map(|c| if is_plain(c) { c } else { '-' }).collect()
    }

    /// As one types it.
    pub(crate) fn typed(&self, package: &str) -> String {
        match self {
            Source::Debian { suite } => format!("debian:{suite}"),
            Source::Pypi => format!("pypi:{package}"),
            Source::Own { folder } => format!("root:{}", folder.display()),
        }
    }
}

fn own(folder: &Path, packages: Vec<String>) -> Result<(Source, Vec<String>), InstallError> {
    let asked = |text: String| InstallError::Asked(text);
    let folder = std::fs::canonicalize(folder)
        .map_err(|error| asked(format!("{} cannot be read: {error}", folder.display())))?;
    if !folder.is_dir() {
        return Err(asked(format!("{} is not a folder", folder.display())));
    }
    let name =
        folder.file_name().map_or("system".into(), |name| name.to_string_lossy().into_owned());
    let package = match packages.len() {
        0 => name,
        1 => packages[0].clone(),
        _ => return Err(asked("give one name for what is in the folder".into())),
    };
    Ok((Source::Own { folder }, vec![package]))
}

/// What Debian's policy allows in names.
fn is_word(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphanumeric())
        && letters.all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

fn is_requirement(name: &str) -> bool {
    let (package, version) = name.split_once("==").unwrap_or((name, "0"));
    let is_plain = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphanumeric())
            && word.chars().all(|c| c.is_ascii_alphanumeric() || "-._+!".contains(c))
    };
    is_plain(package) && is_plain(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<(Source, Vec<String>), String> {
        let words: Vec<String> = words.iter().map(ToString::to_string).collect();
        Source::parse(&words).map_err(|error| error.to_string())
    }

    #[test]
    fn sources_as_they_are_typed() {
        let sid = Source::Debian { suite: "sid".into() };
        let packages = vec!["gcc-snapshot".to_string(), "g++-16".to_string()];
        assert_eq!(parse(&["debian:sid", "gcc-snapshot", "g++-16"]), Ok((sid.clone(), packages)));
        assert_eq!(sid.folder_of("g++-16"), "debian-sid-g++-16");
        assert_eq!(
            parse(&["pypi:ziglang==0.17.0"]),
            Ok((Source::Pypi, vec!["ziglang==0.17.0".into()]))
        );
        assert_eq!(Source::Pypi.folder_of("ziglang==0.17.0"), "pypi-ziglang-0.17.0");
        assert_eq!(Source::Pypi.typed("ziglang==0.17.0"), "pypi:ziglang==0.17.0");
        let (own, names) = parse(&["root:/usr/../usr", "gcc trunk"]).expect("a folder");
        assert_eq!(
            (own.folder_of(&names[0]), own.typed("x")),
            ("root-gcc-trunk".into(), "root:/usr".into())
        );
    }

    #[test]
    fn mistakes_are_told_in_a_sentence() {
        for (words, want) in [
            (&[][..], "name a source"),
            (&["sid"], "sid is no source"),
            (&["rpm:40", "gcc"], "rpm is no source"),
            (&["debian:", "gcc"], "names nothing"),
            (&["debian:sid"], "name packages, as in"),
            (&["debian:../x", "gcc"], "not the name of a suite"),
            (&["debian:sid", "--option"], "not the name of a package"),
            (&["pypi:-e ."], "not a package with a version"),
            (&["pypi:ziglang>=1"], "not a package with a version"),
            (&["root:/no/such/folder"], "cannot be read"),
            (&["root:/etc/passwd"], "is not a folder"),
        ] {
            let told = parse(words).expect_err("a mistake");
            assert!(told.contains(want), "{words:?}: {told}");
        }
    }
}
