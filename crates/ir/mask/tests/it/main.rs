//! Masks of modules: what there is to mask, what passes are given, what is compared; and shapes.

use std::collections::BTreeSet;

use irmachine::{Comparison, Limits};
use irmask::{Construct, Shape, constructs, without};
use irtext::{Module, parse};

const MODULE: &str = "\
declare i32 @llvm.umax.i32(i32, i32) #0
declare i64 @strlen(ptr nocapture) #1
declare void @other(i32)
define i32 @f(i32 noundef %x, ptr %p) {
  %y = add nsw i32 %x, 1
  %c = icmp slt i32 %y, %x
  %z = select i1 %c, i32 %y, i32 %x
  %m = call i32 @llvm.umax.i32(i32 %z, i32 %x)
  %q = getelementptr inbounds { i32, i32 }, ptr %p, i64 0, i32 1
  %v = load i32, ptr %q, align 4, !range !0
  %d = udiv i32 %m, 3
  store i32 %d, ptr %p, align 4
  %l = call i64 @strlen(ptr %q)
  call void @other(i32 %v)
  %r = call i32 @g(i32 %d)
  ret i32 %r
}
define internal i32 @g(i32 %x) {
  %r = shl i32 %x, 2
  ret i32 %r
}
attributes #0 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #1 = { nounwind }
!0 = !{i32 0, i32 9}
";

fn module(text: &str) -> Module {
    parse(text).unwrap_or_else(|why| panic!("{why}\n{text}"))
}

fn instruction(word: &str) -> Construct {
    Construct::Instruction(word.into())
}

fn masked(text: &str, construct: Construct) -> Option<String> {
    without(&module(text), &[construct].into()).map(|masked| masked.text())
}

#[test]
fn what_can_be_masked_is_found_the_most_telling_first() {
    let found = constructs(&module(MODULE), &["f".into()]);
    let words: Vec<&str> = found.iter().map(Construct::words).collect();
    assert_eq!(
        words,
        [
            "llvm.umax",
            "strlen",
            "inbounds",
            "nsw",
            "!range",
            "nocapture",
            "noundef",
            "nounwind",
            "add",
            "getelementptr",
            "icmp signed",
            "load",
            "select",
            "shl",
            "store",
            "udiv",
        ]
    );
    // A function of the module that it does not call is not about it.
    assert_eq!(constructs(&module(MODULE), &["g".into()]), [instruction("shl")]);
}

#[test]
fn each_construct_has_a_mask_that_llvm_and_we_can_read() {
    for construct in constructs(&module(MODULE), &["f".into()]) {
        let text = masked(MODULE, construct.clone()).expect("it is there");
        let again = module(&text);
        let left = constructs(&again, &["f".into()]);
        assert!(!left.contains(&construct), "{construct:?} in {text}");
    }
    assert!(masked(MODULE, instruction("xor")).is_none());
}

#[test]
fn passes_see_a_call_of_what_is_only_declared() {
    let text = masked(MODULE, instruction("udiv")).expect("it is there");
    assert!(text.contains("%d = call i32 @gainsay.opaque.0(i32 %m)"), "{text}");
    let declared = "declare i32 @gainsay.opaque.0(i32) nounwind willreturn nosync nofree readnone";
    assert!(text.contains(declared), "{text}");
    // A field of a structure must be a constant: it stays with its instruction.
    let text = masked(MODULE, instruction("getelementptr")).expect("it is there");
    assert!(text.contains("call ptr @gainsay.opaque.0(ptr %p)"), "{text}");
    let text = masked(MODULE, instruction("load")).expect("it is there");
    assert!(text.contains("(ptr nocapture) nounwind willreturn nosync nofree argmemonly readonly"));
    assert!(text.contains("%v = call i32 @gainsay.opaque.0(ptr %q)\n"), "{text}");
    let text = masked(MODULE, Construct::Intrinsic("llvm.umax".into())).expect("it is there");
    assert!(text.contains("speculatable willreturn memory(none)\n"), "{text}");
}

#[test]
fn equal_instructions_have_one_function() {
    let text = "define i32 @f(i32 %x, i32 %y) {\n  %a = mul i32 %x, %y\n  %b = mul i32 %y, %a\n  \
                %c = mul nsw i32 %a, %b\n  %d = mul i32 %c, 7\n  ret i32 %d\n}\n";
    let text = masked(text, instruction("mul")).expect("it is there");
    assert_eq!(text.matches("\ndeclare i32 @gainsay.opaque").count(), 3, "{text}");
    assert_eq!(text.matches("@gainsay.opaque.0(i32 %").count(), 2, "{text}");
}

/// A pass that takes an order with sign for one without is wrong; with the comparison masked it sees none.
#[test]
fn a_mask_hides_what_is_wrong_and_only_that() {
    let text = "define i1 @f(i32 %x, i32 %y) {\n  %a = add i32 %x, %y\n  \
                %c = icmp slt i32 %a, %y\n  ret i1 %c\n}\n";
    let pass = |text: &str| text.replace("icmp slt", "icmp ult");
    let hides = |construct: Construct| {
        let masked = without(&module(text), &[construct].into()).expect("it is there");
        let after = masked.judged(module(&pass(&masked.text())));
        let compared = irmachine::check(&masked.before(), &after, "f", &Limits::default(), &[]);
        match compared {
            Comparison::Holds { executed, .. } => executed > 0,
            Comparison::Refuted(_) => false,
            Comparison::Unknown(why) => panic!("{why}"),
        }
    };
    assert!(hides(instruction("icmp signed")));
    assert!(!hides(instruction("add")));
}

fn shaped(text: &str, needed: &[Construct]) -> Shape {
    Shape::of(&module(text), &["f".into()], &needed.iter().cloned().collect())
}

