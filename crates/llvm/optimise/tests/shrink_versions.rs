//! Every edit of every kind on one busy module, by every libLLVM that is installed, each in a forked process:
//! all must leave a module or be refused. One test, because it forks.

#![allow(unsafe_code)]

use llvmhost::{Context, Installed, Llvm, Running};
use optimise::shrink::{Edit, EditKind, count, make};
use refine::PIPELINE;

const BUSY: &str = include_str!("shrink_busy.ll");

/// Each place alone, and all at once; most must work, none may break the process.
fn every_edit_leaves_a_module(llvm: &Llvm) {
    let context = Context::new(llvm);
    let base = context.parse(BUSY.as_bytes(), "busy").expect("a module");
    base.verify().expect("a valid one");
    let (mut tried, mut made) = (0, 0);
    for kind in EditKind::ALL {
        let count = u32::try_from(count(&base, kind)).expect("few");
        assert!(kind == EditKind::Debug || count > 0, "{kind:?} has no place");
        let all: Vec<u32> = (0..count).collect();
        let sets = all.iter().map(|place| vec![*place]).chain([all.clone()]);
        for places in sets.filter(|places| !places.is_empty()) {
            let edit = Edit::Places { kind, places };
            let one = Context::new(llvm);
            tried += 1;
            if let Some(module) = make(&one, BUSY.as_bytes(), &edit, None) {
                made += 1;
                // What it printed must be a module again.
                let again = one.parse(module.text().as_bytes(), "again").expect("a text");
                again.verify().unwrap_or_else(|e| panic!("{edit:?}: {e}"));
            }
        }
    }
    assert!(made * 10 >= tried * 8, "{made} of {tried} edits made a module");
}

/// The pipeline for refinement is one that every version knows.
fn the_pipeline_is_known(llvm: &Llvm) {
    let context = Context::new(llvm);
    let mut module =
        context.parse(b"define void @f() {\n  ret void\n}\n", "small").expect("a module");
    module.run(PIPELINE, None, Running::default()).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn versions() {
    let all = Installed::all();
    let has_16 = all.iter().any(|found| found.major == 16);
    assert!(
        has_16 || std::env::var_os("CI").is_none(),
        "set-up installs libLLVM 16: CI skips none"
    );
    for found in all {
        // SAFETY: the child does its work and leaves without returning.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let work = || {
                let llvm = Llvm::open(&found.path, found.major).expect("a library that opens");
                every_edit_leaves_a_module(&llvm);
                the_pipeline_is_known(&llvm);
            };
            let failed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err();
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(i32::from(failed)) };
        }
        let mut status = 0;
        // SAFETY: a child of ours and a place for its status.
        unsafe { libc::waitpid(child, &mut status, 0) };
        assert_eq!(status, 0, "libLLVM {}", found.major);
    }
}
