; Everything that LLVM 15 to 22 share, as a person may write it.
source_filename = "all \22of\22 it.c"
target datalayout = "e-m:e-i64:64-n8:16:32:64"
target triple = "x86_64-unknown-linux-gnu"
module asm "first\09line"
module asm "second"

%late = type { i32, %plain }          ; used before it is defined
%plain = type { i8, [3 x i16], <2 x float> }
%packed = type <{ i8, i32 }>
%opaque = type opaque
%"with space" = type { ptr }
%0 = type { i64 }
%word = type i32                      ; another name, no structure

$any = comdat any
$"odd name" = comdat largest

@number = global i32 -7, align 4
@wide = constant i200 -803469022129495137770981046170581301261101496891396417650687
@small = private unnamed_addr constant [5 x i8] c"a\22\\\00\FF", align 1
@0 = internal global i8 1
@"quoted \C3\A9" = hidden local_unnamed_addr global ptr @number
@tls = thread_local(initialexec) global i32 0
@outside = external dso_local global %opaque
@weakly = extern_weak global i8
@init = externally_initialized global %packed <{ i8 1, i32 2 }>
@space = addrspace(3) global %late zeroinitializer, section "data", align 16
@any = linkonce_odr global %late { i32 1, %plain { i8 2, [3 x i16] [i16 1, i16 2, i16 3], <2 x float> <float 1.5, float -0.0> } }, comdat, align 8
@second = weak global i32 0, comdat($any)
@self = global ptr getelementptr inbounds (%late, ptr @any, i64 0, i32 1, i32 1, i64 2)
@cast = global i64 ptrtoint (ptr @number to i64)
@back = global ptr inttoptr (i64 4096 to ptr)
@spaced = global ptr addrspacecast (ptr addrspace(3) @space to ptr)
@arithmetic = global i64 sub (i64 ptrtoint (ptr @number to i64), i64 ptrtoint (ptr @cast to i64))
@block = global ptr blockaddress(@blocks, %second)
@halves = global [3 x half] [half 0xH3C00, half 1.5, half 0xH7E01]
@brains = global bfloat 0xR3F80
@floats = global [4 x float] [float 1.0e+00, float 0x3FB99999A0000000, float 0x7FF4000000000000, float 0x36A0000000000000]
@doubles = global [5 x double] [double 3.141590e+00, double 0.1, double 0x7FF0000000000000, double 0x7FF4000000000000, double -1.0e-300]
@x87 = global x86_fp80 0xK3FFF8000000000000001
@quad = global fp128 0xL00000000000000013FFF000000000000
@ppc = global ppc_fp128 0xM400C0000000000300000000010000000
@empty = global {} {}
@named = global %0 { i64 5 }
@annotated = global i32 1, !note !5, !other !{!"inline"}

@alias = alias i32, ptr @number
@inner = internal unnamed_addr alias i8, getelementptr (i8, ptr @number, i64 1)
@resolved = ifunc i32 (i32), ptr @resolver

declare i32 @personality(...)
declare noundef ptr @callee(ptr noalias nocapture noundef readonly align 8 dereferenceable(16), i32 signext, ...) #1
declare void @llvm.assume(i1)
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare !note !5 void @noted()
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)

define internal ptr @resolver() {
  ret ptr null
}

define fastcc zeroext i1 @arithmetics(i32 %a, %word %b, <2 x i32> %v, double %d) local_unnamed_addr #0 align 16 {
  %sum = add nuw nsw i32 %a, %b
  %less = sub nsw i32 %sum, 1
  %product = mul i32 %less, -1
  %quotient = udiv exact i32 %product, 3
  %signed = sdiv i32 %quotient, 5
  %rest = urem i32 %signed, %b
  %other = srem i32 %rest, 7
  %left = shl nuw i32 %other, 3
  %right = lshr exact i32 %left, 1
  %arithmetic = ashr i32 %right, 2
  %and = and i32 %arithmetic, 255
  %or = or i32 %and, 1
  %xor = xor i32 %or, -1
  %fadd = fadd fast double %d, 1.0
  %fsub = fsub nnan ninf double %fadd, 2.5
  %fmul = fmul nsz arcp contract afn reassoc double %fsub, 0.1
  %fdiv = fdiv double %fmul, 0x4024000000000000
  %frem = frem double %fdiv, 3.0
  %fneg = fneg reassoc double %frem
  %narrow = trunc i32 %xor to i8
  %wide = zext i8 %narrow to i64
  %sign = sext i8 %narrow to i64
  %single = fptrunc double %fneg to float
  %double = fpext float %single to double
  %unsigned = fptoui double %double to i32
  %fp.signed = fptosi double %double to i32
  %from = uitofp i32 %unsigned to double
  %si = sitofp i32 %fp.signed to double
  %bits = bitcast double %si to i64
  %pointer = inttoptr i64 %bits to ptr
  %integer = ptrtoint ptr %pointer to i64
  %moved = addrspacecast ptr %pointer to ptr addrspace(1)
  %equal = icmp eq ptr %pointer, null
  %vector = icmp slt <2 x i32> %v, <i32 1, i32 undef>
  %ordered = fcmp nnan oeq double %from, %si
  %choice = select i1 %equal, i64 %wide, i64 %sign
  %many = select <2 x i1> %vector, <2 x i32> %v, <2 x i32> poison
  %frozen = freeze i64 %choice
  %element = extractelement <2 x i32> %many, i64 1
  %inserted = insertelement <2 x i32> %many, i32 %element, i32 0
  %shuffled = shufflevector <2 x i32> %inserted, <2 x i32> undef, <4 x i32> <i32 0, i32 3, i32 undef, i32 1>
  %scaled = shufflevector <vscale x 2 x i64> undef, <vscale x 2 x i64> poison, <vscale x 2 x i32> zeroinitializer
  ret i1 %ordered
}

