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

/// One line, exit status 2, and nothing is written.
#[track_caller]
fn told_in_a_line(dir: &std::path::Path, line: &str, sentence: &str) {
    let before = std::fs::read_dir(dir).expect("a folder").count();
    let got = finish(gainsay().args(line.split(' ')).cwd(dir));
    let told = got.stderr.text();
    assert_eq!(got.status, Status::Exit(2), "{line}: {told}");
    assert!(told.starts_with("gainsay: ") && told.contains(sentence), "{line}: {told}");
    assert_eq!(told.trim().lines().count(), 1, "{line}: {told}");
    assert!(got.stdout.bytes.is_empty(), "{line}: {}", got.stdout.text());
    assert_eq!(std::fs::read_dir(dir).expect("a folder").count(), before, "{line}");
}

#[test]
fn old_spellings_name_the_new_one() {
    let scratch = Scratch::new().expect("a temporary folder");
    for (line, sentence) in [
        ("hunt --out out", "--out is now --hunt DIR"),
        ("reduce 3 --out out", "--out is now --hunt DIR"),
        ("report 3 -o bug --out out", "--out is now --hunt DIR"),
        ("recheck --out=out", "--out is now --hunt DIR"),
        ("suppress --list --out out", "--out is now --hunt DIR"),
        ("findings out", "the hunt's folder is now given as --hunt out"),
        ("show 3 out", "the hunt's folder is now given as --hunt out"),
        ("serve out", "the hunt's folder is now given as --hunt out"),
        ("smith --seed 7", "gainsay smith is now gainsay gen --engine smith"),
        ("hunt --engine emi --mutate yarp", "--mutate is now --programs"),
        ("hunt --engine crossover --mutations inline", "--mutations is now --crossovers"),
    ] {
        told_in_a_line(scratch.path(), line, sentence);
    }
}

#[test]
fn engines_that_are_not_known_or_not_asked_for() {
    let scratch = Scratch::new().expect("a temporary folder");
    for (line, sentence) in [
        ("hunt --engine yapr", "invalid value 'yapr' for '--engine <ENGINES>'"),
        ("gen --engine yapr", "invalid value 'yapr' for '--engine <"),
        (
            "hunt --engine emi --programs passes",
            "invalid value 'passes' for '--programs <ENGINES>'",
        ),
        (
            "hunt --strategy all",
            "--strategy is for --engine emi: add that, or leave --strategy out",
        ),
        ("hunt --relax default", "--relax is for --engine smith: add that, or leave --relax out"),
        ("hunt --sequences 300", "--sequences is for --engine passes: add that, "),
        ("hunt --crossovers both", "--crossovers is for --engine crossover: add that, "),
        ("hunt --lib 16", "--lib is for --engine crossover and passes: add one, "),
        (
            "hunt --engine emi --programs yarp --max-funcs 3",
            "--max-funcs is for --engine smith or ",
        ),
        ("hunt -I include", "-I is for --engine files: add that, or leave -I out"),
    ] {
        told_in_a_line(scratch.path(), line, sentence);
    }
}

/// On each command that takes a hunt's folder.
const ON_A_HUNT: [&str; 7] =
    ["findings", "show 3", "reduce 3", "report 3 -o bug", "recheck", "suppress --list", "serve"];

#[test]
fn folders_that_are_no_hunt() {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::create_dir(scratch.file("empty")).expect("a folder");
    std::fs::write(scratch.file("file"), "text").expect("a file");
    for command in ON_A_HUNT {
        for (folder, name) in
            [(" --hunt empty", "empty"), (" --hunt none", "none"), ("", "gainsay-hunt")]
        {
            let sentence = format!("there is no hunt in {name}");
            told_in_a_line(scratch.path(), &format!("{command}{folder}"), &sentence);
        }
    }
    let empty = std::fs::read_dir(scratch.file("empty")).expect("a folder").count();
    assert_eq!(empty, 0, "something was written");
    told_in_a_line(
        scratch.path(),
        "hunt --hunt file",
        "file is not a folder: give another one with --hunt",
    );
    // The variable says the same as the option.
    let got = finish(gainsay().arg("findings").cwd(scratch.path()).env("GAINSAY_HUNT", "other"));
    assert!(got.stderr.text().contains("there is no hunt in other"), "{}", got.stderr.text());
}

#[test]
fn a_hunt_of_a_newer_version() {
    let scratch = Scratch::new().expect("a temporary folder");
    let folder = scratch.file("newer");
    std::fs::create_dir(&folder).expect("a folder");
    // The header of an SQLite database; its user version is the number at byte 60.
    let mut page = vec![0; 4096];
    page[..16].copy_from_slice(b"SQLite format 3\0");
    page[16..24].copy_from_slice(&[0x10, 0, 1, 1, 0, 64, 32, 32]);
    page[31] = 1;
    page[47] = 4;
    page[59] = 1;
    page[60..64].copy_from_slice(&999u32.to_be_bytes());
    page[100] = 13;
    page[105..107].copy_from_slice(&4096u16.to_be_bytes());
    std::fs::write(folder.join("hunt.db"), &page).expect("a store");
    let sentence = "it was made by another version of gainsay";
    for command in ON_A_HUNT {
        told_in_a_line(scratch.path(), &format!("{command} --hunt newer"), sentence);
    }
    let args = ["hunt", "--hunt", "newer", "--tests", "1"];
    mistake(gainsay().args(args).cwd(scratch.path()), sentence);
    let store = std::fs::read(folder.join("hunt.db")).expect("a store");
    assert!(store == page, "the store was changed");
    let names = std::fs::read_dir(&folder).expect("a folder").count();
    assert_eq!(names, 1, "something was written");
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
