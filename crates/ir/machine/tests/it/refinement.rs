//! Pairs of functions: those that refine are not refuted, those that do not are.

use irmachine::{Answer, Construct, Limits, Reason, check, confirm};

fn answer(before: &str, after: &str) -> Answer {
    let parse = |text: &str| irtext::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    check(&parse(before), &parse(after), "f", &Limits::default(), &[])
}

#[track_caller]
fn holds(before: &str, after: &str) {
    match answer(before, after) {
        Answer::Holds { executed, .. } => assert!(executed > 0),
        Answer::Refuted(found) => panic!("{found}"),
        Answer::Unknown(why) => panic!("{why}"),
    }
}

/// The pair is refuted, and the input confirms it.
#[track_caller]
fn refuted(before: &str, after: &str, why: &str) {
    let Answer::Refuted(found) = answer(before, after) else {
        panic!("not refuted\n{before}{after}")
    };
    assert!(found.why.contains(why), "{found}");
    let (old, new) = (irtext::parse(before).unwrap(), irtext::parse(after).unwrap());
    let again = confirm(&old, &new, "f", &found.input, &Limits::default());
    assert!(matches!(again, Answer::Refuted(_)));
}

fn function(signature: &str, lines: &str) -> String {
    format!(
        "declare void @use(i32)\ndeclare i32 @ask(i32)\ndeclare void @see(ptr)\n{signature} {{\n{lines}\n}}\n"
    )
}

#[test]
fn arithmetic() {
    let f = |lines: &str| function("define i8 @f(i8 %x, i8 %y)", lines);
    let sum = f("%a = add i8 %x, %y\nret i8 %a");
    let nsw = f("%a = add nsw i8 %x, %y\nret i8 %a");
    holds(&nsw, &sum);
    refuted(&sum, &nsw, "poison");
    holds(&f("%a = sub i8 %x, %x\nret i8 %a"), &f("ret i8 0"));
    refuted(&f("%a = mul i8 %x, 2\nret i8 %a"), &f("%a = add i8 %x, %x\nret i8 %a"), "undef");
    holds(&f("%a = add i8 %x, %x\nret i8 %a"), &f("%a = mul i8 %x, 2\nret i8 %a"));
    refuted(&f("%a = sdiv i8 %x, 2\nret i8 %a"), &f("%a = ashr i8 %x, 1\nret i8 %a"), "the result");
    refuted(&f("%a = shl i8 %x, 1\nret i8 %a"), &f("%a = shl nsw i8 %x, 1\nret i8 %a"), "poison");
    refuted(&f("ret i8 0"), &f("%a = udiv i8 %x, %y\nret i8 0"), "the target is UB");
}

#[test]
fn select_and_freeze() {
    let f = |lines: &str| function("define i1 @f(i1 %x, i1 %y)", lines);
    let logical = f("%a = select i1 %x, i1 %y, i1 false\nret i1 %a");
    let plain = f("%a = and i1 %x, %y\nret i1 %a");
    refuted(&logical, &plain, "poison");
    holds(&plain, &logical);
    holds(&logical, &f("%b = freeze i1 %y\n%a = and i1 %x, %b\nret i1 %a"));
    holds(
        &f("%a = freeze i1 %x\nret i1 %a"),
        &f("%a = freeze i1 %x\n%b = freeze i1 %a\nret i1 %b"),
    );
    refuted(&f("%a = freeze i1 %x\nret i1 %a"), &f("ret i1 %x"), "the result");
}

