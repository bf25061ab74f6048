declare token @llvm.coro.id.retcon(i32, i32, ptr, ptr, ptr, ptr) #0

declare ptr @llvm.coro.begin(token, ptr writeonly) #0

declare { i32, i1 } @llvm.coro.suspend.retcon.sl_i32i1s(...) #0

declare ptr @f(ptr, i32, i1)

declare ptr @f1(i32)

declare void @f2(ptr)

define ptr @f3() #1 {
  %id = call token @llvm.coro.id.retcon(i32 0, i32 0, ptr null, ptr @f, ptr @f1, ptr @f2)
  %a = call ptr @llvm.coro.begin(token %id, ptr null)
  %b = call { i32, i1 } (...) @llvm.coro.suspend.retcon.sl_i32i1s()
  %c = call { i32, i1 } (...) @llvm.coro.suspend.retcon.sl_i32i1s()
  ret ptr null
}

attributes #0 = { nounwind }
attributes #1 = { presplitcoroutine }
