//! The search, without LLVM: delta debugging over places of edits and over passes, many candidates at a time.
//!
//! Places are tried in chunks, the last first, because users stand behind what they use. All chunks of
//! a window are asked about at once; then those that worked are asked about together, and in
//! halves and quarters. What is left is for smaller chunks and the next round. The pipeline comes first
//! (the shorter it is, the faster is everything after), and again at the end.

use super::pipeline::{Pipeline, expansions};
use super::{Edit, EditKind};

/// Candidates in one question. A tester forks for some dozens of tests.
const WINDOW: usize = 48;

/// Candidates in one question where one answer is enough.
const FEW: usize = 12;

/// Rounds over all kinds of edits. Most findings need three or four; more is not worth the wait.
const ROUNDS: usize = 12;

/// How many kinds of edits are about whole functions and variables.
const COARSE: usize = 4;

/// Passes that make modules smaller, tried whole and taken if the module is smaller then.
const SHORTCUTS: [&str; 6] = [
    "globaldce,strip-dead-prototypes",
    "function(simplifycfg)",
    "function(dce)",
    "function(mem2reg)",
    "function(instsimplify)",
    "deadargelim",
];

/// A module after an edit, and the passes to run on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What is done to the base.
    pub edit: Edit,
    /// What is run then.
    pub passes: String,
}

/// Runs candidates.
pub trait Tester {
    /// For each candidate, the text of the module that its edit makes of the base, if that module is valid
    /// and its passes still show the finding. A crash while the edit is made is not the finding.
    fn try_all(&mut self, base: &[u8], candidates: &[Candidate]) -> Vec<Option<Vec<u8>>>;

    /// How many places an edit has in a base: [`count`](super::count).
    fn count(&mut self, base: &[u8], kind: EditKind) -> usize;

    /// Explicit texts for a pipeline like `default<O3>`, if any are known beside those of our table: what
    /// `opt -print-pipeline-passes` prints, or [`from_log`](super::pipeline::from_log).
    fn expansions(&mut self, _base: &[u8], _passes: &str) -> Vec<String> {
        Vec::new()
    }
}

/// What was tried and helped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedEdit {
    /// The kind of edit, or `passes`.
    pub what: String,
    /// Instructions after it.
    pub instructions: usize,
    /// Bytes of text after it.
    pub bytes: usize,
    /// Passes after it.
    pub passes: usize,
}

/// Where a reduction stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress<'a> {
    /// What is being tried.
    pub what: &'a str,
    /// Candidates so far.
    pub candidates: u64,
    /// Instructions now.
    pub instructions: usize,
    /// Passes now.
    pub passes: &'a str,
}

/// The result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shrunk {
    /// The module's text.
    pub module: Vec<u8>,
    /// The pipeline.
    pub passes: String,
    /// What helped, in order.
    pub steps: Vec<AcceptedEdit>,
    /// How many candidates there were.
    pub candidates: u64,
}

/// Makes module and passes small. `None` if the finding does not show to begin with. When `stop` says
/// so, the best so far is the result.
pub fn shrink(
    base: &[u8],
    passes: &str,
    tester: &mut dyn Tester,
    progress: &dyn Fn(&Progress<'_>),
    stop: &dyn Fn() -> bool,
) -> Option<Shrunk> {
    let first = Candidate { edit: Edit::Keep, passes: passes.to_string() };
    let module = tester.try_all(base, &[first]).into_iter().next()??;
    let passes = passes.to_string();
    let steps = Vec::new();
    let mut search = Search { module, passes, steps, candidates: 1, tester, progress, stop };
    search.pipeline();
    search.module();
    if search.pipeline() {
        search.module();
    }
    search.tidy();
    let Search { module, passes, steps, candidates, .. } = search;
    Some(Shrunk { module, passes, steps, candidates })
}

struct Search<'a> {
    module: Vec<u8>,
    passes: String,
    steps: Vec<AcceptedEdit>,
    candidates: u64,
    tester: &'a mut dyn Tester,
    progress: &'a dyn Fn(&Progress<'_>),
    stop: &'a dyn Fn() -> bool,
}

