//! InstCombine's check that one round was enough.
//!
//! From 18 on, `instcombine` in the text of a pipeline gives up with a fatal error where it would need a
//! second round. That is a check for LLVM's own tests: production pipelines run the pass without it. So
//! pipelines mean `instcombine<no-verify-fixpoint>` here, so that what the check says is never a fault.

/// The first version that has the parameter.
const SINCE: u32 = 18;

/// The pass.
const PASS: &str = "instcombine";

/// A pipeline as production has it: `instcombine` without its check.
pub fn without_fixpoint_check(passes: &str, major: u32) -> String {
    if major < SINCE {
        return passes.to_string();
    }
    let mut text = String::with_capacity(passes.len());
    let mut rest = passes;
    while let Some(at) = rest.find(PASS) {
        let (before, after) = rest.split_at(at + PASS.len());
        let is_begin = before[..at].chars().next_back().is_none_or(is_delimiter);
        let is_begin = is_begin && (at > 0 || text.chars().next_back().is_none_or(is_delimiter));
        text += before;
        rest = after;
        match after.chars().next() {
            None | Some(',' | ')') if is_begin => text += "<no-verify-fixpoint>",
            Some('<') if is_begin => {
                let (parameters, after) = after[1..].split_once('>').unwrap_or((&after[1..], ""));
                let others = parameters.split(';').filter(|one| !one.contains("verify-fixpoint"));
                let all: Vec<&str> = ["no-verify-fixpoint"].into_iter().chain(others).collect();
                text += &format!("<{}>", all.join(";"));
                rest = after;
            }
            _ => {}
        }
    }
    text + rest
}

fn is_delimiter(c: char) -> bool {
    matches!(c, ',' | '(') || c.is_whitespace()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_pass_itself_loses_its_check() {
        for (passes, expected) in [
            ("instcombine", "instcombine<no-verify-fixpoint>"),
            (
                "function(sroa,instcombine),dce",
                "function(sroa,instcombine<no-verify-fixpoint>),dce",
            ),
            ("aggressive-instcombine,instcombine-x", "aggressive-instcombine,instcombine-x"),
            (
                "instcombine<max-iterations=2>,instcombine",
                "instcombine<no-verify-fixpoint;max-iterations=2>,instcombine<no-verify-fixpoint>",
            ),
            ("instcombine<no-verify-fixpoint>", "instcombine<no-verify-fixpoint>"),
            ("instcombine<verify-fixpoint>", "instcombine<no-verify-fixpoint>"),
            ("default<O3>", "default<O3>"),
            ("", ""),
        ] {
            assert_eq!(without_fixpoint_check(passes, 22), expected);
        }
        assert_eq!(without_fixpoint_check("instcombine", 17), "instcombine");
    }
}