#[test]
fn all_inputs_of_few_bits_are_tried() {
    let f = |lines: &str| function("define i4 @f(i4 %x)", lines);
    match answer(&f("%a = xor i4 %x, -1\nret i4 %a"), &f("%a = sub i4 -1, %x\nret i4 %a")) {
        Answer::Holds { executed, complete, .. } => assert_eq!((executed, complete), (18, true)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn memory_is_compared() {
    let f = |lines: &str| function("define i32 @f(ptr %p, ptr %q)", lines);
    let twice = f("store i32 1, ptr %p\nstore i32 2, ptr %p\nret i32 0");
    holds(&twice, &f("store i32 2, ptr %p\nret i32 0"));
    refuted(&twice, &f("store i32 1, ptr %p\nret i32 0"), "memory at the end");
    // The two may be one.
    let reload = f("%a = load i32, ptr %p\nstore i32 5, ptr %q\n%b = load i32, ptr %p\nret i32 %b");
    refuted(&reload, &f("%a = load i32, ptr %p\nstore i32 5, ptr %q\nret i32 %a"), "the result");
    let noalias = |text: &str| text.replace("ptr %p, ptr %q)", "ptr noalias %p, ptr noalias %q)");
    holds(
        &noalias(&reload),
        &noalias(&f("%a = load i32, ptr %p\nstore i32 5, ptr %q\nret i32 %a")),
    );
    // A local variable is nobody's.
    let local = f("%a = alloca i32\nstore i32 3, ptr %a\n%v = load i32, ptr %a\nret i32 %v");
    holds(&local, &f("ret i32 3"));
}

#[test]
fn calls_are_seen_in_order() {
    let f = |lines: &str| function("define i32 @f(i32 %x, ptr %p)", lines);
    let two = f("call void @use(i32 1)\ncall void @use(i32 2)\nret i32 0");
    refuted(
        &two,
        &f("call void @use(i32 2)\ncall void @use(i32 1)\nret i32 0"),
        "argument 1 of @use",
    );
    refuted(&two, &f("call void @use(i32 1)\nret i32 0"), "lacks a call of @use");
    let asked = f(
        "%a = call i32 @ask(i32 %x)\n%b = call i32 @ask(i32 %x)\n%c = sub i32 %a, %b\nret i32 %c",
    );
    refuted(&asked, &f("%a = call i32 @ask(i32 %x)\nret i32 0"), "lacks a call");
    let pure =
        |text: &str| text.replace("@ask(i32)\n", "@ask(i32) memory(none) willreturn nounwind\n");
    holds(&pure(&asked), &pure(&f("ret i32 0")));
    let shown = f("store i32 1, ptr %p\ncall void @see(ptr %p)\nstore i32 2, ptr %p\nret i32 0");
    refuted(&shown, &f("call void @see(ptr %p)\nstore i32 2, ptr %p\nret i32 0"), "call of @see");
}

#[test]
fn what_is_not_certain_is_no_alarm() {
    let f = |lines: &str| function("define i64 @f(ptr %p)", lines);
    let local = f("%a = alloca i8\n%b = ptrtoint ptr %a to i64\nret i64 %b");
    assert!(matches!(answer(&local, &f("ret i64 0")), Answer::Unknown(_)));
    let assembly = f("call void asm sideeffect \"\", \"\"()\nret i64 0");
    assert!(matches!(
        answer(&assembly, &f("ret i64 1")),
        Answer::Unknown(Reason::Unsupported(Construct::InlineAssembly))
    ));
}

/// LLVM 16 made this of a sum of divisions; it is wrong for undef.
#[test]
fn a_known_fault_of_correlated_propagation() {
    let before = "define i32 @f(i32 %h) {
        %sd = sdiv i32 %h, 2
        %t = icmp sgt i32 %sd, 1
        %r = select i1 %t, i32 %sd, i32 1
        ret i32 %r
      }";
    let after =
        before.replace("%sd = sdiv", "%sd = udiv").replace("sgt i32 %sd, 1", "sgt i32 %h, 3");
    refuted(before, &after, "undef");
    holds(before, &before.replace("sgt i32 %sd, 1", "sgt i32 %h, 3"));
}

/// LLVM 16 made this of a remainder by -1; LLVM 22 freezes the operand.
#[test]
fn a_known_fault_of_instcombine() {
    let before = "define <2 x i32> @f(<2 x i32> %y) {
        %r = urem <2 x i32> %y, <i32 -1, i32 -1>
        ret <2 x i32> %r
      }";
    let after = |operand: &str| {
        format!(
            "define <2 x i32> @f(<2 x i32> %y) {{
        %z = freeze <2 x i32> %y
        %c = icmp eq <2 x i32> {operand}, <i32 -1, i32 -1>
        %r = select <2 x i1> %c, <2 x i32> zeroinitializer, <2 x i32> {operand}
        ret <2 x i32> %r
      }}"
        )
    };
    refuted(before, &after("%y"), "undef");
    holds(before, &after("%z"));
}

/// LLVM 19 forgot that `memchr` looks at a byte of its argument.
#[test]
fn a_known_fault_of_the_library_calls() {
    let before = r#"@s = constant [27 x i8] c"abcdefghijklmnopqrstuvwxyz\00"
      declare ptr @memchr(ptr, i32, i64)
      define i1 @f(i32 %c) {
        %p = call ptr @memchr(ptr @s, i32 %c, i64 15)
        %r = icmp ne ptr %p, null
        ret i1 %r
      }"#;
    let after = |lines: &str| format!("define i1 @f(i32 %c) {{\n{lines}\nret i1 %r\n}}");
    refuted(before, &after("%d = add i32 %c, -97\n%r = icmp ult i32 %d, 15"), "the result");
    holds(before, &after("%b = trunc i32 %c to i8\n%d = add i8 %b, -97\n%r = icmp ult i8 %d, 15"));
}

/// LLVM 22 leaves out the second of two calls of a function that only writes.
#[test]
fn who_only_writes_may_be_called_once() {
    let f = |calls: &str| {
        format!(
            "declare void @put(i32) memory(write)\ndeclare void @do(i32)
             define void @f(i32 noundef %x) {{\n{calls}\nret void\n}}"
        )
    };
    let (put, other) = ("call void @put(i32 %x)\n", "call void @put(i32 1)\n");
    holds(&f(&put.repeat(2)), &f(put));
    holds(&f(put), &f(&put.repeat(3)));
    refuted(&f(&format!("{put}{other}{put}")), &f(&format!("{put}{other}")), "lacks");
    refuted(&f(put), &f(""), "lacks");
    let act = "call void @do(i32 %x)\n";
    refuted(&f(&act.repeat(2)), &f(act), "lacks");
}

