//! From variant to variant (Algorithm 1 of the Hermes paper).
//!
//! One execution does two things: it shows that a variant prints what the seed prints, and it is the
//! profile from which the next one is derived.

use std::ops::Range;

use choice::Choices;
use cmachine::{Hooks, MachineConfig, Outcome, Profile, Report, UbKind, run_with};
use ctree::{Program, StmtId};

use crate::athena::{self, Database};
use crate::env::ProfilePlan;
use crate::site::Sites;
use crate::{Strategies, Strategy, Variant, live, orion};

/// How variants are made.
#[derive(Clone, Debug)]
pub struct Options {
    /// The mutations to choose from.
    pub strategies: Strategies,
    /// The share of points of live code that are profiled and mutated, in percent (4.5.1).
    pub percent: u32,
    /// Most mutations of one variant.
    pub mutations: usize,
    /// Most statements of a variant; beyond it, a variant equals the previous one.
    pub statements: usize,
    /// For each unit, the number of declarations at its start that belong to a header and are not
    /// mutated; 0 if missing.
    pub headers: Vec<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            strategies: Strategies::default(),
            percent: 10,
            mutations: 30,
            statements: 20_000,
            headers: Vec::new(),
        }
    }
}

/// Why a program is not usable as a seed.
#[derive(Clone, Debug)]
pub struct UnusableSeed(pub Outcome);

/// A variant that behaves differently from its seed: a bug of ours.
#[derive(Clone, Debug)]
pub struct WrongVariant {
    /// The variant.
    pub variant: Variant,
    /// Its execution.
    pub report: Report,
    /// The edits that it has in addition to the last correct variant.
    pub new: Range<usize>,
}

/// One variant: [`Chain::program`].
#[derive(Clone, Debug)]
pub struct Derived {
    /// The edits that it has in addition to the previous variant, as indices into those of
    /// [`Chain::variant`].
    pub new: Range<usize>,
    /// Steps that the machine took for it.
    pub steps: u64,
}

/// A seed and the variants derived from it, each from the previous one.
pub struct Chain {
    variant: Variant,
    options: Options,
    config: MachineConfig,
    choices: Choices,
    /// The number of variants so far.
    rounds: u64,
    /// The execution of the seed.
    seed: Report,
    /// The last variant, its sites and its profile.
    last: Program,
    sites: Sites,
    plan: ProfilePlan,
    profile: Profile,
    /// What was last before the last variant; `None` where that is the last correct one already.
    before: Option<Before>,
}

/// A variant from which another one was derived.
struct Before {
    edits: usize,
    program: Program,
    sites: Sites,
    plan: ProfilePlan,
    profile: Profile,
}

impl Chain {
    /// Starts from a seed, which must finish in the machine.
    pub fn new(
        seed: Program,
        options: Options,
        config: &MachineConfig,
        choices: &Choices,
    ) -> Result<Chain, UnusableSeed> {
        let choices = choices.fork("emi");
        let sites = Sites::of(&seed, &options.headers, seed.stmts.len());
        let plan = ProfilePlan::draw(&seed, &sites, &options, &mut choices.fork("profile 0"));
        let config = MachineConfig { call_depth: config.call_depth.min(CALLS), ..config.clone() };
        let mut report = run_with(&seed, &config, &hooks(&plan));
        if !matches!(report.outcome, Outcome::Finished(_)) {
            return Err(UnusableSeed(report.outcome));
        }
        let profile = std::mem::take(&mut report.profile);
        // A variant runs a few more statements for each statement that the seed runs.
        let fuel = report.steps.saturating_mul(4).saturating_add(10_000).min(config.fuel);
        Ok(Chain {
            variant: Variant::new(seed.clone()),
            options,
            config: MachineConfig { fuel, ..config },
            choices,
            rounds: 0,
            seed: report,
            last: seed,
            sites,
            plan,
            profile,
            before: None,
        })
    }

    /// The execution of the seed: every variant prints the same.
    pub fn seed(&self) -> &Report {
        &self.seed
    }

    /// The last variant.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// The last variant as a program.
    pub fn program(&self) -> &Program {
        &self.last
    }

    /// Whether a statement of the last variant ran.
    pub fn executed(&self, s: StmtId) -> bool {
        self.profile.executed.contains(&s)
    }

