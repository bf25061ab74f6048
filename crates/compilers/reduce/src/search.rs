//! The search: passes over the program until none finds anything more.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use cshrink::{BatchSize, Pass, Rules, Specimen, UnitText};
use oracle::Trouble;

use crate::ask::{Interestingness, TrialSlot};
use crate::pool::Pool;
use crate::{Clock, ProgressFn, ReduceProgress};

/// Edits that are tried together at first where few of them are expected to work.
const FEW: usize = 4;
/// Rounds after which it is enough, whatever still changes.
const ROUNDS: usize = 12;
/// The same towards the normal form: one constant may wait for another.
const NORMAL_ROUNDS: usize = 3;

/// A search in progress.
pub(crate) struct Search<'a> {
    ask: &'a dyn Interestingness,
    pool: &'a Pool,
    clock: Clock,
    tell: ProgressFn<'a>,
    rules: Rules,
    /// The smallest so far that is interesting.
    current: Specimen,
    before: usize,
    /// Candidates that were not interesting.
    dull: Mutex<HashSet<u64>>,
    /// Passes that found nothing in a program, by the program.
    fruitless: HashSet<(usize, u64)>,
    aim: Aim,
    candidates: AtomicU64,
    asked: AtomicU64,
}

/// What a candidate must have less of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Aim {
    /// Tokens, and then characters.
    Size,
    /// What keeps it from its normal form.
    NormalForm,
}

/// What a search came to.
#[derive(Debug)]
pub(crate) struct SearchResult {
    pub specimen: Specimen,
    pub candidates: u64,
    pub asked: u64,
}

