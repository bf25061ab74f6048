//! Static features of a program: numbers that are counted, the baseline that vectors are compared with (SPS in
//! CTOS, section 4.3).
//!
//! The paper takes the features of Chen et al., "Learning to prioritize test programs for compiler testing"
//! (ICSE 2017), which are of C: what of the language a program uses, which operations, and how it is built.
//! These are of the same three kinds, but of IR, where a program of any language has them.

use crate::graph::{loop_depths, loop_entries};
use crate::region::Regions;
use crate::shape::{ModuleShape, TypeClass};
use crate::vector::edges;

/// Classes of opcodes, by their numbers of `LLVMOpcode`.
const OPERATIONS: [(&str, &[u8]); 20] = [
    ("return", &[1]),
    ("branch", &[2]),
    ("switch", &[3, 4]),
    ("unreachable", &[7]),
    ("exceptions", &[5, 58, 59, 61, 62, 63, 64, 65]),
    ("add, subtract", &[8, 10]),
    ("multiply", &[12]),
    ("divide, remainder", &[14, 15, 17, 18]),
    ("floating point", &[9, 11, 13, 16, 19, 66]),
    ("shift", &[20, 21, 22]),
    ("bits", &[23, 24, 25]),
    ("allocate", &[26]),
    ("load", &[27]),
    ("store", &[28]),
    ("address", &[29]),
    ("convert", &[30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 60]),
    ("compare", &[42, 43]),
    ("phi, select", &[44, 46]),
    ("call", &[45, 67]),
    ("vectors, aggregates", &[50, 51, 52, 53, 54]),
];

/// What each number of [`features`] is.
pub fn names() -> Vec<String> {
    let mut names: Vec<String> =
        ["functions", "declared functions", "global variables", "parameters"]
            .map(String::from)
            .into();
    names.extend(TypeClass::ALL.map(|sort| format!("results of {sort:?}")));
    names.extend(OPERATIONS.map(|(name, _)| name.to_string()));
    let structure = [
        "other operations",
        "instructions",
        "blocks",
        "edges",
        "conditional branches",
        "loops",
        "deepest loop",
        "regions",
        "deepest region",
        "called functions",
        "largest function",
        "largest block",
    ];
    names.extend(structure.map(String::from));
    names
}

/// The features of a program, as counted.
pub fn features(shape: &ModuleShape) -> Vec<f32> {
    let functions = &shape.functions;
    let parameters = functions.iter().map(|function| function.parameters as usize).sum();
    let language = [functions.len(), shape.declared as usize, shape.globals as usize, parameters];
    let mut all: Vec<usize> = language.to_vec();
    all.extend(shape.results.map(|count| count as usize));

    let mut words = [0usize; 256];
    let blocks = || functions.iter().flat_map(|function| &function.blocks);
    for &word in blocks().flat_map(|block| &block.words) {
        words[usize::from(word)] += 1;
    }
    let of_class =
        |&(_, class): &(_, &[u8])| class.iter().map(|&word| words[usize::from(word)]).sum();
    let operations: Vec<usize> = OPERATIONS.iter().map(of_class).collect();
    let instructions: usize = words.iter().sum();
    let other = instructions - operations.iter().sum::<usize>();
    all.extend(operations);
    all.extend([other, instructions]);
    all.extend(structure(shape));
    all.into_iter().map(|count| count as f32).collect()
}

/// The last of [`names`], from the blocks on.
fn structure(shape: &ModuleShape) -> [usize; 10] {
    let [mut blocks, mut edges_, mut branches, mut loops, mut regions, mut calls] = [0; 6];
    let [mut loop_depth, mut region_depth, mut function_size, mut block_size] = [0; 4];
    for function in &shape.functions {
        let graph = function.graph();
        let tree = Regions::new(&graph);
        let sizes = || function.blocks.iter().map(|block| block.words.len());
        blocks += graph.len();
        edges_ += edges(&graph).len();
        branches += graph.iter().filter(|nexts| nexts.len() > 1).count();
        loops += loop_entries(&graph).into_iter().filter(|&entry| entry).count();
        // The function itself is no news.
        regions += tree.all.len() - 1;
        calls += function.callees.len();
        loop_depth = loop_depth.max(loop_depths(&graph).into_iter().max().unwrap_or(0));
        region_depth = region_depth.max(tree.depths().into_iter().max().unwrap_or(0));
        function_size = function_size.max(sizes().sum());
        block_size = block_size.max(sizes().max().unwrap_or(0));
    }
    [
        blocks,
        edges_,
        branches,
        loops,
        loop_depth,
        regions,
        region_depth,
        calls,
        function_size,
        block_size,
    ]
}

