//! The names that a library knows: its own list as text, read; and a table for libraries that do not list.
//!
//! The text is that of `opt --print-passes`: headings by unit (`Function passes with params:`), names
//! indented below. Machine passes and alias analyses have headings of their own and are passed over.

use std::collections::BTreeSet;

use super::Unit;

/// What a library lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PassNames {
    /// Passes, each once, with the unit that it runs on; without parameters.
    pub passes: Vec<(Unit, String)>,
    /// Analyses.
    pub analyses: Vec<(Unit, String)>,
}

/// Parameters that production pipelines give, where they change what a pass does: passes of their own.
/// Where a library does not know one it is refused when tried, and that is all.
const VARIANTS: &[(Unit, &[&str])] = &[
    (Unit::Cgscc, &["function-attrs<skip-non-recursive-function-attrs>"]),
    (
        Unit::Function,
        &[
            "early-cse<memssa>",
            // As at the end of -O2: switches become tables, loops need not stay canonical.
            "simplifycfg<forward-switch-cond;switch-to-lookup;no-keep-loops;hoist-common-insts;sink-common-insts>",
            "sroa<modify-cfg>",
            "loop-unroll<O3>",
            "loop-vectorize<interleave-forced-only;vectorize-forced-only>",
        ],
    ),
    (
        Unit::Loop,
        &[
            "licm<no-allowspeculation>",
            "loop-rotate<no-header-duplication>",
            "simple-loop-unswitch<nontrivial>",
        ],
    ),
];

/// Parameters that every pipeline gives, because the default is one for LLVM's own tests: with it,
/// `instcombine` gives up with a fatal error where it would need a second round.
const USUAL: &[(&str, &str)] = &[("instcombine", "no-verify-fixpoint")];

/// Passes that take for granted what another leaves, and spoil the program where that is not so. The old pass
/// manager ran the other one itself.
const NEEDS: &[(&[&str], &[&str])] = &[(
    &["structurizecfg", "fix-irreducible", "unify-loop-exits"],
    &["lower-switch", "lowerswitch"],
)];

/// Passes of every version from 14 on, for a library that does not list its own.
const KNOWN: &[(Unit, &str)] = &[
    (
        Unit::Module,
        "always-inline called-value-propagation constmerge deadargelim elim-avail-extern forceattrs \
         globaldce globalopt globalsplit hotcoldsplit inferattrs ipsccp loop-extract mergefunc \
         partial-inliner rpo-function-attrs strip strip-dead-prototypes",
    ),
    (Unit::Cgscc, "argpromotion function-attrs inline"),
    (
        Unit::Function,
        "adce aggressive-instcombine alignment-from-assumptions bdce break-crit-edges callsite-splitting \
         consthoist constraint-elimination correlated-propagation dce div-rem-pairs dse early-cse float2int \
         gvn gvn-hoist gvn-sink instcombine instsimplify irce jump-threading lcssa libcalls-shrinkwrap \
         load-store-vectorizer loop-data-prefetch loop-distribute loop-fusion loop-load-elim loop-simplify \
         loop-sink loop-unroll loop-vectorize loop-versioning lower-expect mem2reg memcpyopt mergeicmps \
         mergereturn mldst-motion nary-reassociate newgvn partially-inline-libcalls reassociate sccp \
         separate-const-offset-from-gep simplifycfg sink slp-vectorizer slsr speculative-execution sroa \
         tailcallelim vector-combine",
    ),
    (Unit::LoopNest, "loop-flatten loop-interchange loop-unroll-and-jam"),
    (
        Unit::Loop,
        "indvars licm loop-deletion loop-idiom loop-instsimplify loop-predication loop-reduce loop-rotate \
         loop-simplifycfg loop-unroll-full loop-versioning-licm simple-loop-unswitch",
    ),
];

impl PassNames {
    /// Reads what a library prints.
    pub fn read(text: &str) -> PassNames {
        let mut names = PassNames::default();
        let mut heading = None;
        for line in text.lines() {
            let Some(name) = line.strip_prefix("  ").map(str::trim) else {
                heading = read_heading(line);
                continue;
            };
            match heading {
                Some((unit, Heading::Passes { params })) => {
                    let name = if params { usual(name) } else { name.to_string() };
                    names.passes.push((unit, name));
                }
                Some((unit, Heading::Analyses)) => names.analyses.push((unit, name.to_string())),
                None => {}
            }
        }
        names.with_variants()
    }

    /// What any library has.
    pub fn known() -> PassNames {
        let passes = KNOWN.iter().flat_map(|(unit, names)| {
            names.split_whitespace().map(|name| (*unit, name.to_string()))
        });
        PassNames { passes: passes.collect(), analyses: Vec::new() }.with_variants()
    }

