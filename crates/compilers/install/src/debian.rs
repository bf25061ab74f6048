//! Packages of a suite of Debian with all that they need, by apt with a configuration of its own: no list, no state
//! and no file of the system's is read or changed, and an ordinary user can do it.
//!
//! apt checks the signature of the suite against Debian's keys and every file against the suite. Suites that are
//! built daily may be past the date up to which they say they are valid, so that date is not asked.
//!
//! Nothing of a package is executed on the way: files are unpacked, and scripts of packages are not run.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg};
use sandbox::{Ended, Run, Status};
use toolchain::added::AddedPackage;

use crate::client::{self, disk_full, free, system};
use crate::place::Place;
use crate::tree::{self, Fetched};
use crate::{InstallError, Installer, Progress};

/// The keys that Debian's suites are signed with, as Debian and its derivatives package them.
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

const APT: &str = "apt-get";
const NO_APT: &str = "it comes with Debian and its derivatives; on other systems install apt";

/// An unpacked package of this kind takes about so many times what is fetched.
const UNPACKED: u64 = 5;

/// apt with a state of its own, which is kept until everything is installed: what was fetched is not fetched again.
struct Apt<'a> {
    installer: &'a Installer<'a>,
    /// `debian:sid`
    source: String,
    suite: &'a str,
    keys: PathBuf,
    dir: PathBuf,
    _lock: Flock<fs::File>,
}

/// Fetches and unpacks a package and all that it needs.
pub(crate) fn fetch(
    installer: &Installer<'_>,
    all: &Path,
    suite: &str,
    package: &str,
    place: &Place,
) -> Result<Fetched, InstallError> {
    let apt = Apt::open(installer, all, suite)?;
    apt.update()?;
    let version = apt.version(package)?;
    let mut names = vec![package.to_string()];
    for name in companions(package, &apt.recommended(package)) {
        if apt.version(&name).is_ok() {
            names.push(name);
        }
    }
    let files = apt.download(&names)?;
    place.begin()?;
    tree::unpack(installer, place, &files)?;
    Ok(Fetched { package: AddedPackage { name: package.into(), version }, compiler: None })
}

/// What a package is of little use without, though it does not say so.
fn companions(package: &str, recommended: &[String]) -> Vec<String> {
    let mut all = vec!["libc6-dev".to_string()];
    if let Some(version) = package.strip_prefix("clang-") {
        all.extend(["binutils".to_string(), format!("libclang-rt-{version}-dev")]);
    }
    if let Some(rest) = package.strip_prefix("gcc-").filter(|rest| *rest != "snapshot") {
        all.push(format!("g++-{rest}"));
        // A cross compiler: `gcc-16-riscv64-linux-gnu`.
        if rest.contains('-') {
            let is_cross = |name: &&String| name.ends_with("-cross");
            all.extend(recommended.iter().filter(is_cross).cloned());
            all.push("qemu-user".into());
        }
    }
    if let Some(version) = package.strip_prefix("llvm-") {
        all.push(format!("libllvm{version}"));
    }
    all
}

