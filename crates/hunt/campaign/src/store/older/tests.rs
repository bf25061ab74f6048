//! Real stores of version 4, as text, and commands as they were written.

use std::path::Path;

use rusqlite::Connection;
use sandbox::Scratch;

use super::*;
use crate::store::{FILE, Store};

/// Modules that crash, become invalid or are miscompiled; one with a study each.
const MODULES: &str = include_str!("../../../tests/stores/modules.sql");
/// A program that a sequence of passes miscompiles, and a reduced module.
const SEQUENCES: &str = include_str!("../../../tests/stores/sequences.sql");
/// A crash and wrong code of GCC, both reduced.
const PROGRAMS: &str = include_str!("../../../tests/stores/programs.sql");

fn store(text: &str, dir: &Path) {
    let db = Connection::open(dir.join(FILE)).expect("a file");
    db.execute_batch(text).expect("it is a store");
    db.execute_batch("PRAGMA user_version = 4").expect("it is set");
}

/// What a store of version 4 has, by number: targets, right ones, commands.
fn kept(text: &str, table: &str) -> Vec<[Vec<String>; 3]> {
    let scratch = Scratch::new().expect("a temporary folder");
    store(text, scratch.path());
    let db = Connection::open(scratch.file(FILE)).expect("a file");
    let sql = format!("SELECT targets, right, commands FROM {table} ORDER BY rowid");
    let mut statement = db.prepare(&sql).expect("it is one");
    let read = |row: &Row| Ok([rows::parse(row, 0)?, rows::parse(row, 1)?, rows::parse(row, 2)?]);
    statement.query_map([], read).expect("rows").map(|row| row.expect("a row")).collect()
}

#[test]
fn real_stores_give_back_every_label_and_command() {
    for text in [MODULES, SEQUENCES, PROGRAMS] {
        let scratch = Scratch::new().expect("a temporary folder");
        store(text, scratch.path());
        let (findings, studies) = (kept(text, "finding"), kept(text, "study"));
        assert!(!findings.is_empty() && !studies.is_empty());
        let check = |store: &Store| {
            let seen = store.findings().expect("it reads").into_iter();
            let seen = seen.map(|f| [f.finding.targets(), f.finding.right(), f.finding.commands()]);
            assert_eq!(seen.collect::<Vec<_>>(), findings);
            let seen = store.studies().expect("it reads").into_iter();
            let seen = seen.map(|(_, s)| [s.targets(), s.right(), s.commands()]);
            assert_eq!(seen.collect::<Vec<_>>(), studies);
            let shot = store.snapshot().expect("it reads");
            assert_eq!(shot.findings.len(), findings.len());
            assert_eq!(shot.studies.len(), studies.len());
        };
        check(&Store::open(scratch.path()).expect("it opens"));
        let before = Store::open(scratch.path()).expect("it opens");
        let before = (before.findings().expect("it reads"), before.studies().expect("it reads"));
        let written = Store::create(scratch.path()).expect("it opens to write");
        check(&written);
        let after = (written.findings().expect("it reads"), written.studies().expect("it reads"));
        assert_eq!(after, before, "what is written once for all is what was read");
    }
}

