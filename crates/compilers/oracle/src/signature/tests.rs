//! Messages as compilers print them: some seen here, most written down from memory.

use super::*;

fn known_by(messages: &str) -> String {
    crash(messages).known_by
}

#[test]
fn garbage_is_one_thing() {
    let told = |text: &str| crate::signature::rejection(text).0;
    assert_eq!(told("k\u{fffd}z\u{b}x: y"), "unreadable messages");
    assert_eq!(told("\u{1}\u{2}"), told("\u{fffd}12"));
    assert_eq!(told("a.c:1:2: error: no\tsuch thing"), told("b.c:3:4: error: no\tsuch thing"));
}

#[test]
fn gcc_says_where() {
    let cases = [
        (
            "during RTL pass: vregs\nfunc.c: In function ‘test_3’:\nfunc.c:97:1: internal compiler error: in extract_insn, at recog.cc:2791\n   97 | }\n0x6b3b0f _fatal_insn(char const*, rtx_def const*, char const*, int, char const*)\n\t../../src/gcc/rtl-error.cc:108",
            "in extract_insn, at recog.cc:2791",
        ),
        (
            "a.c:3:1: internal compiler error: tree check: expected ssa_name, have integer_cst in get_range, at tree-ssanames.cc:12",
            "tree check: expected ssa_name, have integer_cst in get_range, at tree-ssanames.cc:12",
        ),
        (
            "a.c:3:1: internal compiler error: in ix86_expand, at config/i386/i386-expand.cc:345",
            "in ix86_expand, at i386-expand.cc:345",
        ),
    ];
    for (messages, want) in cases {
        assert_eq!(known_by(messages), want);
        assert!(!crash(messages).plain);
    }
}

#[test]
fn gcc_says_only_when() {
    let fault = "during GIMPLE pass: vect\na.c: In function ‘f’:\na.c:5:6: internal compiler error: Segmentation fault\n\
        0x12a1f2b crash_signal\n\t../../src/gcc/toplev.cc:322\n0x7f1234 ???\n\t./signal/../sysdeps/unix/sysv/linux/x86_64/libc_sigaction.c:0\n\
        0x13aa01 vect_slp_analyze_node<int>(vec_info*, _slp_tree*)\n\t../../src/gcc/tree-vect-slp.cc:123\n\
        0x13aa02 vect_slp_analyze(vec_info*)\n\t../../src/gcc/tree-vect-slp.cc:200\n\
        0x13aa03 execute\n\t../../src/gcc/tree-vectorizer.cc:1\n0x13aa04 more\n\tx.cc:1";
    assert_eq!(
        known_by(fault),
        "SIGSEGV, during GIMPLE pass: vect, in vect_slp_analyze_node < vect_slp_analyze < execute"
    );
    let moved = fault.replace("a.c:5:6", "b.c:77:1").replace("0x13aa0", "0x55cd0");
    assert_eq!(known_by(&moved), known_by(fault));
    let checked = "a.c: In function ‘f’:\na.c:2:5: error: mismatching comparison operand types\nvoid *\nint\n\
        if (_1 == 0)\nduring GIMPLE pass: forwprop\na.c:2:5: internal compiler error: verify_gimple failed";
    assert_eq!(
        known_by(checked),
        "mismatching comparison operand types, verify_gimple failed, during GIMPLE pass: forwprop"
    );
}

/// Clang 16 of Debian on `#pragma clang __debug crash`; most of its own frames have no symbols.
const CLANG: &str = "PLEASE submit a bug report to https://github.com/llvm/llvm-project/issues/ and include the crash backtrace, preprocessed source, and associated run script.
Stack dump:
0.	Program arguments: clang-16 -c p.c
1.	p.c:1:2: current parser token 'pragma'
 #0 0x00007f145ffc9ce6 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/lib/x86_64-linux-gnu/libLLVM-16.so.1+0xfc9ce6)
 #1 0x00007f145ffc7f30 llvm::sys::RunSignalHandlers() (/lib/x86_64-linux-gnu/libLLVM-16.so.1+0xfc7f30)
 #2 0x00007f145ff03350 (/lib/x86_64-linux-gnu/libLLVM-16.so.1+0xf03350)
 #3 0x00007f145ee5a050 (/lib/x86_64-linux-gnu/libc.so.6+0x3c050)
 #4 0x00007f14673bb467 (/usr/lib/llvm-16/bin/../lib/libclang-cpp.so.16+0xbbb467)
 #5 0x00007f14673b4e6e clang::Preprocessor::HandlePragmaDirective(clang::PragmaIntroducer) (/usr/lib/llvm-16/bin/../lib/libclang-cpp.so.16+0xbb4e6e)
 #6 0x00007f1467391386 clang::Preprocessor::HandleDirective(clang::Token&) (/usr/lib/llvm-16/bin/../lib/libclang-cpp.so.16+0xb91386)
 #7 0x00007f1467366224 clang::Lexer::LexTokenInternal(clang::Token&, bool) (/usr/lib/llvm-16/bin/../lib/libclang-cpp.so.16+0xb66224)
clang: error: clang frontend command failed with exit code 139 (use -v to see invocation)
clang: note: diagnostic msg: /tmp/p-f3392a.c
";

