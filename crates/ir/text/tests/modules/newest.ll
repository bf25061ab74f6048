; What LLVM 22 has.
define i1 @flags(i32 %a, i32 %b, ptr captures(none) %p, ptr captures(address, ret: provenance) %q, ptr dead_on_return initializes((0, 4), (8, 12)) %r) {
  %same = icmp samesign ult i32 %a, %b
  %narrow = fptrunc nnan double 1.0 to float
  %wide = fpext ninf float %narrow to double
  %address = ptrtoaddr ptr %p to i64
  %old = atomicrmw usub_sat ptr %p, i32 1 seq_cst, align 4
  ret i1 %same
}

define i32 @vectors(<4 x i32> %v) nocreateundeforpoison {
  %sum = call i32 @llvm.vector.reduce.add(<4 x i32> %v)
  ret i32 %sum
}
