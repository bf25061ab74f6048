//! A program as a vector (CTOS, section 3.3).
//!
//! The text of an edge is the words of the block where it starts, then of the one where it ends; each text
//! becomes a vector elsewhere. [`program_vector`] aggregates the vectors of edges along the flow of control,
//! deep regions first, to one for each function (algorithm 1), and those from callees to callers to one for
//! the program (algorithm 2). A function of one block has a single text, that of the block.
//!
//! Where the paper is silent: a function with several blocks that end it, or several edges to one, is the
//! mean of all edges to such blocks; one that never ends is the mean of all its edges. Of recursive calls
//! those are left out that lead back in a depth-first walk from functions without callers, then from the
//! others in order. Leaving out all edges inside a cycle would cut functions off that the paper keeps together
//! (`func1` and `func4` of its figure 5).

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::graph::{back_edges, loop_entries};
use crate::region::Regions;
use crate::shape::{FunctionShape, ModuleShape};

/// When a block passes on what came in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PassOnRule {
    /// When it is taken from the work list, once, so that what is deeper was done before: what the paper says
    /// about its algorithm. A loop reaches what follows it.
    #[default]
    WhenTaken,
    /// As algorithm 1 is printed: when a block before it is taken. What follows a loop then has passed on what
    /// came in before the loop's body was aggregated, and a block where ways meet may pass on the same twice.
    AsPrinted,
}

/// Whether edges with the same text have one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Each edge its own, as in the paper. A method that learns a vector for each document then gives equal
    /// texts vectors that differ by chance.
    Each,
    /// Equal texts one, whichever programs they are in. Equal texts have equal vectors, and a text counts once
    /// for learning, however frequent it is.
    Same,
}

/// The texts of some programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EdgeTexts {
    /// The documents to be turned into vectors; in order of their first use.
    pub documents: Vec<Vec<u32>>,
    /// For each program, and each of its edges in order, the number of the document.
    pub of: Vec<Vec<u32>>,
}

/// The texts of all edges of some programs.
pub fn texts(shapes: &[ModuleShape], sharing: Sharing) -> EdgeTexts {
    let mut texts = EdgeTexts { documents: Vec::new(), of: Vec::new() };
    let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
    for shape in shapes {
        let mut of = Vec::new();
        for text in shape.functions.iter().flat_map(texts_of) {
            let new = u32::try_from(texts.documents.len()).unwrap_or(u32::MAX);
            let number = match sharing {
                Sharing::Each => new,
                Sharing::Same => *known.entry(text.clone()).or_insert(new),
            };
            if number == new {
                texts.documents.push(text);
            }
            of.push(number);
        }
        texts.of.push(of);
    }
    texts
}

/// The texts of a function's edges.
fn texts_of(function: &FunctionShape) -> Vec<Vec<u32>> {
    let words = |block: usize| function.blocks[block].words.iter().copied().map(u32::from);
    let edges = edges(&function.graph());
    match (edges.is_empty(), function.blocks.is_empty()) {
        (true, true) => Vec::new(),
        (true, false) => vec![words(0).collect()],
        _ => edges.into_iter().map(|(from, to)| words(from).chain(words(to)).collect()).collect(),
    }
}

/// The distinct edges of a graph, in order.
pub(crate) fn edges(graph: &[Vec<usize>]) -> Vec<(usize, usize)> {
    let all = graph.iter().enumerate();
    let all: BTreeSet<_> =
        all.flat_map(|(from, to)| to.iter().map(move |&to| (from, to))).collect();
    all.into_iter().collect()
}

/// The vectors of documents.
#[derive(Clone, Copy, Debug)]
pub struct DocumentVectors<'v> {
    /// One after the other.
    pub values: &'v [f32],
    /// How many values each has.
    pub width: usize,
}

impl<'v> DocumentVectors<'v> {
    /// That of a document; empty, which counts as zeros, where there is none.
    fn get(self, document: u32) -> &'v [f32] {
        let start = document as usize * self.width;
        self.values.get(start..start + self.width).unwrap_or_default()
    }
}

