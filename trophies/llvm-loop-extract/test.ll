define void @f() {
  br label %block1

block1:
  br label %block2

block2:
  br i1 false, label %block3, label %block9

block3:
  br label %block4

block4:
  br i1 false, label %block5, label %block6

block5:
  br label %block4

block6:
  br i1 false, label %block7, label %block8

block7:
  br label %block6

block8:
  br label %block2

block9:
  br label %block1
}