impl<'a> Apt<'a> {
    fn open(
        installer: &'a Installer<'a>,
        all: &Path,
        suite: &'a str,
    ) -> Result<Apt<'a>, InstallError> {
        let source = format!("debian:{suite}");
        let dir = Place::cache(all, suite);
        for folder in ["lists/partial", "archives/partial"] {
            let folder = dir.join(folder);
            fs::create_dir_all(&folder).map_err(|error| system(&error, &folder))?;
        }
        let file = dir.join("lock");
        let lock = fs::File::create(&file).map_err(|error| system(&error, &file))?;
        let lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock)
            .map_err(|_| InstallError::Busy(source.clone()))?;
        let keys = match &installer.keyring {
            Some(file) => std::path::absolute(file).map_err(|error| system(&error, file))?,
            None => KEYS.into(),
        };
        if !keys.is_file() {
            return Err(match installer.keyring {
                Some(_) => InstallError::Asked(format!("there is no file {}", keys.display())),
                None => InstallError::NoClient {
                    program: "the keyring of Debian's archive",
                    remedy: "apt-get install debian-archive-keyring",
                },
            });
        }
        let apt = Apt { installer, source, suite, keys, dir, _lock: lock };
        apt.configure()?;
        Ok(apt)
    }

    /// Writes its configuration. Folders may have any name: they are quoted.
    fn configure(&self) -> Result<(), InstallError> {
        let mirror = match &self.installer.mirror {
            Some(mirror) => mirror.trim_end_matches('/').to_string(),
            None => self.mirror()?,
        };
        // Experimental stands beside sid: most of what its packages need is there.
        let suites = match self.suite {
            "experimental" | "rc-buggy" => vec![self.suite, "sid"],
            suite => vec![suite],
        };
        let keys = self.keys.display();
        let line = |suite: &&str| match suite.strip_suffix("-security") {
            Some(_) => format!("deb [signed-by={keys}] {mirror}-security {suite} main\n"),
            None => format!("deb [signed-by={keys}] {mirror} {suite} main\n"),
        };
        let list: String = suites.iter().map(line).collect();
        let at = |name: &str| self.dir.join(name).display().to_string().replace('"', "\\\"");
        let architecture = match std::env::consts::ARCH {
            "x86_64" => "amd64",
            "aarch64" => "arm64",
            other => other,
        };
        let configuration = format!(
            "Dir::State \"{}\";\nDir::State::lists \"{}\";\nDir::State::status \"{}\";\n\
             Dir::Cache \"{}\";\nDir::Cache::archives \"{}\";\n\
             Dir::Etc::sourcelist \"{}\";\nDir::Etc::sourceparts \"/dev/null\";\n\
             Dir::Etc::preferences \"/dev/null\";\nDir::Etc::preferencesparts \"/dev/null\";\n\
             APT::Architecture \"{architecture}\";\n#clear APT::Architectures;\n\
             APT::Architectures {{ \"{architecture}\"; }};\n\
             APT::Install-Recommends \"false\";\nAPT::Sandbox::User \"\";\n\
             Acquire::Languages \"none\";\nAcquire::Check-Valid-Until \"false\";\nAcquire::Retries \"3\";\n\
             Acquire::IndexTargets::deb::DEP-11::DefaultEnabled \"false\";\n\
             Debug::NoLocking \"true\";\n",
            at("."),
            at("lists"),
            at("status"),
            at("."),
            at("archives"),
            at("sources.list"),
        );
        for (name, text) in
            [("sources.list", list.as_str()), ("status", ""), ("apt.conf", &configuration)]
        {
            let path = self.dir.join(name);
            fs::write(&path, text).map_err(|error| system(&error, &path))?;
        }
        Ok(())
    }

    /// Debian's mirror of this system.
    fn mirror(&self) -> Result<String, InstallError> {
        let run = Run::new(APT, Duration::ZERO).args(["indextargets", "--format", "$(REPO_URI)"]);
        let ended = client::run(self.installer, run);
        let done = client::success(ended, APT, NO_APT, &self.source, &self.dir)?;
        let text = done.stdout.text();
        let mirror = text.lines().map(|line| line.trim_end_matches('/'));
        mirror.into_iter().find(|line| line.ends_with("/debian")).map(String::from).ok_or_else(
            || {
                InstallError::Asked(
                    "no mirror of Debian is set up here: name one with --mirror URL".into(),
                )
            },
        )
    }

    fn run<'w>(&self, program: &str, words: impl IntoIterator<Item = &'w str>) -> Run {
        let conf = self.dir.join("apt.conf");
        // The system's own configuration comes first: its proxies count.
        Run::new(program, Duration::ZERO).arg("-c").arg(conf).args(words)
    }

    /// Fetches the lists of packages.
    fn update(&self) -> Result<(), InstallError> {
        self.installer.tell(Progress::Lists);
        let ended = client::run(self.installer, self.run(APT, ["update", "-q"]));
        let said = match &ended {
            Ended::Finished(done) => done.stderr.text(),
            Ended::Killed(..) | Ended::NotStarted(_) => String::new(),
        };
        // A mirror that cannot be reached has no such file, either.
        if said.contains("does not have a Release file") && !client::is_unreachable(&said) {
            return Err(InstallError::Asked(format!("Debian has no suite {}", self.suite)));
        }
        client::success(ended, APT, NO_APT, &self.source, &self.dir)?;
        // apt succeeds with old lists, or none, when it could not fetch new ones.
        if said.contains("W: Failed to fetch") || said.contains("GPG error") {
            return Err(client::meaning(&said, APT, &self.source, &self.dir));
        }
        Ok(())
    }

    /// The version of a package that would come.
    fn version(&self, package: &str) -> Result<String, InstallError> {
        let ended = client::run(self.installer, self.run("apt-cache", ["policy", package]));
        let done = client::success(ended, "apt-cache", NO_APT, &self.source, &self.dir)?;
        let text = done.stdout.text();
        let candidate = text.lines().find_map(|line| line.trim().strip_prefix("Candidate: "));
        match candidate {
            Some(version) if version != "(none)" => Ok(version.into()),
            _ => Err(self.unknown(package)),
        }
    }

    /// That there is no such package, with names like it.
    fn unknown(&self, package: &str) -> InstallError {
        let stem = package.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let pattern = format!("^{}[0-9.]*$", stem.replace('+', "\\+").replace('.', "\\."));
        let run = self.run("apt-cache", ["search", "--names-only", &pattern]);
        let names = match client::run(self.installer, run) {
            Ended::Finished(done) if done.status == Status::Exit(0) => done.stdout.text(),
            _ => String::new(),
        };
        let names: BTreeSet<&str> =
            names.lines().filter_map(|line| line.split(' ').next()).collect();
        let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        let like = match names.is_empty() {
            true => String::new(),
            false => format!("; it has {}", names.join(", ")),
        };
        InstallError::Asked(format!("{} has no package {package}{like}", self.source))
    }

    /// What a package recommends.
    fn recommended(&self, package: &str) -> Vec<String> {
        let run = self.run("apt-cache", ["depends", package]);
        let Ended::Finished(done) = client::run(self.installer, run) else { return Vec::new() };
        let text = done.stdout.text();
        text.lines()
            .filter_map(|line| Some(line.trim().strip_prefix("Recommends: ")?.into()))
            .collect()
    }

    /// Fetches packages and what they need, in the order of names.
    fn download(&self, names: &[String]) -> Result<Vec<PathBuf>, InstallError> {
        // What was asked for comes from this suite, what it needs from wherever it fits.
        let mut names = names.to_vec();
        if let Some(first) = names.first_mut() {
            *first = self.of_suite(first);
        }
        let all = self.wanted(&names)?;
        let archives = self.dir.join("archives");
        let there = || all.iter().map(|(name, size)| got(&archives, name).min(*size)).sum();
        let whole: u64 = all.iter().map(|(_, size)| size).sum();
        let missing = whole - there();
        if free(&self.dir).is_some_and(|free| free < missing + whole * UNPACKED) {
            return Err(disk_full(&self.dir));
        }
        let tell = || self.installer.tell(Progress::Fetched(there(), whole));
        let fixed = ["install", "-y", "-q", "--download-only"];
        let run = self.run(APT, fixed.into_iter().chain(names.iter().map(String::as_str)));
        let ended = client::watched(self.installer, run, &tell);
        client::success(ended, APT, NO_APT, &self.source, &self.dir)?;
        tell();
        Ok(all.into_iter().map(|(name, _)| archives.join(name)).collect())
    }

    /// Files and their sizes. apt lists only what is missing, so it is asked about an empty folder.
    fn wanted(&self, names: &[String]) -> Result<Vec<(String, u64)>, InstallError> {
        let empty = self.dir.join("nothing");
        let folder = empty.join("partial");
        fs::create_dir_all(&folder).map_err(|error| system(&error, &folder))?;
        let elsewhere = format!("Dir::Cache::archives={}", empty.display());
        let fixed = ["-o", &elsewhere, "install", "-y", "-q", "--print-uris"];
        let words = fixed.into_iter().chain(names.iter().map(String::as_str));
        let ended = client::run(self.installer, self.run(APT, words));
        let done = client::success(ended, APT, NO_APT, &self.source, &self.dir)?;
        Ok(wanted(&done.stdout.text()))
    }

    /// A package as apt is asked for it, where two suites have it: by the version of the one that was named. Its suite
    /// itself would take what it needs from there, too.
    fn of_suite(&self, name: &str) -> String {
        let run = self.run("apt-cache", ["madison", name]);
        let Ended::Finished(done) = client::run(self.installer, run) else { return name.into() };
        let text = done.stdout.text();
        version_in(&text, self.suite).map_or(name.into(), |version| format!("{name}={version}"))
    }
}

