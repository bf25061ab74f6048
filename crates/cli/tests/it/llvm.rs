//! `gainsay llvm`: modules that LLVM does not survive, files that are no modules, coverage of a library.

use std::fs;
use std::time::Duration;

use llvmhost::{End, Fault, Installed, Limits, Program, Ran, Running, Server, Setup};
use optimise::verdict::{Verdict, judge};
use optimise::work::{Item, Pipeline, stage};
use sandbox::{Ended, Finished, Run, Scratch, Status};
use serde_json::Value;

const GOOD: &str = "define i32 @f(i32 %x) { %y = udiv i32 %x, 24 %z = mul i32 %y, 3 ret i32 %z }";

/// Any LLVM from 14 to 22 asks a cost model of x86-64 for the size of a scalable vector, which ends it.
const SCALABLE: &str = "
define <vscale x 4 x i1> @f(ptr %p) {
  %a = getelementptr inbounds i64, ptr %p, <vscale x 4 x i64> zeroinitializer
  %c = icmp ne <vscale x 4 x ptr> %a, zeroinitializer
  ret <vscale x 4 x i1> %c
}";

/// Up to 16 `instcombine` makes `ldexpf` of it, for a vector: a zext from a vector to a scalar.
const INVALID: &str = "
declare <2 x float> @llvm.exp2.v2f32(<2 x float>)
define <2 x float> @f(<2 x i8> %x) {
  %c = uitofp <2 x i8> %x to <2 x float>
  %r = call <2 x float> @llvm.exp2.v2f32(<2 x float> %c)
  ret <2 x float> %r
}";

const LOOP: &str = "
define i32 @g(ptr %p, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %s = phi i32 [ 0, %entry ], [ %t, %loop ]
  %q = getelementptr i32, ptr %p, i32 %i
  %v = load i32, ptr %q
  %t = add i32 %s, %v
  %j = add i32 %i, 1
  %c = icmp slt i32 %j, %n
  br i1 %c, label %loop, label %end
end:
  ret i32 %t
}";

/// The libraries that are here; set-up installs that of clang-16.
fn libraries() -> Vec<Installed> {
    let all = Installed::all();
    let required = all.iter().any(|library| library.major == 16);
    assert!(required || std::env::var_os("CI").is_none(), "set-up installs LLVM 16, CI skips none");
    all
}

fn has_16() -> bool {
    libraries().iter().any(|library| library.major == 16)
}

fn start(library: &Installed) -> Server {
    let args = vec!["llvm".to_string(), "serve".to_string()];
    let program = Program { path: env!("CARGO_BIN_EXE_gainsay").into(), args };
    let setup = Setup { library: library.path.clone(), major: library.major, ..Setup::default() };
    Server::start(&program, &setup).expect("it starts")
}

fn item(module: impl AsRef<[u8]>, passes: &str) -> Item {
    let running = Running { verify_each: true, log: false };
    let pipeline = Pipeline::of(passes, running);
    let module = module.as_ref().to_vec();
    Item::Optimise { module, name: "x.ll".into(), pipeline, x86: true, print: true }
}

fn run(server: &mut Server, items: &[Item]) -> Vec<Ran> {
    let bytes = items.iter().map(Item::bytes).collect();
    server.run(bytes, Limits::default(), false).expect("the server lives")
}

fn gainsay(args: &[&str]) -> Run {
    Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(120)).arg("llvm").args(args)
}

