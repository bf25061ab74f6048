//! Regions against those that LLVM prints: of some functions whose trees are written down, and of random ones.

use std::fmt::Write as _;
use std::time::Duration;

use choice::Choices;
use passes::region::Regions;
use sandbox::Run;

/// Far more than opt needs for some hundred small functions on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A function with a graph; block `n` is named `bn`.
fn function(graph: &[Vec<usize>], name: usize) -> String {
    let mut text = format!("define void @f{name}(i32 %x, i1 %c) {{\n");
    for (block, nexts) in graph.iter().enumerate() {
        let _ = writeln!(text, "b{block}:");
        let _ = match nexts.as_slice() {
            [] if block % 3 == 0 => writeln!(text, "  unreachable"),
            [] => writeln!(text, "  ret void"),
            [to] => writeln!(text, "  br label %b{to}"),
            [a, b] => writeln!(text, "  br i1 %c, label %b{a}, label %b{b}"),
            [default, cases @ ..] => {
                let case = |(at, to)| format!("i32 {at}, label %b{to} ");
                let cases: String = cases.iter().enumerate().map(case).collect();
                writeln!(text, "  switch i32 %x, label %b{default} [ {cases}]")
            }
        };
    }
    text + "}\n"
}

/// A line for each region with its blocks, sorted.
fn ours(graph: &[Vec<usize>]) -> Vec<String> {
    let regions = Regions::new(graph);
    let mut lines = Vec::new();
    for (at, region) in regions.all.iter().enumerate() {
        let is_in = |&block: &usize| {
            let around = |&region: &usize| regions.all[region].parent;
            std::iter::successors(Some(regions.of[block]), around).any(|region| region == at)
        };
        let blocks: Vec<String> =
            (0..graph.len()).filter(is_in).map(|block| format!("b{block}")).collect();
        let exit = region.exit.map_or("<Function Return>".into(), |exit| format!("b{exit}"));
        let (depth, entry) = (regions.depth(at), region.entry);
        lines.push(format!("[{depth}] b{entry} => {exit}: {}", blocks.join(" ")));
    }
    lines.sort();
    lines
}

/// The same of each function by LLVM; `None` if it is not installed.
fn by_llvm(graphs: &[Vec<Vec<usize>>]) -> Option<Vec<Vec<String>>> {
    let text: String = graphs.iter().enumerate().map(|(at, graph)| function(graph, at)).collect();
    if Run::new("opt-16", PATIENCE).arg("--version").finish().success().is_none() {
        assert!(std::env::var_os("CI").is_none(), "set-up installs opt-16: CI skips nothing");
        return None;
    }
    let options = ["-passes=print<regions>", "-print-region-style=bb", "-disable-output", "-"];
    let ended = Run::new("opt-16", PATIENCE).args(options).stdin(text.clone()).finish();
    let Some(done) = ended.success() else { panic!("opt-16 refuses {text}") };
    let mut trees: Vec<Vec<String>> = Vec::new();
    for line in done.stderr.text().lines().map(str::trim) {
        if line.starts_with("Region Tree for function") {
            trees.push(Vec::new());
        } else if let Some(tree) = trees.last_mut() {
            if line.starts_with('[') {
                tree.push(format!("{line}: "));
            } else if let (Some(region), true) = (tree.last_mut(), line.ends_with(',')) {
                let mut blocks: Vec<&str> = line.trim_end_matches(',').split(", ").collect();
                blocks.sort_by_key(|block| block[1..].parse::<usize>().expect("bN"));
                region.push_str(&blocks.join(" "));
            }
        }
    }
    trees.iter_mut().for_each(|tree| tree.sort());
    Some(trees)
}

#[track_caller]
fn check(graph: &[&[usize]], expected: &[&str]) {
    let graph: Vec<Vec<usize>> = graph.iter().map(|nexts| nexts.to_vec()).collect();
    assert_eq!(ours(&graph), expected);
    if let Some(trees) = by_llvm(std::slice::from_ref(&graph)) {
        assert_eq!(trees, [expected], "by LLVM");
    }
}

