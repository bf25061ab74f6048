//! `gainsay smith`: programs of Csmith's kind on standard output, with Csmith's options.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use cgen::redundant_checks;
use cgen::smith::{
    Bounds, Feature, Features, Limit, Options, SeedTuple, WrapperStyle, generate,
    revert_relaxations,
};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches, ValueEnum};
use cmachine::MachineConfig;

use crate::{status, terminal};

/// Generate a random program of Csmith's kind.
///
/// Prints one C file that needs no headers and ends with a checksum of all global variables. Without
/// --relax it has no undefined behaviour; with it, each restriction that keeps it so is lifted here
/// and there, and `gainsay run` says whether the program still has an answer. The same arguments give
/// the same bytes on every machine.
#[derive(Args, Debug)]
#[command(after_help = HELP)]
pub struct Smith {
    /// The seed.
    #[arg(short = 's', long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// A seed with all that was drawn from it: base seed, form of the wrappers (0 functions, 1 macros,
    /// 2 mixed), seven probabilities. It is in the first line of every program.
    #[arg(long, value_name = "TUPLE", conflicts_with_all = ["seed", "relax", "form"])]
    seed_tuple: Option<SeedTuple>,
    /// Which restrictions are lifted, and how often: `none`, `default`, `miscompilation` and `crash`
    /// (both as in the CsmithEdge paper), or a file with one relaxation a line.
    #[arg(long, value_name = "NAME-OR-FILE", default_value = "none")]
    relax: String,
    /// How wrappers around operators are written; drawn from the seed, if not given.
    #[arg(long, value_enum)]
    form: Option<WrapperForm>,
    /// Execute the program and take those relaxations back that leave it without an answer.
    #[arg(long)]
    mend: bool,
    /// Execute the program and remove the wrappers that it does without, as hunts do.
    #[arg(long)]
    relax_arith: bool,
    /// Write to this file.
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the configuration that --relax names, as a file that it takes, and stop.
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    features: FeatureArgs,
}

/// The forms of wrappers, as words.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum WrapperForm {
    /// Functions
    Functions,
    /// Macros with statement expressions
    Macros,
    /// Each use as one or the other
    Mixed,
}

const HELP: &str = "\
Examples:
  gainsay smith --seed 7 > t.c && gcc -O2 t.c && ./a.out
  gainsay smith --seed 7 --no-bitfields --max-funcs 3
  gainsay smith --seed 7 --relax default --mend --relax-arith -o t.c; gainsay run t.c
  gainsay smith --seed-tuple 1621474906,2,0.8,0,0,0,0.3,0,0
  gainsay smith --relax crash --explain > my.relax; edit my.relax; gainsay smith --relax my.relax
A compiled program prints the checksum after each variable when it is given an argument.";

/// Steps and stack for --mend and --relax-arith, as in hunts: what is out of fuel there must be here.
const FUEL: u64 = campaign::SMITH_FUEL;
const STACK: u32 = campaign::SMITH_STACK;

/// Runs the command; the exit status.
pub fn main(args: Smith) -> Result<u8> {
    if args.explain {
        terminal::print(relaxations(&args.relax)?.as_bytes())?;
        return Ok(0);
    }
    let tuple = match &args.seed_tuple {
        Some(tuple) => tuple.clone(),
        None => bounds(&args.relax)?.draw(args.seed),
    };
    let form = match args.form {
        None => tuple.form,
        Some(WrapperForm::Functions) => WrapperStyle::Functions,
        Some(WrapperForm::Macros) => WrapperStyle::Macros,
        Some(WrapperForm::Mixed) => WrapperStyle::Mixed,
    };
    let tuple = SeedTuple { form, ..tuple };
    let options = Options { features: args.features.0 };
    let (mend, relax_arith) = (args.mend, args.relax_arith);
    let work = move || {
        let config = MachineConfig { fuel: FUEL, stack: STACK, ..MachineConfig::default() };
        let mut made = match mend {
            true => revert_relaxations(&tuple, &options, &config).generated,
            false => generate(&tuple, &options),
        };
        if relax_arith {
            redundant_checks::remove_redundant_checks(&mut made.program, &config);
        }
        made.text()
    };
    let Some(text) = terminal::work("still generating".into(), work)? else {
        terminal::complain(crate::run::REPORT_A_BUG);
        return Ok(status::INTERNAL);
    };
    match &args.output {
        Some(file) => fs::write(file, text)
            .with_context(|| format!("{} cannot be written", file.display()))?,
        None => terminal::print(text.as_bytes())?,
    }
    Ok(0)
}

/// The relaxations of this name or file.
pub fn bounds(name: &str) -> Result<Bounds> {
    let text = relaxations(name)?;
    Bounds::parse(&text).map_err(anyhow::Error::msg).with_context(|| format!("--relax {name}"))
}

fn relaxations(name: &str) -> Result<String> {
    if let Some(text) = Bounds::named(name) {
        return Ok(text.to_string());
    }
    fs::read_to_string(name).with_context(|| {
        format!(
            "--relax {name} cannot be read (it is `none`, `default`, `miscompilation`, `crash` or a \
             file)"
        )
    })
}

/// The options that Csmith has for what programs contain: a pair for each feature, one for each limit.
#[derive(Clone, Debug, Default)]
pub struct FeatureArgs(pub Features);

const HEADING: &str = "What programs contain";

impl Args for FeatureArgs {
    fn augment_args(command: Command) -> Command {
        let mut command = command;
        for feature in Feature::ALL {
            let (yes, no) = (feature.name(), no(*feature));
            let flag = |name: &'static str| {
                Arg::new(name).long(name).action(ArgAction::SetTrue).help_heading(HEADING)
            };
            command = command
                .arg(flag(yes).hide(true).overrides_with(no))
                .arg(flag(no).help(format!("No {}", feature.about())).overrides_with(yes));
        }
        for limit in Limit::ALL {
            command = command.arg(
                Arg::new(limit.name())
                    .long(limit.name())
                    .value_name("N")
                    .value_parser(clap::value_parser!(u32).range(1..))
                    .help_heading(HEADING)
                    .help(format!("Most {} [default: {}]", limit.about(), limit.default())),
            );
        }
        command.arg(
            Arg::new("no-swarm")
                .long("no-swarm")
                .action(ArgAction::SetTrue)
                .help_heading(HEADING)
                .help("Use all features in every program, in place of most of them, drawn anew"),
        )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Names of arguments live as long as the program.
fn no(feature: Feature) -> &'static str {
    use std::sync::OnceLock;
    static NAMES: OnceLock<Vec<String>> = OnceLock::new();
    let names =
        NAMES.get_or_init(|| Feature::ALL.iter().map(|f| format!("no-{}", f.name())).collect());
    &names[feature as usize]
}

impl FromArgMatches for FeatureArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<FeatureArgs, clap::Error> {
        let mut args = FeatureArgs::default();
        args.update_from_arg_matches(matches)?;
        Ok(args)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for feature in Feature::ALL {
            if matches.get_flag(no(*feature)) {
                self.0.set(*feature, false);
            }
        }
        for limit in Limit::ALL {
            if let Some(&n) = matches.get_one::<u32>(limit.name()) {
                self.0.set_limit(*limit, n);
            }
        }
        self.0.swarm = !matches.get_flag("no-swarm");
        Ok(())
    }
}
