//! Instructions and intrinsics, executed: what each of a table of expressions comes to.

use irmachine::input::{Datum, Input, Scalar};
use irmachine::{Limits, Outcome, Program, Side, execute};

/// The result of `@f` as the last step of its trace shows it, or why there is none.
fn run(text: &str, arguments: Vec<Datum>) -> String {
    let module = irtext::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let program = Program::new(&module, "f").unwrap();
    let input = Input { arguments, ..Input::default() };
    let done = execute(&program, "f", &input, &[], Side::Source, &Limits::default(), true);
    match done.outcome {
        Outcome::Returned(_) => done.steps.last().and_then(|s| s.value.clone()).unwrap_or_default(),
        Outcome::Ub(what) => format!("UB: {what}"),
        Outcome::Unknown(why) => format!("unknown: {why}"),
        Outcome::Ended => "ended".into(),
    }
}

/// A function of no arguments with this body, and what it returns.
#[track_caller]
fn body(ty: &str, lines: &str, expected: &str) {
    let declarations = "
        declare i8 @llvm.abs.i8(i8, i1)
        declare i8 @llvm.smax.i8(i8, i8)
        declare i8 @llvm.uadd.sat.i8(i8, i8)
        declare i8 @llvm.fshl.i8(i8, i8, i8)
        declare i8 @llvm.ctlz.i8(i8, i1)
        declare { i8, i1 } @llvm.sadd.with.overflow.i8(i8, i8)
        declare i8 @llvm.vector.reduce.add.v4i8(<4 x i8>)
        declare <4 x i8> @llvm.masked.load.v4i8.p0(ptr, i32, <4 x i1>, <4 x i8>)
        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        declare void @llvm.assume(i1)
        declare float @llvm.minnum.f32(float, float)
        declare i1 @llvm.is.fpclass.f32(float, i32)
        declare i64 @strlen(ptr)
        declare ptr @malloc(i64)
        @text = private constant [4 x i8] c\"abc\\00\"
        @pair = global { i8, i32 } { i8 1, i32 258 }
    ";
    let text = format!("{declarations}\ndefine {ty} @f() {{\n{lines}\n}}\n");
    assert_eq!(run(&text, Vec::new()), expected, "{lines}");
}

#[test]
fn integers() {
    body("i8", "%a = add i8 100, 100\nret i8 %a", "-56");
    body("i8", "%a = add nsw i8 100, 100\nret i8 %a", "poison");
    body("i8", "%a = shl nuw i8 1, 7\nret i8 %a", "-128");
    body("i8", "%a = shl i8 1, 8\nret i8 %a", "poison");
    body("i8", "%a = lshr exact i8 3, 1\nret i8 %a", "poison");
    body("i8", "%a = sdiv i8 -7, 2\nret i8 %a", "-3");
    body("i8", "%a = udiv i8 1, 0\nret i8 %a", "UB: a division by zero");
    body("i8", "%a = sdiv i8 -128, -1\nret i8 %a", "UB: an overflow of a signed division");
    body("i8", "%a = sdiv i8 poison, -1\nret i8 %a", "UB: an overflow of a signed division");
    body("i8", "%a = sdiv i8 poison, 2\nret i8 %a", "poison");
    body("i200", "%a = mul i200 -1, 3\nret i200 %a", "-3");
    body("i1", "%a = icmp slt i8 -1, 1\nret i1 %a", "true");
    body(
        "i4",
        "%a = trunc i8 -1 to i4\n%b = zext i4 %a to i8\n%c = trunc i8 %b to i4\nret i4 %c",
        "-1",
    );
    body("i8", "%a = call i8 @llvm.abs.i8(i8 -128, i1 true)\nret i8 %a", "poison");
    body("i8", "%a = call i8 @llvm.smax.i8(i8 -1, i8 1)\nret i8 %a", "1");
    body("i8", "%a = call i8 @llvm.uadd.sat.i8(i8 200, i8 100)\nret i8 %a", "-1");
    body("i8", "%a = call i8 @llvm.fshl.i8(i8 1, i8 -128, i8 1)\nret i8 %a", "3");
    body("i8", "%a = call i8 @llvm.ctlz.i8(i8 1, i1 true)\nret i8 %a", "7");
    body(
        "{ i8, i1 }",
        "%a = call { i8, i1 } @llvm.sadd.with.overflow.i8(i8 127, i8 1)\nret { i8, i1 } %a",
        "<-128, true>",
    );
}