fn shape_of(text: &str, needed: &[Construct]) -> String {
    shaped(text, needed).to_string()
}

#[test]
fn shapes_know_no_names_widths_or_order() {
    let needed = [instruction("icmp signed"), instruction("add")];
    let one = "define i1 @f(i32 %x, i32 %y) {\n  %z = lshr i32 %y, 1\n  %a = add i32 %x, 77\n  \
               %c = icmp sgt i32 %x, %a\n  ret i1 %c\n}\n";
    let other = "define i1 @f(i8 %p) {\n  %1 = add i8 -5, %p\n  %2 = icmp slt i8 %1, %p\n  \
                 ret i1 %2\n}\n";
    assert_eq!(shape_of(one, &needed), "icmp signed lt(add(a, c), a)");
    assert_eq!(shape_of(one, &needed), shape_of(other, &needed));
    // What does not matter is not told; where nothing does, all is.
    assert_eq!(shape_of(one, &needed[..1]), "icmp signed lt(_, _)");
    assert_eq!(shape_of(one, &[]), "icmp signed lt(add(a, c), a); lshr(_, 1)");
}

#[test]
fn shapes_tell_what_matters_apart() {
    let text = |ty: &str, flag: &str, by: &str| {
        format!("define {ty} @f({ty} %x) {{\n  %r = sub {flag} {ty} {by}, %x\n  ret {ty} %r\n}}\n")
    };
    let needed = [instruction("sub"), Construct::Flag("nsw".into())];
    let of = |ty: &str, flag: &str, by: &str| shape_of(&text(ty, flag, by), &needed);
    assert_eq!(of("i32", "nsw", "0"), "sub nsw(0, _)");
    assert_eq!(of("i32", "nuw nsw", "0"), "sub nsw(0, _)", "a flag that does not matter");
    assert_eq!(of("i32", "", "-1"), "sub(-1, _)");
    assert_eq!(of("i1", "", "true"), "sub i1(-1, _)");
    assert_eq!(of("<2 x i8>", "", "<i8 3, i8 3>"), "sub vector(c, _)");
    assert_eq!(of("<2 x i8>", "", "<i8 3, i8 0>"), "sub vector(<c>, _)");
    let with_loop = "define void @f() {\n  br label %l\nl:\n  %i = phi i32 [ 0, %0 ], [ %n, %l ]\n  \
                     %n = add i32 %i, 1\n  br label %l\n}\n";
    assert_eq!(shape_of(with_loop, &[instruction("add")]), "loop; add(_, 1)");
}

#[test]
fn a_shape_is_found_in_a_larger_function() {
    let needed = [instruction("icmp signed"), instruction("add")];
    let of = |body: &str| {
        shaped(&format!("define i1 @f(i32 %x, i32 %y) {{\n{body}  ret i1 %c\n}}\n"), &needed)
    };
    let small = of("  %a = add i32 %x, 7\n  %c = icmp slt i32 %a, %x\n");
    let larger = |of_which: &str, by: &str| {
        of(&format!(
            "  %l = shl i32 %y, 3\n  %n = add i32 %l, %y\n  %a = add i32 {by}, %n\n  \
             %b = icmp sgt i32 {of_which}, %a\n  %k = add i32 %a, 1\n  \
             %c = icmp slt i32 %k, %l\n"
        ))
    };
    // The order of operands does not count; which values are one does, and what must be a constant.
    assert!(small.is_part_of(&larger("%n", "99")));
    assert!(!small.is_part_of(&larger("%l", "99")));
    assert!(!small.is_part_of(&larger("%n", "%x")));
    assert!(!larger("%n", "99").is_part_of(&small));
    // A reduction leaves 0 or 1 where anything will do.
    let least = of("  %a = add i32 %x, 1\n  %c = icmp slt i32 %a, 0\n");
    assert!(least.is_part_of(&larger("%l", "%x")));
    assert!(!least.is_part_of(&of("  %c = icmp slt i32 %x, %y\n")));
    assert!(!of("  %c = icmp ult i32 %x, %y\n").is_part_of(&small), "nothing is no part");
}

#[test]
fn a_long_shape_is_cut_and_still_its_own() {
    let mut text = "define i32 @f(i32 %x0) {\n".to_string();
    for n in 0..40 {
        text += &format!("  %y{n} = mul i32 %x0, {}\n", n + 2);
        text += &format!("  call void @g{n}(i32 %y{n})\n");
    }
    text += "  ret i32 %x0\n}\n";
    let declared: String = (0..40).map(|n| format!("declare void @g{n}(i32)\n")).collect();
    let one = shape_of(&(text.clone() + &declared), &[instruction("call"), instruction("mul")]);
    assert!(one.chars().count() < 220, "{one}");
    let deep = |op: &str| {
        let mut text = "define i32 @f(i32 %x0, i32 %y) {\n".to_string();
        for n in 0..9 {
            let op = if n == 8 { op } else { "mul" };
            text += &format!("  %x{} = {op} i32 %x{n}, %y\n  call void @g(i32 %x{n})\n", n + 1);
        }
        text + "  ret i32 %x9\n}\ndeclare void @g(i32)\n"
    };
    let needed = [instruction("mul"), instruction("xor")];
    assert_ne!(shape_of(&deep("mul"), &needed), shape_of(&deep("xor"), &needed));
}

#[test]
fn constructs_are_kept_as_words() {
    let all: BTreeSet<Construct> =
        [instruction("shl"), Construct::Claim("!range".into())].into_iter().collect();
    let json = serde_json::to_string(&all).expect("JSON");
    assert_eq!(json, r#"[{"claim":"!range"},{"instruction":"shl"}]"#);
}
