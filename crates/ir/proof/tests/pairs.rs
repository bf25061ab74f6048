//! Pairs of functions, put to the solver: right ones are proved, wrong ones refuted, the rest refused.
#![allow(clippy::disallowed_methods)] // A test starts the solver itself.

use std::io::Write;
use std::process::{Command, Stdio};

use irmachine::input::{Datum, Place, Scalar};
use irproof::{Limits, Question, Verdict, pose, settle};

fn ask(question: &Question) -> String {
    let mut solver = Command::new("z3")
        .args(["-T:20", "-in"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("z3 is installed");
    let mut input = solver.stdin.take().expect("a pipe");
    let _ = input.write_all(question.text.as_bytes());
    drop(input);
    let output = solver.wait_with_output().expect("z3 ends");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// `head` stands before both bodies.
fn verdict_of(head: &str, before: &str, after: &str) -> Result<Verdict, String> {
    let parse = |body: &str| irtext::parse(&format!("{head} {{\n{body}\n}}\n{REST}")).expect(body);
    let (before, after) = (parse(before), parse(after));
    let name = head.split(['@', '(']).nth(1).expect("a name");
    let questions =
        pose(&before, &after, name, &Limits::default()).map_err(|why| why.to_string())?;
    Ok(settle(&questions, &mut ask))
}

const REST: &str = "
@g = global i32 0
@k = constant [4 x i8] c\"abcd\"
declare void @use(i32)
declare void @see(ptr)
declare i32 @get()
declare i32 @pure(i32) memory(none) nounwind willreturn
declare i32 @same() memory(none) nounwind willreturn
declare i32 @peek(ptr) memory(read) nounwind willreturn
declare void @llvm.assume(i1)
declare i8 @llvm.umin.i8(i8, i8)
declare i8 @llvm.abs.i8(i8, i1)
declare i8 @llvm.ctpop.i8(i8)
declare i8 @llvm.cttz.i8(i8, i1)
declare i8 @llvm.fshl.i8(i8, i8, i8)
declare i16 @llvm.bswap.i16(i16)
declare {i8, i1} @llvm.uadd.with.overflow.i8(i8, i8)
declare i8 @llvm.vector.reduce.or.v2i8(<2 x i8>)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
";

fn proved(head: &str, before: &str, after: &str) {
    match verdict_of(head, before, after) {
        Ok(Verdict::Refines) => {}
        other => panic!("{head} {{ {before} }} => {{ {after} }}: {other:?}"),
    }
}

/// Refuted; the arguments of the input, as text.
fn refuted(head: &str, before: &str, after: &str) -> irmachine::input::Input {
    match verdict_of(head, before, after) {
        Ok(Verdict::Refuted(input)) => *input,
        other => panic!("{head} {{ {before} }} => {{ {after} }}: {other:?}"),
    }
}

/// Neither proved nor refuted.
fn open(head: &str, before: &str, after: &str) {
    match verdict_of(head, before, after) {
        Ok(Verdict::Unknown(_)) => {}
        other => panic!("{head} {{ {before} }} => {{ {after} }}: {other:?}"),
    }
}

fn bits(datum: &Datum) -> u128 {
    match datum {
        Datum::Scalar(Scalar::Bits(bits)) => bits.small().expect("few bits"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn integers() {
    let f = "define i8 @f(i8 %x, i8 %y)";
    proved(f, "%r = mul i8 %x, 8 ret i8 %r", "%r = shl i8 %x, 3 ret i8 %r");
    proved(f, "%r = udiv i8 %x, 4 ret i8 %r", "%r = lshr i8 %x, 2 ret i8 %r");
    proved(f, "%r = add nsw i8 %x, %y ret i8 %r", "%r = add i8 %x, %y ret i8 %r");
    let input = refuted(f, "%r = sdiv i8 %x, 4 ret i8 %r", "%r = ashr i8 %x, 2 ret i8 %r");
    let x = bits(&input.arguments[0]) as u8 as i8;
    assert_ne!(x / 4, x >> 2);
    refuted(f, "%r = add i8 %x, %y ret i8 %r", "%r = add nsw i8 %x, %y ret i8 %r");
    refuted(f, "%r = shl i8 %x, 1 ret i8 %r", "%r = shl nuw i8 %x, 1 ret i8 %r");
    proved(
        f,
        "%a = and i8 %x, %y %b = or i8 %x, %y %r = add i8 %a, %b ret i8 %r",
        "%r = add i8 %x, %y ret i8 %r",
    );
    refuted(f, "%r = udiv i8 %x, %y ret i8 %r", "%r = udiv exact i8 %x, %y ret i8 %r");
    proved(f, "%a = udiv i8 %x, %y ret i8 0", "ret i8 0");
    refuted(f, "ret i8 0", "%a = udiv i8 %x, %y ret i8 0");
    proved(
        "define i1 @f(i8 %x)",
        "%a = add nsw i8 %x, 1 %r = icmp sgt i8 %a, %x ret i1 %r",
        "ret i1 true",
    );
    refuted(
        "define i1 @f(i8 %x)",
        "%a = add i8 %x, 1 %r = icmp sgt i8 %a, %x ret i1 %r",
        "ret i1 true",
    );
}

#[test]
fn wide_integers() {
    let f = "define i200 @f(i200 %x)";
    proved(f, "%r = add i200 %x, %x ret i200 %r", "%r = shl i200 %x, 1 ret i200 %r");
    refuted(f, "%r = add i200 %x, -1 ret i200 %r", "%r = add i200 %x, 1 ret i200 %r");
}

#[test]
fn undefined_values() {
    let f = "define i8 @f(i8 %x)";
    proved(f, "%r = add i8 %x, %x ret i8 %r", "%r = mul i8 %x, 2 ret i8 %r");
    // An undefined %x makes any number of the right, but only even ones of the left.
    let input = refuted(f, "%r = mul i8 %x, 2 ret i8 %r", "%r = add i8 %x, %x ret i8 %r");
    assert_eq!(input.arguments, [Datum::Scalar(Scalar::Undef)]);
    let n = "define i8 @f(i8 noundef %x)";
    proved(n, "%r = mul i8 %x, 2 ret i8 %r", "%r = add i8 %x, %x ret i8 %r");
    proved(
        f,
        "%y = freeze i8 %x %r = mul i8 %y, 2 ret i8 %r",
        "%y = freeze i8 %x %r = add i8 %y, %y ret i8 %r",
    );
    proved("define i8 @f()", "%r = xor i8 undef, undef ret i8 %r", "ret i8 0");
    proved("define i8 @f()", "%a = add i8 undef, 1 %r = sub i8 %a, %a ret i8 %r", "ret i8 7");
    proved("define i8 @f()", "%r = or i8 undef, 1 ret i8 %r", "ret i8 5");
    refuted("define i8 @f()", "%r = or i8 undef, 1 ret i8 %r", "ret i8 4");
    refuted("define i8 @f()", "ret i8 0", "ret i8 undef");
    refuted("define i8 @f()", "ret i8 undef", "ret i8 poison");
    proved("define i8 @f()", "ret i8 poison", "ret i8 undef");
    proved(f, "%r = freeze i8 poison ret i8 %r", "ret i8 3");
    refuted(f, "%r = freeze i8 %x ret i8 %r", "ret i8 %x");
    proved(f, "ret i8 %x", "%r = freeze i8 %x ret i8 %r");
    proved(
        f,
        "%a = add nsw i8 %x, 1 %r = freeze i8 %a ret i8 %r",
        "%a = freeze i8 %x %r = add i8 %a, 1 ret i8 %r",
    );
}

#[test]
fn branches() {
    let f = "define i8 @f(i1 %c, i8 %x)";
    let branch = "br i1 %c, label %a, label %b a: br label %j b: br label %j
                  j: %r = phi i8 [ %x, %a ], [ 0, %b ] ret i8 %r";
    let select = "%r = select i1 %c, i8 %x, i8 0 ret i8 %r";
    proved(f, branch, select);
    let input = refuted(f, select, branch);
    assert_eq!(input.arguments[0], Datum::Scalar(Scalar::Poison));
    let frozen = branch.replace("br i1 %c", "%d = freeze i1 %c br i1 %d");
    proved(f, select, &frozen);
    proved(
        f,
        "%a = select i1 %c, i1 true, i1 false %r = zext i1 %a to i8 ret i8 %r",
        "%r = zext i1 %c to i8 ret i8 %r",
    );
    let g = "define i1 @f(i1 %c, i1 %d)";
    proved(g, "%r = and i1 %c, %d ret i1 %r", "%r = select i1 %c, i1 %d, i1 false ret i1 %r");
    refuted(g, "%r = select i1 %c, i1 %d, i1 false ret i1 %r", "%r = and i1 %c, %d ret i1 %r");
    let switch = "switch i8 %x, label %d [ i8 1, label %a i8 2, label %a ] a: ret i8 1 d: ret i8 0";
    let range = "%y = add i8 %x, -1 %s = icmp ult i8 %y, 2 %r = zext i1 %s to i8 ret i8 %r";
    proved(f, switch, range);
    refuted(f, switch, &range.replace("2", "3"));
    proved(f, "br i1 %c, label %a, label %b a: unreachable b: ret i8 %x", "ret i8 %x");
    refuted(f, "ret i8 %x", "br i1 %c, label %a, label %b a: unreachable b: ret i8 %x");
}

#[test]
fn vectors_and_aggregates() {
    let f = "define <2 x i8> @f(<2 x i8> %x, i8 %y)";
    proved(
        f,
        "%a = insertelement <2 x i8> %x, i8 %y, i32 0 %b = insertelement <2 x i8> %a, i8 1, i32 0 ret <2 x i8> %b",
        "%b = insertelement <2 x i8> %x, i8 1, i32 0 ret <2 x i8> %b",
    );
    proved(
        f,
        "%a = shufflevector <2 x i8> %x, <2 x i8> poison, <2 x i32> <i32 1, i32 0>
         %b = shufflevector <2 x i8> %a, <2 x i8> poison, <2 x i32> <i32 1, i32 0> ret <2 x i8> %b",
        "ret <2 x i8> %x",
    );
    refuted(
        f,
        "ret <2 x i8> %x",
        "%b = shufflevector <2 x i8> %x, <2 x i8> poison, <2 x i32> <i32 0, i32 undef> ret <2 x i8> %b",
    );
    let g = "define i8 @f(<2 x i8> %x, i32 %i)";
    proved(g, "%r = extractelement <2 x i8> %x, i32 2 ret i8 %r", "ret i8 9");
    refuted(
        g,
        "%r = extractelement <2 x i8> %x, i32 %i ret i8 %r",
        "%r = extractelement <2 x i8> %x, i32 0 ret i8 %r",
    );
    proved(
        g,
        "%a = insertvalue {i8, i32} poison, i32 %i, 1 %b = insertvalue {i8, i32} %a, i8 4, 0
         %r = extractvalue {i8, i32} %b, 0 ret i8 %r",
        "ret i8 4",
    );
    proved(
        "define i16 @f(<2 x i8> %x)",
        "%a = bitcast <2 x i8> %x to i16 %r = and i16 %a, 255 ret i16 %r",
        "%a = extractelement <2 x i8> %x, i32 0 %r = zext i8 %a to i16 ret i16 %r",
    );
}

#[test]
fn intrinsics() {
    let f = "define i8 @f(i8 %x, i8 %y)";
    proved(
        f,
        "%c = icmp ult i8 %x, %y %r = select i1 %c, i8 %x, i8 %y ret i8 %r",
        "%r = call i8 @llvm.umin.i8(i8 %x, i8 %y) ret i8 %r",
    );
    refuted(
        f,
        "%r = call i8 @llvm.abs.i8(i8 %x, i1 false) ret i8 %r",
        "%r = call i8 @llvm.abs.i8(i8 %x, i1 true) ret i8 %r",
    );
    proved(
        f,
        "%a = call i8 @llvm.ctpop.i8(i8 %x) %r = and i8 %a, 15 ret i8 %r",
        "%r = call i8 @llvm.ctpop.i8(i8 %x) ret i8 %r",
    );
    refuted(
        f,
        "%r = call i8 @llvm.cttz.i8(i8 %x, i1 false) ret i8 %r",
        "%r = call i8 @llvm.cttz.i8(i8 %x, i1 true) ret i8 %r",
    );
    proved(
        f,
        "%r = call i8 @llvm.fshl.i8(i8 %x, i8 %y, i8 11) ret i8 %r",
        "%a = shl i8 %x, 3 %b = lshr i8 %y, 5 %r = or i8 %a, %b ret i8 %r",
    );
    proved(
        "define i16 @f(i16 %x)",
        "%a = call i16 @llvm.bswap.i16(i16 %x) %r = call i16 @llvm.bswap.i16(i16 %a) ret i16 %r",
        "ret i16 %x",
    );
    let g = "define i1 @f(i8 noundef %x, i8 noundef %y)";
    let overflow = "%a = call {i8, i1} @llvm.uadd.with.overflow.i8(i8 %x, i8 %y)
                    %r = extractvalue {i8, i1} %a, 1 ret i1 %r";
    proved(g, overflow, "%n = xor i8 %x, -1 %r = icmp ugt i8 %y, %n ret i1 %r");
    refuted(g, overflow, "%n = xor i8 %x, -1 %r = icmp uge i8 %y, %n ret i1 %r");
    proved(
        f,
        "%c = icmp ugt i8 %x, 9 call void @llvm.assume(i1 %c) %r = icmp eq i8 %x, 0 %z = zext i1 %r to i8 ret i8 %z",
        "ret i8 0",
    );
    refuted(f, "ret i8 0", "%c = icmp ugt i8 %x, 9 call void @llvm.assume(i1 %c) ret i8 0");
}

#[test]
fn memory() {
    let f = "define i32 @f(ptr %p, ptr noundef %q, i32 %x)";
    proved(
        f,
        "%a = alloca i32 store i32 %x, ptr %a %r = load i32, ptr %a ret i32 %r",
        "ret i32 %x",
    );
    proved(
        f,
        "store i32 1, ptr %p store i32 2, ptr %p %r = load i32, ptr %p ret i32 %r",
        "store i32 2, ptr %p ret i32 2",
    );
    let input = refuted(
        f,
        "%a = load i32, ptr %p store i32 1, ptr %q %b = load i32, ptr %p %r = sub i32 %a, %b ret i32 %r",
        "store i32 1, ptr %q ret i32 0",
    );
    match (&input.arguments[0], &input.arguments[1]) {
        (
            Datum::Scalar(Scalar::Pointer(Place::Block { block: a, .. })),
            Datum::Scalar(Scalar::Pointer(Place::Block { block: b, offset })),
        ) => {
            assert_eq!(a, b, "they overlap");
            assert!((*offset as usize) < input.blocks[*b as usize].bytes.len());
        }
        other => panic!("{other:?}"),
    }
    // A load that was not there may be out of bounds.
    refuted(f, "ret i32 0", "%a = load i32, ptr %p ret i32 0");
    proved(f, "%a = load i32, ptr %p ret i32 0", "ret i32 0");
    // A store that was not there may be to what is not to be written.
    refuted(
        f,
        "%a = load i32, ptr %p ret i32 0",
        "%a = load i32, ptr %p store i32 %a, ptr %p ret i32 0",
    );
    refuted(f, "store i32 1, ptr %p ret i32 0", "ret i32 0");
    refuted(
        f,
        "%r = load i32, ptr %p, align 1 ret i32 %r",
        "%r = load i32, ptr %p, align 4 ret i32 %r",
    );
    proved(
        f,
        "store i32 %x, ptr %p %b = getelementptr i8, ptr %p, i64 1 %c = load i8, ptr %b %r = zext i8 %c to i32 ret i32 %r",
        "store i32 %x, ptr %p %a = lshr i32 %x, 8 %r = and i32 %a, 255 ret i32 %r",
    );
    proved(
        f,
        "%a = getelementptr i8, ptr @k, i64 2 %c = load i8, ptr %a %r = zext i8 %c to i32 ret i32 %r",
        "ret i32 99",
    );
    proved(
        f,
        "store ptr %q, ptr %p %r = load ptr, ptr %p %v = load i32, ptr %r ret i32 %v",
        "store ptr %q, ptr %p %v = load i32, ptr %q ret i32 %v",
    );
    // Memory that nobody wrote is undefined, and so is that of the dead.
    proved(f, "%a = alloca i32 %r = load i32, ptr %a ret i32 %r", "ret i32 5");
    refuted(
        f,
        "ret i32 5",
        "%a = alloca i32 call void @llvm.lifetime.start.p0(i64 4, ptr %a) store i32 5, ptr %a
         call void @llvm.lifetime.end.p0(i64 4, ptr %a) %r = load i32, ptr %a ret i32 %r",
    );
    proved(
        f,
        "%a = alloca i32 call void @llvm.memcpy.p0.p0.i64(ptr %a, ptr %p, i64 4, i1 false) %r = load i32, ptr %a, align 1 ret i32 %r",
        "%r = load i32, ptr %p, align 1 ret i32 %r",
    );
    let g = "define ptr @f(ptr %p, i64 %i)";
    proved(
        g,
        "%r = getelementptr inbounds i8, ptr %p, i64 4 ret ptr %r",
        "%r = getelementptr i8, ptr %p, i64 4 ret ptr %r",
    );
    refuted(
        g,
        "%r = getelementptr i8, ptr %p, i64 4 ret ptr %r",
        "%r = getelementptr inbounds i8, ptr %p, i64 4 ret ptr %r",
    );
    proved(
        g,
        "%a = getelementptr inbounds i32, ptr %p, i64 1 %r = getelementptr inbounds i32, ptr %a, i64 2 ret ptr %r",
        "%r = getelementptr inbounds i8, ptr %p, i64 12 ret ptr %r",
    );
}

#[test]
fn calls() {
    let f = "define i32 @f(i32 %x)";
    proved(
        f,
        "%a = add i32 %x, 0 call void @use(i32 %a) ret i32 0",
        "call void @use(i32 %x) ret i32 0",
    );
    open(f, "call void @use(i32 %x) ret i32 0", "call void @use(i32 1) ret i32 0");
    assert_eq!(
        verdict_of(f, "call void @use(i32 %x) ret i32 0", "ret i32 0").unwrap_err(),
        "calls or other events differ"
    );
    proved(f, "%a = call i32 @pure(i32 %x) ret i32 0", "ret i32 0");
    proved(
        f,
        "%a = call i32 @pure(i32 7) %b = call i32 @pure(i32 7) %r = add i32 %a, %b ret i32 %r",
        "%a = call i32 @pure(i32 7) %r = shl i32 %a, 1 ret i32 %r",
    );
    proved(
        f,
        "%a = call i32 @same() %b = call i32 @same() %r = add i32 %a, %b ret i32 %r",
        "%a = call i32 @same() %r = shl i32 %a, 1 ret i32 %r",
    );
    // What is done before a call that might not return is done for good.
    open(
        f,
        "call void @use(i32 1) %r = udiv i32 1, %x ret i32 0",
        "%r = udiv i32 1, %x call void @use(i32 1) ret i32 0",
    );
    proved(
        f,
        "%r = udiv i32 1, %x call void @use(i32 1) ret i32 0",
        "call void @use(i32 1) ret i32 0",
    );
    // A call sees memory, and changes it.
    open(
        f,
        "store i32 1, ptr @g call void @use(i32 1) store i32 2, ptr @g ret i32 0",
        "call void @use(i32 1) store i32 2, ptr @g ret i32 0",
    );
    open(
        f,
        "store i32 1, ptr @g call void @use(i32 1) %r = load i32, ptr @g ret i32 %r",
        "store i32 1, ptr @g call void @use(i32 1) ret i32 1",
    );
    proved(
        f,
        "%a = alloca i32 store i32 %x, ptr %a call void @use(i32 1) %r = load i32, ptr %a ret i32 %r",
        "call void @use(i32 1) ret i32 %x",
    );
    open(
        f,
        "%a = alloca i32 store i32 %x, ptr %a call void @see(ptr %a) %r = load i32, ptr %a ret i32 %r",
        "%a = alloca i32 store i32 %x, ptr %a call void @see(ptr %a) ret i32 %x",
    );
    proved(
        f,
        "%a = call i32 @peek(ptr @g) %b = call i32 @peek(ptr @g) %c = sub i32 %a, %a call void @use(i32 %b) ret i32 1",
        "%b = call i32 @peek(ptr @g) call void @use(i32 %b) ret i32 1",
    );
    proved(
        f,
        "%a = load volatile i32, ptr @g %b = add i32 %a, 0 ret i32 %b",
        "%a = load volatile i32, ptr @g ret i32 %a",
    );
}

#[test]
fn floats() {
    let f = "define float @f(float %x, float %y)";
    proved(f, "%r = fadd float %x, %y ret float %r", "%r = fadd float %y, %x ret float %r");
    proved(
        f,
        "%n = fneg float %y %r = fsub float %x, %n ret float %r",
        "%r = fadd float %x, %y ret float %r",
    );
    proved(f, "%r = fmul float %x, 1.0 ret float %r", "ret float %x");
    proved(f, "%r = fdiv float %x, 4.0 ret float %r", "%r = fmul float %x, 0.25 ret float %r");
    open(f, "%r = fadd float %x, 0.0 ret float %r", "ret float %x");
    let g = "define i1 @f(float noundef %x, float noundef %y)";
    proved(
        g,
        "%a = fcmp olt float %x, %y %r = xor i1 %a, true ret i1 %r",
        "%r = fcmp uge float %x, %y ret i1 %r",
    );
    refuted(
        g,
        "%a = fcmp olt float %x, %y %r = xor i1 %a, true ret i1 %r",
        "%r = fcmp oge float %x, %y ret i1 %r",
    );
    proved(g, "%r = fcmp nnan uno float %x, %y ret i1 %r", "ret i1 false");
}

#[test]
fn what_is_not_decided_is_unsupported() {
    let f = "define i32 @f(i32 %x)";
    let reason = |before: &str| verdict_of(f, before, "ret i32 0").unwrap_err();
    assert_eq!(reason("br label %a a: br label %a"), "loops differ");
    assert_eq!(reason("%a = alloca i8, i32 %x ret i32 0"), "an `alloca` of unknown size");
}

#[test]
fn the_same_function_needs_no_question() {
    let loops = "define void @f(ptr %p) { br label %a a: call void @f(ptr %p) br label %a }";
    let (before, after) = (
        irtext::parse(loops).unwrap(),
        irtext::parse(&loops.replace("%a", "%b").replace("a:", "b:")).unwrap(),
    );
    assert!(irproof::same(&before, &after, "f"));
    assert!(pose(&before, &after, "f", &Limits::default()).unwrap().is_empty());
    assert_eq!(irproof::key(&before, &before, "f"), irproof::key(&before, &after, "f"));
}

/// A loop that adds up what it reads; `step` is its body, `%i` and `%s` are carried.
fn summing(step: &str) -> String {
    format!(
        "br label %h
         h: %i = phi i32 [ 0, %0 ], [ %i2, %b ] %s = phi i32 [ %x, %0 ], [ %s2, %b ]
         %c = icmp eq i32 %i, %n br i1 %c, label %e, label %b
         b: {step} br label %h
         e: ret i32 %s"
    )
}

#[test]
fn loops() {
    let f = "define i32 @f(ptr %p, i32 %n, i32 %x)";
    let source = summing(
        "%q = getelementptr i32, ptr %p, i32 %i %v = load i32, ptr %q
         %m = mul i32 %v, 4 %s2 = add i32 %s, %m %i2 = add i32 %i, 1",
    );
    proved(f, &source, &source.replace("mul i32 %v, 4", "shl i32 %v, 2"));
    open(f, &source, &source.replace("mul i32 %v, 4", "shl i32 %v, 3"));
    open(f, &source, &source.replace("add i32 %i, 1", "add nsw i32 %i, 1"));
    open(f, &source, &source.replace("[ 0, %0 ]", "[ 1, %0 ]"));
    open(f, &source, &source.replace("ret i32 %s", "ret i32 %i"));
    // One more store in each round, or one less.
    open(
        f,
        &source,
        &source.replace("br label %h\n         e", "store i32 0, ptr %p br label %h\n         e"),
    );
    open(
        f,
        &source.replace("br label %h\n         e", "store i32 0, ptr %p br label %h\n         e"),
        &source,
    );
    let calls = summing("call void @use(i32 %s) %s2 = call i32 @get() %i2 = add i32 %i, 1");
    proved(f, &calls, &calls.replace("add i32 %i, 1", "sub i32 %i, -1"));
    open(f, &calls, &calls.replace("@use(i32 %s)", "@use(i32 %i)"));
    // The value that goes round is undefined, at each use anew.
    let keeps = summing("%i2 = add i32 %i, 1 %s2 = add i32 %s, 0");
    proved(f, &keeps, &keeps.replace("add i32 %s, 0", "sub i32 %s, 0"));
    let frozen = "%y = freeze i32 %x br label %h";
    let (once, anew) =
        (keeps.replacen("br label %h", frozen, 1).replacen("[ %x,", "[ %y,", 1), &keeps);
    open(f, &once, anew);
}

#[test]
fn a_choice_made_once_is_no_undefined_value() {
    open("define i8 @f()", "%r = freeze i8 undef ret i8 %r", "ret i8 undef");
    proved("define i8 @f()", "ret i8 undef", "%r = freeze i8 undef ret i8 %r");
}

#[test]
fn answers_of_a_solver() {
    let parse = |body: &str| irtext::parse(&format!("define i8 @f(i8 %x) {{ {body} }}")).unwrap();
    let (before, after) = (parse("ret i8 %x"), parse("%r = add i8 %x, 1 ret i8 %r"));
    let questions = pose(&before, &after, "f", &Limits::default()).unwrap();
    let question = &questions[0];
    let read = |text: &str| irproof::read(question, text);
    assert!(matches!(read("unsat\n(error \"no model\")"), irproof::Answer::Unsat));
    assert!(matches!(read("unknown"), irproof::Answer::Unknown(_)));
    assert!(matches!(read("timeout"), irproof::Answer::Unknown(_)));
    assert!(matches!(read(""), irproof::Answer::Unknown(_)));
    assert!(matches!(read("sat\n((v0 "), irproof::Answer::Unknown(_)));
    match read("sat\n((v0 #x0a)\n (p0 false)\n (false false))") {
        irproof::Answer::Sat(input) => assert_eq!(input.arguments, [Datum::bits(8, 10)]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_target_may_not_add() {
    // A pure function may still have undefined behaviour of its own.
    let f = "define i32 @f(i1 noundef %c, i32 noundef %x)";
    let hoisted = "%r = call i32 @pure(i32 %x) %s = select i1 %c, i32 %r, i32 0 ret i32 %s";
    let guarded =
        "br i1 %c, label %a, label %b a: %r = call i32 @pure(i32 %x) ret i32 %r b: ret i32 0";
    open(f, guarded, hoisted);
    proved(f, hoisted, guarded);
    // A copy whose operands overlap.
    let copy = "define void @f(ptr noundef %p, ptr noundef %q)";
    let with = |name: &str| {
        format!("call void @llvm.{name}.p0.p0.i64(ptr %p, ptr %q, i64 4, i1 false) ret void")
    };
    proved(copy, &with("memcpy"), &with("memmove"));
    refuted(copy, &with("memmove"), &with("memcpy"));
}
