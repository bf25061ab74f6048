//! Vectors against figures of the paper and arithmetic by hand, and random graphs.

use super::*;
use crate::shape::BlockShape;
use choice::Choices;

/// A function whose block `n` is the words `n` and 1.
fn function(graph: &[&[usize]], callees: &[usize]) -> FunctionShape {
    let block = |(at, nexts): (usize, &&[usize])| BlockShape {
        words: vec![u8::try_from(at).expect("few blocks"), 1],
        successors: nexts.to_vec(),
    };
    FunctionShape {
        blocks: graph.iter().enumerate().map(block).collect(),
        callees: callees.to_vec(),
        ..FunctionShape::default()
    }
}

fn program(functions: Vec<FunctionShape>) -> ModuleShape {
    ModuleShape { functions, ..ModuleShape::default() }
}

/// The vector of one function, of width 1, from the values of its edges. Algorithm 2 halves it: the start
/// node's zero is in the mean.
fn value(graph: &[&[usize]], edges: &[f32], rule: PassOnRule) -> f32 {
    let shape = program(vec![function(graph, &[])]);
    let of: Vec<u32> = (0..edges.len()).map(|at| at as u32).collect();
    program_vector(&shape, &of, DocumentVectors { values: edges, width: 1 }, rule)[0] * 2.0
}

fn check(graph: &[&[usize]], edges: &[f32], taken: f32, printed: f32) {
    assert_eq!(value(graph, edges, PassOnRule::WhenTaken), taken, "when taken, {graph:?}");
    assert_eq!(value(graph, edges, PassOnRule::AsPrinted), printed, "as printed, {graph:?}");
}

#[test]
fn one_block_is_its_own_text() {
    let texts = texts(&[program(vec![function(&[&[]], &[])])], Sharing::Each);
    assert_eq!(texts.documents, [[0, 1]]);
    check(&[&[]], &[5.0], 5.0, 5.0);
}

#[test]
fn a_straight_line() {
    // 0 to 1: 8; 1 to 2: (4 + 8) / 2 = 6.
    check(&[&[1], &[2], &[]], &[8.0, 4.0], 6.0, 6.0);
}

#[test]
fn a_diamond() {
    // 1 to 3: (4 + 8) / 2 = 6; 2 to 3: (6 + 10) / 2 = 8; the mean of both is 7.
    check(&[&[1, 2], &[3], &[3], &[]], &[8.0, 10.0, 4.0, 6.0], 7.0, 7.0);
    // With a block after it: (1 + 6 + 8) / 3 = 5. As printed it is done when 1 is taken, where 2 to 3 is known
    // already, and when 2 is taken once more: (5 + 14) / 3.
    let longer: [&[usize]; 5] = [&[1, 2], &[3], &[3], &[4], &[]];
    check(&longer, &[8.0, 10.0, 4.0, 6.0, 1.0], 5.0, 19.0 / 3.0);
}

#[test]
fn a_loop() {
    // 1 is the loop entry: from 0 come 1 to 2: (4 + 8) / 2 = 6 and 1 to 3: (2 + 8) / 2 = 5. The body's edge
    // back is (10 + 6) / 2 = 8, which comes in too: 1 to 3 is (5 + 8) / 2.
    check(&[&[1], &[2, 3], &[1], &[]], &[8.0, 4.0, 2.0, 10.0], 6.5, 6.5);
    // With a block after it, which has 3 and the loop: (1.5 + 6.5) / 2 = 4. As printed it has what 1 to 3 was
    // before the body was done: (1.5 + 5) / 2.
    let longer: [&[usize]; 5] = [&[1], &[2, 3], &[1], &[4], &[]];
    check(&longer, &[8.0, 4.0, 2.0, 10.0, 1.5], 4.0, 3.25);
}

#[test]
fn a_block_that_follows_itself() {
    // From 0: 1 to 1 is (2 + 4) / 2 = 3, 1 to 2 is (6 + 4) / 2 = 5; then 1 to 1 comes in: (5 + 3) / 2.
    check(&[&[1], &[1, 2], &[]], &[4.0, 2.0, 6.0], 4.0, 4.0);
}

#[test]
fn a_cycle_with_two_ways_in() {
    // The walk meets 1 first, so 1 is the loop entry. Edges: 0 to 1: 2, 0 to 2: 4, 1 to 2: 6, 1 to 3: 8,
    // 2 to 1: 1. From 0: 1 to 2 is 4, 1 to 3 is 5; 2 has both: (1 + 4 + 4) / 3 = 3; so 1 to 3 is (5 + 3) / 2.
    // As printed, 2 does it when 0 is taken and when 1 is: (3 + 4 + 4) / 3, and 1 to 3 is (5 + 11 / 3) / 2.
    check(&[&[1, 2], &[2, 3], &[1], &[]], &[2.0, 4.0, 6.0, 8.0, 1.0], 4.0, 13.0 / 3.0);
}

