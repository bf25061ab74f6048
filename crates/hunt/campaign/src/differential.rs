//! One program on all targets: observe, judge, try again, ask the detectors.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use finding::{ProgramSubject, Subject};
use oracle::{
    Assessment, Behaviour, Case, Certificate, Confirmation, FailureKind, Fault, Lab, Observation,
    Opinion, Readiness, SourceFile, Suspicion, Trouble, agreement, judge,
};
use sandbox::Scratch;
use toolchain::{Abi, Compiler, Language, Preprocessor, Target};

use crate::allocation::Arm;
use crate::attribution::{Attribution, attribute};
use crate::baseline::{BaselineVerdict, cannot_tell};
use crate::bench::TestBench;
use crate::draw::DrawnTarget;
use crate::engine::TestProgram;
use crate::predict::predict_for;
use crate::record::{ArmUse, Cost, NewFinding, Standing, TargetResult, Tested};

/// A failure that does not show when tried again is tried so often in all: code that reads what a
/// miscompilation left uninitialised fails only now and then.
const TRIES: usize = 4;

/// The detectors take a minute; findings beyond this many of one signature go without.
const CERTIFIED: u64 = 20;

/// A target's captured output in a finding, in bytes.
const KEPT: usize = 1 << 20;

/// Tests a program on the targets drawn for its seed, and adds what came of it to `tested`. Calls
/// `begin` with the label of each target before it is its turn. What was seen on each.
pub fn test(
    bench: &TestBench,
    seed: u64,
    made: &TestProgram,
    tested: &mut Tested,
    begin: &mut dyn FnMut(&str),
) -> Result<Vec<Observation>, Trouble> {
    let mut trial = DifferentialTest::run(bench, seed, made, tested, begin)?;
    for suspicion in trial.suspicions() {
        let finding = trial.finding(suspicion, &mut tested.cost)?;
        tested.findings.push(finding);
    }
    Ok(trial.seen)
}

/// One program under test.
pub struct DifferentialTest<'a> {
    bench: &'a TestBench,
    made: &'a TestProgram,
    /// With limits for this program.
    lab: Lab,
    targets: Vec<Target>,
    /// What each was drawn as.
    arms: Vec<Option<Arm>>,
    folder: Scratch,
    /// One for each target.
    seen: Vec<Observation>,
    /// Of a comparison: what the baseline says of targets that fail, by label.
    compared: BTreeMap<String, BaselineVerdict>,
    /// Made when it is first needed.
    certificate: Option<Certificate>,
    /// Data models with which it does not do what it does with that of x86-64, or is not known to; and why.
    not_for: BTreeMap<Abi, String>,
    /// The program without its result, for those: it is compiled there, and not run.
    unanswered: Case,
}

