//! Making an inventory: every pass is run alone on small programs, in children of a server.
//!
//! The programs have what C programs have: loops, calls, switches, memory, floats, vectors. A pass that
//! dies of them, prints, or leaves something that cannot be executed is left out; so is, by
//! [`rules`], what does not keep a program's meaning or is not about C.

use std::collections::BTreeSet;

use llvmhost::{End, Installed, Limits, Ran, Server};

use super::names::PassNames;
use super::{Inventory, LeftOut, Library, List, Missing, Pass, Unit, log, paper, rules};
use crate::work::{Answer, Item, Logged};

/// The programs.
pub(super) const PROGRAMS: [&str; 2] = [include_str!("loops.ll"), include_str!("calls.ll")];

/// What compilers run.
const LEVELS: [&str; 5] = ["O1", "O2", "O3", "Os", "Oz"];

/// The reason of those that LLVM does not run at all.
pub(super) const REFUSED: &str = "is refused";

/// A pass as it is to be tried.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Candidate {
    /// Without what is found by trying.
    pass: Pass,
    /// The rule against it; it is tried all the same if it is the paper's.
    against: Option<&'static str>,
    is_paper: bool,
}

impl Candidate {
    fn new(unit: Unit, name: &str, names: &PassNames) -> Candidate {
        let pass = Pass {
            name: name.to_string(),
            unit,
            class: String::new(),
            needs: names.needs(name),
            opening: Vec::new(),
            needs_memory_ssa: false,
            lists: Vec::new(),
        };
        Candidate { pass, against: rules::reason(name), is_paper: false }
    }
}

impl Inventory {
    /// Asks a library, through its server, whose children are [`crate::work::PassesHandler`]. It takes a
    /// second or two. `Err` is a sentence.
    pub fn make(server: &mut Server, installed: &Installed) -> Result<Inventory, String> {
        let names = match ask(server, vec![Item::Names])?.first().map(answer) {
            Some(Ok(Answer::Names(text))) => PassNames::read(&text),
            _ => PassNames::known(),
        };
        let mut inventory = Inventory::of(Library::new(&installed.path, &server.release));
        let (candidates, missing) = candidates(&names);
        inventory.missing = missing;
        let production = production(server)?;
        let (tried, untried): (Vec<_>, Vec<_>) =
            candidates.into_iter().partition(|one| one.is_paper || one.against.is_none());
        for Candidate { pass, against, .. } in untried {
            inventory.leave_out(&pass, against.unwrap_or_default(), String::new());
        }
        let outcomes = attempts(server, &tried)?;
        for (one, outcome) in tried.into_iter().zip(outcomes) {
            inventory.enter(one, outcome, &production);
        }
        Ok(inventory)
    }

    fn leave_out(&mut self, pass: &Pass, reason: &str, detail: String) {
        let (name, reason) = (pass.name.clone(), reason.to_string());
        self.left_out.push(LeftOut { name, unit: pass.unit, reason, detail });
    }

    fn enter(&mut self, one: Candidate, outcome: Outcome, production: &BTreeSet<String>) {
        let Candidate { pass, against, is_paper } = one;
        let mut pass = match outcome {
            Ok(pass) => pass,
            // A variant that this library does not know.
            Err((REFUSED, _)) if pass.name.contains('<') && !is_paper => return,
            Err((reason, detail)) => {
                if is_paper {
                    let (name, why) = (pass.name.clone(), format!("{reason}: {detail}"));
                    self.missing.push(Missing { name, why });
                }
                return self.leave_out(&pass, reason, detail);
            }
        };
        if let Some(reason) = against {
            self.leave_out(&pass, reason, String::new());
        }
        let lists = [
            (List::Production, against.is_none() && production.contains(&pass.class)),
            (List::Paper, is_paper),
            (List::All, against.is_none()),
        ];
        pass.lists = lists.into_iter().filter(|(_, is_in)| *is_in).map(|(list, _)| list).collect();
        self.passes.push(pass);
    }
}

/// All passes, those of the paper marked; and those of the paper that are none of them.
fn candidates(names: &PassNames) -> (Vec<Candidate>, Vec<Missing>) {
    let one = |(unit, name): &(Unit, String)| Candidate::new(*unit, name, names);
    let mut all: Vec<Candidate> = names.passes.iter().map(one).collect();
    let mut missing = Vec::new();
    for successor in paper::successors(names) {
        match successor.today {
            Err(why) => missing.push(Missing { name: successor.name.into(), why: why.into() }),
            Ok(today) => {
                let is_it = |Candidate { pass, .. }: &Candidate| {
                    (pass.unit, &pass.name) == (today.0, &today.1)
                };
                let at = all.iter().position(is_it).unwrap_or_else(|| {
                    all.push(one(&today));
                    all.len() - 1
                });
                all[at].is_paper = true;
            }
        }
    }
    (all, missing)
}

