//! Which studied bug explains a miscompiled module, before anything is reduced; and whether two studies are of
//! one bug.
//!
//! A study of a miscompilation keeps what the blamed pass must see (`triage::Mask::instructions`). A module is explained by
//! it if the same pass is to blame, must see the same, each construct tested by its mask, and the reduced
//! module's shape is found in it. Where two bugs make one function wrong, neither mask hides both: then
//! masks are taken together, and the module belongs to the bug whose mask hides what the other's leaves.
//!
//! Crashes and invalid modules are known by LLVM's own words: findings with the same words are one bug. What the
//! verifier says of an invalid module depends on who uses the wrong value, though, so that two studies with other
//! words can be of one bug, too. Not here: crashes with other words.

use std::collections::BTreeSet;

use anyhow::Result;
use finding::{ModuleFault, ModuleSubject, Subject};
use irmask::Shape;
use llvmhost::{Limits, Server};
use optimise::locate::{OnText, Optimiser, last_pass};
use optimise::masked::WrongModule;
use optimise::shrink::pipeline::class_of;
use refine::{Checker, Scope};
use sandbox::Stop;
use triage::ModuleConstruct;

use crate::module::{FILE, LlvmTools, installed, serve};
use crate::recheck::MaskState;
use crate::record::{Finding, Study};
use crate::store::Store;

/// Bugs of which two are taken together at most: the most telling of one pass.
const TOGETHER: usize = 12;

/// The known, studied bug that explains a finding: with what is wrong there masked, nothing is wrong here. `None`:
/// none does, or it cannot be told. An error is a sentence.
pub fn explained_by(
    found: &Finding,
    module: &ModuleSubject,
    known: &[(i64, Study)],
    tools: LlvmTools<'_>,
    stop: &Stop,
) -> std::result::Result<Option<i64>, String> {
    let pass = class_of(last_pass(&module.passes));
    let bugs: Vec<KnownBug> = known
        .iter()
        .filter(|(id, _)| *id != found.id)
        .filter_map(|(id, study)| KnownBug::of(*id, study))
        .filter(|bug| bug.fault == ModuleFault::Refinement && bug.pass == pass)
        .collect();
    if module.fault != ModuleFault::Refinement || bugs.is_empty() {
        return Ok(None);
    }
    let file = found.finding.files.first().ok_or("it has no file")?;
    let text = String::from_utf8_lossy(&file.bytes);
    let mut server = serve(tools.program, &installed(&module.library)?)?;
    let mut optimiser = OnText { server: &mut server, limits: tools.limits, x86: true };
    let own = Checker::new(None).within(Scope::Module);
    Ok(explained_on(&mut optimiser, &text, &module.passes, &own, &bugs, &|| stop.is_set()))
}

/// The same of a module's text.
fn explained_on(
    optimiser: &mut dyn Optimiser,
    module: &str,
    passes: &str,
    own: &Checker,
    bugs: &[KnownBug],
    is_over: &dyn Fn() -> bool,
) -> Option<i64> {
    let mut wrong = WrongModule::new(optimiser, module, passes, own)?;
    let needed = wrong.needs(is_over);
    if is_over() {
        return None;
    }
    if needed.is_empty() {
        return by_two(&mut wrong, bugs, is_over);
    }
    let shape = wrong.shape(&needed);
    let explains = |bug: &&KnownBug| bug.needed == needed && bug.shape.is_part_of(&shape);
    bugs.iter().find(explains).map(|bug| bug.id)
}

/// No mask hides what is wrong: those of two bugs may. The later one is then what is left behind the
/// earlier.
fn by_two(
    wrong: &mut WrongModule<'_>,
    bugs: &[KnownBug],
    is_over: &dyn Fn() -> bool,
) -> Option<i64> {
    let bugs = &bugs[..bugs.len().min(TOGETHER)];
    for (at, second) in bugs.iter().enumerate() {
        for first in &bugs[..at] {
            let pairs = first.needed.iter().flat_map(|one| {
                second.needed.iter().map(move |other| BTreeSet::from([one.clone(), other.clone()]))
            });
            let hides = pairs.into_iter().all(|pair| !is_over() && wrong.is_right_without(&pair));
            if hides && first.needed.is_disjoint(&second.needed) {
                return Some(second.id);
            }
        }
    }
    None
}

/// Whether the masks of a studied module still hide what is wrong with it; `None` where that cannot be asked.
pub(crate) fn mask_state(
    server: &mut Server,
    module: &str,
    passes: &str,
    own: &Checker,
    masks: &BTreeSet<ModuleConstruct>,
    limits: Limits,
) -> Option<MaskState> {
    let mut optimiser = OnText { server, limits, x86: true };
    let mut wrong = WrongModule::new(&mut optimiser, module, passes, own)?;
    let hides = masks.iter().all(|mask| wrong.is_right_without(&BTreeSet::from([mask.clone()])));
    Some(if hides { MaskState::Hides } else { MaskState::HidesNoMore })
}

