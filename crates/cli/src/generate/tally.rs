//! What generated programs amount to, as a table and as JSON.

use std::collections::BTreeMap;

use anyhow::Result;
use cgen::census::Census;
use serde_json::json;

use super::makers::Program;
use crate::human;

/// Operators that can overflow in signed types.
const FALLIBLE_SIGNED: [&str; 4] = ["+", "-", "*", "unary -"];

/// Operators that have undefined cases in every type.
const FALLIBLE: [&str; 4] = ["/", "%", "<<", ">>"];

/// How yarp made programs well-defined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Repairs {
    /// Executions.
    pub runs: u64,
    /// Operations that were rewritten: by a rule of Table 1, to one that is always defined, to a constant.
    pub rungs: [u64; 3],
    /// Programs that were begun.
    pub attempts: u64,
}

/// What the programs amount to.
#[derive(Default)]
pub struct Tally {
    census: Census,
    programs: u64,
    bytes: usize,
    repairs: Option<Repairs>,
    skipped: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts a program.
    pub fn add(&mut self, program: &Program) {
        self.programs += 1;
        self.bytes += program.files.iter().map(|file| file.text.len()).sum::<usize>();
        if let Some(census) = &program.census {
            self.census.add(census);
        }
        if let Some(repairs) = program.repairs {
            let sum = self.repairs.get_or_insert_default();
            sum.runs += repairs.runs;
            sum.attempts += repairs.attempts;
            sum.rungs.iter_mut().zip(repairs.rungs).for_each(|(sum, n)| *sum += n);
        }
    }

    /// Counts a program that is of no use.
    pub fn skip(&mut self, reason: String) {
        *self.skipped.entry(reason).or_default() += 1;
    }

    /// Lines on programs that are of no use.
    pub fn skipped(&self) -> Vec<String> {
        let line =
            |(why, n): (&String, &u64)| format!("{} left out: {why}", human::plural(*n, "program"));
        self.skipped.iter().map(line).collect()
    }

    /// Live operations that could be undefined, and how many of those a repair has changed.
    fn raw_share(&self, repairs: &Repairs) -> (u64, u64) {
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
        (live, repairs.rungs.iter().sum())
    }

    /// A table for people.
    pub fn text(&self) -> String {
        let per = |n: u64| n as f64 / self.programs.max(1) as f64;
        let mut text = format!(
            "programs             {}\nbytes per program    {:.0}\n",
            self.programs,
            per(self.bytes as u64)
        );
        if let Some(repairs) = &self.repairs {
            let (live, touched) = self.raw_share(repairs);
            let percent = |n: u64| 100.0 * n as f64 / live.max(1) as f64;
            text += &format!(
                "runs per program     {:.2}\ndiscarded attempts   {}\n\
                 live operations that could be undefined, per program   {:.0}\n\
                 of which as built    {:.1} %\n         a Table 1 rule  {:.1} %\n         \
                 always defined  {:.1} %\n         constant        {:.1} %\n",
                per(repairs.runs),
                repairs.attempts - self.programs,
                per(live),
                percent(live.saturating_sub(touched)),
                percent(repairs.rungs[0]),
                percent(repairs.rungs[1]),
                percent(repairs.rungs[2]),
            );
        }
        for line in self.skipped() {
            text += &format!("{line}\n");
        }
        text + &format!("\n{}", self.census)
    }

    /// The same for scripts.
    pub fn json(&self) -> Result<String> {
        let mut value = json!({
            "programs": self.programs,
            "bytes": self.bytes,
            "live_share": self.census.live_share(),
            "census": self.census,
        });
        if let Some(repairs) = &self.repairs {
            let (live, touched) = self.raw_share(repairs);
            value["runs"] = json!(repairs.runs);
            value["attempts"] = json!(repairs.attempts);
            value["fallible"] = json!(live);
            value["repaired"] = json!(touched);
            value["rungs"] = json!(repairs.rungs);
        }
        if !self.skipped.is_empty() {
            value["skipped"] = json!(self.skipped);
        }
        Ok(serde_json::to_string(&value)?)
    }
}
