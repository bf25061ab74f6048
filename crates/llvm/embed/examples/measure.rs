//! Our side of `cargo lab bench embed`, in a process of its own and quick to build: vectors, clusters and
//! selection for a file of sequences.
//!
//! Usage: measure SEQUENCES VECTORS COUNT SEED THREADS. A line of SEQUENCES is one sequence, its words set apart by
//! blanks. VECTORS is written as raw little-endian rows. COUNT sequences are selected. One line of JSON is printed,
//! which the bench reads.

use std::error::Error;
use std::fs;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::time::Instant;

use embed::{Doc2Vec, Documents, XMeans, select};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [sequences, vectors, count, seed, threads] = args.as_slice() else {
        return Err("usage: measure SEQUENCES VECTORS COUNT SEED THREADS".into());
    };
    let (count, seed, threads) = (count.parse()?, seed.parse()?, threads.parse()?);
    let documents = read(sequences)?;
    let start = Instant::now();
    let mut times = vec![cpu()?];
    let points = Doc2Vec { seed, threads, ..Doc2Vec::default() }.train(&documents);
    times.push(cpu()?);
    let clusters = XMeans { seed, threads, ..XMeans::default() }.cluster(&points);
    times.push(cpu()?);
    let chosen = select(&points, &clusters, count, threads);
    times.push(cpu()?);
    let stages: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    println!(
        "{{\"stages\": {stages:?}, \"wall\": {}, \"clusters\": {}, \"chosen\": {}, \"peak\": {}}}",
        start.elapsed().as_secs_f64(),
        clusters.centres.len(),
        chosen.len(),
        getrusage(UsageWho::RUSAGE_SELF)?.max_rss() * 1024,
    );
    let mut out = BufWriter::new(fs::File::create(vectors)?);
    for value in points.rows().flatten() {
        out.write_all(&value.to_le_bytes())?;
    }
    Ok(out.flush()?)
}

/// Processor seconds of this process, all threads.
fn cpu() -> Result<f64, Box<dyn Error>> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    Ok((usage.user_time() + usage.system_time()).num_microseconds() as f64 / 1e6)
}

fn read(sequences: &str) -> Result<Documents, Box<dyn Error>> {
    let (mut documents, mut words) = (Documents::new(), Vec::new());
    for line in BufReader::new(fs::File::open(sequences)?).lines() {
        words.clear();
        for word in line?.split(' ') {
            words.push(word.parse()?);
        }
        documents.push(&words);
    }
    Ok(documents)
}