/// The known bug that a study is of, too: what the pass must see is the same, and one reduced module is an instance
/// of the other.
fn same_bug<'k>(study: &Study, known: &'k [(i64, Study)]) -> Option<(i64, &'k Study)> {
    let own = KnownBug::of(0, study)?;
    let same = |(id, other): &&(i64, Study)| {
        let bug = KnownBug::of(*id, other);
        bug.is_some_and(|bug| {
            (bug.fault, &bug.pass) == (own.fault, &own.pass)
                && bug.needed == own.needed
                && (bug.shape.is_part_of(&own.shape) || own.shape.is_part_of(&bug.shape))
        })
    };
    known.iter().find(same).map(|(id, study)| (*id, study))
}

/// The shape of all functions of a reduced module.
pub(crate) fn shape_of(module: &str, needed: &BTreeSet<ModuleConstruct>) -> Option<Shape> {
    let (module, _) = irtext::parse_lenient(module).ok()?;
    let defined = module.functions.iter().filter(|function| function.is_defined());
    let names: Vec<String> =
        defined.filter_map(|function| Some(function.name.as_ref()?.to_string())).collect();
    Some(Shape::of(&module, &names, needed))
}

/// Gives the study of a finding the key of a bug of the folder that it is of, too.
pub fn adopt_key(store: &Store, id: i64, study: &mut Study) -> Result<()> {
    if !study.mask.instructions.is_empty() {
        let mut known = store.studies()?;
        known.retain(|(other, _)| *other != id);
        if let Some((_, other)) = same_bug(study, &known) {
            study.key.clone_from(&other.key);
        }
    }
    Ok(())
}

/// What of a study a module is compared with.
struct KnownBug {
    id: i64,
    fault: ModuleFault,
    pass: String,
    needed: BTreeSet<ModuleConstruct>,
    shape: Shape,
}

impl KnownBug {
    /// `None` where nothing is known that hides it.
    fn of(id: i64, study: &Study) -> Option<KnownBug> {
        let needed = study.mask.instructions.clone();
        let Subject::Module(subject) = &study.subject else { return None };
        if needed.is_empty() {
            return None;
        }
        let file = study.files.iter().find(|file| file.name == FILE)?;
        let shape = shape_of(&String::from_utf8_lossy(&file.bytes), &needed)?;
        let pass = study.blame.pass.clone()?;
        Some(KnownBug { id, fault: subject.fault, pass, needed, shape })
    }
}

#[cfg(test)]
mod tests {
    use finding::LibraryIdentity;
    use oracle::SourceFile;
    use triage::{Blame, Mask};

    use super::*;

    /// A pass that writes one thing in place of another, as often as it sees it.
    struct Faulty(Vec<(&'static str, &'static str)>);

    impl Optimiser for Faulty {
        fn run(&mut self, module: &str, passes: &str) -> Option<String> {
            let wrong = |text: String, fault: &(&str, &str)| text.replace(fault.0, fault.1);
            let text = module.to_string();
            Some(if passes == "verify" { text } else { self.0.iter().fold(text, wrong) })
        }
    }

    fn bug(id: i64, words: &[&str], body: &str) -> KnownBug {
        let needed: BTreeSet<ModuleConstruct> =
            words.iter().map(|word| ModuleConstruct::Instruction((*word).into())).collect();
        let module = format!("define i32 @f(i32 %x, i32 %y) {{\n{body}  ret i32 %r\n}}\n");
        let shape = shape_of(&module, &needed).expect("a module");
        KnownBug { id, fault: ModuleFault::Refinement, pass: "PPass".into(), needed, shape }
    }

    /// The bug that explains a module on a pass with faults.
    fn explained(body: &str, faults: &[(&'static str, &'static str)]) -> Option<i64> {
        let order = "  %c = icmp slt i32 %x, %y\n  %r = zext i1 %c to i32\n";
        let shift = "  %s = shl i32 %x, 1\n  %r = xor i32 %s, %y\n";
        let bugs = [
            bug(3, &["icmp signed"], order),
            bug(7, &["shl"], shift),
            bug(9, &["xor", "shl"], shift),
        ];
        let own = Checker::new(None).within(Scope::Module);
        let module = format!("define i32 @g(i32 noundef %x, i32 noundef %y) {{\n{body}}}\n");
        explained_on(&mut Faulty(faults.to_vec()), &module, "p", &own, &bugs, &|| false)
    }

