//! Pipelines as text, `a,b<options>(c,d)`: read, cut, thinned out, written.
//!
//! Nothing is known here about passes but how LLVM writes them: whoever runs a text finds out whether
//! it means anything. [`expansions`] offers what `default<O3>` stands for, by table: LLVM's library has no way
//! to ask it. [`from_log`] makes a flat pipeline of the passes that a run reported.

use std::collections::BTreeSet;
use std::fmt;

/// What `default<O3>` is, a line for each version: `opt -passes='default<O3>' -print-pipeline-passes`.
const DEFAULTS: &str = include_str!("defaults.txt");

/// Pipelines that LLVM makes up itself.
const COMPOUND: [&str; 5] = ["default<", "thinlto<", "thinlto-pre-link<", "lto<", "lto-pre-link<"];

/// A pipeline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pipeline(Vec<Node>);

/// A pass, or a group of them that runs on smaller units.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    /// With its options.
    name: String,
    /// Empty for a pass: LLVM takes no empty groups.
    inside: Vec<Node>,
}

impl Pipeline {
    /// Reads a text; `None` if brackets do not match or a name is empty.
    pub fn parse(text: &str) -> Option<Pipeline> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let mut rest = text.as_str();
        let nodes = list(&mut rest)?;
        rest.is_empty().then_some(Pipeline(nodes))
    }

    /// How many passes it has; groups do not count.
    pub fn len(&self) -> usize {
        self.0.iter().map(Node::len).sum()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Only those passes, numbered in their order, that are wanted; groups that have none left go.
    pub fn only(&self, mut wanted: impl FnMut(usize) -> bool) -> Pipeline {
        let mut number = 0;
        Pipeline(thin(&self.0, &mut number, &mut wanted))
    }

    /// The same with one thing simpler: a group opened, options dropped. All of these.
    pub fn simpler(&self) -> Vec<Pipeline> {
        simpler(&self.0).into_iter().map(Pipeline).collect()
    }

    /// Each different pass alone, in the groups that it stands in.
    pub fn singles(&self) -> Vec<Pipeline> {
        let mut seen = BTreeSet::new();
        let all = (0..self.len()).map(|wanted| self.only(|number| number == wanted));
        all.filter(|single| seen.insert(single.to_string())).collect()
    }

    fn replace(&self, name: &str, by: &[Node]) -> Pipeline {
        let replaced = self.0.iter().flat_map(|node| match node.name == name {
            true => by.to_vec(),
            false => vec![node.clone()],
        });
        Pipeline(replaced.collect())
    }
}

impl Node {
    fn len(&self) -> usize {
        if self.inside.is_empty() { 1 } else { self.inside.iter().map(Node::len).sum() }
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write(&self.0, f)
    }
}

fn write(nodes: &[Node], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, node) in nodes.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(f, "{comma}{}", node.name)?;
        if !node.inside.is_empty() {
            f.write_str("(")?;
            write(&node.inside, f)?;
            f.write_str(")")?;
        }
    }
    Ok(())
}

/// Nodes up to a closing bracket or the end.
fn list(rest: &mut &str) -> Option<Vec<Node>> {
    let mut nodes = Vec::new();
    loop {
        let mut depth = 0i32;
        let ends = |c: char| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth == 0 && matches!(c, ',' | '(' | ')')
        };
        let end = rest.find(ends).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if name.is_empty() {
            return None;
        }
        *rest = after;
        let mut inside = Vec::new();
        if let Some(after) = rest.strip_prefix('(') {
            *rest = after;
            inside = list(rest)?;
            *rest = rest.strip_prefix(')')?;
        }
        nodes.push(Node { name: name.to_string(), inside });
        match rest.strip_prefix(',') {
            Some(after) => *rest = after,
            None => return Some(nodes),
        }
    }
}

fn thin(nodes: &[Node], number: &mut usize, wanted: &mut impl FnMut(usize) -> bool) -> Vec<Node> {
    let mut kept = Vec::new();
    for node in nodes {
        if node.inside.is_empty() {
            if wanted(*number) {
                kept.push(node.clone());
            }
            *number += 1;
        } else {
            let inside = thin(&node.inside, number, wanted);
            if !inside.is_empty() {
                kept.push(Node { name: node.name.clone(), inside });
            }
        }
    }
    kept
}

