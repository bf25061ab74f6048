//! What the parser takes and what the printer makes of it; what it refuses; that no text breaks it.

use crate::op::{Constant, Op, Symbol, Value};
use crate::tree::{Attribute, Local, Metadata, Type};
use crate::{Bits, Module, parse, parse_lenient, print};

fn read(text: &str) -> Module {
    parse(text).unwrap_or_else(|refused| panic!("{refused}\n{text}"))
}

/// Each line of a function's body comes out as it went in.
#[test]
fn instructions_are_printed_as_they_were_read() {
    let bodies = [
        "%r = add nuw nsw i32 %a, -7",
        "%r = lshr exact i32 %a, 2",
        "%r = or disjoint i32 %a, 1",
        "%r = fadd reassoc nnan double %d, 1.500000e+00",
        "%r = fmul fast double %d, 0x7FF8000000000000",
        "%r = fneg nsz double %d",
        "%r = trunc nuw nsw i32 %a to i8",
        "%r = zext nneg i32 %a to i64",
        "%r = icmp samesign ult i32 %a, 4",
        "%r = fcmp ninf une double %d, 0.000000e+00",
        "%r = select i1 true, ptr %p, ptr null",
        "%r = freeze i32 %a",
        "%r = extractelement <2 x i32> <i32 1, i32 poison>, i64 1",
        "%r = insertelement <2 x i32> zeroinitializer, i32 %a, i64 1",
        "%r = shufflevector <2 x i8> undef, <2 x i8> splat (i8 3), <4 x i32> <i32 0, i32 1, i32 2, i32 3>",
        "%r = extractvalue { i8, [2 x i32] } zeroinitializer, 1, 0",
        "%r = insertvalue { i8, [2 x i32] } undef, i32 %a, 1, 0",
        "%r = alloca i32, i64 4, align 8, addrspace(5)",
        "%r = load volatile i32, ptr %p, align 4",
        "%r = load atomic i32, ptr %p syncscope(\"agent\") acquire, align 4",
        "store atomic i32 %a, ptr %p seq_cst, align 4",
        "fence acq_rel",
        "%r = cmpxchg weak ptr %p, i32 %a, i32 7 acq_rel monotonic, align 4",
        "%r = atomicrmw volatile fadd ptr %p, double %d monotonic, align 8",
        "%r = getelementptr inbounds nuw { i8, [2 x i32] }, ptr %p, i64 0, i32 1, i64 1",
        "%r = getelementptr nusw i8, ptr %p, <2 x i64> <i64 1, i64 2>",
        "%r = va_arg ptr %p, i32",
        "%r = tail call fastcc noundef i32 %p(i32 signext %a) #0, !range !{i32 0, i32 9}",
        "call void asm sideeffect \"nop\", \"r,~{memory}\"(i32 %a) nounwind",
        "call void (ptr, ...) %p(ptr %p, i32 1) [ \"tag\"(i32 %a, ptr null), \"none\"() ]",
        "call void %p(metadata i32 %a, metadata !DIExpression(DW_OP_deref), metadata !{})",
        "call addrspace(0) void inttoptr (i64 ptrtoint (ptr @f to i64) to ptr)()",
        "call void %p() cold align 8 \"x\"",
        "%r = ptrtoaddr ptr %p to i64",
        "%r = sext <vscale x 2 x i8> zeroinitializer to <vscale x 2 x i32>",
    ];
    for body in bodies {
        let text = format!(
            "\ndefine void @f(i32 %a, double %d, ptr %p) {{\nentry:\n  {body}\n  ret void\n}}\n"
        );
        assert_eq!(print(&read(&text)), text);
    }
}

