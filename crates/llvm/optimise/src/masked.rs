//! What of a module passes must see to make it wrong: the constructs whose mask hides the fault.
//!
//! A fault is asked about on the module as it was found: nothing is reduced. Each question takes one run of the passes
//! and one comparison, so a module costs as much as a few candidates of a reduction.

use std::collections::{BTreeMap, BTreeSet};

use irmachine::Input;
use irmask::{Construct, Shape, constructs, without};
use refine::{Checker, Pair};

use crate::locate::Optimiser;

/// Constructs that are asked about at most: the most telling ones.
const ASKED: usize = 40;

/// A module that passes make wrong.
pub struct WrongModule<'a> {
    optimiser: &'a mut dyn Optimiser,
    passes: &'a str,
    own: &'a Checker,
    module: irtext::Module,
    /// Functions that are wrong, each with an input that shows it.
    wrong: Vec<(String, Input)>,
    known: BTreeMap<BTreeSet<Construct>, bool>,
}

impl<'a> WrongModule<'a> {
    /// A module under passes; `None` where nothing is wrong, or the module is not understood.
    pub fn new(
        optimiser: &'a mut dyn Optimiser,
        module: &str,
        passes: &'a str,
        own: &'a Checker,
    ) -> Option<WrongModule<'a>> {
        let before = optimiser.run(module, "verify")?;
        let after = optimiser.run(&before, passes)?;
        let checked = own.functions(&before, &after).ok()?;
        let wrong = checked.into_iter().filter_map(|checked| {
            checked.counterexample.map(|counterexample| (checked.function, counterexample.input))
        });
        let wrong: Vec<(String, Input)> = wrong.collect();
        let (module, _) = irtext::parse_lenient(&before).ok()?;
        let known = BTreeMap::new();
        (!wrong.is_empty()).then_some(WrongModule { optimiser, passes, own, module, wrong, known })
    }

    /// Whether nothing is wrong any more when the passes cannot see these. What cannot be masked, or cannot be
    /// decided, is no.
    pub fn is_right_without(&mut self, masked: &BTreeSet<Construct>) -> bool {
        if let Some(known) = self.known.get(masked) {
            return *known;
        }
        let right = self.ask(masked).unwrap_or(false);
        self.known.insert(masked.clone(), right);
        right
    }

    fn ask(&mut self, masked: &BTreeSet<Construct>) -> Option<bool> {
        let masked = without(&self.module, masked)?;
        let after = self.optimiser.run(&masked.text(), self.passes)?;
        let (after, refused) = irtext::parse_lenient(&after).ok()?;
        if self.wrong.iter().any(|(wrong, _)| refused.iter().any(|(name, _)| name == wrong)) {
            return None;
        }
        let pair = Pair::of(masked.before(), masked.judged(after));
        Some(self.wrong.iter().all(|(name, input)| self.own.holds(&pair, name, input)))
    }

    /// All constructs that the passes must see, each of them, for something to be wrong. `is_over` is asked
    /// before each question; what was not asked by then is not among them.
    pub fn needs(&mut self, is_over: &dyn Fn() -> bool) -> BTreeSet<Construct> {
        let mut needed = BTreeSet::new();
        for construct in constructs(&self.module, &self.functions()).into_iter().take(ASKED) {
            if is_over() {
                break;
            }
            if self.is_right_without(&BTreeSet::from([construct.clone()])) {
                needed.insert(construct);
            }
        }
        needed
    }

    /// The shape of what is wrong, where these matter.
    pub fn shape(&self, needed: &BTreeSet<Construct>) -> Shape {
        Shape::of(&self.module, &self.functions(), needed)
    }

    fn functions(&self) -> Vec<String> {
        self.wrong.iter().map(|(name, _)| name.clone()).collect()
    }
}

