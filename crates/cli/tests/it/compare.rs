//! `gainsay compare`: regressions planted and real, in programs, modules and sequences of passes, are found; what both
//! have is counted only; what the older one cannot tell of is listed apart; every status and every mistake.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;

/// For one process, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);

/// A compiler that is right unless it is told `-fwrapv`.
const WRONG_WITH_A_FLAG: &str = "#!/bin/sh\ncase \" $* \" in\n\
    *\" -E \"*) exec gcc \"$@\" ;;\n\
    *\" -fwrapv \"*prints.c*) exec gcc \"$@\" -Dmain=main_of_before -include \"${0%/*}/never.h\" ;;\nesac\n\
    exec gcc \"$@\"\n";

/// A compiler that does not know `-fwrapv`.
const WITHOUT_THE_FLAG: &str = "#!/bin/sh\ncase \" $* \" in\n\
    *\" -fwrapv \"*) echo \"gcc: error: unrecognized command-line option '-fwrapv'\" >&2; exit 1 ;;\nesac\n\
    exec gcc \"$@\"\n";

/// A compiler of which an assertion fails.
const ASSERTS: &str = "#!/bin/sh\ncase \" $* \" in\n\
    *\" -O2 \"*.c*) echo \"cc1: fold.cc:7: fold: Assertion \\`x' failed.\" >&2; kill -ABRT $$ ;;\nesac\n\
    exec gcc \"$@\"\n";

/// The same, which is killed at the same place.
const CRASHES: &str = "#!/bin/sh\ncase \" $* \" in\n\
    *\" -O2 \"*.c*) echo 'p.c:1:1: internal compiler error: in fold, at fold.cc:7' >&2; exit 1 ;;\nesac\n\
    exec gcc \"$@\"\n";

const PRINTS: &str =
    "int printf(const char *, ...);\nint main(void) { printf(\"%d\\n\", 17); return 0; }\n";

/// Dead argument elimination of LLVM 14 to 16 takes a result away that a tail call must pass on.
const TAIL_CALL: &str = "define i32 @callee(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n\
    define i32 @tail(i32 %x) {\n  %r = musttail call i32 @callee(i32 %x)\n  ret i32 %r\n}\n\
    define i32 @plain(i32 %a, i32 %b) {\n  %c = mul i32 %a, %b\n  ret i32 %c\n}\n";

/// SROA, up to LLVM 22, makes something invalid of an alignment with an offset.
const ASSUMES: &str = "declare void @llvm.assume(i1)\ndefine i32 @assumes(ptr %p) {\n\
    \x20 call void @llvm.assume(i1 true) [ \"align\"(ptr %p, i64 32, i64 28) ]\n\
    \x20 %q = getelementptr i32, ptr %p, i64 1\n  %v = load i32, ptr %q, align 4\n  ret i32 %v\n}\n\
    define i32 @stores(ptr %p, i32 %x) {\n  store i32 %x, ptr %p\n  ret i32 %x\n}\n";

/// LLVM 19 makes it crash after `attributor` twice; LLVM 16 does not.
const STRUCT_RETURN: &str =
    include_str!("../../../../trophies/llvm-attributor-struct-return/test.c");

fn gainsay(dir: &Path, args: &[&str]) -> Finished {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), PATIENCE).args(args).cwd(dir);
    match run.finish() {
        Ended::Finished(done) => done,
        other => panic!("{args:?}: {other:?}"),
    }
}

/// Whether what the tests compare is here; in CI it must be.
fn has(compilers: &[&str], libraries: &[&str]) -> bool {
    let answers = |cc: &&str| Run::new(cc, PATIENCE).arg("--version").finish().success().is_some();
    let all = compilers.iter().all(answers)
        && libraries.iter().all(|name| llvmhost::Installed::named(name).is_ok());
    assert!(all || std::env::var_os("CI").is_none(), "set-up installs {compilers:?} {libraries:?}");
    all
}