    /// Takes the last variant back: the next one is derived from what that was derived from. What a
    /// compiler is wrong about would be in all variants after it.
    pub fn undo(&mut self) {
        let Some(before) = self.before.take() else { return };
        self.variant.edits.truncate(before.edits);
        self.last = before.program;
        self.sites = before.sites;
        self.plan = before.plan;
        self.profile = before.profile;
    }

    /// Derives the next variant. `database` is where Athena takes statements from. A variant that
    /// takes too long is dropped, and the next one is derived from the last correct one: then no edit
    /// is new.
    pub fn next(&mut self, database: &Database) -> Result<Derived, Box<WrongVariant>> {
        self.before = None;
        self.rounds += 1;
        let label = self.rounds;
        let mut choices = self.choices.fork(&format!("variant {label}"));
        let first = self.variant.edits.len();
        self.mutate(database, &mut choices);
        let mut run = self.run(label);
        if is_of_order(&run.report.outcome) {
            // Each block with side effects was profiled alone. Two of them, in functions that one
            // expression calls, can conflict.
            let mut number = 0..;
            self.variant.edits.retain(|edit| {
                number.next().is_some_and(|n| n < first) || edit.strategy != Strategy::Tcb
            });
            run = self.run(label);
        }
        let Run { program, sites, plan, mut report } = run;
        let new = first..self.variant.edits.len();
        if report.outcome == Outcome::OutOfFuel || sites.list.len() > self.options.statements {
            self.variant.edits.truncate(first);
            return Ok(Derived { new: first..first, steps: self.seed.steps });
        }
        if report.outcome != self.seed.outcome || report.stdout != self.seed.stdout {
            let variant = self.variant.clone();
            self.variant.edits.truncate(first);
            return Err(Box::new(WrongVariant { variant, report, new }));
        }
        self.before = Some(Before {
            edits: first,
            program: std::mem::replace(&mut self.last, program),
            sites: std::mem::replace(&mut self.sites, sites),
            plan: std::mem::replace(&mut self.plan, plan),
            profile: std::mem::replace(&mut self.profile, std::mem::take(&mut report.profile)),
        });
        Ok(Derived { new, steps: report.steps })
    }

    /// Executes the variant and watches the points that are drawn for the next.
    fn run(&self, label: u64) -> Run {
        let program = self.variant.program();
        let sites = Sites::of(&program, &self.options.headers, self.variant.base.stmts.len());
        let mut choices = self.choices.fork(&format!("profile {label}"));
        let plan = ProfilePlan::draw(&program, &sites, &self.options, &mut choices);
        let report = run_with(&program, &self.config, &hooks(&plan));
        Run { program, sites, plan, report }
    }

    fn mutate(&mut self, database: &Database, choices: &mut Choices) {
        let next = &mut self.variant;
        let strategies = &self.options.strategies;
        let view =
            ProfiledProgram { program: &self.last, sites: &self.sites, profile: &self.profile };
        let room = self.options.mutations;
        if strategies
            .chosen()
            .iter()
            .any(|s| matches!(s, Strategy::Fcb | Strategy::Tg | Strategy::Tcb))
        {
            live::mutate(&view, &self.plan, strategies, room, next, &mut choices.fork("live"));
        }
        if strategies.has(Strategy::Orion) {
            orion::mutate(&view, room, next, &mut choices.fork("orion"));
        }
        if strategies.has(Strategy::Athena) {
            athena::mutate(&view, database, room, next, &mut choices.fork("athena"));
        }
    }
}

/// An execution of a variant.
struct Run {
    program: Program,
    sites: Sites,
    plan: ProfilePlan,
    report: Report,
}

/// Whether the unspecified order of evaluation made a difference.
fn is_of_order(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Unspecified(..) | Outcome::Undefined(UbKind::Unsequenced, _))
}

/// A program with its sites and its profile.
pub(crate) struct ProfiledProgram<'a> {
    pub program: &'a Program,
    pub sites: &'a Sites,
    pub profile: &'a Profile,
}

fn hooks(plan: &ProfilePlan) -> Hooks {
    Hooks {
        cover: true,
        probes: plan.probes.clone(),
        probe_visits: Some(VISITS),
        probe_values: Some(VALUES),
        ..Hooks::default()
    }
}

/// Greatest call depth of a seed. New variables make frames larger, and a real stack is limited.
const CALLS: u32 = 1_000;

/// A point that is reached more often is not used: profiling it takes longer than the program.
const VISITS: u64 = 5_000;

/// For more values than these only the limits are known.
const VALUES: usize = 24;
