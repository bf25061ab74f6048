//! The options of program generators, which `gainsay gen` and `gainsay hunt` share, and what they name.

use std::fs;
use std::sync::OnceLock;

use anyhow::{Context, Result};
use cgen::policy::Policy;
use cgen::smith::{Bounds, Feature, Features, Limit};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use serde::{Deserialize, Serialize};

/// Languages of generated programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, ValueEnum)]
pub enum Lang {
    /// C11
    C,
    /// C++11 and later
    #[value(name = "c++", alias = "cpp", alias = "cxx")]
    Cxx,
}

/// What yarp takes wherever it makes programs.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[command(next_help_heading = "Options of --engine yarp")]
pub struct YarpOptions {
    /// Its distributions: a name or a TOML file
    ///
    /// The distributions of all random choices: `default`, `plain` (no GNU extensions), `small` (a fifth of the size), `paper` (the subset of C of the YARPGen
    /// paper), `none` (no generation policies), or a file as `gainsay gen --explain` prints it.
    #[arg(long, value_name = "NAME-OR-FILE", default_value = "default")]
    pub policy: String,
}

/// What smith takes wherever it makes programs.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
#[command(next_help_heading = "Options of --engine smith")]
pub struct SmithOptions {
    /// Restrictions to lift, and how often: a name or a file
    ///
    /// `none`, `default`, `miscompilation` and `crash` (both as in the CsmithEdge paper), or a file with a line for
    /// each relaxation: its name, then the least and the greatest probability. Relaxed programs may be undefined;
    /// those of `none` are not.
    #[arg(long, value_name = "NAME-OR-FILE", default_value = "default")]
    pub relax: String,
    #[command(flatten)]
    pub features: FeatureOptions,
}

/// The policy of this name or file.
pub fn policy(name: &str) -> Result<Policy> {
    if let Some(preset) = Policy::named(name) {
        return Ok(preset);
    }
    let text = fs::read_to_string(name).with_context(|| {
        format!(
            "the policy {name} cannot be read (it is `default`, `plain`, `small`, `paper`, `none` or a TOML file)"
        )
    })?;
    Policy::parse(&text).with_context(|| format!("the policy {name}"))
}

/// The relaxations of this name or file.
pub fn bounds(name: &str) -> Result<Bounds> {
    let text = relaxations(name)?;
    Bounds::parse(&text).map_err(anyhow::Error::msg).with_context(|| format!("--relax {name}"))
}

/// The same as text.
pub fn relaxations(name: &str) -> Result<String> {
    if let Some(text) = Bounds::named(name) {
        return Ok(text.to_string());
    }
    fs::read_to_string(name).with_context(|| {
        format!("--relax {name} cannot be read (it is `none`, `default`, `miscompilation`, `crash` or a file)")
    })
}

/// What programs of smith contain, by the names that Csmith's options have: a pair for each feature, one for each limit.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct FeatureOptions(pub Features);

const HEADING: &str = "What programs of --engine smith contain";

/// All features in every program.
const NO_SWARM: &str = "no-swarm";

impl FeatureOptions {
    /// All options, as they are typed.
    pub fn names() -> impl Iterator<Item = String> {
        let features = Feature::ALL.iter().flat_map(|f| [f.name(), negated(*f)]);
        let limits = Limit::ALL.iter().map(|limit| limit.name());
        features.chain(limits).chain([NO_SWARM]).map(|name| format!("--{name}"))
    }
}

impl Args for FeatureOptions {
    fn augment_args(command: Command) -> Command {
        let option = |name: &'static str| {
            Arg::new(name).long(name).help_heading(HEADING).hide_short_help(true)
        };
        let flag = |name: &'static str| option(name).action(ArgAction::SetTrue);
        let mut command = command;
        for feature in Feature::ALL {
            let (yes, no) = (feature.name(), negated(*feature));
            command = command
                .arg(flag(yes).hide(true).overrides_with(no))
                .arg(flag(no).help(format!("No {}", feature.about())).overrides_with(yes));
        }
        for limit in Limit::ALL {
            command = command.arg(
                option(limit.name())
                    .value_name("N")
                    .value_parser(clap::value_parser!(u32).range(1..))
                    .help(format!("Most {} [default: {}]", limit.about(), limit.default())),
            );
        }
        let all = "Use all features in every program; by default each lacks a few, drawn anew";
        command.arg(flag(NO_SWARM).help(all))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// `no-bitfields`. Names of arguments live as long as the program.
fn negated(feature: Feature) -> &'static str {
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    let names =
        NAMES.get_or_init(|| Feature::ALL.iter().map(|f| format!("no-{}", f.name())).collect());
    &names[feature as usize]
}

impl FromArgMatches for FeatureOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FeatureOptions, clap::Error> {
        let mut options = FeatureOptions::default();
        options.update_from_arg_matches(matches)?;
        Ok(options)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for feature in Feature::ALL {
            if matches.get_flag(negated(*feature)) {
                self.0.set(*feature, false);
            }
        }
        for limit in Limit::ALL {
            if let Some(&n) = matches.get_one::<u32>(limit.name()) {
                self.0.set_limit(*limit, n);
            }
        }
        self.0.swarm = !matches.get_flag(NO_SWARM);
        Ok(())
    }
}

/// An option that belongs to some engines.
#[derive(Clone, Debug)]
pub struct EngineOption<E: 'static> {
    /// As it is typed.
    pub name: String,
    /// Those that it is for.
    pub engines: &'static [E],
}

/// Rows of a table: options, and the engines that they are for.
pub fn table<E: 'static>(rows: &[(&[&str], &'static [E])]) -> Vec<EngineOption<E>> {
    let row = |(names, engines): &(&[&str], &'static [E])| {
        let engines = *engines;
        let option = move |name: &&str| EngineOption { name: name.to_string(), engines };
        names.iter().map(option).collect::<Vec<_>>()
    };
    rows.iter().flat_map(row).collect()
}

/// The names of engines: `smith and csmith`.
pub fn names<E: ValueEnum>(engines: &[E]) -> String {
    engines.iter().map(name).collect::<Vec<_>>().join(" and ")
}

/// The name of an engine.
pub fn name<E: ValueEnum>(engine: &E) -> String {
    engine.to_possible_value().map_or_else(String::new, |value| value.get_name().to_string())
}

/// `--strategy is for --engine emi: add that, or leave --strategy out`.
pub fn refusal(option: &str, places: &str, several: bool) -> String {
    let add = if several { "add one" } else { "add that" };
    format!("{option} is for {places}: {add}, or leave {option} out")
}
