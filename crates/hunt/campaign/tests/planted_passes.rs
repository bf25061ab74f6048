//! An LLVM with seven bugs in four of its passes, three of them in one, one of those in nearly every module: a hunt
//! lists these bugs, no more and no fewer.
//!
//! The passes are LLVM's own; what they leave is changed before it is handed in, so every run of a pass has the bug:
//! those of the hunt, of blame, of masks and of reductions. This file is its own harness: with the argument
//! `serve` it is a server.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use campaign::{
    Bug, CompilerFinder, Engine, Finding, LlvmTools, MaskState, Plan, RecheckOptions,
    RecheckOutcome, RefinementOracles, RefinementQuery, Specimen, Store, Study, StudyOptions,
    Subject, TestBench, Tested, explained_by, hunt_on, recheck_finding, study_finding,
};
use choice::Choices;
use libtest_mimic::{Arguments, Failed, Trial};
use llvmhost::{Installed, Limits, Llvm, Machine, Program, Recorder, Server, Setup, Work};
use optimise::locate::{OnText, Optimiser};
use optimise::work::{self, Answer, ENGINE_TAG, Item, Pipeline};
use oracle::Trouble;
use reduce::{NotReduced, ReduceOptions};
use refine::Scope;
use sandbox::{Scratch, Stop};
use toolchain::{Compiler, Language};
use triage::ModuleConstruct;

/// A bug of a pass: it writes one thing in place of another, in modules where it sees a third.
struct Planted {
    pass: &'static str,
    class: &'static str,
    from: &'static str,
    to: &'static str,
    sees: &'static str,
    /// What a module has that shows it, and every how many modules have it.
    shows: &'static [&'static str],
    every: u64,
}

/// Operands are added by the generator: `%x` is the last value, `%y` any.
const PLANTED: [Planted; 7] = [
    Planted {
        pass: "early-cse",
        class: "EarlyCSEPass",
        from: "icmp slt",
        to: "icmp ult",
        sees: "",
        shows: &["icmp slt"],
        every: 2,
    },
    Planted {
        pass: "early-cse",
        class: "EarlyCSEPass",
        from: "ashr",
        to: "lshr",
        sees: "",
        shows: &["ashr"],
        every: 101,
    },
    // It looks at what the first looks at, and at more.
    Planted {
        pass: "early-cse",
        class: "EarlyCSEPass",
        from: "icmp sgt",
        to: "icmp ugt",
        sees: "= mul ",
        shows: &["mul", "icmp sgt"],
        every: 71,
    },
    Planted {
        pass: "dce",
        class: "DCEPass",
        from: "udiv",
        to: "sdiv",
        sees: "",
        shows: &["udiv"],
        every: 9,
    },
    Planted {
        pass: "sink",
        class: "SinkingPass",
        from: "add nsw",
        to: "sub nsw",
        sees: "",
        shows: &["add nsw"],
        every: 19,
    },
    Planted {
        pass: "sink",
        class: "SinkingPass",
        from: "call i32 @llvm.umax.i32",
        to: "call i32 @llvm.smax.i32",
        sees: "",
        shows: &["umax"],
        every: 29,
    },
    Planted {
        pass: "adce",
        class: "ADCEPass",
        from: "= xor ",
        to: "= or ",
        sees: "= shl ",
        shows: &["shl", "xor"],
        every: 15,
    },
];

/// What modules are made of besides.
const PLAIN: &[&str] = &["add", "sub", "or", "and", "lshr"];

const PASSES: &str = "function(early-cse,dce,sink,adce)";

const TESTS: u64 = 240;

/// LLVM with the bugs.
struct Faulty;

impl Work for Faulty {
    fn perform(
        &self,
        llvm: &Llvm,
        machine: &Machine<'_>,
        item: &[u8],
        recorder: &Recorder<'_>,
    ) -> Vec<u8> {
        let answer = work::answer(llvm, machine, &item[1..], recorder);
        let asked = item.strip_prefix(&[ENGINE_TAG]).and_then(|item| work::unpacked(item).ok());
        let (
            Some(Item::Optimise { pipeline, .. } | Item::Edit { pipeline, .. }),
            Answer::Fine(text),
        ) = (asked, &answer)
        else {
            return answer.bytes();
        };
        Answer::Fine(faulty(text, &pipeline)).bytes()
    }
}

/// What the passes of a pipeline leave.
fn faulty(text: &str, pipeline: &Pipeline) -> String {
    let run = |planted: &&Planted| {
        pipeline.passes.split(['(', ')', ',']).any(|pass| pass == planted.pass)
    };
    let functions = text.split_inclusive("\n}\n").map(|function| {
        PLANTED.iter().filter(run).fold(function.to_string(), |function, planted| {
            match function.contains(planted.sees) {
                true => function.replace(planted.from, planted.to),
                false => function,
            }
        })
    });
    let text: String = functions.collect();
    match text.contains("@llvm.smax.i32(") && !text.contains("declare i32 @llvm.smax.i32") {
        true => text + "declare i32 @llvm.smax.i32(i32, i32)\n",
        false => text,
    }
}

