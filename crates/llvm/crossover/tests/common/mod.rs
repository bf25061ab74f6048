//! What holds with every version of LLVM: seeds are what they should be, and crossovers are valid.

#![allow(dead_code)]

use std::sync::OnceLock;

use choice::Choices;
use crossover::{
    CrossoverFailure, CrossoverKind, Facts, Policy, SplitFailure, SplitSeed, cross, split_text,
};
use llvmhost::{Context, Installed, Llvm};

/// The library of this test; `None` if it is not installed, which CI does not allow.
pub fn library(version: &str) -> Option<&'static Llvm> {
    static LLVM: OnceLock<Option<Llvm>> = OnceLock::new();
    let open = || match Installed::named(version) {
        Ok(found) => Some(Llvm::open(&found.path, found.major).expect("it opens")),
        Err(why) => {
            let in_ci = std::env::var_os("CI").is_some();
            assert!(!in_ci, "set-up installs LLVM {version}, CI skips none: {why}");
            None
        }
    };
    LLVM.get_or_init(open).as_ref()
}

/// The seeds of a text, which all must be fine.
pub fn seeds(llvm: &Llvm, text: &str) -> Vec<SplitSeed> {
    let pieces = split_text(&Context::new(llvm), text.as_bytes());
    pieces.into_iter().map(|piece| piece.expect("a seed")).collect()
}

/// The one seed of a text.
pub fn seed(llvm: &Llvm, text: &str) -> Vec<u8> {
    let mut all = seeds(llvm, text);
    assert_eq!(all.len(), 1, "one function");
    all.remove(0).bitcode
}

/// A module as text, without what every module begins with.
pub fn text(llvm: &Llvm, bitcode: &[u8]) -> String {
    let context = Context::new(llvm);
    let text = context.parse(bitcode, "x").expect("a module").text();
    let head = |line: &&str| {
        line.starts_with("; ModuleID")
            || line.starts_with("source_filename")
            || line.starts_with("target ")
    };
    let lines: Vec<&str> = text.lines().filter(|line| !head(line)).collect();
    lines.join("\n").trim().to_string()
}

/// A policy without what is random for its own sake.
pub fn plain() -> Policy {
    Policy { undef: 0, poison: 0, variable: 0, initialised: 0, internal: 0, instructions: 1000 }
}

/// A crossover as text.
pub fn crossed(
    llvm: &Llvm,
    pair: [&str; 2],
    kind: CrossoverKind,
    policy: &Policy,
    number: u64,
) -> Result<String, CrossoverFailure> {
    let [first, second] = pair.map(|text| seed(llvm, text));
    let context = Context::new(llvm);
    let made = cross(&context, &first, &second, kind, policy, &mut Choices::new(number))?;
    Ok(text(llvm, &made.bitcode()))
}

/// Everything that a test file may have beside functions.
const FILE: &str = r#"
source_filename = "anything.c"
target triple = "i386-pc-windows-msvc"
module asm "nop"
$both = comdat any
@list = global [2 x ptr] [ptr @inner, ptr @data]
@data = internal global i32 1
@lonely = global i32 2
@llvm.used = appending global [1 x ptr] [ptr @data], section "llvm.metadata"
@other = alias void (), ptr @inner
@chosen = ifunc i32 (i32), ptr @resolver
declare dllimport i32 @far(i32)
define linkonce_odr void @inner() comdat($both) {
  store i32 3, ptr @data
  ret void
}
define internal ptr @resolver() #0 {
  ret ptr @far
}
define i32 @outer(i32 %x) #0 {
  call void @other() alwaysinline
  %a = call i32 @chosen(i32 %x)
  %b = load ptr, ptr @list
  %c = icmp eq ptr %b, @resolver
  %d = zext i1 %c to i32
  %e = add i32 %a, %d
  ret i32 %e
}
attributes #0 = { alwaysinline "target-cpu"="pentium4" "target-features"="+neon" }
!llvm.ident = !{!0}
!llvm.module.flags = !{!1}
!0 = !{!"somebody"}
!1 = !{i32 1, !"wchar_size", i32 4}
"#;

