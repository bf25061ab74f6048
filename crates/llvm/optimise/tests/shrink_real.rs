//! Reductions with a real libLLVM, each candidate in a forked process: a property of the text, and a real
//! bug of LLVM 16. One test, because a process opens one library and forks best with one thread.

#![allow(unsafe_code)]

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::time::Instant;

use llvmhost::{Context, Installed, Llvm, Machine, Module, Running};
use optimise::shrink::{Candidate, EditKind, Shrunk, Tester, count, make, pipeline, shrink};

/// What a child saw: standard error, and whether it died of a signal.
type Finding = fn(&str, bool) -> bool;

struct Forks<'l> {
    llvm: &'l Llvm,
    machine: &'l Machine<'l>,
    finding: Finding,
}

impl Forks<'_> {
    /// Runs something in a child, which writes into a file of ours and then has it for standard error.
    fn fork(&self, work: impl FnOnce(&mut File) -> Option<()>) -> (Vec<u8>, bool) {
        let mut ends = [0; 2];
        // SAFETY: room for two descriptors, which become files of ours.
        let (mut read, mut write) = unsafe {
            assert_eq!(libc::pipe(ends.as_mut_ptr()), 0);
            (File::from_raw_fd(ends[0]), File::from_raw_fd(ends[1]))
        };
        // SAFETY: the child does its work and leaves without returning.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let done = work(&mut write);
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(i32::from(done.is_none())) };
        }
        drop(write);
        let mut bytes = Vec::new();
        read.read_to_end(&mut bytes).expect("a pipe");
        let mut status = 0;
        // SAFETY: a child of ours and a place for its status.
        unsafe { libc::waitpid(child, &mut status, 0) };
        (bytes, libc::WIFSIGNALED(status))
    }

    fn try_one(&self, base: &[u8], candidate: &Candidate) -> Option<Vec<u8>> {
        let (bytes, killed) = self.fork(|out| {
            let context = Context::new(self.llvm);
            let mut module = make(&context, base, &candidate.edit, Some(self.machine))?;
            let text = module.text();
            out.write_all(format!("{}\n{text}", text.len()).as_bytes()).ok()?;
            // SAFETY: both are open; LLVM's last words go into the pipe.
            unsafe { libc::dup2(out.as_raw_fd(), 2) };
            self.run(&mut module, &candidate.passes, false);
            Some(())
        });
        let end = bytes.iter().position(|byte| *byte == b'\n')?;
        let length: usize = std::str::from_utf8(&bytes[..end]).ok()?.parse().ok()?;
        let text = bytes.get(end + 1..end + 1 + length)?;
        let said = String::from_utf8_lossy(&bytes[end + 1 + length..]);
        // The text itself is looked at where the finding is one of the text.
        let seen = format!("{}{said}", String::from_utf8_lossy(text));
        (self.finding)(&seen, killed).then(|| text.to_vec())
    }

    fn run(&self, module: &mut Module<'_>, passes: &str, log: bool) {
        module.set_machine(self.machine);
        let running = Running { verify_each: true, log };
        if let Err(refused) = module.run(passes, Some(self.machine), running) {
            eprintln!("refused: {refused}");
        }
    }
}

impl Tester for Forks<'_> {
    fn try_all(&mut self, base: &[u8], candidates: &[Candidate]) -> Vec<Option<Vec<u8>>> {
        candidates.iter().map(|candidate| self.try_one(base, candidate)).collect()
    }

    fn count(&mut self, base: &[u8], kind: EditKind) -> usize {
        let context = Context::new(self.llvm);
        context.parse(base, "base").map_or(0, |module| count(&module, kind))
    }

    fn expansions(&mut self, base: &[u8], passes: &str) -> Vec<String> {
        if !passes.contains("default<") {
            return Vec::new();
        }
        let (log, _) = self.fork(|out| {
            let context = Context::new(self.llvm);
            let mut module = context.parse(base, "base").ok()?;
            // SAFETY: both are open.
            unsafe { libc::dup2(out.as_raw_fd(), 2) };
            self.run(&mut module, passes, true);
            Some(())
        });
        vec![pipeline::from_log(&String::from_utf8_lossy(&log))]
    }
}

