//! One hunt on compilers that each have one fault: every fault is found and given the right kind,
//! and none takes the hunt down.

use std::fs;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Run, Scratch, Status};
use serde_json::Value;

/// The scripts of `tests/compilers/faulty` and what a hunt must call each.
const FAULTS: &[(&str, &str)] = &[
    ("miscompile", "wrong-output"),
    ("program-crashes", "runtime-crash"),
    ("program-hangs", "runtime-hang"),
    ("ice", "compiler-crash"),
    ("segv", "compiler-crash"),
    ("nothing", "compiler-crash"),
    ("spins", "compiler-hang"),
    ("sleeps", "compiler-hang"),
    ("memory", "compiler-memory"),
    ("garbage-fails", "rejection"),
    ("rejects", "rejection"),
    ("assembler-rejects", "rejection"),
    ("compiler-unnamed", "compiler-crash"),
];

/// Faults that are no failure of the compiler: strange words, children that would outlive their parent, a
/// linker and an assembler that die, an emulator that lacks an extension, a sanitizer that cannot start, a level
/// that the compiler does not know.
const HARMLESS: &[&str] = &[
    "garbage-works",
    "children",
    "linker-dies",
    "linker-unnamed",
    "assembler-dies",
    "extension",
    "no-shadow",
    "refuses-level",
];

/// Those of them that fail at -O2 with every program, and are left out with a sentence when they do.
const LEFT_OUT: &[(&str, &str)] = &[
    ("linker-dies -O2", "the linker died"),
    ("linker-unnamed -O2", "the linker died"),
    ("assembler-dies -O2", "the assembler died"),
    ("extension -O2", "lacks an instruction"),
    ("no-shadow -O2", "the sanitizer cannot work here"),
];

fn configuration() -> String {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/compilers/faulty");
    let names = FAULTS.iter().map(|(name, _)| name).chain(HARMLESS);
    let compiler = |name: &&str| {
        let path = scripts.join(format!("{name}.sh"));
        let runner = match *name {
            "extension" => {
                format!("runner = {:?}\n", scripts.join("runner").display().to_string())
            }
            _ => String::new(),
        };
        format!(
            "[[compiler]]\nname = \"{name}\"\npath = {:?}\nfamily = \"gcc\"\n\
             levels = [\"-O0\", \"-O2\"]\n{runner}",
            path.display().to_string()
        )
    };
    let compilers: String = names.map(compiler).collect();
    let limits = "[limits]\ncompile_seconds = 3\nrun_seconds = 1\nmemory_mb = 512\n";
    format!("extras_per_test = 0\n{limits}{compilers}")
}

#[test]
fn every_fault_is_found_and_none_takes_the_hunt_down() {
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    fs::write(dir.join("gainsay.toml"), configuration()).expect("it is written");
    fs::write(dir.join("small.toml"), "program.tests = [12, 12]\n").expect("it is written");
    let mut run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(900))
        .args(["hunt", "--tests", "1", "--seed", "5", "--jobs", "1", "--json", "--no-reduce"])
        .args(["--policy", "small.toml", "--hunt", "out"])
        .cwd(dir);
    for name in FAULTS.iter().map(|(name, _)| name).chain(HARMLESS) {
        run = run.args(["--cc", name]);
    }
    let done = match run.finish() {
        Ended::Finished(done) => done,
        other => panic!("{other:?}"),
    };
    let text = done.stdout.text();
    assert_eq!(done.status, Status::Exit(1), "{text}{}", done.stderr.text());
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let events: Vec<Value> = events.collect();
    let words = |event: &Value| -> Vec<String> {
        let targets = event["targets"].as_array().expect("targets");
        targets.iter().filter_map(Value::as_str).map(str::to_string).collect()
    };
    let findings: Vec<&Value> = events.iter().filter(|e| e["event"] == "finding").collect();
    for (name, kind) in FAULTS {
        let label = format!("{name} -O2");
        let found: Vec<_> = findings.iter().filter(|f| words(f).contains(&label)).collect();
        assert_eq!(found.len(), 1, "{name}: {text}");
        assert_eq!(found[0]["kind"], *kind, "{name}: {text}");
        assert_eq!(found[0]["standing"], "confirmed", "{name}: {text}");
    }
    let blamed = findings.iter().flat_map(|f| words(f));
    for label in blamed {
        let name = label.split(' ').next().unwrap_or("");
        assert!(label.ends_with(" -O2") && !HARMLESS.contains(&name), "{label} did nothing");
    }
    let notes: Vec<&str> = events.iter().filter_map(|e| e["text"].as_str()).collect();
    for (label, why) in LEFT_OUT {
        let begin = format!("{label} is left out: ");
        let told = notes.iter().filter(|note| note.starts_with(&begin) && note.contains(why));
        assert_eq!(told.count(), 1, "{label}: {notes:?}");
    }
    let said = done.stderr.text();
    let level = "left out: refuses-level -O2: the compiler does not take these flags";
    assert!(said.contains(level), "{said}");
    let end = events.last().expect("an end");
    assert_eq!((&end["event"], &end["ended"]), (&"end".into(), &"tests".into()), "{end}");
}