/// What a comparison with `--json` said last, and its findings.
fn events(done: &Finished) -> (Value, Vec<Value>) {
    let text = done.stdout.text();
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let events: Vec<Value> = events.collect();
    let last = events.last().cloned().unwrap_or_else(|| panic!("nothing: {}", done.stderr.text()));
    assert_eq!(last["event"], "comparison", "{text}");
    assert_eq!(done.status, Status::Exit(last["exit"].as_u64().expect("a status") as u8));
    (last, events.into_iter().filter(|event| event["event"] == "finding").collect())
}

/// A folder with two compilers of one family, called `old` and `new`, and a program.
fn two_compilers(family: &str, old: &str, new: &str, extras: &str) -> Scratch {
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    let compiler = |name: &str, script: &str| {
        let path = match script.starts_with("#!") {
            true => {
                let path = dir.join(name);
                fs::write(&path, script).expect("it is written");
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is set");
                path.display().to_string()
            }
            false => script.to_string(),
        };
        format!(
            "[[compiler]]\nname = \"{name}\"\npath = {path:?}\nfamily = \"{family}\"\n\
             levels = [\"-O0\", \"-O2\"]\nextras = [{extras}]\n"
        )
    };
    let text = format!("extras_per_test = 1\n{}{}", compiler("old", old), compiler("new", new));
    fs::write(dir.join("gainsay.toml"), text).expect("it is written");
    fs::write(
        dir.join("never.h"),
        "#undef main\nint puts(const char *);\nint main(void) { puts(\"18\"); return 0; }\n\
         #define main main_of_before\n",
    )
    .expect("it is written");
    fs::create_dir(dir.join("programs")).expect("it is made");
    fs::write(dir.join("programs/prints.c"), PRINTS).expect("it is written");
    scratch
}

fn planted(name: &str) -> String {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/compilers/planted");
    scripts.join(format!("{name}.sh")).display().to_string()
}

const YARP: &str = "compare old new --engine yarp --policy small.toml --seed 1 --tests 1 --jobs 1 \
                    --no-reduce --json --hunt out";

fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

#[test]
fn a_planted_regression_is_found_and_stays_one_when_it_is_reduced() {
    if !has(&["clang-16", "gcc"], &[]) {
        return;
    }
    let scratch = two_compilers("clang", "clang-16", &planted("shift"), "");
    let dir = scratch.path();
    fs::write(dir.join("small.toml"), "program.tests = [1, 1]\n").expect("it is written");
    let (told, found) = events(&gainsay(dir, &words(YARP)));
    assert_eq!((&told["exit"], &told["failed_before"]), (&1.into(), &0.into()), "{told}");
    let [found] = &found[..] else { panic!("one finding: {found:?}") };
    assert_eq!(found["subject"]["Program"]["baseline"], "old", "{found}");
    assert_eq!(found["standing"], "confirmed");
    let reduce = "reduce 1 --hunt out -o small --json --jobs 1 --cc old --cc new";
    let done = gainsay(dir, &words(reduce));
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    let study: Value = serde_json::from_str(&done.stdout.text()).expect("JSON");
    let right = study["right"].as_array().cloned().unwrap_or_default();
    let shown = gainsay(dir, &words("show 1 --hunt out --json"));
    let shown: Value = serde_json::from_str(&shown.stdout.text()).expect("JSON");
    assert!(shown.to_string().contains("old -O2"), "{right:?} {shown}");
    let report = gainsay(dir, &words("report 1 --hunt out -o bug"));
    assert_eq!(report.status, Status::Exit(0), "{}", report.stderr.text());
    let report = fs::read_to_string(dir.join("bug/report.md")).expect("a report");
    assert!(report.contains("It is a regression: it works with old (16."), "{report}");
}

