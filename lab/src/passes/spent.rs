//! Processor time of everything that we started, while it runs: what a budget is held against.

use std::collections::BTreeMap;
use std::time::Duration;
use std::{fs, io, process};

/// Of every Linux there is, whatever the kernel's own clock.
const TICKS_PER_SECOND: u64 = 100;

/// Processor time of this process and of all that it started, those included that are gone.
///
/// `/proc` lists processes by number, so parents are read before their children: one that ends meanwhile is
/// missed until the next call, and never counted twice.
pub fn spent() -> io::Result<Duration> {
    let mut children: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut ticks: BTreeMap<u32, u64> = BTreeMap::new();
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let Some(id) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // It may be gone by now.
        let Ok(text) = fs::read_to_string(format!("/proc/{id}/stat")) else { continue };
        if let Some((parent, time)) = read(&text) {
            children.entry(parent).or_default().push(id);
            ticks.insert(id, time);
        }
    }
    let mut open = vec![process::id()];
    let mut sum = 0;
    while let Some(id) = open.pop() {
        sum += ticks.get(&id).copied().unwrap_or(0);
        open.extend(children.remove(&id).unwrap_or_default());
    }
    Ok(Duration::from_millis(sum * 1000 / TICKS_PER_SECOND))
}

/// The parent of a process, and its time with that of children it has waited for (`man 5 proc`).
fn read(stat: &str) -> Option<(u32, u64)> {
    // The second field is a name in brackets, which may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let time: u64 = fields.get(11..15)?.iter().filter_map(|field| field.parse::<u64>().ok()).sum();
    Some((fields.get(1)?.parse().ok()?, time))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_stat() {
        let stat = "7 (a) b) S 3 7 7 0 -1 4194304 9 0 0 0 100 20 3 4 20 0 1 0 5 6 7";
        assert_eq!(read(stat), Some((3, 127)));
        assert_eq!(read("nothing"), None);
    }

    #[test]
    fn children_count_alive_and_gone() {
        let before = spent().unwrap();
        let burn = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
        let run = sandbox::Run::new("sh", Duration::from_secs(60)).args(["-c", burn]);
        let done = run.finish().success().unwrap();
        let counted = spent().unwrap().saturating_sub(before);
        // Ticks are rounded, and other tests run in this process.
        assert!(counted + Duration::from_millis(50) >= done.cpu, "{counted:?} of {:?}", done.cpu);
    }
}