/// Every function alone, with what it needs and nothing else.
pub fn splits(llvm: &Llvm) {
    let pieces = seeds(llvm, FILE);
    let names: Vec<&str> = pieces.iter().map(|piece| piece.name.as_str()).collect();
    assert_eq!(names, ["inner", "resolver", "outer"]);
    let inner = text(llvm, &pieces[0].bitcode);
    assert!(inner.contains("define void @inner()"), "{inner}");
    assert!(inner.contains("@data = internal global i32 1"), "{inner}");
    for gone in
        ["@list", "@lonely", "@far", "comdat", "asm", "llvm.used", "ident", "alias", "ifunc"]
    {
        assert!(!inner.contains(gone), "{gone} in {inner}");
    }
    let outer = text(llvm, &pieces[2].bitcode);
    for there in
        ["declare void @inner()", "declare i32 @chosen(i32)", "ptr @resolver()\n", "@list = global"]
    {
        assert!(outer.contains(there), "{there} not in {outer}");
    }
    for gone in ["alwaysinline", "pentium4", "neon", "@other", "@lonely"] {
        assert!(!outer.contains(gone), "{gone} in {outer}");
    }
    assert!(!outer.contains("wchar_size"), "{outer}");
    let facts = &pieces[2].facts.functions[0];
    assert_eq!(
        (facts.result.as_str(), facts.parameters.as_slice()),
        ("i32", &["i32".to_string()][..])
    );
    assert_eq!(facts.offers, ["i1", "i32", "ptr"]);
    assert!(facts.inlinable && facts.hosting && facts.callable);
    assert_eq!(facts.instructions, 7);
}

/// What is no seed says why.
pub fn sets_aside(llvm: &Llvm) {
    let aside = |text: &str| {
        let mut all = split_text(&Context::new(llvm), text.as_bytes());
        all.remove(0).expect_err("no seed")
    };
    assert!(matches!(aside("define"), SplitFailure::Parse(_)));
    assert!(matches!(
        aside("define i32 @f() {\n ret void\n}"),
        SplitFailure::Parse(_) | SplitFailure::Invalid(_)
    ));
    let arm = "target triple = \"armv7--\"\ndefine void @f() {\n ret void\n}";
    assert_eq!(aside(arm), SplitFailure::Target("armv7--".to_string()));
    let intrinsic = "declare i32 @llvm.hexagon.A2.add(i32, i32)\ndefine i32 @f(i32 %x) {\n \
                     %r = call i32 @llvm.hexagon.A2.add(i32 %x, i32 %x)\n ret i32 %r\n}";
    assert_eq!(aside(intrinsic), SplitFailure::Target("llvm.hexagon.A2.add".to_string()));
    // x86-64 has no costs for them, and its own code ends on them.
    let scalable =
        "define <vscale x 4 x i32> @f(<vscale x 4 x i32> %x) {\n ret <vscale x 4 x i32> %x\n}";
    assert_eq!(aside(scalable), SplitFailure::Target("<vscale x".to_string()));
}

/// Small functions of many kinds.
const SEEDS: &str = r#"
@g = global i32 7
@h = internal constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
%pair = type { i32, i64 }
declare void @use(i32)
declare i32 @get()
declare i32 @__gxx_personality_v0(...)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.assume(i1)
declare i32 @llvm.ctlz.i32(i32, i1)

define i32 @add(i32 %x, i32 %y) {
  %r = add nsw i32 %x, %y
  ret i32 %r
}
define i32 @loop(i32 %n, ptr %p) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %body ]
  %c = icmp slt i32 %i, %n
  br i1 %c, label %body, label %exit
body:
  %q = getelementptr inbounds i32, ptr %p, i32 %i
  %v = load i32, ptr %q
  %next = add i32 %i, 1
  store i32 %v, ptr @g
  br label %head
