//! The walk from variant to variant.

use std::collections::HashMap;

use choice::Choices;
use ctree::{Program, StmtId};

use super::distance::{Distance, is_accepted};
use super::graft::Mark;
use super::place::Place;
use super::survey::Needs;
use super::{Database, is_snippet};
use crate::Change;
use crate::chain::View;
use crate::dead::{DeadSite, Flow, nothing};

/// Of 100 snippets, how many are of the seed itself: only those may have its records.
const OWN: u32 = 30;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Code was put before a node.
    Put(u32, StmtId),
    /// A node was taken away.
    Taken(u32),
}

/// Where the walk is.
pub(super) struct Walk<'a> {
    view: &'a View<'a>,
    database: &'a Database,
    flow: &'a Flow,
    dead: &'a [DeadSite],
    base: &'a mut Program,
    distance: Distance,
    steps: Vec<Step>,
    /// The statements of the code that was put in.
    codes: HashMap<StmtId, Flow>,
}

impl<'a> Walk<'a> {
    /// A walk that begins at the last variant.
    pub fn new(
        view: &'a View<'a>,
        database: &'a Database,
        flow: &'a Flow,
        dead: &'a [DeadSite],
        base: &'a mut Program,
    ) -> Walk<'a> {
        let distance = Distance::new(&Flow::of(base), flow);
        let (steps, codes) = (Vec::new(), HashMap::new());
        Walk { view, database, flow, dead, base, distance, steps, codes }
    }

    /// What was done, as edits.
    pub fn changes(&self) -> impl Iterator<Item = Change> + '_ {
        self.steps.iter().map(|step| match *step {
            Step::Put(at, code) => Change::Insert { before: self.stmt(at), code },
            Step::Taken(at) => Change::Remove { stmt: self.stmt(at) },
        })
    }

    fn stmt(&self, at: u32) -> StmtId {
        self.flow.nodes[at as usize].stmt
    }

    /// One proposal, accepted or not. There are at most `room` changes.
    pub fn propose(&mut self, room: usize, choices: &mut Choices) {
        let mark = Mark::of(self.base);
        let before = self.distance.value();
        let has_room = self.steps.len() < room;
        let undone = match choices.below(10) {
            0..=5 if has_room => match self.put(choices) {
                Some(step) => {
                    self.apply(step);
                    None
                }
                None => return mark.restore(self.base),
            },
            6..=7 if has_room => match self.take(choices) {
                Some(step) => {
                    self.apply(step);
                    None
                }
                None => return,
            },
            _ => {
                // Back again.
                let at = choices.index(self.steps.len());
                let Some(&step) = self.steps.get(at) else { return };
                self.revert(step);
                Some((at, step))
            }
        };
        if is_accepted(self.distance.value() - before, choices) {
            return;
        }
        match (undone, self.steps.last().copied()) {
            (Some((at, step)), _) => {
                self.apply(step);
                // Where it was: the order is that of the text.
                let step = self.steps.pop();
                step.into_iter().for_each(|step| self.steps.insert(at, step));
            }
            (None, Some(step)) => {
                self.revert(step);
                if let Step::Put(_, code) = step {
                    self.codes.remove(&code);
                    mark.restore(self.base);
                }
            }
            (None, None) => {}
        }
    }

    /// Code for some place.
    fn put(&mut self, choices: &mut Choices) -> Option<Step> {
        let dead = choices.pick(self.dead)?;
        if self.is_gone(dead.node) {
            return None;
        }
        let place = Place::new(self.base, self.view.sites, &dead.site);
        let own = choices.chance(OWN) || self.database.is_empty();
        let code = match (&self.database.program, choices.pick(&self.database.snippets)) {
            (Some(from), Some(snippet)) if !own => {
                place.put((from, snippet.stmt, &snippet.needs), false, self.base, choices)?
            }
            _ => {
                let from = self.view.program;
                let stmt = choices.pick(&self.flow.nodes)?.stmt;
                let needs = is_snippet(from, stmt).then(|| Needs::of(from, stmt)).flatten()?;
                place.put((from, stmt, &needs), true, self.base, choices)?
            }
        };
        self.codes.insert(code, Flow::of_stmt(self.base, code));
        Some(Step::Put(dead.node, code))
    }

    /// A statement to take away.
    fn take(&mut self, choices: &mut Choices) -> Option<Step> {
        let dead = choices.pick(self.dead)?;
        let end = self.flow.nodes[dead.node as usize].end;
        // What changed inside would have to be undone first.
        let is_changed = self.steps.iter().any(|step| match *step {
            Step::Put(at, _) => at > dead.node && at < end,
            Step::Taken(at) => at >= dead.node && at < end,
        });
        let fits = dead.removable && !is_changed && !self.is_gone(dead.node);
        fits.then_some(Step::Taken(dead.node))
    }

    /// Whether a node is, or is in, one that was taken away.
    fn is_gone(&self, node: u32) -> bool {
        self.steps.iter().any(|step| {
            matches!(*step, Step::Taken(at) if at <= node && node < self.flow.nodes[at as usize].end)
        })
    }

    /// The way to a node: from the one before it, through all that was put between.
    fn way(&self, at: u32) -> Vec<(u64, u64)> {
        let is_taken = |at: u32| self.steps.contains(&Step::Taken(at));
        let hash = |at: u32| match is_taken(at) {
            true => nothing(),
            false => self.flow.nodes[at as usize].hash,
        };
        let puts = self.steps.iter().filter_map(|step| match step {
            Step::Put(to, code) if *to == at => self.codes.get(code)?.nodes.first(),
            _ => None,
        });
        let pred = self.flow.nodes[at as usize].pred.map(hash);
        let all: Vec<u64> =
            pred.into_iter().chain(puts.map(|node| node.hash)).chain([hash(at)]).collect();
        all.windows(2).map(|pair| (pair[0], pair[1])).collect()
    }

    fn ways(&mut self, step: Step, are_there: bool) {
        let (at, next) = match step {
            Step::Put(at, _) => (at, None),
            Step::Taken(at) => (at, self.flow.nodes[at as usize].next),
        };
        for (from, to) in
            [at].into_iter().chain(next).flat_map(|at| self.way(at)).collect::<Vec<_>>()
        {
            match are_there {
                true => self.distance.add_edge(from, to),
                false => self.distance.remove_edge(from, to),
            }
        }
    }

    fn apply(&mut self, step: Step) {
        self.ways(step, false);
        self.steps.push(step);
        self.ways(step, true);
        match step {
            Step::Put(_, code) => {
                if let Some(flow) = self.codes.get(&code) {
                    self.distance.add(flow);
                }
            }
            Step::Taken(at) => self.inside(at, false),
        }
    }

    fn revert(&mut self, step: Step) {
        self.ways(step, false);
        self.steps.retain(|other| *other != step);
        self.ways(step, true);
        match step {
            Step::Put(_, code) => {
                if let Some(flow) = self.codes.get(&code) {
                    self.distance.remove(flow);
                }
            }
            Step::Taken(at) => self.inside(at, true),
        }
    }

    /// A node and those in it come or go; the ways to and from it are not counted here.
    fn inside(&mut self, at: u32, are_there: bool) {
        let nodes = &self.flow.nodes;
        for n in at..nodes[at as usize].end {
            let node = nodes[n as usize];
            let pred = node.pred.filter(|_| n > at).map(|pred| nodes[pred as usize].hash);
            let back = pred.filter(|_| node.loops).map(|pred| (node.hash, pred));
            let edges = pred.map(|pred| (pred, node.hash)).into_iter().chain(back);
            if are_there {
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
        let view = View { program: &program, sites: &sites, profile: &profile };
        let mut next = Variant::new(program.clone());
        let flow = Flow::of(&program);
        let dead = dead_sites(&view, &flow, &next);
        let mut walk = Walk::new(&view, &database, &flow, &dead, &mut next.base);
        assert_eq!(walk.distance.value(), 0);
        let mut choices = Choices::new(3);
        let mut taken_back = 0;
        for _ in 0..300 {
            let before = walk.steps.len();
            walk.propose(40, &mut choices);
            taken_back += usize::from(walk.steps.len() < before);
        }
        assert!(walk.distance.value() > 10_000, "{}", walk.distance.value());
        assert!(taken_back > 10, "{taken_back} times back");
        assert!(walk.steps.iter().any(|step| matches!(step, Step::Taken(_))));
        while let Some(&step) = walk.steps.first() {
            walk.revert(step);
        }
        assert_eq!(walk.distance, Distance::new(&flow, &flow));
    }
}