fn simpler(nodes: &[Node]) -> Vec<Vec<Node>> {
    let mut all = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        let mut with = |new: &[Node]| {
            all.push([&nodes[..index], new, &nodes[index + 1..]].concat());
        };
        if !node.inside.is_empty() {
            with(&node.inside);
        }
        if let Some((name, _)) = node.name.split_once('<') {
            with(&[Node { name: name.to_string(), inside: node.inside.clone() }]);
        }
        for inside in simpler(&node.inside) {
            with(&[Node { name: node.name.clone(), inside }]);
        }
    }
    all
}

/// Explicit texts that may be what a pipeline with `default<…>` in it is, the newest LLVM's first. Those
/// of O3 stand for all levels: what is too much is taken out again.
pub fn expansions(passes: &str) -> Vec<String> {
    let Some(pipeline) = Pipeline::parse(passes) else { return Vec::new() };
    let compound = |node: &&Node| COMPOUND.iter().any(|start| node.name.starts_with(start));
    let Some(name) = pipeline.0.iter().find(compound).map(|node| node.name.clone()) else {
        return Vec::new();
    };
    let tables = DEFAULTS.lines().rev().filter_map(|line| line.split_once(' '));
    let tables = tables.filter_map(|(_, text)| Pipeline::parse(text));
    tables.map(|table| pipeline.replace(&name, &table.0).to_string()).collect()
}

/// On what a pass runs, by what it is wrapped in.
const MODULE: &str = "";
const CGSCC: &str = "cgscc";
const FUNCTION: &str = "function";
const LOOP: &str = "function(loop";
const LOOP_MSSA: &str = "function(loop-mssa";

/// Classes of passes with their names in pipelines, by unit.
const CLASSES: &[(&str, &str)] = &[
    (
        MODULE,
        "Annotation2Metadata=annotation2metadata ForceFunctionAttrs=forceattrs InferFunctionAttrs=inferattrs \
         OpenMPOpt=openmp-opt IPSCCP=ipsccp CalledValuePropagation=called-value-propagation \
         GlobalOpt=globalopt AlwaysInliner=always-inline DeadArgumentElimination=deadargelim \
         GlobalDCE=globaldce EliminateAvailableExternally=elim-avail-extern \
         ReversePostOrderFunctionAttrs=rpo-function-attrs ConstantMerge=constmerge CGProfile=cg-profile \
         RelLookupTableConverter=rel-lookup-table-converter CoroEarly=coro-early CoroCleanup=coro-cleanup \
         HotColdSplitting=hotcoldsplit MergeFunctions=mergefunc PartialInliner=partial-inliner",
    ),
    (
        CGSCC,
        "Inliner=inline PostOrderFunctionAttrs=function-attrs ArgumentPromotion=argpromotion \
         OpenMPOptCGSCC=openmp-opt-cgscc CoroSplit=coro-split Attributor=attributor-cgscc",
    ),
    (
        FUNCTION,
        "LowerExpectIntrinsic=lower-expect SimplifyCFG=simplifycfg SROA=sroa EarlyCSE=early-cse \
         CallSiteSplitting=callsite-splitting Promote=mem2reg InstCombine=instcombine \
         SpeculativeExecution=speculative-execution JumpThreading=jump-threading \
         CorrelatedValuePropagation=correlated-propagation AggressiveInstCombine=aggressive-instcombine \
         LibCallsShrinkWrap=libcalls-shrinkwrap TailCallElim=tailcallelim Reassociate=reassociate \
         ConstraintElimination=constraint-elimination LoopSimplify=loop-simplify LCSSA=lcssa \
         MergedLoadStoreMotion=mldst-motion GVN=gvn SCCP=sccp BDCE=bdce ADCE=adce DCE=dce \
         MemCpyOpt=memcpyopt DSE=dse MoveAutoInit=move-auto-init CoroElide=coro-elide Float2Int=float2int \
         LowerConstantIntrinsics=lower-constant-intrinsics ControlHeightReduction=chr \
         LoopDistribute=loop-distribute InjectTLIMappings=inject-tli-mappings \
         LoopVectorize=loop-vectorize InferAlignment=infer-alignment LoopLoadElimination=loop-load-elim \
         SLPVectorizer=slp-vectorizer VectorCombine=vector-combine LoopUnroll=loop-unroll \
         WarnMissedTransformations=transform-warning AlignmentFromAssumptions=alignment-from-assumptions \
         LoopSink=loop-sink InstSimplify=instsimplify DivRemPairs=div-rem-pairs \
         AnnotationRemarks=annotation-remarks NewGVN=newgvn GVNHoist=gvn-hoist GVNSink=gvn-sink \
         Sinking=sink DFAJumpThreading=dfa-jump-threading StraightLineStrengthReduce=slsr \
         NaryReassociate=nary-reassociate ConstantHoisting=consthoist MergeICmps=mergeicmps \
         PartiallyInlineLibCalls=partially-inline-libcalls Scalarizer=scalarizer",
    ),
    (
        LOOP_MSSA,
        "LoopInstSimplify=loop-instsimplify LoopSimplifyCFG=loop-simplifycfg LICM=licm \
         SimpleLoopUnswitch=simple-loop-unswitch",
    ),
    (
        LOOP,
        "LoopRotate=loop-rotate LoopIdiomRecognize=loop-idiom IndVarSimplify=indvars \
         LoopDeletion=loop-deletion LoopFullUnroll=loop-unroll-full LoopFlatten=loop-flatten \
         LoopInterchange=loop-interchange LoopUnrollAndJam=loop-unroll-and-jam",
    ),
];

