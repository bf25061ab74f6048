//! The random walk from variant to variant.

use std::collections::HashMap;

use choice::Choices;
use ctree::{Program, StmtId};

use super::copy::ArenaMark;
use super::distance::{Distance, is_accepted};
use super::survey::Requirements;
use super::transplant::TransplantSite;
use super::{Database, is_snippet};
use crate::Change;
use crate::chain::ProfiledProgram;
use crate::dead::{DeadSite, Flow, removed_hash};

/// The share of snippets from the seed itself, in percent: only those may use its records.
const OWN_PERCENT: u32 = 30;

/// A change that is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Proposal {
    /// Inserts code before a node.
    Insert(u32, StmtId),
    /// Removes a node.
    Remove(u32),
}

/// The state of the walk.
pub(super) struct Walk<'a> {
    view: &'a ProfiledProgram<'a>,
    database: &'a Database,
    flow: &'a Flow,
    dead: &'a [DeadSite],
    base: &'a mut Program,
    distance: Distance,
    accepted: Vec<Proposal>,
    /// The statements of the inserted code.
    codes: HashMap<StmtId, Flow>,
}

impl<'a> Walk<'a> {
    /// A walk that starts at the last variant.
    pub fn new(
        view: &'a ProfiledProgram<'a>,
        database: &'a Database,
        flow: &'a Flow,
        dead: &'a [DeadSite],
        base: &'a mut Program,
    ) -> Walk<'a> {
        let distance = Distance::new(&Flow::of(base), flow);
        let (accepted, codes) = (Vec::new(), HashMap::new());
        Walk { view, database, flow, dead, base, distance, accepted, codes }
    }

    /// The accepted proposals, as edits.
    pub fn changes(&self) -> impl Iterator<Item = Change> + '_ {
        self.accepted.iter().map(|proposal| match *proposal {
            Proposal::Insert(at, code) => Change::Insert { before: self.stmt(at), code },
            Proposal::Remove(at) => Change::Remove { stmt: self.stmt(at) },
        })
    }

    fn stmt(&self, at: u32) -> StmtId {
        self.flow.nodes[at as usize].stmt
    }

    /// One proposal, accepted or not. There are at most `room` changes.
    pub fn propose(&mut self, room: usize, choices: &mut Choices) {
        let mark = ArenaMark::of(self.base);
        let before = self.distance.value();
        let has_room = self.accepted.len() < room;
        let undone = match choices.below(10) {
            0..=5 if has_room => match self.propose_insertion(choices) {
                Some(proposal) => {
                    self.apply(proposal);
                    None
                }
                None => return mark.restore(self.base),
            },
            6..=7 if has_room => match self.propose_removal(choices) {
                Some(proposal) => {
                    self.apply(proposal);
                    None
                }
                None => return,
            },
            _ => {
                // Revert an accepted proposal.
                let at = choices.index(self.accepted.len());
                let Some(&proposal) = self.accepted.get(at) else { return };
                self.revert(proposal);
                Some((at, proposal))
            }
        };
        if is_accepted(self.distance.value() - before, choices) {
            return;
        }
        match (undone, self.accepted.last().copied()) {
            (Some((at, proposal)), _) => {
                self.apply(proposal);
                // At its old position: the order is that of the text.
                let proposal = self.accepted.pop();
                proposal.into_iter().for_each(|proposal| self.accepted.insert(at, proposal));
            }
            (None, Some(proposal)) => {
                self.revert(proposal);
                if let Proposal::Insert(_, code) = proposal {
                    self.codes.remove(&code);
                    mark.restore(self.base);
                }
            }
            (None, None) => {}
        }
    }

    /// Proposes to insert a snippet.
    fn propose_insertion(&mut self, choices: &mut Choices) -> Option<Proposal> {
        let dead = choices.pick(self.dead)?;
        if self.is_removed(dead.node) {
            return None;
        }
        let place = TransplantSite::new(self.base, self.view.sites, &dead.site);
        let own = choices.chance(OWN_PERCENT) || self.database.is_empty();
        let code = match (&self.database.program, choices.pick(&self.database.snippets)) {
            (Some(from), Some(snippet)) if !own => {
                place.transplant((from, snippet.stmt, &snippet.needs), false, self.base, choices)?
            }
            _ => {
                let from = self.view.program;
                let stmt = choices.pick(&self.flow.nodes)?.stmt;
                let needs =
                    is_snippet(from, stmt).then(|| Requirements::of(from, stmt)).flatten()?;
                place.transplant((from, stmt, &needs), true, self.base, choices)?
            }
        };
        self.codes.insert(code, Flow::of_stmt(self.base, code));
        Some(Proposal::Insert(dead.node, code))
    }

    /// Proposes to remove a statement.
    fn propose_removal(&mut self, choices: &mut Choices) -> Option<Proposal> {
        let dead = choices.pick(self.dead)?;
        let end = self.flow.nodes[dead.node as usize].end;
        // Changes inside would have to be reverted first.
        let is_changed = self.accepted.iter().any(|proposal| match *proposal {
            Proposal::Insert(at, _) => at > dead.node && at < end,
            Proposal::Remove(at) => at >= dead.node && at < end,
        });
        let fits = dead.removable && !is_changed && !self.is_removed(dead.node);
        fits.then_some(Proposal::Remove(dead.node))
    }

    /// Whether a node or one that encloses it was removed.
    fn is_removed(&self, node: u32) -> bool {
        self.accepted.iter().any(|proposal| {
            matches!(*proposal, Proposal::Remove(at) if at <= node && node < self.flow.nodes[at as usize].end)
        })
    }

    /// The edges that lead to a node: from its predecessor, through all code inserted between.
    fn incoming_edges(&self, at: u32) -> Vec<(u64, u64)> {
        let is_taken = |at: u32| self.accepted.contains(&Proposal::Remove(at));
        let hash = |at: u32| match is_taken(at) {
            true => removed_hash(),
            false => self.flow.nodes[at as usize].hash,
        };
        let puts = self.accepted.iter().filter_map(|proposal| match proposal {
            Proposal::Insert(to, code) if *to == at => self.codes.get(code)?.nodes.first(),
            _ => None,
        });
        let pred = self.flow.nodes[at as usize].pred.map(hash);
        let all: Vec<u64> =
            pred.into_iter().chain(puts.map(|node| node.hash)).chain([hash(at)]).collect();
        all.windows(2).map(|pair| (pair[0], pair[1])).collect()
    }

    fn update_edges(&mut self, proposal: Proposal, present: bool) {
        let (at, next) = match proposal {
            Proposal::Insert(at, _) => (at, None),
            Proposal::Remove(at) => (at, self.flow.nodes[at as usize].next),
        };
        for (from, to) in
            [at].into_iter().chain(next).flat_map(|at| self.incoming_edges(at)).collect::<Vec<_>>()
        {
            match present {
                true => self.distance.add_edge(from, to),
                false => self.distance.remove_edge(from, to),
            }
        }
    }

    fn apply(&mut self, proposal: Proposal) {
        self.update_edges(proposal, false);
        self.accepted.push(proposal);
        self.update_edges(proposal, true);
        match proposal {
            Proposal::Insert(_, code) => {
                if let Some(flow) = self.codes.get(&code) {
                    self.distance.add(flow);
                }
            }
            Proposal::Remove(at) => self.update_subtree(at, false),
        }
    }

    fn revert(&mut self, proposal: Proposal) {
        self.update_edges(proposal, false);
        self.accepted.retain(|other| *other != proposal);
        self.update_edges(proposal, true);
        match proposal {
            Proposal::Insert(_, code) => {
                if let Some(flow) = self.codes.get(&code) {
                    self.distance.remove(flow);
                }
            }
            Proposal::Remove(at) => self.update_subtree(at, true),
        }
    }

    /// Adds or removes a node and those in it, without the edges to and from it.
    fn update_subtree(&mut self, at: u32, present: bool) {
        let nodes = &self.flow.nodes;
        for n in at..nodes[at as usize].end {
            let node = nodes[n as usize];
            let pred = node.pred.filter(|_| n > at).map(|pred| nodes[pred as usize].hash);
            let back = pred.filter(|_| node.loops).map(|pred| (node.hash, pred));
            let edges = pred.map(|pred| (pred, node.hash)).into_iter().chain(back);
            if present {
                self.distance.add_node(node.hash);
                edges.for_each(|(from, to)| self.distance.add_edge(from, to));
            } else {
                self.distance.remove_node(node.hash);
                edges.for_each(|(from, to)| self.distance.remove_edge(from, to));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Variant;
    use crate::dead::dead_sites;
    use crate::grow::tests::{SCOPES, parse};
    use crate::site::Sites;

    #[test]
    fn a_walk_leads_away_and_all_of_it_can_be_undone() {
        let program = parse(SCOPES);
        let mut database = Database::default();
        database.gather(&program, &[]);
        let sites = Sites::of(&program, &[], program.stmts.len());
        let profile = cmachine::Profile::default();
        let view = ProfiledProgram { program: &program, sites: &sites, profile: &profile };
        let mut next = Variant::new(program.clone());
        let flow = Flow::of(&program);
        let dead = dead_sites(&view, &flow, &next);
        let mut walk = Walk::new(&view, &database, &flow, &dead, &mut next.base);
        assert_eq!(walk.distance.value(), 0);
        let mut choices = Choices::new(3);
        let mut taken_back = 0;
        for _ in 0..300 {
            let before = walk.accepted.len();
            walk.propose(40, &mut choices);
            taken_back += usize::from(walk.accepted.len() < before);
        }
        assert!(walk.distance.value() > 10_000, "{}", walk.distance.value());
        assert!(taken_back > 10, "{taken_back} times back");
        assert!(walk.accepted.iter().any(|proposal| matches!(proposal, Proposal::Remove(_))));
        while let Some(&proposal) = walk.accepted.first() {
            walk.revert(proposal);
        }
        assert_eq!(walk.distance, Distance::new(&flow, &flow));
    }
}
