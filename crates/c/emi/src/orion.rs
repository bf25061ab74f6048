//! Orion: statements that never ran are removed.

use choice::Choices;

use crate::chain::ProfiledProgram;
use crate::dead::{Flow, dead_sites};
use crate::{Change, Edit, Strategy, Variant};

/// The share of statements that are removed, in percent. One is drawn for each variant, so that some
/// lose little and some nearly everything.
const PERCENT: [u32; 6] = [3, 10, 20, 35, 60, 90];

/// Removes some of the statements that never ran.
pub(crate) fn mutate(
    view: &ProfiledProgram,
    room: usize,
    next: &mut Variant,
    choices: &mut Choices,
) {
    let percent = PERCENT[choices.index(PERCENT.len())];
    let flow = Flow::of(view.program);
    let mut gone = Vec::new();
    let mut end = 0;
    for dead in dead_sites(view, &flow, next) {
        // A statement is removed with the statements in it.
        if dead.removable && dead.node >= end && choices.chance(percent) {
            end = flow.nodes[dead.node as usize].end;
            gone.push(dead.site.stmt);
        }
    }
    choices.shuffle(&mut gone);
    gone.truncate(room);
    let edits = gone.into_iter().map(|stmt| Change::Remove { stmt });
    next.edits.extend(edits.map(|change| Edit { strategy: Strategy::Orion, change }));
}