fn instructions(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("  ")).count()
}

fn reduced(name: &str, tester: &mut Forks<'_>, base: &str, passes: &str) -> (String, Shrunk) {
    let begin = Instant::now();
    let shrunk =
        shrink(base.as_bytes(), passes, tester, &|_| (), &|| false).expect("the finding shows");
    let text = String::from_utf8(shrunk.module.clone()).expect("text");
    println!(
        "{name}: {} to {} instructions, {} to {} bytes, `{}`, {} candidates, {:.1?}\n{text}",
        instructions(base),
        instructions(&text),
        base.len(),
        text.len(),
        shrunk.passes,
        shrunk.candidates,
        begin.elapsed()
    );
    (text, shrunk)
}

/// A division among much else.
const DIVISION: &str = r#"
target triple = "x86_64-unknown-linux-gnu"
@total = internal unnamed_addr global i32 5, align 4
declare void @print(i32 noundef, ptr) #1
define internal fastcc i32 @helper(i32 %n) #0 {
  %r = mul nsw i32 %n, %n
  ret i32 %r
}
define dso_local i32 @main(i32 noundef %argc, ptr nocapture readonly %argv) local_unnamed_addr #0 {
entry:
  %slot = alloca [4 x i32], align 16
  %more = icmp sgt i32 %argc, 2
  br i1 %more, label %loop, label %out
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = getelementptr inbounds [4 x i32], ptr %slot, i64 0, i64 1
  store i32 %i, ptr %at, align 4, !tbaa !1
  %h = call fastcc i32 @helper(i32 %i)
  call void @print(i32 noundef %h, ptr nonnull @total)
  %next = add nuw nsw i32 %i, 1
  %again = icmp ult i32 %next, %argc
  br i1 %again, label %loop, label %out, !llvm.loop !4
out:
  %last = phi i32 [ 3, %entry ], [ %h, %loop ]
  %t = load i32, ptr @total, align 4
  %q = udiv exact i32 %t, %last
  %s = xor i32 %q, 21
  switch i32 %s, label %big [
    i32 1, label %small
    i32 2, label %small
  ]
small:
  call void @print(i32 noundef %q, ptr null)
  br label %big
big:
  ret i32 %s
}
attributes #0 = { nounwind uwtable "frame-pointer"="all" }
attributes #1 = { nounwind }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{!2, !2, i64 0}
!2 = !{!"int", !3, i64 0}
!3 = !{!"root"}
!4 = distinct !{!4, !5}
!5 = !{!"llvm.loop.mustprogress"}
"#;

/// Four loads of neighbouring bytes are combined by AggressiveInstCombine of LLVM 16, though one of them
/// is shifted by what another one comes to: the wide load is used before it is made.
const SHIFTS: &str = r#"
@sink = internal global i64 0, align 8
declare i64 @observe(i64, ptr) #1
define internal i64 @unrelated(i64 %n) {
  %r = udiv i64 %n, 10
  ret i64 %r
}
define i64 @bytes(ptr nocapture readonly %p, i64 %limit, i1 %flag) local_unnamed_addr #0 {
entry:
  %fine = icmp ugt i64 %limit, 8
  br i1 %fine, label %work, label %none
none:
  %un = call i64 @unrelated(i64 %limit)
  br label %done
