//! Facts about control-flow graphs, as successors of each block by number: block 0 is the entry.
//!
//! Every block is assumed to be reachable, as in a [`ModuleShape`](crate::shape::ModuleShape); what is not reachable
//! takes part in nothing. Dominators themselves are `llvmhost::Dominators`.

use std::collections::BTreeSet;

use llvmhost::Dominators;

/// Blocks that come before each block, each once, in order.
pub fn predecessors(successors: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new(); successors.len()];
    for (from, nexts) in successors.iter().enumerate() {
        for &to in nexts {
            if all[to].last() != Some(&from) {
                all[to].push(from);
            }
        }
    }
    all
}

/// Edges that lead back on the way that a depth-first walk from the first node came, as (from, to). The walk
/// starts again at each node of `roots` in turn that it has not met. Without these edges the graph has no
/// cycle among the nodes met.
pub fn back_edges(
    successors: &[Vec<usize>],
    roots: impl Iterator<Item = usize>,
) -> BTreeSet<(usize, usize)> {
    #[derive(Clone, Copy, PartialEq)]
    enum Met {
        Never,
        OnTheWay,
        Done,
    }
    let mut met = vec![Met::Never; successors.len()];
    let mut back = BTreeSet::new();
    for root in roots {
        if met[root] != Met::Never {
            continue;
        }
        met[root] = Met::OnTheWay;
        let mut way = vec![(root, 0)];
        while let Some((node, next)) = way.last_mut() {
            let Some(&to) = successors[*node].get(*next) else {
                met[*node] = Met::Done;
                way.pop();
                continue;
            };
            *next += 1;
            match met[to] {
                Met::Never => {
                    met[to] = Met::OnTheWay;
                    way.push((to, 0));
                }
                Met::OnTheWay => {
                    back.insert((*node, to));
                }
                Met::Done => {}
            }
        }
    }
    back
}

/// Which blocks are entries of loops: an edge leads back to them. In a reducible graph these are the headers
/// of natural loops; in another one they depend on the order of successors, and still every cycle has one.
pub fn loop_entries(successors: &[Vec<usize>]) -> Vec<bool> {
    let mut entries = vec![false; successors.len()];
    for (_, to) in back_edges(successors, (0..successors.len()).take(1)) {
        entries[to] = true;
    }
    entries
}

/// How many natural loops each block is in; loops of one header are one loop.
pub fn loop_depths(successors: &[Vec<usize>]) -> Vec<usize> {
    let tree = Dominators::new(successors);
    let predecessors = predecessors(successors);
    let mut depths = vec![0; successors.len()];
    for header in 0..successors.len() {
        let latches = predecessors[header].iter().filter(|&&from| tree.dominates(header, from));
        let mut body = BTreeSet::new();
        let mut stack: Vec<usize> = latches.copied().collect();
        if !stack.is_empty() {
            body.insert(header);
        }
        while let Some(block) = stack.pop() {
            if body.insert(block) {
                stack.extend(&predecessors[block]);
            }
        }
        for block in body {
            depths[block] += 1;
        }
    }
    depths
}

/// The dominance frontier of each block: where its dominance ends.
pub fn frontiers(successors: &[Vec<usize>], tree: &Dominators) -> Vec<BTreeSet<usize>> {
    let mut frontiers = vec![BTreeSet::new(); successors.len()];
    for (from, nexts) in successors.iter().enumerate().filter(|(from, _)| tree.is_reachable(*from))
    {
        for &to in nexts {
            let stop = tree.immediate(to);
            let mut at = Some(from);
            while let Some(block) = at.filter(|_| at != stop) {
                frontiers[block].insert(to);
                at = tree.immediate(block);
            }
        }
    }
    frontiers
}

/// The tree of post-dominators. The root is a virtual exit, to which all ends lead.
#[derive(Clone, Debug)]
pub struct PostDominators(Dominators);

impl PostDominators {
    /// Of a graph.
    pub fn new(successors: &[Vec<usize>]) -> PostDominators {
        let predecessors = predecessors(successors);
        let mut reversed = vec![ends(successors, &predecessors)];
        reversed.extend(predecessors);
        // The virtual exit is number 0, so blocks count from 1.
        for node in reversed.iter_mut().flatten() {
            *node += 1;
        }
        PostDominators(Dominators::new(&reversed))
    }

    /// The first block that every path from a block to the end goes through; `None` for the virtual exit.
    pub fn immediate(&self, block: usize) -> Option<usize> {
        self.0.immediate(block + 1).and_then(|above| above.checked_sub(1))
    }
}

