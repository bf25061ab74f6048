//! The table of `cargo lab bench reduce`, its medians, and whether the goals hold.

use crate::compiler::Cost;

/// How many times as quick as C-Vise we want to be.
const SPEED_GOAL: f64 = 5.0;

/// What a tool made of a case.
#[derive(Clone, Debug)]
pub struct Side {
    pub cost: Cost,
    /// It did not end by itself.
    pub stopped: bool,
    pub tokens: usize,
    /// Those that are not blank.
    pub lines: usize,
    /// The machine's verdict: `defined`, or what is wrong.
    pub machine: String,
    /// The script finds it interesting.
    pub shows: bool,
}

/// One case.
#[derive(Clone, Debug)]
pub struct Row {
    pub plant: String,
    pub seed: u64,
    /// Of the program before.
    pub tokens: usize,
    /// We, by the script.
    pub script: Side,
    /// We, without one.
    pub native: Side,
    /// C-Vise, by the script.
    pub cvise: Option<Side>,
}

impl Side {
    fn cells(&self) -> String {
        let Side { cost, tokens, lines, machine, .. } = self;
        let stopped = if self.stopped { "stopped, " } else { "" };
        let shows = if self.shows { "" } else { ", DOES NOT SHOW IT" };
        let (wall, cpu) = (cost.wall.as_secs_f64(), cost.cpu.as_secs_f64());
        format!("{wall:.1} | {cpu:.1} | {tokens} | {lines} | {stopped}{machine}{shows}")
    }
}

impl Row {
    /// How many times as long C-Vise took as we did, by the same script, by the clock and by
    /// processor time; at least that, where it was stopped.
    fn speed(&self) -> Option<(f64, f64)> {
        let (ours, theirs) = (self.script.cost, self.cvise.as_ref()?.cost);
        let ratio = |a: std::time::Duration, b: std::time::Duration| {
            a.as_secs_f64() / b.as_secs_f64().max(1e-9)
        };
        Some((ratio(theirs.wall, ours.wall), ratio(theirs.cpu, ours.cpu)))
    }

    /// Its lines of the table.
    pub fn print(&self) {
        let Row { plant, seed, tokens, .. } = self;
        println!("| {plant} {seed} | {tokens} | gainsay | {} | |", self.script.cells());
        println!("| | | gainsay, no script | {} | |", self.native.cells());
        if let (Some(cvise), Some((wall, cpu))) = (&self.cvise, self.speed()) {
            let least = if cvise.stopped { ">= " } else { "" };
            println!("| | | cvise | {} | {least}{wall:.1} ({cpu:.1} cpu) |", cvise.cells());
        }
    }
}

/// The whole table again, its medians and the goals.
pub fn print(rows: &[Row]) {
    println!("| case, seed | tokens | tool | wall s | cpu s | tokens | lines | machine | speed |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    rows.iter().for_each(Row::print);
    let speeds: Vec<(f64, f64)> = rows.iter().filter_map(Row::speed).collect();
    let cut = rows.iter().filter(|r| r.cvise.as_ref().is_some_and(|c| c.stopped)).count();
    let (Some(wall), Some(cpu)) = (
        median(speeds.iter().map(|s| s.0).collect()),
        median(speeds.iter().map(|s| s.1).collect()),
    ) else {
        return;
    };
    println!(
        "median: {wall:.1} times as quick as C-Vise by the clock, {cpu:.1} by processor time, {cut} of {} \
         lower bounds; goal >= {SPEED_GOAL} {}",
        speeds.len(),
        met(wall >= SPEED_GOAL)
    );
    let size = |side: fn(&Row) -> Option<&Side>| {
        median(rows.iter().filter_map(side).map(|s| s.tokens as f64).collect()).unwrap_or(0.0)
    };
    let (ours, native) = (size(|r| Some(&r.script)), size(|r| Some(&r.native)));
    let theirs = size(|r| r.cvise.as_ref());
    let larger = |r: &&Row| r.cvise.as_ref().is_some_and(|c| r.script.tokens > c.tokens);
    println!(
        "median tokens: {ours} and {native} without a script, C-Vise {theirs} ({cut} stopped early); \
         larger than C-Vise's in {} of {}; goal not larger {}",
        rows.iter().filter(larger).count(),
        speeds.len(),
        met(ours <= theirs)
    );
    let undefined = rows.iter().filter_map(|r| r.cvise.as_ref()).filter(|c| c.machine != "defined");
    let wrong = |side: &Side| side.machine != "defined" || !side.shows;
    let ours = rows.iter().filter(|r| wrong(&r.script) || wrong(&r.native)).count();
    println!(
        "not defined, by the machine: {} of C-Vise's results, {ours} of ours",
        undefined.count()
    );
}

fn met(is: bool) -> &'static str {
    if is { "met" } else { "MISSED" }
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len().checked_sub(1)? / 2;
    let above = values.len() / 2;
    Some((values[middle] + values[above]) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn medians_of_odd_and_even_numbers() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
