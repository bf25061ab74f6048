//! Inventories of the installed libraries, and sequences of their passes.
//!
//! This file is its own harness: with the argument `serve` it is a server, and else it runs the tests, one for each
//! version.

use std::collections::{BTreeMap, BTreeSet};

use choice::Choices;
use libtest_mimic::{Arguments, Trial};
use llvmhost::{End, Installed, Limits, Program, Ran, Server, Setup};
use passes::inventory::{Inventory, Library, List, Unit};
use passes::sequence::{Draw, Grouping, PassPool, Sequence, pairs};
use passes::work::{Answer, Item, Logged, PassesHandler};
use sandbox::Scratch;

/// Versions that set-up installs; the last comes with Rust.
const VERSIONS: [&str; 5] = ["14", "15", "16", "19", "22"];

const UNITS: [Unit; 5] = [Unit::Module, Unit::Cgscc, Unit::Function, Unit::LoopNest, Unit::Loop];

const PROGRAMS: [&str; 2] =
    [include_str!("../src/inventory/loops.ll"), include_str!("../src/inventory/calls.ll")];

/// A name and what is done with a library.
type Test = (&'static str, fn(&mut Server, &Inventory));

const TESTS: [Test; 5] = [
    ("well_known_passes", well_known_passes),
    ("what_is_left_out", what_is_left_out),
    ("kept_in_a_file", kept_in_a_file),
    ("sequences_run", sequences_run),
    ("a_refusal_names_its_pass", a_refusal_names_its_pass),
];

fn main() {
    if std::env::args().nth(1).is_some_and(|arg| arg == "serve") {
        return llvmhost::serve(|_| Ok(PassesHandler)).expect("a server");
    }
    let trial = |version: &'static str| {
        Trial::test(format!("llvm_{version}"), move || {
            match Installed::named(version) {
                Ok(library) => check(&library),
                Err(why) => {
                    let in_ci = std::env::var_os("CI").is_some();
                    assert!(!in_ci, "set-up installs LLVM {version}, CI skips none: {why}");
                    println!("skipped: {why}");
                }
            }
            Ok(())
        })
    };
    libtest_mimic::run(&Arguments::from_args(), VERSIONS.map(trial).into()).exit();
}

fn check(library: &Installed) {
    let path = std::env::current_exe().expect("we are a file");
    let program = Program { path, args: vec!["serve".into()] };
    let setup = Setup { library: library.path.clone(), major: library.major, ..Setup::default() };
    let mut server = Server::start(&program, &setup).expect("it starts");
    let inventory = Inventory::make(&mut server, library).expect("an inventory");
    table(&inventory);
    for (name, test) in TESTS {
        println!("test {name} with {} ...", inventory.library.release);
        test(&mut server, &inventory);
    }
}

/// What there is, in numbers.
fn table(inventory: &Inventory) {
    let row = |what: &str, names: &[String]| {
        println!("  {what}: {}", names.len());
    };
    println!("LLVM {}", inventory.library.release);
    for unit in UNITS {
        let passes = inventory.passes.iter().filter(|pass| pass.unit == unit);
        row(&unit.to_string(), &passes.map(|pass| pass.name.clone()).collect::<Vec<_>>());
    }
    for list in [List::Production, List::Paper, List::All] {
        let names = Sequence(inventory.list(list)).names(inventory);
        row(&format!("{list:?}"), &names.iter().map(|name| name.to_string()).collect::<Vec<_>>());
    }
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for out in &inventory.left_out {
        let detail = if out.detail.is_empty() { "" } else { "!" };
        reasons.entry(&out.reason).or_default().push(format!("{}{detail}", out.name));
    }
    reasons.into_iter().for_each(|(reason, names)| row(reason, &names));
    for missing in &inventory.missing {
        println!("  of the paper, not here: {}: {}", missing.name, missing.why);
    }
}

fn well_known_passes(_: &mut Server, inventory: &Inventory) {
    for (name, text, class, is_production) in [
        ("instcombine", "function(instcombine)", "InstCombinePass", true),
        ("licm", "function(loop-mssa(licm))", "LICMPass", true),
        ("indvars", "function(loop(indvars))", "IndVarSimplifyPass", true),
        ("inline", "cgscc(inline)", "InlinerPass", true),
        ("globaldce", "globaldce", "GlobalDCEPass", true),
        ("early-cse<memssa>", "function(early-cse<memssa>)", "EarlyCSEPass", true),
        ("loop-interchange", "function(loop(loop-interchange))", "LoopInterchangePass", false),
        ("newgvn", "function(newgvn)", "NewGVNPass", false),
        ("structurizecfg", "function(lower-switch,structurizecfg)", "StructurizeCFGPass", false),
    ] {
        let pass = inventory.number(name).and_then(|number| inventory.pass(number));
        let pass = pass.unwrap_or_else(|| panic!("there is no {name}"));
        let expected = match name {
            // From 18 on it is told to do as in pipelines.
            "instcombine" if inventory.major >= 18 => {
                text.replace(name, "instcombine<no-verify-fixpoint>")
            }
            "structurizecfg" if inventory.major <= 16 => {
                text.replace("lower-switch", "lowerswitch")
            }
            _ => text.to_string(),
        };
        assert_eq!((pass.text(), pass.class.as_str()), (expected, class));
        assert!(pass.lists.contains(&List::All), "{name}");
        assert_eq!(pass.lists.contains(&List::Production), is_production, "{name}");
    }
    let count = |list| inventory.list(list).len();
    assert!((60..100).contains(&count(List::Production)), "{}", count(List::Production));
    assert!((105..=114).contains(&count(List::Paper)), "{}", count(List::Paper));
    assert!((110..180).contains(&count(List::All)), "{}", count(List::All));
}