/// Features of some programs, each made comparable to the others: its mean over the programs is 0 and its
/// deviation 1. One that does not vary is 0.
pub fn normalised(programs: &[Vec<f32>]) -> Vec<Vec<f32>> {
    let count = programs.len() as f64;
    let mut all = programs.to_vec();
    for at in 0..programs.first().map_or(0, Vec::len) {
        let column = || programs.iter().map(|program| f64::from(program[at]));
        let mean = column().sum::<f64>() / count;
        let variance = column().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        for program in &mut all {
            let off = f64::from(program[at]) - mean;
            program[at] = if variance > 0.0 { (off / variance.sqrt()) as f32 } else { 0.0 };
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{BlockShape, FunctionShape};

    fn feature(values: &[f32], name: &str) -> f32 {
        let at = names().iter().position(|other| other == name);
        values[at.unwrap_or_else(|| panic!("there is {name}"))]
    }

    /// A loop around a branch, and a function that it calls.
    fn shape() -> ModuleShape {
        let block = |words: &[u8], successors: &[usize]| BlockShape {
            words: words.to_vec(),
            successors: successors.to_vec(),
        };
        let (load, icmp, br, add, call, ret, freeze) = (27, 42, 2, 8, 45, 1, 68);
        let blocks = vec![
            block(&[26, br], &[1]),
            block(&[load, icmp, br], &[2, 5]),
            block(&[icmp, br], &[3, 4]),
            block(&[add, call, br], &[4]),
            block(&[br], &[1]),
            block(&[ret], &[]),
        ];
        let main =
            FunctionShape { blocks, callees: vec![1], parameters: 2, ..FunctionShape::default() };
        let other =
            FunctionShape { blocks: vec![block(&[freeze, ret], &[])], ..FunctionShape::default() };
        let mut shape =
            ModuleShape { functions: vec![main, other], globals: 3, ..ModuleShape::default() };
        shape.results[TypeClass::I32 as usize] = 2;
        shape
    }

    #[test]
    fn what_is_counted() {
        let values = features(&shape());
        assert_eq!(values.len(), names().len());
        for (name, expected) in [
            ("functions", 2),
            ("parameters", 2),
            ("global variables", 3),
            ("results of I32", 2),
            ("return", 2),
            ("branch", 5),
            ("compare", 2),
            ("call", 1),
            ("other operations", 1),
            ("instructions", 14),
            ("blocks", 7),
            ("edges", 7),
            ("conditional branches", 2),
            ("loops", 1),
            ("deepest loop", 1),
            ("regions", 2),
            ("deepest region", 2),
            ("called functions", 1),
            ("largest function", 12),
            ("largest block", 3),
        ] {
            assert_eq!(feature(&values, name), expected as f32, "{name}");
        }
    }

    #[test]
    fn no_operation_is_in_two_classes() {
        let mut all: Vec<u8> = OPERATIONS.iter().flat_map(|(_, class)| *class).copied().collect();
        all.sort_unstable();
        let count = all.len();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn normalised_to_mean_and_deviation() {
        let normal = normalised(&[vec![1.0, 7.0], vec![3.0, 7.0], vec![5.0, 7.0]]);
        let third = 1.5f32.sqrt();
        let near = |a: f32, b: f32| (a - b).abs() < 1e-6;
        assert!(near(normal[0][0], -third) && near(normal[1][0], 0.0) && near(normal[2][0], third));
        assert!(normal.iter().all(|program| program[1] == 0.0));
        assert!(normalised(&[]).is_empty());
    }
}