#[test]
fn globals_are_printed_as_they_were_read() {
    let lines = [
        "@g = global i32 -7, align 4",
        "@g = private unnamed_addr constant [3 x i8] c\"a\\22\\00\", align 1",
        "@g = external thread_local(localexec) local_unnamed_addr addrspace(3) global i8",
        "@g = linkonce_odr externally_initialized global { i8, ptr } { i8 1, ptr @g }, section \"s\", comdat, align 8, !a !{}",
        "@g = global <{ i8, half }> <{ i8 1, half 0xH3C00 }>",
        "@g = global ptr getelementptr inbounds inrange(-8, 16) (i8, ptr @g, i64 8)",
        "@g = global ptr getelementptr ({ [2 x i8] }, ptr @g, i32 0, inrange i32 0, i32 1)",
        "@g = global i64 sub nsw (i64 ptrtoint (ptr @g to i64), i64 1)",
        "@g = global i1 icmp ult (ptr @g, ptr null)",
        "@g = global ptr select (i1 fcmp oeq (float 1.000000e+00, float 0x36A0000000000000), ptr @g, ptr null)",
        "@g = global ptr ptrauth (ptr @g, i32 2, i64 1234)",
        "@g = global target(\"spirv.Image\", void, 1) zeroinitializer, no_sanitize_address, code_model \"large\"",
        "@\"a b\\5C\\E9\" = alias i8, ptr @\"a b\\5C\\E9\"",
        "@g = hidden ifunc void (i32, ...), ptr @g, partition \"p\"",
        "$\"c d\" = comdat nodeduplicate",
        "%t = type { ptr, %u, <{ i8, x86_fp80 }> }\n%u = type opaque",
        "attributes #3 = { nounwind alignstack=16 memory(argmem: read) allocsize(0,1) \"k\"=\"v\" \"flag\" }",
        "!llvm.x = !{!0, !1}\n!0 = distinct !{!0, null, !\"t\\22\", i32 7}\n!1 = !DIFile(filename: \"(\", directory: \")\")",
        "module asm \"nop\"",
    ];
    for line in lines {
        let text = format!("{line}\n");
        assert_eq!(print(&read(&text)), text);
    }
}

#[test]
fn headers_are_printed_as_they_were_read() {
    let headers = [
        "declare void @f()",
        "declare !dbg !{} noalias noundef align 8 ptr @f(ptr byval({ i8, i32 }) align 4, i32 range(i32 -4, 8), ...)",
        "declare hidden fastcc void @f(...) unnamed_addr #0 section \"s\" gc \"g\"",
        "declare riscv_vls_cc(128) i32 @f(ptr captures(ret: address) dead_on_return nofpclass(nan inf) initializes((0, 4)))",
        "declare cc 99 zeroext i1 @f(ptr addrspace(1) dereferenceable_or_null(8)) addrspace(7) nounwind \"a\"=\"b\" align 16 prefix i32 7 personality ptr @f",
    ];
    for header in headers {
        let text = format!("\n{header}\n");
        assert_eq!(print(&read(&text)), text);
    }
}

#[test]
fn forward_references_and_numbers_find_their_places() {
    let module = read(
        "define i32 @f(i32) {\n  br label %5\n  ; a gap, and a block without a label\n5:\n  %x = phi i32 [ %9, %5 ], [ 0, %1 ]\n  %9 = add i32 %x, %0\n  br i1 undef, label %5, label %out\nout:\n  mul i32 %9, 3\n  ret i32 %10\n}",
    );
    let function = module.function("f").expect("it is there");
    let names: Vec<_> = function.locals.iter().map(|local| local.name.as_deref()).collect();
    assert_eq!(names, [None, Some("x"), None, None]);
    let Op::Phi { incoming, .. } = &function.blocks[1].instructions[0].op else { panic!("no phi") };
    assert_eq!(incoming[0].0, Value::Local(Local(2)));
    assert_eq!((incoming[0].1.0, incoming[1].1.0), (1, 0));
    assert_eq!(function.blocks[2].instructions[0].line, 9);
    assert_eq!(crate::print::local(function, Local(3)), "%4");
    let text = crate::print::instruction(&module, function, &function.blocks[1].instructions[1]);
    assert_eq!(text, "%3 = add i32 %x, %0");
}

#[test]
fn globals_with_numbers_are_counted_in_the_order_of_the_tree() {
    let module = read(
        "define void @0() {\n  call void @0()\n  ret void\n}\n@2 = global ptr @0\n@9 = global ptr @2\n",
    );
    assert_eq!(module.globals[0].value, Some(Constant::Global(Symbol::Number(2))));
    assert_eq!(module.globals[1].value, Some(Constant::Global(Symbol::Number(0))));
    let text = print(&module);
    assert!(
        text.starts_with("@0 = global ptr @2\n@1 = global ptr @0\n\ndefine void @2()"),
        "{text}"
    );
}

