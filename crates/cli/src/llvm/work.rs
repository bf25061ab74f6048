//! What a server of ours does in its children: the items of all engines.

use crossover::work::CrossoverHandler as Crossovers;
use llvmhost::{Llvm, Machine, Recorder, Work};
use passes::work::PassesHandler as Passes;

/// Hands each item to those who know it, by its first byte.
#[derive(Debug)]
pub struct ItemDispatcher(Crossovers);

impl ItemDispatcher {
    /// `told` is for crossovers: the path of their corpus.
    pub fn new(told: &[u8]) -> Result<ItemDispatcher, String> {
        Crossovers::new(told).map(ItemDispatcher)
    }
}

impl Work for ItemDispatcher {
    fn perform(
        &self,
        llvm: &Llvm,
        machine: &Machine<'_>,
        item: &[u8],
        recorder: &Recorder<'_>,
    ) -> Vec<u8> {
        match item.first() {
            Some(&passes::work::ENGINE_TAG) => Passes.perform(llvm, machine, item, recorder),
            _ => self.0.perform(llvm, machine, item, recorder),
        }
    }
}
