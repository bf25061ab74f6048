//! `cargo xtask setup`: the Debian packages that the workspace can use, by what needs them.
//!
//! Quick when there is nothing to do (one `dpkg-query`). Where it cannot install, it says in one
//! sentence what to do, and goes on unless a required package is missing: everything else is
//! skipped, and named, by those who would have used it.

use std::env;
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;
use std::thread::{self, JoinHandle};

use crate::workspace::{Workspace, command, on_path, succeeds};
use crate::{Result, say};

/// The list, one heading for each group.
const LIST: &str = include_str!("../debian-packages.txt");

/// Packages named after the program they bring: what can be asked for where there is no dpkg.
const PROGRAMS: &[&str] = &["gcc", "clang-16", "csmith", "z3", "nats-server"];

/// Lines of apt-get's log that are shown when it fails.
const LAST_LINES: usize = 15;

/// What packages are for; each needs those before it, too.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// A hunt.
    Hunt,
    /// The tests of the workspace.
    Test,
    /// The commands of `cargo lab`, and CI.
    Lab,
}

/// One line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Package {
    name: String,
    group: Group,
    required: bool,
    unlocks: String,
}

/// Packages to install, and the words that give us the right to.
#[derive(Debug)]
struct Order {
    missing: Vec<Package>,
    prefix: Vec<&'static str>,
    /// Where apt-get writes; on our terminal if `None`.
    log: Option<PathBuf>,
}

/// An installation that goes on beside something else.
#[derive(Debug)]
pub struct Installing(Option<(JoinHandle<Result<()>>, String)>);

/// Installs what is missing, on this terminal.
pub fn main(group: Group) -> Result<()> {
    let Some(order) = order(group)? else { return Ok(()) };
    say(&format!("installing {}", names(&order.missing)));
    carry_out(&order)
}

/// Begins to install what is missing and returns.
pub fn start(workspace: &Workspace, group: Group) -> Result<Installing> {
    let Some(mut order) = order(group)? else { return Ok(Installing(None)) };
    let log = workspace.target.join("setup.log");
    let shown = workspace.shown(&log).to_string();
    say(&format!("installing {} meanwhile (log: {shown})", names(&order.missing)));
    order.log = Some(log);
    Ok(Installing(Some((thread::spawn(move || carry_out(&order)), shown))))
}

impl Installing {
    /// Whether there is something to wait for.
    pub fn pending(&self) -> bool {
        self.0.as_ref().is_some_and(|(thread, _)| !thread.is_finished())
    }

    /// Waits for its end.
    pub fn finish(self) -> Result<()> {
        let Some((thread, log)) = self.0 else { return Ok(()) };
        if !thread.is_finished() {
            say(&format!("waiting for apt-get (log: {log})"));
        }
        thread.join().map_err(|_| "the thread that installs panicked")?
    }
}

/// What there is to install, if anything, and if we can.
fn order(group: Group) -> Result<Option<Order>> {
    let mut packages = parse(LIST);
    packages.retain(|package| package.group <= group);
    if on_path("dpkg-query").is_none() || on_path("apt-get").is_none() {
        packages.retain(|p| PROGRAMS.contains(&p.name.as_str()) && on_path(&p.name).is_none());
        return cannot("this is no Debian system", &packages).map(|()| None);
    }
    let missing = missing_among(&packages);
    if missing.is_empty() {
        say("nothing to install");
        return Ok(None);
    }
    match privileges() {
        Some(prefix) => Ok(Some(Order { missing, prefix, log: None })),
        None => cannot("installing needs root or sudo", &missing).map(|()| None),
    }
}

fn carry_out(order: &Order) -> Result<()> {
    if !order.apt(&["update"])? {
        order.show_log();
        return cannot("apt-get update failed (is the network there?)", &order.missing);
    }
    let all: Vec<&str> = order.missing.iter().map(|p| p.name.as_str()).collect();
    // All at once is quickest; one that this release does not have must not stop the others.
    if !order.install(&all)? {
        for name in all {
            order.install(&[name])?;
        }
    }
    let still = missing_among(&order.missing);
    match still.is_empty() {
        true => say("packages are installed"),
        false => order.show_log(),
    }
    cannot("apt-get could not install all", &still)
}

impl Order {
    fn install(&self, names: &[&str]) -> Result<bool> {
        self.apt(&[&["install", "-y", "--no-install-recommends"], names].concat())
    }

    fn apt(&self, args: &[&str]) -> Result<bool> {
        // Through env, because sudo drops variables. A fresh machine may be updating itself: wait.
        let env = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o"];
        let mut words = self.prefix.clone();
        words.extend(env.iter().chain(&["DPkg::Lock::Timeout=300"]).chain(args));
        let mut apt = command(words[0]);
        apt.args(&words[1..]);
        if let Some(log) = &self.log {
            write_to(&mut apt, log)?;
        }
        succeeds(&mut apt)
    }

