//! `cargo lab bench page`: how long pages of a hunt with many findings take, from a local server.
//!
//! The store is made here: findings of a thousand or so bugs with a few kilobytes of files each, half of
//! the bugs studied. Times are those of whole answers over loopback, the first of each page aside
//! (browsers' caches are not in it: there are none). Meanwhile the store is written to as a hunt does, and somebody
//! listens for changes as a browser does.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use campaign::{
    Cost, NewFinding, Sample, Standing, Store, StoredTarget, Study, TargetResult, Tested,
};
use finding::{ProgramSubject, Subject};
use oracle::{Assessment, Certificate, Expected, FailureKind, Opinion, SourceFile};
use sandbox::{Run, Scratch, Stop};
use triage::{Blame, Cell, Ladder, Rung};

use crate::context::Context;
use crate::pool::Progress;

/// Arguments of `cargo lab bench page`.
#[derive(clap::Args, Debug)]
pub struct PageArgs {
    /// Findings in the store.
    #[arg(long, default_value_t = 10_000)]
    findings: u64,
    /// Bugs that they are of.
    #[arg(long, default_value_t = 1_500)]
    bugs: u64,
    /// How often each page is asked for.
    #[arg(long, default_value_t = 20)]
    times: usize,
    /// Leave the store as it is meanwhile.
    #[arg(long)]
    quiet: bool,
    /// The `gainsay` to measure; built in release, if not given.
    #[arg(long, value_name = "FILE")]
    gainsay: Option<PathBuf>,
}

/// Longer than all of it takes.
const WALL: Duration = Duration::from_secs(1800);

/// Between two questions, so that they are spread over several changes.
const PAUSE: Duration = Duration::from_millis(50);

/// Pages with the goals in milliseconds.
const PAGES: &[(&str, &str, f64)] = &[
    ("overview", "/", 300.0),
    ("findings", "/findings", 100.0),
    ("filter by kind", "/findings?kind=wrong-output", 100.0),
    (
        "filter by all",
        "/findings?kind=wrong-output&target=gcc-12&engine=yarp&status=open&q=prints",
        100.0,
    ),
    ("filter by text", "/findings?q=pass-7%20-O2", 100.0),
    ("a late page", "/findings?page=20", 100.0),
    ("finding", "/finding/5000", 300.0),
];

/// Makes the store, asks, and prints a table.
pub fn main(context: &Context, args: &PageArgs) -> Result<()> {
    let gainsay = match &args.gainsay {
        Some(path) => path.clone(),
        None => context.gainsay()?,
    };
    let scratch = Scratch::new()?;
    let mut store = make(scratch.path(), args)?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let (listen, stop) = (format!("127.0.0.1:{port}"), Stop::new());
    let server = Run::new(gainsay, WALL).args(["serve", "--hunt"]).arg(scratch.path());
    let server = server.args(["--listen", &listen]).stop(&stop);
    thread::scope(|scope| {
        let server = scope.spawn(move || server.finish());
        while TcpStream::connect(&listen).is_err() {
            if server.is_finished() {
                bail!("gainsay serve ended: {:?}", server.join());
            }
            thread::sleep(Duration::from_millis(50));
        }
        let done = measure(&mut store, listen.parse()?, args);
        stop.set();
        done
    })
}

/// Asks for each page while the store is written to.
fn measure(store: &mut Store, address: SocketAddr, args: &PageArgs) -> Result<()> {
    // As a browser does, which has the page open.
    let mut listener = TcpStream::connect(address)?;
    write!(listener, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let writer = scope.spawn(|| -> Result<()> {
            let mut seed = args.findings;
            while !over.load(Ordering::Relaxed) && !args.quiet {
                seed += 1;
                store.record(&tested(seed, args.bugs))?;
                thread::sleep(Duration::from_millis(200));
            }
            Ok(())
        });
        let asked = PAGES.iter().try_for_each(|(name, path, goal)| -> Result<()> {
            ask(address, path)?;
            let mut times = Vec::new();
            for _ in 0..args.times.max(1) {
                let begin = Instant::now();
                ask(address, path)?;
                times.push(begin.elapsed().as_secs_f64() * 1000.0);
                thread::sleep(PAUSE);
            }
            times.sort_by(f64::total_cmp);
            let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
            let verdict = if worst < *goal { "met" } else { "MISSED" };
            println!("{name:<16} median {median:6.1} ms, worst {worst:6.1} ms: goal below {goal} ms {verdict}");
            Ok(())
        });
        over.store(true, Ordering::Relaxed);
        let written = writer.join().map_err(|_| anyhow::anyhow!("the writer panicked"))?;
        asked.and(written)
    })
}

fn ask(address: SocketAddr, path: &str) -> Result<()> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut all = Vec::new();
    stream.read_to_end(&mut all)?;
    if !all.starts_with(b"HTTP/1.1 200") || all.len() < 2000 {
        bail!("{path}: {}", String::from_utf8_lossy(&all[..all.len().min(200)]));
    }
    Ok(())
}

