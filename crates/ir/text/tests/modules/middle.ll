; What LLVM 15 prints so that it cannot read it itself, and later versions can.
@equivalent = global ptr dso_local_equivalent @callee
@uncfi = global ptr no_cfi @callee

declare void @callee() memory(read)

define void @forwarded(...) {
  musttail call void (...) @forwarded(...)
  ret void
}