/// The vector of a program, given the document of each of its edges as in [`EdgeTexts::of`].
pub fn program_vector(
    shape: &ModuleShape,
    of: &[u32],
    rows: DocumentVectors<'_>,
    rule: PassOnRule,
) -> Vec<f32> {
    let mut of = of.iter();
    let functions = shape.functions.iter().map(|function| {
        let flow = Flow::new(&function.graph());
        // As many as `texts_of` gave.
        let count = flow.edges.len().max(usize::from(!function.blocks.is_empty()));
        let documents = of.by_ref().take(count);
        let mut vectors: Vec<Vec<f32>> = documents
            .map(|&document| {
                let mut vector = rows.get(document).to_vec();
                vector.resize(rows.width, 0.0);
                vector
            })
            .collect();
        vectors.resize(flow.edges.len().max(1), vec![0.0; rows.width]);
        flow.vector(vectors, rule)
    });
    let functions = functions.collect();
    let callees: Vec<Vec<usize>> = shape.functions.iter().map(|f| f.callees.clone()).collect();
    aggregate(&callees, functions, rows.width)
}

/// A function's graph with what algorithm 1 asks of it.
struct Flow {
    edges: Vec<(usize, usize)>,
    /// Edges to and from each block, by number.
    into: Vec<Vec<usize>>,
    out: Vec<Vec<usize>>,
    loop_entry: Vec<bool>,
    depths: Vec<usize>,
}

impl Flow {
    fn new(graph: &[Vec<usize>]) -> Flow {
        let edges = edges(graph);
        let (mut into, mut out) = (vec![Vec::new(); graph.len()], vec![Vec::new(); graph.len()]);
        for (edge, &(from, to)) in edges.iter().enumerate() {
            out[from].push(edge);
            into[to].push(edge);
        }
        let depths = Regions::new(graph).depths();
        Flow { edges, into, out, loop_entry: loop_entries(graph), depths }
    }

    /// Algorithm 1. There is one vector for each edge, or a single one.
    fn vector(&self, mut vectors: Vec<Vec<f32>>, rule: PassOnRule) -> Vec<f32> {
        let visited = match rule {
            PassOnRule::WhenTaken => self.when_taken(&mut vectors),
            PassOnRule::AsPrinted => self.as_printed(&mut vectors),
        };
        let is_end = |&edge: &usize| visited[edge] && self.out[self.edges[edge].1].is_empty();
        let mut last: Vec<usize> = (0..self.edges.len()).filter(is_end).collect();
        if last.is_empty() {
            last = (0..self.edges.len()).filter(|&edge| visited[edge]).collect();
        }
        match last.split_first() {
            Some((&first, rest)) => {
                let rest = Sum::of(rest.iter().map(|&edge| &vectors[edge]));
                let mut mean = std::mem::take(&mut vectors[first]);
                rest.blend_into(&mut mean);
                mean
            }
            None => vectors.swap_remove(0),
        }
    }

    /// Each block is taken once, so this ends. All are: a block that is no loop entry has no edge that leads
    /// back, so it is ready when the last of those before it is taken.
    fn when_taken(&self, vectors: &mut [Vec<f32>]) -> Vec<bool> {
        let mut visited = vec![false; self.edges.len()];
        let mut list = WorkList::new(&self.depths);
        while let Some(block) = list.take() {
            // The entry has nothing to pass on, and loop entries did when their predecessors were taken.
            if block != 0 && !self.loop_entry[block] {
                self.pass_on(block, &self.into[block], vectors);
            }
            for &edge in &self.out[block] {
                visited[edge] = true;
            }
            for &edge in &self.out[block] {
                let next = self.edges[edge].1;
                if self.loop_entry[next] {
                    self.pass_on(next, &[edge], vectors);
                    list.add(next);
                } else if self.into[next].iter().all(|&edge| visited[edge]) {
                    list.add(next);
                }
            }
        }
        visited
    }

    fn as_printed(&self, vectors: &mut [Vec<f32>]) -> Vec<bool> {
        let mut visited = vec![false; self.edges.len()];
        let mut list = WorkList::new(&self.depths);
        self.out.iter().take(1).flatten().for_each(|&edge| visited[edge] = true);
        while let Some(block) = list.take() {
            for &edge in &self.out[block] {
                let next = self.edges[edge].1;
                if self.loop_entry[next] {
                    self.pass_on(next, &[edge], vectors);
                } else if self.into[next].iter().all(|&edge| visited[edge]) {
                    self.pass_on(next, &self.into[next], vectors);
                } else {
                    continue;
                }
                self.out[next].iter().for_each(|&edge| visited[edge] = true);
                list.add(next);
            }
        }
        visited
    }

