declare void @f()

define i32 @f1(i1 %a) personality ptr null {
  br label %block1

block1:
  invoke void @f()
          to label %block2 unwind label %block4

block2:
  br i1 %a, label %block3, label %block1

block3:
  ret i32 0

block4:
  %res = landingpad token
          cleanup
  ret i32 0
}
