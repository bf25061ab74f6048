; Something of everything that edits could trip over.
target triple = "x86_64-unknown-linux-gnu"
%pair = type { i32, ptr }
@table = internal global [2 x ptr] [ptr @helper, ptr null]
@place = internal global ptr blockaddress(@jumps, %one)
@text = private unnamed_addr constant [3 x i8] c"nsw"
@other = alias i32 (i32), ptr @helper
@llvm.used = appending global [1 x ptr] [ptr @helper], section "llvm.metadata"
declare i32 @personality(...)
declare void @llvm.assume(i1)
declare token @llvm.call.preallocated.setup(i32)
declare i32 @llvm.abs.i32(i32, i1 immarg)
declare void @may_throw(ptr, i32)
define internal i32 @helper(i32 %x) nounwind {
  %y = add nsw i32 %x, 1
  ret i32 %y
}
define i32 @loops(i32 %n, ptr %p, i64 %idle) personality ptr @personality {
entry:
  %slot = alloca %pair, align 8
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %next, %latch ], [ %next, %latch ]
  %v = phi <2 x i32> [ zeroinitializer, %entry ], [ %w, %latch ], [ %w, %latch ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %done
body:
  %f = getelementptr inbounds %pair, ptr %slot, i64 0, i32 1
  store ptr %p, ptr %f, align 8, !tbaa !1
  %h = call i32 @other(i32 %i), !range !4
  %ab = call i32 @llvm.abs.i32(i32 %h, i1 true)
  invoke void @may_throw(ptr @helper, i32 noundef %ab) to label %latch unwind label %bad
latch:
  %next = add nuw nsw i32 %i, 1
  %w = insertelement <2 x i32> %v, i32 %ab, i32 0
  switch i32 %next, label %head [
    i32 3, label %head
    i32 4, label %done
  ]
bad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
done:
  %r = phi i32 [ %i, %head ], [ %ab, %latch ]
  ret i32 %r
}
define i32 @jumps(ptr %p) {
  indirectbr ptr %p, [label %one, label %two]
one:
  %t = musttail call i32 @jumps(ptr %p)
  ret i32 %t
two:
  unreachable
}
declare i32 @__CxxFrameHandler3(...)
declare ptr @llvm.call.preallocated.arg(token, i32)
declare void @takes(ptr preallocated(i32))
define void @pads(i1 %c) personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @may_throw(ptr null, i32 1) to label %fine unwind label %dispatch
dispatch:
  %switch = catchswitch within none [label %catch] unwind label %clean
catch:
  %pad = catchpad within %switch [ptr null, i32 64, ptr null]
  call void @may_throw(ptr null, i32 2) [ "funclet"(token %pad) ]
  catchret from %pad to label %fine
clean:
  %cleanup = cleanuppad within none []
  cleanupret from %cleanup unwind to caller
fine:
  %token = call token @llvm.call.preallocated.setup(i32 1)
  %slot = call ptr @llvm.call.preallocated.arg(token %token, i32 0) preallocated(i32)
  call void @takes(ptr preallocated(i32) %slot) [ "preallocated"(token %token) ]
  br i1 %c, label %on, label %fine
on:
  br label %last
last:
  ret void
}
define i32 @callee(i32 %x) {
  %y = mul i32 %x, %x
  %z = call i32 @callee(i32 %y)
  ret i32 %z
}
define i32 @caller(i32 %x) {
  %y = xor i32 %x, 1
  %z = call i32 @callee(i32 %y)
  ret i32 %z
}
define <vscale x 2 x double> @wide(<vscale x 2 x double> %v, { i32, [2 x float] } %s) {
  %sum = fadd fast <vscale x 2 x double> %v, %v
  %t = insertvalue { i32, [2 x float] } %s, float 2.5, 1, 0
  %u = extractvalue { i32, [2 x float] } %t, 0
  %q = atomicrmw volatile add ptr @place, i32 %u seq_cst
  %k = freeze i32 %q
  ret <vscale x 2 x double> %sum
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{!2, !2, i64 0}
!2 = !{!"any pointer", !3, i64 0}
!3 = !{!"root"}
!4 = !{i32 1, i32 9}