/// The store of the bench.
fn make(dir: &Path, args: &PageArgs) -> Result<Store> {
    let mut store = Store::create(dir)?;
    let levels = ["gcc-12", "gcc-13", "clang-16", "tcc"].iter().flat_map(|compiler| {
        ["-O0", "-O1", "-O2", "-O3"].map(|level| StoredTarget {
            label: format!("{compiler} {level}"),
            compiler: compiler.to_string(),
            version: "1.2.3".into(),
            triple: "x86_64-linux-gnu".into(),
            command: compiler.to_string(),
            runner: String::new(),
        })
    });
    store.targets(&levels.collect::<Vec<_>>())?;
    let progress = Progress::new("bench page: making the store", args.findings as usize);
    for seed in 1..=args.findings {
        let found = store.record(&tested(seed, args.bugs))?;
        if seed <= args.bugs / 2 {
            store.put_study(found[0].id, &study(seed))?;
        }
        progress.step();
    }
    for n in 0..2000 {
        store.put_sample(&Sample {
            at: 1_800_000_000 + 5 * n,
            hunted: Duration::from_secs(5 * n),
            tests: 7 * n,
            own: Duration::from_secs(n),
            others: Duration::from_secs(9 * n),
            blocks: Some(1000 + n),
            ..Sample::default()
        })?;
    }
    Ok(store)
}

fn file(name: &str, lines: usize) -> SourceFile {
    SourceFile { name: name.into(), bytes: "int f(int a) { return a + 1; }\n".repeat(lines).into() }
}

fn tested(seed: u64, bugs: u64) -> Tested {
    let bug = seed % bugs.max(1);
    let kind = [
        FailureKind::WrongOutput,
        FailureKind::CompilerCrash,
        FailureKind::CompilerHang,
        FailureKind::Rejection,
    ][bug as usize % 4];
    let compiler = ["gcc-12", "gcc-13", "clang-16", "tcc"][bug as usize % 3];
    let label = |level: &str| format!("{compiler} {level}");
    let finding = NewFinding {
        attributed_to: None,
        kind,
        signature: format!("{} {compiler} signature of bug {bug}", kind.name()),
        summary: format!(
            "prints \"test_{bug} 1f\", expected \"test_{bug} 2a\" (line {})",
            bug % 50
        ),
        standing: if bug.is_multiple_of(17) { Standing::Disputed } else { Standing::Confirmed },
        subject: Subject::Program(ProgramSubject::named(
            kind,
            &["func.c", "driver.c"],
            &[(compiler, "-O2"), (compiler, "-O3")],
            &[(compiler, "-O0"), (compiler, "-O1"), ("tcc", "-O0")],
        )),
        files: vec![file("func.c", 200), file("driver.c", 30)],
        artifacts: vec![file("expected", 20), file(&format!("{compiler}_-O2.stdout"), 20)],
        origin: format!("gainsay gen --seed {seed} -o DIR"),
        certificate: certificate(),
    };
    let engine = ["yarp", "smith", "csmith"][seed as usize % 3];
    Tested {
        cost: Cost {
            compile: Duration::from_secs(2),
            run: Duration::from_secs(1),
            ..Cost::default()
        },
        targets: vec![
            (label("-O2"), TargetResult::Failed(kind)),
            (label("-O0"), TargetResult::Right),
        ],
        findings: vec![finding],
        ..Tested::new(engine, seed)
    }
}

fn certificate() -> Certificate {
    let opinion = Opinion {
        tool: "gainsay".into(),
        command: "gainsay run test.c".into(),
        says: Assessment::Valid,
    };
    Certificate { opinions: vec![opinion] }
}

fn study(n: u64) -> Study {
    let rung = |version: u64| Rung {
        compiler: format!("gcc-{version}"),
        version: format!("{version}.1"),
        cells: vec![Cell::Works, Cell::Works, Cell::Fails, Cell::Fails],
    };
    Study {
        about: None,
        mask: triage::Mask::default(),
        files: vec![file("test.c", 12)],
        evidence: vec![file("actual", 1)],
        subject: Subject::Program(ProgramSubject {
            expected: Some(Expected { stdout: b"1\n".to_vec(), status: 0 }),
            ..ProgramSubject::named(
                FailureKind::WrongOutput,
                &["test.c"],
                &[("gcc-12", "-O2")],
                &[("gcc-12", "-O0")],
            )
        }),
        summary: format!("prints \"0\", expected \"{n}\" (line 1)"),
        certificate: certificate(),
        blame: Blame { pass: Some(format!("pass-{}", n % 40)), ..Blame::default() },
        ladder: Ladder {
            levels: ["-O0", "-O1", "-O2", "-O3"].map(String::from).to_vec(),
            rungs: (9..14).map(rung).collect(),
        },
        key: format!("key of bug {n}"),
        tokens: (5000, 60),
        took: Duration::from_secs(20),
    }
}