#[test]
fn a_line_and_a_diamond() {
    check(&[&[1], &[2], &[]], &["[0] b0 => <Function Return>: b0 b1 b2"]);
    check(
        &[&[1], &[2, 3], &[4], &[4], &[5], &[]],
        &["[0] b0 => <Function Return>: b0 b1 b2 b3 b4 b5", "[1] b1 => b4: b1 b2 b3"],
    );
}

/// Figure 4 of the paper.
#[test]
fn bubble_sort() {
    check(
        &[&[1], &[2, 9], &[3], &[4, 8], &[5, 6], &[6], &[7], &[3], &[1], &[]],
        &[
            "[0] b0 => <Function Return>: b0 b1 b2 b3 b4 b5 b6 b7 b8 b9",
            "[1] b1 => b9: b1 b2 b3 b4 b5 b6 b7 b8",
            "[2] b3 => b8: b3 b4 b5 b6 b7",
            "[3] b4 => b6: b4 b5",
        ],
    );
}

/// Two loops, one after the other, are no region together.
#[test]
fn a_sequence() {
    check(
        &[&[1], &[1, 2], &[3], &[3, 4], &[]],
        &["[0] b0 => <Function Return>: b0 b1 b2 b3 b4", "[1] b1 => b2: b1", "[1] b3 => b4: b3"],
    );
}

/// A way out of the middle of a loop, to where the loop's own leads.
#[test]
fn a_break() {
    check(
        &[&[1], &[2, 4], &[3, 4], &[1], &[]],
        &["[0] b0 => <Function Return>: b0 b1 b2 b3 b4", "[1] b1 => b4: b1 b2 b3"],
    );
}

/// Both ways of a branch are one: not trivial for LLVM.
#[test]
fn one_way_twice() {
    check(&[&[1], &[2, 2], &[]], &["[0] b0 => <Function Return>: b0 b1 b2", "[1] b1 => b2: b1"]);
}

/// Several ends, and a loop without one.
#[test]
fn ends() {
    check(&[&[1, 2], &[], &[]], &["[0] b0 => <Function Return>: b0 b1 b2"]);
    check(&[&[1], &[2, 3], &[4], &[4], &[1]], &["[0] b0 => <Function Return>: b0 b1 b2 b3 b4"]);
}

/// A graph all of whose blocks are reachable, none of which leads to the entry: LLVM's rule.
fn random(choices: &mut Choices) -> Vec<Vec<usize>> {
    let blocks = 2 + choices.index(12);
    // Few ways give many loops and long lines, more give what no C program has.
    let ways = 1 + choices.index(3);
    let mut graph: Vec<Vec<usize>> = vec![Vec::new(); blocks];
    for block in 1..blocks {
        // From any block before, rather a near one.
        let from = if choices.index(3) == 0 { choices.index(block) } else { block - 1 };
        graph[from].push(block);
    }
    for nexts in &mut graph {
        for _ in 0..choices.index(ways + 1) {
            if choices.index(2) == 0 {
                nexts.push(1 + choices.index(blocks - 1));
            }
        }
    }
    graph
}

#[test]
fn random_graphs_as_by_llvm() {
    let graphs: Vec<_> = (0..1000).map(|seed| random(&mut Choices::new(seed))).collect();
    let Some(trees) = by_llvm(&graphs) else { return };
    assert_eq!(trees.len(), graphs.len());
    // Beside the functions themselves.
    let regions = trees.iter().map(|tree| tree.len() - 1).sum::<usize>();
    assert!(regions > 400, "{regions} regions");
    for (graph, tree) in graphs.iter().zip(&trees) {
        assert_eq!(&ours(graph), tree, "{graph:?}");
    }
}
