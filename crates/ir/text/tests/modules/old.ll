; What LLVM 15 and 16 have and later versions have not.
@a = global i32 0
@b = global i32 0
@compared = global i1 icmp eq (ptr @a, ptr getelementptr (i32, ptr @b, i64 1))
@chosen = global ptr select (i1 icmp ult (ptr @a, ptr @b), ptr @a, ptr @b)
@extended = global i64 zext (i32 ptrtoint (ptr @a to i32) to i64)
@masked = global i64 and (i64 ptrtoint (ptr @a to i64), i64 7)
@shifted = global i64 lshr exact (i64 ptrtoint (ptr @a to i64), i64 3)
@vtable = constant { [3 x ptr] } zeroinitializer
@ranged = global ptr getelementptr inbounds ({ [3 x ptr] }, ptr @vtable, i32 0, inrange i32 0, i32 2)
@element = global i32 extractelement (<2 x i32> bitcast (i64 ptrtoint (ptr @a to i64) to <2 x i32>), i32 1)
@float = global i1 fcmp oeq (float sitofp (i32 ptrtoint (ptr @a to i32) to float), float 0.0)

define x86_mmx @multimedia(x86_mmx %x) {
  ret x86_mmx %x
}
