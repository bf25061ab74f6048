//! Reduction of C++ programs that the machine cannot follow: their validity rests on compilers' own checks.
//!
//! There is no machine that says what such a program must do. So a candidate has to pass all of these before it is
//! taken, the quick ones first:
//!
//! 1. a target that is right compiles it; what the program does there is what it must do;
//! 2. the target that fails still shows the same fault, measured by that;
//! 3. the other targets that were right do the same, one of another family among them if there is one;
//! 4. the compilers that are right find nothing with their warnings for undefined behaviour as errors;
//! 5. the sanitizers that took the unreduced program still do, and see the same output.
//!
//! Of 4 and 5 only what the unreduced program passes is asked. A crash of a compiler needs 2, and that one which is
//! right accepts the program.
//!
//! The program is text (`lines`). After each round it is tried whether it is C at heart by now: then the machine takes
//! over, and its word counts from there.

use std::path::Path;

use oracle::{
    Assessment, Behaviour, Case, Detectors, Expected, Failure, FailureKind, Lab, SourceFile,
    Trouble,
};
use toolchain::Target;

use crate::ask::TrialSlot;
use crate::pool::Pool;
use crate::{Clock, NotReduced, ProgressFn, lines};

/// Targets that are right and are asked about every candidate, at most.
const REFERENCES: usize = 3;

/// An exit status from here on says that a signal ended the program.
const SIGNALS: u8 = 128;

/// The text as far as it was reduced.
pub(crate) struct Checked {
    /// With what it must do.
    pub case: Case,
    /// The tools that every candidate had to pass.
    pub checks: Vec<String>,
    /// Tokens before.
    pub before: usize,
    pub candidates: u64,
    pub asked: u64,
}

/// Makes the text of a program small, until it cannot be made smaller or `is_enough` takes it.
pub(crate) fn reduce(
    lab: &Lab,
    case: &Case,
    failure: &Failure,
    pool: &Pool,
    clock: Clock,
    tell: ProgressFn<'_>,
    is_enough: &dyn Fn(&Case) -> bool,
) -> Result<Checked, NotReduced> {
    let mut checks = CompilerChecks::new(lab, case, failure);
    pool.one(|slot| checks.learn(case, slot))?;
    let mut current = case.clone();
    if let Some(one) = merged(case)
        && let Some(expected) = pool.one(|slot| checks.result(&one, slot))?
    {
        current = Case { expected: checks.kept(expected), ..one };
    }
    let tokens = |file: &SourceFile| cshrink::tokens(&String::from_utf8_lossy(&file.bytes));
    let before_all = case.files.iter().map(tokens).sum();
    let (mut candidates, mut asked) = (0, 0);
    let size = |case: &Case| case.files.iter().map(|file| file.bytes.len()).sum::<usize>();
    while !pool.is_over() && !is_enough(&current) {
        let before = size(&current);
        for at in 0..current.files.len() {
            let with = |text: &str| {
                let mut case = current.clone();
                case.files[at].bytes = text.as_bytes().to_vec();
                case
            };
            let ask =
                |text: &str, slot: &TrialSlot<'_>| Ok(checks.result(&with(text), slot)?.is_some());
            let text = String::from_utf8_lossy(&current.files[at].bytes).into_owned();
            let found = lines::reduce(&text, lines::Until::OneRound, pool, clock, tell, &ask)?;
            candidates += found.candidates;
            asked += found.asked;
            current = with(&found.text);
        }
        current.files.retain(|file| !file.bytes.trim_ascii().is_empty());
        if size(&current) >= before {
            break;
        }
    }
    // Once more, and not cut short: what it must do.
    let result = pool.one(|slot| checks.result(&current, slot))?;
    let lost = || NotReduced::NotShown("the reduced program does not show it again".into());
    current.expected = checks.kept(result.ok_or_else(lost)?);
    Ok(Checked { case: current, checks: checks.names, before: before_all, candidates, asked })
}

