//! Surveys of real compilers, and of scripts that pass for compilers.
//!
//! Compilers that are not installed are left out, but for CI, where set-up installs them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use choice::Choices;
use sandbox::{Run, Scratch};
use toolchain::{
    Config, Family, Language, Survey, SurveyError, Target, is_emulated, on_path, survey, targets,
};

fn run(config: &Config, patterns: &[&str], language: Language) -> Result<Survey, SurveyError> {
    let patterns: Vec<String> = patterns.iter().map(ToString::to_string).collect();
    survey(config, &patterns, language, &mut |_| {})
}

fn find(patterns: &[&str]) -> Survey {
    run(&Config::default(), patterns, Language::C).expect("patterns that fit")
}

/// Whether an executable is there; in CI it must be.
fn installed(name: &str) -> bool {
    let there = on_path(name).is_some();
    assert!(there || std::env::var_os("CI").is_none(), "set-up installs {name}: CI skips none");
    there
}

/// A script that passes for a compiler. Another process writes it: while we held it open, a child
/// that another thread starts at that moment would too, and a file that is open for writing cannot
/// be executed.
fn script(scratch: &Scratch, name: &str, body: &str) -> PathBuf {
    let path = scratch.file(name);
    let write = Run::new("sh", Duration::from_secs(60))
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(&path)
        .stdin(format!("#!/bin/sh\n{body}\n"));
    write.finish().success().expect("a script");
    path
}

fn only_reason(survey: &Survey) -> &str {
    let ([], [left]) = (&survey.compilers[..], &survey.left_out[..]) else { panic!("{survey:?}") };
    &left.why
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn compilers_here_work_each_once() {
    if !installed("gcc") {
        return;
    }
    let survey = find(&[]);
    let mut commands: Vec<PathBuf> = Vec::new();
    for compiler in &survey.compilers {
        assert!(
            !is_emulated(compiler) && compiler.runner == toolchain::Runner::Native,
            "{compiler:?}"
        );
        assert!(compiler.version.starts_with(|c: char| c.is_ascii_digit()), "{compiler:?}");
        if !compiler.name.starts_with("zig-") {
            commands.push(fs::canonicalize(&compiler.c[0]).expect("it exists"));
        }
    }
    let all = commands.len();
    commands.sort();
    commands.dedup();
    assert_eq!(commands.len(), all, "one executable under two names: {survey:?}");
    let real = fs::canonicalize(on_path("gcc").expect("gcc")).expect("gcc");
    let gcc = survey.compilers.iter().find(|c| fs::canonicalize(&c.c[0]).is_ok_and(|p| p == real));
    let gcc = gcc.expect("gcc is among them");
    assert_eq!((gcc.family, gcc.lacks.len()), (Family::Gcc, 0), "{gcc:?}");
    assert_eq!(gcc.levels, ["-O0", "-O1", "-O2", "-Os", "-O3"]);
    assert!(gcc.extras.contains(&"-fno-inline".to_string()), "{gcc:?}");
}

#[test]
fn a_plain_name_means_the_compiler_behind_it() {
    if !installed("gcc") {
        return;
    }
    let by_name = find(&["gcc"]);
    let [gcc] = &by_name.compilers[..] else { panic!("{by_name:?}") };
    let again = find(&[&gcc.name, "gcc"]);
    assert_eq!(again.compilers.len(), 1, "{again:?}");
    assert_eq!(again.compilers[0].name, gcc.name);
}

#[test]
fn tcc_is_known_for_what_it_lacks() {
    if !installed("tcc") {
        return;
    }
    let survey = find(&["tcc"]);
    let [tcc] = &survey.compilers[..] else { panic!("{survey:?}") };
    assert_eq!(tcc.family, Family::Tcc);
    let program = "int f(int a) { return __builtin_popcountl(a); }";
    assert_eq!(tcc.lacking(program), Some("__builtin_popcountl"));
    assert_eq!(tcc.lacking("typedef int V __attribute__((vector_size(16)));"), Some("vector_size"));
    assert_eq!(tcc.lacking("struct S { int a : 3; }; int f(void) { return 1; }"), None);
    let cxx = run(&Config::default(), &["tcc"], Language::Cxx).expect("it fits");
    assert_eq!(only_reason(&cxx), "it has no C++ compiler beside it");
}

#[test]
fn a_cross_compiler_runs_in_an_emulator_with_signed_chars() {
    if !installed("aarch64-linux-gnu-gcc") || !installed("qemu-aarch64") {
        return;
    }
    if std::env::consts::ARCH != "x86_64" {
        return;
    }
    let survey = find(&["aarch64*"]);
    let cross = survey.compilers.first().expect("one at least");
    assert!(is_emulated(cross), "{cross:?}");
    assert!(cross.runner.words(&[])[0].to_string_lossy().contains("qemu-aarch64"), "{cross:?}");
    assert!(cross.c.iter().any(|arg| arg == "-fsigned-char"), "{cross:?}");
    assert!(cross.extras.iter().all(|flags| !flags.contains("-march=native")), "{cross:?}");
    assert_eq!(cross.lacking("long double x;"), Some("long double"));
    assert!(find(&[]).compilers.iter().all(|c| c.name != cross.name), "it joins only when named");
}

#[test]
fn clang_and_cxx() {
    if !installed("clang-16") || !installed("g++") {
        return;
    }
    let survey = run(&Config::default(), &["clang-16", "gcc"], Language::Cxx).expect("both fit");
    let names: Vec<&str> = survey.compilers.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names.len(), 2, "{survey:?}");
    assert_eq!((names[0], survey.compilers[0].family), ("clang-16", Family::Clang));
    assert!(survey.compilers.iter().all(|c| c.cxx.is_some() && c.lacks.is_empty()), "{survey:?}");
}