    const BODY: &str = "  %a = add i32 %y, 3\n  %b = icmp sgt i32 %a, %x\n  \
        %d = zext i1 %b to i32\n  %e = shl i32 %a, 2\n  %z = xor i32 %e, %d\n  ret i32 %z\n";
    const ORDER: (&str, &str) = ("icmp sgt", "icmp ugt");
    const SHIFT: (&str, &str) = ("shl i32 %a, 2", "shl i32 %a, 3");

    #[test]
    fn a_studied_bug_explains_what_its_masks_hide() {
        assert_eq!(explained(BODY, &[ORDER]), Some(3), "whichever way it is compared");
        assert_eq!(explained(BODY, &[SHIFT]), Some(7));
        assert_eq!(explained(BODY, &[("add i32 %y, 3", "add i32 %y, 4")]), None);
        // The comparison is wrong only where the sum is seen: more than the known bug needs.
        let both = "add i32 %y, 3\n  %b = icmp sgt";
        assert_eq!(explained(BODY, &[(both, "add i32 %y, 3\n  %b = icmp ugt")]), None);
        assert_eq!(explained(BODY, &[]), None, "nothing is wrong");
    }

    #[test]
    fn equal_masks_are_not_enough_where_the_shape_is_another() {
        // The pass must see both, as in 9; but here the shift is of what the other gives.
        let body = "  %a = xor i32 %y, 3\n  %r = shl i32 %a, 2\n  ret i32 %r\n";
        let fault = ("xor i32 %y, 3\n  %r = shl i32 %a, 2", "xor i32 %y, 3\n  %r = shl i32 %a, 4");
        assert_eq!(explained(body, &[fault]), None);
        let body = "  %a = shl i32 %y, 3\n  %r = xor i32 %x, %a\n  ret i32 %r\n";
        let fault = ("shl i32 %y, 3\n  %r = xor", "shl i32 %y, 3\n  %r = or");
        assert_eq!(explained(body, &[fault]), Some(9), "in any order");
    }

    /// The study of a module that a pass broke.
    fn broken(pass: &str, needed: &[&str], body: &str) -> Study {
        let library = LibraryIdentity::default();
        let fault = ModuleFault::InvalidIr;
        let passes = "p".into();
        let text =
            format!("define void @f() {{\n  %a = alloca i32, align 4\n{body}  ret void\n}}\n");
        let instruction = |word: &&str| ModuleConstruct::Instruction((*word).into());
        Study {
            files: vec![SourceFile { name: FILE.into(), bytes: text.into_bytes() }],
            evidence: Vec::new(),
            subject: Subject::Module(ModuleSubject { library, passes, fault, baseline: None }),
            summary: String::new(),
            certificate: Default::default(),
            blame: Blame { pass: Some(pass.into()), ..Blame::default() },
            ladder: Default::default(),
            key: String::new(),
            about: None,
            mask: Mask::of_module(needed.iter().map(instruction).collect()),
            tokens: (9, 9),
            took: Default::default(),
        }
    }

    /// As LLVM 14 showed it: a promoted load of another type breaks whatever uses it.
    #[test]
    fn a_broken_module_is_the_same_bug_whoever_uses_the_wrong_value() {
        let needed = ["load", "store"];
        let of = |pass: &str, body: &str| broken(pass, &needed, body);
        let store = "  store i32 0, ptr %a, align 4\n";
        let one = of("P", &format!("{store}  %b = load ptr, ptr %a\n  %c = freeze ptr %b\n"));
        let other = of("P", &format!("{store}  %b = load double, ptr %a\n  %c = fneg double %b\n"));
        let known = [(4, one.clone())];
        assert_eq!(same_bug(&other, &known).map(|(id, _)| id), Some(4));
        let behind = of("P", "  %b = load i8, ptr null\n  store i8 %b, ptr %a\n");
        assert_eq!(same_bug(&behind, &known), None, "another shape");
        assert_eq!(same_bug(&of("Q", &format!("{store}  %b = load i8, ptr %a\n")), &known), None);
        let fewer = broken("P", &["load"], &format!("{store}  %b = load i8, ptr %a\n"));
        assert_eq!(same_bug(&fewer, &known), None, "it needs less");
        assert_eq!(same_bug(&broken("P", &[], store), &known), None, "nothing hides it");
    }

    #[test]
    fn of_two_bugs_in_one_function_the_later_is_left_behind_the_mask_of_the_earlier() {
        assert_eq!(explained(BODY, &[ORDER, SHIFT]), Some(7));
        assert_eq!(explained(BODY, &[ORDER, ("add i32 %y, 3", "add i32 %y, 4")]), None);
    }
}