#[test]
fn floats_have_the_bits_of_their_format() {
    let cases: &[(&str, u128)] = &[
        ("half 1.5", 0x3e00),
        ("half 0xH7E01", 0x7e01),
        ("bfloat -2.0", 0xc000),
        ("float 0x3FB99999A0000000", 0x3dcc_cccd),
        ("float 0x36A0000000000000", 1),
        ("float 0x7FF4000000000000", 0x7fa0_0000),
        ("float -0.0", 0x8000_0000),
        ("double 0.1", 0x3fb9_9999_9999_999a),
        ("double 1e2", 0),
        ("double 4.9406564584124654e-324", 1),
        ("x86_fp80 0xK3FFF8000000000000000", 0x3fff_8000_0000_0000_0000),
        ("x86_fp80 2.0", 0x4000_8000_0000_0000_0000),
        ("fp128 0xL00000000000000013FFF000000000000", 0x3fff_0000_0000_0000_0000_0000_0000_0001),
        ("fp128 1.0", 0x3fff << 112),
        (
            "ppc_fp128 0xM3FF00000000000008000000000000000",
            0x8000_0000_0000_0000_3ff0_0000_0000_0000,
        ),
    ];
    for (text, bits) in cases {
        let module = parse(&format!("@g = global {text}\n"));
        // Without a dot it is no number of LLVM's.
        if text.contains("1e2") {
            assert!(module.is_err());
            continue;
        }
        let Some(Constant::Float(found)) = &module.expect(text).globals[0].value else {
            panic!("{text}")
        };
        assert_eq!(found.small(), Some(*bits), "{text}");
    }
    let refused = parse("@g = global float 0.1\n").expect_err("it has no such float");
    assert_eq!(refused.to_string(), "line 1: `0.1`: a number that its type cannot hold exactly");
}

#[test]
fn integers_are_cut_to_their_width() {
    let module = read("@g = global [4 x i8] [i8 -1, i8 255, i8 u0xFE, i8 s0x80]\n");
    let Some(Constant::Array(parts)) = &module.globals[0].value else { panic!("no array") };
    let bits: Vec<_> = parts.iter().map(|(_, part)| part.clone()).collect();
    assert_eq!(bits, [0xff, 0xff, 0xfe, 0x80].map(|n| Constant::Integer(Bits::new(8, n))));
}

#[test]
fn other_names_of_types_are_replaced() {
    let module = read("%w = type i32\n%s = type { %w, %p }\n%p = type { ptr }\n@g = global %w 1\n");
    assert_eq!(module.globals[0].ty, Type::Integer(32));
    assert_eq!(module.types.len(), 2);
}

#[test]
fn attributes_have_fields() {
    let module = read(
        "declare void @f(ptr align(8) byval(i64) dereferenceable(16) captures(none), i8 range(i8 -1, 3)) #0\nattributes #0 = { memory(none) \"a\" }\n",
    );
    let function = &module.functions[0];
    let first = &function.params[0].attributes;
    assert_eq!((first.number("align"), first.number("dereferenceable")), (Some(8), Some(16)));
    assert_eq!(
        (first.typed("byval"), first.words("captures")),
        (Some(&Type::Integer(64)), Some("none"))
    );
    let range = Attribute::Range(Type::Integer(8), Bits::new(8, 255), Bits::new(8, 3));
    assert_eq!(function.params[1].attributes.0, [range]);
    assert_eq!(module.expand(&function.attributes).words("memory"), Some("none"));
}

#[test]
fn what_bears_on_nothing_is_dropped() {
    let module = read(
        "define void @f(i32 %x) {\n  ret void\n  uselistorder i32 %x, { 1, 0 }\n}\nuselistorder ptr @f, { 1, 0 }\nuselistorder_bb @f, %0, { 1, 0 }\n^0 = module: (path: \"(\", hash: (0, 0))\n^1 = flags: 8\n!x = !{!\"still read\"}\n",
    );
    assert_eq!(module.named_metadata[0].1, [Metadata::Text("still read".into())]);
}