impl<'a> Search<'a> {
    /// A search from a program that is known to be interesting.
    pub(crate) fn new(
        ask: &'a dyn Interestingness,
        pool: &'a Pool,
        clock: Clock,
        tell: ProgressFn<'a>,
        rules: Rules,
        start: Specimen,
    ) -> Search<'a> {
        Search {
            ask,
            pool,
            clock,
            tell,
            rules,
            before: start.tokens(),
            current: start,
            dull: Mutex::default(),
            fruitless: HashSet::new(),
            aim: Aim::Size,
            candidates: AtomicU64::new(0),
            asked: AtomicU64::new(0),
        }
    }

    /// Searches until nothing more is found, the time is over or it is told to stop: then the best
    /// so far is the result.
    pub(crate) fn run(mut self) -> Result<SearchResult, Trouble> {
        match self.rounds().and_then(|()| self.normalise()) {
            Ok(()) | Err(Trouble::Stopped) => {}
            Err(trouble) => return Err(trouble),
        }
        Ok(SearchResult {
            specimen: self.current,
            candidates: self.candidates.into_inner(),
            asked: self.asked.into_inner(),
        })
    }

    fn rounds(&mut self) -> Result<(), Trouble> {
        let passes = cshrink::passes();
        for _ in 0..ROUNDS {
            let start = self.current.clone();
            if self.current.units.len() > 1 {
                self.merge_files()?;
            }
            if !self.rules.sweep {
                self.remove_unused()?;
            }
            for (index, pass) in passes.iter().enumerate() {
                self.pass(index, pass)?;
            }
            if weight(&self.current) >= weight(&start) {
                // What grew for the sake of others has not paid.
                self.current = start;
                break;
            }
            if !self.pool.one(|slot| self.ask.confirm(&self.current, slot))? {
                // Something was lost on the way: once more, now with that in sight.
                self.current = start;
                self.fruitless.clear();
            }
        }
        Ok(())
    }

    /// The normal form of what was found, as far as the failure stays everywhere.
    fn normalise(&mut self) -> Result<(), Trouble> {
        self.aim = Aim::NormalForm;
        let start = self.current.clone();
        for _ in 0..NORMAL_ROUNDS {
            let before = self.current.form();
            for pass in &cshrink::normal_forms() {
                let mut level = 0;
                while (pass.edits)(&self.current, level).is_some() {
                    self.level(pass, level, 1)?;
                    level += 1;
                }
            }
            if self.current.form() == before {
                break;
            }
        }
        if self.current.units != start.units
            && !self.pool.one(|slot| self.ask.confirm(&self.current, slot))?
        {
            self.current = start;
        }
        Ok(())
    }

    /// Whether a candidate is worth a question.
    fn is_less(&self, made: &Specimen, pass: &Pass) -> bool {
        match self.aim {
            Aim::Size => pass.grows || weight(made) < weight(&self.current),
            Aim::NormalForm => made.form() < self.current.form(),
        }
    }

    /// Many files to one.
    fn merge_files(&mut self) -> Result<(), Trouble> {
        if let Some(one) = self.current.merged(&self.rules) {
            self.accept_if_interesting("one file", one)?;
        }
        Ok(())
    }

    /// From now on everything that is not used goes at once, if that does no harm.
    fn remove_unused(&mut self) -> Result<(), Trouble> {
        let rules = Rules { sweep: true, ..self.rules.clone() };
        match self.current.with([], &rules) {
            Some(swept) => {
                if self.accept_if_interesting("unused declarations", swept)? {
                    self.rules = rules;
                }
            }
            None => self.rules = rules,
        }
        Ok(())
    }

    fn accept_if_interesting(
        &mut self,
        pass: &'static str,
        specimen: Specimen,
    ) -> Result<bool, Trouble> {
        self.candidates.fetch_add(1, Ordering::Relaxed);
        let interesting = self.pool.one(|slot| self.ask_once(&specimen, slot))?;
        if interesting {
            self.current = specimen;
            self.report(pass);
        }
        Ok(interesting)
    }

    fn pass(&mut self, index: usize, pass: &Pass) -> Result<(), Trouble> {
        let key = (index, hash(&self.current.units));
        if self.fruitless.contains(&key) {
            return Ok(());
        }
        let mut changed = false;
        let mut level = 0;
        while let Some(edits) = (pass.edits)(&self.current, level) {
            changed |= self.level(pass, level, edits.len())?;
            level += 1;
        }
        if !changed {
            self.fruitless.insert(key);
        }
        Ok(())
    }

    fn level(&mut self, pass: &Pass, level: usize, count: usize) -> Result<bool, Trouble> {
        let mut size = match pass.first_batch {
            BatchSize::All => count,
            BatchSize::Few => FEW.min(count),
            BatchSize::One => 1,
        };
        let mut changed = false;
        let mut grown = false;
        while size > 0 {
            let mut at = 0;
            loop {
                if self.pool.is_over() {
                    return Err(Trouble::Stopped);
                }
                let Some(edits) = (pass.edits)(&self.current, level) else { return Ok(changed) };
                if at >= edits.len() || grown {
                    break;
                }
                let windows: Vec<_> = edits[at..].chunks(size).collect();
                let make = |i: usize| {
                    self.candidates.fetch_add(1, Ordering::Relaxed);
                    let made = self.current.with(windows[i], &self.rules)?;
                    self.is_less(&made, pass).then_some(made)
                };
                let ask = |made: &Specimen, slot: &TrialSlot<'_>| self.ask_once(made, slot);
                match self.pool.first(windows.len(), &make, &ask)? {
                    Some((i, made)) => {
                        self.current = made;
                        changed = true;
                        // What may grow may go on for ever.
                        grown = pass.grows && size == 1;
                        at += i * size;
                        self.report(pass.name);
                    }
                    None => break,
                }
            }
            size /= 2;
        }
        Ok(changed)
    }

    /// Puts the question, unless it was put before.
    fn ask_once(&self, specimen: &Specimen, slot: &TrialSlot<'_>) -> Result<bool, Trouble> {
        let hash = hash(&specimen.units);
        let dull = || self.dull.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if dull().contains(&hash) {
            return Ok(false);
        }
        self.asked.fetch_add(1, Ordering::Relaxed);
        let interesting = self.ask.ask(specimen, slot)?;
        if !interesting {
            dull().insert(hash);
        }
        Ok(interesting)
    }

    fn report(&self, pass: &'static str) {
        (self.tell)(&ReduceProgress {
            pass,
            before: self.before,
            tokens: self.current.tokens(),
            candidates: self.candidates.load(Ordering::Relaxed),
            asked: self.asked.load(Ordering::Relaxed),
            elapsed: self.clock.begin.elapsed(),
        });
    }
}

/// What a search makes smaller: tokens, and then characters.
fn weight(specimen: &Specimen) -> (usize, usize) {
    (specimen.tokens(), specimen.units.iter().map(|unit| unit.text.len()).sum())
}

fn hash(units: &[UnitText]) -> u64 {
    let mut hasher = DefaultHasher::new();
    units.hash(&mut hasher);
    hasher.finish()
}