define void @memory(ptr sret(i64) %p, %late %s, ptr byval(%plain) align 4 %by, ptr preallocated(%0) %"odd \\ \01") gc "statepoint-example" personality ptr @personality {
entry:
  %slot = alloca i32, align 4
  %array = alloca [4 x i8], i64 3
  %swift = alloca swifterror ptr, align 8
  %one = load i32, ptr %p, align 4, !range !0, !noundef !1
  %two = load volatile i32, ptr %slot
  %three = load atomic i32, ptr %slot syncscope("singlethread") acquire, align 4
  store i32 %one, ptr %slot, align 4, !nontemporal !{i32 1}
  store atomic volatile i32 %two, ptr %slot seq_cst, align 4
  fence syncscope("agent") release
  %pair = cmpxchg weak volatile ptr %p, i32 %one, i32 %two acq_rel monotonic, align 4
  %old = extractvalue { i32, i1 } %pair, 0
  %rmw = atomicrmw volatile umax ptr %p, i32 %old monotonic, align 4
  %gep = getelementptr inbounds %late, ptr %p, i64 0, i32 1, i32 1, i64 2
  %geps = getelementptr i8, ptr %p, <2 x i64> <i64 1, i64 2>
  %field = extractvalue %late %s, 1, 1, 2
  %changed = insertvalue %late %s, i16 %field, 1, 1, 0
  %more = va_arg ptr %p, i32
  ret void
}

define void @blocks(i32 %x, i1 %c) {
; the first block has the number 0, and nothing says so
  br i1 undef, label %second, label %1

1:                                                ; preds = %0
  switch i32 %x, label %second [
    i32 -1, label %2
    i32 7, label %second
  ]

second:
  %phi = phi i32 [ %x, %1 ], [ %x, %1 ], [ %late, %2 ], [ 0, %0 ], [ %phi, %second ]
  indirectbr ptr blockaddress(@blocks, %second), [label %second, label %2]

2:
  %late = add i32 %x, %x
  br label %second
}

define void @calls(ptr %f, i32 %x) personality ptr @personality {
  %1 = tail call fastcc noundef i32 %f(i32 signext %x) nounwind readnone #2, !note !5
  call void (ptr, ...) @noted.varargs(ptr nonnull %f, i32 %1)
  %2 = notail call nnan double @double(double 1.0)
  call addrspace(0) void asm sideeffect inteldialect "mov $0, eax", "r,*m,~{memory}"(i32 %x, ptr elementtype(i32) %f)
  call void @llvm.assume(i1 true) [ "align"(ptr %f, i64 8), "nonnull"(ptr %f) ]
  call void @llvm.dbg.value(metadata i32 %x, metadata !7, metadata !DIExpression(DW_OP_plus_uconst, 3)), !dbg !9
  invoke void @noted() to label %3 unwind label %4
3:
  %res = call i32 inttoptr (i64 64 to ptr)(i32 returned %x)
  call void null()
  unreachable
4:
  %pad = landingpad { ptr, i32 } cleanup catch ptr @number filter [1 x ptr] [ptr @number]
  resume { ptr, i32 } %pad
}

declare void @noted.varargs(ptr, ...)
declare double @double(double)
declare i32 @funclets.personality(...)

define void @funclets() personality ptr @funclets.personality {
  invoke void @noted() to label %done unwind label %dispatch
dispatch:
  %switch = catchswitch within none [label %handler] unwind label %cleanup
handler:
  %catch = catchpad within %switch [ptr null, i32 64, ptr null]
  call void @noted() [ "funclet"(token %catch) ]
  catchret from %catch to label %done
cleanup:
  %clean = cleanuppad within none []
  cleanupret from %clean unwind to caller
done:
  ret void
}

define void @jumps() {
  callbr void asm sideeffect "", "!i,!i"() to label %a [label %b, label %c]
a:
  ret void
b:
  ret void
c:
  ret void
}

define void @forwarded(ptr %p, ...) prefix i32 7 prologue i8 -112 !note !5 {
  musttail call void (ptr, ...) @forwarded(ptr %p, ...)
  ret void
}

define x86_stdcallcc void @1(ptr, i8 %last) { ret void }
define cc 10 void @by_number(<vscale x 4 x i32> %v, ptr addrspace(1) %p) { call x86_stdcallcc void @1(ptr null, i8 poison) ret void }

attributes #0 = { nounwind "key"="value" "flag" allocsize(0) alignstack=16 }
attributes #1 = { nofree willreturn uwtable(sync) }
attributes #2 = { cold }

!llvm.module.flags = !{!2, !3}
!llvm.dbg.cu = !{!6}
!empty = !{}

!0 = !{i32 0, i32 9}
!1 = !{}
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 1, !"wchar\5Fsize", i32 4}
!5 = distinct !{!5, null, !"text with \22quotes\22", ptr @number, !{i8 1}, double 1.0}
!6 = distinct !DICompileUnit(language: DW_LANG_C99, file: !10, producer: "a (nested) \22producer\22", isOptimized: true, emissionKind: FullDebug)
!7 = !DILocalVariable(name: "x", arg: 1, scope: !8, file: !10, line: 1, type: !11)
!8 = distinct !DISubprogram(name: "calls", scope: !10, file: !10, line: 1, unit: !6, spFlags: DISPFlagDefinition)
!9 = !DILocation(line: 1, column: 2, scope: !8)
!10 = !DIFile(filename: "a.c", directory: "/")
!11 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)