#[test]
fn refusals_name_the_line() {
    let body =
        |line: &str| format!("define void @f(i32 %a, ptr %p) {{\n  {line}\n  ret void\n}}\n");
    let cases = [
        ("@g = global i32* null\n".to_string(), "line 1: typed pointers: opaque pointers only"),
        (
            "@g = global i32 addrspace(1)* null\n".to_string(),
            "line 1: typed pointers: opaque pointers only",
        ),
        ("\n\n@g = global i33\n".to_string(), "line 4: expected a constant, found the end"),
        (
            "@g = global %t zeroinitializer\n".to_string(),
            "line 1: the type `%t` is defined nowhere",
        ),
        ("@g = global ptr @h\n".to_string(), "line 1: `@h` is defined nowhere"),
        ("@g = global i8 1\n@g = global i8 1\n".to_string(), "line 2: `@g` is defined twice"),
        (
            "%t = type { %u }\n%u = type { [2 x %t] }\n".to_string(),
            "line 1: the type `%t` holds itself",
        ),
        ("@g = global [2 x i8] [i8 1]\n".to_string(), "line 1: other elements than a [2 x i8] has"),
        ("@g = global i8 \"\n".to_string(), "line 1: a quote that is not closed"),
        (body("%x = add i64 %a, 1"), "line 2: `%a` is a i32 and used as a i64"),
        (body("%x = add i32 %y, 1"), "line 2: the value `%y` is defined nowhere"),
        (body("br label %nowhere"), "line 2: the block `%nowhere` is defined nowhere"),
        (body("%x = frobnicate i32 %a"), "line 2: `frobnicate` is no instruction"),
        (body("%a = add i32 1, 1"), "line 2: `%a` is defined twice"),
        (body("%x = store i32 %a, ptr %p"), "line 2: a name for what has no result"),
        (
            body("call void (i32) @f(i64 1)"),
            "line 2: other arguments than the type of the callee says",
        ),
        (
            "define void @f() {\n  br label %5\n5:\n  ret void\n}\n@g = global ptr blockaddress(@f, %5)\n".to_string(),
            "line 6: a number that is kept, while others have gaps",
        ),
        (body("%x = add exact i32 %a, 1"), "line 2: a flag that `add` cannot have"),
        (body("%x = fadd i32 %a, 1"), "line 2: `fadd` of a i32"),
        (body("%x = trunc i32 %a to i64"), "line 2: a `trunc` of a i32 to a i64"),
        (body("%x = bitcast i32 %a to <2 x i8>"), "line 2: a `bitcast` of a i32 to a <2 x i8>"),
        (body("ret i32 %a"), "line 2: a i32 is returned where a void should be"),
        (body("store i32 %a, i32 %a"), "line 2: a store to what is no pointer"),
        (body("%x = load i32, i32* %p"), "line 2: typed pointers: opaque pointers only"),
    ];
    for (text, expected) in cases {
        let refused = parse(&text).expect_err(&text);
        assert_eq!(refused.to_string(), expected, "{text}");
    }
}

#[test]
fn a_function_that_is_refused_leaves_the_others() {
    let text = "define i32 @good() {\n  ret i32 1\n}\n\ndefine void @bad() {\n  invented\n}\n\ndefine void @last() { ret void }\n";
    let (module, refused) = parse_lenient(text).expect("a module");
    let defined: Vec<_> = module.functions.iter().map(|function| function.is_defined()).collect();
    assert_eq!(defined, [true, false, true]);
    assert_eq!(refused.len(), 1);
    assert_eq!((refused[0].0.as_str(), refused[0].1.line), ("bad", 6));
}

#[test]
fn nesting_has_a_limit_and_no_text_breaks_the_reader() {
    for (open, close) in [("{ ", " }"), ("[1 x ", "]"), ("<{ ", " }>")] {
        let deep =
            format!("@g = external global {}i8{}\n", open.repeat(100_000), close.repeat(100_000));
        assert_eq!(parse(&deep).expect_err("too deep").what, "nested more than 200 deep");
    }
    let deep = format!("!0 = {}\n", "!{".repeat(100_000));
    assert!(parse(&deep).is_err());
    let deep = format!("@g = global ptr {}", "getelementptr (i8, ptr ".repeat(100_000));
    assert!(parse(&deep).is_err());
    let long = format!("@g = global i8 {}\n", "9".repeat(1_000_000));
    assert!(parse(&long).is_err());
    let mut chain: String =
        (0..10_000).map(|n| format!("%t{n} = type {{ %t{} }}\n", n + 1)).collect();
    chain.push_str("%t10000 = type { i8 }\n");
    assert_eq!(parse(&chain).expect_err("too deep").what, "types nested more than 200 deep");
}

/// A text that is cut anywhere, or of which a byte is another, is read or refused.
#[test]
fn damaged_texts_are_read_or_refused() {
    let whole = include_str!("../../tests/modules/common.ll");
    let bytes = whole.as_bytes();
    for at in (0..bytes.len()).step_by(7) {
        if let Some(cut) = whole.get(..at) {
            let _ = parse(cut);
        }
        let mut damaged = bytes.to_vec();
        damaged[at] = b"{}()[]<>,=%@!#\"*:\\ 0x\n"[at / 7 % 22];
        let Ok(text) = String::from_utf8(damaged) else { continue };
        if let Ok((module, _)) = parse_lenient(&text) {
            let _ = print(&module);
        }
    }
}
