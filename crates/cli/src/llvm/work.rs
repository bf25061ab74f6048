//! What a server of ours does in its children: the items of all engines.

use crossover::work::Children as Crossovers;
use llvmhost::{Desk, Llvm, Machine, Work};
use passes::work::Children as Passes;

/// Hands each item to those who know it, by its first byte.
#[derive(Debug)]
pub struct Trades(Crossovers);

impl Trades {
    /// `told` is for crossovers: the path of their corpus.
    pub fn new(told: &[u8]) -> Result<Trades, String> {
        Crossovers::new(told).map(Trades)
    }
}

impl Work for Trades {
    fn perform(&self, llvm: &Llvm, machine: &Machine<'_>, item: &[u8], desk: &Desk<'_>) -> Vec<u8> {
        match item.first() {
            Some(&passes::work::TRADE) => Passes.perform(llvm, machine, item, desk),
            _ => self.0.perform(llvm, machine, item, desk),
        }
    }
}