fn finish(run: Run) -> Finished {
    match run.finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

fn exit(finished: &Finished) -> u8 {
    match finished.status {
        Status::Exit(status) => status,
        other => panic!("{other:?}: {}", finished.stderr.text()),
    }
}

/// What a person is told: short, and nothing that a terminal would act upon.
fn told(finished: &Finished) -> String {
    let bytes = &finished.stderr.bytes;
    let text = String::from_utf8(bytes.clone()).expect("UTF-8");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    assert!(
        text.lines().count() < 40 && text.lines().all(|line| line.chars().count() < 400),
        "{text}"
    );
    text
}

#[test]
fn a_culprit_of_any_version_is_blamed_alone() {
    for library in libraries() {
        let mut server = start(&library);
        let modules = [GOOD, LOOP, SCALABLE, GOOD, SCALABLE, LOOP];
        let ran = run(&mut server, &modules.map(|module| item(module, "default<O3>")));
        for (index, ran) in ran.iter().enumerate() {
            let verdict = Verdict::of(ran);
            match (index, &verdict) {
                (2 | 4, Verdict::Fault(signature)) => {
                    assert_eq!(signature.pass.as_deref(), Some("VectorCombinePass"), "{library:?}");
                    assert!(signature.summary.starts_with("LLVM ERROR: "), "{signature:?}");
                    assert!(matches!(ran.end, End::Fatal(_)) && ran.stage == stage::PASSES);
                    assert!(ran.artifact.starts_with(b"BC"), "the module is there as bitcode");
                }
                (0 | 1 | 3 | 5, Verdict::Fine(_)) => {}
                other => panic!("{library:?}: {other:?}"),
            }
        }
    }
}

#[test]
fn the_parser_may_recurse_until_the_stack_ends() {
    let deep =
        format!("@x = global {}i8{} zeroinitializer", "{".repeat(200_000), "}".repeat(200_000));
    for library in libraries() {
        let (verdict, ran) =
            judge(&mut start(&library), &item(&deep, "default<O1>"), Limits::default())
                .expect("it lives");
        let Verdict::Fault(signature) = verdict else { panic!("{library:?}: {verdict:?}") };
        assert!(signature.key.starts_with("stack overflow (signal 11) "), "{signature:?}");
        assert_eq!((ran.stage, signature.pass), (stage::MAKING, None));
    }
}

#[test]
fn limits_end_an_item() {
    let Some(library) = libraries().into_iter().find(|library| library.major == 16) else { return };
    let mut server = start(&library);
    // One block of many instructions that depend on each other: readable at once, slow to optimise.
    let line = |n: usize| format!("%x{} = mul i32 %x{n}, %x{}\n", n + 1, n / 2);
    let lines: String = (0..20_000).map(line).collect();
    let large = format!("define i32 @f(i32 %x0) {{\n{lines}ret i32 %x20000 }}");
    let time = Limits { time: Duration::from_millis(400), ..Limits::default() };
    let slow = item(&large, "function(reassociate,instcombine,gvn),default<O3>,default<O3>");
    let (verdict, _) = judge(&mut server, &slow, time).expect("it lives");
    assert!(
        matches!(&verdict, Verdict::Fault(signature) if signature.fault == Fault::Hang),
        "{verdict:?}"
    );
    let memory = Limits { memory: 4 << 20, ..Limits::default() };
    let (verdict, _) = judge(&mut server, &slow, memory).expect("it lives");
    assert!(
        matches!(&verdict, Verdict::Fault(signature) if signature.fault == Fault::Memory),
        "{verdict:?}"
    );
    assert!(matches!(
        Verdict::of(&run(&mut server, &[item(GOOD, "default<O3>")])[0]),
        Verdict::Fine(_)
    ));
}

#[test]
fn the_pass_that_broke_a_module_is_found() {
    if !has_16() {
        return;
    }
    let opt = |args: &[&str]| {
        let passes = "function(sroa,instcombine,gvn)";
        finish(
            gainsay(&[&["opt", "-", "--lib", "16", "--passes", passes], args].concat())
                .stdin(INVALID),
        )
    };
    let got = opt(&["--json"]);
    assert_eq!(exit(&got), 1);
    let object: Value = serde_json::from_str(&got.stdout.text()).expect("one JSON object");
    assert_eq!(
        (&object["outcome"], &object["pass"]),
        (&Value::from("invalid-ir"), &Value::from("InstCombinePass"))
    );
    let text = told(&opt(&[]));
    assert!(text.contains("\n  %1 = zext <2 x i8> %x to i32\n"), "the verifier's words: {text}");
    let key = object["signature"].as_str().expect("a text");
    assert!(text.ends_with(&format!("signature: {key}\n")), "{text}");
    assert_eq!(exit(&opt(&["--expect", key])), 0);
    assert_eq!(exit(&opt(&["--expect", "something else"])), 1);
}

#[test]
fn files_that_were_cut_or_never_were_modules() {
    let Some(library) = libraries().into_iter().find(|library| library.major == 16) else { return };
    let mut server = start(&library);
    let bitcode = run(&mut server, &[item(LOOP, "default<O1>")]).remove(0).artifact;
    // Not random at all, and the same every time.
    let noise: Vec<u8> =
        (0..30_000u64).map(|n| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect();
    let mut files = vec![Vec::new(), noise.clone(), [b"BC\xc0\xde", noise.as_slice()].concat()];
    for whole in [LOOP.as_bytes(), &bitcode] {
        files.extend((1..20).map(|part| whole[..whole.len() * part / 20].to_vec()));
    }
    for bytes in files {
        let got = finish(gainsay(&["opt", "-", "--lib", "16"]).stdin(bytes.clone()));
        let text = told(&got);
        match exit(&got) {
            0 => assert!(bytes.is_empty() || text.is_empty(), "{text}"),
            1 => assert!(text.contains("while the file was read"), "{text}"),
            2 => assert!(text.starts_with("gainsay: -: ") && text.lines().count() <= 5, "{text}"),
            other => panic!("{other}: {text}"),
        }
    }
    // Bits that fell over. LLVM's reader is not made for that: it may do anything but harm us.
    let flipped = |n: usize| {
        let mut bytes = bitcode.clone();
        let at = n * bytes.len() / 200;
        bytes[at] ^= 1 << (n % 8);
        item(bytes, "default<O1>")
    };
    let items: Vec<Item> = (0..200).map(flipped).collect();
    let ran = run(&mut server, &items);
    let mut tally = [0; 3];
    for ran in &ran {
        tally[match Verdict::of(ran) {
            Verdict::Fine(_) => 0,
            Verdict::Refused(_) => 1,
            Verdict::Fault(_) => 2,
            Verdict::Trouble(words) => panic!("{words}"),
        }] += 1;
    }
    assert!(tally[1] > 20, "{tally:?}");
    assert!(matches!(
        Verdict::of(&run(&mut server, &[item(GOOD, "default<O3>")])[0]),
        Verdict::Fine(_)
    ));
}

#[test]
fn large_files_end_somehow() {
    if !has_16() {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let path = |name: &str| scratch.file(name).to_string_lossy().into_owned();
    let zeros = path("zeros");
    fs::File::create(&zeros).and_then(|file| file.set_len(64 << 20)).expect("ours");
    // To LLVM a zero ends a text.
    assert_eq!(exit(&finish(gainsay(&["opt", &zeros, "--lib", "16"]))), 0);
    let many = path("many.ll");
    let function =
        |n: u32| format!("define i32 @f{n}(i32 %x) {{ %y = add i32 %x, {n} ret i32 %y }}\n");
    fs::write(&many, (0..300_000).map(function).collect::<String>()).expect("ours");
    let got = finish(gainsay(&["opt", &many, "--lib", "16", "--timeout", "1s"]));
    assert_eq!(exit(&got), 1);
    assert!(told(&got).contains("time limit"), "{}", told(&got));
    let got = finish(gainsay(&["opt", "/dev/zero"]));
    assert_eq!(
        (exit(&got), told(&got).as_str()),
        (2, "gainsay: /dev/zero is too large: at most 256 MiB are taken\n")
    );
}

#[test]
fn mistakes_get_a_sentence() {
    if !has_16() {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let path = |name: &str| scratch.file(name).to_string_lossy().into_owned();
    let (good, text, folder) = (path("good.ll"), path("text"), path("folder"));
    fs::write(&good, GOOD).expect("ours");
    fs::write(&text, "\x1b[2Jtext").expect("ours");
    fs::create_dir(&folder).expect("ours");
    let gainsay_itself = env!("CARGO_BIN_EXE_gainsay");
    let cases: [(&[&str], &str); 12] = [
        (&["opt", &folder], "cannot be read: Is a directory"),
        (&["opt", "/no/such"], "/no/such cannot be read: No such file"),
        (&["opt", &text], "error: expected top-level entity\n?[2Jtext"),
        (&["opt", &good, "--passes", "no-such"], "unknown pass name 'no-such'"),
        (&["opt", &good, "--passes", ""], "gainsay: "),
        (&["opt", &good, "--lib", "12"], "libLLVM 12 is too old"),
        (&["opt", &good, "--lib", "99"], "there is no libLLVM 99; installed are "),
        (&["opt", &good, "--lib", &good], "is not a shared library"),
        (&["opt", &good, "--lib", gainsay_itself], "cannot be opened"),
        (&["coverage", &text], "nothing was optimised"),
        (&["coverage", &good, "--baseline", &text], "is not a coverage baseline"),
        (&["coverage"], "required arguments were not provided"),
    ];
    for (args, sentence) in cases {
        let got = finish(gainsay(args));
        assert!(told(&got).contains(sentence), "{args:?}: {}", told(&got));
        assert_eq!(exit(&got), 2, "{args:?}");
        assert!(got.stdout.bytes.is_empty(), "{args:?}");
    }
    for command in ["opt", "coverage"] {
        let help = finish(gainsay(&[command, "--help"])).stdout.text();
        assert!(help.contains("Exit status:") && help.contains("Examples:"), "{help}");
    }
}

#[test]
fn coverage_tells_what_a_module_adds() {
    if !has_16() {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let path = |name: &str| scratch.file(name).to_string_lossy().into_owned();
    let (good, base, both) = (path("good.ll"), path("base"), path("both"));
    let (bad, other) = (path("bad.ll"), path("other.ll"));
    for (path, text) in [(&good, GOOD), (&bad, SCALABLE), (&other, LOOP)] {
        fs::write(path, text).expect("ours");
    }
    let coverage = |args: &[&str]| {
        let got = finish(gainsay(&[&["coverage", "--lib", "16"], args].concat()));
        assert_eq!(exit(&got), 0, "{}", got.stderr.text());
        got
    };
    let json = |args: &[&str]| -> Value {
        serde_json::from_str(&coverage(&[args, &["--json"]].concat()).stdout.text())
            .expect("one JSON object")
    };
    let first = json(&[&good, "--save", &base]);
    let image = &first["images"][0];
    assert!(
        image["reached"].as_u64() > Some(5_000) && image["blocks"].as_u64() > Some(1_000_000),
        "{image}"
    );
    assert_eq!((&image["new"], &first["modules"]), (&Value::Null, &Value::from(1)));
    let second = json(&[&other, &bad, &good, "--baseline", &base, "--save", &both, "--functions"]);
    assert_eq!((&second["modules"], &second["faults"]), (&Value::from(3), &Value::from(1)));
    let image = &second["images"][0];
    let new = image["new"].as_u64().expect("a number");
    assert!(new > 1_000 && Some(new) < image["reached"].as_u64(), "{new}");
    let functions = image["functions"].as_array().expect("a list");
    assert_eq!(functions.iter().filter_map(|function| function["new"].as_u64()).sum::<u64>(), new);
    let names: Vec<&str> =
        functions.iter().filter_map(|function| function["name"].as_str()).collect();
    assert!(
        names.iter().any(|name| name.starts_with("llvm::"))
            && !names.iter().any(|name| name.starts_with("_ZN4llvm"))
    );
    let third = coverage(&[&other, "--baseline", &both]).stdout.text();
    assert!(third.starts_with("1 module through LLVM 16.") && third.contains(" new\n"), "{third}");
    // Some blocks depend on where things lie in memory.
    let left = json(&[&other, "--baseline", &both])["images"][0]["new"].as_u64();
    assert!(left < Some(300), "{left:?}");
}

#[test]
fn a_module_is_reduced_without_a_script() {
    if !has_16() {
        return;
    }
    let scratch = Scratch::new().expect("a folder");
    let file = |name: &str, text: &str| {
        fs::write(scratch.path().join(name), text).expect("written");
    };
    file("bad.ll", &format!("{LOOP}{INVALID}"));
    file("good.ll", GOOD);
    file("none.ll", "this is no module");
    let reduce = |args: &[&str]| {
        let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(120));
        finish(run.arg("reduce").args(args).cwd(scratch.path()))
    };
    let passes = "function(sroa,instcombine,gvn)";
    let done = reduce(&["bad.ll", "--lib", "16", "--passes", passes, "-o", "small.ll"]);
    let told = done.stderr.text();
    assert_eq!(exit(&done), 0, "{told}");
    let small = fs::read_to_string(scratch.path().join("small.ll")).expect("the result");
    assert!(small.contains("exp2") && !small.contains("@g("), "{small}");
    assert!(told.contains("fails: 16: invalid IR after InstCombinePass"), "{told}");
    assert!(told.contains("passes: opt-16 '-passes=instcombine'"), "{told}");
    let fine = reduce(&["good.ll", "--lib", "16", "--passes", passes]);
    assert_eq!((exit(&fine), fine.stderr.text().contains("nothing is wrong")), (1, true));
    let none = reduce(&["none.ll", "--lib", "16", "--passes", passes]);
    assert_eq!(exit(&none), 1, "{}", none.stderr.text());
    file("a.c", "int main(void) { return 0; }");
    let mixed = reduce(&["a.c", "--lib", "16"]);
    assert!(mixed.stderr.text().contains("are for one LLVM module"), "{}", mixed.stderr.text());
}