#[test]
fn what_is_printed_is_compared_however_it_is_printed() {
    let f = |lines: &str| {
        format!(
            r#"@a = constant [8 x i8] c"%d, %c\0A\00"
               @b = constant [5 x i8] c"ab\0A\0A\00"
               @c = constant [4 x i8] c"ab\0A\00"
               declare i32 @printf(ptr, ...)
               declare i32 @puts(ptr)
               declare i32 @putchar(i32)
               define void @f(i32 noundef %x) {{
                 {lines}
                 ret void
               }}"#
        )
    };
    let printf = f("call i32 (ptr, ...) @printf(ptr @b)");
    holds(&printf, &f("call i32 @puts(ptr @c)"));
    refuted(&printf, &f("call i32 @puts(ptr @b)"), r#"prints "ab\n\n", the target "ab\n\n\n""#);
    refuted(&printf, &f(""), "the target lacks output");
    let number = |x: &str| f(&format!("call i32 (ptr, ...) @printf(ptr @a, i32 {x}, i32 90)"));
    holds(&number("%x"), &number("%x"));
    refuted(&number("%x"), &number("7"), ", Z");
    refuted(&number("%x"), &number("undef"), "-1, Z");
    assert!(matches!(answer(&number("undef"), &number("3")), Answer::Unknown(_)));
    let parts = "call i32 (ptr, ...) @printf(ptr @c)\ncall i32 @putchar(i32 266)";
    holds(&printf, &f(parts));
}

/// Where a structure is returned to is as aligned as the structure.
#[test]
fn a_returned_structure_is_aligned() {
    let f = |attributes: &str, align: u32| {
        format!(
            "target datalayout = \"e-i64:64\"\ndefine void @f(ptr {attributes} %p) {{\nstore i64 7, ptr %p, align {align}\nret void\n}}"
        )
    };
    holds(&f("sret({ i64, i64 })", 4), &f("sret({ i64, i64 })", 8));
    refuted(&f("", 4), &f("", 8), "not aligned");
    refuted(&f("sret({ i32, i32 })", 4), &f("sret({ i32, i32 })", 8), "not aligned");
}

/// Counters of profiles and the tokens of `invariant.start` are the optimiser's own.
#[test]
fn what_only_the_optimiser_knows_is_no_alarm() {
    let counted = "declare void @__llvm_profile_instrument_target(i64, ptr, i32)
      define void @f(ptr %data) {
        call void @__llvm_profile_instrument_target(i64 1, ptr %data, i32 0)
        ret void
      }";
    let plain = "define void @f(ptr %data) {\nret void\n}";
    assert!(matches!(answer(counted, plain), Answer::Unknown(_)));
    let token = "declare ptr @llvm.invariant.start.p0(i64, ptr)
      define ptr @f() {
        %a = alloca i8
        %i = call ptr @llvm.invariant.start.p0(i64 1, ptr %a)
        ret ptr %i
      }";
    holds(token, "define ptr @f() {\nret ptr poison\n}");
}

#[test]
fn floats_are_shown_as_llvm_writes_them() {
    let f = |lines: &str| function("define double @f(double %x, i1 %c)", lines);
    let Answer::Refuted(found) = answer(
        &f("%a = fadd double %x, 1.0\n%r = select i1 %c, double %a, double 4.25\nret double %r"),
        &f("ret double 4.25"),
    ) else {
        panic!("not refuted")
    };
    let shown = found.to_string();
    assert!(shown.contains("i1 %c = true"), "{shown}");
    assert!(shown.contains(" and 4.250000e+00 in the target"), "{shown}");
    assert!(shown.lines().any(|l| l.contains("%a = fadd") && !l.ends_with("00000")), "{shown}");
}

/// A whole program has one input, and time to run.
#[test]
fn a_program_runs_longer_than_a_function() {
    let f = |step: &str, end: &str| {
        format!(
            "@n = global i32 {end}\n@d = constant [3 x i8] c\"%d\\00\"
             declare i32 @printf(ptr, ...)
             define i32 @f() {{
               %n = load i32, ptr @n
               br label %loop
             loop:
               %i = phi i32 [ 0, %0 ], [ %j, %loop ]
               %s = phi i32 [ 0, %0 ], [ %t, %loop ]
               %t = {step}
               %j = add i32 %i, 1
               %c = icmp slt i32 %j, %n
               br i1 %c, label %loop, label %done
             done:
               call i32 (ptr, ...) @printf(ptr @d, i32 %t)
               ret i32 0
             }}"
        )
    };
    let sum = f("add i32 %s, %i", "9000");
    refuted(&sum, &f("or i32 %s, %i", "9000"), "the source prints \"40495500\"");
}