/// The version of a package in a suite, as `apt-cache madison` lists them: `NAME | VERSION | URI SUITE/main …`.
fn version_in<'a>(text: &'a str, suite: &str) -> Option<&'a str> {
    let of = format!(" {suite}/");
    let line = text.lines().find(|line| line.contains(&of))?;
    line.split('|').nth(1).map(str::trim)
}

/// Files and sizes as `--print-uris` lists them: `'URI' FILE SIZE SUM`.
fn wanted(text: &str) -> Vec<(String, u64)> {
    let lines = text.lines().filter(|line| line.starts_with('\''));
    let parts = |line: &str| {
        let mut words = line.split(' ').skip(1);
        Some((words.next()?.to_string(), words.next()?.parse().ok()?))
    };
    lines.filter_map(parts).collect()
}

/// How much of a file is there.
fn got(archives: &Path, name: &str) -> u64 {
    let size = |path: PathBuf| fs::metadata(path).map_or(0, |meta| meta.len());
    size(archives.join(name)).max(size(archives.join("partial").join(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_apt_would_fetch() {
        let text = "Reading package lists...\n\
                    'http://x/pool/gcc-16_16.2.0-4_amd64.deb' gcc-16_16.2.0-4_amd64.deb 541080 MD5Sum:7\n";
        assert_eq!(wanted(text), [("gcc-16_16.2.0-4_amd64.deb".to_string(), 541_080)]);
        let two = " gcc-16 | 16.3-1 | http://x/debian experimental/main amd64 Packages\n gcc-16 | 16.2-4 | \
                   http://x/debian sid/main amd64 Packages\n";
        assert_eq!(version_in(two, "sid"), Some("16.2-4"));
        assert_eq!(version_in(two, "trixie"), None);
    }

    #[test]
    fn compilers_come_with_what_they_need() {
        let none: &[String] = &[];
        assert_eq!(companions("gcc-16", none), ["libc6-dev", "g++-16"]);
        assert_eq!(companions("gcc-snapshot", none), ["libc6-dev"]);
        assert_eq!(companions("clang-24", none), ["libc6-dev", "binutils", "libclang-rt-24-dev"]);
        let recommended = ["libc6-dev-riscv64-cross".to_string(), "gcc-16-doc".to_string()];
        assert_eq!(
            companions("gcc-16-riscv64-linux-gnu", &recommended),
            ["libc6-dev", "g++-16-riscv64-linux-gnu", "libc6-dev-riscv64-cross", "qemu-user"]
        );
    }
}
