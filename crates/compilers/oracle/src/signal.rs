//! Signals: their names, and what they say about who is to blame.

/// Number, name, and what the C library and a shell call it.
const SIGNALS: &[(u8, &str, &str)] = &[
    (1, "SIGHUP", "Hangup"),
    (2, "SIGINT", "Interrupt"),
    (3, "SIGQUIT", "Quit"),
    (4, "SIGILL", "Illegal instruction"),
    (5, "SIGTRAP", "Trace/breakpoint trap"),
    (6, "SIGABRT", "Aborted"),
    (7, "SIGBUS", "Bus error"),
    (8, "SIGFPE", "Floating point exception"),
    (9, "SIGKILL", "Killed"),
    (11, "SIGSEGV", "Segmentation fault"),
    (13, "SIGPIPE", "Broken pipe"),
    (15, "SIGTERM", "Terminated"),
    (24, "SIGXCPU", "CPU time limit exceeded"),
    (25, "SIGXFSZ", "File size limit exceeded"),
    (31, "SIGSYS", "Bad system call"),
];

/// `SIGSEGV` for 11, `signal 42` for one without a name here.
pub fn name(number: i32) -> String {
    let known = SIGNALS.iter().find(|(n, ..)| i32::from(*n) == number);
    known.map_or_else(|| format!("signal {number}"), |(_, name, _)| name.to_string())
}

/// The signal that an exit status stands for (128 and its number), if it is one of those that
/// wrong code or a crash brings about.
pub fn of_status(status: u8) -> Option<i32> {
    let number = status.checked_sub(128)?;
    let fatal = matches!(number, 4..=9 | 11 | 24 | 25 | 31);
    fatal.then_some(i32::from(number))
}

/// Whether another process must have sent it: wrong code does not raise these.
pub fn from_outside(number: i32) -> bool {
    matches!(number, 1 | 2 | 3 | 9 | 15)
}

/// The signal that a message names in the C library's words.
pub fn in_words(message: &str) -> Option<i32> {
    SIGNALS.iter().find(|(_, _, words)| message.contains(words)).map(|(n, ..)| i32::from(*n))
}
