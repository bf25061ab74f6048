; Recursion, calls through a table, a switch, structures in memory, variables of all kinds: as from -O0.
target triple = "x86_64-unknown-linux-gnu"

%pair = type { i32, i64 }

@text = private unnamed_addr constant [7 x i8] c"%d %d\0A\00", align 1
@counter = internal global i32 0, align 4
@shared = global i32 7, align 4
@table = internal constant [2 x ptr] [ptr @factorial, ptr @classify], align 16
@start = internal global %pair { i32 5, i64 9 }, align 8

declare i32 @printf(ptr, ...)
declare i64 @strlen(ptr)

define internal i32 @factorial(i32 %n) {
entry:
  %small = icmp ult i32 %n, 2
  br i1 %small, label %one, label %many

one:
  ret i32 1

many:
  %less = sub i32 %n, 1
  %rest = call i32 @factorial(i32 %less)
  %product = mul i32 %n, %rest
  ret i32 %product
}

define internal i32 @classify(i32 %n) {
entry:
  %result = alloca i32, align 4
  switch i32 %n, label %other [
    i32 0, label %zero
    i32 1, label %one
    i32 2, label %two
    i32 7, label %zero
  ]

zero:
  store i32 10, ptr %result, align 4
  br label %end

one:
  store i32 20, ptr %result, align 4
  br label %two

two:
  %before = load i32, ptr @counter, align 4
  %after = add nsw i32 %before, 1
  store i32 %after, ptr @counter, align 4
  store i32 %after, ptr %result, align 4
  br label %end

other:
  %quotient = udiv i32 %n, 3
  %remainder = urem i32 %n, 3
  %mixed = xor i32 %quotient, %remainder
  store i32 %mixed, ptr %result, align 4
  br label %end

end:
  %value = load i32, ptr %result, align 4
  ret i32 %value
}

define internal void @swap(ptr %a, ptr %b) {
  %x = load i32, ptr %a, align 4
  %y = load i32, ptr %b, align 4
  store i32 %y, ptr %a, align 4
  store i32 %x, ptr %b, align 4
  ret void
}

define internal i64 @both(ptr %from, i32 %unused) {
  %first = load i32, ptr %from, align 8
  %place = getelementptr inbounds %pair, ptr %from, i32 0, i32 1
  %second = load i64, ptr %place, align 8
  %wide = sext i32 %first to i64
  %sum = add nsw i64 %wide, %second
  ret i64 %sum
}

define i32 @main(i32 %argc, ptr %argv) {
entry:
  %index = alloca i32, align 4
  %total = alloca i32, align 4
  store i32 0, ptr %index, align 4
  store i32 0, ptr %total, align 4
  br label %condition

condition:
  %i = load i32, ptr %index, align 4
  %more = icmp slt i32 %i, 10
  br i1 %more, label %body, label %end

body:
  %odd = and i32 %i, 1
  %which = zext i32 %odd to i64
  %place = getelementptr inbounds [2 x ptr], ptr @table, i64 0, i64 %which
  %callee = load ptr, ptr %place, align 8
  %result = call i32 %callee(i32 %i)
  %old = load i32, ptr %total, align 4
  %new = add i32 %old, %result
  store i32 %new, ptr %total, align 4
  call void @swap(ptr @shared, ptr %total)
  %next = add nsw i32 %i, 1
  store i32 %next, ptr %index, align 4
  br label %condition

end:
  %sum = call i64 @both(ptr @start, i32 0)
  %length = call i64 @strlen(ptr @text)
  %longer = add i64 %sum, %length
  %short = trunc i64 %longer to i32
  %last = load i32, ptr %total, align 4
  %positive = icmp sgt i32 %last, 0
  %chosen = select i1 %positive, i32 %last, i32 %short
  %printed = call i32 (ptr, ...) @printf(ptr @text, i32 %chosen, i32 %short)
  ret i32 0
}
