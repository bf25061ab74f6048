//! What a change of LLVM is about, so that seeds which reach it are drawn more often.
//!
//! A pass or a source file by name, or a unified diff. A diff names the tests it adds or changes, its source files, and,
//! behind the second `@@` of a hunk, the function around it. Which blocks of a stock library belong to a function its
//! symbols say: exported ones, as nothing else is there. A function without a symbol, such as a static one, is not
//! found; then its file's name stands for it: `InstCombineSelect.cpp` for all whose symbols have `InstCombine` in
//! them. Functions that were inlined everywhere are found where nobody looks for them: not at all.

use std::collections::BTreeSet;

/// What a change is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// Names of passes and of source files without their ends, lower case and without dashes.
    pub words: BTreeSet<String>,
    /// Functions by their own names, without classes.
    pub functions: BTreeSet<String>,
    /// Tests by their paths.
    pub tests: BTreeSet<String>,
}

/// How far a seed has to do with it: the better, the later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nearness {
    /// It is one of its tests.
    Test,
    /// It stands with the tests of what is changed.
    Neighbour,
}

impl Focus {
    /// A pass (`instcombine`, `loop-vectorize`) or a source file (`lib/Transforms/Scalar/GVN.cpp`).
    pub fn touching(names: &[String]) -> Focus {
        let words = names.iter().map(|name| word(name)).filter(|word| !word.is_empty());
        Focus { words: words.collect(), ..Focus::default() }
    }

    /// What a unified diff changes.
    pub fn of_diff(text: &str) -> Focus {
        let mut focus = Focus::default();
        let mut is_source = false;
        for line in text.lines() {
            if let Some(path) = line.strip_prefix("+++ ") {
                let path = path.split('\t').next().unwrap_or(path).trim();
                is_source = focus.add_file(path.strip_prefix("b/").unwrap_or(path));
            } else if let Some(rest) = line.strip_prefix("@@ ")
                && let Some((_, around)) = rest.split_once("@@")
                && is_source
            {
                focus.functions.extend(function(around));
            }
        }
        focus
    }

    /// The same with another.
    pub fn and(mut self, other: Focus) -> Focus {
        self.words.extend(other.words);
        self.functions.extend(other.functions);
        self.tests.extend(other.tests);
        self
    }

    /// Whether nothing is named.
    pub fn is_empty(&self) -> bool {
        *self == Focus::default()
    }

    /// Notes a changed file; whether it is a source of LLVM's.
    fn add_file(&mut self, path: &str) -> bool {
        let is_of_tests = path.split('/').any(|part| part == "test" || part == "tests");
        match path.rsplit_once('.').map(|(_, end)| end) {
            Some("ll" | "c") if is_of_tests => {
                self.tests.insert(path.to_string());
                false
            }
            Some("cpp" | "h" | "cc" | "def" | "td" | "c") if !is_of_tests => {
                self.words.insert(word(path));
                true
            }
            _ => false,
        }
    }

    /// How near a seed of this name (`InstCombine/add.ll:test1`) is; `None` where its name says nothing.
    pub fn nearness(&self, seed: &str) -> Option<Nearness> {
        let file = seed.rsplit_once(':').map_or(seed, |(file, _)| file);
        let is_it = |test: &String| {
            test.strip_suffix(file).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
                || file.strip_suffix(test.as_str()).is_some_and(|rest| rest.ends_with('/'))
        };
        if self.tests.iter().any(is_it) {
            return Some(Nearness::Test);
        }
        let folders = file.split('/').map(word);
        let mut near = folders.filter(|folder| folder.len() > 2);
        let is_near = near.any(|folder| self.words.iter().any(|word| word.starts_with(&folder)));
        is_near.then_some(Nearness::Neighbour)
    }

    /// Which of a library's symbols are functions of it: `is_it` tells for each.
    pub fn among<'s>(&self, symbols: impl Iterator<Item = &'s str> + Clone) -> SymbolFilter {
        let named: Vec<String> =
            self.functions.iter().map(|name| format!("{}{name}", name.len())).collect();
        if symbols.clone().any(|symbol| named.iter().any(|name| symbol.contains(name.as_str()))) {
            return SymbolFilter { named, words: Vec::new() };
        }
        let known = |word: &str| symbols.clone().any(|s| s.to_ascii_lowercase().contains(word));
        let stems = self.words.iter().filter_map(|word| {
            // `instcombineandorxor` is no symbol's; `instcombine` is.
            let lengths = (SHORTEST..=word.len()).rev();
            lengths.filter_map(|length| word.get(..length)).find(|stem| known(stem))
        });
        SymbolFilter { named: Vec::new(), words: stems.map(String::from).collect() }
    }
}