impl Search<'_> {
    /// Edits of all kinds until none helps. Names change nothing but looks, so they come once.
    fn module(&mut self) {
        for _ in 0..ROUNDS {
            let mut changed = false;
            // Passes are slow on a large module, and functions go fast.
            let (coarse, fine) = EditKind::ALL.split_at(COARSE);
            for kind in coarse {
                changed |= self.kind(*kind);
            }
            for passes in SHORTCUTS {
                changed |= self.shortcut(passes);
            }
            for kind in fine {
                changed |= *kind != EditKind::Names && self.kind(*kind);
            }
            if !changed || (self.stop)() {
                break;
            }
        }
        self.kind(EditKind::Names);
    }

    /// Drops what LLVM writes for readers, if the finding does not mind.
    fn tidy(&mut self) {
        let tidy = super::words::tidy(&String::from_utf8_lossy(&self.module)).into_bytes();
        let same = Candidate { edit: Edit::Keep, passes: self.passes.clone() };
        self.candidates += 1;
        if matches!(self.tester.try_all(&tidy, &[same]).as_slice(), [Some(_)]) {
            self.accept("tidy", tidy, None);
        }
    }

    fn shortcut(&mut self, passes: &str) -> bool {
        let edit = Edit::Run(passes.to_string());
        let made = self.ask("shortcut", vec![(edit, self.passes.clone())]);
        match made.into_iter().next().flatten() {
            Some(module) if weight(&module) < weight(&self.module) => {
                self.accept(passes, module, None);
                true
            }
            _ => false,
        }
    }

    /// One kind of edit, from all places at once to each alone.
    fn kind(&mut self, kind: EditKind) -> bool {
        let what = format!("{kind:?}");
        let mut changed = false;
        let mut size = self.tester.count(&self.module, kind);
        while size > 0 && !(self.stop)() {
            let mut end = self.tester.count(&self.module, kind);
            while end > 0 {
                let start = end.saturating_sub(size * WINDOW);
                let places: Vec<u32> = (start..end).filter_map(|n| u32::try_from(n).ok()).collect();
                let chunks: Vec<Vec<u32>> = places.rchunks(size).map(<[u32]>::to_vec).collect();
                let passes = self.passes.clone();
                let make = |places: &[u32]| {
                    let places = places.to_vec();
                    (Edit::Places { kind, places }, passes.clone())
                };
                match self.window(&what, &chunks, &make) {
                    Taken::Nothing => end = start,
                    Taken::All => (changed, end) = (true, start),
                    // What did not go together may go one after the other.
                    Taken::Some => {
                        changed = true;
                        end = end.min(self.tester.count(&self.module, kind));
                    }
                }
                if (self.stop)() {
                    return changed;
                }
            }
            size /= 2;
        }
        changed
    }

    /// Asks about some chunks; takes as many of those that worked as go together.
    fn window(
        &mut self,
        what: &str,
        chunks: &[Vec<u32>],
        make: &dyn Fn(&[u32]) -> (Edit, String),
    ) -> Taken {
        let answers = self.ask(what, chunks.iter().map(|chunk| make(chunk)).collect());
        let mut worked: Vec<(&[u32], Vec<u8>)> = Vec::new();
        for (chunk, answer) in chunks.iter().zip(answers) {
            worked.extend(answer.map(|module| (chunk.as_slice(), module)));
        }
        let Some((_, first)) = worked.first() else { return Taken::Nothing };
        let first = (make(worked[0].0), first.clone());
        let unions = unions(&worked.iter().map(|(chunk, _)| *chunk).collect::<Vec<_>>());
        let whole = worked.len() == 1;
        let asked: Vec<(Edit, String)> = unions.iter().map(|places| make(places)).collect();
        let answers = self.ask(what, asked.clone());
        let mut best = asked.into_iter().zip(answers).enumerate();
        let best = best.find_map(|(index, (asked, answer))| Some((index, asked, answer?)));
        let (all, (_, passes), module) = match best {
            Some((index, asked, module)) => (index == 0, asked, module),
            None => (whole, first.0, first.1),
        };
        let passes = (passes != self.passes).then_some(passes);
        self.accept(what, module, passes);
        if all { Taken::All } else { Taken::Some }
    }

    /// Answers that are of use: those that differ from what we have.
    fn ask(&mut self, what: &str, edits: Vec<(Edit, String)>) -> Vec<Option<Vec<u8>>> {
        let mut answers = Vec::with_capacity(edits.len());
        for edits in edits.chunks(WINDOW) {
            if (self.stop)() {
                break;
            }
            let make = |(edit, passes): &(Edit, String)| Candidate {
                edit: edit.clone(),
                passes: passes.clone(),
            };
            let candidates: Vec<Candidate> = edits.iter().map(make).collect();
            self.candidates += candidates.len() as u64;
            let made = self.tester.try_all(&self.module, &candidates);
            let differs = |(candidate, module): (&Candidate, Option<Vec<u8>>)| {
                module.filter(|module| *module != self.module || candidate.passes != self.passes)
            };
            answers.extend(candidates.iter().zip(made).map(differs));
            (self.progress)(&Progress {
                what,
                candidates: self.candidates,
                instructions: weight(&self.module).0,
                passes: &self.passes,
            });
        }
        answers.resize(edits.len(), None);
        answers
    }

    fn accept(&mut self, what: &str, module: Vec<u8>, passes: Option<String>) {
        self.module = module;
        self.passes = passes.unwrap_or_else(|| self.passes.clone());
        let (instructions, bytes) = weight(&self.module);
        let passes = Pipeline::parse(&self.passes).map_or(1, |pipeline| pipeline.len());
        self.steps.push(AcceptedEdit { what: what.to_string(), instructions, bytes, passes });
    }

    /// The shortest list of passes.
    fn pipeline(&mut self) -> bool {
        let before = self.passes.clone();
        let told = self.tester.expansions(&self.module, &self.passes);
        // The last pass of those that ran is the one that did it, and most often it does it alone.
        let last = told.iter().filter_map(|text| Pipeline::parse(text));
        let last = last.map(|told| told.only(|n| n + 1 == told.len()).to_string());
        if !self.first_of(last.map(|text| (Edit::Keep, text)).collect()) {
            // Those of the table run in the right order on each function; a log may be very long.
            let texts = expansions(&self.passes).into_iter().chain(told);
            self.first_of(texts.map(|text| (Edit::Keep, text)).collect());
            if !self.single() && self.cut() {
                self.single();
            }
            self.fewer_passes();
        }
        while let Some(pipeline) = Pipeline::parse(&self.passes) {
            let simpler = pipeline.simpler();
            let simpler = simpler.iter().map(|one| (Edit::Keep, one.to_string())).collect();
            if !self.first_of(simpler) {
                break;
            }
        }
        self.passes != before
    }

    /// Takes the first that works. Few are asked about at a time, since the rest is for nothing.
    fn first_of(&mut self, candidates: Vec<(Edit, String)>) -> bool {
        for some in candidates.chunks(FEW) {
            let answers = self.ask("passes", some.to_vec());
            let mut works = some.iter().zip(answers);
            if let Some(((_, passes), module)) = works.find_map(|(one, made)| Some((one, made?))) {
                self.accept("passes", module, Some(passes.clone()));
                return true;
            }
        }
        false
    }

    /// One pass alone.
    fn single(&mut self) -> bool {
        let Some(pipeline) = Pipeline::parse(&self.passes) else { return false };
        if pipeline.len() == 1 {
            return true;
        }
        let singles = pipeline.singles();
        self.first_of(singles.iter().map(|one| (Edit::Keep, one.to_string())).collect())
    }

    /// The module as it is in the middle of the pipeline, and the rest of the pipeline; as late as goes.
    fn cut(&mut self) -> bool {
        let mut changed = false;
        while let Some(pipeline) = Pipeline::parse(&self.passes) {
            let stride = pipeline.len().div_ceil(WINDOW).max(1);
            let cuts = (1..pipeline.len()).rev().step_by(stride).map(|at| {
                let (done, rest) = (pipeline.only(|n| n < at), pipeline.only(|n| n >= at));
                (Edit::Run(done.to_string()), rest.to_string())
            });
            if !self.first_of(cuts.collect()) {
                break;
            }
            changed = true;
        }
        changed
    }

    /// Delta debugging over the passes that are left.
    fn fewer_passes(&mut self) {
        let Some(mut pipeline) = Pipeline::parse(&self.passes) else { return };
        let mut size = pipeline.len() / 2;
        while size > 0 && pipeline.len() > 1 && !(self.stop)() {
            let mut end = pipeline.len();
            while end > 0 && pipeline.len() > 1 {
                let start = end.saturating_sub(size * WINDOW);
                let places: Vec<u32> = (start..end).filter_map(|n| u32::try_from(n).ok()).collect();
                let chunks: Vec<Vec<u32>> = places.rchunks(size).map(<[u32]>::to_vec).collect();
                let now = pipeline.clone();
                let make = move |places: &[u32]| {
                    let kept = now.only(|n| !places.iter().any(|place| *place as usize == n));
                    // No passes at all is no pipeline; this one is known not to do anything.
                    let text = if kept.is_empty() { "verify".into() } else { kept.to_string() };
                    (Edit::Keep, text)
                };
                let taken = self.window("passes", &chunks, &make);
                let Some(next) = Pipeline::parse(&self.passes) else { return };
                pipeline = next;
                end = if taken == Taken::Some { end.min(pipeline.len()) } else { start };
                if (self.stop)() {
                    return;
                }
            }
            size /= 2;
        }
    }
}

/// How much of what was asked about was taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// No chunk worked.
    Nothing,
    /// All that worked.
    All,
    /// Less than what worked alone.
    Some,
}

/// Chunks together: all of them, then halves, then quarters. A single one is no union.
fn unions(chunks: &[&[u32]]) -> Vec<Vec<u32>> {
    let mut unions = Vec::new();
    for parts in [1, 2, 4] {
        let size = chunks.len().div_ceil(parts);
        if size > 1 {
            unions.extend(chunks.chunks(size).map(<[&[u32]]>::concat));
        }
    }
    unions
}

/// How big a module is: instructions, then bytes. Instructions are the indented lines of functions; a
/// `switch` has more than one, and more of them are worse.
pub(super) fn weight(text: &[u8]) -> (usize, usize) {
    let lines = text.split(|byte| *byte == b'\n');
    let mut inside = false;
    let mut instructions = 0;
    for line in lines {
        match line {
            [b'd', b'e', b'f', b'i', b'n', b'e', ..] => inside = true,
            [b'}', ..] => inside = false,
            [b' ', b' ', ..] if inside => instructions += 1,
            _ => {}
        }
    }
    (instructions, text.len())
}
