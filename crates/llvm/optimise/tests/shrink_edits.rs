//! Edits of the reducer on real modules: texts before and after. One test, because a process opens one library.

use llvmhost::{Context, Installed, Llvm};
use optimise::shrink::{Edit, EditKind, apply, count, make};

/// `None` where the library is not installed, which CI does not put up with.
fn library() -> Option<Llvm> {
    let found = Installed::named("16");
    assert!(
        found.is_ok() || std::env::var_os("CI").is_none(),
        "set-up installs libLLVM 16: CI skips none"
    );
    let found = found.ok()?;
    Some(Llvm::open(&found.path, found.major).expect("a library that opens"))
}

/// Text without what LLVM adds for readers.
fn plain(text: &str) -> String {
    let lines = text
        .lines()
        .filter(|line| !line.starts_with([';']) && !line.starts_with("source_filename"));
    let lines = lines.map(|line| line.split(" ;").next().unwrap_or("").trim_end());
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n") + "\n"
}

struct Case {
    kind: EditKind,
    places: &'static [u32],
    before: &'static str,
    after: &'static str,
}

const CASES: &[Case] = &[
    Case {
        kind: EditKind::Debug,
        places: &[0],
        before: "define void @f() !dbg !3 {\n  ret void, !dbg !5\n}\n!llvm.dbg.cu = !{!0}\n\
                 !llvm.module.flags = !{!2}\n!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1)\n\
                 !1 = !DIFile(filename: \"a.c\", directory: \"/\")\n\
                 !2 = !{i32 2, !\"Debug Info Version\", i32 3}\n\
                 !3 = distinct !DISubprogram(name: \"f\", file: !1, type: !4, unit: !0, spFlags: DISPFlagDefinition)\n\
                 !4 = !DISubroutineType(types: !{})\n!5 = !DILocation(line: 1, scope: !3)\n",
        // The flag is a line, and goes with lines.
        after: "define void @f() {\n  ret void\n}\n!llvm.module.flags = !{!0}\n\
                !0 = !{i32 2, !\"Debug Info Version\", i32 3}\n",
    },
    Case {
        kind: EditKind::Functions,
        places: &[0],
        before: "declare i32 @g(i32)\ndefine i32 @f() {\n  %a = call i32 @g(i32 1)\n  ret i32 %a\n}\n",
        after: "define i32 @f() {\n  ret i32 0\n}\n",
    },
    Case {
        kind: EditKind::Bodies,
        places: &[0],
        before: "define internal i32 @g(i32 %x) {\n  br label %l\nl:\n  %p = phi i32 [ %x, %0 ], [ %q, %l ]\n  %q = add i32 %p, 1\n  br label %l\n}\ndefine i32 @f() {\n  %a = call i32 @g(i32 1)\n  ret i32 %a\n}\n",
        after: "declare dso_local i32 @g(i32)\ndefine i32 @f() {\n  %a = call i32 @g(i32 1)\n  ret i32 %a\n}\n",
    },
    Case {
        kind: EditKind::Globals,
        places: &[0],
        before: "@x = global i32 1\n@y = global ptr @x\n",
        after: "@y = global ptr null\n",
    },
    Case {
        kind: EditKind::Initializers,
        places: &[0],
        before: "@x = global [2 x i32] [i32 1, i32 2]\n",
        after: "@x = global [2 x i32] zeroinitializer\n",
    },
    Case {
        kind: EditKind::Exits,
        places: &[0],
        before: "define i32 @f(i1 %c) {\n  br i1 %c, label %l, label %r\nl:\n  br label %r\nr:\n  %p = phi i32 [ 1, %l ], [ 2, %0 ]\n  ret i32 %p\n}\n",
        after: "define i32 @f(i1 %c) {\n  ret i32 0\n}\n",
    },
    Case {
        kind: EditKind::Branches,
        places: &[1],
        before: "define i32 @f(i1 %c) {\n  br i1 %c, label %l, label %r\nl:\n  br label %r\nr:\n  %p = phi i32 [ 1, %l ], [ 2, %0 ]\n  ret i32 %p\n}\n",
        after: "define i32 @f(i1 %c) {\n  br label %r\nr:\n  %p = phi i32 [ 2, %0 ]\n  ret i32 %p\n}\n",
    },
    // A switch may go to one block by several ways; a branch goes by one.
    Case {
        kind: EditKind::Branches,
        places: &[0],
        before: "define i32 @f(i32 %c) {\n  switch i32 %c, label %r [\n    i32 1, label %r\n    i32 2, label %l\n  ]\nl:\n  ret i32 7\nr:\n  %p = phi i32 [ 2, %0 ], [ 2, %0 ]\n  ret i32 %p\n}\n",
        after: "define i32 @f(i32 %c) {\n  br label %r\nr:\n  %p = phi i32 [ 2, %0 ]\n  ret i32 %p\n}\n",
    },
    Case {
        kind: EditKind::Branches,
        places: &[0],
        before: "declare i32 @p(...)\ndeclare i32 @g(i32)\ndefine i32 @f() personality ptr @p {\n  %a = invoke i32 @g(i32 3) to label %l unwind label %u\nl:\n  ret i32 %a\nu:\n  %e = landingpad { ptr, i32 } cleanup\n  resume { ptr, i32 } %e\n}\n",
        after: "declare i32 @p(...)\ndeclare i32 @g(i32)\ndefine i32 @f() personality ptr @p {\n  %1 = call i32 @g(i32 3)\n  br label %l\nl:\n  ret i32 %1\n}\n",
    },
    Case {
        kind: EditKind::Joins,
        places: &[0, 1],
        before: "define i32 @f(i1 %c) {\n  %a = add i32 1, 2\n  br label %l\nl:\n  %p = phi i32 [ %a, %0 ]\n  br label %m\nm:\n  br i1 %c, label %m2, label %r\nm2:\n  br label %r\nr:\n  %q = phi i32 [ %p, %m ], [ 9, %m2 ]\n  ret i32 %q\n}\n",
        after: "define i32 @f(i1 %c) {\n  %a = add i32 1, 2\n  br i1 %c, label %m2, label %r\nm2:\n  br label %r\nr:\n  %q = phi i32 [ %a, %0 ], [ 9, %m2 ]\n  ret i32 %q\n}\n",
    },
    Case {
        kind: EditKind::ToOperand,
        places: &[0, 1, 2],
        before: "define i32 @f(i32 %x) {\n  %a = add i32 %x, 1\n  %b = mul i32 %a, 2\n  ret i32 %b\n}\n",
        after: "define i32 @f(i32 %x) {\n  ret i32 %x\n}\n",
    },
    Case {
        kind: EditKind::ToParameter,
        places: &[0],
        before: "define i32 @f(i32 %x, ptr %p) {\n  %a = load i32, ptr %p, align 4\n  ret i32 %a\n}\n",
        after: "define i32 @f(i32 %x, ptr %p) {\n  ret i32 %x\n}\n",
    },
    Case {
        kind: EditKind::ToZero,
        places: &[0, 1],
        before: "define i32 @f(ptr %p) {\n  store i32 1, ptr %p, align 4\n  %a = load i32, ptr %p, align 4\n  ret i32 %a\n}\n",
        after: "define i32 @f(ptr %p) {\n  ret i32 0\n}\n",
    },
    Case {
        kind: EditKind::ToPoison,
        places: &[0],
        before: "define i32 @f(ptr %p) {\n  %a = load i32, ptr %p, align 4\n  ret i32 %a\n}\n",
        after: "define i32 @f(ptr %p) {\n  ret i32 poison\n}\n",
    },
    Case {
        kind: EditKind::OperandToZero,
        places: &[1],
        before: "define i32 @f(i32 %x) {\n  %a = add i32 %x, 7\n  ret i32 %a\n}\n",
        after: "define i32 @f(i32 %x) {\n  %a = add i32 %x, 0\n  ret i32 %a\n}\n",
    },
    Case {
        kind: EditKind::OperandToOne,
        places: &[1],
        before: "define i32 @f(i32 %x) {\n  %a = add i32 %x, 7\n  ret i32 %a\n}\n",
        after: "define i32 @f(i32 %x) {\n  %a = add i32 %x, 1\n  ret i32 %a\n}\n",
    },
    Case {
        kind: EditKind::OperandToParameter,
        places: &[0],
        before: "define i32 @f(i32 %x) {\n  %a = add i32 %x, 7\n  ret i32 %a\n}\n",
        after: "define i32 @f(i32 %x) {\n  %a = add i32 %x, 7\n  ret i32 %x\n}\n",
    },
    Case {
        kind: EditKind::OperandToNewParameter,
        places: &[0, 1],
        before: "define i32 @f(ptr nonnull %x) #0 {\n  %a = load i32, ptr %x, align 4\n  %b = udiv i32 %a, %a\n  ret i32 %b\n}\nattributes #0 = { nounwind }\n",
        after: "define i32 @f(ptr nonnull %x, i32 %0) #0 {\n  %a = load i32, ptr %x, align 4\n  %b = udiv i32 %0, %0\n  ret i32 %b\n}\nattributes #0 = { nounwind }\n",
    },
    Case {
        kind: EditKind::Parameters,
        places: &[0],
        before: "define i32 @f(i32 %x, i32 signext %y) {\n  ret i32 %y\n}\ndefine i32 @g() {\n  %a = call i32 @f(i32 1, i32 2)\n  ret i32 %a\n}\n",
        after: "define i32 @g() {\n  %1 = call i32 @f(i32 2)\n  ret i32 %1\n}\ndefine i32 @f(i32 signext %y) {\n  ret i32 %y\n}\n",
    },
    Case {
        kind: EditKind::Attributes,
        places: &[0, 1, 2],
        before: "define i32 @f(i32 noundef %x) \"k\"=\"v\" {\n  %a = call noundef i32 @f(i32 %x)\n  ret i32 %a\n}\n",
        after: "define i32 @f(i32 %x) {\n  %a = call i32 @f(i32 %x)\n  ret i32 %a\n}\n",
    },
    Case {
        kind: EditKind::Lines,
        places: &[0, 1],
        before: "target triple = \"x86_64-unknown-linux-gnu\"\n@x = global i32 0\n@a = alias i32, ptr @x\n",
        after: "@x = global i32 0\n",
    },
    Case {
        kind: EditKind::Words,
        places: &[0, 2],
        before: "define internal i32 @f(i32 %x) {\n  %a = add nuw nsw i32 %x, 7\n  ret i32 %a\n}\n",
        after: "define i32 @f(i32 %x) {\n  %a = add nuw i32 %x, 7\n  ret i32 %a\n}\n",
    },
    Case {
        kind: EditKind::Names,
        places: &[0, 1],
        before: "@long = global i32 0\ndeclare void @ext()\ndefine i32 @name(i32 %number) {\nentry:\n  %sum = add i32 %number, 7\n  call void @ext()\n  br label %next\nnext:\n  ret i32 %sum\n}\n",
        after: "@g = global i32 0\ndeclare void @f()\ndefine i32 @f1(i32 %a) {\n  %b = add i32 %a, 7\n  call void @f()\n  br label %block1\nblock1:\n  ret i32 %b\n}\n",
    },
];