#[test]
fn several_ends_and_none() {
    // Ends in 1 and in 2: the mean.
    check(&[&[1, 2], &[], &[]], &[3.0, 5.0], 4.0, 4.0);
    // Never ends: 0 to 1: 8; 1 to 2: (4 + 8) / 2 = 6; 2 to 1: (2 + 6) / 2 = 4, which makes 1 to 2 5: mean 17/3.
    check(&[&[1], &[2], &[1]], &[8.0, 4.0, 2.0], 17.0 / 3.0, 17.0 / 3.0);
}

/// Figure 4, bubble sort. Blocks in order: %2, %11, %14, %15, %19, the branch, %54, %55, %58, %59.
const BUBBLE: [&[usize]; 10] = [&[1], &[2, 9], &[3], &[4, 8], &[5, 6], &[6], &[7], &[3], &[1], &[]];

#[test]
fn figure_4() {
    let graph: Vec<Vec<usize>> = BUBBLE.iter().map(|nexts| nexts.to_vec()).collect();
    let edges = edges(&graph);
    assert_eq!((graph.len(), edges.len()), (10, 12));
    let regions = Regions::new(&graph);
    assert_eq!(regions.all.len(), 4);
    assert_eq!(regions.depths(), [0, 1, 1, 2, 3, 3, 2, 2, 1, 0]);
    // The paper's number of each edge in our order, and a value for each.
    let number = [1, 2, 12, 3, 4, 10, 5, 7, 6, 8, 9, 11];
    let at = |paper: usize| number.iter().position(|&n| n == paper).expect("an edge");
    assert_eq!(edges[at(7)], (4, 6));
    let values: Vec<f32> = number.iter().map(|&n| (n * n) as f32).collect();

    // Each step of algorithm 1, deep regions first.
    let mut e: Vec<f32> = (0..13).map(|n| (n * n) as f32).collect();
    let mean =
        |vector: f32, from: &[f32]| (vector + from.iter().sum::<f32>()) / (from.len() + 1) as f32;
    (e[2], e[12]) = (mean(e[2], &[e[1]]), mean(e[12], &[e[1]])); // %2 into the outer loop
    e[3] = mean(e[3], &[e[2]]); // %14
    (e[4], e[10]) = (mean(e[4], &[e[3]]), mean(e[10], &[e[3]])); // into the inner loop
    let early = e[10];
    (e[5], e[7]) = (mean(e[5], &[e[4]]), mean(e[7], &[e[4]])); // %19
    e[6] = mean(e[6], &[e[5]]); // the branch
    e[8] = mean(e[8], &[e[6], e[7]]); // %54
    e[9] = mean(e[9], &[e[8]]); // %55
    e[10] = mean(e[10], &[e[9]]); // back into the inner loop
    let taken = mean(e[12], &[mean(e[11], &[e[10]])]); // %58, back into the outer loop
    // As printed, %58 has passed on what the inner loop's edge was when %15 was taken.
    let printed = mean(e[12], &[mean(e[11], &[early])]);
    check(&BUBBLE, &values, taken, printed);
    assert_ne!(taken, printed);
}

/// The text of figure 4's first edge.
#[test]
fn the_text_of_an_edge() {
    let [alloca, load, store, br, bitcast, icmp] = [26, 27, 28, 2, 41, 42];
    let mut shape = program(vec![function(&[&[1], &[]], &[])]);
    let first = [alloca, alloca, alloca, alloca, alloca, store, store, bitcast, bitcast, bitcast];
    shape.functions[0].blocks[0].words = [&first[..], &[store, br]].concat();
    shape.functions[0].blocks[1].words = vec![load, icmp, br];
    let text: Vec<u32> =
        [&first[..], &[store, br, load, icmp, br]].concat().into_iter().map(u32::from).collect();
    assert_eq!(texts(&[shape], Sharing::Each).documents, [text]);
}

