//! `cargo xtask ci`: everything a change must pass, quick checks first, with the time of each step.
//!
//! Packages are installed while the first steps run. The first failure ends it.

use std::time::{Duration, Instant};

use crate::setup::{self, Group};
use crate::workspace::{Workspace, command, succeeds};
use crate::{Found, Result, say, suite, tidy};

/// Checks at scale, as arguments of `lab`.
const LAB: &[&str] = &[
    // The machine against the world: GCC's torture tests and fresh Csmith programs; any wrong output fails.
    "torture",
    "csmith --seeds 1..31",
    // The page in a real browser, while a hunt is running.
    "browser",
    // The generator: the same bytes each time, as predicted at -O0, no sanitizer report.
    "gencheck --seeds 1..201 --twice --compilers 20 --sanitize 8 --reread 20",
    "gencheck --lang c++ --seeds 1..61 --compilers 8 --sanitize 4",
    // Variants of programs: accepted, the same output, no sanitizer report.
    "emi check --seeds 4,4,4,8 --variants 4 --sanitize 8",
    // Hunts over many machines: servers, workers and the coordinator killed at random; nothing lost or doubled.
    "cluster chaos --minutes 0.5",
];

/// Runs all steps.
pub fn main(workspace: &Workspace, setup: bool) -> Result<Found> {
    let mut ci = Ci { workspace, times: Vec::new() };
    let ended = ci.steps(setup);
    ci.tell_times(&ended);
    ended
}

/// What has been done so far.
struct Ci<'a> {
    workspace: &'a Workspace,
    times: Vec<(String, Duration)>,
}

impl Ci<'_> {
    fn steps(&mut self, setup: bool) -> Result<Found> {
        let workspace = self.workspace;
        let installing = setup.then(|| setup::start(workspace, Group::Lab)).transpose()?;
        let quick = self.quick();
        // Not left behind, whatever the quick checks say.
        let install = || installing.map_or(Ok(()), setup::Installing::finish);
        if quick? == Found::Something {
            return install().map(|()| Found::Something);
        }
        let installed = self.step("packages", |_| install().map(|()| true))?;
        let tested = installed == Found::Nothing
            && self.step("test", |w| suite::in_ci(w, &[]))? == Found::Nothing;
        if tested { self.lab() } else { Ok(Found::Something) }
    }

    /// What needs no package.
    fn quick(&mut self) -> Result<Found> {
        let doc = "doc --workspace --no-deps --document-private-items --locked";
        for (args, env) in [
            ("fmt --all --check", None),
            ("clippy --workspace --all-targets --locked -- -D warnings", None),
            (doc, Some(("RUSTDOCFLAGS", "-D warnings"))),
        ] {
            let words: Vec<&str> = args.split(' ').collect();
            let step = |w: &Workspace| succeeds(w.cargo(&words).envs(env));
            if self.step(&format!("cargo {args}"), step)? == Found::Something {
                return Ok(Found::Something);
            }
        }
        self.step("tidy", |w| Ok(tidy::main(w)? == Found::Nothing))
    }

    fn lab(&mut self) -> Result<Found> {
        let build = ["build", "--workspace", "--bins", "--locked"];
        let built =
            self.step(&format!("cargo {}", build.join(" ")), |w| succeeds(&mut w.cargo(&build)));
        if built? == Found::Something {
            return Ok(Found::Something);
        }
        // Development builds are optimised, too: no need for a release.
        let [lab, gainsay] =
            ["debug/lab", "debug/gainsay"].map(|file| self.workspace.target.join(file));
        for args in LAB {
            let step = |_: &Workspace| {
                succeeds(command(&lab).args(args.split(' ')).env("GAINSAY", &gainsay))
            };
            if self.step(&format!("lab {args}"), step)? == Found::Something {
                return Ok(Found::Something);
            }
        }
        Ok(Found::Nothing)
    }

    /// Says what is done, does it, and notes the time.
    fn step(&mut self, name: &str, step: impl FnOnce(&Workspace) -> Result<bool>) -> Result<Found> {
        println!("\n== {name}");
        let start = Instant::now();
        let passed = step(self.workspace);
        self.times.push((name.into(), start.elapsed()));
        Ok(if passed? { Found::Nothing } else { Found::Something })
    }

    fn tell_times(&self, ended: &Result<Found>) {
        println!("\n== times");
        for (name, time) in &self.times {
            println!("{:>7.1} s  {name}", time.as_secs_f64());
        }
        let total: Duration = self.times.iter().map(|(_, time)| *time).sum();
        println!("{:>7.1} s  in all", total.as_secs_f64());
        if *ended == Ok(Found::Something)
            && let Some((name, _)) = self.times.last()
        {
            say(&format!("failed: {name}"));
        }
    }
}
