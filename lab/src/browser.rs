//! `cargo lab browser`: the page in a real browser, while a hunt on faulty compilers is running.
//!
//! Starts the hunt and the server, waits until something was found and studied, and lets
//! `tests/browser/page.mjs` look at it with Chromium. Screenshots stay in the target folder.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use campaign::Store;
use sandbox::{Run, Scratch, Status, Stop};
use toolchain::on_path;

use crate::LabOutcome;
use crate::context::Context;

/// Longer than all of it takes on a busy machine.
const WALL: Duration = Duration::from_secs(1200);

/// Until the first finding is studied.
const PATIENCE: Duration = Duration::from_secs(300);

/// A program that the planted compiler gets wrong. Where its text is taken for markup, it shows.
const HOSTILE: &str = r#"/* <script>document.title = 'owned'</script></textarea><img src=x onerror=alert(1)> */
#include <stdio.h>

static unsigned long long three = 3;

int main(void)
{
    printf("<b>%llu</b> <script>document.title = 'owned'</script></textarea>\n", three << 40);
    return 0;
}
"#;

/// Arguments of `cargo lab browser`.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// The `gainsay` to try; built in release, if not given.
    #[arg(long, value_name = "FILE")]
    gainsay: Option<PathBuf>,
}

/// Runs the test; the screenshots are in `browser` of the target folder.
pub fn main(context: &Context, args: &Args) -> Result<LabOutcome> {
    let tool = |name: &str, package: &str| {
        on_path(name).with_context(|| format!("{name} is not installed: apt-get install {package}"))
    };
    let (node, npm) = (tool("node", "nodejs")?, tool("npm", "npm")?);
    let chromium = tool("chromium", "chromium")?;
    let tests = context.root.join("tests/browser");
    let ci = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"];
    if sandbox::foreground(&npm, ci, &[], Some(&tests))? != Status::Exit(0) {
        bail!("npm ci failed in {}", tests.display());
    }
    let gainsay = match &args.gainsay {
        Some(path) => fs::canonicalize(path).with_context(|| path.display().to_string())?,
        None => context.gainsay()?,
    };
    let shots = context.work_folder("browser")?;
    let scratch = Scratch::new()?;
    let dir = scratch.path();
    prepare(context, dir)?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let (listen, stop) = (format!("127.0.0.1:{port}"), Stop::new());
    thread::scope(|scope| {
        let run = |words: &[&str]| Run::new(&gainsay, WALL).args(words).cwd(dir).stop(&stop);
        let hunt = run(&[
            "hunt",
            "--hunt",
            "out",
            "--engine",
            "yarp,files",
            "--from",
            "own",
            "--seed",
            "1",
        ])
        .args(["--policy", "small.toml", "--jobs", "2", "--for", "20m", "--json"])
        .args(["--cc", "planted", "--cc", "ice", "--cc", "gcc"]);
        let hunt = scope.spawn(move || hunt.finish());
        let done = (|| {
            studied(&dir.join("out"), || hunt.is_finished())?;
            let frozen = run(&["report", "--html", "--hunt", "out", "-o", "frozen.html"]).finish();
            if frozen.success().is_none_or(|done| done.status != Status::Exit(0)) {
                bail!("gainsay report --html failed");
            }
            let server = run(&["serve", "--hunt", "out", "--listen", &listen]);
            let server = scope.spawn(move || server.finish());
            while std::net::TcpStream::connect(&listen).is_err() {
                if server.is_finished() {
                    bail!("gainsay serve ended: {:?}", server.join());
                }
                thread::sleep(Duration::from_millis(50));
            }
            println!("browser: the page of a live hunt at http://{listen}");
            let env = [
                ("URL", format!("http://{listen}")),
                ("FROZEN", dir.join("frozen.html").display().to_string()),
                ("SHOTS", shots.display().to_string()),
                ("CHROMIUM", chromium.display().to_string()),
            ];
            let env: Vec<(&str, &str)> =
                env.iter().map(|(name, value)| (*name, value.as_str())).collect();
            Ok(sandbox::foreground(&node, ["page.mjs"], &env, Some(&tests))?)
        })();
        stop.set();
        let found = match done? {
            Status::Exit(0) => LabOutcome::Nothing,
            _ => LabOutcome::Something,
        };
        println!("browser: screenshots are in {}", shots.display());
        Ok(found)
    })
}

/// The compilers, and a program of our own.
fn prepare(context: &Context, dir: &Path) -> Result<()> {
    let compiler = |name: &str, family: &str, script: &str| {
        let path = context.root.join("tests/compilers").join(script).display().to_string();
        format!(
            "[[compiler]]\nname = \"{name}\"\npath = {path:?}\nfamily = \"{family}\"\n\
             levels = [\"-O0\", \"-O2\"]\n"
        )
    };
    let compilers =
        compiler("planted", "clang", "planted/shift.sh") + &compiler("ice", "gcc", "faulty/ice.sh");
    fs::write(dir.join("gainsay.toml"), format!("extras_per_test = 0\n{compilers}"))?;
    fs::write(dir.join("small.toml"), "program.tests = [1, 1]\n")?;
    fs::create_dir(dir.join("own"))?;
    fs::write(dir.join("own/hostile.c"), HOSTILE)?;
    Ok(())
}

/// Waits until wrong code was found and studied.
fn studied(out: &Path, over: impl Fn() -> bool) -> Result<()> {
    let begin = Instant::now();
    let is_there = || {
        // It is not there at first, and may be being made.
        let shot = Store::open_to_read(out).and_then(|store| store.snapshot());
        let is_wrong = |shot: campaign::Snapshot| {
            shot.bugs.iter().any(|bug| {
                bug.kind.is_wrong_code() && shot.studies.contains_key(&bug.representative)
            })
        };
        shot.is_ok_and(is_wrong)
    };
    while !is_there() {
        if over() {
            bail!("the hunt is over, and nothing was found");
        }
        if begin.elapsed() > PATIENCE {
            bail!("the hunt has found and reduced nothing in {} s", PATIENCE.as_secs());
        }
        thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}