#[test]
fn equal_texts_are_shared_on_request() {
    let line = || program(vec![function(&[&[1], &[2], &[]], &[]), function(&[&[1], &[]], &[])]);
    let each = texts(&[line(), line()], Sharing::Each);
    assert_eq!(each.of, [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(each.documents.len(), 6);
    let same = texts(&[line(), line()], Sharing::Same);
    assert_eq!(same.of, [[0, 1, 0], [0, 1, 0]]);
    assert_eq!(same.documents, [[0, 1, 1, 1], [1, 1, 2, 1]]);
    // A branch both of whose ways are one is one edge.
    assert_eq!(texts(&[program(vec![function(&[&[1, 1], &[]], &[])])], Sharing::Each).of, [[0]]);
}

/// Figure 5: main calls func2 and func3; func1 calls func4 and func6, func2 calls func5 and func6, func3 calls
/// func7; func4 calls func1 and func7 calls itself, which are left out.
#[test]
fn figure_5() {
    let callees: [&[usize]; 8] = [&[2, 3], &[4, 6], &[5, 6], &[7], &[1], &[], &[], &[7]];
    let functions = callees.iter().map(|callees| function(&[&[]], callees)).collect();
    let values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    let of: Vec<u32> = (0..8).collect();
    let vector = program_vector(
        &program(functions),
        &of,
        DocumentVectors { values: &values, width: 1 },
        PassOnRule::default(),
    );
    let func1 = (2.0 + 5.0 + 8.0) / 3.0;
    let func2 = (3.0 + 6.0 + 8.0) / 3.0;
    let func3 = (4.0 + 10.0) / 2.0;
    let main = (1.0 + func2 + func3) / 3.0;
    assert_eq!(vector, [(0.0 + func1 + main) / 3.0]);
}

#[test]
fn nothing_gives_zeros() {
    let rows = DocumentVectors { values: &[], width: 3 };
    assert_eq!(program_vector(&ModuleShape::default(), &[], rows, PassOnRule::default()), [0.0; 3]);
    let shape = program(vec![function(&[&[1], &[]], &[0])]);
    assert_eq!(program_vector(&shape, &[9], rows, PassOnRule::default()), [0.0; 3]);
}

/// A program of some functions; blocks may lead anywhere, and not all need be reachable.
fn random(choices: &mut Choices) -> ModuleShape {
    let functions = 1 + choices.index(4);
    let one = |choices: &mut Choices| {
        let blocks = 1 + choices.index(14);
        let ways = 2 + choices.index(2);
        let block = |choices: &mut Choices| BlockShape {
            words: (0..choices.index(4)).map(|_| choices.index(60) as u8).collect(),
            successors: (0..choices.index(ways + 1)).map(|_| choices.index(blocks)).collect(),
        };
        FunctionShape {
            blocks: (0..blocks).map(|_| block(choices)).collect(),
            callees: (0..functions).filter(|_| choices.index(3) == 0).collect(),
            ..FunctionShape::default()
        }
    };
    program((0..functions).map(|_| one(choices)).collect())
}

#[test]
fn random_graphs_end_and_give_means() {
    const WIDTH: usize = 3;
    for seed in 0..2000 {
        let mut choices = Choices::new(seed);
        let shape = random(&mut choices);
        let texts = texts(std::slice::from_ref(&shape), Sharing::Same);
        let values: Vec<f32> = (0..texts.documents.len() * WIDTH)
            .map(|_| choices.index(2001) as f32 / 1000.0 - 1.0)
            .collect();
        let rows = DocumentVectors { values: &values, width: WIDTH };
        for rule in [PassOnRule::WhenTaken, PassOnRule::AsPrinted] {
            let vector = program_vector(&shape, &texts.of[0], rows, rule);
            assert_eq!(vector.len(), WIDTH);
            assert_eq!(vector, program_vector(&shape, &texts.of[0], rows, rule));
            // Means of means of values up to 1.
            let all = vector.iter().all(|value| value.abs() <= 1.0 + 1e-5);
            assert!(all, "{seed} {rule:?}: {vector:?}");
        }
    }
}

/// Every edge that can be reached is visited, whatever the graph.
#[test]
fn every_reachable_edge_is_visited() {
    let mut checked = 0;
    for seed in 0..2000 {
        for function in random(&mut Choices::new(seed)).functions {
            let graph = function.graph();
            let flow = Flow::new(&graph);
            let tree = llvmhost::Dominators::new(&graph);
            let mut vectors = vec![vec![]; flow.edges.len()];
            let reachable: Vec<bool> =
                flow.edges.iter().map(|&(from, _)| tree.is_reachable(from)).collect();
            if reachable.iter().all(|&reachable| reachable) {
                assert_eq!(flow.when_taken(&mut vectors), reachable, "{graph:?}");
                assert_eq!(flow.as_printed(&mut vectors), reachable, "{graph:?}");
                checked += usize::from(!reachable.is_empty());
            }
        }
    }
    assert!(checked > 500, "{checked}");
}
