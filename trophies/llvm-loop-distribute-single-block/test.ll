define i32 @f() {
  br label %block1

block1:
  br label %block1, !llvm.loop !0
}

!0 = distinct !{!0, !1, !2, !3}
!1 = !{!"llvm.loop.unroll.enable"}
!2 = !{!"llvm.loop.distribute.enable"}
!3 = !{!"llvm.loop.unroll_and_jam.enable"}