exit:
  ret i32 %i
}
define void @choose(i32 %x) {
  switch i32 %x, label %other [ i32 1, label %one
                                i32 2, label %one ]
one:
  %p = phi i32 [ 5, %0 ], [ 5, %0 ]
  call void @use(i32 %p)
  br label %other
other:
  ret void
}
define i64 @members(ptr %p, i64 %at) {
  %a = getelementptr %pair, ptr %p, i64 %at, i32 1
  %b = load i64, ptr %a
  %c = alloca [4 x i32]
  call void @llvm.memcpy.p0.p0.i64(ptr %c, ptr @h, i64 16, i1 false)
  ret i64 %b
}
define i1 @bits(i32 %x) {
  %z = call i32 @llvm.ctlz.i32(i32 %x, i1 true)
  %c = icmp ult i32 %z, 8
  call void @llvm.assume(i1 %c)
  ret i1 %c
}
define i32 @unwinds() personality ptr @__gxx_personality_v0 {
  %v = invoke i32 @get() to label %fine unwind label %pad
fine:
  ret i32 %v
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
}
define i32 @tail(i32 %x, i32 %y) {
  %s = sub i32 %x, %y
  %r = musttail call i32 @tail(i32 %s, i32 %x)
  ret i32 %r
}
define double @real(double %x, <4 x i32> %v) noinline optnone {
  %e = extractelement <4 x i32> %v, i32 2
  %f = sitofp i32 %e to double
  %g = fmul double %f, %x
  ret double %g
}
define fastcc void @result(ptr sret(%pair) %out, ptr byval(%pair) %in) {
  %v = load i32, ptr %in
  store i32 %v, ptr %out
  ret void
}
define <4 x i32> @vector(<4 x i32> %v, i32 %x) {
  %w = insertelement <4 x i32> %v, i32 %x, i32 0
  %s = shufflevector <4 x i32> %v, <4 x i32> %w, <4 x i32> <i32 0, i32 5, i32 2, i32 7>
  ret <4 x i32> %s
}
define i32 @varied(ptr %f, ...) {
  %r = call i32 (ptr, ...) %f(ptr %f, i32 1)
  ret i32 %r
}
%0 = type { i32, i32 }
define %0 @unnamed(%0 %p) {
  %a = extractvalue %0 %p, 1
  %q = insertvalue %0 %p, i32 %a, 0
  ret %0 %q
}
define {i32, i1} @two(i128 %w, float %f) {
  %t = trunc i128 %w to i32
  %p = insertvalue {i32, i1} undef, i32 %t, 0
  ret {i32, i1} %p
}
"#;

/// Random crossovers, also of crossovers, are valid and the same each time.
pub fn crossovers_are_valid(llvm: &Llvm) {
    let mut pool: Vec<Vec<u8>> =
        seeds(llvm, SEEDS).into_iter().map(|piece| piece.bitcode).collect();
    let (mut choices, policy) = (Choices::new(1), Policy::default());
    let mut made = [0, 0];
    for number in 0..300 {
        let (a, b) = (choices.index(pool.len()), choices.index(pool.len()));
        let kind = if choices.chance(50) { CrossoverKind::Inline } else { CrossoverKind::Sequence };
        let once = || {
            let context = Context::new(llvm);
            let mut choices = Choices::new(number);
            let module = cross(&context, &pool[a], &pool[b], kind, &policy, &mut choices)?;
            module.verify().expect("valid");
            Ok::<_, CrossoverFailure>((module.bitcode(), Facts::of(&module)))
        };
        let (first, second) = (once(), once());
        assert_eq!(first, second, "crossover {number} is the same again");
        match first {
            Ok((bitcode, _)) => {
                made[kind as usize] += 1;
                pool.push(bitcode);
            }
            Err(
                CrossoverFailure::NoLocation
                | CrossoverFailure::NoArguments
                | CrossoverFailure::Unfit(_)
                | CrossoverFailure::TooLarge,
            ) => {}
            Err(other) => panic!("crossover {number}: {other}"),
        }
    }
    assert!(made.iter().all(|&count| count > 80), "{made:?}");
}

