//! From a stored finding to what is sent: `report`, its script on a wrong and on a right compiler,
//! `recheck`, `suppress`, and the page; with a compiler that is wrong on purpose.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use campaign::{Store, Study};
use finding::{ProgramSubject, Subject};
use oracle::{Assessment, Certificate, Expected, FailureKind, Opinion, SourceFile};
use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;
use triage::{Blame, Cell, Culprit, Ladder, Method, Rung};

/// Dies on `ice.c` at -O1; at -O2 another function is called in `two.c` and `test.c`.
const FAULTY: &str = r#"#!/bin/sh
case " $* " in
*" -O1 "*)
    case " $* " in *" ice.c "*|*" test.c "*)
        echo "ice.c:3:1: internal compiler error: in extract_insn, at recog.cc:2791" >&2
        exit 1 ;;
    esac ;;
*" -O2 "*)
    case " $* " in *" two.c "*|*" test.c "*) exec gcc "$@" -Dputs=atoi ;; esac ;;
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

const TWO: &str = "#include <stdlib.h>
int puts(const char *);
int main(void) { puts(\"one\"); return 3; }
";

const ICE: &str = "int main(void) { return 0; }\n";

fn gainsay(dir: &Path, args: &[&str]) -> Finished {
    finish(Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(300)), dir, args)
}

fn finish(run: Run, dir: &Path, args: &[&str]) -> Finished {
    match run.args(args.iter().copied()).cwd(dir).finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

/// Exit status and output of a report's script.
fn reproduce(dir: &Path, report: &str, args: &[&str]) -> (Status, String) {
    let script = dir.join(report).join("reproduce.sh");
    let done = finish(Run::new(script, Duration::from_secs(60)), dir, args);
    (done.status, done.stdout.text() + &done.stderr.text())
}

fn write_compiler(dir: &Path, text: &str) {
    let path = dir.join("faulty.sh");
    fs::write(&path, text).expect("it is written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is executable");
}

/// A hunt with a crash and wrong code of the faulty compiler, in `out`.
fn hunt() -> Scratch {
    hunt_with(&[])
}

fn hunt_with(more: &[&str]) -> Scratch {
    let scratch = Scratch::new().expect("a temporary folder");
    let dir = scratch.path();
    fs::create_dir(dir.join("own")).expect("a folder");
    fs::write(dir.join("own/two.c"), TWO).expect("it is written");
    fs::write(dir.join("own/ice.c"), ICE).expect("it is written");
    fs::write(dir.join("gainsay.toml"), CONFIG).expect("it is written");
    write_compiler(dir, FAULTY);
    fs::create_dir_all(dir.join("test.llvm/include")).expect("a folder");
    let args = ["hunt", "--engine", "files", "--from", "own", "--cc", "faulty", "--jobs", "1"];
    let done = gainsay(dir, &[&args[..], &["--hunt", "out", "--no-reduce"], more].concat());
    assert_eq!(done.status, Status::Exit(1), "{}{}", done.stdout.text(), done.stderr.text());
    scratch
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path.as_ref()).unwrap_or_else(|e| panic!("{}: {e}", path.as_ref().display()))
}

/// The number of the finding of a kind.
fn id(dir: &Path, kind: &str) -> String {
    let text = gainsay(dir, &["findings", "--hunt", "out", "--json", "--kind", kind]).stdout.text();
    let value: Value = serde_json::from_str(text.lines().next().expect("a finding")).expect("JSON");
    value["id"].to_string()
}

fn study(dir: &Path) -> Study {
    let text = "/* must print <two> & \"quotes\" */\n#include <stdlib.h>\nint puts(const char *);\n\
                int main(void) { puts(\"two\"); return 0; }\n";
    let (fails, right) = ([("faulty", "-O2")], [("faulty", "-O0")]);
    let kind = FailureKind::WrongOutput;
    let mut subject = ProgramSubject::named(kind, &["test.c"], &fails, &right);
    subject.expected = Some(Expected { stdout: b"two\n".to_vec(), status: 0 });
    subject.compilers[0].c = vec![dir.join("faulty.sh").display().to_string()];
    let rung = |name: &str, cells: [Cell; 3]| Rung {
        compiler: name.into(),
        version: "12.2.0".into(),
        cells: cells.to_vec(),
    };
    Study {
        about: None,
        mask: triage::Mask::default(),
        files: vec![SourceFile { name: "test.c".into(), bytes: text.into() }],
        evidence: vec![SourceFile { name: "actual".into(), bytes: b"<b>other</b>\n".to_vec() }],
        subject: Subject::Program(subject),
        summary: "prints nothing for \"two\" (line 1)".into(),
        certificate: Certificate {
            opinions: vec![Opinion {
                tool: "gainsay 0.1.0".into(),
                command: "gainsay run test.c".into(),
                says: Assessment::Valid,
            }],
        },
        blame: Blame {
            pass: Some("callswap".into()),
            culprits: vec![Culprit {
                method: Method::Option,
                name: "-fcallswap".into(),
                hides: vec!["-fno-callswap".into()],
                detail: String::new(),
            }],
            limits: Vec::new(),
        },
        ladder: Ladder {
            levels: ["-O0", "-O1", "-O2"].map(String::from).to_vec(),
            rungs: vec![
                rung("faulty-11", [Cell::Works, Cell::Works, Cell::Works]),
                rung("faulty", [Cell::Works, Cell::Works, Cell::Fails]),
            ],
        },
        key: "wrong-output gcc callswap".into(),
        tokens: (400, 21),
        took: Duration::from_secs(9),
    }
}

#[test]
fn a_report_without_a_study_still_shows_the_bug() {
    let scratch = hunt();
    let dir = scratch.path();
    let wrong = id(dir, "wrong-output");
    let done = gainsay(dir, &["report", &wrong, "--hunt", "out", "-o", "bug"]);
    let told = done.stdout.text();
    assert_eq!(done.status, Status::Exit(0), "{told}{}", done.stderr.text());
    assert!(told.contains(&format!("`gainsay reduce {wrong} --hunt out`")), "{told}");
    let text = read(dir.join("bug/report.md"));
    for part in [
        "# faulty (",
        ": wrong code at -O2: ",
        "int main(void) { puts(\"one\"); return 3; }",
        "-O2 -w -std=gnu11 ",
        " test.c -o program -lm\n$ ./program\n",
        "Expected, with exit status 3:\n\n```\none\n```\n",
        "Actual, with exit status 3, and no output:\n\n```\n```\n",
        " | `-O2` | `-O0`, `-O1` |\n",
        "Found by fuzzing with Gainsay (https://github.com/gainsay/gainsay)",
        "- duplicates: the tracker was not searched",
        "- gainsay ",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert_eq!(read(dir.join("bug/test.c")), TWO);
    assert_eq!(read(dir.join("bug/original/two.c")), TWO);
    assert!(read(dir.join("bug/test.i")).contains("int puts(const char *);"));

    let (status, told) = reproduce(dir, "bug", &[]);
    assert_eq!(status, Status::Exit(0), "{told}");
    assert!(told.contains("the bug is there") && told.contains("< one"), "{told}");
    let (status, told) = reproduce(dir, "bug", &["gcc"]);
    assert_eq!(status, Status::Exit(1), "{told}");
    assert_eq!(reproduce(dir, "bug", &["no-such-compiler"]).0, Status::Exit(2));
    // A compiler given by a relative path is the caller's.
    assert_eq!(reproduce(dir, "bug", &["./faulty.sh"]).0, Status::Exit(0));
    write_compiler(dir, "#!/bin/sh\nexit 1\n");
    assert_eq!(reproduce(dir, "bug", &[]).0, Status::Exit(2), "what does not compile is not told");
    write_compiler(dir, "#!/bin/sh\nexec gcc \"$@\"\n");
    assert_eq!(reproduce(dir, "bug", &[]).0, Status::Exit(1));
}

#[test]
fn a_crash_is_known_by_its_words() {
    let scratch = hunt();
    let dir = scratch.path();
    let crash = id(dir, "compiler-crash");
    let done = gainsay(dir, &["report", &crash, "--hunt", "out", "-o", "bug"]);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    let text = read(dir.join("bug/report.md"));
    assert!(text.contains("ICE at -O1: in extract_insn, at recog.cc:2791"), "{text}");
    assert!(text.contains("internal compiler error: in extract_insn"), "{text}");
    assert_eq!(reproduce(dir, "bug", &[]).0, Status::Exit(0));
    assert_eq!(reproduce(dir, "bug", &["gcc"]).0, Status::Exit(1));
    // Another version has it on another line; another crash is another bug.
    write_compiler(dir, &FAULTY.replace("recog.cc:2791", "recog.cc:9"));
    assert_eq!(reproduce(dir, "bug", &[]).0, Status::Exit(0));
    write_compiler(dir, &FAULTY.replace("extract_insn", "another"));
    let (status, told) = reproduce(dir, "bug", &[]);
    assert_eq!(status, Status::Exit(2), "{told}");
    assert!(told.contains("other words"), "{told}");
}

#[test]
fn a_study_is_reported_shown_rechecked_and_suppressed() {
    let scratch = hunt();
    let dir = scratch.path();
    let wrong = id(dir, "wrong-output");
    let mut store = Store::open(&dir.join("out")).expect("it opens");
    store.put_study(wrong.parse().expect("a number"), &study(dir)).expect("it is kept");
    drop(store);

    let table = gainsay(dir, &["findings", "--hunt", "out"]).stdout.text();
    assert!(table.contains("  tokens  pass      versions  "), "{table}");
    assert!(table.contains("      21  callswap  faulty    "), "{table}");
    let shown = gainsay(dir, &["show", &wrong, "--hunt", "out"]).stdout.text();
    assert!(
        shown.starts_with(&format!(
            "Finding {wrong}: wrong code at -O2, pass callswap\n\nReduced from 400 tokens to 21:\n"
        )),
        "{shown}"
    );
    assert!(shown.contains("\nCause      callswap; -fno-callswap hides it\n"), "{shown}");
    gainsay(dir, &["show", &wrong, "--hunt", "out", "-o", "all"]);
    assert!(dir.join("all/two.c").is_file() && dir.join("all/reduced/test.c").is_file());

    let done = gainsay(dir, &["report", &wrong, "--hunt", "out", "-o", "bug"]);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    assert!(!done.stdout.text().contains("not reduced"), "{}", done.stdout.text());
    let text = read(dir.join("bug/report.md"));
    for part in [
        ": wrong code at -O2, pass callswap\n",
        "`-fno-callswap` hides it.",
        "| faulty | 12.2.0 | works | works | **fails** |",
        "the first that fails is faulty (12.2.0), faulty-11 (12.2.0) works",
        "Most likely at fault: `callswap`.",
        "Reduced from 400 tokens to 21",
        "- gainsay 0.1.0: valid, with the expected result (`gainsay run test.c`)",
    ] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    assert_eq!(reproduce(dir, "bug", &[]).0, Status::Exit(0));
    assert_eq!(reproduce(dir, "bug", &["gcc"]).0, Status::Exit(1));

    // The hunt's folder is as its compilers are today.
    let done = gainsay(dir, &["recheck", "--hunt", "out", "--cc", "faulty"]);
    let told = done.stdout.text();
    assert_eq!(done.status, Status::Exit(1), "{told}{}", done.stderr.text());
    assert!(told.contains("still fails: faulty -O2\n"), "{told}");
    assert!(told.ends_with("\n2 still fail, 0 fixed, 0 cannot be told\n"), "{told}");
    let done = gainsay(dir, &["recheck", &wrong, "--hunt", "out", "--cc", "gcc", "--json"]);
    let value: Value = serde_json::from_str(done.stdout.text().trim()).expect("JSON");
    assert_eq!((&value["verdict"], &value["gone"][0]), (&"right".into(), &"faulty".into()));
    assert_eq!((&value["elsewhere"], done.status), (&true.into(), Status::Exit(0)));
    let first = value["right"][0].as_str().expect("a label");
    assert!(first.starts_with("gcc") && first.ends_with(" -O2"), "the flags that failed: {value}");
    let state = |dir: &Path| {
        let text = gainsay(dir, &["show", &wrong, "--hunt", "out", "--json"]).stdout.text();
        serde_json::from_str::<Value>(&text).expect("JSON")["state"].clone()
    };
    assert_eq!(state(dir), "open", "another compiler says nothing about this one");
    // A compiler given by its file, with the bug in it; findings of passes there are none.
    fs::copy(dir.join("faulty.sh"), dir.join("other.sh")).expect("it is copied");
    let done = gainsay(dir, &["recheck", &wrong, "--hunt", "out", "--cc", "./other.sh"]);
    assert_eq!(done.status, Status::Exit(1), "{}{}", done.stdout.text(), done.stderr.text());
    let done = gainsay(dir, &["recheck", "--hunt", "out", "--lib", "no-such-library"]);
    assert_eq!(done.status, Status::Exit(2), "{}", done.stderr.text());
    write_compiler(dir, "#!/bin/sh\nexec gcc \"$@\"\n");
    let done = gainsay(dir, &["recheck", &wrong, "--hunt", "out", "--cc", "faulty"]);
    assert_eq!(done.status, Status::Exit(0), "{}{}", done.stdout.text(), done.stderr.text());
    assert!(
        done.stdout.text().contains("fixed: right on faulty -O2, -O0, -O1"),
        "{}",
        done.stdout.text()
    );
    let table = gainsay(dir, &["findings", "--hunt", "out"]).stdout.text();
    assert!(table.contains("  wrong-output    fixed  "), "{table}");

    let done = gainsay(dir, &["suppress", "*callswap", "--reason", "PR 7", "--hunt", "out"]);
    assert!(done.stdout.text().contains("(fits 1 finding)"), "{}", done.stdout.text());
    let table = gainsay(dir, &["findings", "--hunt", "out"]).stdout.text();
    assert!(table.contains("\nsuppressed: 1 bug, 1 finding (PR 7)\n"), "{table}");
    assert!(!table.contains("wrong-output"), "{table}");
    let list = gainsay(dir, &["suppress", "--list", "--hunt", "out"]).stdout.text();
    assert!(list.starts_with("*callswap\n    PR 7 (1 finding, since 20"), "{list}");
    gainsay(dir, &["suppress", "--remove", "*callswap", "--hunt", "out"]);
    let list = gainsay(dir, &["suppress", "--list", "--hunt", "out"]).stdout.text();
    assert_eq!(list, "nothing is suppressed\n");

    // By the number of the finding: its bug's key.
    let done = gainsay(dir, &["suppress", &wrong, "--reason", "PR 8", "--hunt", "out"]);
    assert!(done.stdout.text().contains("callswap (fits 1 finding)"), "{}", done.stdout.text());
    let key = Store::open(&dir.join("out")).expect("it opens").suppressions().expect("it reads");
    assert!(key[0].pattern.ends_with("callswap") && key[0].reason == "PR 8", "{key:?}");
    gainsay(dir, &["suppress", "--remove", &key[0].pattern, "--hunt", "out"]);
    let done = gainsay(dir, &["suppress", "99", "--reason", "PR 9", "--hunt", "out"]);
    assert_eq!(done.status, Status::Exit(2), "{}", done.stdout.text());

    let done = gainsay(dir, &["report", "--html", "--hunt", "out", "-o", "hunt.html"]);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    let page = read(dir.join("hunt.html"));
    assert!(page.contains("must print &lt;two&gt; &amp; &quot;quotes&quot;"), "{page}");
    assert!(!page.contains("<script") && !page.contains("src=") && !page.contains("@import"));
    // A slow hunt is sampled often enough for a curve of tests a second.
    assert!((4..=5).contains(&page.matches("<figure").count()), "{page}");
    assert_eq!(page.matches("<details class=\"finding\">").count(), 2, "{page}");
    assert!(page.contains("<mark>&lt;b&gt;other&lt;/b&gt;</mark>"), "{page}");
    assert!(page.contains("prefers-color-scheme: dark") && page.contains("width=device-width"));
}

#[test]
fn a_folder_named_like_a_module_makes_no_module_of_a_program() {
    let scratch = hunt_with(&["-I", "test.llvm/include"]);
    let dir = scratch.path();
    let crash = id(dir, "compiler-crash");
    let shown = gainsay(dir, &["show", &crash, "--hunt", "out"]).stdout.text();
    assert!(shown.contains("test.llvm/include"), "{shown}");
    let done = gainsay(dir, &["report", &crash, "--hunt", "out", "-o", "before"]);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    assert!(read(dir.join("before/report.md")).contains("test.llvm/include"));
    assert_eq!(reproduce(dir, "before", &[]).0, Status::Exit(0));
    let done = gainsay(dir, &["recheck", &crash, "--hunt", "out", "--cc", "faulty"]);
    assert!(done.stdout.text().contains("still fails: faulty -O1\n"), "{}", done.stdout.text());
    let done = gainsay(dir, &["reduce", &crash, "--hunt", "out", "--cc", "faulty", "--jobs", "1"]);
    let told = done.stderr.text();
    assert_eq!(done.status, Status::Exit(0), "{told}");
    assert!(told.contains("; faulty -O1; "), "{told}");
    let done = gainsay(dir, &["report", &crash, "--hunt", "out", "-o", "bug"]);
    assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
    assert!(dir.join("bug/test.c").is_file() && !dir.join("bug/test.ll").exists());
    assert_eq!(reproduce(dir, "bug", &[]).0, Status::Exit(0));
}

#[test]
fn mistakes_get_one_sentence() {
    let scratch = hunt();
    let dir = scratch.path();
    let cases: [(&[&str], &str); 12] = [
        (
            &["report", "9", "--hunt", "out", "-o", "x"],
            "no finding 9 in out: they are numbered 1 to 2",
        ),
        (&["report", "1", "-o", "x"], "there is no hunt in gainsay-hunt"),
        (&["report", "1", "--hunt", "out", "-o", "gainsay.toml"], "gainsay.toml is not a folder"),
        (
            &["report", "--html", "--hunt", "out", "-o", "own"],
            "own is a folder: give a file with -o",
        ),
        (&["show", "9", "--hunt", "out"], "no finding 9 in out: they are numbered 1 to 2"),
        (&["recheck", "9", "--hunt", "out"], "no finding 9 in out"),
        (&["serve", "--hunt", "nowhere"], "there is no hunt in nowhere"),
        (&["serve", "--hunt", "out", "--token", "short"], "a token is 16 or more letters"),
        (
            &["serve", "--hunt", "out", "--listen", "203.0.113.1:1"],
            "cannot listen on 203.0.113.1:1",
        ),
        (&["suppress", "x", "--hunt", "out"], "--reason <TEXT>"),
        (&["suppress", "x", "--reason", " ", "--hunt", "out"], "--reason must say something"),
        (&["suppress", "--remove", "x", "--hunt", "out"], "x is not suppressed; what is: nothing"),
    ];
    for (args, sentence) in cases {
        let done = gainsay(dir, args);
        let told = done.stderr.text();
        assert_eq!(done.status, Status::Exit(2), "{args:?} {told}");
        assert!(told.contains(sentence), "{args:?} {told}");
    }
}
