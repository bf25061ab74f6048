//! Wrong passes of ten shapes, each planted between passes of a real LLVM: each is caught and blamed.
//!
//! This file is its own harness: with the argument `serve` it is a server.

use irmask::Construct;
use libtest_mimic::{Arguments, Failed, Trial};
use llvmhost::{Installed, Limits, Llvm, Machine, Program, Recorder, Running, Server, Setup, Work};
use optimise::locate::{Located, OnText, Optimiser, locate};
use optimise::masked::WrongModule;
use optimise::shrink::shrink;
use optimise::tester::Refuting;
use optimise::verdict::{Verdict as Judged, judge};
use optimise::work::{self, Item, Pipeline};
use refine::{Checker, Refinement as _, Scope, Verdict};

struct Plain;

impl Work for Plain {
    fn perform(
        &self,
        llvm: &Llvm,
        machine: &Machine<'_>,
        item: &[u8],
        recorder: &Recorder<'_>,
    ) -> Vec<u8> {
        work::answer(llvm, machine, &item[1..], recorder).bytes()
    }
}

/// What a wrong pass writes in place of what, and a module in which it does.
struct Plant {
    name: &'static str,
    from: &'static str,
    to: &'static str,
    module: &'static str,
}

const PLANTS: [Plant; 10] = [
    Plant {
        name: "a-flag-that-does-not-hold",
        from: "add i32 %x, %y",
        to: "add nsw i32 %x, %y",
        module: "define i32 @f(i32 %x, i32 %y) {\n  %a = add i32 %x, %y\n  %b = xor i32 %a, %x\n  ret i32 %b\n}\n",
    },
    Plant {
        name: "a-comparison-without-sign",
        from: "icmp slt",
        to: "icmp ult",
        module: "define i1 @f(i32 %x, i32 %y) {\n  %a = add i32 %y, 3\n  %c = icmp slt i32 %x, %a\n  ret i1 %c\n}\n",
    },
    Plant {
        name: "arms-exchanged",
        from: "select i1 %c, i8 %x, i8 %y",
        to: "select i1 %c, i8 %y, i8 %x",
        module: "define i8 @f(i1 %c, i8 %x, i8 %y) {\n  %s = select i1 %c, i8 %x, i8 %y\n  %t = mul i8 %s, %x\n  ret i8 %t\n}\n",
    },
    Plant {
        name: "a-freeze-lost",
        from: "%f = freeze i8 %x",
        to: "%f = or i8 %x, 0",
        module: "define i8 @f(i8 %x) {\n  %f = freeze i8 %x\n  %r = mul i8 %f, %f\n  ret i8 %r\n}\n",
    },
    Plant {
        name: "a-store-lost",
        from: "store i32 7, ptr %p, align 4",
        to: "",
        module: "define void @f(ptr %p, i32 %x) {\n  store i32 7, ptr %p, align 4\n  %q = getelementptr i8, ptr %p, i64 8\n  store i32 %x, ptr %q, align 4\n  ret void\n}\n",
    },
    Plant {
        name: "one-element-further",
        from: "i64 4",
        to: "i64 8",
        module: "define i32 @f(ptr %p) {\n  %q = getelementptr i8, ptr %p, i64 4\n  %a = load i32, ptr %q, align 1\n  %b = add i32 %a, 1\n  ret i32 %b\n}\n",
    },
    Plant {
        name: "a-shift-without-sign",
        from: "ashr i16",
        to: "lshr i16",
        module: "define i16 @f(i16 %x, i16 %y) {\n  %a = ashr i16 %x, 3\n  %b = sub i16 %a, %y\n  ret i16 %b\n}\n",
    },
    Plant {
        name: "a-loop-too-short",
        from: "icmp eq i32 %next, 10",
        to: "icmp eq i32 %next, 9",
        module: "define i32 @f(i32 %x) {\nentry:\n  br label %loop\nloop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n  %s = phi i32 [ %x, %entry ], [ %sum, %loop ]\n  %m = mul i32 %s, %s\n  %sum = add i32 %m, %i\n  %next = add i32 %i, 1\n  %done = icmp eq i32 %next, 10\n  br i1 %done, label %exit, label %loop\nexit:\n  ret i32 %sum\n}\n",
    },
    Plant {
        name: "lanes-exchanged",
        from: "<2 x i32> <i32 0, i32 3>",
        to: "<2 x i32> <i32 2, i32 1>",
        module: "define <2 x i8> @f(<2 x i8> %x, <2 x i8> %y) {\n  %s = shufflevector <2 x i8> %x, <2 x i8> %y, <2 x i32> <i32 0, i32 3>\n  %r = add <2 x i8> %s, %y\n  ret <2 x i8> %r\n}\n",
    },
    Plant {
        name: "a-call-twice",
        from: "call void @g(i32 %x)",
        to: "call void @g(i32 %x)\n  call void @g(i32 %x)",
        module: "declare void @g(i32)\ndefine i32 @f(i32 %x) {\n  call void @g(i32 %x)\n  %r = udiv i32 %x, 3\n  ret i32 %r\n}\n",
    },
];

/// LLVM with one pass more.
struct Planted<'s> {
    llvm: OnText<'s>,
    plant: &'s Plant,
}

impl Optimiser for Planted<'_> {
    fn run(&mut self, module: &str, passes: &str) -> Option<String> {
        match passes == self.plant.name {
            true => self.llvm.run(&module.replacen(self.plant.from, self.plant.to, 1), "verify"),
            false => self.llvm.run(module, passes),
        }
    }
}

