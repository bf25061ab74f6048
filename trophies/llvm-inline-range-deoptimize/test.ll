declare void @llvm.experimental.deoptimize.isVoid(...)

define range(i32 7, 12) i32 @f() {
  call void @f2()
  ret i32 0
}

define i1 @f1() {
  %a = call i32 @f()
  ret i1 false
}

define void @f2() {
  call void (...) @llvm.experimental.deoptimize.isVoid() [ "deopt"() ]
  ret void
}
