declare void @reserve()

define void @test_high_slt() personality ptr null {
  %a = icmp eq i64 0, 0
  br label %block1

block1:
  invoke void @reserve()
          to label %block1 unwind label %block2

block2:
  %tmp18.i = catchswitch within none [label %block3] unwind to caller

block3:
  %tmp19.i = catchpad within %tmp18.i [ptr null]
  catchret from %tmp19.i to label %block4

block4:
  ret void
}