#[test]
fn what_both_get_wrong_is_counted_and_nothing_more() {
    if !has(&["clang-16", "gcc"], &[]) {
        return;
    }
    let wrapper = format!("#!/bin/sh\nexec {} \"$@\"\n", planted("shift"));
    let scratch = two_compilers("clang", &wrapper, &planted("shift"), "");
    let dir = scratch.path();
    fs::write(dir.join("small.toml"), "program.tests = [1, 1]\n").expect("it is written");
    let (told, found) = events(&gainsay(dir, &words(YARP)));
    assert_eq!((&told["exit"], &told["regressions"]), (&0.into(), &0.into()), "{told}");
    assert!(told["failed_before"].as_u64() > Some(0) && found.is_empty(), "{told} {found:?}");
}

const FILES: &str =
    "compare old new --from programs --jobs 1 --no-reduce --json --for 2m --hunt out";

#[test]
fn a_flag_that_the_older_one_does_not_take_is_used_for_neither() {
    if !has(&["gcc"], &[]) {
        return;
    }
    let flag = "\"-O2 -fwrapv\"";
    let scratch = two_compilers("gcc", WITHOUT_THE_FLAG, WRONG_WITH_A_FLAG, flag);
    let (told, _) = events(&gainsay(scratch.path(), &words(FILES)));
    assert_eq!((&told["exit"], &told["cannot_tell"]), (&0.into(), &0.into()), "{told}");
    // With one that takes it, it is a regression, and the only one.
    let scratch = two_compilers("gcc", "gcc", WRONG_WITH_A_FLAG, flag);
    let (told, found) = events(&gainsay(scratch.path(), &words(FILES)));
    assert_eq!((&told["exit"], &told["regressions"]), (&1.into(), &1.into()), "{told}");
    assert_eq!(found[0]["targets"], serde_json::json!(["new -O2 -fwrapv"]));
}

#[test]
fn of_a_failed_assertion_a_release_cannot_tell() {
    if !has(&["gcc"], &[]) {
        return;
    }
    let scratch = two_compilers("gcc", "gcc", ASSERTS, "");
    let (told, found) = events(&gainsay(scratch.path(), &words(FILES)));
    assert_eq!(told["exit"], 3, "{told}");
    assert_eq!((&told["regressions"], &told["cannot_tell"]), (&0.into(), &1.into()), "{told}");
    assert_eq!(found[0]["standing"], "cannot-tell", "{found:?}");
    // A crash that is no check is a regression.
    let scratch = two_compilers("gcc", "gcc", CRASHES, "");
    let (told, found) = events(&gainsay(scratch.path(), &words(FILES)));
    assert_eq!((&told["exit"], &told["regressions"]), (&1.into(), &1.into()), "{told} {found:?}");
}

/// A folder with tests of LLVM's.
fn tests(text: &str) -> Scratch {
    let scratch = Scratch::new().expect("a temporary folder");
    fs::create_dir(scratch.path().join("tests")).expect("it is made");
    fs::write(scratch.path().join("tests/one.ll"), text).expect("it is written");
    scratch
}

const CROSSOVER: &str = "--engine crossover --corpus tests --tests 1500 --seed 1 --jobs 1 --json \
                         --hunt out";

/// As if LLVM 16 were the newer one: its bug is gone in 19.
#[test]
fn a_regression_of_a_library_is_found_in_modules_and_reduced() {
    if !has(&[], &["16", "19"]) {
        return;
    }
    let scratch = tests(TAIL_CALL);
    let line = format!("compare 19 16 --passes deadargelim {CROSSOVER}");
    let done = gainsay(scratch.path(), &words(&line));
    let (told, found) = events(&done);
    assert_eq!((&told["exit"], &told["failed_before"]), (&1.into(), &0.into()), "{told}");
    assert_eq!(found[0]["subject"]["Module"]["baseline"]["major"], 19, "{}", found[0]);
    assert!(done.stdout.text().contains("\"event\":\"study\""), "{}", done.stdout.text());
    let shown = gainsay(scratch.path(), &words("show 1 --hunt out"));
    assert!(shown.stdout.text().contains("libLLVM-19"), "{}", shown.stdout.text());
    // The other way round there is nothing.
    let line = line.replace("19 16", "16 19").replace("out", "back");
    let (told, found) = events(&gainsay(scratch.path(), &words(&line)));
    assert_eq!((&told["exit"], found.len()), (&0.into(), 0), "{told}");
}