fn each_is_caught_and_blamed(server: &mut Server, own: &Checker) {
    for plant in &PLANTS {
        let name = plant.name;
        let limits = Limits::default();
        let mut planted =
            Planted { llvm: OnText { server: &mut *server, limits, x86: true }, plant };
        // Passes that leave what the plant looks for alone, and one that is wrong.
        let passes = format!("early-cse,{name},dce");
        let located = locate(&mut planted, plant.module, &passes, own);
        let [located] = located.as_slice() else { panic!("{name} is caught {located:?}") };
        assert_eq!((located.pass(), located.alone), (name, true));
        assert!(located.before.contains(plant.from), "{name}: {}", located.before);
        assert!(located.after.contains(plant.to.trim()), "{name}: {}", located.after);
        // Without it, nobody is blamed.
        assert_eq!(locate(&mut planted, plant.module, "early-cse,dce", own), [], "{name}");
        let right = planted.run(plant.module, "function(early-cse,instcombine,simplifycfg)");
        let before = planted.run(plant.module, "verify");
        let verdict = own.check(&before.unwrap_or_default(), &right.unwrap_or_default());
        assert!(matches!(verdict, Verdict::Proved | Verdict::Held(_)), "{name}: {verdict:?}");
    }
}

/// A bug of LLVM 16's own (issue 62401): found in a pipeline, blamed on its pass, and made small.
fn a_bug_of_llvm_is_made_small(server: &mut Server, own: &Checker) {
    let module = "define <2 x i32> @f(<2 x i1> %x, <2 x i32> %y) {\n\
        \x20 %s = sext <2 x i1> %x to <2 x i32>\n  %t = xor <2 x i32> <i32 42, i32 -7>, %s\n\
        \x20 %u = xor <2 x i32> <i32 42, i32 -7>, %t\n  %r = urem <2 x i32> %y, %u\n\
        \x20 ret <2 x i32> %r\n}\n\ndefine i32 @other(i32 %x) {\n  %y = add i32 %x, 1\n  ret i32 %y\n}\n";
    let limits = Limits::default();
    let passes = "function(early-cse,instcombine,gvn)";
    let mut llvm = OnText { server: &mut *server, limits, x86: true };
    let located = locate(&mut llvm, module, passes, own);
    assert_eq!(located.iter().map(Located::pass).collect::<Vec<_>>(), ["instcombine"]);
    let before = &located[0].before;
    let mut wrong =
        WrongModule::new(&mut llvm, before, "instcombine", own).expect("it is wrong alone");
    let needed = wrong.needs(&|| false);
    let words: Vec<&str> = needed.iter().map(Construct::words).collect();
    assert_eq!(words, ["sext", "urem"], "{before}");
    let mut tester = Refuting::new(server, own, limits);
    let shrunk = shrink(module.as_bytes(), passes, &mut tester, &|_| {}, &|| false);
    let shrunk = shrunk.expect("it shows");
    let text = String::from_utf8(shrunk.module).expect("a text");
    assert!(!text.contains("other"), "{text}");
    assert!(
        shrunk.passes.contains("instcombine") && !shrunk.passes.contains(','),
        "{}",
        shrunk.passes
    );
}

/// LLVM 14 says that SROA broke the module, and not how; the verifier does, asked by itself.
fn what_is_wrong_is_told_by_every_version(server: &mut Server, _: &Checker) {
    let module = "declare void @llvm.assume(i1)\ndefine i32 @main() {\n  %p = alloca i64\n  \
        call void @llvm.assume(i1 true) [ \"align\"(ptr %p, i64 32, i64 28) ]\n  \
        %q = getelementptr i32, ptr %p, i64 1\n  store i32 0, ptr %q\n  %v = load i32, ptr %q\n  \
        ret i32 %v\n}\n";
    let running = Running { verify_each: true, log: false };
    let item = Item::Optimise {
        module: module.into(),
        name: "module".into(),
        pipeline: Pipeline::of("sroa", running),
        x86: true,
        print: false,
    };
    let (verdict, _) = judge(server, &item, Limits::default()).expect("a server");
    let Judged::Fault(signature) = verdict else { panic!("{verdict:?}") };
    assert!(signature.key.starts_with("invalid IR after SROAPass: "), "{signature:?}");
    assert!(!signature.complaint().is_empty(), "{signature:?}");
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        llvmhost::serve(|_| Ok(Plain)).expect("a server");
        return;
    }
    let tests = vec![
        Trial::test("each_is_caught_and_blamed", || with_server("16", each_is_caught_and_blamed)),
        Trial::test("a_bug_of_llvm_is_made_small", || {
            with_server("16", a_bug_of_llvm_is_made_small)
        }),
        Trial::test("what_is_wrong_is_told_by_14", || {
            with_server("14", what_is_wrong_is_told_by_every_version)
        }),
        Trial::test("what_is_wrong_is_told_by_16", || {
            with_server("16", what_is_wrong_is_told_by_every_version)
        }),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

fn with_server(version: &str, test: fn(&mut Server, &Checker)) -> Result<(), Failed> {
    let library = Installed::named(version).expect("set-up installs it");
    let path = std::env::current_exe().expect("a path");
    let program = Program { path, args: vec!["serve".into()] };
    let setup = Setup { library: library.path, major: library.major, ..Setup::default() };
    let mut server = Server::start(&program, &setup).expect("a server");
    test(&mut server, &Checker::new(None).within(Scope::Function));
    Ok(())
}
