//! Breakpoints in a whole libLLVM, hit by forks that run passes. A program of its own: a process can
//! have breakpoints in one library only, and a fork inherits those of other tests.

#![allow(unsafe_code)]

#[path = "it/common/mod.rs"]
mod common;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::time::Instant;

use coverage::{Image, Set, Traps};
use nix::sys::signal::Signal;

use crate::common::loaded::{Library, forked};
use crate::common::{debian_llvms, rust_llvm};

const LOOP: &str = "define i32 @f(i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %done = icmp sge i32 %next, %n
  br i1 %done, label %end, label %loop
end:
  ret i32 %next
}
";

type Pointer = *mut c_void;

/// Parses a module and runs passes on it: 0 if both work.
fn optimise(llvm: &Library, passes: &CStr) -> c_int {
    // SAFETY: these are the types of the C API of LLVM, and all its objects live on.
    unsafe {
        let create: extern "C" fn() -> Pointer = llvm.function(c"LLVMContextCreate");
        let buffer: extern "C" fn(*const c_char, usize, *const c_char) -> Pointer =
            llvm.function(c"LLVMCreateMemoryBufferWithMemoryRangeCopy");
        let parse: extern "C" fn(Pointer, Pointer, *mut Pointer, *mut Pointer) -> c_int =
            llvm.function(c"LLVMParseIRInContext");
        let options: extern "C" fn() -> Pointer = llvm.function(c"LLVMCreatePassBuilderOptions");
        let run: extern "C" fn(Pointer, *const c_char, Pointer, Pointer) -> Pointer =
            llvm.function(c"LLVMRunPasses");
        let text = buffer(LOOP.as_ptr().cast(), LOOP.len(), c"loop".as_ptr());
        let (mut module, mut message) = (std::ptr::null_mut(), std::ptr::null_mut());
        if parse(create(), text, &mut module, &mut message) != 0 {
            return 1;
        }
        let error = run(module, passes.as_ptr(), std::ptr::null_mut(), options());
        if !error.is_null() {
            return 2;
        }
        // A file is closed with all signals blocked: no breakpoint may stand there.
        let print: extern "C" fn(Pointer, *const c_char, *mut Pointer) -> c_int =
            llvm.function(c"LLVMPrintModuleToFile");
        print(module, c"/dev/null".as_ptr(), &mut message)
    }
}

/// Each in a process of its own, which can have breakpoints in one library only.
#[test]
fn passes_hit_blocks_once_in_forks() {
    for path in debian_llvms().into_iter().chain(rust_llvm()) {
        let told = || {
            check(&path);
            0
        };
        assert_eq!(forked(told), Ok(0), "{}", path.display());
    }
}

fn check(path: &Path) {
    let image = Image::read(path).expect("an ELF file");
    let llvm = Library::open(path);
    let (function, base) = (llvm.address(c"LLVMContextCreate"), llvm.base());
    let (start, name) = image.function_of((function - base) as u64).expect("a function");
    assert_eq!((start, name), ((function - base) as u64, Some("LLVMContextCreate")));

    let begin = Instant::now();
    // SAFETY: the library is there, and this is a fork: there is no other thread.
    let traps = unsafe { Traps::arm(&image, base, &Set::new()) }.expect("armed");
    println!("{}: {:?} to arm {} blocks", path.display(), begin.elapsed(), image.leaders().len());
    let timed = |passes: &CStr| {
        let (begin, from) = (Instant::now(), traps.count());
        assert_eq!(forked(|| optimise(&llvm, passes)), Ok(0), "{passes:?}");
        println!("{passes:?}: {} hits in {:?}", traps.count() - from, begin.elapsed());
        traps.hits(from)
    };
    let first = timed(c"instcombine");
    assert!(first.len() > 5000, "{}", first.len());
    assert_eq!(first.iter().copied().collect::<Set>().len(), first.len(), "each once");
    assert!(first.contains(&image.block_at(start).expect("a leader")));
    // A fork is as deterministic as LLVM is: addresses of objects are those of the parent's heap.
    assert!(timed(c"instcombine").len() < 100);
    let more = timed(c"default<O3>");
    assert!(more.len() > 5000, "{}", more.len());
    assert!(timed(c"default<O3>").len() < 100);
    // With no handler from before, a signal that is not ours ends the process as ever.
    let raise = || nix::sys::signal::raise(Signal::SIGTRAP).map_or(1, |()| 0);
    assert_eq!(forked(raise), Err(Signal::SIGTRAP));
    // Put back, the same run hits the same blocks.
    traps.rearm(&first);
    let again: Set = timed(c"instcombine").into_iter().collect();
    let first: Set = first.into_iter().collect();
    assert!(first.difference(&again).len() < 100, "{}", first.difference(&again).len());
}
