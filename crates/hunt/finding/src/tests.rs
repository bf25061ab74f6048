//! Labels and commands of each kind of subject, and that subjects survive both formats.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use oracle::{Case, Expected, FailureKind, SourceFile};
use toolchain::{Compiler, Family, Language, Target};

use super::*;

fn target(name: &str, flags: &str) -> Target {
    let compiler = Compiler {
        family: Family::Gcc,
        name: name.into(),
        version: "12.2.0".into(),
        triple: "aarch64-linux-gnu".into(),
        c: ["/usr/bin/zig", "cc it's"].map(OsString::from).into(),
        cxx: None,
        runner: toolchain::Runner::of_words(["qemu", "-L", "/x"].map(OsString::from).into()),
        abi: Some(toolchain::Abi::Lp64),
        levels: vec!["-O0".into(), "-O2".into()],
        extras: Vec::new(),
        drawn: Default::default(),
        lacks: Vec::new(),
        checks: None,
        root: None,
    };
    let flags = flags.split_whitespace().map(String::from).collect();
    Target { compiler: Arc::new(compiler), flags }
}

fn case(include: &str) -> Case {
    let file = |name: &str| SourceFile { name: name.into(), bytes: b"int x;".to_vec() };
    Case {
        language: Language::C,
        files: ["init.h", "func.c", "driver.c"].map(file).into(),
        standard: None,
        harness: Some("driver.c".into()),
        include: vec![PathBuf::from(include)],
        expected: Some(Expected { stdout: b"1\n\xff".to_vec(), status: 3 }),
        omitted: Default::default(),
    }
}

fn program() -> ProgramSubject {
    let failing = [target("my gcc", "-O2 -g")];
    ProgramSubject::new(&case("/h"), FailureKind::WrongOutput, &failing, &[target("my gcc", "-O0")])
}

fn library() -> LibraryIdentity {
    LibraryIdentity {
        path: "/usr/lib/libLLVM-16.so.1".into(),
        major: 16,
        version: "16.0.6".into(),
        ..LibraryIdentity::default()
    }
}

fn module(passes: &str, fault: ModuleFault) -> ModuleSubject {
    ModuleSubject { library: library(), passes: passes.into(), fault, baseline: None }
}

fn sequence() -> SequenceSubject {
    SequenceSubject {
        kind: FailureKind::WrongOutput,
        units: vec!["func.c".into(), "driver.c".into()],
        include: Vec::new(),
        expected: Expected { stdout: b"1\n".to_vec(), status: 0 },
        clang: "/usr/bin/clang-16".into(),
        level: FrontLevel::Unoptimised,
        library: library(),
        passes: "function(sroa),attributor".into(),
        baseline: None,
    }
}

#[test]
fn a_program_is_typed_as_it_was_compiled() {
    let subject = Subject::Program(program());
    let failing = [target("my gcc", "-O2 -g")];
    let line = oracle::command_line(&case("/h"), &failing[0]).expect("it can be typed");
    assert_eq!(subject.commands(), [format!("{line} | diff expected -")]);
    assert!(
        line.starts_with("/usr/bin/zig 'cc it'\\''s' -O0 -w -std=gnu11 -I /h -c driver.c"),
        "{line}"
    );
    assert_eq!(
        (subject.targets(), subject.right()),
        (vec!["my gcc -O2 -g".into()], vec!["my gcc -O0".into()])
    );
    assert_eq!(
        (subject.compiler(), subject.flags()),
        ("my gcc".into(), vec!["-O2".into(), "-g".into()])
    );
    assert_eq!(
        (subject.version(), subject.triple()),
        ("12.2.0".into(), "aarch64-linux-gnu".into())
    );
    let Subject::Program(it) = &subject else { unreachable!("it is a program") };
    let steps = it.steps(&it.failing[0]).expect("it can be typed");
    assert_eq!((steps.compiler.len(), steps.steps.len(), steps.runner.len()), (2, 2, 3));
    assert_eq!(
        steps.steps[1].join(" "),
        "-O2 -g -w -std=gnu11 -I /h func.c driver.o -o program -lm"
    );
    assert_eq!(it.case(&case("/h").files).files, case("/h").files);
}

#[test]
fn a_crash_compares_nothing_and_other_names_are_followed() {
    let mut one = case("/work/test.llvm/include");
    one.files.truncate(2);
    one.harness = None;
    let failing = [target("gcc-12", "-O1")];
    let mut subject =
        Subject::Program(ProgramSubject::new(&one, FailureKind::CompilerCrash, &failing, &[]));
    subject.rename("func.c", "test.c");
    subject.relocate(&|text| text.replace("/work/", "/home/"));
    let [command] = &subject.commands()[..] else { panic!("one command") };
    assert!(command.contains("-I /home/test.llvm/include test.c -o program -lm && "), "{command}");
    assert!(command.ends_with("./program") && !subject.is_module(), "{command}");
}

