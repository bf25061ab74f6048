//! What a failure needs, and so whether two failures are one bug: masks.
//!
//! Wrong code has no words by which it is known again. But a bug is about a construct ([`cmask`]) and happens in a
//! part of the compiler: with the construct masked, or that part switched off, the failure is gone. That can be
//! asked of any program at once, before it is reduced.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use cmask::Construct;
use cshrink::{Rules, Specimen};
use irmask::Construct as ModuleConstruct;
use oracle::{Case, Expected, Failure, Lab, SourceFile, Trouble};
use sandbox::Scratch;
use serde::{Deserialize, Serialize};
use toolchain::{Family, Language, Target};

use crate::blame::blame;
use crate::found::{Blame, Method};
use crate::key::stem;
use crate::probe::with;

/// Steps that a program whose constructs are masked may take at least.
const STEPS: u64 = 100_000;

/// What hides a bug.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mask {
    /// The construct that it is about.
    pub construct: Option<Construct>,
    /// Flags that switch off the part of the compiler where it is.
    pub switch: Option<Vec<String>>,
    /// The pass that is the first with which it shows (LLVM's `-opt-bisect-limit`). No flag switches it off in any
    /// program: it is looked for in each.
    #[serde(default)]
    pub pass: Option<String>,
    /// Of an LLVM module: what the blamed pass must see, each of them. Older stores have none.
    #[serde(default)]
    pub instructions: BTreeSet<ModuleConstruct>,
}

impl Mask {
    /// What was learnt of a reduced program.
    pub fn of(construct: Option<Construct>, blame: &Blame) -> Mask {
        let bisected = blame.culprits.iter().find(|culprit| culprit.method == Method::OptBisect);
        let switch = blame.switch().map(<[String]>::to_vec);
        Mask {
            // A switch alone may hide bugs of more than one kind: both must hide it.
            construct,
            // With an option that hides it, it does not matter which pass is the first to show it.
            pass: bisected.filter(|_| switch.is_none()).map(|culprit| culprit.name.clone()),
            switch,
            ..Mask::default()
        }
    }

    /// What was learnt of a reduced module.
    pub fn of_module(instructions: BTreeSet<ModuleConstruct>) -> Mask {
        Mask { instructions, ..Mask::default() }
    }

    /// Whether it can tell this bug from others. A construct that nearly every program depends on does not
    /// without the part of the compiler; the pass that is the first to show bugs of many others does not alone.
    pub fn is_telling(&self) -> bool {
        match self.construct {
            Some(construct) if construct.hides_much() => {
                self.switch.is_some() || self.pass.is_some()
            }
            Some(_) => true,
            None => self.switch.is_some() || !self.instructions.is_empty(),
        }
    }

    /// Whether there is nothing to mask.
    pub fn is_empty(&self) -> bool {
        *self == Mask::default()
    }
}

/// A program that fails on a target, with which masks are tried.
pub struct MaskProbe<'a> {
    lab: &'a Lab,
    case: &'a Case,
    target: &'a Target,
    /// The program as the machine takes it; without it no construct can be masked.
    specimen: Option<Specimen>,
    folder: Scratch,
    /// The first pass with which it fails, once that was asked.
    first_pass: OnceCell<Option<String>>,
}