#[test]
fn subjects_say_what_was_only_text() {
    let subjects = |text: &str| -> Vec<Subject> {
        let scratch = Scratch::new().expect("a temporary folder");
        store(text, scratch.path());
        let found = Store::open(scratch.path()).expect("it opens").findings().expect("it reads");
        found.into_iter().map(|found| found.finding.subject).collect()
    };
    let modules = subjects(MODULES);
    let faults: Vec<ModuleFault> = modules
        .iter()
        .map(|subject| match subject {
            Subject::Module(it) => it.fault,
            other => panic!("{other:?}"),
        })
        .collect();
    use ModuleFault::{InvalidIr, Pass, Refinement};
    assert_eq!(faults, [Pass, InvalidIr, Refinement, Pass]);
    let library = modules[0].library().expect("a library");
    assert_eq!(
        (library.major, library.path.as_str()),
        (16, "/usr/lib/x86_64-linux-gnu/libLLVM-16.so.1")
    );
    let sequences = subjects(SEQUENCES);
    let Some(Subject::Sequence(it)) = sequences.iter().find(|s| !s.is_module()) else {
        panic!("{sequences:?}")
    };
    assert_eq!((it.level, it.library.version.as_str()), (FrontLevel::Unoptimised, "16.0.6"));
    assert_eq!(
        (&it.units[..], it.clang.as_str()),
        (&["func.c".into(), "driver.c".into()][..], "clang-16")
    );
    assert!(it.passes.ends_with(",attributor") && it.expected.stdout.len() == 96, "{it:?}");
    let programs = subjects(PROGRAMS);
    let Subject::Program(it) = &programs[1] else { panic!("{programs:?}") };
    assert_eq!((it.kind, it.is_status_known), (FailureKind::WrongOutput, false));
    assert_eq!(it.include, ["/tmp/oldstore/src"]);
    let gcc = it.first().expect("its compiler");
    assert_eq!(
        (gcc.family, gcc.version.as_str(), &gcc.c[..]),
        (Family::Gcc, "12.2.0", &["/usr/bin/gcc-12".into()][..])
    );
}

#[test]
fn folders_named_like_modules_make_no_module() {
    let command = "gcc-12 -O2 -w -std=gnu11 -I test.llvm/include a.c -o program -lm && ./program";
    let kept = Kept {
        kind: Some(FailureKind::CompilerCrash),
        targets: vec!["gcc-12 -O2".into()],
        commands: vec![command.into()],
        files: vec!["a.c".into()],
        ..Kept::default()
    };
    let Subject::Program(it) = subject(&kept, &[]) else { panic!("it is a program") };
    assert_eq!(it.include, ["test.llvm/include"]);
    assert_eq!(Subject::Program(it).commands(), [command]);
}

#[test]
fn commands_are_read_back() {
    let command = "/usr/bin/zig clang -O0 -w -std=gnu11 -I '/opt/it'\\''s' -c driver.c -o driver.o && /usr/bin/zig \
                   clang -O2 -g -w -std=gnu11 -I '/opt/it'\\''s' func.c driver.o -o program -lm \
                   && qemu -L /x ./program | diff expected -";
    let recipe = Recipe::read(command, &["-O2", "-g"]).expect("it is one");
    assert_eq!(recipe.compiler, ["/usr/bin/zig", "clang"]);
    assert_eq!(recipe.runner, ["qemu", "-L", "/x"]);
    assert_eq!(recipe.steps[0].join(" "), "-O0 -w -std=gnu11 -I /opt/it's -c driver.c -o driver.o");
    assert_eq!((recipe.standard(), recipe.harness()), (Some("gnu11"), Some("driver.c")));
    assert_eq!(recipe.include(), ["/opt/it's"]);
    for other in ["", "gcc -O2 a.c && ./a.out", "gcc -O3 -w a.c -o program && ./program", "'"] {
        assert_eq!(Recipe::read(other, &["-O2"]), None, "{other}");
    }
    let alone = "tcc -w a.c -o program -lm && ./program";
    let recipe = Recipe::read(alone, &[]).expect("it is one");
    assert_eq!((recipe.compiler.len(), recipe.steps.len(), recipe.harness()), (1, 1, None));
    // Of the first, all is made again.
    let kept = Kept {
        kind: Some(FailureKind::WrongOutput),
        targets: vec!["my zig -O2 -g".into()],
        commands: vec![command.into()],
        files: vec!["func.c".into(), "driver.c".into()],
        ..Kept::default()
    };
    let known = StoredTarget {
        label: "my zig -O0".into(),
        compiler: "my zig".into(),
        version: "0.13".into(),
        triple: String::new(),
        command: "/usr/bin/zig clang".into(),
        runner: String::new(),
    };
    let subject = subject(&kept, &[known]);
    assert!(subject.commands()[0].contains("-I '/opt/it'\\''s' func.c driver.o"), "{subject:?}");
    assert_eq!(subject.commands(), [command.split_whitespace().collect::<Vec<_>>().join(" ")]);
}
