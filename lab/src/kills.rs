//! `cargo lab kills`: hunts of all engines killed at random moments with SIGKILL; after each kill the folder must
//! hold what it held and what was announced, and nothing that the hunt started may be alive.
//!
//! Hunts take turns. Each begins in order, so that its folder has findings and studies; then it is killed some
//! times, interrupted, told to end in order and compared with what its last event says, and the next begins on a
//! new folder. Most kills come soon after it has begun; some before that, and some late, when studies end.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use ::kills::{Blow, FolderState, Killed, Moment, Scenario, Victim, scenarios};
use anyhow::{Result, bail};
use choice::Choices;
use sandbox::Scratch;

use crate::LabOutcome;
use crate::cluster::binary;
use crate::context::Context;

/// Kills of a folder before it is brought to an end.
const ROUND: usize = 40;

/// How long it is left alone before that, at most.
const BEGINNING: &str = "12s";

/// A progress line after so many kills.
const LINE: usize = 25;

/// One in so many kills comes before the hunt has begun, and one in so many comes late.
const EARLY: u64 = 5;
const LATE: u64 = 8;

/// The latest kill.
const LATEST: Duration = Duration::from_secs(6);

/// Arguments of `cargo lab kills`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// How many kills
    #[arg(long, default_value_t = 1000)]
    count: usize,
    /// The seed of the moments
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Kill after this many milliseconds at least, and at most in most cases
    #[arg(long, default_value_t = 50)]
    least: u64,
    #[arg(long, default_value_t = 1500)]
    most: u64,
    /// Tests of a hunt at a time
    #[arg(short = 'j', long, default_value_t = 2)]
    jobs: usize,
    /// Only the hunts whose names contain this
    #[arg(long)]
    only: Option<String>,
    /// The binary, in place of a release build
    #[arg(long, value_name = "FILE")]
    gainsay: Option<PathBuf>,
}

/// What the kills of one hunt came to.
#[derive(Debug, Default)]
struct Row {
    kills: usize,
    /// By how far the hunt had come.
    reached: [usize; 5],
    /// Kills of folders that had findings in each state.
    states: [usize; 4],
    findings: usize,
    studies: usize,
    outlived: Duration,
    /// Folders of which something does not hold.
    wrong: usize,
}

impl Row {
    fn add(&mut self, killed: &Killed) {
        self.kills += 1;
        self.reached[killed.reached as usize] += 1;
        let FolderState { unconfirmed, waiting, studied, attributed } = killed.state;
        for (sum, n) in self.states.iter_mut().zip([unconfirmed, waiting, studied, attributed]) {
            *sum += usize::from(n > 0);
        }
        self.outlived = self.outlived.max(killed.outlived);
    }

    fn add_row(&mut self, other: &Row) {
        self.kills += other.kills;
        for (sum, n) in self.reached.iter_mut().zip(other.reached) {
            *sum += n;
        }
        for (sum, n) in self.states.iter_mut().zip(other.states) {
            *sum += n;
        }
        self.findings += other.findings;
        self.studies += other.studies;
        self.outlived = self.outlived.max(other.outlived);
        self.wrong += other.wrong;
    }

    fn line(&self, name: &str) -> String {
        let [starting, testing, found, studied, ended] = self.reached;
        let [unconfirmed, waiting, has_study, attributed] = self.states;
        let Row { kills, findings, studies, wrong, .. } = self;
        format!(
            "| {name} | {kills} | {starting} | {testing} | {found} | {studied} | {ended} | {unconfirmed} | \
             {waiting} | {has_study} | {attributed} | {findings} | {studies} | {:.2} | {wrong} |",
            self.outlived.as_secs_f64()
        )
    }
}

const HEADER: &str = "\
| hunt | kills | before it began | after that | after a finding | after a study | at its end | with unconfirmed | \
waiting for a study | studied | attributed | findings | studies | longest to be gone, s | folders with something wrong |
| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |";

/// Runs the command.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    if args.least >= args.most {
        bail!("--least must be less than --most");
    }
    let gainsay = binary(context, args.gainsay.as_deref())?;
    let is_wanted =
        |one: &Scenario| args.only.as_ref().is_none_or(|only| one.name.contains(only.as_str()));
    let all: Vec<Scenario> = scenarios().into_iter().filter(is_wanted).collect();
    if all.is_empty() {
        bail!("there is no such hunt: give another part of a name with --only");
    }
    let mut rows: Vec<Row> = all.iter().map(|_| Row::default()).collect();
    let mut choices = Choices::new(args.seed).fork("kills");
    let (begin, mut done) = (Instant::now(), 0);
    while done < args.count {
        for (scenario, row) in all.iter().zip(&mut rows) {
            let scratch = Scratch::new()?;
            let mut victim = Victim::new(&gainsay, scratch.path(), scenario, args.jobs)?;
            let tests = scenario.tests.to_string();
            let (_, begun) = victim.finish(&["--tests", &tests, "--for", BEGINNING])?;
            let mut wrong = complain(scenario, &begun);
            for _ in 0..ROUND.min(args.count - done) {
                let killed = victim.hit(moment(&mut choices, args), Blow::Kill)?;
                row.add(&killed);
                done += 1;
                wrong |= complain(scenario, &killed);
                if done.is_multiple_of(LINE) {
                    println!(
                        "kills: {done} of {}, {:.0} s",
                        args.count,
                        begin.elapsed().as_secs_f64()
                    );
                }
            }
            let killed =
                victim.hit(Moment::AfterBegin(Duration::from_millis(500)), Blow::Interrupt)?;
            wrong |= complain(scenario, &killed);
            let (_, killed) = victim.finish(&["--for", "3s"])?;
            wrong |= complain(scenario, &killed);
            row.wrong += usize::from(wrong);
            row.findings += victim.kept().findings.len();
            row.studies += victim.kept().studies.len();
            if wrong {
                println!("kills: kept {}", scratch.keep().display());
            }
        }
    }
    print_table(&all, &rows);
    let is_wrong = rows.iter().any(|row| row.wrong > 0);
    Ok(if is_wrong { LabOutcome::Something } else { LabOutcome::Nothing })
}

fn moment(choices: &mut Choices, args: &Args) -> Moment {
    let most = match choices.below(LATE) {
        0 => LATEST.as_millis() as u64,
        _ => args.most,
    };
    let time = Duration::from_millis(args.least + choices.below(most - args.least));
    match choices.below(EARLY) {
        0 => Moment::AfterStart(time / 4),
        _ => Moment::AfterBegin(time),
    }
}

/// Says what is wrong; whether anything is.
fn complain(scenario: &Scenario, killed: &Killed) -> bool {
    for word in &killed.wrong {
        println!("kills: {}, {:?}: {word}", scenario.name, killed.reached);
    }
    !killed.wrong.is_empty()
}

fn print_table(all: &[Scenario], rows: &[Row]) {
    println!("{HEADER}");
    let mut sum = Row::default();
    for (scenario, row) in all.iter().zip(rows) {
        println!("{}", row.line(scenario.name));
        sum.add_row(row);
    }
    println!("{}", sum.line("all"));
}
