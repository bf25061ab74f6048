declare void @llvm.assume(i1 noundef) #0

define i32 @f() {
  %a = alloca i64, align 8
  call void @llvm.assume(i1 true) [ "align"(ptr %a, i32 32, i32 28) ]
  %b = load i32, ptr %a, align 4
  ret i32 0
}

attributes #0 = { nocallback nofree nosync nounwind willreturn memory(inaccessiblemem: write) }