    /// Each edge from a block becomes the mean of itself and of some edges to the block.
    fn pass_on(&self, block: usize, from: &[usize], vectors: &mut [Vec<f32>]) {
        let sum = Sum::of(from.iter().map(|&edge| &vectors[edge]));
        for &edge in &self.out[block] {
            sum.blend_into(&mut vectors[edge]);
        }
    }
}

/// The sum of some vectors, and how many they are.
#[derive(Default)]
struct Sum {
    values: Vec<f32>,
    count: f32,
}

impl Sum {
    fn of<'v>(vectors: impl Iterator<Item = &'v Vec<f32>>) -> Sum {
        let mut sum = Sum::default();
        for vector in vectors {
            sum.values.resize(vector.len(), 0.0);
            sum.values.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
            sum.count += 1.0;
        }
        sum
    }

    /// Makes a vector the mean of itself and of those summed.
    fn blend_into(&self, vector: &mut [f32]) {
        vector.iter_mut().zip(&self.values).for_each(|(value, sum)| *value += sum);
        vector.iter_mut().for_each(|value| *value /= self.count + 1.0);
    }
}

/// Blocks to be taken, deep ones first, then in order; each is added once.
struct WorkList<'f> {
    depths: &'f [usize],
    waiting: BTreeSet<(Reverse<usize>, usize)>,
    added: Vec<bool>,
}

impl<'f> WorkList<'f> {
    /// With the entry.
    fn new(depths: &'f [usize]) -> WorkList<'f> {
        let added = vec![false; depths.len()];
        let mut list = WorkList { depths, waiting: BTreeSet::new(), added };
        if !depths.is_empty() {
            list.add(0);
        }
        list
    }

    fn add(&mut self, block: usize) {
        if !std::mem::replace(&mut self.added[block], true) {
            self.waiting.insert((Reverse(self.depths[block]), block));
        }
    }

    fn take(&mut self) -> Option<usize> {
        self.waiting.pop_first().map(|(_, block)| block)
    }
}

/// Algorithm 2: vectors of functions, each averaged with those of its callees, up to a node above all functions
/// without callers, whose own vector is zero.
fn aggregate(callees: &[Vec<usize>], mut vectors: Vec<Vec<f32>>, width: usize) -> Vec<f32> {
    let callees = without_recursion(callees);
    let mut called = vec![false; callees.len()];
    callees.iter().flatten().for_each(|&callee| called[callee] = true);
    for function in callees_first(&callees) {
        let below = Sum::of(callees[function].iter().map(|&callee| &vectors[callee]));
        below.blend_into(&mut vectors[function]);
    }
    let starts = vectors.iter().zip(called).filter(|(_, called)| !called);
    let mut start = vec![0.0; width];
    Sum::of(starts.map(|(vector, _)| vector)).blend_into(&mut start);
    start
}

/// The calls without those that close a cycle.
fn without_recursion(callees: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut called = vec![false; callees.len()];
    for (caller, callees) in callees.iter().enumerate() {
        callees
            .iter()
            .filter(|&&callee| callee != caller)
            .for_each(|&callee| called[callee] = true);
    }
    let mut roots: Vec<usize> = (0..callees.len()).collect();
    roots.sort_by_key(|&function| called[function]);
    let back = back_edges(callees, roots.into_iter());
    let all = callees.iter().enumerate();
    let keep = |from: usize, to: &[usize]| {
        to.iter().copied().filter(|&to| !back.contains(&(from, to))).collect()
    };
    all.map(|(from, to)| keep(from, to)).collect()
}

/// Functions of a graph without cycles, each after all that it calls.
fn callees_first(callees: &[Vec<usize>]) -> Vec<usize> {
    let mut missing: Vec<usize> = callees.iter().map(Vec::len).collect();
    let mut callers = vec![Vec::new(); callees.len()];
    for (caller, callees) in callees.iter().enumerate() {
        callees.iter().for_each(|&callee| callers[callee].push(caller));
    }
    let mut order: Vec<usize> = (0..callees.len()).filter(|&at| missing[at] == 0).collect();
    let mut at = 0;
    while let Some(&function) = order.get(at) {
        at += 1;
        for &caller in &callers[function] {
            missing[caller] -= 1;
            if missing[caller] == 0 {
                order.push(caller);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests;
