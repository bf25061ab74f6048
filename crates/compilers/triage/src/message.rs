//! What a crash says about the pass it happened in.

use crate::found::{Culprit, Method};

/// Managers of passes: they are at work whenever one of theirs is.
const MANAGERS: &[&str] =
    &["function", "module", "cgscc", "loop", "loop-mssa", "Function Pass Manager"];

/// The pass at work, by its compiler's name.
pub(crate) fn pass(messages: &str) -> Option<String> {
    let gcc = messages.lines().find_map(|line| {
        let (_, name) = line.strip_prefix("during ")?.split_once(" pass: ")?;
        Some(name.trim())
    });
    // LLVM lists from the outermost to the innermost.
    let llvm = messages.lines().rev().find_map(|line| {
        let (_, told) = line.split_once("Running pass ")?;
        let quote = told.chars().next().filter(|c| "'\"".contains(*c))?;
        let name = told[1..].split(quote).next()?;
        // A pipeline lists its passes, and a pass its parameters.
        let name = name.split(['<', '(']).next()?;
        (!MANAGERS.contains(&name)).then_some(name)
    });
    gcc.or(llvm).map(String::from)
}

/// What a crash says of its own: the pass, or at least the function of the compiler.
pub(crate) fn culprit(messages: &str) -> Option<Culprit> {
    let error = messages.lines().find_map(|line| line.split_once("internal compiler error: "));
    let told = error.map_or_else(String::new, |(_, told)| told.trim().to_string());
    let function = || {
        let (_, rest) = told.rsplit_once("in ")?;
        Some(rest.split_once(", at ")?.0.to_string())
    };
    let name = pass(messages).or_else(function)?;
    Some(Culprit { method: Method::Message, name, hides: Vec::new(), detail: told })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcc_names_the_pass_or_at_least_the_function() {
        let text = "during GIMPLE pass: reassoc\n\
            a.c: In function 'f':\n\
            a.c:3:1: internal compiler error: in rewrite_expr_tree, at tree-ssa-reassoc.cc:5450\n";
        let found = culprit(text).expect("a culprit");
        assert_eq!(pass(text).as_deref(), Some("reassoc"));
        assert_eq!(found.name, "reassoc");
        assert_eq!(found.detail, "in rewrite_expr_tree, at tree-ssa-reassoc.cc:5450");
        let text = "t.c:1:22: internal compiler error: in gimplify_expr, at gimplify.cc:15905\n";
        assert_eq!(pass(text), None);
        assert_eq!(culprit(text).map(|c| c.name).as_deref(), Some("gimplify_expr"));
        assert_eq!(culprit("Segmentation fault"), None);
    }

    #[test]
    fn llvm_names_the_innermost_pass() {
        let text = "1.\t<eof> parser at end of file\n2.\tCode generation\n\
            3.\tRunning pass 'Function Pass Manager' on module 'a.c'.\n\
            4.\tRunning pass 'X86 DAG->DAG Instruction Selection' on function '@f'\n";
        assert_eq!(pass(text).as_deref(), Some("X86 DAG->DAG Instruction Selection"));
        let text = "3.\tRunning pass \"function<eager-inv>(sroa,early-cse)\" on module \"a.c\"\n\
            4.\tRunning pass \"instcombine<max-iterations=1>\" on function \"f\"\n";
        assert_eq!(pass(text).as_deref(), Some("instcombine"));
        assert_eq!(pass("3.\tRunning pass \"function(sroa)\" on module \"a.c\"\n"), None);
    }
}
