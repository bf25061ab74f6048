//! The functions on top of a stack dump, as LLVM, GCC and Zig print it.

/// How many are taken: enough to tell bugs apart, few enough for one bug to have one signature.
const TOP: usize = 3;

/// A signal's way from the fault to the one who prints the stack, and what every crash passes.
const HANDLERS: &[&str] = &[
    "llvm::sys::",
    "llvm::CrashRecoveryContext",
    "llvm::report_fatal_error",
    "llvm::report_bad_alloc_error",
    "llvm::llvm_unreachable_internal",
    "SignalHandler",
    "CrashRecoverySignalHandler",
    "LLVMErrorHandler",
    "__restore_rt",
    "__pthread_kill",
    "pthread_kill",
    "__GI_",
    "__assert_",
    "__libc_",
    "raise",
    "gsignal",
    "abort",
    "_start",
    "main",
    "clang_main",
    "cc1_main",
    "crash_signal",
    "internal_error",
    "fancy_abort",
    "diagnostic_",
    "toplev::",
    "???",
];

/// The top functions that are not a handler's, without arguments and addresses. Where a compiler
/// has no symbols, the places in its libraries, which are the same in all runs of one build.
pub(super) fn frames(messages: &str) -> Vec<String> {
    let mut named = messages.lines().filter_map(name).filter(|name| !is_handler(name));
    let top: Vec<String> = named.by_ref().take(TOP).collect();
    if top.is_empty() { offsets(messages) } else { top }
}

fn is_handler(name: &str) -> bool {
    HANDLERS.iter().any(|h| match h.ends_with([':', '_']) || h.starts_with("llvm::") {
        true => name.starts_with(h),
        false => name == *h,
    })
}

/// The function of one line of a stack dump.
fn name(line: &str) -> Option<String> {
    let line = line.trim_start();
    let rest = match line.strip_prefix('#') {
        // ` #3 0x00007f llvm::Foo::bar(int) (/lib/libLLVM.so+0x12)`
        Some(llvm) => address(llvm.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start())?,
        None => match line.split_once(": 0x") {
            // `/zig/src/Sema.zig:12:3: 0x1234 in analyze (zig)`
            Some((_, zig)) => zig.split_once(" in ")?.1,
            // `0x8a1f2b vect_analyze(vec_info*)`
            None => address(line)?,
        },
    };
    (!rest.starts_with("(/")).then(|| function(rest)).filter(|name| !name.is_empty())
}

/// What follows an address.
fn address(text: &str) -> Option<&str> {
    let (number, rest) = text.split_once(' ')?;
    let digits = number.strip_prefix("0x")?;
    digits.chars().all(|c| c.is_ascii_hexdigit()).then(|| rest.trim_start())
}

/// A function's name without return type, template arguments and parameters.
fn function(text: &str) -> String {
    let text = text.replace("(anonymous namespace)::", "");
    let mut name = String::new();
    let mut depth = 0;
    for c in text.chars() {
        match c {
            // `operator<` and its like are rare on top of a stack, and merely lose their sign.
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            '(' if depth == 0 => break,
            _ if depth == 0 => name.push(c),
            _ => {}
        }
    }
    // A file follows a function without parameters: `raise ./signal/raise.c:27:6`.
    let words: Vec<&str> = name.split_whitespace().filter(|w| !w.contains('/')).collect();
    words.last().copied().unwrap_or_default().to_string()
}

/// `libLLVM-16.so.1+0xfc9ce6`, from below the last frame of the C library, which is where a
/// signal's handler is called from, or where a program aborts.
fn offsets(messages: &str) -> Vec<String> {
    let place = |line: &str| {
        let line = line.trim();
        let inner = line.starts_with('#').then(|| line.rsplit_once('('))??.1.strip_suffix(')')?;
        let last = inner.rsplit('/').next()?;
        last.contains("+0x").then(|| last.to_string())
    };
    let all: Vec<String> = messages.lines().filter_map(place).collect();
    let begin =
        all.iter().take(8).rposition(|place| place.starts_with("libc.")).map_or(0, |i| i + 1);
    all.into_iter().skip(begin).take(TOP).collect()
}