/// Blocks that the virtual exit follows. These are the blocks without successors; of each infinite loop, LLVM
/// takes the block that a walk, latest blocks first, reaches last, and so do we, because regions depend on it.
fn ends(successors: &[Vec<usize>], predecessors: &[Vec<usize>]) -> Vec<usize> {
    let blocks = 0..successors.len();
    let mut ends: Vec<usize> = blocks.clone().filter(|&b| successors[b].is_empty()).collect();
    let trivial = ends.clone();
    let mut leads_out = vec![false; successors.len()];
    for &end in &trivial {
        walk(end, predecessors, &mut leads_out);
    }
    for block in blocks {
        if !leads_out[block] {
            let last = walk(block, successors, &mut leads_out.clone());
            walk(last, predecessors, &mut leads_out);
            ends.push(last);
        }
    }
    // A later loop may have been found to lead into an earlier one.
    let mut at = trivial.len();
    while let Some(&end) = ends.get(at) {
        let mut seen = vec![false; successors.len()];
        walk(end, successors, &mut seen);
        match ends.iter().any(|&other| other != end && seen[other]) {
            true => drop(ends.swap_remove(at)),
            false => at += 1,
        }
    }
    ends
}

/// Marks what can be reached and was not marked, of the neighbours of a block the latest first, and says which
/// block came last.
fn walk(start: usize, neighbours: &[Vec<usize>], seen: &mut [bool]) -> usize {
    let mut last = start;
    let mut stack = vec![start];
    while let Some(block) = stack.pop() {
        if seen[block] {
            continue;
        }
        seen[block] = true;
        last = block;
        let mut nexts: Vec<usize> =
            neighbours[block].iter().copied().filter(|&to| !seen[to]).collect();
        nexts.sort_unstable();
        stack.extend(nexts);
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[&[usize]]) -> Vec<Vec<usize>> {
        edges.iter().map(|nexts| nexts.to_vec()).collect()
    }

    fn entries(successors: &[Vec<usize>]) -> Vec<usize> {
        let is = loop_entries(successors);
        (0..is.len()).filter(|&block| is[block]).collect()
    }

    #[test]
    fn frontiers_of_a_diamond_in_a_loop() {
        let graph = graph(&[&[1], &[2, 3], &[4], &[4], &[1, 5], &[]]);
        let tree = Dominators::new(&graph);
        let frontiers = frontiers(&graph, &tree);
        let list = |block: usize| frontiers[block].iter().copied().collect::<Vec<_>>();
        assert!(list(0).is_empty());
        assert_eq!(list(1), [1]);
        assert_eq!(list(2), [4]);
        assert_eq!(list(3), [4]);
        assert_eq!(list(4), [1]);
        assert_eq!(loop_depths(&graph), [0, 1, 1, 1, 1, 0]);
        assert_eq!(entries(&graph), [1]);
    }

    #[test]
    fn loops_in_loops_and_with_two_ways_in() {
        let nested = graph(&[&[1], &[2, 5], &[3, 4], &[2], &[1], &[]]);
        assert_eq!(entries(&nested), [1, 2]);
        assert_eq!(loop_depths(&nested), [0, 1, 2, 2, 1, 0]);
        // Two ways into the cycle of 1 and 2: no natural loop, but one of them is an entry.
        let irreducible = graph(&[&[1, 2], &[2, 3], &[1], &[]]);
        assert_eq!(entries(&irreducible), [1]);
        assert_eq!(loop_depths(&irreducible), [0, 0, 0, 0]);
        // A block that is its own loop.
        assert_eq!(entries(&graph(&[&[1], &[1, 2], &[]])), [1]);
    }

    #[test]
    fn post_dominators_with_one_end_with_several_and_with_none() {
        let post = PostDominators::new(&graph(&[&[1, 2], &[3], &[3], &[]]));
        assert_eq!(
            [0, 1, 2, 3].map(|block| post.immediate(block)),
            [Some(3), Some(3), Some(3), None]
        );
        let post = PostDominators::new(&graph(&[&[1, 2], &[], &[]]));
        assert_eq!([0, 1, 2].map(|block| post.immediate(block)), [None; 3]);
        // The walk from 0 ends with 2, so that the loop is taken to end there.
        let post = PostDominators::new(&graph(&[&[1], &[2], &[1]]));
        assert_eq!([0, 1, 2].map(|block| post.immediate(block)), [Some(1), Some(2), None]);
    }
}
