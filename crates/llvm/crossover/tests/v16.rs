//! Seeds and crossovers with LLVM 16, and what each strategy of the paper makes, as text.

mod common;

use common::{crossed, plain};
use crossover::CrossoverKind;

#[test]
fn seeds_and_crossovers() {
    common::all("16");
}

/// Crosses two functions and compares what came of one of them.
fn check(kind: CrossoverKind, number: u64, pair: [&str; 2], function: &str, expected: &str) {
    let Some(llvm) = common::library("16") else { return };
    let made = crossed(llvm, pair, kind, &plain(), number).expect("a crossover");
    let start = made.find(&format!("@{function}(")).and_then(|at| made[..at].rfind("define"));
    let body = &made[start.expect("the function")..];
    let body = &body[..body.find("\n}").expect("its end") + 2];
    let lines = |text: &str| -> Vec<String> {
        let code = text.lines().map(|line| line.split(';').next().unwrap_or("").trim().to_string());
        code.filter(|line| !line.is_empty()).collect()
    };
    assert_eq!(lines(body), lines(expected), "in\n{made}");
}

/// Figure 1: the operand of `%star` gives way to the source's body, which gets a value that was there.
#[test]
fn a_body_takes_the_place_of_an_operand() {
    let destination = "define i32 @dest(i32 %x, ptr %p) {
        %a = load i8, ptr %p
        %star = zext i8 %a to i32
        ret i32 %star
    }";
    let source = "define i8 @source(i32 %y) {
        %t = trunc i32 %y to i8
        %c = icmp eq i8 %t, 0
        br i1 %c, label %a, label %b
    a:
        ret i8 1
    b:
        ret i8 %t
    }";
    let expected = "define i32 @dest(i32 %x, ptr %p) {
        %a = load i8, ptr %p, align 1
        %t.i = trunc i32 %x to i8
        %c.i = icmp eq i8 %t.i, 0
        br i1 %c.i, label %a.i, label %b.i
    a.i:
        br label %source.exit
    b.i:
        br label %source.exit
    source.exit:
        %1 = phi i8 [ 1, %a.i ], [ %t.i, %b.i ]
        %star = zext i8 %1 to i32
        ret i32 %star
    }";
    check(CrossoverKind::Inline, 1, [destination, source], "dest", expected);
}

/// What comes into a phi is computed where it comes from.
#[test]
fn a_body_before_a_phi() {
    let destination = "define i8 @dest(i32 %x, i1 %c) {
        br i1 %c, label %then, label %join
    then:
        %m = mul i32 %x, 3
        br label %join
    join:
        %star = phi i8 [ 1, %then ], [ 2, %0 ]
        ret i8 %star
    }";
    let source = "define i8 @source(i32 %y) {\n %t = trunc i32 %y to i8\n ret i8 %t\n}";
    let expected = "define i8 @dest(i32 %x, i1 %c) {
        br i1 %c, label %then, label %join
    then:
        %m = mul i32 %x, 3
        %t.i = trunc i32 %m to i8
        br label %join
    join:
        %star = phi i8 [ %t.i, %then ], [ 2, %0 ]
        ret i8 %star
    }";
    check(CrossoverKind::Inline, 1, [destination, source], "dest", expected);
}

/// Beyond the paper: a body without a result stands anywhere.
#[test]
fn a_body_without_a_result() {
    let destination = "declare void @use(ptr)
    define void @dest(ptr %p) {\n call void @use(ptr %p)\n ret void\n}";
    let source = "@g = global i32 0
    define void @source(ptr %q) {\n store ptr %q, ptr @g\n ret void\n}";
    let expected = "define void @dest(ptr %p) {
        call void @use(ptr %p)
        store ptr %p, ptr @g, align 8
        ret void
    }";
    check(CrossoverKind::Inline, 0, [destination, source], "dest", expected);
}

#[test]
fn a_result_is_passed_on() {
    let first = "define i32 @f(i64 %x) {\n %r = trunc i64 %x to i32\n ret i32 %r\n}";
    let second = "define i64 @g(i32 %x) {\n %r = zext i32 %x to i64\n ret i64 %r\n}";
    let expected = "define i64 @sequence() {
    entry:
        %0 = call i32 @f(i64 0)
        %1 = call i64 @g(i32 %0)
        ret i64 %1
    }";
    check(CrossoverKind::Sequence, 0, [first, second], "sequence", expected);
}

/// Whichever order it needs.
#[test]
fn a_result_is_passed_on_the_one_way_it_fits() {
    let first = "define i32 @f(i64 %x) {\n %r = trunc i64 %x to i32\n ret i32 %r\n}";
    let second = "define void @g(i32 %x) {\n ret void\n}";
    for number in 0..8 {
        let Some(llvm) = common::library("16") else { return };
        let made = crossed(llvm, [first, second], CrossoverKind::Sequence, &plain(), number);
        let made = made.expect("a crossover");
        assert!(made.contains("call void @g(i32 %0)"), "{made}");
        assert!(made.contains("ret i32 %0"), "{made}");
    }
}

#[test]
fn both_get_one_pointer() {
    let first = "define void @f(ptr %p) {\n store i32 1, ptr %p\n ret void\n}";
    let second = "define i32 @g(i8 %x, ptr %p) {\n %r = load i32, ptr %p\n ret i32 %r\n}";
    let expected = "define i32 @sequence() {
    entry:
        %0 = alloca [128 x i64], align 8
        call void @f(ptr %0)
        %1 = call i32 @g(i8 -1, ptr %0)
        ret i32 %1
    }";
    check(CrossoverKind::Sequence, 0, [first, second], "sequence", expected);
}

#[test]
fn an_operation_on_both_results() {
    let both = "define double @f(float %x) {\n %r = fpext float %x to double\n ret double %r\n}";
    let expected = "define double @sequence() {
    entry:
        %0 = call double @f(float -0.000000e+00)
        %1 = call double @f.1(float 0xFFF0000000000000)
        %2 = frem double %0, %1
        ret double %2
    }";
    check(CrossoverKind::Sequence, 0, [both, both], "sequence", expected);
}

#[test]
fn no_data_flow_where_nothing_fits() {
    let first = "define void @f() {\n ret void\n}";
    let second = "define i8 @g(i1 %c) {\n %r = zext i1 %c to i8\n ret i8 %r\n}";
    let expected = "define i8 @sequence() {
    entry:
        call void @f()
        %0 = call i8 @g(i1 false)
        ret i8 %0
    }";
    check(CrossoverKind::Sequence, 1, [first, second], "sequence", expected);
}
