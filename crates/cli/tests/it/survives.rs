//! Hunts of all engines lose nothing when they are killed; one that is killed and interrupted again and again ends
//! with what an undisturbed one finds, and with its sums. `cargo lab kills` does the same a thousand times.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use choice::Choices;
use kills::{Blow, Killed, Moment, Victim, scenarios};
use sandbox::{Run, Scratch};

/// How often the hunt that is compared is killed or interrupted.
const BLOWS: usize = 12;

/// How often each hunt of the others is killed.
const KILLS: usize = 4;

/// Tests of the hunt: few enough for CI, enough not to be over before the last kill.
const TESTS: &str = "60";

/// Crashes at -O1 on programs of some sizes and rejects others at -O2. No wrong code: the detectors
/// that it calls for would take most of the test's time.
const FAULTY: &str = r#"#!/bin/sh
real=${REAL_CC:-gcc}
size=0
case " $* " in *" func.c "*) size=$(wc -c < func.c) ;; esac
case " $* " in
*" -O1 "*)
    if [ $((size % 3)) = 1 ]; then
        echo "func.c:1:1: internal compiler error: in fold_the_unfoldable, at fold-const.cc:$((size % 2 + 100))" >&2
        exit 1
    fi ;;
*" -O2 "*)
    if [ $((size % 5)) = 1 ]; then
        echo "func.c:3:1: error: this is not C" >&2
        exit 1
    fi ;;
esac
exec $real "$@"
"#;

/// Small programs.
const POLICY: &str = "program.tests = [1, 2]\n";

fn write(path: &Path, text: &str) {
    fs::write(path, text).expect("it is written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("it is executable");
}

/// The hunt that is compared, in a folder of its own.
fn victim(dir: &Path) -> Victim {
    fs::create_dir(dir).expect("a folder");
    write(&dir.join("faulty"), FAULTY);
    write(&dir.join("policy.toml"), POLICY);
    write(
        &dir.join("gainsay.toml"),
        "extras_per_test = 0\n[[compiler]]\nname = \"faulty\"\npath = \"./faulty\"\nfamily = \"gcc\"\n\
         levels = [\"-O0\", \"-O1\", \"-O2\"]\n",
    );
    let words = ["--tests", TESTS, "--seed", "1", "--jobs", "2", "--no-reduce", "--cc", "faulty"];
    let words = words.into_iter().chain(["--policy", "policy.toml"]).map(String::from).collect();
    Victim::of(Path::new(env!("CARGO_BIN_EXE_gainsay")), dir, words).expect("a folder")
}

/// What a finding is, apart from when it was found.
fn findings(out: &Path) -> BTreeSet<String> {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(60))
        .args(["findings", "--all", "--json", "--hunt"])
        .arg(out);
    let done = run.finish().finished().expect("it ends");
    let text = done.stdout.text();
    let line = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let fields = ["engine", "seed", "kind", "signature", "targets", "summary", "standing"];
        fields.map(|field| format!("{field}: {}", value[field])).join(", ")
    };
    text.lines().map(line).collect()
}

/// What the last event of a hunt says of its folder.
fn sums(end: &serde_json::Value) -> serde_json::Value {
    let fields = [
        "event",
        "tests",
        "findings",
        "distinct",
        "disputed",
        "unconfirmed",
        "flaky",
        "skipped",
        "unanswered",
        "checks",
        "variants",
        "targets",
    ];
    fields.iter().map(|field| (field.to_string(), end[*field].clone())).collect()
}

#[track_caller]
fn all_is_well(killed: &Killed) {
    assert_eq!(killed.wrong, Vec::<String>::new(), "{:?}", killed.reached);
}

#[test]
fn killed_and_interrupted_and_the_sums_are_those_of_an_undisturbed_hunt() {
    let scratch = Scratch::new().expect("a scratch folder");
    let mut undisturbed = victim(&scratch.file("undisturbed"));
    let begin = Instant::now();
    let (want_end, done) = undisturbed.finish(&[]).expect("it runs");
    all_is_well(&done);
    let whole = begin.elapsed();
    let want = findings(&undisturbed.out());
    let kinds = |kind: &str| want.iter().filter(|f| f.contains(kind)).count();
    assert!(kinds("compiler-crash") > 5 && kinds("rejection") > 2, "{want:#?}");

    let mut choices = Choices::new(20);
    let mut victim = victim(&scratch.file("killed"));
    for blow in 0..BLOWS {
        // Anywhere from before the first test to well into the work, but in all not to its end.
        let most = 2 * whole.as_millis() as u64 / BLOWS as u64;
        let moment = Moment::AfterStart(Duration::from_millis(100 + choices.below(most)));
        // Every other one hands in what it has seen and ends by itself.
        let blow = if blow % 2 == 0 { Blow::Kill } else { Blow::Interrupt };
        all_is_well(&victim.hit(moment, blow).expect("it starts"));
        if !victim.kept().findings.is_empty() {
            let mut so_far = findings(&victim.out());
            // Not all targets had their turn.
            so_far.retain(|finding| !finding.contains("standing: \"unconfirmed\""));
            assert!(so_far.is_subset(&want), "{:#?}", so_far.difference(&want));
        }
    }
    let (end, done) = victim.finish(&[]).expect("it runs");
    all_is_well(&done);
    assert_eq!(sums(&end), sums(&want_end));
    assert_eq!(findings(&victim.out()), want);
}

#[test]
fn hunts_of_all_engines_are_killed_and_lose_nothing() {
    let all = scenarios();
    assert!(all.len() == 6 || std::env::var_os("CI").is_none(), "set-up installs LLVM and Csmith");
    let mut choices = Choices::new(7);
    let mut found = 0;
    for scenario in &all {
        let scratch = Scratch::new().expect("a scratch folder");
        let gainsay = Path::new(env!("CARGO_BIN_EXE_gainsay"));
        let mut victim = Victim::new(gainsay, scratch.path(), scenario, 2).expect("a folder");
        for _ in 0..KILLS {
            let moment = Moment::AfterBegin(Duration::from_millis(50 + choices.below(1500)));
            let killed = victim.hit(moment, Blow::Kill).expect("it starts");
            assert_eq!(
                killed.wrong,
                Vec::<String>::new(),
                "{}, {:?}",
                scenario.name,
                killed.reached
            );
        }
        let (_, done) = victim.finish(&["--for", "2s"]).expect("it runs");
        assert_eq!(done.wrong, Vec::<String>::new(), "{}", scenario.name);
        found += victim.kept().findings.len();
    }
    assert!(found >= 2 * all.len(), "{found} findings");
}
