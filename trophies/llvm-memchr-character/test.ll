target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@s = constant [27 x i8] c"abcdefghijklmnopqrstuvwxyz\00"

declare ptr @memchr(ptr, i32, i64)

define i1 @f(i32 %c) {
  %p = call ptr @memchr(ptr @s, i32 %c, i64 15)
  %r = icmp ne ptr %p, null
  ret i1 %r
}