/// What compilers that can be trusted agree that a program does, and its sanitizers do not object to; `None` if
/// they do not agree.
pub fn agreed_result(
    lab: &Lab,
    case: &Case,
    references: &[Target],
    dir: &Path,
) -> Result<Option<Expected>, Trouble> {
    let mut agreed: Option<Case> = None;
    lab.write(case, dir)?;
    for target in references {
        let asked = agreed.clone().unwrap_or_else(|| with_some_result(case));
        match (lab.observe(&asked, dir, target)?.seen, &agreed) {
            (Behaviour::Unsupported(_), _) => {}
            (Behaviour::Ran { status, stdout }, None) if status < SIGNALS => {
                let expected = Some(Expected { stdout, status });
                agreed = Some(Case { expected, ..case.clone() });
            }
            (seen, Some(case)) if seen.is_right(case) => {}
            _ => return Ok(None),
        }
    }
    let Some(case) = agreed else { return Ok(None) };
    let opinions = Detectors::find().sanitizers(lab, &case, dir)?;
    let valid = |says: &Assessment| matches!(says, Assessment::Valid | Assessment::Silent(_));
    let all = opinions.iter().all(|opinion| valid(&opinion.says));
    let some = opinions.iter().any(|opinion| opinion.says == Assessment::Valid);
    Ok(case.expected.filter(|_| all && some))
}

/// A program is run only if it must do something.
fn with_some_result(case: &Case) -> Case {
    Case { expected: Some(Expected::default()), ..case.clone() }
}

struct CompilerChecks {
    lab: Lab,
    detectors: Detectors,
    failure: Failure,
    /// Right, the one most like the failing one first.
    references: Vec<Target>,
    /// Those of them whose warnings the unreduced program passes.
    strict: Vec<Target>,
    /// Sanitizers that took the unreduced program.
    sanitizers: Vec<String>,
    /// All that a candidate has to pass, for people.
    names: Vec<String>,
}

impl CompilerChecks {
    fn new(lab: &Lab, case: &Case, failure: &Failure) -> CompilerChecks {
        let takes = |target: &&Target| target.command(case.language).is_some();
        let right: Vec<&Target> = failure.right.iter().filter(takes).collect();
        let own = |target: &&&Target| target.compiler.name == failure.bad[0].compiler.name;
        let family = |target: &&&Target| target.compiler.family != failure.bad[0].compiler.family;
        let baseline = failure.baseline_for(&failure.bad[0]);
        let mut references: Vec<Target> = baseline.into_iter().collect();
        let first = [right.iter().find(own), right.iter().find(family)];
        for target in first.into_iter().flatten().chain(&right) {
            let is_new = references.iter().all(|known| known.label() != target.label());
            if is_new && references.len() < REFERENCES {
                references.push((*target).clone());
            }
        }
        CompilerChecks {
            lab: lab.clone(),
            detectors: Detectors::find(),
            failure: failure.clone(),
            references,
            strict: Vec::new(),
            sanitizers: Vec::new(),
            names: Vec::new(),
        }
    }

    /// What the unreduced program passes; an error if that is not enough to trust candidates.
    fn learn(&mut self, case: &Case, slot: &TrialSlot<'_>) -> Result<(), NotReduced> {
        let unusable = |why: &str| Err(NotReduced::Unusable(why.into()));
        let wrong_code = self.failure.fault.kind.is_wrong_code();
        if wrong_code && self.references.is_empty() {
            return unusable(
                "the machine cannot execute this C++, and no compiler is right about it",
            );
        }
        let Some(expected) = self.result(case, slot)? else {
            let what = "the failure does not show beside compilers that are right";
            return Err(NotReduced::NotShown(what.into()));
        };
        if !wrong_code {
            self.names = self.references.iter().map(|target| target.label()).collect();
            return Ok(());
        }
        let case = Case { expected: self.kept(expected), ..case.clone() };
        for target in &self.references {
            let known = |other: &Target| other.compiler.name == target.compiler.name;
            if !self.strict.iter().any(known) && self.lab.passes_checks(&case, slot.dir, target)? {
                self.strict.push(target.clone());
            }
        }
        let opinions = self.detectors.sanitizers(&self.lab, &case, slot.dir)?;
        if let Some(opinion) = opinions.iter().find(|opinion| opinion.says.objects()) {
            return unusable(&format!("{} objects to the program", opinion.tool));
        }
        let valid = opinions.into_iter().filter(|opinion| opinion.says == Assessment::Valid);
        self.sanitizers = valid.map(|opinion| opinion.tool).collect();
        if self.sanitizers.is_empty() {
            return unusable(
                "the machine cannot execute this C++, and no sanitizer here takes it: install g++ or \
                 clang++ with -fsanitize=undefined,address",
            );
        }
        self.names = self.references.iter().map(|target| target.label()).collect();
        self.names
            .extend(self.strict.iter().map(|target| format!("{} -Wall", target.compiler.name)));
        self.names.extend(self.sanitizers.iter().cloned());
        Ok(())
    }

