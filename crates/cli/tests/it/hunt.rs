//! `gainsay hunt`, `findings`, `show` and `check` through the binary, with a compiler that is wrong
//! on purpose; and one sentence for each mistake.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;

/// Dies at -O1, but for its probes; at -O2 `two.c` prints nothing, as another function is called.
const FAULTY: &str = r#"#!/bin/sh
case " $* " in
*" -O1 "*)
    case " $* " in *" func.c "*|*" two.c "*)
        echo "func.c:3:1: internal compiler error: in extract_insn, at recog.cc:2791" >&2
        exit 1 ;;
    esac ;;
*" -O2 "*)
    case " $* " in *" two.c "*) exec gcc "$@" -Dputs=atoi ;; esac ;;
esac
exec gcc "$@"
"#;

const CONFIG: &str = "extras_per_test = 0
[[compiler]]
name = \"faulty\"
path = \"./faulty.sh\"
family = \"gcc\"
levels = [\"-O0\", \"-O1\", \"-O2\"]
";

/// One line of output, by a function that another one can stand in for.
const TWO: &str = "#include <stdlib.h>
int puts(const char *);
int main(void) { puts(\"one\"); return 0; }
";

fn gainsay(dir: &Path, args: &[&str]) -> Finished {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(300));
    match run.args(args.iter().copied()).cwd(dir).finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

/// A folder with the faulty compiler, its configuration, and a policy that makes small programs.
fn folder() -> Scratch {
    let scratch = Scratch::new().expect("a temporary folder");
    let write =
        |name: &str, text: &str| fs::write(scratch.file(name), text).expect("it is written");
    write("faulty.sh", FAULTY);
    write("gainsay.toml", CONFIG);
    write("small.toml", "program.tests = [1, 1]\n");
    write("two.c", TWO);
    let executable = fs::Permissions::from_mode(0o755);
    fs::set_permissions(scratch.file("faulty.sh"), executable).expect("it is executable");
    scratch
}

/// A hunt on the faulty compiler of the folder.
const HUNT: [&str; 8] =
    ["hunt", "--cc", "faulty", "--policy", "small.toml", "--jobs", "1", "--no-reduce"];

fn lines(done: &Finished) -> Vec<Value> {
    let text = done.stdout.text();
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn a_hunt_and_what_it_leaves() {
    let scratch = folder();
    let dir = scratch.path();
    let done = gainsay(dir, &[&HUNT[..], &["--tests", "2", "--seed", "5", "--json"]].concat());
    assert_eq!(done.status, Status::Exit(1), "{}{}", done.stdout.text(), done.stderr.text());
    let events = lines(&done);
    let (begin, end) = (&events[0], &events[events.len() - 1]);
    assert_eq!((&begin["event"], &begin["seed"]), (&"begin".into(), &5.into()));
    assert_eq!(begin["compilers"][0]["name"], "faulty");
    assert_eq!((&end["event"], &end["ended"]), (&"end".into(), &"tests".into()));
    assert_eq!(end["findings"]["compiler-crash"], 2);
    assert_eq!((&end["distinct"], &end["tests"]), (&1.into(), &2.into()));
    assert_eq!(end["targets"]["faulty -O1"]["failed"], 2);
    assert_eq!(end["targets"]["faulty -O0"]["right"], 2);
    let finding = events.iter().find(|e| e["event"] == "finding").expect("a finding");
    assert_eq!((&finding["id"], &finding["targets"]), (&1.into(), &vec!["faulty -O1"].into()));

    let table = gainsay(dir, &["findings"]).stdout.text();
    assert!(table.contains(" 2      2  compiler-crash  "), "{table}");
    assert!(table.contains("faulty -O1  ") && table.contains("in extract_insn"), "{table}");
    assert!(table.ends_with("\nNext: gainsay show 2\n"), "{table}");
    let none = gainsay(dir, &["findings", "--kind", "wrong-output"]).stdout.text();
    assert_eq!(none, "no findings\n");

    let shown = gainsay(dir, &["show", "1"]).stdout.text();
    for part in [
        "Finding 1: ICE at -O1: in extract_insn, at recog.cc:2791\n\nKind       compiler-crash\n",
        "\nFails      faulty (",
        "\nRight      faulty (",
        "gainsay gen --engine yarp --seed 5 --policy small.toml",
        "faulty -O1 says:\n\n    func.c:3:1: internal compiler error: in extract_insn",
        "faulty.sh -O1 ",
        "Evidence that the program is valid:\n\n  gainsay ",
    ] {
        assert!(shown.contains(part), "{part:?} in {shown}");
    }
    assert!(!shown.contains("int main"), "{shown}");
    let told = gainsay(dir, &["show", "1", "-o", "bug"]).stdout.text();
    assert!(told.starts_with("bug: ") && dir.join("bug/expected").is_file(), "{told}");
    assert_eq!(fs::read_to_string(dir.join("bug/README")).expect("written"), shown);

    // The same folder again goes on, with its own seed.
    let again = gainsay(dir, &[&HUNT[..], &["--tests", "3"]].concat());
    let text = again.stdout.text();
    assert!(text.starts_with("hunting with yarp on faulty "), "{text}");
    assert!(
        text.contains("; seed 5, 1 job, into gainsay-hunt; for 3 tests, going on after 2 tests\n"),
        "{text}"
    );
    assert!(text.contains("\n#3 compiler-crash, seen 2 times before: faulty -O1: "), "{text}");
    assert!(text.contains("1 test (3 with earlier runs) in "), "{text}");
    let now = "\n1 finding in this run, 1 distinct bug: 1 compiler-crash.\n  #3    ";
    assert!(text.contains(now), "{text}");
    assert!(
        text.contains("\nThe folder has 3 findings, 1 distinct bug: 3 compiler-crash.\n"),
        "{text}"
    );
    assert!(text.ends_with("\nEverything is in gainsay-hunt.\nNext: gainsay show 3\n"), "{text}");

    // Neither what earlier runs found nor what is suppressed makes this run fail.
    let nothing = gainsay(dir, &[&HUNT[..], &["--tests", "3"]].concat());
    assert_eq!(nothing.status, Status::Exit(0), "{}", nothing.stdout.text());
    assert!(nothing.stdout.text().contains("\nNothing was found in this run.\n"));
    let known = gainsay(dir, &["suppress", "compiler-crash *", "--reason", "known"]);
    assert_eq!(known.status, Status::Exit(0), "{}", known.stderr.text());
    let suppressed = gainsay(dir, &[&HUNT[..], &["--tests", "4"]].concat());
    let text = suppressed.stdout.text();
    assert_eq!(suppressed.status, Status::Exit(0), "{text}");
    assert!(text.contains("\nNot counted: 1 suppressed.\n"), "{text}");
}

#[test]
fn interrupted_it_tells_what_it_has() {
    let scratch = folder();
    let run = Run::new("timeout", Duration::from_secs(120)).cwd(scratch.path());
    let run = run.args(["--foreground", "--preserve-status", "-s", "INT", "6"]);
    let run = run.arg(env!("CARGO_BIN_EXE_gainsay")).args(HUNT);
    let Ended::Finished(done) = run.finish() else { panic!("it does not end") };
    let text = done.stdout.text();
    assert!(text.contains("; until Ctrl-C\n"), "{text}{}", done.stderr.text());
    assert!(text.contains("\nInterrupted.\n"), "{text}");
    assert!(matches!(done.status, Status::Exit(0 | 1)), "{:?} {text}", done.status);
}

/// The bytes that a terminal gets.
fn on_terminal(dir: &Path, before: &str) -> String {
    let command =
        format!("{before} '{}' {} --tests 2", env!("CARGO_BIN_EXE_gainsay"), HUNT.join(" "));
    let run = Run::new("script", Duration::from_secs(300)).cwd(dir).env("TERM", "xterm");
    match run.args(["-qefc", &command, "/dev/null"]).finish() {
        Ended::Finished(done) => done.stdout.text(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_terminal_gets_a_view_that_leaves_no_trace() {
    let scratch = folder();
    let text = on_terminal(scratch.path(), "NO_COLOR=1");
    assert!(text.contains("\x1b[?2026h") && text.contains("gainsay hunt  0:00:0"), "{text}");
    assert!(!text.contains("\x1b[1m") && !text.contains("\x1b[31m"), "{text}");
    // Neither the cursor nor the screen nor the modes of keys were changed.
    assert!(!text.contains("\x1b[?25") && !text.contains("\x1b[?1049"), "{text}");
    let (_, end) = text.rsplit_once("\x1b[?2026h").expect("a last picture");
    assert!(end.contains("\nNext: gainsay show") && end.ends_with("\x1b[J\x1b[?2026l"), "{end:?}");
    let dumb = on_terminal(folder().path(), "TERM=dumb");
    assert!(!dumb.contains('\x1b') && dumb.contains("hunting with yarp"), "{dumb}");
}

#[test]
fn a_check_finds_who_is_wrong() {
    let scratch = folder();
    let dir = scratch.path();
    let done = gainsay(dir, &["check", "two.c", "--cc", "faulty"]);
    let text = done.stdout.text();
    assert_eq!(done.status, Status::Exit(1), "{text}{}", done.stderr.text());
    assert!(
        text.starts_with("two.c: one defined result, 1 line and exit status 0\n\nright "),
        "{text}"
    );
    assert!(text.contains("\nwrong             faulty -O2\n"), "{text}");
    assert!(text.contains("\ncompiler crashes  faulty -O1\n"), "{text}");
    assert!(text.contains("    - one\n    + (nothing)\n"), "{text}");
    let done = gainsay(dir, &["check", "two.c", "--cc", "faulty", "--json"]);
    let object = &lines(&done)[0];
    assert_eq!(
        (&object["machine"]["stdout"], &object["classes"][0]["right"]),
        (&"one\n".into(), &true.into())
    );
    let done = gainsay(dir, &["check", "two.c", "--cc", "gcc"]);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stdout.text());
    assert!(done.stdout.text().ends_with("\nNo compiler is wrong.\n"));
}

#[test]
fn a_check_of_a_program_without_a_result() {
    let scratch = folder();
    let dir = scratch.path();
    let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("it is written");
    write("ub.c", "int main(void) { int x = 2147483647; return x + 1; }\n");
    write("vla.c", "int main(int n, char **v) { int a[n]; a[0] = 0; return a[0]; }\n");
    for (file, status, word) in [("ub.c", 65, "signed overflow"), ("vla.c", 66, "not supported")] {
        let done = gainsay(dir, &["check", file]);
        let told = done.stderr.text();
        assert_eq!(done.status, Status::Exit(status), "{told}");
        assert!(
            told.contains(word) && told.contains("no result to compare compilers with"),
            "{told}"
        );
        assert_eq!(gainsay(dir, &["run", file]).status, Status::Exit(status));
    }
    let object = &lines(&gainsay(dir, &["check", "ub.c", "--json"]))[0];
    assert_eq!(object["machine"]["kind"], "signed-overflow");
}

#[test]
fn macros_and_headers_reach_every_compiler() {
    let scratch = folder();
    let dir = scratch.path();
    fs::create_dir_all(dir.join("inc")).expect("a folder");
    fs::create_dir_all(dir.join("src")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("it is written");
    write("inc/far.h", "#define FAR 20\n");
    write("src/near.h", "#define NEAR 1\n");
    write(
        "src/a.c",
        "#include \"near.h\"\n#include <far.h>\nint main(void) { return NEAR + FAR + N; }\n",
    );
    let done = gainsay(dir, &["check", "src/a.c", "-I", "inc", "-D", "N=300/3", "--cc", "gcc"]);
    assert_eq!(done.status, Status::Exit(0), "{}{}", done.stdout.text(), done.stderr.text());
    assert!(done.stdout.text().contains("exit status 121"), "{}", done.stdout.text());
}

#[test]
fn mistakes_get_one_sentence() {
    let scratch = folder();
    let dir = scratch.path();
    fs::write(dir.join("bad.toml"), "levles = [\"-O1\"]\n").expect("it is written");
    fs::create_dir_all(dir.join("empty")).expect("a folder");
    fs::create_dir_all(dir.join("other")).expect("a folder");
    fs::write(dir.join("other/two.c"), "int two;\n").expect("it is written");
    let cases: [(&[&str], &str); 21] = [
        (&["hunt", "--jobs", "0"], "--jobs must be at least 1"),
        (&["hunt", "--tests", "0"], "--tests must be at least 1"),
        (&["hunt", "--for", "10"], "give a number and a unit: 90s, 10m, 1h30m or 2d"),
        (&["hunt", "--engine", "yapr"], "invalid value 'yapr' for '--engine"),
        (&["hunt", "--engine", "yarp,yarp"], "--engine names yarp twice"),
        (&["hunt", "--from", "."], "--from is for --engine files"),
        (&["hunt", "-I", "."], "-I is for --engine files"),
        (&["hunt", "--engine", "files"], "--engine files needs --from DIR"),
        (
            &["hunt", "--engine", "files", "--from", "nowhere"],
            "the folder nowhere given with --from does not exist",
        ),
        (&["hunt", "--engine", "files", "--from", "empty", "--cc", "faulty"], "no *.c file in "),
        (&["hunt", "--engine", "csmith", "--policy", "paper"], "--policy is for --engine yarp"),
        (&["hunt", "--engine", "csmith", "--lang", "c++"], "--engine csmith makes C only"),
        (&["hunt", "--policy", "papre"], "the policy papre cannot be read"),
        (&["hunt", "--hunt", "two.c"], "two.c is not a folder: give another one with --hunt"),
        (
            &["hunt", "--cc", "nothing-like-it*"],
            "--cc `nothing-like-it*` matches no compiler; found: ",
        ),
        (&["hunt", "--config", "bad.toml"], "bad.toml:1: "),
        (&["findings", "--hunt", "nowhere"], "there is no hunt in nowhere"),
        (&["findings", "--kind", "hang"], "the kinds are wrong-output, "),
        (&["show", "1", "--hunt", "nowhere"], "there is no hunt in nowhere"),
        (&["check", "no-such.c"], "the file no-such.c cannot be read"),
        (
            &["check", "two.c", "other/two.c"],
            "two files are called two.c: give one of them another name",
        ),
    ];
    for (args, sentence) in cases {
        let done = gainsay(dir, args);
        let told = done.stderr.text();
        assert_eq!(done.status, Status::Exit(2), "{args:?} {told}");
        assert!(told.contains(sentence), "{args:?} {told}");
        assert!(done.stdout.bytes.is_empty(), "{args:?} {}", done.stdout.text());
    }
    assert!(!dir.join("gainsay-hunt").exists(), "a mistake leaves a folder behind");
}

#[test]
fn without_a_compiler_there_is_no_hunt() {
    let scratch = Scratch::new().expect("a temporary folder");
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(60));
    let run = run.arg("hunt").cwd(scratch.path()).env("PATH", scratch.path());
    let Ended::Finished(done) = run.finish() else { panic!("it does not end") };
    assert_eq!(done.status, Status::Exit(2));
    assert!(done.stderr.text().contains("install one"), "{}", done.stderr.text());
}

/// Found on the way: macros make another program of it at another level.
#[test]
fn a_program_that_asks_for_the_level_blames_nobody() {
    let scratch = folder();
    let text = "#include <stdio.h>\nint main(void)\n{\n#ifdef __OPTIMIZE__\n    puts(\"fast\");\n#else\n    \
                puts(\"slow\");\n#endif\n    return 0;\n}\n";
    fs::create_dir(scratch.file("own")).expect("a folder");
    fs::write(scratch.file("own/level.c"), text).expect("it is written");
    let args =
        ["hunt", "--engine", "files", "--from", "own", "--cc", "gcc", "--json", "--hunt", "o"];
    let done = gainsay(scratch.path(), &args);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stdout.text());
    let text = done.stdout.text();
    let end: Value = serde_json::from_str(text.lines().last().expect("an end")).expect("JSON");
    let targets = end["targets"].as_object().expect("targets");
    let sum = |word: &str| targets.values().filter_map(|t| t[word].as_u64()).sum::<u64>();
    assert!(sum("right") >= 1 && sum("not_for_it") >= 2 && sum("failed") == 0, "{end}");
}

/// Found on GCC's own tests: clang 16 rejects implicit declarations, and rightly so.
#[test]
fn a_program_that_is_not_quite_c_blames_nobody() {
    let scratch = folder();
    let own = scratch.file("own");
    fs::create_dir(&own).expect("a folder");
    let write = |name: &str, text: &str| fs::write(own.join(name), text).expect("it is written");
    write("implicit.c", "int main(void) { if (0) f(); return 0; }\nint f() { return 1; }\n");
    write("nowhere.c", "int f(void);\nint main(void) { return 0 ? f() : 0; }\n");
    let strict =
        "case \" $* \" in *implicit.c*) echo 'implicit.c:1:1: error: no f' >&2; exit 1;; esac";
    fs::write(scratch.file("faulty.sh"), format!("#!/bin/sh\n{strict}\nexec gcc \"$@\"\n"))
        .expect("it is written");
    let args = ["hunt", "--engine", "files", "--from", "own", "--cc", "gcc", "--cc", "faulty"];
    let done = gainsay(scratch.path(), &[&args[..], &["--json", "--hunt", "o"]].concat());
    assert_eq!(done.status, Status::Exit(0), "{}", done.stdout.text());
    // The same words about a program that is C count.
    write("implicit.c", "int f(void) { return 0; }\nint main(void) { return f(); }\n");
    let done = gainsay(scratch.path(), &[&args[..], &["--json", "--hunt", "p"]].concat());
    assert_eq!(done.status, Status::Exit(1), "{}", done.stdout.text());
    assert!(done.stdout.text().contains("rejection gcc no f"), "{}", done.stdout.text());
}

/// Programs without an answer are compiled and not run; what crashes on them is reduced and reported
/// like anything else.
#[test]
fn a_crash_on_an_undefined_program() {
    let scratch = folder();
    let dir = scratch.path();
    let faulty = FAULTY.replace("func.c", "test.c");
    fs::write(scratch.file("faulty.sh"), faulty).expect("it is written");
    let hunt = ["hunt", "--cc", "faulty", "--engine", "smith", "--as-drawn", "--relax", "crash"];
    let more = ["--jobs", "1", "--tests", "8", "--seed", "1", "--no-reduce", "--json"];
    let done = gainsay(dir, &[hunt, more].concat());
    assert_eq!(done.status, Status::Exit(1), "{}{}", done.stdout.text(), done.stderr.text());
    let events = lines(&done);
    let end = events.last().expect("an end");
    let unanswered = end["unanswered"].as_object().expect("reasons");
    assert!(!unanswered.is_empty(), "{end}");
    assert!(
        unanswered
            .keys()
            .all(|reason| reason.contains("specified: ") || reason.contains("undefined: "))
    );
    let crashes = |event: &&Value| event["kind"] == "compiler-crash";
    let ids: Vec<String> = events.iter().filter(crashes).map(|e| e["id"].to_string()).collect();
    let kept = |id: &String| {
        let shown = gainsay(dir, &["show", id, "--json"]).stdout.text();
        let shown: Value = serde_json::from_str(&shown).expect("JSON");
        let artifacts = shown["artifacts"].as_array().expect("a list").clone();
        artifacts.iter().any(|file| file["name"] == "expected")
    };
    let id = ids.iter().find(|id| !kept(id)).expect("one without an answer").as_str();
    let shown = gainsay(dir, &["show", id]).stdout.text();
    assert!(shown.contains("\nStanding   confirmed"), "{shown}");
    assert!(shown.contains("\nEvidence about the program:\n\n  gainsay "), "{shown}");

    let reduced = gainsay(dir, &["reduce", id, "--jobs", "1"]);
    let text = reduced.stdout.text();
    assert_eq!(reduced.status, Status::Exit(0), "{text}{}", reduced.stderr.text());
    assert!(text.contains("\n/* Expected: it compiles\n   Instead:  "), "{text}");
    let report = gainsay(dir, &["report", id, "-o", "report"]);
    assert_eq!(report.status, Status::Exit(0), "{}", report.stderr.text());
    let text = fs::read_to_string(dir.join("report/report.md")).expect("a report");
    assert!(text.contains("The program has no single defined result"), "{text}");
    assert!(!dir.join("report/expected").exists());
    let again =
        Run::new("sh", Duration::from_secs(60)).arg("report/reproduce.sh").cwd(dir).finish();
    assert!(again.success().is_some(), "the bug is there");
    let rechecked = gainsay(dir, &["recheck", id]).stdout.text();
    assert!(rechecked.contains("faulty -O1"), "{rechecked}");
}
