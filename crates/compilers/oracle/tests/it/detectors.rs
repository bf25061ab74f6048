//! Sanitizers and Frama-C on programs with and without undefined behaviour.

use std::sync::OnceLock;

use oracle::{
    Assessment, Case, Certificate, Detector, Detectors, Expected, Lab, Opinion, SourceFile,
};
use sandbox::Scratch;
use toolchain::Language;

static DETECTORS: OnceLock<Detectors> = OnceLock::new();

fn own() -> Opinion {
    Opinion { tool: "the machine".into(), command: "gainsay run".into(), says: Assessment::Valid }
}

fn certify(language: Language, text: &str, stdout: &str) -> Certificate {
    let name = if language == Language::C { "a.c" } else { "a.cpp" };
    let case = Case {
        language,
        harness: None,
        standard: None,
        files: vec![SourceFile { name: name.into(), bytes: text.into() }],
        include: Vec::new(),
        expected: Some(Expected { stdout: stdout.into(), status: 0 }),
        omitted: Default::default(),
    };
    let dir = Scratch::new().expect("a temporary folder");
    let (certificate, cost) = DETECTORS
        .get_or_init(Detectors::find)
        .certify(&Lab::default(), &case, dir.path(), own())
        .expect("a certificate");
    assert_eq!(certificate.opinions[0], own());
    // gcc's, clang's and MSan are what set-up installs, and Frama-C, which knows C alone.
    let sanitizers = says(&certificate, "-fsanitize").len();
    let analysers = says(&certificate, "Frama-C").len();
    let complete = (sanitizers, analysers) == (3, usize::from(language == Language::C));
    assert!(complete || std::env::var_os("CI").is_none(), "CI skips none: {certificate:?}");
    assert!(certificate.opinions.len() == 1 || !cost.is_zero());
    let left = std::fs::read_dir(dir.path()).expect("a folder").count();
    assert_eq!(left, 1, "it cleans up");
    certificate
}

/// What tools of this name say.
fn says<'a>(certificate: &'a Certificate, tool: &str) -> Vec<&'a Assessment> {
    let asked = certificate.opinions.iter().filter(|o| o.tool.contains(tool));
    asked.map(|o| &o.says).collect()
}

#[test]
fn a_valid_program() {
    let text = "#include <stdio.h>\nint a[3];\nint main(void) { a[2] = 7; printf(\"%d\\n\", a[2]); return 0; }\n";
    let certificate = certify(Language::C, text, "7\n");
    assert!(!certificate.disputed());
    for says in says(&certificate, "-fsanitize") {
        assert_eq!(*says, Assessment::Valid, "{certificate:#?}");
    }
    for says in says(&certificate, "Frama-C") {
        assert_eq!(*says, Assessment::NoAlarm, "{certificate:#?}");
    }
    let differs = certify(Language::C, text, "8\n");
    for says in says(&differs, "-fsanitize") {
        assert_eq!(*says, Assessment::Differs("line 1 is `7`, expected `8`".into()));
    }
}

#[test]
fn an_overflow() {
    let text = "#include <stdio.h>\nint x = 2147483647;\nint main(void) { x++; printf(\"%d\\n\", x); return 0; }\n";
    let certificate = certify(Language::C, text, "-2147483648\n");
    for says in says(&certificate, "undefined,address") {
        assert!(
            matches!(says, Assessment::Undefined(w) if w.contains("signed integer overflow")),
            "{says:?}"
        );
    }
    for says in says(&certificate, "=memory") {
        assert_eq!(*says, Assessment::Valid);
    }
    for says in says(&certificate, "Frama-C") {
        assert!(matches!(says, Assessment::Alarm(w) if w.contains("signed overflow")), "{says:?}");
    }
    assert_eq!(certificate.disputed(), certificate.opinions.len() > 1);
}

#[test]
fn an_uninitialised_variable() {
    let text = "int main(void) { int x[2]; x[0] = 0; if (x[1]) x[0] = 0; return x[0]; }\n";
    let certificate = certify(Language::C, text, "");
    for says in says(&certificate, "=memory") {
        assert!(
            matches!(says, Assessment::Undefined(w) if w.contains("use-of-uninitialized-value")),
            "{says:?}"
        );
    }
}

#[test]
fn cxx() {
    let text = "#include <array>\n#include <cstdio>\nint main() { std::array<int, 3> a{{1, 2, 3}}; std::printf(\"%d\\n\", a.at(1)); }\n";
    let certificate = certify(Language::Cxx, text, "2\n");
    assert_eq!(says(&certificate, "Frama-C").len(), 0);
    for says in says(&certificate, "-fsanitize") {
        assert_eq!(*says, Assessment::Valid, "{certificate:#?}");
    }
    let streams = "#include <iostream>\nint main() { std::cout << 2 << std::endl; }\n";
    let certificate = certify(Language::Cxx, streams, "2\n");
    for says in says(&certificate, "=memory") {
        assert!(matches!(says, Assessment::Silent(_)), "{says:?}");
    }
}

/// What some detectors, asked one by one until one objects, say of a text without an answer.
fn ask(text: &str, some: &[Detector]) -> Vec<(Detector, Assessment)> {
    let case = Case {
        language: Language::C,
        harness: None,
        standard: None,
        files: vec![SourceFile { name: "a.c".into(), bytes: text.into() }],
        include: Vec::new(),
        expected: None,
        omitted: Default::default(),
    };
    let dir = Scratch::new().expect("a temporary folder");
    let lab = Lab::default();
    lab.write(&case, dir.path()).expect("the file is written");
    let detectors = DETECTORS.get_or_init(Detectors::find);
    let some = some.iter().copied().collect();
    let (asked, cost) = detectors.ask_some(&lab, &case, dir.path(), &some).expect("opinions");
    assert!(!asked.is_empty() || std::env::var_os("CI").is_none(), "CI skips none");
    assert!(asked.is_empty() || !cost.is_zero());
    asked.into_iter().map(|(detector, opinion)| (detector, opinion.says)).collect()
}

#[test]
fn detectors_are_asked_apart_and_in_order() {
    use Detector::{Address, Memory, Undefined};
    // ASan alone has nothing against an overflow.
    let overflow = "int x = 2147483647;\nint main(void)\n{\n    x++;\n    return 0;\n}\n";
    let asked = ask(overflow, &[Undefined, Address]);
    if let [(first, says), (second, objects)] = &asked[..] {
        assert_eq!((*first, says, *second), (Address, &Assessment::NoAlarm, Undefined));
        assert_eq!(objects.line(), Some(4), "{objects:?}");
    } else {
        assert!(asked.len() < 2 && std::env::var_os("CI").is_none(), "{asked:?}");
    }
    // The first that objects is the last that is asked; it says where.
    let scope =
        "int main(void)\n{\n    int *p;\n    { int x = 1; p = &x; }\n    return *p - 1;\n}\n";
    let asked = ask(scope, &[Address, Memory, Undefined]);
    assert!(asked.len() <= 1, "{asked:?}");
    for (detector, says) in asked {
        assert_eq!(detector, Address, "{says:?}");
        if toolchain::on_path("llvm-symbolizer").is_some() {
            assert_eq!(says.line(), Some(5), "{says:?}");
        }
        assert!(says.objects());
    }
}