/// The pass of a name in a pipeline as logs, stacks and other compilers name it: `InstCombinePass` for
/// `instcombine<no-verify-fixpoint>`. One that is not in our table keeps its name.
pub fn class_of(name: &str) -> String {
    let bare = name.split('<').next().unwrap_or(name);
    let mut words = CLASSES.iter().flat_map(|(_, names)| names.split_whitespace());
    let class = words.find_map(|word| word.split_once('=').filter(|(_, name)| *name == bare));
    class.map_or_else(|| bare.to_string(), |(class, _)| format!("{class}Pass"))
}

/// The name of a pass in a pipeline, whoever named it: `instcombine` for `InstCombinePass` and for `instcombine<…>`. One
/// that is not in our table loses its `Pass` alone.
pub fn name_of(pass: &str) -> String {
    let bare = pass.split('<').next().unwrap_or(pass);
    let class = bare.strip_suffix("Pass").unwrap_or(bare);
    let mut words = CLASSES.iter().flat_map(|(_, names)| names.split_whitespace());
    let name = words.find_map(|word| word.split_once('=').filter(|(known, _)| *known == class));
    name.map_or_else(|| class.to_string(), |(_, name)| name.to_string())
}

/// A flat pipeline of what a log of LLVM's says was run, each pass on the whole module: lines
/// `Running pass: InstCombinePass on f …` (debug logging) or `BISECT: running pass (3) InstCombinePass on f`.
/// Passes that are not in our table are left out.
pub fn from_log(log: &str) -> String {
    let mut groups: Vec<(&str, Vec<(String, &str)>)> = Vec::new();
    for line in log.lines() {
        let rest = line.split_once("Running pass: ").map(|(_, rest)| rest);
        let rest =
            rest.or_else(|| line.split_once("running pass (")?.1.split_once(") ").map(|p| p.1));
        let Some((class, unit)) = rest.and_then(|rest| rest.split_once(" on ")) else { continue };
        let class = class.strip_suffix("Pass").unwrap_or(class);
        let Some((wrap, name)) = CLASSES.iter().find_map(|(wrap, names)| {
            let mut words = names.split_whitespace().filter_map(|word| word.split_once('='));
            words.find(|(known, _)| *known == class).map(|(_, name)| (*wrap, name))
        }) else {
            continue;
        };
        let unit = unit.split(" (").next().unwrap_or(unit).to_string();
        match groups.last_mut() {
            Some((last, passes)) if *last == wrap => passes.push((unit, name)),
            _ => groups.push((wrap, vec![(unit, name)])),
        }
    }
    let texts = groups.iter().map(|(wrap, passes)| {
        let names = without_repeats(passes).join(",");
        match *wrap {
            MODULE => names,
            wrap => format!("{wrap}({names}{}", ")".repeat(wrap.matches('(').count() + 1)),
        }
    });
    texts.collect::<Vec<_>>().join(",")
}