/// A seed with itself: the source is a copy of the destination.
pub fn crosses_itself(llvm: &Llvm) {
    let one = "define i32 @f(i32 %x) {\n %r = add i32 %x, 1\n ret i32 %r\n}";
    for number in 0..10 {
        let made = crossed(llvm, [one, one], CrossoverKind::Inline, &plain(), number)
            .expect("a crossover");
        assert_eq!(made.matches("add i32").count(), 2, "{made}");
        assert_eq!(made.matches("define").count(), 1, "{made}");
    }
}

/// Contracts of LLVM's that its verifier does not check are kept.
pub fn keeps_contracts(llvm: &Llvm) {
    // No function takes what this one has, so that it can only be inlined itself.
    let number = "define i32 @one() {\n ret i32 1\n}";
    let cross = |body: &str| {
        let text = format!(
            "declare void @llvm.localescape(...)\n\
             declare i32 @llvm.smul.fix.i32(i32, i32, i32)\n\
             declare <4 x i8> @llvm.matrix.column.major.load.v4i8.i32(ptr, i32, i1, i32, i32)\n\
             declare i32 @g(ptr, i32)\n{body}"
        );
        crossed(llvm, [&text, number], CrossoverKind::Inline, &plain(), 1)
    };
    let accepted =
        |body: &str| cross(body).map_err(|why| format!("{why} of {body}")).expect("a crossover");
    let refused = |body: &str| {
        let made = cross(body);
        assert!(
            matches!(
                made,
                Err(CrossoverFailure::Unfit(_)
                    | CrossoverFailure::NoLocation
                    | CrossoverFailure::NoArguments)
            ),
            "{made:?}"
        );
    };
    accepted("define void @f(ptr %e) {\n store i32 1, ptr %e\n ret void\n}");
    refused(
        "define void @f(ptr swifterror %e) {\n %a = add i32 1, 2\n store ptr null, ptr %e\n ret void\n}",
    );
    let escape = "call void (...) @llvm.localescape(ptr %a)";
    refused(&format!(
        "define void @f(ptr %e) {{\n %a = alloca i32\n {escape}\n store i32 1, ptr %e\n ret void\n}}"
    ));
    // Passes might make this stride a constant that the verifier refuses.
    let load = "call <4 x i8> @llvm.matrix.column.major.load.v4i8.i32";
    refused(&format!(
        "define void @f(ptr %p, i32 %n) {{\n %v = {load}(ptr %p, i32 %n, i1 false, i32 2, i32 2)\n ret void\n}}"
    ));
    // Nothing comes between the call and the end, and its arguments stay.
    refused(
        "define i32 @f(ptr %p, i32 %x) {\n %r = musttail call i32 @g(ptr %p, i32 %x)\n ret i32 %r\n}",
    );
    // Members of structs stay constants, and so do numbers that intrinsics want to know.
    refused(
        "define void @f(ptr %p) {\n %a = getelementptr { i8, i8 }, ptr %p, i64 0, i32 1\n \
         store i8 0, ptr %a\n ret void\n}",
    );
    let fixed = "call i32 @llvm.smul.fix.i32";
    let made = accepted(&format!(
        "define void @f(ptr %p, i32 %x) {{\n %y = {fixed}(i32 %x, i32 %x, i32 2)\n ret void\n}}"
    ));
    assert!(made.contains("i32 2)"), "{made}");
    // The cases of a switch stay.
    let made = accepted(
        "define void @f(ptr %p, i32 %x) {\n switch i32 %x, label %e [ i32 3, label %e ]\ne:\n ret void\n}",
    );
    assert!(made.contains("i32 3, label %e"), "{made}");
}