#[test]
fn a_compiler_by_its_path_with_flags() {
    if !installed("gcc") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let own = script(&scratch, "mine", "exec gcc \"$@\"");
    let pattern = format!("{} -fwrapv '-DTWO=1 + 1'", text(&own));
    let survey = find(&[&pattern]);
    let [compiler] = &survey.compilers[..] else { panic!("{survey:?}") };
    assert_eq!((compiler.name.as_str(), compiler.family), (pattern.as_str(), Family::Gcc));
    assert_eq!(compiler.c[1..], ["-fwrapv", "-DTWO=1 + 1"]);
}

/// What a compiler under test makes is run, and may do anything: it is confined when it is only tried, too.
#[test]
fn programs_of_probes_are_confined() {
    if !installed("gcc") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let (source, mark) = (scratch.file("more.c"), scratch.file("mark"));
    let program = format!(
        "#include <stdio.h>\n__attribute__((constructor)) static void write_outside(void) \
         {{ FILE *f = fopen({:?}, \"w\"); if (f) fclose(f); }}\n",
        text(&mark)
    );
    std::fs::write(&source, program).expect("it is written");
    let more = text(&source);
    let body = format!("case \"$*\" in *' -o '*) exec gcc \"$@\" {more};; esac; exec gcc \"$@\"");
    let survey = find(&[text(&script(&scratch, "writer", &body))]);
    assert_eq!(survey.compilers.len(), 1, "{survey:?}");
    assert!(!mark.exists(), "it wrote outside of its folder");
}

/// The levels of a family are tried as well: a small compiler may not know them.
#[test]
fn levels_that_are_not_configured_are_tried() {
    if !installed("gcc") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let body = "case \"$*\" in *-Os*) echo \"error: unknown option '-Os'\" >&2; exit 1;; esac\n\
                exec gcc \"$@\"";
    let survey = find(&[text(&script(&scratch, "without-size", body))]);
    assert_eq!(survey.compilers[0].levels, ["-O0", "-O1", "-O2", "-O3"]);
    assert_eq!(survey.left_out[0].name, format!("{} -Os", survey.compilers[0].name));
}

#[test]
fn what_does_not_work_is_left_out_with_a_reason() {
    if !installed("gcc") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let cases = [
        ("no-compiler", "echo hello", "it is not a C compiler: it cannot preprocess (-E)"),
        ("failing", "echo sorry >&2; exit 1", "it is not a C compiler: sorry"),
        ("short-enums", "exec gcc -fshort-enums \"$@\"", "`size and alignment of SmallEnum: 1, 1`"),
        ("packed", "exec gcc -fpack-struct=1 \"$@\"", "a different data model: "),
        (
            "no-linker",
            "case \"$*\" in *' -o '*) echo 'ld: cannot find crt1.o' >&2; exit 1;; esac; exec gcc \"$@\"",
            "it cannot link our probe: ld: cannot find crt1.o",
        ),
    ];
    for (name, body, reason) in cases {
        let path = script(&scratch, name, body);
        let survey = find(&[text(&path)]);
        let why = only_reason(&survey);
        assert!(!survey.left_out[0].stays, "{name}");
        assert!(why.contains(reason), "{name}: {why}");
        assert!(!why.contains('\n'), "{why}");
    }
}

