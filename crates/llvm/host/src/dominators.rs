//! Dominators: which blocks every path from the entry to a block goes through.
//!
//! The algorithm of Cooper, Harvey and Kennedy over plain numbers: block 0 is the entry. LLVM's own tree
//! is not in its C API. Post-dominators are the dominators of the reversed graph.

/// The tree of immediate dominators.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// By block; the entry's is itself, an unreachable block has none.
    immediate: Vec<Option<usize>>,
    /// When a walk over the tree enters a block and leaves it; (0, 0) for unreachable blocks.
    span: Vec<(usize, usize)>,
}

impl Dominators {
    /// Of a graph, given the successors of each block.
    pub fn new(successors: &[Vec<usize>]) -> Dominators {
        let order = postorder(successors);
        let mut number = vec![None; successors.len()];
        for (at, &block) in order.iter().enumerate() {
            number[block] = Some(at);
        }
        let mut predecessors = vec![Vec::new(); successors.len()];
        for &block in &order {
            for &next in &successors[block] {
                predecessors[next].push(block);
            }
        }
        let mut immediate = vec![None; successors.len()];
        let Some(&entry) = order.last() else {
            return Dominators { immediate, span: Vec::new() };
        };
        immediate[entry] = Some(entry);
        let mut changed = true;
        while changed {
            changed = false;
            for &block in order.iter().rev().skip(1) {
                let known = predecessors[block].iter().copied();
                let known = known.filter(|&from| immediate[from].is_some());
                let new = known.reduce(|a, b| meet(&immediate, &number, a, b));
                if new.is_some() && new != immediate[block] {
                    immediate[block] = new;
                    changed = true;
                }
            }
        }
        let span = spans(&immediate, entry);
        Dominators { immediate, span }
    }

    /// The nearest block above; `None` for the entry and for unreachable blocks.
    pub fn immediate(&self, block: usize) -> Option<usize> {
        self.immediate.get(block).copied().flatten().filter(|&above| above != block)
    }

    /// Whether every path to `below` goes through `above`; a block dominates itself. False if one of them is
    /// unreachable.
    pub fn dominates(&self, above: usize, below: usize) -> bool {
        let span = |block| self.span.get(block).copied().filter(|&(_, leave)| leave > 0);
        match (span(above), span(below)) {
            (Some(above), Some(below)) => above.0 <= below.0 && below.1 <= above.1,
            _ => false,
        }
    }

    /// Reachable blocks, each after those that it dominates; among siblings the order of their numbers.
    pub fn bottom_up(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.span.len()).filter(|&b| self.span[b].1 > 0).collect();
        order.sort_unstable_by_key(|&block| self.span[block].1);
        order
    }

    /// Whether any path leads to a block.
    pub fn is_reachable(&self, block: usize) -> bool {
        self.immediate.get(block).is_some_and(Option::is_some)
    }

    /// A reachable block and all that dominate it, up to the entry.
    pub fn chain(&self, block: usize) -> Vec<usize> {
        let mut chain = Vec::new();
        let mut at = block;
        while let Some(above) = self.immediate.get(at).copied().flatten() {
            chain.push(at);
            if above == at {
                break;
            }
            at = above;
        }
        chain
    }
}

/// When a walk over the tree enters and leaves each block.
fn spans(immediate: &[Option<usize>], entry: usize) -> Vec<(usize, usize)> {
    let mut children = vec![Vec::new(); immediate.len()];
    for (block, above) in immediate.iter().enumerate() {
        if let Some(above) = above.filter(|&above| above != block) {
            children[above].push(block);
        }
    }
    let mut span = vec![(0, 0); immediate.len()];
    let (mut clock, mut stack) = (0, vec![(entry, 0)]);
    while let Some((block, next)) = stack.last_mut() {
        if *next == 0 {
            span[*block].0 = clock;
            clock += 1;
        }
        match children[*block].get(*next) {
            Some(&child) => {
                *next += 1;
                stack.push((child, 0));
            }
            None => {
                span[*block].1 = clock;
                clock += 1;
                stack.pop();
            }
        }
    }
    span
}

/// Where the ways of two blocks up the tree meet; later numbers are nearer to the entry.
fn meet(immediate: &[Option<usize>], number: &[Option<usize>], a: usize, b: usize) -> usize {
    let (mut a, mut b) = (a, b);
    while a != b {
        let lower = if number[a] < number[b] { &mut a } else { &mut b };
        match immediate[*lower] {
            Some(above) => *lower = above,
            // Both ways end at the entry, so this is never reached.
            None => return a,
        }
    }
    a
}

/// Reachable blocks, each after those that were first reached through it. A loop, not recursion: functions
/// may have many thousand blocks.
fn postorder(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::new();
    let mut seen = vec![false; successors.len()];
    let mut stack = Vec::new();
    if let Some(first) = seen.first_mut() {
        *first = true;
        stack.push((0, 0));
    }
    while let Some((block, next)) = stack.last_mut() {
        match successors[*block].get(*next) {
            Some(&to) => {
                *next += 1;
                if !seen[to] {
                    seen[to] = true;
                    stack.push((to, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use choice::Choices;

    /// Reachable from the entry without a block.
    fn reach(successors: &[Vec<usize>], without: Option<usize>) -> Vec<bool> {
        let mut seen = vec![false; successors.len()];
        let mut stack = vec![0];
        while let Some(block) = stack.pop() {
            if Some(block) != without && !seen[block] {
                seen[block] = true;
                stack.extend(&successors[block]);
            }
        }
        seen
    }

    #[test]
    fn a_diamond_and_a_loop() {
        let tree = Dominators::new(&[vec![1, 2], vec![3], vec![3], vec![1, 4], vec![], vec![4]]);
        assert_eq!(tree.chain(3), [3, 0]);
        assert_eq!(tree.chain(4), [4, 3, 0]);
        assert_eq!(tree.chain(1), [1, 0]);
        assert!(!tree.is_reachable(5));
        assert!(tree.chain(5).is_empty());
        assert!(Dominators::new(&[]).chain(0).is_empty());
    }

    /// The definition: a dominates b if b cannot be reached without a.
    #[test]
    fn random_graphs_as_by_definition() {
        for seed in 0..400 {
            let mut choices = Choices::new(seed);
            let blocks = 1 + choices.index(12);
            let graph: Vec<Vec<usize>> = (0..blocks)
                .map(|_| (0..choices.index(4)).map(|_| choices.index(blocks)).collect())
                .collect();
            let tree = Dominators::new(&graph);
            let all = reach(&graph, None);
            for (b, &reachable) in all.iter().enumerate() {
                assert_eq!(tree.is_reachable(b), reachable, "{graph:?}");
                let mut chain = tree.chain(b);
                chain.sort_unstable();
                let expected: Vec<usize> =
                    (0..blocks).filter(|&a| reachable && !reach(&graph, Some(a))[b]).collect();
                assert_eq!(chain, expected, "{b} of {graph:?}");
                assert_eq!(tree.immediate(b), tree.chain(b).get(1).copied());
                let above: Vec<usize> = (0..blocks).filter(|&a| tree.dominates(a, b)).collect();
                assert_eq!(above, expected, "{b} of {graph:?}");
                let order = tree.bottom_up();
                let place = |block| order.iter().position(|&at| at == block);
                assert!(expected.iter().all(|&a| place(a) >= place(b)), "{graph:?}");
            }
        }
    }
}
