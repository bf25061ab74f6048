//! What a report's folder holds. `reproduce.sh` is run, for each kind of failure: on a compiler with
//! the fault it was written for, on one without it, and where there is none.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use campaign::{Finding, NewFinding, Standing};
use finding::{ProgramSubject, Subject};
use oracle::{Assessment, Certificate, Expected, FailureKind, Opinion, SourceFile};
use report::{Format, Test};
use sandbox::{Ended, Run, Scratch, Status};

const SOURCE: &str =
    "#include <stdio.h>\nint main(void) { printf(\"it's %d\\n\", 1); return 0; }\n";

fn program(kind: FailureKind, compiler: &str, cc: &Path) -> ProgramSubject {
    let mut program = ProgramSubject::named(kind, &["a.c"], &[(compiler, "-O2")], &[]);
    program.expected = Some(Expected { stdout: b"it's 1\n".to_vec(), status: 0 });
    program.compilers[0].c = vec![cc.display().to_string()];
    program
}

fn finding(kind: FailureKind, signature: &str, cc: &Path) -> Finding {
    Finding {
        id: 1,
        engine: "yarp".into(),
        seed: 7,
        found_at: 1_800_000_000,
        seen_before: 0,
        finding: NewFinding {
            attributed_to: None,
            kind,
            signature: signature.into(),
            summary: "fails".into(),
            standing: Standing::Confirmed,
            subject: Subject::Program(program(kind, "faulty", cc)),
            files: vec![SourceFile { name: "a.c".into(), bytes: SOURCE.into() }],
            artifacts: Vec::new(),
            origin: "by hand".into(),
            certificate: Certificate::default(),
        },
    }
}

/// A report in `bug` on a compiler `faulty` of this text.
fn write(dir: &Path, kind: FailureKind, signature: &str, compiler: &str) {
    let executable = |name: &str, text: &str| {
        let path = dir.join(name);
        fs::write(&path, text).expect("it is written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is executable");
        path
    };
    let cc = executable("faulty", compiler);
    // Nobody waits for minutes: what is given three is given one second.
    fs::create_dir_all(dir.join("bin")).expect("a folder");
    executable("bin/timeout", "#!/bin/sh\nshift\nexec /usr/bin/timeout 2 \"$@\"\n");
    let found = finding(kind, signature, &cc);
    let test = Test::new(&found, None, None).expect("it can be reported");
    let written = report::folder(&test, Format::Markdown, &dir.join("bug")).expect("it writes");
    assert_eq!(written, ["test.c", "expected", "report.md", "reproduce.sh", "original/a.c"]);
}

fn run(dir: &Path, compiler: Option<&str>) -> (Status, String) {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", dir.join("bin").display());
    let run = Run::new(dir.join("bug/reproduce.sh"), Duration::from_secs(60)).env("PATH", path);
    match run.args(compiler).finish() {
        Ended::Finished(done) => (done.status, done.stdout.text() + &done.stderr.text()),
        other => panic!("{other:?}"),
    }
}

/// Compiles `SOURCE` with something else in the place of what it must print.
fn prints(what: &str) -> String {
    format!(
        "#!/bin/sh\nsed 's/printf(.*1)/{what}/' test.c >\"$TMPDIR/m.c\" 2>/dev/null || exit 9\n\
         gcc -w -include stdlib.h \"$TMPDIR/m.c\" -o \"$5\"\n"
    )
}