#[test]
fn edits() {
    let Some(llvm) = library() else { return };
    for case in CASES {
        let context = Context::new(&llvm);
        let edit = Edit::Places { kind: case.kind, places: case.places.to_vec() };
        let made = make(&context, case.before.as_bytes(), &edit, None);
        let made = made.unwrap_or_else(|| panic!("{edit:?} makes nothing of\n{}", case.before));
        assert_eq!(plain(&made.text()), case.after, "{edit:?}");
    }
    edits_of_ours_know_their_limits(&llvm);
}

fn edits_of_ours_know_their_limits(llvm: &Llvm) {
    let context = Context::new(llvm);
    let text = b"define i32 @f(i32 %x) {\n  ret i32 %x\n}\n";
    for kind in EditKind::ALL {
        let mut module = context.parse(text, "small").expect("a module");
        let count = u32::try_from(count(&module, kind)).expect("few");
        if kind != EditKind::Debug {
            assert!(!apply(&mut module, kind, &[count, count + 7]), "{kind:?}");
        }
        assert!(module.verify().is_ok());
    }
    assert!(make(&context, b"define nonsense", &Edit::Keep, None).is_none());
    let run = |passes: &str| make(&context, text, &Edit::Run(passes.into()), None).is_some();
    assert!(run("function(instsimplify)") && !run("no-such-pass"));
}