    /// What a pass needs before it.
    pub fn needs(&self, name: &str) -> Option<String> {
        let (_, needs) = NEEDS.iter().find(|(names, _)| names.contains(&name))?;
        let is_known = |needed: &&&str| self.passes.iter().any(|(_, known)| known == **needed);
        needs.iter().find(is_known).map(|needed| needed.to_string())
    }

    /// Each pass once, behind it those of its variants.
    fn with_variants(mut self) -> PassNames {
        let mut seen = BTreeSet::new();
        self.passes.retain(|pass| seen.insert(pass.clone()));
        for (unit, variants) in VARIANTS {
            for variant in *variants {
                let base = (*unit, without_parameters(variant).to_string());
                if let Some(at) = self.passes.iter().position(|pass| *pass == base) {
                    self.passes.insert(at + 1, (*unit, variant.to_string()));
                }
            }
        }
        self
    }
}

#[derive(Clone, Copy)]
enum Heading {
    Passes { params: bool },
    Analyses,
}

/// `None` for headings that do not matter, and for unknown ones.
fn read_heading(line: &str) -> Option<(Unit, Heading)> {
    let words = line.trim_end_matches(':');
    let (unit, kind) = words.split_once(' ')?;
    let unit = match unit {
        "Module" => Unit::Module,
        "CGSCC" => Unit::Cgscc,
        "Function" => Unit::Function,
        "LoopNest" => Unit::LoopNest,
        "Loop" => Unit::Loop,
        _ => return None,
    };
    match kind {
        "passes" => Some((unit, Heading::Passes { params: false })),
        "passes with params" => Some((unit, Heading::Passes { params: true })),
        "analyses" => Some((unit, Heading::Analyses)),
        _ => None,
    }
}

/// A name without its list of parameters, or with the usual one if the list has it.
fn usual(listed: &str) -> String {
    let name = without_parameters(listed);
    let parameters = listed[name.len()..].trim_matches(['<', '>']);
    let given = USUAL.iter().find(|(usual, parameter)| {
        *usual == name && parameters.split(';').any(|known| known == *parameter)
    });
    given.map_or(name.to_string(), |(_, parameter)| format!("{name}<{parameter}>"))
}

/// `print<da>` of `print<da><normalized-results>`, `gvn` of `gvn<pre;no-pre>`.
fn without_parameters(name: &str) -> &str {
    let mut depth = 0;
    let begin = name.char_indices().rev().find(|(_, c)| {
        depth += i32::from(*c == '>') - i32::from(*c == '<');
        depth == 0
    });
    match begin {
        Some((at, '<')) => &name[..at],
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read() {
        let text = "Module passes:\n  globaldce\nModule passes with params:\n  ipsccp<no-func-spec;func-spec>\n\
            Module analyses:\n  lcg\nModule alias analyses:\n  globals-aa\nFunction passes:\n  adce\n  \
            separate-const\nFunction passes with params:\n  early-cse<memssa>\n  print<da><normalized>\n  \
            separate-const<lower>\n  token<mode=<m>>\nFunction analyses:\n  memdep\nLoop passes:\n  indvars\n\
            Loop passes with params:\n  instcombine<x;no-verify-fixpoint;max=N>\n  instcombine<x>\n\
            Machine function passes (WIP):\n  finalize-isel\nSpaceship passes:\n  x\n";
        let names = PassNames::read(text);
        let passes: Vec<String> =
            names.passes.iter().map(|(unit, name)| format!("{unit} {name}")).collect();
        let expected = [
            "module globaldce",
            "module ipsccp",
            "function adce",
            "function separate-const",
            "function early-cse",
            "function early-cse<memssa>",
            "function print<da>",
            "function token",
            "loop indvars",
            "loop instcombine<no-verify-fixpoint>",
            "loop instcombine",
        ];
        assert_eq!(passes, expected);
        let analyses = [(Unit::Module, "lcg".to_string()), (Unit::Function, "memdep".to_string())];
        assert_eq!(names.analyses, analyses);
        assert_eq!(names.needs("structurizecfg"), None);
        let old = PassNames::read("Function passes:\n  lowerswitch\n  structurizecfg\n");
        assert_eq!(old.needs("structurizecfg").as_deref(), Some("lowerswitch"));
    }

    #[test]
    fn the_table_has_each_name_once() {
        let names = PassNames::known();
        let distinct: BTreeSet<&String> = names.passes.iter().map(|(_, name)| name).collect();
        assert_eq!(distinct.len(), names.passes.len());
        assert!(names.passes.contains(&(Unit::Loop, "simple-loop-unswitch<nontrivial>".into())));
    }
}