#[test]
fn undef_is_chosen_at_each_use() {
    body("i8", "%a = add i8 undef, 1\n%b = sub i8 %a, %a\nret i8 %b", "undef");
    body("i8", "%a = and i8 undef, 1\nret i8 %a", "undef in bits 0x1 else 0");
    body("i8", "%a = or i8 undef, -1\nret i8 %a", "-1");
    body("i8", "%a = mul i8 undef, 4\nret i8 %a", "undef in bits 0xfc else 0");
    body("i32", "%a = urem i32 undef, 10\nret i32 %a", "undef from 0 to 9");
    body("i8", "%a = add nsw i8 undef, 1\nret i8 %a", "poison");
    body("i8", "%a = select i1 undef, i8 1, i8 6\nret i8 %a", "one of {1, 6}");
    body("i8", "%a = freeze i8 7\n%b = freeze i8 undef\n%c = sub i8 %b, %b\nret i8 %c", "0");
    body("i8", "%a = udiv i8 1, undef\nret i8 %a", "UB: a division by zero");
    body("i8", "br i1 undef, label %a, label %a\na:\nret i8 0", "UB: a branch on undef");
    body("i8", "br i1 poison, label %a, label %a\na:\nret i8 0", "UB: a branch on poison");
    body("i8", "%a = select i1 poison, i8 1, i8 1\nret i8 %a", "poison");
    body("i8", "%a = select i1 true, i8 1, i8 poison\nret i8 %a", "1");
    body("void", "call void @llvm.assume(i1 false)\nret void", "UB: `llvm.assume` of false");
}

#[test]
fn vectors() {
    body(
        "<2 x i8>",
        "%a = add <2 x i8> <i8 1, i8 poison>, <i8 1, i8 1>\nret <2 x i8> %a",
        "<2, poison>",
    );
    body("i8", "%a = extractelement <2 x i8> <i8 1, i8 2>, i32 2\nret i8 %a", "poison");
    body(
        "<2 x i8>",
        "%a = shufflevector <2 x i8> <i8 1, i8 2>, <2 x i8> <i8 3, i8 4>, <2 x i32> <i32 3, i32 0>\nret <2 x i8> %a",
        "<4, 1>",
    );
    body("i16", "%a = bitcast <2 x i8> <i8 1, i8 2> to i16\nret i16 %a", "513");
    body("i16", "%a = bitcast <2 x i8> <i8 1, i8 poison> to i16\nret i16 %a", "poison");
    body(
        "i8",
        "%a = call i8 @llvm.vector.reduce.add.v4i8(<4 x i8> <i8 1, i8 2, i8 3, i8 4>)\nret i8 %a",
        "10",
    );
    body(
        "<4 x i8>",
        "%a = call <4 x i8> @llvm.masked.load.v4i8.p0(ptr @text, i32 1, <4 x i1> <i1 1, i1 0, i1 1, i1 0>, <4 x i8> zeroinitializer)\nret <4 x i8> %a",
        "<97, 0, 99, 0>",
    );
}

#[test]
fn floats() {
    body("float", "%a = fadd float 1.0, 2.0\nret float %a", "1077936128");
    body("float", "%a = fdiv float 0.0, 0.0\nret float %a", "NaN");
    body("float", "%a = fdiv nnan float 0.0, 0.0\nret float %a", "poison");
    body(
        "i32",
        "%a = fdiv float 0.0, 0.0\n%b = bitcast float %a to i32\nret i32 %b",
        "unknown: the bits of a NaN",
    );
    body("i1", "%a = fcmp uno float 0x7FF8000000000000, 1.0\nret i1 %a", "true");
    body("i8", "%a = fptoui float 300.0 to i8\nret i8 %a", "poison");
    body("i8", "%a = fptosi float -1.5 to i8\nret i8 %a", "-1");
    body(
        "float",
        "%a = call float @llvm.minnum.f32(float 0x7FF8000000000000, float 1.0)\nret float %a",
        "1065353216",
    );
    body("i1", "%a = call i1 @llvm.is.fpclass.f32(float -0.0, i32 32)\nret i1 %a", "true");
    body(
        "float",
        "%a = fmul fast float 1.0, 2.0\nret float %a",
        "unknown: fast-math flags that allow other results",
    );
}