#[test]
fn modules_are_typed() {
    let commands = |passes: &str, fault| Subject::Module(module(passes, fault)).commands();
    let all = "default<O3>";
    assert_eq!(
        commands(all, ModuleFault::Pass),
        ["opt-16 '-passes=default<O3>' -disable-output test.ll"]
    );
    assert_eq!(
        commands(all, ModuleFault::InvalidIr),
        ["opt-16 '-passes=default<O3>' -verify-each -disable-output test.ll"]
    );
    let llc = "llc-16 -O2 -relocation-model=pic -filetype=obj -o test.o";
    assert_eq!(
        commands(all, ModuleFault::CodeGenerator),
        [format!("opt-16 '-passes=default<O3>' test.ll | {llc}")]
    );
    assert_eq!(commands("", ModuleFault::CodeGenerator), [format!("{llc} test.ll")]);
    let refuted = Subject::Module(module("gvn", ModuleFault::Refinement));
    let asked = "gainsay llvm verify test.ll after.ll";
    assert_eq!(refuted.commands(), ["opt-16 '-passes=gvn' -S -o after.ll test.ll", asked]);
    let one = format!("opt-16 '-passes=gvn' -S -o after.ll test.ll && {asked}");
    assert_eq!(refuted.first_command(), Some(one));
    assert_eq!(refuted.targets(), ["libLLVM-16 -passes=gvn"]);
}

#[test]
fn sequences_are_typed() {
    let subject = Subject::Sequence(sequence());
    let clang = "clang-16 -O0 -Xclang -disable-O0-optnone -emit-llvm -c -w";
    assert_eq!(
        subject.commands(),
        [format!(
            "{clang} func.c -o func.bc && {clang} driver.c -o driver.bc && llvm-link-16 func.bc driver.bc -o \
             whole.bc && opt-16 '-passes=function(sroa),attributor' whole.bc -o optimised.bc && llc-16 -O2 \
             -relocation-model=pic -filetype=obj optimised.bc -o optimised.o && cc optimised.o -o program -lm && \
             ./program | diff expected -"
        )]
    );
    assert_eq!(subject.targets(), ["libLLVM-16 -O0 -passes=function(sroa),attributor"]);
    assert_eq!(subject.right(), ["libLLVM-16 -O0 -passes="]);
}

#[test]
fn a_comparison_names_what_is_right() {
    let old = LibraryIdentity { major: 15, ..LibraryIdentity::default() };
    let module = ModuleSubject { baseline: Some(old.clone()), ..module("gvn", ModuleFault::Pass) };
    let sequence = SequenceSubject { baseline: Some(old), ..sequence() };
    let (gcc, old) = (target("gcc-12", "-O2"), target("gcc-11", "-O2"));
    let kind = FailureKind::WrongOutput;
    let program = ProgramSubject::new(&case("/h"), kind, &[gcc], std::slice::from_ref(&old));
    let program = program.against(Some(&old.compiler));
    assert_eq!(program.needed_compilers(), ["gcc-12", "gcc-11"]);
    for (subject, baseline, right) in [
        (Subject::Module(module), "libLLVM-15", "libLLVM-15 -passes=gvn"),
        (
            Subject::Sequence(sequence),
            "libLLVM-15",
            "libLLVM-15 -O0 -passes=function(sroa),attributor",
        ),
        (Subject::Program(program), "gcc-11", "gcc-11 -O2"),
    ] {
        assert_eq!(subject.baseline().as_deref(), Some(baseline));
        assert_eq!(subject.right()[0], right);
        let told = subject.comparison().expect("a comparison");
        assert!(told.starts_with(&format!("works with {baseline}")), "{told}");
        assert!(told.contains(&format!(", fails with {} (", subject.compiler())), "{told}");
        let json = serde_json::to_value(&subject).expect("JSON");
        assert_eq!(serde_json::from_value::<Subject>(json).expect("it reads"), subject);
    }
    // As stores were written before there were comparisons.
    let mut json = serde_json::to_value(Subject::Program(self::program())).expect("JSON");
    json["Program"].as_object_mut().expect("an object").remove("baseline");
    assert_eq!(
        serde_json::from_value::<Subject>(json).expect("it reads"),
        Subject::Program(self::program())
    );
}

#[test]
fn subjects_survive_both_formats() {
    let judged = JudgedSubject::of("clang-16 -fsanitize=address", "clang-16 a.c");
    let all = [
        Subject::Program(program()),
        Subject::Module(module("gvn", ModuleFault::Refinement)),
        Subject::Sequence(sequence()),
        Subject::Judged(judged),
    ];
    for subject in all {
        let json = serde_json::to_string(&subject).expect("JSON");
        assert_eq!(serde_json::from_str::<Subject>(&json).expect("it reads"), subject, "{json}");
        let bytes = postcard::to_stdvec(&subject).expect("bytes");
        assert_eq!(postcard::from_bytes::<Subject>(&bytes).expect("it reads"), subject);
    }
    let json = serde_json::to_string(&Subject::Sequence(sequence())).expect("JSON");
    assert!(json.contains(r#""stdout":{"Text":"1\n"}"#), "{json}");
}