/// A shorter beginning of a name says nothing: it is in symbols of everything.
const SHORTEST: usize = 3;

/// Tells which symbols a change is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolFilter {
    /// Parts of mangled names: the length, and the name.
    named: Vec<String>,
    /// Parts of names in lower case.
    words: Vec<String>,
}

impl SymbolFilter {
    /// Whether this one is.
    pub fn has(&self, symbol: &str) -> bool {
        self.named.iter().any(|name| symbol.contains(name.as_str())) || {
            let lower = symbol.to_ascii_lowercase();
            self.words.iter().any(|word| lower.contains(word.as_str()))
        }
    }
}

/// `lib/Transforms/Scalar/GVN.cpp`, `gvn`, `GVN`: `gvn`.
fn word(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.split('.').next().unwrap_or(file);
    stem.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// The function that a hunk is in: the last name before the first parenthesis.
fn function(around: &str) -> Option<String> {
    let (before, _) = around.split_once('(')?;
    let name = before.trim_end().rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next()?;
    let is_name = name.len() > 2 && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then(|| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "\
diff --git a/llvm/lib/Transforms/InstCombine/InstCombineAndOrXor.cpp b/llvm/lib/x.cpp
--- a/llvm/lib/Transforms/InstCombine/InstCombineAndOrXor.cpp
+++ b/llvm/lib/Transforms/InstCombine/InstCombineAndOrXor.cpp
@@ -12,7 +12,9 @@ Value *InstCombinerImpl::foldAndOrOfICmps(ICmpInst *LHS, ICmpInst *RHS,
-  a
+  b
@@ -40,3 +42,3 @@ static bool isGood(const Value *V) {
@@ -60 +62 @@ namespace llvm {
--- /dev/null
+++ b/llvm/test/Transforms/InstCombine/and-or-icmps.ll\t2026-01-01
@@ -0,0 +1,3 @@
+define i1 @foo(i1 %a) {
--- a/clang/test/CodeGen/x.c
+++ b/clang/test/CodeGen/x.c
--- a/README.md
+++ b/README.md
";

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn a_diff_says_what_it_is_about() {
        let focus = Focus::of_diff(PATCH);
        assert_eq!(focus.functions, set(&["foldAndOrOfICmps", "isGood"]));
        assert_eq!(focus.words, set(&["instcombineandorxor"]));
        let tests = ["clang/test/CodeGen/x.c", "llvm/test/Transforms/InstCombine/and-or-icmps.ll"];
        assert_eq!(focus.tests, set(&tests));
        assert!(Focus::of_diff("no diff").is_empty());
    }

    #[test]
    fn seeds_are_near_by_their_names() {
        let focus = Focus::of_diff(PATCH);
        let near = |name: &str| focus.nearness(name);
        assert_eq!(near("InstCombine/and-or-icmps.ll:foo"), Some(Nearness::Test));
        assert_eq!(near("and-or-icmps.ll:foo"), Some(Nearness::Test));
        assert_eq!(near("or-icmps.ll:foo"), None);
        assert_eq!(near("InstCombine/add.ll:bar"), Some(Nearness::Neighbour));
        assert_eq!(near("GVN/add.ll:bar"), None);
        assert_eq!(near("inline 3 4"), None, "a crossover");
        let pass = Focus::touching(&["loop-vectorize".into()]);
        assert_eq!(pass.nearness("LoopVectorize/x.ll:f"), Some(Nearness::Neighbour));
    }

    #[test]
    fn symbols_of_functions_come_before_those_of_files() {
        let fold = "_ZN4llvm16InstCombinerImpl16foldAndOrOfICmpsEPNS_8ICmpInstES2_";
        let other = "_ZN4llvm16InstCombinerImpl8visitAddERNS_14BinaryOperatorE";
        let gvn = "_ZN4llvm7GVNPass3runERNS_8FunctionE";
        let all = [fold, other, gvn];
        let has = |focus: &Focus, symbols: &[&str]| {
            let filter = focus.among(symbols.iter().copied());
            symbols.iter().map(|symbol| filter.has(symbol)).collect::<Vec<_>>()
        };
        let focus = Focus::of_diff(PATCH);
        assert_eq!(has(&focus, &all), [true, false, false]);
        // Where the function has no symbol its file's name stands for it.
        assert_eq!(has(&focus, &all[1..]), [true, false]);
        let pass = Focus::touching(&["gvn".into()]);
        assert_eq!(has(&pass, &all), [false, false, true]);
        assert_eq!(has(&Focus::touching(&["xyzzy".into()]), &all), [false; 3]);
    }
}