work:
  store i64 %limit, ptr @sink, align 8
  %p1 = getelementptr inbounds i8, ptr %p, i64 1
  %p4 = getelementptr inbounds i8, ptr %p, i64 4
  %p5 = getelementptr inbounds i8, ptr %p, i64 5
  %p6 = getelementptr inbounds i8, ptr %p, i64 6
  %b0 = load i8, ptr %p, align 1
  %b1 = load i8, ptr %p1, align 1
  %b4 = load i8, ptr %p4, align 1
  %b5 = load i8, ptr %p5, align 1
  %w0 = zext i8 %b0 to i64
  %w1 = zext i8 %b1 to i64
  %w4 = zext i8 %b4 to i64
  %w5 = zext i8 %b5 to i64
  %b6 = load i8, ptr %p6, align 1
  %w6 = zext i8 %b6 to i64
  %s5 = shl nuw nsw i64 %w5, 8
  %s6 = shl nuw nsw i64 %w6, 16
  %or56 = or i64 %s5, %s6
  %amount = or i64 %or56, %w4
  %low = shl nuw nsw i64 %w0, %amount
  %high = shl nuw nsw i64 %w1, 8
  %both = or i64 %low, %high
  %seen = call i64 @observe(i64 %limit, ptr @sink)
  %chosen = select i1 %flag, i64 %both, i64 %seen
  br label %done
done:
  %result = phi i64 [ %chosen, %work ], [ %un, %none ]
  ret i64 %result
}
attributes #0 = { nounwind }
attributes #1 = { nounwind }
"#;

/// The same, with the address in memory: nothing happens until other passes have seen through that.
fn hidden() -> String {
    let mut text = String::new();
    for line in SHIFTS.lines() {
        if line.starts_with("  store i64 %limit") {
            text += "  %slot = alloca ptr, align 8\n  store ptr %p, ptr %slot, align 8\n";
        }
        match line.split_once(" = getelementptr inbounds i8, ptr %p,") {
            Some((name, offset)) => {
                let base = format!("{}.base", name.trim());
                text += &format!("  {base} = load ptr, ptr %slot, align 8\n");
                text += &format!("{name} = getelementptr inbounds i8, ptr {base},{offset}\n");
            }
            None => text += &format!("{line}\n"),
        }
    }
    text
}

#[test]
fn reductions() {
    let found = Installed::named("16");
    assert!(
        found.is_ok() || std::env::var_os("CI").is_none(),
        "set-up installs libLLVM 16: CI skips none"
    );
    let Ok(found) = found else { return };
    let llvm = Llvm::open(&found.path, found.major).expect("a library that opens");
    let machine = Machine::x86_64(&llvm).expect("a machine");

    let finding: Finding =
        |seen, killed| !killed && seen.contains("udiv ") && !seen.contains("refused:");
    let mut tester = Forks { llvm: &llvm, machine: &machine, finding };
    let (text, shrunk) = reduced("division", &mut tester, DIVISION, "default<O3>");
    assert!(instructions(&text) <= 2, "{text}");
    assert!(!shrunk.passes.contains(','), "{}", shrunk.passes);
    for gone in ["!", "attributes", "target", "@print", "exact"] {
        assert!(!text.contains(gone), "{gone} is left in\n{text}");
    }

    let finding: Finding = |seen, killed| killed && seen.contains("LLVM ERROR: Broken");
    let mut tester = Forks { llvm: &llvm, machine: &machine, finding };
    let (text, shrunk) = reduced("shifts", &mut tester, SHIFTS, "default<O3>");
    assert_eq!(shrunk.passes, "aggressive-instcombine");
    assert!(instructions(&text) <= 14, "{text}");
    assert_eq!(text.matches("define").count(), 1);
    assert!(
        !text.contains("observe") && !text.contains("nuw") && !text.contains("poison"),
        "{text}"
    );

    // The module is taken from the middle of the pipeline, after the passes that prepare it.
    let (text, shrunk) = reduced("hidden", &mut tester, &hidden(), "default<O3>");
    assert_eq!(shrunk.passes, "aggressive-instcombine");
    assert!(instructions(&text) <= 14 && !text.contains("alloca"), "{text}");
}