#[test]
fn clang_prints_its_stack() {
    let want = "SIGSEGV, in clang::Preprocessor::HandlePragmaDirective < \
        clang::Preprocessor::HandleDirective < clang::Lexer::LexTokenInternal";
    assert_eq!(known_by(CLANG), want);
    assert!(crash(CLANG).line.starts_with("clang: error: clang frontend"));
    assert_eq!(known_by(&CLANG.replace("0x00007f14", "0x00007fee")), want);
    let passes = "3.\tRunning pass \"function<eager-inv>(loop-mssa(licm<allowspeculation>),gvn<>)\" on module \"a.c\"\n\
        4.\tRunning pass \"instcombine<max-iterations=1>\" on function \"test_3\"\n";
    let want = want.replace(", in ", ", pass instcombine, in ");
    assert_eq!(known_by(&CLANG.replace("Stack dump:\n", &format!("Stack dump:\n{passes}"))), want);
    let old = "4.\tRunning pass 'X86 DAG->DAG Instruction Selection' on function '@f'\n";
    let old = known_by(&CLANG.replace("Stack dump:\n", &format!("Stack dump:\n{old}")));
    assert!(
        old.starts_with("SIGSEGV, pass X86 DAG->DAG Instruction Selection, in clang::"),
        "{old}"
    );
}

#[test]
fn a_stack_without_symbols_is_told_by_offsets() {
    let bare: String = CLANG
        .lines()
        .map(|line| match line.split_once(" (/").filter(|_| line.starts_with(" #")) {
            Some((head, place)) => {
                let number: Vec<&str> = head.split_whitespace().take(2).collect();
                format!(" {} (/{place}\n", number.join(" "))
            }
            None => format!("{line}\n"),
        })
        .collect();
    let want = "SIGSEGV, in libclang-cpp.so.16+0xbbb467 < libclang-cpp.so.16+0xbb4e6e < libclang-cpp.so.16+0xb91386";
    assert_eq!(known_by(&bare), want);
}

#[test]
fn llvm_says_what() {
    let cases = [
        (
            "clang-19: /build/llvm/lib/Transforms/Vectorize/SLPVectorizer.cpp:123: void llvm::slp::f(): Assertion `isa<X>(V) && \"cast!\"' failed.\nPLEASE submit a bug report",
            "SLPVectorizer.cpp:123: Assertion `isa<X>(V) && \"cast!\"' failed",
        ),
        (
            "Unknown condition code!\nUNREACHABLE executed at /build/llvm/lib/Target/X86/X86ISelLowering.cpp:4567!\nPLEASE submit a bug report",
            "unreachable at X86ISelLowering.cpp:4567: Unknown condition code!",
        ),
        (
            "fatal error: error in backend: Cannot select: t31: i32 = X86ISD::FOO t12, t30",
            "Cannot select: t#: i# = X#ISD::FOO t#, t#",
        ),
        (
            "LLVM ERROR: Broken module found, compilation aborted!",
            "Broken module found, compilation aborted!",
        ),
    ];
    for (messages, want) in cases {
        assert_eq!(known_by(messages), want);
        assert!(!crash(messages).plain, "{messages}");
    }
}

#[test]
fn others() {
    let cases = [
        (
            "gcc: internal compiler error: Segmentation fault signal terminated program cc1\nPlease submit",
            "SIGSEGV of cc1",
            true,
        ),
        (
            "collect2: fatal error: ld terminated with signal 11 [Segmentation fault], core dumped",
            "SIGSEGV of ld",
            true,
        ),
        ("clang: error: unable to execute command: Aborted", "SIGABRT", true),
        ("killed by SIGFPE", "SIGFPE", true),
        ("", "no message", true),
        (
            "a.c, line 4: compiler error: Cannot generate code, node 0x55ab op ASSIGN",
            "Cannot generate code, node # op ASSIGN",
            false,
        ),
        (
            "exit status 0, but there is no executable\nwarning: odd",
            "exit status 0, but there is no executable",
            false,
        ),
        (
            "/usr/bin/ld: BFD (GNU Binutils) 2.40 assertion fail ../../bfd/elflink.c:2812",
            "linker's assertion at elflink.c:2812",
            false,
        ),
        (
            "thread 4711 panic: reached unreachable code\n/zig/src/Sema.zig:12:3: 0x1234 in analyze (zig)\n",
            "reached unreachable code, in analyze",
            false,
        ),
    ];
    for (messages, want, plain) in cases {
        let crash = crash(messages);
        assert_eq!((crash.known_by.as_str(), crash.plain), (want, plain));
    }
}

#[test]
fn rejections() {
    let cases = [
        (
            "a.c:1:9: error: ‘y12’ undeclared here (not in a function)\n    1 | int x = y12;",
            "‘y#’ undeclared here (not in a function)",
        ),
        (
            "/usr/bin/ld: /tmp/cceTObjU.o: in function `main':\nh.c:(.text+0x5): undefined reference to `nope'\ncollect2: error: ld returned 1 exit status",
            "undefined reference to `nope'",
        ),
        ("tcc: error: undefined symbol 'nope'", "undefined symbol 'nope'"),
        (
            "/tmp/ccX.s: Assembler messages:\n/tmp/ccX.s:12: Error: operand type mismatch for `mov'",
            "operand type mismatch for `mov'",
        ),
        (
            "ld: warning: x\nld: NOTE: y\ni.c, line 1: y undefined\nerror: /usr/bin/ccom terminated with status 1",
            "y undefined",
        ),
        ("", "no message"),
    ];
    for (messages, want) in cases {
        assert_eq!(rejection(messages).0, want);
    }
}

#[test]
fn garbage_is_read_and_shortened() {
    let garbage =
        String::from_utf8_lossy(&(0..=255).cycle().take(9999).collect::<Vec<u8>>()).into_owned();
    assert!(known_by(&garbage).chars().count() <= LONGEST + 1);
    assert!(rejection(&garbage).0.chars().count() <= LONGEST + 1);
    for odd in [
        "#",
        "# 0x",
        "#1 0x12 ",
        "0x ",
        "Running pass ",
        "Running pass '",
        "Assertion `",
        "internal compiler error: , at ",
    ] {
        crash(odd);
        rejection(odd);
    }
}
