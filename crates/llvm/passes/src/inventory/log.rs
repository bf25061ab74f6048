//! The log of a run, read: `Running pass: InstCombinePass on f (5 instructions)`.

/// What lines of a log begin with.
const BEGINNINGS: [&str; 6] = [
    "Running pass: ",
    "Running analysis: ",
    "Skipping pass",
    "Invalidating analysis: ",
    "Clearing all analysis results for: ",
    "Verifying ",
];

/// A pass that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LoggedPass<'l> {
    /// `InstCombinePass`
    pub class: &'l str,
    /// A function, `(f, g)`, `[module]`, or a loop in words that differ by version. Empty for a function
    /// without a name.
    pub unit: &'l str,
}

/// The passes of a log, in order; analyses and groups are not among them.
pub(crate) fn steps(log: &str) -> impl Iterator<Item = LoggedPass<'_>> {
    log.lines().filter_map(|line| {
        let (class, unit) = line.strip_prefix(BEGINNINGS[0])?.split_once(" on ")?;
        Some(LoggedPass { class, unit: unit.split(" (").next().unwrap_or(unit).trim() })
    })
}

/// The first line that no log has: a pass printed it.
pub(crate) fn foreign(log: &str) -> Option<&str> {
    let is_log = |line: &str| BEGINNINGS.iter().any(|beginning| line.starts_with(beginning));
    log.lines().find(|line| !line.trim().is_empty() && !is_log(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_several_versions() {
        let log = "Running analysis: TargetLibraryAnalysis on main\n\
            Running pass: LICMPass on Loop at depth 1 containing: %l<header><latch>\n\
            Running pass: InlinerPass on (f, g) (2 nodes)\n\
            Running pass: RequireAnalysisPass<llvm::A, llvm::Function, llvm::B<Function>> on f (3 instructions)\n\
            Running pass: DCEPass on  (1 instruction)\n\
            Running pass: GlobalDCEPass on [module]\n";
        let steps: Vec<(&str, &str)> = steps(log).map(|step| (step.class, step.unit)).collect();
        let expected = [
            ("LICMPass", "Loop at depth 1 containing: %l<header><latch>"),
            ("InlinerPass", "(f, g)"),
            ("RequireAnalysisPass<llvm::A, llvm::Function, llvm::B<Function>>", "f"),
            ("DCEPass", ""),
            ("GlobalDCEPass", "[module]"),
        ];
        assert_eq!(steps, expected);
        assert_eq!(foreign(log), None);
        assert_eq!(
            foreign(&format!("{log}MemorySSA for function: f\n")),
            Some("MemorySSA for function: f")
        );
    }
}