impl<'a> DifferentialTest<'a> {
    /// Compiles and runs a program on the targets drawn for a seed, tries failures again, and adds what
    /// each target did to `tested`. Findings are the caller's to ask for: they take detectors.
    pub fn run(
        bench: &'a TestBench,
        seed: u64,
        made: &'a TestProgram,
        tested: &mut Tested,
        begin: &mut dyn FnMut(&str),
    ) -> Result<DifferentialTest<'a>, Trouble> {
        let drawn = bench.draw_targets(tested, seed);
        DifferentialTest::run_on(bench, drawn, made, tested, begin)
    }

    /// The same on these targets.
    pub fn run_on(
        bench: &'a TestBench,
        drawn: Vec<DrawnTarget>,
        made: &'a TestProgram,
        tested: &mut Tested,
        begin: &mut dyn FnMut(&str),
    ) -> Result<DifferentialTest<'a>, Trouble> {
        let drawn = match &bench.baseline {
            Some(baseline) => baseline.fit(drawn, &bench.probes, &bench.lab, made.case.language)?,
            None => drawn,
        };
        let (targets, arms) = drawn.into_iter().map(|drawn| (drawn.target, drawn.arm)).unzip();
        let folder = bench.folder()?;
        bench.lab.write(&made.case, folder.path())?;
        let limits = match made.steps {
            Some(steps) => bench.lab.limits.for_steps(steps),
            None => bench.lab.limits.clone(),
        };
        let lab = Lab { limits, stop: bench.lab.stop.clone() };
        let (seen, certificate) = (Vec::new(), None);
        let unanswered = Case { expected: None, ..made.case.clone() };
        let not_for = BTreeMap::new();
        let mut trial = DifferentialTest {
            bench,
            made,
            lab,
            targets,
            arms,
            folder,
            seen,
            compared: BTreeMap::new(),
            certificate,
            not_for,
            unanswered,
        };
        trial.ask_models(&mut tested.cost);
        trial.observe(tested, begin)?;
        trial.account(tested);
        trial.call_witnesses(tested, begin)?;
        let flaky = trial.try_again(tested)?;
        trial.read_as_compilers_do(&mut tested.cost);
        trial.compare_again(&mut tested.cost)?;
        trial.doubt_validity(&mut tested.cost)?;
        trial.sight(tested, &trial.suspicions());
        tested.targets.extend(trial.target_results(&trial.suspicions(), &flaky));
        Ok(trial)
    }

    /// Asks the machine about each data model of the targets: the same program is used where it does the same.
    fn ask_models(&mut self, cost: &mut Cost) {
        for target in &self.targets {
            let Some(abi) = target.compiler.abi.filter(|abi| *abi != Abi::Lp64) else { continue };
            if self.not_for.contains_key(&abi) || self.made.case.expected.is_none() {
                continue;
            }
            let mut validate = Duration::ZERO;
            let answer = self.answer_of(target, abi, &mut validate);
            *cost += Cost { validate, ..Cost::default() };
            if let Err(why) = answer {
                self.not_for.insert(abi, why);
            }
        }
    }

    /// Whether the program as this target's preprocessor has it does the same with its data model; if not, why.
    fn answer_of(&self, target: &Target, abi: Abi, spent: &mut Duration) -> Result<(), String> {
        let (Language::C, Some(fuel)) = (self.made.case.language, self.made.fuel) else {
            return Err("only C is executed".into());
        };
        let Some((files, preprocessor)) = self.as_read_by(target) else {
            return Err("there is no compiler for the language".into());
        };
        match predict_for(abi, &files, &preprocessor, fuel, spent) {
            Ok(answer) if Some(&answer.expected) == self.made.case.expected.as_ref() => Ok(()),
            Ok(_) => Err("it has another result there".into()),
            Err(unusable) => Err(unusable.reason),
        }
    }

    /// The program's units, and a target as their preprocessor.
    fn as_read_by(&self, target: &Target) -> Option<(Vec<PathBuf>, Preprocessor)> {
        let preprocessor = Preprocessor::with_command(target.command(Language::C)?);
        let preprocessor = preprocessor.for_abi(target.compiler.abi.unwrap_or(Abi::Lp64));
        let preprocessor = target.flags.iter().fold(preprocessor, |p, flag| p.option(flag));
        let case = &self.made.case;
        let preprocessor = case.include.iter().fold(preprocessor, |p, dir| p.include(dir));
        let files = case.units().map(|unit| self.folder.path().join(unit)).collect();
        Some((files, preprocessor))
    }

    /// Why the program has no result on a target whose data model is another.
    fn no_result_on(&self, target: &Target) -> Option<String> {
        let why = self.not_for.get(&target.compiler.abi?)?;
        Some(format!("the program is for another data model: {why}"))
    }

    /// Its targets, to be tried again with another program.
    pub fn targets(&self) -> Vec<DrawnTarget> {
        let all = self.targets.iter().cloned().zip(self.arms.iter().cloned());
        all.map(|(target, arm)| DrawnTarget { target, arm }).collect()
    }

    /// Where its program is compiled and run.
    pub fn lab(&self) -> &Lab {
        &self.lab
    }

    /// What is wrong. Of a comparison: what is wrong where the baseline is not; apart from that, what it says nothing
    /// on.
    pub fn suspicions(&self) -> Vec<Suspicion> {
        let judged = |counts: &dyn Fn(Option<&BaselineVerdict>) -> bool| {
            let all = self.targets.iter().zip(&self.seen);
            let some = all.filter(|(_, seen)| counts(self.compared.get(&seen.target)));
            let (targets, seen): (Vec<Target>, Vec<Observation>) =
                some.map(|(target, seen)| (target.clone(), seen.clone())).unzip();
            judge(&self.made.case, &targets, &seen)
        };
        if self.compared.is_empty() {
            return judge(&self.made.case, &self.targets, &self.seen);
        }
        let mut all = judged(&|said| matches!(said, None | Some(BaselineVerdict::Right)));
        all.extend(judged(&|said| matches!(said, Some(BaselineVerdict::CannotTell(_)))));
        all
    }

    /// Why the baseline of a comparison says nothing on a suspicion, if so.
    fn cannot_tell(&self, suspicion: &Suspicion) -> Option<&str> {
        match self.compared.get(suspicion.targets.first()?) {
            Some(BaselineVerdict::CannotTell(why)) => Some(why),
            Some(BaselineVerdict::Right | BaselineVerdict::Wrong) | None => None,
        }
    }

    /// Asks the baseline of a comparison about a target that fails. A target that it is right about is a witness.
    fn compare(
        &mut self,
        failing: &Target,
        seen: &Observation,
        cost: &mut Cost,
    ) -> Result<(), Trouble> {
        let Some(baseline) = &self.bench.baseline else { return Ok(()) };
        let Some(fault) = seen.seen.fault(&self.made.case) else { return Ok(()) };
        let with = (&self.lab, &self.bench.probes);
        let (case, dir) = (&self.made.case, self.folder.path());
        let (verdict, seen) = baseline.ask(case, dir, failing, &fault, with)?;
        *cost += Cost { validate: seen.compile + seen.run, ..Cost::default() };
        self.compared.insert(failing.label(), verdict);
        Ok(())
    }

    /// The same once more, now that the failures have shown again: a baseline that was right by chance is not. Then
    /// those of its targets that are right join the others.
    fn compare_again(&mut self, cost: &mut Cost) -> Result<(), Trouble> {
        let Some(baseline) = &self.bench.baseline else { return Ok(()) };
        let suspected: BTreeSet<String> =
            self.suspicions().into_iter().flat_map(|suspicion| suspicion.targets).collect();
        let failing = self.targets.iter().zip(&self.seen);
        let failing: Vec<(Target, Observation)> = failing
            .filter(|(_, seen)| suspected.contains(&seen.target))
            .map(|(target, seen)| (target.clone(), seen.clone()))
            .collect();
        let old = baseline.compiler.clone();
        let mut witnesses = Vec::new();
        for (target, seen) in failing {
            self.compare(&target, &seen, cost)?;
            if self.compared.get(&target.label()) == Some(&BaselineVerdict::Right) {
                let witness = Target { compiler: old.clone(), flags: target.flags };
                let seen = match &self.made.case.expected {
                    Some(expected) => {
                        Behaviour::Ran { status: expected.status, stdout: expected.stdout.clone() }
                    }
                    None => Behaviour::Compiled,
                };
                let (compile, run) = (Duration::ZERO, Duration::ZERO);
                let target = witness.label();
                witnesses.push((witness, Observation { target, seen, compile, run }));
            }
        }
        for (target, seen) in witnesses {
            self.targets.push(target);
            self.arms.push(None);
            self.seen.push(seen);
        }
        Ok(())
    }

    /// The targets of a suspicion, and how the first of them fails.
    pub fn fault(&self, suspicion: &Suspicion) -> Option<(Target, Fault)> {
        let mut all = self.targets.iter().zip(&self.seen);
        let (target, seen) = all.find(|(_, seen)| suspicion.targets.contains(&seen.target))?;
        Some((target.clone(), seen.seen.fault(&self.made.case)?))
    }

    fn observe(&mut self, tested: &mut Tested, begin: &mut dyn FnMut(&str)) -> Result<(), Trouble> {
        while let Some(target) = self.targets.get(self.seen.len()).cloned() {
            begin(&target.label());
            self.bench.begins(format!("{} on {}", target.label(), named(tested)));
            let hung = |(t, seen): (&Target, &Observation)| {
                t.compiler.name == target.compiler.name && seen.seen == Behaviour::CompilerHung
            };
            if self.targets.iter().zip(&self.seen).any(hung) {
                // One that does not end takes a minute, and two more to confirm it: other levels would
                // say little more, and a hunt of minutes would do nothing else.
                let why = "not asked: the compiler did not end at another level".into();
                self.seen.push(Observation {
                    target: target.label(),
                    seen: Behaviour::Unsupported(why),
                    compile: Duration::ZERO,
                    run: Duration::ZERO,
                });
                continue;
            }
            let mut seen = self.observe_one(&target)?;
            let arm = self.arms.get(self.seen.len()).and_then(Option::as_ref);
            let is_endless = matches!(seen.seen, Behaviour::CompilerHung | Behaviour::Exhausted(_));
            if is_endless && arm.is_some_and(|arm| arm.family.raises_limits()) {
                let why = "it takes too long or too much memory with limits that were raised";
                seen.seen = Behaviour::Unsupported(why.into());
            }
            tested.cost += Cost { compile: seen.compile, run: seen.run, ..Cost::default() };
            let failed = seen.seen.kind(&self.made.case).is_some();
            if failed {
                self.compare(&target, &seen, &mut tested.cost)?;
            }
            self.seen.push(seen);
            if failed {
                let mut suspicions = self.suspicions();
                // Whether a program in the wild may be rejected is asked later.
                suspicions.retain(|s| !self.made.is_foreign || s.kind != FailureKind::Rejection);
                self.sight(tested, &suspicions);
            }
        }
        Ok(())
    }

    /// A compiler of another family at its lowest level; of the same, where there is no other.
    fn stranger(&self, target: &Target) -> Option<Target> {
        let is_other = |c: &&Arc<Compiler>| c.name != target.compiler.name;
        let others = || self.bench.compilers.iter().filter(is_other);
        let of_another = others().find(|c| c.family != target.compiler.family);
        of_another.or_else(|| others().next()).and_then(lowest)
    }

    /// Puts down what the drawn targets cost.
    fn account(&self, tested: &mut Tested) {
        let all = self.seen.iter().zip(&self.arms);
        tested.arms.extend(all.filter_map(|(seen, arm)| {
            let cost = seen.compile + seen.run;
            Some(ArmUse { target: seen.target.clone(), arm: arm.clone()?, cost })
        }));
    }

    /// Adds targets that tell what a failure means: the lowest level of each compiler that fails and of one of
    /// another family, which are witnesses for the program if they are right, and the level of each failing target
    /// by itself. A test draws none of them, or seldom.
    fn call_witnesses(
        &mut self,
        tested: &mut Tested,
        begin: &mut dyn FnMut(&str),
    ) -> Result<(), Trouble> {
        let case = &self.made.case;
        let mut witnesses: Vec<Target> = Vec::new();
        for (target, seen) in self.targets.iter().zip(&self.seen) {
            let Some(kind) = seen.seen.kind(case) else { continue };
            let at = |level: Option<&String>| {
                let flags = level?.split_whitespace().map(String::from).collect();
                Some(Target { compiler: target.compiler.clone(), flags })
            };
            if needs_witness(kind) {
                witnesses.extend(lowest(&target.compiler));
                witnesses.extend(self.stranger(target));
            }
            // A compiler that does not end takes minutes again.
            let is_drawn = !target.compiler.drawn.is_empty() && kind != FailureKind::CompilerHang;
            witnesses.extend(at(target.flags.first()).filter(|_| is_drawn));
        }
        for witness in witnesses {
            if self.targets.iter().all(|known| known.label() != witness.label()) {
                self.targets.push(witness);
                self.arms.push(None);
            }
        }
        self.observe(tested, begin)
    }

    /// What a target does, unless it does not work at all with its flags: one that fails is probed
    /// before it is blamed.
    fn observe_one(&self, target: &Target) -> Result<Observation, Trouble> {
        let (lab, probes, case) = (&self.lab, &self.bench.probes, &self.made.case);
        if let Some(Readiness::LeftOut(why)) = probes.known(case.language, target) {
            let (compile, run) = (Duration::ZERO, Duration::ZERO);
            return Ok(Observation {
                target: target.label(),
                seen: Behaviour::Unsupported(why),
                compile,
                run,
            });
        }
        let other = self.no_result_on(target);
        let case = if other.is_some() { &self.unanswered } else { case };
        let mut seen = lab.observe(case, self.folder.path(), target)?;
        if let (Some(why), Behaviour::Compiled | Behaviour::Rejected(_)) = (other, &seen.seen) {
            seen.seen = Behaviour::Unsupported(why);
            return Ok(seen);
        }
        let is_doubtful =
            seen.seen.kind(case).is_some() || matches!(seen.seen, Behaviour::Unsupported(_));
        if is_doubtful && let Readiness::LeftOut(why) = probes.ask(lab, case.language, target)? {
            seen.seen = Behaviour::Unsupported(why);
        }
        Ok(seen)
    }

    /// Notes failures before they are tried again and certified, which takes minutes: a test that is
    /// interrupted meanwhile keeps them.
    fn sight(&self, tested: &Tested, suspicions: &[Suspicion]) {
        let opinions = vec![self.made.own.clone(), interrupted()];
        let right = agreement(&self.made.case, &self.targets, &self.seen).right;
        let finding = |suspicion: &Suspicion| {
            let certificate = Certificate { opinions: opinions.clone() };
            self.describe(suspicion.clone(), Standing::Unconfirmed, &right, certificate)
        };
        let seen = suspicions.iter().map(finding).collect();
        self.bench.sight(tested, &self.made.origin, seen);
    }

    /// Tries every failure again. What does not come back is put down as right, and its labels are
    /// returned.
    fn try_again(&mut self, tested: &mut Tested) -> Result<Vec<String>, Trouble> {
        let what = named(tested);
        let cost = &mut tested.cost;
        let suspicions = self.suspicions();
        // A hang costs minutes at each level: the first target stands for all.
        let tried = |s: &Suspicion, label: &String| match s.kind {
            FailureKind::CompilerHang | FailureKind::RuntimeHang => {
                s.targets.first() == Some(label)
            }
            _ => s.targets.contains(label),
        };
        let suspected = |label: &String| suspicions.iter().any(|s| tried(s, label));
        let mut flaky = Vec::new();
        let without: Vec<bool> =
            self.targets.iter().map(|t| self.no_result_on(t).is_some()).collect();
        for ((target, seen), without) in self.targets.iter().zip(&mut self.seen).zip(without) {
            let case = if without { &self.unanswered } else { &self.made.case };
            if !suspected(&seen.target) {
                continue;
            }
            for attempt in 1..TRIES {
                self.bench.begins(format!("{} on {what}, which failed there", seen.target));
                let again = self.lab.confirm(case, self.folder.path(), target, seen)?;
                let (same, second) = match again {
                    Confirmation::Same(second) => (true, second),
                    Confirmation::Flaky(second) => (false, second),
                };
                let validate = second.compile + second.run;
                *cost += Cost { validate, ..Cost::default() };
                if same {
                    break;
                }
                if attempt + 1 == TRIES {
                    flaky.push(seen.target.clone());
                    *seen = second;
                }
            }
        }
        Ok(flaky)
    }

    /// Macros can make a program another one for another compiler or level (`__clang__`,
    /// `__OPTIMIZE__`). A target that fails is asked for the text as it reads it; where that has
    /// another answer, or none that is defined, the target is not to blame.
    fn read_as_compilers_do(&mut self, cost: &mut Cost) {
        let (Language::C, Some(fuel)) = (self.made.case.language, self.made.fuel) else { return };
        for at in 0..self.seen.len() {
            let (target, case) = (&self.targets[at], &self.made.case);
            let failed = self.seen[at].seen.kind(case).is_some_and(FailureKind::is_wrong_code);
            let Some((files, preprocessor)) = self.as_read_by(target).filter(|_| failed) else {
                continue;
            };
            let abi = target.compiler.abi.unwrap_or(Abi::Lp64);
            let mut validate = Duration::ZERO;
            let answer = predict_for(abi, &files, &preprocessor, fuel, &mut validate);
            *cost += Cost { validate, ..Cost::default() };
            let why = match answer {
                Ok(answer) if Some(&answer.expected) == case.expected.as_ref() => continue,
                Ok(_) => "another answer".to_string(),
                Err(unusable) if unusable.is_undefined() => unusable.reason,
                // Headers may be written for that compiler alone.
                Err(_) => continue,
            };
            self.seen[at].seen = Behaviour::Unsupported(format!(
                "its predefined macros make it another program: {why}"
            ));
        }
    }

    /// Programs in the wild rely on what compilers tolerate: implicit declarations, functions that
    /// are never defined. A rejection counts only if a compiler that accepts such a program accepts it
    /// with `-pedantic-errors` too.
    fn doubt_validity(&mut self, cost: &mut Cost) -> Result<(), Trouble> {
        let rejected = |seen: &Observation| matches!(seen.seen, Behaviour::Rejected(_));
        if !self.made.is_foreign || !self.seen.iter().any(rejected) {
            return Ok(());
        }
        let mut valid = false;
        for (target, _) in self.targets.iter().zip(&self.seen).filter(|(_, s)| !rejected(s)) {
            let (dir, case) = (self.folder.path(), &self.made.case);
            let (strict, validate) = self.bench.lab.is_strictly_valid(case, dir, target)?;
            *cost += Cost { validate, ..Cost::default() };
            valid |= strict;
            if valid {
                break;
            }
        }
        for seen in self.seen.iter_mut().filter(|seen| rejected(seen)) {
            if !valid || seen.seen.is_link_error() {
                seen.seen = Behaviour::Unsupported("the program is not strictly valid C".into());
            }
        }
        Ok(())
    }

    fn target_results(
        &self,
        suspicions: &[Suspicion],
        flaky: &[String],
    ) -> Vec<(String, TargetResult)> {
        let before = |seen: &Observation| match self.compared.get(&seen.target) {
            Some(BaselineVerdict::Wrong) => seen.seen.kind(&self.made.case),
            Some(BaselineVerdict::Right | BaselineVerdict::CannotTell(_)) | None => None,
        };
        let word = |seen: &Observation| {
            let failed = suspicions.iter().find(|s| s.targets.contains(&seen.target));
            match failed {
                Some(suspicion) if self.cannot_tell(suspicion).is_some() => {
                    TargetResult::CannotTell(suspicion.kind)
                }
                Some(suspicion) => TargetResult::Failed(suspicion.kind),
                None if let Some(kind) = before(seen) => TargetResult::FailedBefore(kind),
                None if flaky.contains(&seen.target) => TargetResult::Flaky,
                // A program without an answer may be rejected.
                None if matches!(seen.seen, Behaviour::Unsupported(_) | Behaviour::Rejected(_)) => {
                    TargetResult::Unsupported
                }
                None => TargetResult::Right,
            }
        };
        // Of what is drawn hardly any two are alike: they are counted by what they were drawn as.
        let label = |seen: &Observation, arm: &Option<Arm>| match arm {
            Some(arm) => arm.label(),
            None => seen.target.clone(),
        };
        // The baseline is asked where something fails: that is no tally of what it does.
        let own = |target: &Target| {
            self.bench.baseline.as_ref().is_none_or(|old| old.compiler.name != target.compiler.name)
        };
        let all = self.targets.iter().zip(self.seen.iter().zip(&self.arms));
        let all = all.filter(|(target, _)| own(target));
        all.map(|(_, (seen, arm))| (label(seen, arm), word(seen))).collect()
    }

    /// A suspicion with all that a hunt keeps of it.
    pub fn finding(
        &mut self,
        suspicion: Suspicion,
        cost: &mut Cost,
    ) -> Result<NewFinding, Trouble> {
        let known = self.bench.count(&suspicion.signature);
        let attributed_to = self.explained_by(&suspicion)?;
        let certificate = match &self.certificate {
            Some(certificate) => certificate.clone(),
            None if let Some(bug) = attributed_to => {
                let opinions = vec![self.made.own.clone(), right_behind(&suspicion, bug)];
                Certificate { opinions }
            }
            // A crash is a bug whatever the program means.
            None if !suspicion.kind.is_wrong_code() => {
                Certificate { opinions: vec![self.made.own.clone()] }
            }
            None if known >= CERTIFIED && suspicion.kind != FailureKind::SanitizerFalseAlarm => {
                Certificate { opinions: vec![self.made.own.clone(), not_asked(known)] }
            }
            None => {
                let certificate = self.certify(cost)?;
                self.certificate.insert(certificate).clone()
            }
        };
        let agreement = agreement(&self.made.case, &self.targets, &self.seen);
        let standing = standing(&suspicion, self.has_witness(), &certificate);
        let why = self.cannot_tell(&suspicion).map(String::from);
        let mut found = self.describe(suspicion, standing, &agreement.right, certificate);
        if let (Some(baseline), Some(why)) = (&self.bench.baseline, why)
            && found.stands()
        {
            found = cannot_tell(found, &baseline.compiler.name, why);
        }
        Ok(NewFinding { attributed_to: attributed_to.filter(|_| found.stands()), ..found })
    }

    /// Whether some target vouches for the program. One that is right by itself is no witness where its compiler
    /// is wrong at its lowest level: then it is more likely that the machine is.
    fn has_witness(&self) -> bool {
        let case = &self.made.case;
        let all = || self.targets.iter().zip(&self.seen);
        let is_lowest = |target: &Target| {
            target.compiler.levels.first().is_some_and(|level| *level == target.flags.join(" "))
        };
        let is_wrong = |target: &Target| {
            all().any(|(other, seen)| {
                other.compiler.name == target.compiler.name
                    && is_lowest(other)
                    && seen.seen.kind(case).is_some_and(FailureKind::is_wrong_code)
            })
        };
        all().any(|(target, seen)| seen.seen.is_right(case) && !is_wrong(target))
    }

    /// Which bug that was studied explains a failure.
    fn explained_by(&self, suspicion: &Suspicion) -> Result<Option<i64>, Trouble> {
        let known = self.bench.known_bugs();
        let target = self.targets.iter().find(|t| suspicion.targets.first() == Some(&t.label()));
        let Some(target) = target.filter(|_| !known.is_empty()) else { return Ok(None) };
        self.bench.begins(format!("is what {} does a bug that is known?", target.label()));
        match attribute(&self.lab, &self.made.case, suspicion.kind, target, &known)? {
            Attribution::Explained(bug) => Ok(Some(bug)),
            Attribution::New(_) => Ok(None),
        }
    }

    fn describe(
        &self,
        suspicion: Suspicion,
        standing: Standing,
        right: &[String],
        certificate: Certificate,
    ) -> NewFinding {
        let those = |labels: &[String]| -> Vec<Target> {
            self.targets.iter().filter(|t| labels.contains(&t.label())).cloned().collect()
        };
        let (failing, right) = (those(&suspicion.targets), those(right));
        let subject = ProgramSubject::new(&self.made.case, suspicion.kind, &failing, &right);
        let old = self.bench.baseline.as_ref().filter(|_| self.cannot_tell(&suspicion).is_none());
        let subject = subject.against(old.map(|old| &*old.compiler));
        NewFinding {
            attributed_to: None,
            kind: suspicion.kind,
            standing,
            artifacts: self.artifacts(&suspicion),
            signature: suspicion.signature,
            summary: suspicion.summary,
            subject: Subject::Program(subject),
            files: self.made.case.files.clone(),
            origin: self.made.origin.clone(),
            certificate,
        }
    }

    fn certify(&self, cost: &mut Cost) -> Result<Certificate, Trouble> {
        let (lab, case) = (&self.bench.lab, &self.made.case);
        let own = self.made.own.clone();
        self.bench.begins("detectors of undefined behaviour on a program that failed".into());
        let (certificate, validate) = match &self.bench.baseline {
            Some(_) => self.bench.certify_quickly(case, self.folder.path(), own)?,
            None => self.bench.detectors().certify(lab, case, self.folder.path(), own)?,
        };
        *cost += Cost { validate, ..Cost::default() };
        Ok(certificate)
    }

    /// What must be printed, and what each failing target gave in its place.
    fn artifacts(&self, suspicion: &Suspicion) -> Vec<SourceFile> {
        let expected = self.made.case.expected.as_ref();
        let expected =
            expected.map(|e| SourceFile { name: "expected".into(), bytes: e.stdout.clone() });
        let mut all: Vec<SourceFile> = expected.into_iter().collect();
        for seen in self.seen.iter().filter(|seen| suspicion.targets.contains(&seen.target)) {
            let (what, bytes) = match &seen.seen {
                Behaviour::Ran { stdout, .. } => ("stdout", stdout.as_slice()),
                Behaviour::Crashed(text)
                | Behaviour::Exhausted(text)
                | Behaviour::Rejected(text) => ("messages", text.as_bytes()),
                _ => continue,
            };
            let name = format!("{}.{what}", seen.target.replace([' ', '/'], "_"));
            all.push(SourceFile { name, bytes: bytes[..bytes.len().min(KEPT)].to_vec() });
        }
        all
    }
}

