define i1 @f(<1 x ptr> %a, ptr %b) {
  %c = bitcast <1 x ptr> %a to ptr
  %d = icmp eq ptr %c, %b
  ret i1 %d
}

define i1 @f1(<1 x ptr> %a) {
  %b = bitcast <1 x ptr> %a to ptr
  %c = call i1 @f(<1 x ptr> %a, ptr %b) #0
  ret i1 %c
}

attributes #0 = { alwaysinline }
