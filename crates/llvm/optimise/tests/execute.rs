//! Modules are optimised, compiled and executed in a server's children, by every LLVM that is installed.
//!
//! This file is its own harness: with the argument `serve` it is a server.

use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use llvmhost::{
    Allowance, Executed, ExecutionEnd, Installed, Limits, Llvm, Machine, Program, Recorder,
    Running, Server, Setup, Work,
};
use optimise::verdict::Verdict;
use optimise::work::{self, Answer, Item, Pipeline};

struct Plain;

impl Work for Plain {
    fn perform(
        &self,
        llvm: &Llvm,
        machine: &Machine<'_>,
        item: &[u8],
        recorder: &Recorder<'_>,
    ) -> Vec<u8> {
        assert_eq!(item[0], work::ENGINE_TAG);
        work::answer(llvm, machine, &item[1..], recorder).bytes()
    }
}

const PRINTS: &str = "
    @text = private constant [10 x i8] c\"hello %d\\0A\\00\"
    declare i32 @printf(ptr, ...)
    define i32 @twice(i32 %x) { %y = add i32 %x, %x  ret i32 %y }
    define i32 @main() {
      %n = call i32 @twice(i32 21)
      %r = call i32 (ptr, ...) @printf(ptr @text, i32 %n)
      ret i32 7
    }";

const EXITS: &str = "
    declare void @exit(i32)
    define i32 @main() { call void @exit(i32 3)  unreachable }";

const DIES: &str = "
    define i32 @main() { store volatile i32 1, ptr inttoptr (i64 16 to ptr)  ret i32 0 }";

const ENDLESS: &str = "
    define i32 @main() { br label %again  again: br label %again }";

const UNKNOWN: &str = "
    declare i32 @there_is_no_such_function()
    define i32 @main() { %r = call i32 @there_is_no_such_function()  ret i32 %r }";

const MATHEMATICS: &str = "
    declare double @cbrt(double)
    define i32 @main() {
      %x = call double @cbrt(double 2.700000e+01)
      %r = fptosi double %x to i32
      ret i32 %r
    }";

const CHATTERS: &str = "
    @text = private constant [5 x i8] c\"more\\00\"
    declare i32 @puts(ptr)
    define i32 @main() {
      br label %again
    again:
      %r = call i32 @puts(ptr @text)
      br label %again
    }";

fn main() {
    if std::env::args().nth(1).as_deref() == Some("serve") {
        llvmhost::serve(|_| Ok(Plain)).expect("a server");
        return;
    }
    let ci = std::env::var_os("CI").is_some();
    let all = Installed::all();
    for needed in [16, 22] {
        let there = all.iter().any(|library| library.major == needed);
        assert!(there || !ci, "set-up installs LLVM {needed}, and CI skips none");
    }
    let trial = |library: Installed| {
        let name = format!("programs_with_llvm_{}", library.major);
        Trial::test(name, move || {
            programs(&library);
            Ok(())
        })
    };
    let tests = all.into_iter().map(trial).collect();
    libtest_mimic::run(&Arguments::from_args(), tests).exit();
}

fn programs(library: &Installed) {
    let path = std::env::current_exe().expect("a path");
    let program = Program { path, args: vec!["serve".into()] };
    let setup = Setup { library: library.path.clone(), major: library.major, ..Setup::default() };
    let mut server = Server::start(&program, &setup).expect("a server");
    let item = |module: &str, passes: &str| Item::Execute {
        module: module.into(),
        pipeline: Pipeline::of(passes, Running { verify_each: true, log: false }),
        allowance: Some(Allowance { time: Duration::from_millis(500), output: 1 << 16 }),
    };
    let limits = Limits { time: Duration::from_secs(20), memory: 4 << 30 };
    let mut run = |items: &[Item]| -> Vec<Verdict> {
        let items = items.iter().map(Item::bytes).collect();
        server.run(items, limits, false).expect("answers").iter().map(Verdict::of).collect()
    };
    let executed = |verdict: &Verdict| match verdict {
        Verdict::Fine(Answer::Executed(executed)) => executed.clone(),
        other => panic!("{other:?}"),
    };
    let plain = |how: ExecutionEnd| Executed { how, stdout: Vec::new() };

    let hello = Executed { how: ExecutionEnd::Status(7), stdout: b"hello 42\n".to_vec() };
    let seen = run(&[item(PRINTS, ""), item(PRINTS, "default<O2>"), item(PRINTS, "cgscc(inline)")]);
    assert_eq!(seen.iter().map(executed).collect::<Vec<_>>(), vec![hello; 3]);

    // None of these harms what comes after it in the same child.
    let items = [EXITS, DIES, ENDLESS, MATHEMATICS].map(|text| item(text, ""));
    let ends = [
        ExecutionEnd::Status(3),
        ExecutionEnd::Signal(libc::SIGSEGV),
        ExecutionEnd::Time,
        ExecutionEnd::Status(3),
    ];
    let seen: Vec<Executed> = run(&items).iter().map(executed).collect();
    assert_eq!(seen, ends.map(plain));

    let seen = executed(&run(&[item(UNKNOWN, "")])[0]);
    assert!(matches!(&seen.how, ExecutionEnd::NotBegun(why) if why.contains("main")), "{seen:?}");
    let seen = executed(&run(&[item(CHATTERS, "")])[0]);
    assert_eq!((seen.how, seen.stdout.len()), (ExecutionEnd::Signal(libc::SIGXFSZ), 1 << 16));

    // A pass that there is not, and a module that is none.
    for (module, passes) in [(PRINTS, "no-such-pass"), ("define i32 @main(", "")] {
        assert!(
            matches!(run(&[item(module, passes)])[0], Verdict::Refused(_)),
            "{module} {passes}"
        );
    }
    // Two files become one.
    let (main, twice) = (PRINTS.replace("define i32 @twice(i32 %x) {", ";"), PRINTS);
    let main = main.replace("%y = add", ";").replace("ret i32 %y }", ";");
    let main = main.replacen("declare", "declare i32 @twice(i32)\n declare", 1);
    let twice = twice.split("define i32 @main").next().unwrap_or("").to_string();
    let link = Item::Link { modules: vec![main.into_bytes(), twice.into_bytes()] };
    let Verdict::Fine(Answer::Object(whole)) = &run(&[link])[0] else { panic!("not linked") };
    let whole = Item::Execute {
        module: whole.clone(),
        pipeline: Pipeline::of("default<O1>", Running::default()),
        allowance: Some(Allowance::default()),
    };
    assert_eq!(executed(&run(&[whole])[0]).stdout, b"hello 42\n");
}