#[test]
fn each_kind_is_there_gone_or_not_told() {
    let cases = [
        (FailureKind::WrongOutput, "wrong-output faulty -O2", prints("puts(\"2\")")),
        (FailureKind::RuntimeCrash, "runtime-crash faulty -O2", prints("abort()")),
        (FailureKind::RuntimeHang, "runtime-hang faulty -O2", prints("for(;;)")),
        (FailureKind::CompilerCrash, "compiler-crash faulty -O2 SIGSEGV", "#!/bin/sh\nkill -SEGV $$\n".into()),
        (
            FailureKind::CompilerCrash,
            "compiler-crash gcc exit status 0, but there is no executable",
            "#!/bin/sh\n".into(),
        ),
        (
            FailureKind::CompilerCrash,
            "compiler-crash clang X.cpp:12: Assertion `a != 'b'' failed",
            "#!/bin/sh\necho \"cc: /x/X.cpp:99: int f(): Assertion \\`a != 'b'' failed.\" >&2\nexit 134\n".into(),
        ),
        (FailureKind::CompilerHang, "compiler-hang faulty -O2", "#!/bin/sh\nexec sleep 50\n".into()),
        (
            FailureKind::CompilerMemory,
            "compiler-memory faulty -O2",
            "#!/bin/sh\necho 'cc1: out of memory allocating 7 bytes'\nexit 1\n".into(),
        ),
        (
            FailureKind::Rejection,
            "rejection gcc use of 'x#' before $it",
            "#!/bin/sh\necho \"test.c:1:2: error: use of 'x17' before \\$it\"\nexit 1\n".into(),
        ),
    ];
    for (kind, signature, compiler) in cases {
        let scratch = Scratch::new().expect("a temporary folder");
        let dir = scratch.path();
        let compiler = compiler.replace("$TMPDIR", &dir.display().to_string());
        // The arguments are: -O2 -w test.c -o program -lm
        write(dir, kind, signature, &compiler);
        let (status, told) = run(dir, None);
        assert_eq!(status, Status::Exit(0), "{signature}: {told}");
        assert!(told.starts_with("the bug is there: "), "{signature}: {told}");
        let (status, told) = run(dir, Some("gcc"));
        assert_eq!(status, Status::Exit(1), "{signature}: {told}");
        let (status, told) = run(dir, Some("no-such-compiler"));
        assert_eq!(
            (status, told.as_str()),
            (Status::Exit(2), "cannot tell: there is no no-such-compiler\n")
        );
        fs::remove_file(dir.join("faulty")).expect("it is removed");
        assert_eq!(run(dir, None).0, Status::Exit(2), "{signature}");
    }
}

#[test]
fn titles_and_statements() {
    let report = |compiler: &str, kind, summary: &str, says: Option<Assessment>| {
        let mut found = finding(kind, "s", Path::new("/usr/bin/cc"));
        found.finding.summary = summary.into();
        let command = "gainsay run a.c".to_string();
        let opinion = |says| Opinion { tool: "gainsay".into(), command: command.clone(), says };
        found.finding.certificate.opinions.extend(says.map(opinion));
        found.finding.subject = Subject::Program(program(kind, compiler, Path::new("/usr/bin/cc")));
        let test = Test::new(&found, None, None).expect("it can be reported");
        (report::title(&test), Format::Markdown.text(&test))
    };
    let (title, text) =
        report("clang-16", FailureKind::WrongOutput, "prints 2", Some(Assessment::Valid));
    assert_eq!(title, "clang-16: wrong code at -O2: prints 2");
    assert!(
        text.contains("at `-O2` to a program that prints 2. The program has one defined"),
        "{text}"
    );
    assert!(text.contains("$ cc -O2 -w test.c -o program -lm\n$ ./program\n"), "{text}");
    assert!(text.contains("(`gainsay run test.c`)"), "{text}");
    let ice = "a.c:3:1: internal compiler error: in f, at x.cc:1";
    let (title, text) = report("gcc-12", FailureKind::CompilerCrash, ice, None);
    assert_eq!(title, "gcc-12: crash at -O2: in f, at x.cc:1");
    assert!(text.contains("No tool could check whether the program is valid."), "{text}");
    assert!(!text.contains("$ ./program"), "{text}");
    let said = Some(Assessment::Undefined("overflow".into()));
    let (_, text) = report("gcc-12", FailureKind::RuntimeHang, "", said);
    assert!(
        !text.contains("no undefined behaviour") && text.contains("**undefined**: overflow"),
        "{text}"
    );
}

#[test]
fn the_script_is_clean() {
    let Some(shellcheck) = toolchain::on_path("shellcheck") else {
        assert!(std::env::var_os("CI").is_none(), "set-up installs shellcheck");
        return;
    };
    for kind in FailureKind::ALL {
        let scratch = Scratch::new().expect("a temporary folder");
        write(scratch.path(), kind, &format!("{} gcc in f, at x.cc:3", kind.name()), "#!/bin/sh\n");
        let run =
            Run::new(&shellcheck, Duration::from_secs(60)).arg(scratch.file("bug/reproduce.sh"));
        let Ended::Finished(done) = run.finish() else { panic!("it does not end") };
        assert_eq!(done.status, Status::Exit(0), "{}: {}", kind.name(), done.stdout.text());
    }
}