    fn show_log(&self) {
        let text = self.log.as_ref().and_then(|log| fs::read_to_string(log).ok());
        let text = text.unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for line in &lines[lines.len().saturating_sub(LAST_LINES)..] {
            eprintln!("    {line}");
        }
    }
}

/// Appends what a program prints to a file, and leaves the terminal's input to others.
fn write_to(program: &mut Command, log: &PathBuf) -> Result<()> {
    let trouble = |e: std::io::Error| format!("cannot write {}: {e}", log.display());
    let file = File::options().append(true).create(true).open(log).map_err(trouble)?;
    let again = file.try_clone().map_err(trouble)?;
    program.stdin(std::process::Stdio::null()).stdout(file).stderr(again);
    Ok(())
}

fn names(packages: &[Package]) -> String {
    packages.iter().map(|p| p.name.as_str()).collect::<Vec<_>>().join(" ")
}

fn parse(text: &str) -> Vec<Package> {
    let mut group = Group::Hunt;
    let mut packages = Vec::new();
    for line in text.lines() {
        let (name, note) = line.split_once('#').unwrap_or((line, ""));
        let (name, note) = (name.trim(), note.trim());
        match name {
            "" => {}
            "[hunt]" => group = Group::Hunt,
            "[test]" => group = Group::Test,
            "[lab]" => group = Group::Lab,
            _ => packages.push(Package {
                name: name.into(),
                group,
                required: note.starts_with("required:"),
                unlocks: note.strip_prefix("required:").unwrap_or(note).trim().into(),
            }),
        }
    }
    packages
}

/// Says what to do; an error only if something required is missing.
fn cannot(why: &str, missing: &[Package]) -> Result<()> {
    if missing.is_empty() {
        return Ok(());
    }
    let names = names(missing);
    let advice = format!("{why}: install {names} yourself (or pass --no-setup to do without)");
    if missing.iter().any(|p| p.required) {
        return Err(advice);
    }
    say(&advice);
    for package in missing {
        say(&format!("{} would unlock: {}", package.name, package.unlocks));
    }
    Ok(())
}

/// Those of `packages` that dpkg does not have as installed.
fn missing_among(packages: &[Package]) -> Vec<Package> {
    // It fails when one is unknown, but tells of the others all the same.
    let asked = command("dpkg-query")
        .args(["-W", "-f", "${Package} ${db:Status-Abbrev}\n"])
        .args(packages.iter().map(|p| p.name.as_str()))
        .output();
    let known = asked.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let known = known.unwrap_or_default();
    let installed = |name: &str| known.lines().any(|line| line.trim_end() == format!("{name} ii"));
    packages.iter().filter(|p| !installed(&p.name)).cloned().collect()
}

/// What to put before apt-get: nothing for root, else sudo. It asks for the password here, where
/// somebody can answer, and not in CI.
fn privileges() -> Option<Vec<&'static str>> {
    if fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0) {
        return Some(Vec::new());
    }
    on_path("sudo")?;
    let ask: &[&str] = if env::var_os("CI").is_some() { &["-n", "true"] } else { &["-v"] };
    let allowed = command("sudo").args(ask).status().is_ok_and(|status| status.success());
    allowed.then(|| vec!["sudo", "-n"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list() {
        let got =
            parse("# head\n[hunt]\ngcc  # required: all\n\n[test] # more\ncsmith # programs\n");
        let want = |name: &str, group, required, unlocks: &str| Package {
            name: name.into(),
            group,
            required,
            unlocks: unlocks.into(),
        };
        let csmith = want("csmith", Group::Test, false, "programs");
        assert_eq!(got, [want("gcc", Group::Hunt, true, "all"), csmith]);
    }

    #[test]
    fn our_own_list_is_well_formed() {
        let packages = parse(LIST);
        assert!(packages.iter().any(|p| p.name == "gcc" && p.required));
        assert!(packages.iter().all(|p| !p.unlocks.is_empty()));
        assert!(packages.iter().all(|p| !p.name.contains([' ', '['])), "{packages:?}");
        for program in PROGRAMS {
            assert!(packages.iter().any(|p| p.name == *program), "{program}");
        }
        let clang = |p: &&Package| p.group == Group::Hunt && p.name.starts_with("clang-");
        assert_eq!(packages.iter().filter(clang).count(), 1);
    }

    #[test]
    fn only_what_is_required_stops_us() {
        let package = |required| Package {
            name: "gcc".into(),
            group: Group::Hunt,
            required,
            unlocks: "all".into(),
        };
        assert_eq!(cannot("why", &[]), Ok(()));
        assert_eq!(cannot("why", &[package(false)]), Ok(()));
        let told = cannot("why", &[package(false), package(true)]).expect_err("it is required");
        assert!(told.starts_with("why: install gcc gcc yourself"), "{told}");
    }
}
