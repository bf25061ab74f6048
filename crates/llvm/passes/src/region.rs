//! Regions of a function: parts with one way in and one way out, one in the other.
//!
//! The program structure tree of Johnson, Pearson and Pingali as LLVM's `RegionInfo` refines it: a region is
//! an entry and an exit, where the entry dominates what is inside, and edges lead out of it to the exit only.
//! The exit itself is outside. Only canonical regions are kept, those that are no sequence of smaller ones;
//! and not the trivial ones, of a block with one successor. The whole function is the outermost region. The
//! result is that of `opt -passes='print<regions>'`.

use std::collections::{BTreeMap, BTreeSet};

use llvmhost::Dominators;

use crate::graph::{PostDominators, frontiers, predecessors};

/// A region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The block through which it is entered; it is inside.
    pub entry: usize,
    /// The block that follows; `None` for the function, which returns.
    pub exit: Option<usize>,
    /// The region around it; `None` for the function.
    pub parent: Option<usize>,
}

/// The regions of a function.
#[derive(Clone, Debug)]
pub struct Regions {
    /// All, the function first.
    pub all: Vec<Region>,
    /// The innermost region of each block.
    pub of: Vec<usize>,
}

impl Regions {
    /// Of a graph.
    pub fn new(successors: &[Vec<usize>]) -> Regions {
        let tree = Dominators::new(successors);
        let scan = Scan {
            successors,
            predecessors: predecessors(successors),
            frontiers: frontiers(successors, &tree),
            post: PostDominators::new(successors),
            tree,
        };
        let mut regions = scan.regions();
        scan.nest(&mut regions);
        regions
    }

    /// How many regions there are around one; 0 for the function.
    pub fn depth(&self, region: usize) -> usize {
        std::iter::successors(self.all[region].parent, |&outer| self.all[outer].parent).count()
    }

    /// Of each block, how deep its innermost region is.
    pub fn depths(&self) -> Vec<usize> {
        let depths: Vec<usize> = (0..self.all.len()).map(|region| self.depth(region)).collect();
        self.of.iter().map(|&region| depths[region]).collect()
    }
}

/// What is known of a function while its regions are sought.
struct Scan<'g> {
    successors: &'g [Vec<usize>],
    predecessors: Vec<Vec<usize>>,
    tree: Dominators,
    post: PostDominators,
    frontiers: Vec<BTreeSet<usize>>,
}

/// No region was found for a block yet.
const NONE: usize = usize::MAX;

impl Scan<'_> {
    /// Finds all regions, small ones first; those of one entry lie in each other.
    fn regions(&self) -> Regions {
        let function = Region { entry: 0, exit: None, parent: None };
        let mut regions = Regions { all: vec![function], of: vec![NONE; self.successors.len()] };
        // From an entry to the last exit found for it. What lies between needs no second look: a larger region
        // that ended there would overlap.
        let mut skip = BTreeMap::new();
        for entry in self.tree.bottom_up() {
            let (mut last, mut inner): (_, Option<usize>) = (None, None);
            let mut at = entry;
            while let Some(exit) = self.post.immediate(skip.get(&at).copied().unwrap_or(at)) {
                if self.is_region(entry, exit) {
                    last = Some(exit);
                    if self.successors[entry] != [exit] {
                        let new = regions.all.len();
                        regions.all.push(Region { entry, exit: Some(exit), parent: None });
                        match inner {
                            Some(inner) => regions.all[inner].parent = Some(new),
                            // Blocks know their innermost region, which is the first.
                            None => regions.of[entry] = new,
                        }
                        inner = Some(new);
                    }
                }
                if !self.tree.dominates(entry, exit) {
                    break;
                }
                at = exit;
            }
            if let Some(exit) = last {
                skip.insert(entry, skip.get(&exit).copied().unwrap_or(exit));
            }
        }
        regions
    }

    fn is_region(&self, entry: usize, exit: usize) -> bool {
        let (around, beyond) = (&self.frontiers[entry], &self.frontiers[exit]);
        let mut leaves = around.iter().filter(|&&to| to != exit && to != entry);
        if !self.tree.dominates(entry, exit) {
            // The exit is the header of a loop around the entry: nothing else may follow.
            return leaves.next().is_none();
        }
        // No edge leads out but through the exit, and none but through the entry leads in.
        let into = |to: usize| to != exit && to != entry && self.tree.dominates(entry, to);
        leaves.all(|&to| beyond.contains(&to) && self.only_by_exit(to, entry, exit))
            && !beyond.iter().any(|&to| into(to))
    }

    /// Whether edges from what the entry dominates to a block all come from what the exit dominates.
    fn only_by_exit(&self, to: usize, entry: usize, exit: usize) -> bool {
        let inside = |from| self.tree.dominates(entry, from) && !self.tree.dominates(exit, from);
        !self.predecessors[to].iter().any(|&from| inside(from))
    }

    /// Puts the regions of different entries into each other, and blocks into regions.
    fn nest(&self, regions: &mut Regions) {
        for block in self.tree.bottom_up().into_iter().rev() {
            // What is around a block is what is around the one that dominates it, but for what ended.
            let mut around = self.tree.immediate(block).map_or(0, |above| regions.of[above]);
            while regions.all[around].exit == Some(block) {
                around = regions.all[around].parent.unwrap_or(0);
            }
            match regions.of[block] {
                NONE => regions.of[block] = around,
                own => {
                    let mut outermost = own;
                    while let Some(parent) = regions.all[outermost].parent {
                        outermost = parent;
                    }
                    regions.all[outermost].parent = Some(around);
                }
            }
        }
        // Blocks that cannot be reached are in the function.
        regions.of.iter_mut().filter(|of| **of == NONE).for_each(|of| *of = 0);
    }
}