/// The pass as it was found to be; or a reason, and what LLVM said.
type Outcome = Result<Pass, (&'static str, String)>;

/// Tries each, loop passes with and without memory SSA.
fn attempts(server: &mut Server, candidates: &[Candidate]) -> Result<Vec<Outcome>, String> {
    let forms = candidates.iter().enumerate().flat_map(|(at, Candidate { pass, .. })| {
        let forms = if pass.unit.is_loop() { &[false, true][..] } else { &[false] };
        forms.iter().map(move |ssa| (at, Pass { needs_memory_ssa: *ssa, ..pass.clone() }))
    });
    let forms: Vec<(usize, Pass)> = forms.collect();
    let ran = ask(server, forms.iter().flat_map(|(_, pass)| on_programs(&pass.text())).collect())?;
    let mut outcomes: Vec<Option<Outcome>> = vec![None; candidates.len()];
    for ((at, pass), ran) in forms.into_iter().zip(ran.chunks(PROGRAMS.len())) {
        let outcome = judge(ran).map(|(opening, class)| Pass { opening, class, ..pass });
        // The form without memory SSA comes first, and is taken if it will do.
        if outcomes[at].as_ref().is_none_or(|before| before.is_err() && outcome.is_ok()) {
            outcomes[at] = Some(outcome);
        }
    }
    Ok(outcomes.into_iter().flatten().collect())
}

/// A run of passes on each program.
fn on_programs(passes: &str) -> [Item; 2] {
    PROGRAMS.map(|program| Item::Log {
        module: program.into(),
        passes: passes.to_string(),
        verify_each: false,
    })
}

/// The opening and the class of a pass that does well on all programs: classes in the order in which
/// they come up, of which its own is the last.
fn judge(ran: &[Ran]) -> Result<(Vec<String>, String), (&'static str, String)> {
    let mut classes: Vec<String> = Vec::new();
    for ran in ran {
        let logged = match answer(ran) {
            Ok(Answer::Log(logged)) => logged,
            Ok(Answer::Refused(why) | Answer::Trouble(why)) => return Err((REFUSED, why)),
            Ok(_) => return Err((REFUSED, "an answer to something else".into())),
            Err(how) => return Err(("fails on a small program", how)),
        };
        sound(&logged)?;
        for step in log::steps(&logged.log) {
            if !classes.iter().any(|class| class == step.class) {
                classes.push(step.class.to_string());
            }
        }
    }
    let class = classes.pop().ok_or(("does not run on the probes", String::new()))?;
    Ok((classes, class))
}

/// Whether what a pass left can be executed, and nothing was printed.
fn sound(logged: &Logged) -> Result<(), (&'static str, String)> {
    if let Some(why) = &logged.invalid {
        return Err(("leaves an invalid module", why.clone()));
    }
    if !logged.defined.iter().any(|name| name == "main") {
        return Err(("takes main away", String::new()));
    }
    // The programs call nothing of the kind themselves.
    if let Some(name) = logged.declared.iter().find(|name| name.starts_with("__")) {
        return Err(("instruments the program for a run-time library", name.clone()));
    }
    match log::foreign(&logged.log) {
        Some(line) => Err(("prints, draws or counts, and changes nothing", line.to_string())),
        None => Ok(()),
    }
}

/// The classes that the levels run on the programs. A level may die of one: 14 does, at `-O3`, of pointers
/// without types.
fn production(server: &mut Server) -> Result<BTreeSet<String>, String> {
    let items = LEVELS.iter().flat_map(|level| on_programs(&format!("default<{level}>")));
    let mut classes = BTreeSet::new();
    for ran in ask(server, items.collect())? {
        let log = match (answer(&ran), ran.end.crash()) {
            (Ok(Answer::Log(logged)), _) => logged.log,
            (_, Some(crash)) => crash.printed.clone(),
            (other, None) => return Err(format!("the library's own pipelines fail: {other:?}")),
        };
        classes.extend(log::steps(&log).map(|step| step.class.to_string()));
    }
    Ok(classes)
}

fn ask(server: &mut Server, items: Vec<Item>) -> Result<Vec<Ran>, String> {
    let items = items.iter().map(Item::bytes).collect();
    server.run(items, Limits::default(), false).map_err(|e| format!("the server is gone: {e}"))
}

/// The answer, or how there came none.
fn answer(ran: &Ran) -> Result<Answer, String> {
    let reason = |what: &str, crash: &llvmhost::Crash| {
        let reason = crash.reason.lines().next().unwrap_or_default();
        format!("{what} {reason}").trim().to_string()
    };
    Err(match &ran.end {
        End::Done => return Ok(Answer::read(&ran.output)),
        End::Fatal(crash) => reason("error:", crash),
        End::Signal(signal, crash) => reason(&format!("signal {signal}"), crash),
        End::Exit(status, _) => format!("exit {status}"),
        End::Time(_) => "time limit".to_string(),
        End::Memory(_) => "memory limit".to_string(),
        End::Panic(why) => format!("panic: {why}"),
    })
}
