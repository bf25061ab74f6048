target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

define i32 @f(ptr %p) {
entry:
  %c = icmp ne ptr %p, null
  br i1 %c, label %then, label %end

then:
  %v = call i32 @g(ptr dereferenceable(12) %p)
  br label %end

end:
  %r = phi i32 [ %v, %then ], [ 0, %entry ]
  ret i32 %r
}

declare i32 @g(ptr) nounwind speculatable willreturn memory(argmem: read)