#[test]
fn memory() {
    body("i32", "%p = alloca i32\nstore i32 7, ptr %p\n%v = load i32, ptr %p\nret i32 %v", "7");
    body("i32", "%p = alloca i32\n%v = load i32, ptr %p\nret i32 %v", "undef");
    body("i8", "%p = alloca i32\nstore i32 258, ptr %p\n%v = load i8, ptr %p\nret i8 %v", "2");
    body("i8", "%v = load i8, ptr null\nret i8 %v", "UB: a load through null");
    body("void", "store i8 0, ptr @text\nret void", "UB: a store to a constant");
    body(
        "i8",
        "%p = getelementptr i8, ptr @text, i64 4\n%v = load i8, ptr %p\nret i8 %v",
        "UB: a load out of bounds",
    );
    body("ptr", "%p = getelementptr inbounds i8, ptr @text, i64 5\nret ptr %p", "poison");
    body(
        "i8",
        "%p = getelementptr inbounds { i8, i32 }, ptr @pair, i64 0, i32 1\n%v = load i8, ptr %p\nret i8 %v",
        "2",
    );
    body(
        "i16",
        "%p = alloca i32\n%q = getelementptr i8, ptr %p, i64 1\n%v = load i16, ptr %q, align 2\nret i16 %v",
        "UB: a load that is not aligned",
    );
    body(
        "i32",
        "%p = alloca i32\n%q = alloca i32\nstore i32 9, ptr %p\ncall void @llvm.memcpy.p0.p0.i64(ptr %q, ptr %p, i64 4, i1 false)\n%v = load i32, ptr %q\nret i32 %v",
        "9",
    );
    body("i1", "%p = alloca i8\n%q = alloca i8\n%c = icmp eq ptr %p, %q\nret i1 %c", "false");
    body(
        "i64",
        "%p = alloca i8\n%c = ptrtoint ptr %p to i64\nret i64 %c",
        "unknown: the address of a local object",
    );
    body("i64", "%n = call i64 @strlen(ptr @text)\nret i64 %n", "3");
}

#[test]
fn arguments_and_claims() {
    let text = "define i8 @f(i8 noundef %x) {\nret i8 %x\n}";
    assert_eq!(run(text, vec![Datum::bits(8, 5)]), "5");
    let undef = vec![Datum::Scalar(Scalar::Undef)];
    assert_eq!(run(text, undef), "UB: an argument that is `noundef` is undef or poison");
    let text = "define i8 @f(i8 range(i8 0, 4) %x) {\nret i8 %x\n}";
    assert_eq!(run(text, vec![Datum::bits(8, 3)]), "3");
    assert_eq!(run(text, vec![Datum::bits(8, 4)]), "poison");
    let text = "define ptr @f(ptr nonnull %x) {\nret ptr %x\n}";
    let null = vec![Datum::Scalar(Scalar::Pointer(irmachine::input::Place::Null))];
    assert_eq!(run(text, null), "poison");
}

#[test]
fn loops_and_calls() {
    let text = "
        define internal i32 @square(i32 %x) {
          %r = mul i32 %x, %x
          ret i32 %r
        }
        define i32 @f(i32 %n) {
        entry:
          br label %loop
        loop:
          %i = phi i32 [ 0, %entry ], [ %j, %loop ]
          %s = phi i32 [ 0, %entry ], [ %t, %loop ]
          %q = call i32 @square(i32 %i)
          %t = add i32 %s, %q
          %j = add i32 %i, 1
          %c = icmp ult i32 %j, %n
          br i1 %c, label %loop, label %done
        done:
          ret i32 %t
        }";
    assert_eq!(run(text, vec![Datum::bits(32, 5)]), "30");
    assert_eq!(
        run(text, vec![Datum::bits(32, 100_000)]),
        "unknown: too many instructions: a long loop"
    );
    let text = "declare i32 @scanf(ptr, ...)\ndefine i32 @f() {\n%r = call i32 (ptr, ...) @scanf(ptr null)\nret i32 %r\n}";
    assert_eq!(run(text, vec![]), "unknown: library function scanf");
    let text = "define void @f() {\ncall void asm \"nop\", \"\"()\nret void\n}";
    assert_eq!(run(text, vec![]), "unknown: not supported: inline assembly");
}