#[test]
fn what_breaks_down_stays_in_because_it_was_named() {
    if !installed("gcc") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let cases = [
        (
            "no-output",
            "case \"$*\" in *' -o '*) exit 0;; esac; exec gcc \"$@\"",
            "it reports success but leaves no executable",
        ),
        (
            "crashing",
            "case \"$*\" in *' -o '*) echo 'int main(void) { __builtin_abort(); }' > b.c; exec gcc b.c -o \
             probe;; esac; exec gcc \"$@\"",
            "its programs do not run here: signal 6",
        ),
        (
            "ice",
            "echo 'a.c:1:1: internal compiler error: in f, at g.cc:1' >&2; exit 1",
            "it is not a C compiler",
        ),
        ("killed", "kill -SEGV $$", "it is not a C compiler"),
        (
            "garbage",
            "case \"$*\" in *' -o '*) echo 'int puts(); int main() { puts(\"x\"); return 0; }' > b.c; exec gcc -w \
             b.c -o probe;; esac; exec gcc \"$@\"",
            "its probe program prints unexpected output",
        ),
    ];
    for (name, body, reason) in cases {
        let path = script(&scratch, name, body);
        let survey = find(&[text(&path)]);
        let ([compiler], [left]) = (&survey.compilers[..], &survey.left_out[..]) else {
            panic!("{survey:?}")
        };
        assert!(left.stays && left.why.contains(reason), "{name}: {left:?}");
        assert!(!compiler.levels.is_empty() && compiler.extras.is_empty(), "{compiler:?}");
    }
}

#[test]
fn unsigned_chars_are_made_signed() {
    if !installed("gcc") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let survey = find(&[text(&script(&scratch, "cc", "exec gcc -funsigned-char \"$@\""))]);
    let [compiler] = &survey.compilers[..] else { panic!("{survey:?}") };
    assert_eq!(compiler.c[1..], ["-fsigned-char"]);
    let stubborn = script(&scratch, "stubborn", "exec gcc \"$@\" -funsigned-char");
    assert_eq!(only_reason(&find(&[text(&stubborn)])), "its plain char is unsigned");
}

#[test]
fn flags_that_a_compiler_refuses_are_not_drawn() {
    if !installed("gcc") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let body = "case \"$*\" in *-flto*|*-fPIC*) exit 1;; esac; exec gcc \"$@\"";
    let survey = find(&[text(&script(&scratch, "cc", body))]);
    let [compiler] = &survey.compilers[..] else { panic!("{survey:?}") };
    assert!(compiler.extras.contains(&"-fwrapv".to_string()), "{compiler:?}");
    for seed in 0..100 {
        for target in targets(&survey.compilers, 3, &mut Choices::new(seed)) {
            let label = target.label();
            assert!(!label.contains("-flto") && !label.contains("-fPIC"), "{label}");
        }
    }
}

#[test]
fn a_configured_compiler_with_its_own_levels_and_flags() {
    if !installed("gcc") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    script(&scratch, "built", "exec gcc \"$@\"");
    let file = scratch.file("gainsay.toml");
    let toml = "extras = [\"-O3 -fwrapv\"]\n[[compiler]]\nname = \"built\"\npath = \"./built\"\n\
                levels = [\"-O0\", \"-O9x\", \"-O2\"]\nrunner = \"env LC_ALL=C\"\nflags = \"-g\"\n";
    fs::write(&file, toml).expect("a file");
    let config = Config::read(&file).expect("a good file");
    let survey = run(&config, &["built"], Language::C).expect("it fits");
    let [compiler] = &survey.compilers[..] else { panic!("{survey:?}") };
    let drawn = targets(&survey.compilers, config.extras_per_test(), &mut Choices::new(1));
    let labels: Vec<String> = drawn.iter().map(Target::label).collect();
    assert_eq!(labels, ["built -O0", "built -O2", "built -O3 -fwrapv"]);
    assert_eq!(compiler.runner.words(&[])[1..], ["LC_ALL=C"]);
    assert_eq!(survey.left_out.len(), 1, "{survey:?}");
    assert_eq!(survey.left_out[0].name, "built -O9x");
    assert!(
        run(&config, &[], Language::C).expect("all").compilers.iter().any(|c| c.name == "built")
    );
}

#[test]
fn a_pattern_without_a_match_says_what_there_is() {
    let error = run(&Config::default(), &["no-such*"], Language::C).expect_err("nothing fits");
    let error = error.to_string();
    assert!(error.starts_with("--cc `no-such*` matches no compiler; found: "), "{error}");
}
