//! Every mistake a person can make gets one clear sentence and exit status 2.

use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch, Status};

fn gainsay() -> Run {
    Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(60))
}

fn finish(run: Run) -> Finished {
    match run.finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn mistake(run: Run, sentence: &str) {
    let got = finish(run);
    assert_eq!(got.status, Status::Exit(2), "{}", got.stderr.text());
    assert!(got.stderr.text().contains(sentence), "{}", got.stderr.text());
    assert!(got.stdout.bytes.is_empty(), "{}", got.stdout.text());
}

#[test]
fn missing_file() {
    mistake(
        gainsay().args(["run", "no-such-file.c"]),
        "the file no-such-file.c cannot be read: No such",
    );
}

#[test]
fn folder() {
    mistake(gainsay().args(["run", "/"]), "/ is a folder: name the C files in it");
}

#[test]
fn unknown_option() {
    mistake(gainsay().args(["run", "--fule", "3", "a.c"]), "unexpected argument '--fule' found");
}

#[test]
fn no_file() {
    mistake(gainsay().arg("run"), "required arguments were not provided");
}

#[test]
fn bad_number() {
    mistake(
        gainsay().args(["run", "--fuel", "lots", "a.c"]),
        "invalid value 'lots' for '--fuel <N>'",
    );
}

#[test]
fn options_of_smith() {
    for option in ["--as-drawn", "--keep-checks", "--validate=external", "--relax=crash"] {
        let name = option.split('=').next().unwrap_or_default();
        mistake(
            gainsay().args(["hunt", option]),
            &format!("{name} is for --engine smith: add that, or leave {name} out"),
        );
    }
    let eager = "--eager is for --engine smith and csmith: add one, or leave --eager out";
    mistake(gainsay().args(["hunt", "--eager"]), eager);
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("my.relax"), "null 0 1\ngoto 3 4\n").expect("a file");
    let hunt = ["hunt", "--engine", "smith", "--relax", "my.relax"];
    mistake(gainsay().args(hunt).cwd(scratch.path()), "line 2: `3` is not a probability");
    let hunt = ["hunt", "--engine", "smith", "--relax", "no-such"];
    mistake(gainsay().args(hunt).cwd(scratch.path()), "--relax no-such");
}

#[test]
fn missing_header_folder() {
    let run = gainsay().args(["run", "-I", "no-such-folder", "a.c"]);
    mistake(run, "the header folder no-such-folder given with -I does not exist");
}

#[test]
fn no_compiler_to_preprocess_with() {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("a.c"), "int main(void) { return 0; }\n").expect("a file");
    let run = gainsay().args(["run", "a.c"]).cwd(scratch.path()).env("PATH", scratch.path());
    mistake(run, "no C compiler was found to preprocess with: install one");
    let doctor = finish(gainsay().arg("doctor").env("PATH", scratch.path()));
    assert_eq!(doctor.status, Status::Exit(2));
    assert!(doctor.stderr.text().contains("no C compiler is installed"));
}

#[test]
fn missing_header() {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("a.c"), "#include <no-such.h>\n").expect("a file");
    let run = gainsay().args(["run", "a.c"]).cwd(scratch.path());
    mistake(run, "no-such.h");
}

#[test]
fn not_text() {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("a.i"), b"int a\xff;").expect("a file");
    mistake(gainsay().args(["run", "a.i"]).cwd(scratch.path()), "a.i is not UTF-8 text (byte 5)");
}

#[test]
fn doctor_tells_what_is_there() {
    let got = finish(gainsay().args(["doctor", "--json"]));
    assert_eq!(got.status, Status::Exit(0), "{}", got.stderr.text());
    let object: serde_json::Value = serde_json::from_slice(&got.stdout.bytes).expect("JSON");
    let installed = object["installed"].as_array().expect("a list");
    assert!(installed.iter().any(|t| t["tool"] == "gcc" || t["tool"] == "clang"), "{object}");
}

#[test]
fn a_reader_that_leaves_is_no_panic() {
    let script = format!("'{}' doctor | true; '{0}' --help | true", env!("CARGO_BIN_EXE_gainsay"));
    let got = finish(Run::new("sh", Duration::from_secs(60)).arg("-c").arg(script));
    assert!(!got.stderr.text().contains("panicked"), "{}", got.stderr.text());
}