fn what_is_left_out(_: &mut Server, inventory: &Inventory) {
    let all = Sequence(inventory.list(List::All)).names(inventory);
    let beginnings =
        ["print", "dot-", "view-", "verify", "require<", "coro-", "pgo-", "no-op", "asan", "tsan"];
    for name in &all {
        assert!(!beginnings.iter().any(|beginning| name.starts_with(beginning)), "{name}");
        assert!(!["metarenamer", "internalize", "extract-blocks"].contains(name), "{name}");
    }
    let distinct: BTreeSet<(&str, Unit)> =
        inventory.passes.iter().map(|pass| (pass.name.as_str(), pass.unit)).collect();
    assert_eq!(distinct.len(), inventory.passes.len(), "each once");
    assert!(inventory.left_out.iter().all(|out| !out.reason.is_empty()));
    let production = inventory.list(List::Production);
    assert!(production.iter().all(|number| inventory.list(List::All).contains(number)));
    let listed = inventory.list(List::Paper).len();
    assert_eq!(listed + inventory.missing.len(), 114, "each of the paper's is here or missing");
}

fn kept_in_a_file(_: &mut Server, inventory: &Inventory) {
    let scratch = Scratch::new().expect("a temporary folder");
    let path = scratch.file("inventory.json");
    let library = Library::new(&inventory.library.path, &inventory.library.release);
    assert_eq!(Inventory::read(&path, &library), None);
    inventory.write(&path).expect("ours");
    assert_eq!(Inventory::read(&path, &library).as_ref(), Some(inventory));
    let anew = Library { build_id: "another".into(), ..library.clone() };
    assert_eq!(Inventory::read(&path, &anew), None, "built anew it may have other passes");
    let other = Library { size: library.size + 1, ..library };
    assert_eq!(Inventory::read(&path, &other), None, "another library");
}

fn run(server: &mut Server, items: &[(&str, String)]) -> Vec<Ran> {
    let item = |(module, passes): &(&str, String)| {
        let module = module.as_bytes().to_vec();
        Item::Log { module, passes: passes.clone(), verify_each: false }.bytes()
    };
    let ran = server.run(items.iter().map(item).collect(), Limits::default(), false);
    ran.expect("the server lives")
}

fn logged(ran: &Ran) -> Option<Logged> {
    match (&ran.end, Answer::read(&ran.output)) {
        (End::Done, Answer::Log(logged)) => Some(logged),
        (End::Done, other) => panic!("{other:?}"),
        _ => None,
    }
}

/// Random sequences of all passes leave valid modules with a `main`, and after the first k passes of one the
/// log says that the k-th was the last. A crash is a finding and not of this test, but should be rare.
fn sequences_run(server: &mut Server, inventory: &Inventory) {
    let list = inventory.list(List::All);
    let draw = Draw { length: 40..=40, pool: PassPool::Half };
    let mut choices = Choices::new(1);
    let mut drawn: Vec<Sequence> = (0..6).map(|_| draw.draw(&list, &mut choices)).collect();
    drawn.extend(pairs(&inventory.list(List::Production), 40, &mut choices).into_iter().take(2));
    let (mut done, mut crashed) = (0, Vec::new());
    for (sequence, program) in drawn.iter().zip(PROGRAMS.iter().cycle()) {
        let beginnings: Vec<Sequence> =
            (1..=sequence.0.len()).map(|count| Sequence(sequence.0[..count].to_vec())).collect();
        let text = |sequence: &Sequence| sequence.text(inventory, Grouping::Alone);
        let items: Vec<(&str, String)> =
            beginnings.iter().map(|sequence| (*program, text(sequence))).collect();
        for (ran, beginning) in run(server, &items).iter().zip(&beginnings) {
            let names = beginning.names(inventory);
            let Some(logged) = logged(ran) else {
                crashed.push(names.join(" "));
                continue;
            };
            done += 1;
            assert_eq!(logged.invalid, None, "{names:?}");
            assert!(logged.defined.iter().any(|name| name == "main"), "{names:?}");
        }
        let together = sequence.text(inventory, Grouping::Together);
        done += run(server, &[(program, together)]).iter().filter_map(logged).count();
    }
    println!("  {done} runs, {} crashed", crashed.len());
    crashed.iter().for_each(|names| println!("  crashed: {names}"));
    assert!(done > 200, "{done} runs");
}

fn a_refusal_names_its_pass(server: &mut Server, inventory: &Inventory) {
    let mut inventory = inventory.clone();
    let number = inventory.number("dce").expect("everybody has it");
    inventory.passes[usize::from(number)].name = "dead-code-remover".into();
    let text = Sequence(vec![number]).text(&inventory, Grouping::Alone);
    let ran = run(server, &[(PROGRAMS[0], text)]);
    let Answer::Refused(message) = Answer::read(&ran[0].output) else { panic!("{ran:?}") };
    assert_eq!(inventory.refused(&message), inventory.pass(number), "{message}");
    assert_eq!(inventory.refused("nothing of the kind"), None);
}