/// A function with debug information, whose one instruction says where it is, or not.
fn described(located: bool) -> String {
    let location = if located { ", !dbg !5" } else { "" };
    format!(
        "define i32 @f(i32 %x) !dbg !4 {{\n %r = add i32 %x, 1{location}\n ret i32 %r{location}\n}}\n\
         !llvm.dbg.cu = !{{!0}}\n!llvm.module.flags = !{{!2}}\n\
         !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)\n\
         !1 = !DIFile(filename: \"a.c\", directory: \"/\")\n\
         !2 = !{{i32 2, !\"Debug Info Version\", i32 3}}\n\
         !3 = !DISubroutineType(types: !6)\n\
         !4 = distinct !DISubprogram(name: \"f\", scope: !1, file: !1, line: 1, type: !3, unit: !0, \
         spFlags: DISPFlagDefinition)\n!5 = !DILocation(line: 2, scope: !4)\n!6 = !{{}}\n"
    )
}

/// A call gets a place in the source, or debug information goes.
pub fn keeps_debug_information(llvm: &Llvm) {
    let (with, without) = (described(true), described(false));
    let made =
        crossed(llvm, [&with, &with], CrossoverKind::Inline, &plain(), 1).expect("a crossover");
    assert!(made.contains("inlinedAt"), "{made}");
    let made = crossed(llvm, [&without, &without], CrossoverKind::Inline, &plain(), 1)
        .expect("a crossover");
    assert!(!made.contains("DISubprogram"), "{made}");
    crossed(llvm, [&with, &without], CrossoverKind::Sequence, &plain(), 1).expect("a crossover");
}

/// Equal declarations become one; what has another type, or is defined twice, gets another name.
pub fn keeps_names_apart(llvm: &Llvm) {
    let one = "@v = global i32 1\ndeclare i32 @same(i32)\ndeclare i32 @other(i32)\n\
               define i32 @f(i32 %x) {\n %a = load i32, ptr @v\n %b = call i32 @same(i32 %a)\n \
               %c = call i32 @other(i32 %b)\n ret i32 %c\n}";
    let two = one.replace("i32 @other(i32", "i32 @other(i64").replace("(i64 %b", "(i64 0");
    let made =
        crossed(llvm, [one, &two], CrossoverKind::Sequence, &plain(), 1).expect("a crossover");
    for (name, count) in [("@v = ", 1), ("@v.1 = ", 1), ("declare i32 @same(i32)", 1)] {
        assert_eq!(made.matches(name).count(), count, "{name} in {made}");
    }
    for there in ["declare i32 @other(i32)", "declare i32 @other.1(i64)", "@f(", "@f.1("] {
        assert!(made.contains(there), "{there} not in {made}");
    }
}

/// A local function of one is not what the other declares under its name.
pub fn keeps_local_functions(llvm: &Llvm) {
    let one = "define i32 @f(i32 %x) {\n %r = add i32 %x, 1\n ret i32 %r\n}";
    let two =
        "declare i32 @f(i32)\ndefine i32 @h(i32 %x) {\n %r = call i32 @f(i32 %x)\n ret i32 %r\n}";
    let policy = Policy { internal: 100, ..plain() };
    let (one, two) = (seed(llvm, one), seed(llvm, two));
    for number in 0..8 {
        let context = Context::new(llvm);
        let mut choices = Choices::new(number);
        let local = cross(&context, &one, &one, CrossoverKind::Sequence, &policy, &mut choices)
            .expect("valid");
        let both =
            cross(&context, &local.bitcode(), &two, CrossoverKind::Sequence, &policy, &mut choices);
        let both = text(llvm, &both.expect("valid").bitcode());
        assert!(both.contains("define internal i32 @f(i32"), "{both}");
        assert!(both.contains("declare i32 @f.2(i32)"), "{both}");
    }
}

/// All of it.
pub fn all(version: &str) {
    let Some(llvm) = library(version) else { return };
    splits(llvm);
    sets_aside(llvm);
    crosses_itself(llvm);
    keeps_contracts(llvm);
    keeps_debug_information(llvm);
    keeps_names_apart(llvm);
    keeps_local_functions(llvm);
    crossovers_are_valid(llvm);
}