/// The modules of a seed: a chain of instructions, each on the value before it, with what shows the bugs that
/// the seed is to show among them.
fn module(seed: u64) -> String {
    let mut choices = Choices::new(seed);
    let mut words: Vec<&str> = (0..6).filter_map(|_| choices.pick(PLAIN).copied()).collect();
    for planted in PLANTED.iter().filter(|planted| (seed + 1).is_multiple_of(planted.every)) {
        let at = choices.below(words.len() as u64 + 1) as usize;
        words.splice(at..at, planted.shows.iter().copied());
    }
    let mut text =
        String::from("define i32 @f(i32 noundef %v0, i32 noundef %y, i32 noundef %z) {\n");
    let mut last = 0;
    for word in words {
        let (x, next) = (format!("%v{last}"), last + 1);
        let other = if choices.below(2) == 0 { "%y" } else { "%z" };
        text += &match word {
            "icmp slt" | "icmp sgt" => format!(
                "  %c{next} = {word} i32 {x}, {other}\n  %v{next} = select i1 %c{next}, i32 {x}, i32 77\n"
            ),
            "udiv" => {
                format!("  %d{next} = or i32 {other}, 1\n  %v{next} = udiv i32 {x}, %d{next}\n")
            }
            "umax" => format!("  %v{next} = call i32 @llvm.umax.i32(i32 {x}, i32 {other})\n"),
            "ashr" | "lshr" | "shl" => format!("  %v{next} = {word} i32 {x}, 3\n"),
            "add nsw" => {
                format!("  %n{next} = lshr i32 {x}, 2\n  %v{next} = add nsw i32 %n{next}, 5\n")
            }
            word => format!("  %v{next} = {word} i32 {x}, {other}\n"),
        };
        last = next;
    }
    text + &format!("  ret i32 %v{last}\n}}\ndeclare i32 @llvm.umax.i32(i32, i32)\n")
}

/// Puts the modules before the refinement oracle, as the engines do that test passes.
struct Modules {
    library: Installed,
    program: Program,
    oracles: RefinementOracles,
}

impl Modules {
    fn serve(&self) -> Server {
        let setup = Setup {
            library: self.library.path.clone(),
            major: self.library.major,
            ..Setup::default()
        };
        Server::start(&self.program, &setup).expect("a server")
    }

    fn tools(&self) -> LlvmTools<'_> {
        LlvmTools { program: &self.program, limits: Limits::default() }
    }
}

impl Engine for Modules {
    fn name(&self) -> &str {
        "modules"
    }

    fn seeds(&self, first: u64) -> Range<u64> {
        first..u64::MAX
    }

    fn test(&self, seed: u64, bench: &TestBench) -> Result<Tested, Trouble> {
        let mut tested = Tested::new(self.name(), seed);
        let mut server = self.serve();
        let limits = Limits::default();
        let mut llvm = OnText { server: &mut server, limits, x86: true };
        let before = llvm.run(&module(seed), "verify").expect("a module");
        let after = llvm.run(&before, PASSES).expect("passes that do not fail");
        let asked = RefinementQuery {
            library: &self.library,
            before: &before,
            after: &after,
            passes: PASSES,
            scope: Scope::Module,
            origin: "the test",
        };
        tested.findings.extend(self.oracles.ask(&asked, &mut server, limits, &[]));
        for found in &tested.findings {
            bench.count(&found.signature);
        }
        Ok(tested)
    }

    fn study(&self, found: &Finding, stop: &Stop) -> Option<Result<Study, NotReduced>> {
        let reduce = ReduceOptions {
            jobs: 1,
            time: None,
            stop: stop.clone(),
            limits: oracle::Limits::default(),
            known: Default::default(),
        };
        let options = StudyOptions { reduce, tools: self.tools(), known: &[] };
        Some(study_finding(found, options, &mut Nobody, &|_| {}).expect("a module"))
    }

    fn explained_by(&self, found: &Finding, known: &[(i64, Study)], stop: &Stop) -> Option<i64> {
        let Subject::Module(module) = &found.finding.subject else { return None };
        explained_by(found, module, known, self.tools(), stop).expect("it can be asked")
    }
}

