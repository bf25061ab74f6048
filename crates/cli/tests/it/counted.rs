//! A compiler with several bugs at once, two of them in one pass, one more frequent than the others: the list has
//! each once, and every finding is counted to its own. `cargo lab counted` has all ten, and says how soon each is known.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;

/// For one process, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(900);

/// Planted bugs, and how many programs show each.
const SHOWN: &[(&str, usize)] = &[("sign", 4), ("fold", 2), ("shift", 2)];

const PLANTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/compilers/planted");

#[test]
fn each_bug_is_listed_once_with_all_its_findings() {
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    let programs = write_programs(dir);
    fs::write(dir.join("gainsay.toml"), configuration()).expect("it is written");
    let done = gainsay(dir, &["hunt", "--engine", "files", "--from", "programs", "--jobs", "2"]);
    assert_eq!(done.status, Status::Exit(1), "{}", done.stderr.text());
    let list = gainsay(dir, &["findings", "--all", "--json"]).stdout.text();
    let findings: Vec<Value> =
        list.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(findings.len(), programs.len(), "{list}");
    // The bugs that findings are counted to, by the planted bug that their programs show.
    let mut bugs: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for found in &findings {
        assert_eq!(found["attributed"], true, "{found:#}");
        let seed = found["seed"].as_u64().expect("a number");
        let key = found["key"].as_str().expect("a key");
        bugs.entry(programs[seed as usize]).or_default().push(key);
    }
    for (name, keys) in &mut bugs {
        keys.dedup();
        assert_eq!(keys.len(), 1, "{name} is listed as {keys:?}");
    }
    let mut all: Vec<&str> = bugs.values().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), SHOWN.len(), "{bugs:?}");
    assert!(all.iter().filter(|key| key.contains("InstCombinePass")).count() == 2, "{all:?}");
}

/// Writes programs; for each the bug that it shows. The engine takes them by name, and its seed is their number.
fn write_programs(dir: &Path) -> Vec<&'static str> {
    let folder = dir.join("programs");
    fs::create_dir(&folder).expect("a folder");
    let all: Vec<&'static str> =
        SHOWN.iter().flat_map(|(name, count)| std::iter::repeat_n(*name, *count)).collect();
    for (n, name) in all.iter().enumerate() {
        let text = fs::read_to_string(format!("{PLANTED}/programs/{name}.c")).expect("a program");
        let noise = format!("static unsigned noise(unsigned n) {{\n    return n * {n} + 3;\n}}");
        let text = text.replace("NUMBER", &(n + 5).to_string()).replace("NOISE", &noise);
        fs::write(folder.join(format!("{n}.c")), text).expect("it is written");
    }
    all
}

fn configuration() -> String {
    format!(
        "extras_per_test = 0\n\
         [[compiler]]\nname = \"ten\"\npath = \"{PLANTED}/ten.sh\"\nfamily = \"clang\"\n\
         levels = [\"-O0\", \"-O2\"]\n\
         [[compiler]]\nname = \"gcc\"\npath = \"gcc\"\nfamily = \"gcc\"\nlevels = [\"-O1\"]\n"
    )
}

fn gainsay(dir: &Path, args: &[&str]) -> Finished {
    let compilers: &[&str] = if args[0] == "hunt" { &["--cc", "ten", "--cc", "gcc"] } else { &[] };
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), PATIENCE).cwd(dir).args(args).args(compilers);
    match run.args(["--hunt", "out"]).finish() {
        Ended::Finished(done) => done,
        other => panic!("{args:?}: {other:?}"),
    }
}
