//! Unique bugs out of the folder of a hunt, by the types of the paper (its section 4.2).

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use campaign::{Finding, Standing, Store, Study};
use optimise::verdict::CODE_GENERATOR;
use oracle::FailureKind;
use serde::{Deserialize, Serialize};

/// The types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Type {
    Crash,
    InvalidIr,
    WrongCode,
    Performance,
    CodeGenerator,
}

impl Type {
    /// All, as the paper orders them.
    pub const ALL: [Type; 5] =
        [Type::Crash, Type::InvalidIr, Type::WrongCode, Type::Performance, Type::CodeGenerator];

    /// For tables.
    pub fn name(self) -> &'static str {
        match self {
            Type::Crash => "crash",
            Type::InvalidIr => "invalid IR",
            Type::WrongCode => "wrong code",
            Type::Performance => "performance",
            Type::CodeGenerator => "code generator",
        }
    }

    fn of(kind: FailureKind, signature: &str) -> Option<Type> {
        Some(match kind {
            FailureKind::CompilerCrash | FailureKind::InvalidIr
                if signature.contains(CODE_GENERATOR) =>
            {
                Type::CodeGenerator
            }
            FailureKind::CompilerCrash => Type::Crash,
            FailureKind::InvalidIr => Type::InvalidIr,
            FailureKind::CompilerHang | FailureKind::CompilerMemory => Type::Performance,
            FailureKind::WrongOutput
            | FailureKind::RuntimeCrash
            | FailureKind::RuntimeHang
            | FailureKind::Miscompilation => Type::WrongCode,
            _ => return None,
        })
    }
}

/// A bug, as far as two can be told apart: by the signature; for wrong code by the last pass.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Bug {
    /// Its type.
    pub kind: Type,
    /// What findings of it have in common.
    pub key: String,
    /// `libLLVM-16`.
    pub library: String,
}

/// The bugs of a hunt, each with the last of its passes. What is disputed is none.
pub fn of(dir: &Path) -> Result<BTreeMap<Bug, String>> {
    let store = Store::open(dir)?;
    let studies: BTreeMap<i64, Study> = store.studies()?.into_iter().collect();
    let mut bugs = BTreeMap::new();
    // Those that were reduced last: their passes stay.
    let mut findings = store.findings()?;
    findings.sort_by_key(|found| studies.contains_key(&found.id));
    for found in &findings {
        bugs.extend(bug(found, studies.get(&found.id)));
    }
    Ok(bugs)
}

fn bug(found: &Finding, study: Option<&Study>) -> Option<(Bug, String)> {
    let finding = &found.finding;
    let kind = Type::of(finding.kind, &finding.signature)?;
    let library = finding.subject.library()?.name();
    let passes = finding.subject.passes()?;
    let reduced = study.and_then(|study| study.subject.passes());
    // That a program prints the wrong thing, dies or does not end may all be the work of one bug.
    let named = finding.signature.split_once(" llvm ").map_or("", |(_, name)| name);
    let key = if kind == Type::WrongCode { named } else { &finding.signature };
    let bug = Bug { kind, key: key.to_string(), library };
    let last = last(reduced.unwrap_or(passes)).to_string();
    (finding.standing == Standing::Confirmed).then_some((bug, last))
}

/// The last pass of a pipeline, without what it is nested in and without parameters:
/// `a,function(loop(b<c;d>))` is `b`.
fn last(pipeline: &str) -> &str {
    let text = pipeline.trim_end_matches(')');
    let mut depth = 0;
    let begin = text.rfind(|c| {
        match c {
            '>' => depth += 1,
            '<' => depth -= 1,
            _ => {}
        }
        depth == 0 && matches!(c, '(' | ',')
    });
    let name = begin.map_or(text, |at| &text[at + 1..]);
    name.split('<').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_pass() {
        assert_eq!(last("gvn"), "gvn");
        assert_eq!(last("sroa,function(loop-mssa(licm<allowspeculation>))"), "licm");
        assert_eq!(last("function(simplifycfg<a;b,c>,gvn<pre>)"), "gvn");
        assert_eq!(last("function(instcombine),simplifycfg<a,b>"), "simplifycfg");
        assert_eq!(last(""), "");
    }

    #[test]
    fn types() {
        let of = |kind: FailureKind| Type::of(kind, "llvm x");
        assert_eq!(of(FailureKind::CompilerMemory), Some(Type::Performance));
        assert_eq!(of(FailureKind::RuntimeHang), Some(Type::WrongCode));
        assert_eq!(of(FailureKind::Rejection), None);
        let signature = format!("compiler-crash llvm {CODE_GENERATOR}: SIGSEGV f");
        assert_eq!(Type::of(FailureKind::CompilerCrash, &signature), Some(Type::CodeGenerator));
    }
}