/// The same of a module on which passes fail in another way: the constructs without which it no longer `shows`. None
/// where the module is not understood.
pub fn needed_to_show(
    module: &str,
    shows: &mut dyn FnMut(&str) -> bool,
    is_over: &dyn Fn() -> bool,
) -> BTreeSet<Construct> {
    let Ok(module) = irtext::parse(module) else { return BTreeSet::new() };
    let defined = module.functions.iter().filter(|function| function.is_defined());
    let names: Vec<String> =
        defined.filter_map(|function| Some(function.name.as_ref()?.to_string())).collect();
    let mut hides = |construct: &Construct| {
        let masked = without(&module, &BTreeSet::from([construct.clone()]));
        !is_over() && masked.is_some_and(|masked| !shows(&masked.text()))
    };
    constructs(&module, &names).into_iter().take(ASKED).filter(|c| hides(c)).collect()
}

impl std::fmt::Debug for WrongModule<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WrongModule").field("passes", &self.passes).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pass with faults: what it writes in place of what.
    struct Faulty(Vec<(&'static str, &'static str)>);

    impl Optimiser for Faulty {
        fn run(&mut self, module: &str, passes: &str) -> Option<String> {
            let wrong =
                self.0.iter().fold(module.to_string(), |text, (from, to)| text.replace(from, to));
            Some(if passes == "verify" { module.into() } else { wrong })
        }
    }

    const MODULE: &str = "define i32 @f(i32 %x, i32 %y) {\n  %a = add nsw i32 %x, %y\n  \
        %c = icmp slt i32 %a, %y\n  %s = select i1 %c, i32 %x, i32 %y\n  %r = shl i32 %s, 3\n  \
        ret i32 %r\n}\n\ndefine i32 @g(i32 %x) {\n  %r = mul i32 %x, %x\n  ret i32 %r\n}\n";

    const SIGN: (&str, &str) = ("icmp slt", "icmp ult");
    const SHIFT: (&str, &str) = ("shl i32 %s, 3", "shl i32 %s, 4");

    fn needs(faults: &[(&'static str, &'static str)]) -> Vec<String> {
        let own = Checker::new(None);
        let mut pass = Faulty(faults.to_vec());
        let mut wrong = WrongModule::new(&mut pass, MODULE, "p", &own).expect("it is wrong");
        wrong.needs(&|| false).iter().map(|c| c.words().to_string()).collect()
    }

    #[test]
    fn what_the_pass_must_see_is_told() {
        assert_eq!(needs(&[SIGN]), ["icmp signed"]);
        assert_eq!(needs(&[SHIFT]), ["shl"]);
        assert_eq!(needs(&[("nsw i32 %x, %y", "nuw i32 %x, %y")]), ["nsw", "add"]);
        assert_eq!(needs(&[("%x, %x", "%x, 7")]), ["mul"]);
    }

    #[test]
    fn of_two_faults_in_one_function_neither_mask_hides_both() {
        assert_eq!(needs(&[SIGN, SHIFT]), Vec::<String>::new());
        let own = Checker::new(None);
        let mut pass = Faulty(vec![SIGN, SHIFT]);
        let mut wrong = WrongModule::new(&mut pass, MODULE, "p", &own).expect("it is wrong");
        let both = ["icmp signed", "shl"].map(|word| Construct::Instruction(word.into()));
        assert!(wrong.is_right_without(&both.into()));
        // No pass can be switched off in time: what was not asked is not needed.
        assert!(wrong.needs(&|| true).is_empty());
    }

    #[test]
    fn what_a_broken_module_needs_is_told() {
        let mut shows = |text: &str| text.contains("icmp slt") && text.contains("= mul ");
        let needed = needed_to_show(MODULE, &mut shows, &|| false);
        let words: Vec<&str> = needed.iter().map(Construct::words).collect();
        assert_eq!(words, ["icmp signed", "mul"]);
        assert!(needed_to_show("no module", &mut shows, &|| false).is_empty());
        assert!(needed_to_show(MODULE, &mut shows, &|| true).is_empty());
    }

    #[test]
    fn what_is_right_is_no_wrong_module() {
        let own = Checker::new(None);
        assert!(WrongModule::new(&mut Faulty(vec![]), MODULE, "p", &own).is_none());
        assert!(WrongModule::new(&mut Faulty(vec![]), "no module", "p", &own).is_none());
    }
}
