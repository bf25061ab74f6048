//! What all commands take, and what is made of their definitions.

use std::fs;
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

#[test]
fn shells_complete_commands_and_options() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = finish(gainsay().args(["completions", shell]));
        assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
        let text = done.stdout.text();
        assert!(text.contains("crossovers") && text.contains("findings"), "{shell}");
    }
}

#[test]
fn each_command_has_a_page() {
    let scratch = Scratch::new().expect("a temporary folder");
    let done = finish(gainsay().args(["man", "-o", "man/man1"]).cwd(scratch.path()));
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    for page in ["gainsay.1", "gainsay-hunt.1", "gainsay-llvm-opt.1"] {
        let text = fs::read_to_string(scratch.file(format!("man/man1/{page}"))).expect("a page");
        assert!(text.contains(".SH NAME") && text.contains(".SH OPTIONS"), "{page}");
    }
}

#[test]
fn colours_are_as_asked() {
    let scratch = Scratch::new().expect("a temporary folder");
    fs::write(scratch.file("a.i"), "int main(void) { return 1 / 0; }\n").expect("a file");
    let coloured = |args: &[&str]| {
        let done = finish(gainsay().args(args).args(["run", "a.i"]).cwd(scratch.path()));
        assert_eq!(done.status, Status::Exit(65), "{}", done.stderr.text());
        done.stderr.text().contains('\x1b')
    };
    assert!(!coloured(&[]) && !coloured(&["--color", "never"]));
    assert!(coloured(&["--color", "always"]));
}

#[test]
fn steps_and_hints_are_as_asked() {
    let scratch = Scratch::new().expect("a temporary folder");
    let hunt = |args: &[&str]| {
        let words = "hunt --engine smith --relax none --max-funcs 1 --cc gcc --tests 1 --seed 1 --no-reduce";
        let done = finish(gainsay().args(words.split(' ')).args(args).cwd(scratch.path()));
        assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
        done.stdout.text()
    };
    let verbose = hunt(&["-v", "--hunt", "loud"]);
    assert!(verbose.contains("-with-") && verbose.contains(" 1: "), "{verbose}");
    assert!(verbose.contains("\nNext, to go on where this ended: gainsay hunt "), "{verbose}");
    let quiet = hunt(&["--quiet", "--hunt", "quiet"]);
    assert!(!quiet.contains("hunting with") && !quiet.contains("Next"), "{quiet}");
}