impl<'a> MaskProbe<'a> {
    /// A program that fails on a target.
    pub fn new(
        lab: &'a Lab,
        case: &'a Case,
        target: &'a Target,
        specimen: Option<Specimen>,
    ) -> Result<MaskProbe<'a>, Trouble> {
        let folder = Scratch::new()
            .map_err(|error| Trouble::Io(format!("cannot make a scratch folder: {error}")))?;
        Ok(MaskProbe { lab, case, target, specimen, folder, first_pass: OnceCell::new() })
    }

    /// Whether the target is right with a mask: with each part of it that it has. What cannot be
    /// masked in this program cannot be what is wrong with it.
    pub fn is_hidden_by(&self, mask: &Mask) -> Result<bool, Trouble> {
        if mask.is_empty() {
            return Ok(false);
        }
        let by_construct = mask.construct.map(|one| self.is_right_without(&[one].into()));
        if let Some(false) = by_construct.transpose()? {
            return Ok(false);
        }
        let by_switch = mask.switch.as_ref().map(|flags| self.is_right_with(flags));
        if let Some(false) = by_switch.transpose()? {
            return Ok(false);
        }
        match &mask.pass {
            Some(pass) => self.is_first_shown_by(pass),
            None => Ok(true),
        }
    }

    /// Whether LLVM's bisection comes to a pass of this name. It is made once.
    fn is_first_shown_by(&self, pass: &str) -> Result<bool, Trouble> {
        let known = match self.first_pass.get() {
            Some(known) => known,
            None => {
                let pass = self.bisect()?;
                self.first_pass.get_or_init(|| pass)
            }
        };
        Ok(known.as_deref().is_some_and(|known| stem(known) == stem(pass)))
    }

    fn bisect(&self) -> Result<Option<String>, Trouble> {
        self.lab.write(self.case, self.folder.path())?;
        let seen = self.lab.observe(self.case, self.folder.path(), self.target)?.seen;
        let Some(fault) = seen.fault(self.case) else { return Ok(None) };
        let failure =
            Failure { fault, bad: vec![self.target.clone()], right: Vec::new(), baseline: None };
        Ok(blame(self.lab, self.case, &failure, 1, &|_| {})?.pass)
    }

    /// Whether the target is right about the program with these constructs masked.
    pub fn is_right_without(&self, constructs: &BTreeSet<Construct>) -> Result<bool, Trouble> {
        let masked = self.specimen.as_ref().and_then(|s| without(s, constructs));
        let masked = masked.and_then(|masked| case_of(self.case, &masked));
        let Some(masked) = masked else { return Ok(false) };
        self.is_right(&masked, self.target)
    }

    /// The constructs that can be masked in the program.
    pub fn maskable(&self) -> BTreeSet<Construct> {
        self.specimen.as_ref().map(|s| cmask::maskable(&s.program)).unwrap_or_default()
    }

    /// Whether the target is right with constructs masked and with more flags at once.
    pub fn is_right_behind(
        &self,
        constructs: &BTreeSet<Construct>,
        flags: &[String],
    ) -> Result<bool, Trouble> {
        let target = with(self.target, flags);
        let masked = self.specimen.as_ref().and_then(|s| without(s, constructs));
        let masked = masked.and_then(|masked| case_of(self.case, &masked));
        self.is_right(masked.as_ref().unwrap_or(self.case), &target)
    }

    /// Whether the target is right with more flags.
    pub fn is_right_with(&self, flags: &[String]) -> Result<bool, Trouble> {
        self.is_right(self.case, &with(self.target, flags))
    }

    /// The construct that the failure needs and that tells most, if there is one. Meant for reduced programs:
    /// each construct is asked.
    pub fn construct(&self) -> Result<Option<Construct>, Trouble> {
        let Some(specimen) = &self.specimen else { return Ok(None) };
        for construct in cmask::maskable(&specimen.program) {
            if self.is_right_without(&[construct].into())? {
                return Ok(Some(construct));
            }
        }
        Ok(None)
    }

    fn is_right(&self, case: &Case, target: &Target) -> Result<bool, Trouble> {
        self.lab.write(case, self.folder.path())?;
        Ok(self.lab.observe(case, self.folder.path(), target)?.seen.is_right(case))
    }
}

/// The program with constructs masked.
fn without(specimen: &Specimen, constructs: &BTreeSet<Construct>) -> Option<Specimen> {
    let (fuel, also) = (specimen.steps.max(STEPS), specimen.also.clone());
    let rules = Rules { execute: true, fuel, sweep: false, also };
    cmask::without(specimen, constructs, &rules)
}

/// A specimen in the place of the program that it was made of, in its language. Its headers are part of its text.
fn case_of(case: &Case, specimen: &Specimen) -> Option<Case> {
    let units = match case.language {
        Language::C => specimen.units.clone(),
        Language::Cxx => specimen.as_cxx()?,
    };
    let file =
        |unit: cshrink::UnitText| SourceFile { name: unit.name, bytes: unit.text.into_bytes() };
    Some(Case {
        files: units.into_iter().map(file).collect(),
        include: Vec::new(),
        expected: Some(Expected { stdout: specimen.stdout.clone(), status: specimen.status }),
        ..case.clone()
    })
}

/// What a reduced program is about where no mask says it: the construct of it that tells most.
pub fn most_telling(specimen: &Specimen) -> Option<Construct> {
    cmask::constructs(&specimen.program).into_iter().next()
}

/// The key of wrong code: the compilers' family, the blamed pass, the construct. At which level it begins to
/// show, and how, depends on the program.
pub fn wrong_code_key(family: Family, blame: &Blame, construct: Option<Construct>) -> String {
    let mut parts = vec![format!("wrong-code {}", crate::key::family_name(family))];
    parts.extend(blame.stable_part().map(|part| stem(&part).to_string()));
    parts.extend(told_by(construct, blame).map(Construct::words));
    parts.join(" | ")
}

/// Where a part of the compiler is known that can be switched off, a construct that hides nearly every bug adds
/// nothing: which one it is depends on the program.
fn told_by(construct: Option<Construct>, blame: &Blame) -> Option<Construct> {
    construct.filter(|construct| !construct.hides_much() || blame.switch().is_none())
}
