//! The 114 optimisations of the paper (LLVM 7), and what they are called today.
//!
//! Analyses of the list are run as `require<…>`. Those without a successor have a note.

use super::Unit;
use super::names::PassNames;

/// As in the paper's repository.
const NAMES: &str = "adce aggressive-instcombine alignment-from-assumptions always-inline argpromotion \
    barrier bdce break-crit-edges called-value-propagation callsite-splitting canonicalize-aliases \
    consthoist constmerge constprop correlated-propagation dce deadargelim demanded-bits die \
    div-rem-pairs dse early-cse early-cse-memssa ee-instrument elim-avail-extern extract-blocks \
    flattencfg float2int forceattrs functionattrs globaldce globalopt globalsplit gvn gvn-hoist gvn-sink \
    hotcoldsplit indvars inferattrs inline instcombine instsimplify ipconstprop ipsccp irce \
    jump-threading lazy-value-info lcssa lcssa-verification libcalls-shrinkwrap licm \
    load-store-vectorizer loop-accesses loop-data-prefetch loop-deletion loop-distribute loop-extract \
    loop-extract-single loop-idiom loop-instsimplify loop-interchange loop-load-elim loop-predication \
    loop-reduce loop-reroll loop-rotate loop-simplify loop-simplifycfg loop-sink loop-unroll \
    loop-unroll-and-jam loop-unswitch loop-vectorize loop-versioning loop-versioning-licm lower-expect \
    lowerinvoke lowerswitch mem2reg memcpyopt memdep memoryssa mergefunc mergeicmps mergereturn \
    mldst-motion nary-reassociate newgvn partial-inliner partially-inline-libcalls pgo-memop-opt \
    post-inline-ee-instrument prune-eh reassociate reg2mem rewrite-symbols rpo-functionattrs \
    scalar-evolution scalarizer sccp separate-const-offset-from-gep simple-loop-unswitch simplifycfg sink \
    slp-vectorizer slsr speculative-execution sroa strip strip-dead-prototypes structurizecfg \
    tailcallelim transform-warning verify";

/// Other names, the first that a library knows counts. Names with parameters need their base only.
const MOVED: &[(&str, &[&str])] = &[
    ("demanded-bits", &["require<demanded-bits>"]),
    ("early-cse-memssa", &["early-cse<memssa>"]),
    ("flattencfg", &["flatten-cfg", "flattencfg"]),
    ("functionattrs", &["function-attrs"]),
    ("lazy-value-info", &["require<lazy-value-info>"]),
    ("loop-accesses", &["require<access-info>"]),
    ("loop-extract-single", &["loop-extract<single>"]),
    ("loop-unswitch", &["simple-loop-unswitch<nontrivial>"]),
    ("lowerinvoke", &["lower-invoke", "lowerinvoke"]),
    ("lowerswitch", &["lower-switch", "lowerswitch"]),
    ("memdep", &["require<memdep>"]),
    ("memoryssa", &["require<memoryssa>"]),
    ("post-inline-ee-instrument", &["ee-instrument<post-inline>", "post-inline-ee-instrument"]),
    ("rpo-functionattrs", &["rpo-function-attrs"]),
    ("scalar-evolution", &["require<scalar-evolution>"]),
];

/// Those that no library from 14 on has.
const GONE: &[(&str, &str)] = &[
    (
        "barrier",
        "parted the old pass manager's groups; the new one takes passes in the order written",
    ),
    ("constprop", "its work is instsimplify's"),
    ("die", "its work is dce's"),
    ("ipconstprop", "its work is ipsccp's"),
    ("lcssa-verification", "was the old pass manager's; lcssa is checked where it is used"),
    ("prune-eh", "its work is function-attrs' and simplifycfg's"),
];

/// One of the 114 in a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Successor {
    /// The paper's name.
    pub name: &'static str,
    /// The unit and the name today, or why there is none.
    pub today: Result<(Unit, String), &'static str>,
}

/// All 114.
pub(super) fn successors(names: &PassNames) -> Vec<Successor> {
    let one = |name| Successor { name, today: today(name, names) };
    NAMES.split_whitespace().map(one).collect()
}

fn today(name: &'static str, names: &PassNames) -> Result<(Unit, String), &'static str> {
    if let Some((_, note)) = GONE.iter().find(|(gone, _)| *gone == name) {
        return Err(note);
    }
    let moved = MOVED.iter().find(|(old, _)| *old == name).map(|(_, new)| *new);
    let found = moved.unwrap_or(&[name]).iter().find_map(|new| look_up(new, names));
    found.ok_or("is not in this library")
}

fn look_up(name: &str, names: &PassNames) -> Option<(Unit, String)> {
    let analysis = name.strip_prefix("require<").and_then(|rest| rest.strip_suffix('>'));
    let (list, base) = match analysis {
        Some(analysis) => (&names.analyses, analysis),
        None => (&names.passes, name.split('<').next().unwrap_or(name)),
    };
    let of = |known: &str| known.split('<').next().unwrap_or(known) == base;
    let (unit, known) = list.iter().find(|(_, known)| of(known))?;
    // Without parameters of its own it has the library's usual ones.
    let today = if name.contains('<') { name } else { known };
    Some((*unit, today.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_them_once() {
        let mut names: Vec<&str> = NAMES.split_whitespace().collect();
        assert_eq!(names.len(), 114);
        assert!(names.is_sorted_by(|a, b| a < b));
        names.retain(|name| MOVED.iter().any(|(old, _)| old == name));
        assert_eq!(names.len(), MOVED.len(), "each moved one is one of them");
    }

    #[test]
    fn names_of_today() {
        let names = PassNames::read(
            "Function passes:\n  early-cse\n  lower-switch\nFunction analyses:\n  memdep\n",
        );
        let all = successors(&names);
        let today = |name: &str| all.iter().find(|one| one.name == name).map(|one| &one.today);
        assert_eq!(today("memdep"), Some(&Ok((Unit::Function, "require<memdep>".into()))));
        assert_eq!(
            today("early-cse-memssa"),
            Some(&Ok((Unit::Function, "early-cse<memssa>".into())))
        );
        assert_eq!(today("lowerswitch"), Some(&Ok((Unit::Function, "lower-switch".into()))));
        assert_eq!(
            today("barrier").and_then(|today| today.as_ref().err()).map(|n| n.len() > 9),
            Some(true)
        );
        assert_eq!(today("licm"), Some(&Err("is not in this library")));
    }
}
