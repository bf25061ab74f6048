define internal i32 @f(ptr %a, i32 %b) {
  %c = musttail call i32 @f1(ptr undef, i32 0)
  ret i32 %c
}

declare i32 @f1(ptr, i32)