/// A group's passes, those of each unit once if the next unit has the same.
fn without_repeats<'a>(passes: &[(String, &'a str)]) -> Vec<&'a str> {
    let runs = passes.chunk_by(|a, b| a.0 == b.0);
    let mut runs: Vec<Vec<&str>> =
        runs.map(|run| run.iter().map(|(_, name)| *name).collect()).collect();
    runs.dedup();
    runs.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Pipeline {
        Pipeline::parse(text).unwrap_or_else(|| panic!("{text}"))
    }

    #[test]
    fn texts_come_back_as_they_were() {
        let same = [
            "a",
            "a,b",
            "a<x;y<z>>,f(b,g<1>(c)),d",
            "cgscc(devirt<4>(function<eager-inv>(gvn<>)))",
        ];
        for text in same {
            assert_eq!(parsed(text).to_string(), text);
        }
        for line in DEFAULTS.lines() {
            let (_, text) = line.split_once(' ').expect("a version and a text");
            assert_eq!(parsed(text).to_string(), text);
        }
        for wrong in ["", "a,", "a(b", "a)b", "a,,b", "f()", "(a)"] {
            assert_eq!(Pipeline::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn passes_go_and_empty_groups_with_them() {
        let pipeline = parsed("a,f(b,g(c)),d");
        assert_eq!(pipeline.len(), 4);
        assert_eq!(pipeline.only(|n| n != 2).to_string(), "a,f(b),d");
        assert_eq!(pipeline.only(|n| n == 0 || n == 3).to_string(), "a,d");
        assert!(pipeline.only(|_| false).is_empty());
        let singles = parsed("a,f(a,b),a").singles();
        let singles: Vec<String> = singles.iter().map(Pipeline::to_string).collect();
        assert_eq!(singles, ["a", "f(a)", "f(b)"]);
    }

    #[test]
    fn one_step_simpler() {
        let simpler = parsed("f<x>(a<y>),b").simpler();
        let simpler: Vec<String> = simpler.iter().map(Pipeline::to_string).collect();
        assert_eq!(simpler, ["a<y>,b", "f(a<y>),b", "f<x>(a),b"]);
    }

    #[test]
    fn defaults_are_expanded() {
        let expanded = expansions("default<O2>,verify");
        assert_eq!(expanded.len(), DEFAULTS.lines().count());
        assert!(
            expanded
                .iter()
                .all(|text| text.starts_with("annotation2metadata,") && text.ends_with(",verify"))
        );
        assert!(expansions("instcombine").is_empty());
    }

    #[test]
    fn a_pass_has_one_name() {
        for (name, class) in [
            ("instcombine", "InstCombinePass"),
            ("instcombine<no-verify-fixpoint>", "InstCombinePass"),
            ("licm", "LICMPass"),
            ("InstCombinePass", "InstCombinePass"),
            ("some-new-pass", "some-new-pass"),
        ] {
            assert_eq!(class_of(name), class);
        }
    }

    #[test]
    fn logs_become_pipelines() {
        let log = "Running pass: InferFunctionAttrsPass on [module]\n\
                   Running analysis: AAManager on f\n\
                   Running pass: SROAPass on f (2 instructions)\n\
                   Running pass: GVNPass on f (2 instructions)\n\
                   Running pass: SROAPass on g (9 instructions)\n\
                   Running pass: GVNPass on g (9 instructions)\n\
                   Running pass: SomethingNewPass on g\n\
                   BISECT: running pass (17) LICMPass on loop\n\
                   BISECT: running pass (18) InlinerPass on (f)\n";
        assert_eq!(
            from_log(log),
            "inferattrs,function(sroa,gvn),function(loop-mssa(licm)),cgscc(inline)"
        );
    }
}