#[test]
fn a_bug_that_both_libraries_have_is_counted() {
    if !has(&[], &["16", "19"]) {
        return;
    }
    let scratch = tests(ASSUMES);
    let (told, found) =
        events(&gainsay(scratch.path(), &words(&format!("compare 16 19 {CROSSOVER}"))));
    assert_eq!((&told["exit"], found.len()), (&0.into(), 0), "{told}");
    assert!(told["failed_before"].as_u64() > Some(0), "{told}");
}

#[test]
fn a_regression_of_a_library_is_found_in_sequences() {
    if !has(&["clang-16"], &["16", "19"]) {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    fs::create_dir(dir.join("programs")).expect("it is made");
    fs::write(dir.join("programs/one.c"), STRUCT_RETURN).expect("it is written");
    let line = "compare 16 19 --engine passes --list all --programs files --from programs \
                --sequences 30 --program-count 1 --out-of 1 --sequences-by chance --tests 30 --seed 1 \
                --jobs 1 --no-reduce --json --hunt out";
    let (told, found) = events(&gainsay(dir, &words(line)));
    assert_eq!(told["exit"], 1, "{told}");
    let baseline = |found: &Value| found["subject"]["Sequence"]["baseline"]["major"] == 16;
    assert!(found.iter().any(baseline), "{found:?}");
}

#[test]
fn mistakes_get_a_sentence_and_status_2() {
    if !has(&["gcc", "clang-16"], &["16", "19"]) {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    for (line, words_of_it) in [
        ("compare gcc 16", "are a compiler and a libLLVM"),
        ("compare 16 16", "are the same library"),
        ("compare gcc gcc", "are the same compiler"),
        ("compare gcc clang-16 --cc gcc", "--cc is for hunts"),
        ("compare 16 19 --engine yarp", "programs for compilers compare two compilers"),
        ("compare gcc clang-16 --engine passes", "compare two libLLVMs"),
        ("compare gcc no-such-compiler", "no-such-compiler"),
        ("compare 16 99", "99"),
    ] {
        let done = gainsay(scratch.path(), &words(line));
        let told = done.stderr.text();
        assert_eq!(done.status, Status::Exit(2), "{line}: {told}");
        assert!(told.contains(words_of_it) && told.trim().lines().count() == 1, "{line}: {told}");
    }
}

#[test]
fn a_folder_is_of_one_comparison() {
    if !has(&["gcc"], &[]) {
        return;
    }
    let scratch = two_compilers("gcc", "gcc", CRASHES, "");
    let dir = scratch.path();
    assert_eq!(gainsay(dir, &words(FILES)).status, Status::Exit(1));
    let page = "--html page.html --sarif new.sarif";
    let again = gainsay(dir, &words(&format!("{} {page}", FILES.replace("old new", "new old"))));
    assert_eq!(again.status, Status::Exit(2), "{}", again.stdout.text());
    assert!(again.stderr.text().contains("give another folder"), "{}", again.stderr.text());
    // The same once more finds nothing new, and writes what the folder has.
    let again = gainsay(dir, &words(&format!("{FILES} {page}")));
    assert_ne!(again.status, Status::Exit(2), "{}", again.stderr.text());
    let sarif = fs::read_to_string(dir.join("new.sarif")).expect("it is written");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    assert_eq!(sarif["runs"][0]["results"].as_array().map(Vec::len), Some(1), "{sarif}");
    let page = fs::read_to_string(dir.join("page.html")).expect("it is written");
    assert!(page.contains("against old") && page.contains("works with old"), "{page}");
}
