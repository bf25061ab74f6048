//! `gainsay run` from the outside: exit statuses, streams, JSON.

use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};

/// Runs `gainsay run ARGS` on a file `a.c` with this text.
fn run(source: &str, args: &[&str]) -> Finished {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("a.c"), source).expect("a file in it");
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(60))
        .args(["run", "a.c"])
        .args(args)
        .cwd(scratch.path());
    match run.finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

const OVERFLOW: &str = "\
#include <stdio.h>
int main(void)
{
    int x = 2147483647;
    puts(\"before\");
    return x  + 1;
}
";

#[test]
fn a_finished_program_is_itself() {
    let got =
        run("#include <stdio.h>\nint main(void) { printf(\"%d\\n\", N); return 7; }", &["-DN=42"]);
    assert_eq!(got.stderr.text(), "");
    assert_eq!(got.stdout.text(), "42\n");
    assert_eq!(got.status, Status::Exit(7));
}

#[test]
fn abort_is_what_a_shell_shows() {
    let got = run("#include <stdlib.h>\nint main(void) { abort(); }", &[]);
    assert_eq!(got.status, Status::Exit(134));
    assert_eq!(got.stderr.text(), "gainsay: the program called abort\n");
}

#[test]
fn undefined_behaviour_is_located() {
    let got = run(OVERFLOW, &[]);
    assert_eq!(got.status, Status::Exit(65));
    assert_eq!(got.stdout.text(), "before\n");
    let text = got.stderr.text();
    for part in [
        "error[signed-overflow]: undefined behaviour: signed overflow\n",
        " --> a.c:6:12\n",
        "6 |     return x  + 1;\n",
        "  |            ^^^^^^",
        "= note: the result of a signed operation must fit its type (C11 6.5p5)",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

#[test]
fn json_says_the_same() {
    let got = run(OVERFLOW, &["--json"]);
    assert_eq!(got.status, Status::Exit(65));
    assert_eq!(got.stderr.text(), "");
    let object: serde_json::Value = serde_json::from_slice(&got.stdout.bytes).expect("JSON");
    assert_eq!(object["outcome"], "undefined");
    assert_eq!(object["kind"], "signed-overflow");
    assert_eq!(object["clause"], "6.5p5");
    assert_eq!((object["line"].as_u64(), object["column"].as_u64()), (Some(6), Some(12)));
    assert_eq!(object["file"], "a.c");
    assert_eq!(object["stdout"], "before\n");
    assert!(object["status"].is_null());
}

#[test]
fn fuel_runs_out() {
    let got = run("int main(void) { for (volatile int i = 0;; ) i = 1; }", &["--fuel", "100000"]);
    assert_eq!(got.status, Status::Exit(67), "{}", got.stderr.text());
    assert!(got.stderr.text().contains("error[out-of-fuel]"), "{}", got.stderr.text());
}

#[test]
fn not_c() {
    let got = run("int main(void) { return 0 }\n", &[]);
    assert_eq!(got.status, Status::Exit(2));
    assert!(got.stderr.text().contains("--> a.c:1:"), "{}", got.stderr.text());
}

#[test]
fn several_files_are_one_program() {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("a.c"), "int f(void); int main(void) { return f(); }")
        .expect("a.c");
    std::fs::write(scratch.file("b.c"), "int f(void) { return 5; }").expect("b.c");
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(60))
        .args(["run", "a.c", "b.c"])
        .cwd(scratch.path());
    let Ended::Finished(got) = run.finish() else { panic!("it did not finish") };
    assert_eq!(got.status, Status::Exit(5), "{}", got.stderr.text());
}

#[test]
fn standard_input_is_taken_as_preprocessed() {
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(60))
        .args(["run", "-"])
        .stdin("# 1 \"x.c\"\nint main(void) { return 3; }\n");
    let Ended::Finished(got) = run.finish() else { panic!("it did not finish") };
    assert_eq!(got.status, Status::Exit(3), "{}", got.stderr.text());
}

/// Our generator's C++, with containers, static members and wide bit-fields, does what the tree did that it was
/// printed from; what is wrong with a program is said of its own lines.
#[test]
fn cxx_is_executed_where_it_is_c_at_heart() {
    let scratch = Scratch::new().expect("a temporary folder");
    let gainsay = |args: &[&str]| {
        let limit = Duration::from_secs(120);
        let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), limit).args(args).cwd(scratch.path());
        let Ended::Finished(done) = run.finish() else { panic!("{args:?} did not finish") };
        done
    };
    for seed in ["20", "23", "26", "29", "49"] {
        let made = ["gen", "--engine", "yarp", "--lang", "c++", "--seed", seed, "-o", seed];
        assert_eq!(gainsay(&made).status, Status::Exit(0));
        let units = ["func.cpp", "driver.cpp"].map(|name| format!("{seed}/{name}"));
        let done = gainsay(&["run", &units[0], &units[1]]);
        assert_eq!(done.status, Status::Exit(0), "seed {seed}: {}", done.stderr.text());
        let expected = std::fs::read(scratch.path().join(seed).join("expected")).expect("a file");
        assert_eq!(done.stdout.bytes, expected, "seed {seed}");
    }
    let text = "#include <vector>\nstd::vector<int> v(3);\nint main() {\n    return v\n[3]; }\n";
    std::fs::write(scratch.file("a.cpp"), text).expect("it is written");
    let done = gainsay(&["run", "a.cpp"]);
    assert_eq!(done.status, Status::Exit(65), "{}", done.stderr.text());
    assert!(done.stderr.text().contains("--> a.cpp:4:"), "{}", done.stderr.text());
    std::fs::write(scratch.file("b.cpp"), "template <class T> T f(T); int main() {}\n").expect("b");
    assert_eq!(gainsay(&["run", "b.cpp"]).status, Status::Exit(2));
}
