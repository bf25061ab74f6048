//! The search over a model without LLVM: a module is a set of letters, a finding needs some of them and some
//! passes.

use std::cell::Cell;

use optimise::shrink::{Candidate, Edit, EditKind, Tester, shrink};

/// Modules are letters; the edit `ToZero` takes letters out, `Run` and others do nothing. The finding needs
/// `needed`; letters of `tied` go together or not at all.
struct Model {
    needed: &'static str,
    tied: &'static str,
    passes: fn(&str) -> bool,
    asked: usize,
    batches: usize,
}

impl Tester for Model {
    fn try_all(&mut self, base: &[u8], candidates: &[Candidate]) -> Vec<Option<Vec<u8>>> {
        self.asked += candidates.len();
        self.batches += 1;
        let one = |candidate: &Candidate| {
            let mut text = String::from_utf8(base.to_vec()).ok()?.trim_end().to_string();
            if let Edit::Places { kind: EditKind::ToZero, places } = &candidate.edit {
                let kept = text.char_indices().filter(|(n, _)| !places.contains(&(*n as u32)));
                text = kept.map(|(_, letter)| letter).collect();
            }
            let tied = self.tied.chars().filter(|letter| text.contains(*letter)).count();
            let valid = tied == 0 || tied == self.tied.len();
            let shown = self.needed.chars().all(|letter| text.contains(letter));
            let runs = candidate.passes.contains("default<") || (self.passes)(&candidate.passes);
            (valid && shown && runs).then(|| text.into_bytes())
        };
        candidates.iter().map(one).collect()
    }

    fn count(&mut self, base: &[u8], kind: EditKind) -> usize {
        if kind == EditKind::ToZero { base.len() } else { 0 }
    }
}

const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

fn model(needed: &'static str, tied: &'static str, passes: fn(&str) -> bool) -> Model {
    Model { needed, tied, passes, asked: 0, batches: 0 }
}

fn run(model: &mut Model, passes: &str) -> (String, String) {
    let shrunk = shrink(ALPHABET, passes, model, &|_| (), &|| false).expect("the finding shows");
    let text = String::from_utf8(shrunk.module).expect("letters");
    assert_eq!(shrunk.candidates, model.asked as u64);
    (text.trim_end().to_string(), shrunk.passes)
}

#[test]
fn what_is_not_needed_goes() {
    let mut model = model("bmZ", "", |passes| passes.contains("gvn"));
    assert_eq!(run(&mut model, "gvn"), ("bmZ".into(), "gvn".into()));
    assert!(model.batches < 60, "{} questions", model.batches);
}

#[test]
fn what_goes_together_goes_together() {
    let mut model = model("m", "xQ", |passes| passes.contains("gvn"));
    let (text, _) = run(&mut model, "gvn");
    // Two letters that far apart are never in one small chunk: either they went early or they stay.
    assert!(text == "m" || text == "mxQ", "{text}");
}

#[test]
fn pipelines_become_what_is_needed() {
    let single = run(&mut model("a", "", |p| p.contains("dse")), "default<O3>");
    assert_eq!(single.1, "dse");
    // Two passes in this order, with everything between them gone, groups and options too.
    let both = |passes: &str| matches!((passes.find("licm"), passes.rfind("gvn")), (Some(a), Some(b)) if a < b);
    let (_, passes) = run(&mut model("a", "", both), "default<O3>");
    assert_eq!(passes, "licm,gvn");
    // Options and groups that matter stay.
    let strict = |passes: &str| passes.contains("loop-mssa(licm<allowspeculation>)");
    let (_, passes) = run(&mut model("a", "", strict), "default<O3>");
    assert_eq!(passes, "loop-mssa(licm<allowspeculation>)");
    // What we have no table for stays whole.
    let whole = run(&mut model("a", "", |p| p == "default<O2>"), "default<O2>");
    assert_eq!(whole.1, "default<O2>");
}

#[test]
fn no_finding_no_reduction() {
    let mut model = model("?", "", |_| true);
    assert_eq!(shrink(ALPHABET, "gvn", &mut model, &|_| (), &|| false), None);
}

#[test]
fn a_stop_keeps_the_best() {
    let told = Cell::new(0);
    let mut model = model("b", "", |passes| passes.contains("gvn"));
    let tell = |_: &optimise::shrink::Progress<'_>| told.set(told.get() + 1);
    let stop = || told.get() >= 12;
    let shrunk = shrink(ALPHABET, "gvn", &mut model, &tell, &stop).expect("a result");
    assert_eq!(told.get(), 12);
    assert!(shrunk.module.contains(&b'b') && shrunk.module.len() < ALPHABET.len());
}
