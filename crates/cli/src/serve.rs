//! `gainsay serve`: a hunt in a web browser.

use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::Result;
use campaign::Snapshot;
use cluster::HuntClient;
use report::Detail;
use serve::{Folder, Options, Source, Token};

use crate::args::Serve;
use crate::terminal;

/// What opens an address on a desktop.
const OPENER: &str = "xdg-open";

/// Runs the command; the exit status.
pub fn main(args: &Serve) -> Result<u8> {
    let source: Box<dyn Source> = match &args.cluster[..] {
        [] => Box::new(Folder::open(&args.dir)?),
        servers => {
            let access = args.nats.access(servers)?;
            let watch = HuntClient::connect(&access, &crate::cluster::this_process())?;
            watch.changes()?;
            Box::new(Far { watch, last: AtomicI64::new(0) })
        }
    };
    let shown = source.name();
    let token = match &args.token {
        Some(text) => Some(Token::new(text)?),
        None if args.listen.ip().is_loopback() => None,
        None => Some(Token::random()?),
    };
    let options = Options { listen: args.listen, token: token.clone() };
    serve::serve(source, options, |address| {
        let query = token.map_or_else(String::new, |token| format!("?token={}", token.text()));
        let url = format!("http://{address}/{query}");
        let told = format!("{shown} is shown at {url}\nCtrl-C ends it.\n");
        terminal::print(told.as_bytes())?;
        if args.open {
            // On a thread of its own: some openers stay as long as the browser.
            std::thread::spawn(move || {
                if sandbox::foreground(OPENER, [&url], &[], None).is_err() {
                    terminal::complain(&format!(
                        "gainsay: {OPENER} is not there to open it: open {url} yourself"
                    ));
                }
            });
        }
        Ok(())
    })?;
    Ok(0)
}

/// The hunt of a cluster.
struct Far {
    watch: HuntClient,
    /// The last number that was heard.
    last: AtomicI64,
}

impl Source for Far {
    fn name(&self) -> String {
        format!("the hunt on {}", self.watch.at())
    }

    /// Of a coordinator that is gone, the last that it said stays on the page.
    fn changes(&self) -> Result<i64> {
        if let Ok(now) = self.watch.changes() {
            self.last.store(now, Ordering::Relaxed);
        }
        Ok(self.last.load(Ordering::Relaxed))
    }

    fn refresh(&self, shot: &mut Snapshot) -> Result<()> {
        self.watch.refresh(shot)
    }

    fn detail(&self, id: i64) -> Result<Option<Detail>> {
        let shown = self.watch.finding(id)?;
        Ok(shown.map(|(found, study, targets)| Detail { found, study, bug: None, targets }))
    }
}
