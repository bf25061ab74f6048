//! `gainsay gen`: random programs whose exact output is known.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use cgen::census::Census;
use cgen::policy::Policy;
use cgen::yarp::{self, Generated, Language, Options};
use cmachine::Hooks;

use crate::args::{Gen, Lang};
use crate::{status, terminal};

/// Runs the command; the exit status.
pub fn main(args: Gen) -> Result<u8> {
    let policy = policy(&args.policy)?;
    if args.explain {
        terminal::print(policy.explain().as_bytes())?;
        return Ok(0);
    }
    let Some(last) = args.seed.checked_add(args.count.unwrap_or(1)) else {
        bail!("the seeds from {} on are fewer than --count", args.seed);
    };
    if args.count == Some(0) {
        bail!("--count must be at least 1");
    }
    if args.output.is_none() && !args.stats {
        bail!("say with -o where the program should go (or ask for --stats or --explain alone)");
    }
    let hooks = Hooks { cover: args.stats, ..Hooks::default() };
    let language = match args.lang {
        Lang::C => Language::C,
        Lang::Cxx => Language::Cxx,
    };
    let options = Options { policy, language, trace: args.trace, hooks };
    let work = move || -> Result<Tally> {
        let mut tally = Tally::default();
        let mut progress = Progress::new(last - args.seed);
        for seed in args.seed..last {
            let program = yarp::generate(seed, &options)
                .map_err(|error| anyhow::anyhow!("seed {seed}: {error}"))?;
            let files = program
                .files(args.single_file)
                .with_context(|| format!("the program of seed {seed}"))?;
            if let Some(folder) = &args.output {
                let folder = match args.count {
                    Some(_) => folder.join(seed.to_string()),
                    None => folder.clone(),
                };
                write(&folder, &files, program.expected())?;
            }
            tally.add(&program, files.iter().map(|f| f.text.len()).sum());
            progress.done(seed - args.seed + 1);
        }
        Ok(tally)
    };
    let stats = args.stats.then_some(args.json);
    let Some(tally) = terminal::work("still generating".into(), work)? else {
        terminal::complain(crate::run::REPORT_A_BUG);
        return Ok(status::INTERNAL);
    };
    let tally = tally?;
    match stats {
        Some(true) => terminal::print(format!("{}\n", tally.json()?).as_bytes())?,
        Some(false) => terminal::print(tally.text().as_bytes())?,
        None => {}
    }
    Ok(0)
}

/// The policy of this name or file.
pub fn policy(name: &str) -> Result<Policy> {
    if let Some(preset) = Policy::named(name) {
        return Ok(preset);
    }
    let text = fs::read_to_string(name).with_context(|| {
        format!(
            "the policy {name} cannot be read (it is `default`, `plain`, `small`, `paper`, `none` or a TOML \
             file)"
        )
    })?;
    Policy::parse(&text).with_context(|| format!("the policy {name}"))
}

fn write(folder: &Path, files: &[yarp::SourceFile], expected: &[u8]) -> Result<()> {
    let cannot = |path: &PathBuf| format!("{} cannot be written", path.display());
    fs::create_dir_all(folder).with_context(|| cannot(&folder.to_path_buf()))?;
    for file in files {
        let path = folder.join(file.name);
        fs::write(&path, &file.text).with_context(|| cannot(&path))?;
    }
    // The last one: a folder with `expected` is whole.
    let path = folder.join("expected");
    fs::write(&path, expected).with_context(|| cannot(&path))
}

/// Operators that can overflow in signed types.
const FALLIBLE_SIGNED: [&str; 4] = ["+", "-", "*", "unary -"];

/// Operators that have undefined cases in every type.
const FALLIBLE: [&str; 4] = ["/", "%", "<<", ">>"];

/// What the programs amount to.
#[derive(Default)]
struct Tally {
    census: Census,
    programs: u64,
    bytes: usize,
    passes: u64,
    rungs: [u64; 3],
    attempts: u64,
}

impl Tally {
    fn add(&mut self, program: &Generated, bytes: usize) {
        self.programs += 1;
        self.bytes += bytes;
        self.passes += u64::from(program.repaired.passes);
        for (sum, &rung) in self.rungs.iter_mut().zip(&program.repaired.rungs) {
            *sum += u64::from(rung);
        }
        self.attempts += u64::from(program.attempts);
        let functions = &program.functions;
        let profile = &program.repaired.report.profile;
        if !profile.executed.is_empty() {
            let own = |func| functions.contains(&func);
            self.census.add(&Census::of_functions(&program.program, profile, own));
        }
    }

    /// Live operations that could be undefined, and how many of those a repair has changed.
    fn raw_share(&self) -> (u64, u64) {
        let touched = self.rungs.iter().sum();
        let by_type = |op: &str, ty: &str| {
            self.census.count("operators by type", &format!("{op} {ty}")).executed
        };
        let mut live = 0;
        for ty in ["int", "long", "long long"] {
            live += FALLIBLE_SIGNED.iter().map(|op| by_type(op, ty)).sum::<u64>();
        }
        for ty in
            ["int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long"]
        {
            live += FALLIBLE.iter().map(|op| by_type(op, ty)).sum::<u64>();
        }
        (live, touched)
    }

    fn text(&self) -> String {
        let (live, touched) = self.raw_share();
        let per = |n: u64| n as f64 / self.programs.max(1) as f64;
        let percent = |n: u64, of: u64| 100.0 * n as f64 / of.max(1) as f64;
        format!(
            "programs             {}\nbytes per program    {:.0}\nruns per program     {:.2}\n\
             discarded attempts   {}\nlive operations that could be undefined, per program   {:.0}\n\
             of which as built    {:.1} %\n         a Table 1 rule  {:.1} %\n         \
             always defined  {:.1} %\n         constant        {:.1} %\n\n{}",
            self.programs,
            self.bytes as f64 / self.programs.max(1) as f64,
            per(self.passes),
            self.attempts - self.programs,
            per(live),
            percent(live.saturating_sub(touched), live),
            percent(self.rungs[0], live),
            percent(self.rungs[1], live),
            percent(self.rungs[2], live),
            self.census,
        )
    }

    fn json(&self) -> Result<String> {
        let (live, touched) = self.raw_share();
        let value = serde_json::json!({
            "programs": self.programs,
            "bytes": self.bytes,
            "runs": self.passes,
            "attempts": self.attempts,
            "fallible": live,
            "repaired": touched,
            "rungs": self.rungs,
            "live_share": self.census.live_share(),
            "census": self.census,
        });
        Ok(serde_json::to_string(&value)?)
    }
}

/// Counts on a terminal's standard error, at most twice a second.
struct Progress {
    of: u64,
    started: Instant,
    told: Instant,
    shown: bool,
}

impl Progress {
    fn new(of: u64) -> Progress {
        Progress { of, started: Instant::now(), told: Instant::now(), shown: false }
    }

    fn done(&mut self, count: u64) {
        let pause = Duration::from_millis(500);
        if self.started.elapsed() > Duration::from_secs(2) && self.told.elapsed() > pause {
            self.told = Instant::now();
            self.shown = true;
            terminal::status(&format!("gainsay: {count} of {} programs", self.of));
        }
        if self.shown && count == self.of {
            terminal::status("");
        }
    }
}
