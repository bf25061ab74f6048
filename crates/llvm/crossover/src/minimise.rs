//! A corpus without the seeds that reach nothing of their own.
//!
//! Seeds are run in the order of their size, the smallest first, with all blocks watched anew; one that
//! reaches a block which none before it reached is kept.

use std::io;

use coverage::{Image, Set};
use llvmhost::{Limits, Server};

use crate::corpus::Corpus;
use optimise::verdict::Verdict;
use optimise::work::{Item, Pipeline};

/// Seeds at a time.
const BATCH: usize = 32;

/// Copies what counts into an empty corpus. The server watches blocks and knows none. `tell` hears how many
/// seeds are done and kept; `false` stops it.
pub fn minimise(
    from: &Corpus,
    to: &mut Corpus,
    server: &mut Server,
    image: &Image,
    pipeline: &Pipeline,
    limits: Limits,
    tell: &mut dyn FnMut(usize, usize) -> bool,
) -> io::Result<Set> {
    let records = from.records()?;
    let mut order: Vec<u32> = (0..records.len() as u32).collect();
    order.sort_by_key(|seed| (from.instructions(*seed), *seed));
    let mut known = Set::new();
    for (chunk, part) in order.chunks(BATCH).enumerate() {
        let mut items = Vec::new();
        for seed in part {
            let item = Item::Optimise {
                module: from.bitcode(*seed)?,
                name: from.name(*seed).to_string(),
                pipeline: pipeline.clone(),
                x86: true,
                print: false,
            };
            items.push(item.bytes());
        }
        for (ran, seed) in server.run(items, limits, false)?.into_iter().zip(part) {
            let fresh = ran.blocks.iter().filter(|block| known.insert(**block)).count();
            if fresh > 0 && matches!(Verdict::of(&ran), Verdict::Fine(_)) {
                let record = &records[*seed as usize];
                let bitcode = from.bitcode(*seed)?;
                to.add(&bitcode, record.name.clone(), None, record.facts.clone())?;
            }
        }
        if !tell(((chunk + 1) * BATCH).min(order.len()), to.len()) {
            break;
        }
    }
    known.save(&to.blocks_file(), image).map_err(io::Error::other)?;
    Ok(known)
}
