; Loops over memory, nested and in a row; floats and vectors; a copy and a fill.
target triple = "x86_64-unknown-linux-gnu"

@matrix = internal global [8 x [8 x i32]] zeroinitializer, align 16
@weights = internal constant [8 x double] [double 1.0, double 2.0, double 3.0, double 4.0, double 5.0, double 6.0, double 7.0, double 8.0], align 16
@text = private unnamed_addr constant [7 x i8] c"%d %f\0A\00", align 1

declare i32 @printf(ptr, ...)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define internal void @fill(i32 %seed) {
entry:
  br label %rows

rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.latch ]
  br label %columns

columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns ]
  %place = getelementptr inbounds [8 x [8 x i32]], ptr @matrix, i64 0, i64 %i, i64 %j
  %product = mul nsw i64 %i, %j
  %small = trunc i64 %product to i32
  %value = add i32 %small, %seed
  store i32 %value, ptr %place, align 4
  %j.next = add nuw nsw i64 %j, 1
  %more.columns = icmp ult i64 %j.next, 8
  br i1 %more.columns, label %columns, label %rows.latch

rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %more.rows = icmp ult i64 %i.next, 8
  br i1 %more.rows, label %rows, label %exit

exit:
  ret void
}

define internal i32 @sum(ptr %from, i32 %count, i1 %twice) {
entry:
  %any = icmp sgt i32 %count, 0
  br i1 %any, label %loop, label %exit

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %latch ]
  %total = phi i32 [ 0, %entry ], [ %total.next, %latch ]
  %wide = sext i32 %i to i64
  %place = getelementptr inbounds i32, ptr %from, i64 %wide
  %value = load i32, ptr %place, align 4
  br i1 %twice, label %double, label %latch

double:
  %doubled = shl i32 %value, 1
  br label %latch

latch:
  %added = phi i32 [ %value, %loop ], [ %doubled, %double ]
  %total.next = add i32 %total, %added
  %i.next = add nsw i32 %i, 1
  %more = icmp slt i32 %i.next, %count
  br i1 %more, label %loop, label %exit

exit:
  %result = phi i32 [ 0, %entry ], [ %total.next, %latch ]
  ret i32 %result
}

define internal double @weigh(i32 %limit) {
entry:
  br label %loop

loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %total = phi double [ 0.0, %entry ], [ %total.next, %next ]
  %in.range = icmp slt i32 %i, 8
  br i1 %in.range, label %next, label %exit

next:
  %wide = zext i32 %i to i64
  %place = getelementptr inbounds [8 x double], ptr @weights, i64 0, i64 %wide
  %weight = load double, ptr %place, align 8
  %number = sitofp i32 %limit to double
  %part = fdiv double %number, %weight
  %total.next = fadd double %total, %part
  %i.next = add i32 %i, 1
  br label %loop

exit:
  ret double %total
}

define internal i32 @vectors(ptr %a, ptr %b) {
  %x = load <4 x i32>, ptr %a, align 4
  %y = load <4 x i32>, ptr %b, align 4
  %sum = add <4 x i32> %x, %y
  %turned = shufflevector <4 x i32> %sum, <4 x i32> %x, <4 x i32> <i32 3, i32 2, i32 5, i32 4>
  %wanted = icmp sgt <4 x i32> %turned, <i32 1, i32 2, i32 3, i32 4>
  %chosen = select <4 x i1> %wanted, <4 x i32> %turned, <4 x i32> %y
  %first = extractelement <4 x i32> %chosen, i32 0
  %last = extractelement <4 x i32> %chosen, i32 3
  %both = xor i32 %first, %last
  ret i32 %both
}

define i32 @main() {
  %copy = alloca [8 x i32], align 16
  call void @llvm.memset.p0.i64(ptr align 16 %copy, i8 0, i64 32, i1 false)
  call void @fill(i32 3)
  %row = getelementptr inbounds [8 x [8 x i32]], ptr @matrix, i64 0, i64 5, i64 0
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %copy, ptr align 16 %row, i64 32, i1 false)
  %once = call i32 @sum(ptr %copy, i32 8, i1 false)
  %twice = call i32 @sum(ptr @matrix, i32 64, i1 true)
  %lanes = call i32 @vectors(ptr %copy, ptr %row)
  %weighed = call double @weigh(i32 %once)
  %partial = add i32 %once, %twice
  %all = add i32 %partial, %lanes
  %printed = call i32 (ptr, ...) @printf(ptr @text, i32 %all, double %weighed)
  ret i32 0
}