/// Whether a finding counts. Wrong code needs a witness: a target or a sanitizer's build that agrees with
/// the machine; where none does, the machine is more likely wrong. A rejected program
/// needs a compiler that accepts it. A crash is a bug whatever the program means.
fn standing(suspicion: &Suspicion, has_witness: bool, certificate: &Certificate) -> Standing {
    // A sanitizer's word is contradicted by sanitizers only.
    let is_alarm = suspicion.kind == FailureKind::SanitizerFalseAlarm;
    let witness = has_witness && !is_alarm
        || certificate.opinions.iter().skip(1).any(|o| o.says == Assessment::Valid);
    match needs_witness(suspicion.kind) && (certificate.disputed() || !witness) {
        true => Standing::Disputed,
        false => Standing::Confirmed,
    }
}

/// A compiler at its lowest level.
fn lowest(compiler: &Arc<Compiler>) -> Option<Target> {
    let flags = compiler.levels.first()?.split_whitespace().map(String::from).collect();
    Some(Target { compiler: compiler.clone(), flags })
}

/// Whether a failure of this kind proves nothing by itself.
fn needs_witness(kind: FailureKind) -> bool {
    kind.is_wrong_code() || kind == FailureKind::Rejection
}

/// A test for who waits for it: `yarp 17`.
fn named(tested: &Tested) -> String {
    format!("{} {}", tested.engine.split(' ').next().unwrap_or_default(), tested.seed)
}

fn interrupted() -> Opinion {
    Opinion {
        tool: "sanitizers and Frama-C".into(),
        command: String::new(),
        says: Assessment::Silent("not asked: the hunt ended before".into()),
    }
}

/// A compiler that is right about a program behind the mask of a known bug is a witness for the program.
fn right_behind(suspicion: &Suspicion, bug: i64) -> Opinion {
    let target = suspicion.targets.first().map(String::as_str).unwrap_or_default();
    Opinion {
        tool: format!("{target} without what #{bug} is about"),
        command: String::new(),
        says: Assessment::Valid,
    }
}

fn not_asked(known: u64) -> Opinion {
    Opinion {
        tool: "sanitizers and Frama-C".into(),
        command: String::new(),
        says: Assessment::Silent(format!(
            "not asked: {known} findings have this signature already"
        )),
    }
}

#[cfg(test)]
mod tests;