/// What was studied is still there, and its masks hide it; with the frequent bug suppressed, what it explains is
/// not listed any more, and the next tests bring nothing new.
fn masks_are_tried_again_and_suppressed(dir: &Scratch, bugs: &[Bug]) {
    let mut store = Store::open(dir.path()).expect("a store");
    let engine = modules();
    let stop = Stop::new();
    let options = RecheckOptions { tools: engine.tools(), everywhere: false, library: None, stop };
    for bug in bugs {
        let found = store.finding(bug.representative).expect("it reads").expect("it is there");
        let mut study = store.study(bug.representative).expect("it reads").expect("a study");
        let again = |study: &Study| {
            let specimen = Specimen::of(&found, Some(study));
            let done = recheck_finding(specimen, &options, &mut Nobody, &mut |_| {});
            done.expect("it can be asked").expect("it is a module")
        };
        let done = again(&study);
        assert_eq!(done.verdict, RecheckOutcome::Fails, "{}", bug.key);
        assert_eq!(done.mask, Some(MaskState::Hides), "{}", bug.key);
        study.mask.instructions = [ModuleConstruct::Instruction("freeze".into())].into();
        assert_eq!(again(&study).mask, Some(MaskState::HidesNoMore), "{}", bug.key);
    }
    let frequent = bugs.iter().max_by_key(|bug| bug.count).expect("there are bugs");
    store.suppress(&frequent.key, "LLVM issue 1").expect("it is kept");
    drop(store);
    let plan = Plan { tests: Some(TESTS + 20), ..plan(dir) };
    let engines: Arc<[Box<dyn Engine>]> = Arc::from([Box::new(engine) as Box<dyn Engine>]);
    hunt_on(plan, engines, &Stop::new(), &mut |_| {}).expect("it goes on");
    let store = Store::open(dir.path()).expect("a store");
    let now = store.bugs().expect("it lists");
    let shown: Vec<&str> =
        now.iter().filter(|bug| bug.suppressed.is_none()).map(|bug| &*bug.key).collect();
    assert_eq!(shown.len(), bugs.len() - 1, "{shown:?}");
    let hidden = now.iter().find(|bug| bug.suppressed.is_some()).expect("it is counted");
    assert!(hidden.count > frequent.count + 5 && hidden.key == frequent.key, "{hidden:?}");
}

/// No compiler is needed.
struct Nobody;

impl CompilerFinder for Nobody {
    fn find(
        &mut self,
        _: Language,
        _: &[String],
    ) -> anyhow::Result<(Vec<Arc<Compiler>>, oracle::Limits)> {
        anyhow::bail!("modules need no compilers")
    }
}

fn plan(dir: &Scratch) -> Plan {
    Plan {
        engines: Vec::new(),
        seed: Some(0),
        time: None,
        tests: Some(TESTS),
        jobs: 2,
        out: dir.path().to_path_buf(),
        language: Language::C,
        compilers: Vec::new(),
        targets: campaign::TargetChoice { extras_per_test: 0, targets_per_test: None },
        baseline: None,
        limits: oracle::Limits::default(),
        study: true,
    }
}

fn modules() -> Modules {
    let library = Installed::named("16").expect("set-up installs libLLVM 16");
    let path = std::env::current_exe().expect("we are a file");
    let program = Program { path, args: vec!["serve".into()] };
    Modules { library, program, oracles: RefinementOracles::find() }
}

/// Seven bugs, whatever their frequency.
fn each_bug_is_listed_once() -> Result<(), Failed> {
    let dir = Scratch::new().expect("a temporary folder");
    let engines: Arc<[Box<dyn Engine>]> = Arc::from([Box::new(modules()) as Box<dyn Engine>]);
    hunt_on(plan(&dir), engines, &Stop::new(), &mut |_| {}).expect("it hunts");
    let store = Store::open(dir.path()).expect("a store");
    let bugs = store.bugs().expect("it lists");
    let shown: Vec<String> = bugs
        .iter()
        .map(|bug| format!("{} × {} (attributed: {})", bug.count, bug.key, bug.attributed))
        .collect();
    let shown = shown.join("\n");
    println!("{shown}");
    let mut passes: BTreeMap<String, usize> = BTreeMap::new();
    for bug in &bugs {
        assert!(bug.attributed, "{shown}");
        let study = store.study(bug.representative).expect("it reads").expect("it was studied");
        let class = study.blame.pass.expect("a pass");
        let reduced = String::from_utf8_lossy(&study.files[0].bytes).into_owned();
        let is_it = |planted: &&Planted| planted.class == class && reduced.contains(planted.from);
        let planted = PLANTED.iter().find(is_it).unwrap_or_else(|| panic!("whose? {reduced}"));
        for id in &bug.ids {
            let found = store.finding(*id).expect("it reads").expect("it is there").finding;
            let module = String::from_utf8_lossy(&found.files[0].bytes).into_owned();
            assert!(module.contains(planted.from), "#{id} is no {}: {module}", bug.key);
        }
        *passes.entry(class).or_default() += 1;
    }
    let mut planted: BTreeMap<String, usize> = BTreeMap::new();
    for bug in &PLANTED {
        *planted.entry(bug.class.to_string()).or_default() += 1;
    }
    assert_eq!(passes, planted, "{shown}");
    // Every finding belongs to one of them, the frequent as the rare.
    let all: usize = bugs.iter().map(|bug| bug.count).sum();
    assert_eq!(all, store.findings().expect("it lists").len());
    let most = bugs.iter().map(|bug| bug.count).max().unwrap_or(0);
    let least = bugs.iter().map(|bug| bug.count).min().unwrap_or(0);
    assert!(most >= 20 * least, "{shown}");
    drop(store);
    masks_are_tried_again_and_suppressed(&dir, &bugs);
    Ok(())
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        llvmhost::serve(|_| Ok(Faulty)).expect("a server");
        return;
    }
    let tests = vec![Trial::test("each_bug_is_listed_once", each_bug_is_listed_once)];
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}
