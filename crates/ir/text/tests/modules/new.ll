; What LLVM 19 and later have.
%handle = type { target("spirv.Image", void, 1, 0) }
@vtable = constant { [3 x ptr] } zeroinitializer
@ranged = global ptr getelementptr inbounds inrange(-8, 16) ({ [3 x ptr] }, ptr @vtable, i32 0, i32 0, i32 1)
@signed = global ptr ptrauth (ptr @vtable, i32 0, i64 1, ptr @signed)
@large = global i32 0, code_model "large", no_sanitize_address
@gapped = global i32 u0xFF

define i8 @flags(i32 range(i32 -4, 8) %x, i64 %y, ptr writable dead_on_unwind %p, float nofpclass(nan inf) %f) {
  %narrow = trunc nuw nsw i32 %x to i8
  %wide = zext nneg i8 %narrow to i16
  %float = uitofp nneg i8 %narrow to float
  %either = or disjoint i64 %y, 1
  %next = getelementptr nusw nuw i8, ptr %p, i64 4
  %inside = getelementptr inbounds nuw i8, ptr %p, i64 4
  %splat = add <4 x i8> splat (i8 7), splat (i8 -1)
  %halves = fadd <2 x half> splat (half 0xH3C00), zeroinitializer
  ret i8 %narrow
}

; numbers with gaps
define i32 @numbers(i32 %3) {
10:
  %20 = add i32 %3, 1
  br label %30
30:
  ret i32 %20
}

define void @records(i32 %x) !dbg !8 {
    #dbg_value(i32 %x, !7, !DIExpression(DW_OP_plus_uconst, 3), !9)
    #dbg_value(!DIArgList(i32 %x, i32 7), !7, !DIExpression(DW_OP_LLVM_arg, 0), !9)
  ret void, !dbg !9
}

define preserve_nonecc void @convention(target("aarch64.svcount") %count) memory(argmem: readwrite, inaccessiblemem: read) {
  %old = atomicrmw fmax ptr null, double 1.0 seq_cst, align 8
  ret void
}

define void @undeclared() {
  call void @llvm.assume(i1 true)
  ret void
}

!llvm.module.flags = !{!2}
!llvm.dbg.cu = !{!6}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!6 = distinct !DICompileUnit(language: DW_LANG_C99, file: !10, emissionKind: FullDebug)
!7 = !DILocalVariable(name: "x", arg: 1, scope: !8, file: !10, line: 1, type: !11)
!8 = distinct !DISubprogram(name: "records", scope: !10, file: !10, line: 1, type: !12, unit: !6, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 1, column: 2, scope: !8)
!10 = !DIFile(filename: "a.c", directory: "/")
!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!12 = !DISubroutineType(types: !{null})