    /// Crashes are of programs that need not do anything.
    fn kept(&self, expected: Expected) -> Option<Expected> {
        self.failure.fault.kind.is_wrong_code().then_some(expected)
    }

    /// What a candidate must do, if it passes all checks and shows the failure.
    fn result(&self, case: &Case, slot: &TrialSlot<'_>) -> Result<Option<Expected>, Trouble> {
        let lab = Lab { limits: self.lab.limits.clone(), stop: slot.stop.clone() };
        let _ = std::fs::remove_dir_all(slot.dir);
        lab.write(case, slot.dir)?;
        let (fault, bad) = (&self.failure.fault, &self.failure.bad[0]);
        let shows = |case: &Case| {
            Ok::<_, Trouble>(
                lab.observe(case, slot.dir, bad)?.seen.fault(case).as_ref() == Some(fault),
            )
        };
        if !fault.kind.is_wrong_code() {
            let case = Case { expected: None, ..case.clone() };
            let first = self.references.first();
            let accepted = first.map(|target| lab.observe(&case, slot.dir, target)).transpose()?;
            let accepted = accepted.is_none_or(|seen| seen.seen == Behaviour::Compiled);
            return Ok((accepted && shows(&case)?).then(Expected::default));
        }
        let Some((first, others)) = self.references.split_first() else { return Ok(None) };
        let seen = lab.observe(&with_some_result(case), slot.dir, first)?.seen;
        let Behaviour::Ran { status, stdout } = seen else { return Ok(None) };
        let silent = stdout.is_empty() && status == 0 && fault.kind == FailureKind::WrongOutput;
        if status >= SIGNALS || silent {
            return Ok(None);
        }
        let expected = Expected { stdout, status };
        let case = Case { expected: Some(expected.clone()), ..case.clone() };
        if !shows(&case)? {
            return Ok(None);
        }
        for target in others {
            if !lab.observe(&case, slot.dir, target)?.seen.is_right(&case) {
                return Ok(None);
            }
        }
        for target in &self.strict {
            if !lab.passes_checks(&case, slot.dir, target)? {
                return Ok(None);
            }
        }
        if self.sanitizers.is_empty() {
            return Ok(Some(expected));
        }
        let opinions = self.detectors.sanitizers(&lab, &case, slot.dir)?;
        let takes = |tool: &String| {
            let valid = |o: &oracle::Opinion| o.tool == *tool && o.says == Assessment::Valid;
            opinions.iter().any(valid)
        };
        Ok(self.sanitizers.iter().all(takes).then_some(expected))
    }
}

/// All units in one, with the program's own headers in the place of the first line that includes them.
fn merged(case: &Case) -> Option<Case> {
    let mut units = case.files.iter().filter(|file| file.is_unit());
    let (first, second) = (units.next()?, units.next());
    if second.is_none() && case.files.len() == 1 {
        return None;
    }
    let mut inserted = Vec::new();
    let mut text = String::new();
    for file in case.files.iter().filter(|file| file.is_unit()) {
        insert(case, file, &mut inserted, &mut text);
    }
    let files = vec![SourceFile { name: first.name.clone(), bytes: text.into_bytes() }];
    Some(Case { files, harness: None, ..case.clone() })
}

fn insert(case: &Case, file: &SourceFile, inserted: &mut Vec<String>, text: &mut String) {
    for line in String::from_utf8_lossy(&file.bytes).lines() {
        let quoted =
            line.trim().strip_prefix("#include \"").and_then(|rest| rest.split('"').next());
        let header = quoted.and_then(|name| case.files.iter().find(|file| file.name == name));
        match header {
            Some(header) if inserted.contains(&header.name) => {}
            Some(header) => {
                inserted.push(header.name.clone());
                insert(case, header, inserted, text);
            }
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
}
