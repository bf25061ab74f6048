declare i32 @llvm.experimental.deoptimize.i32(...)

define internal i32 @f() {
  %a = call i32 (...) @llvm.experimental.deoptimize.i32() [ "deopt"(i32 0) ]
  ret i32 %a
}
