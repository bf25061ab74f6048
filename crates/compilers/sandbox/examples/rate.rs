//! Runs of `/bin/true` a second: what starting a process under `Run` costs.
//!
//! `rate [RUNS] [MEGABYTES]`: the second number is memory that the starting process holds, because a
//! fork copies page tables.

use std::time::{Duration, Instant};

use sandbox::{Ended, Run};

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|word| word.parse::<usize>().ok());
    let runs = numbers.next().unwrap_or(2000);
    let held = vec![1u8; numbers.next().unwrap_or(0) << 20];
    let begin = Instant::now();
    for _ in 0..runs {
        let ended = Run::new("/bin/true", Duration::from_secs(10)).finish();
        assert!(matches!(ended, Ended::Finished(_)), "{ended:?}");
    }
    let rate = runs as f64 / begin.elapsed().as_secs_f64();
    println!("{rate:.0} runs a second, holding {} MB", held.len() >> 20);
}
