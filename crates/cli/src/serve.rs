//! `gainsay serve`: a hunt in a web browser.

#[cfg(feature = "cluster")]
mod remote;

use anyhow::Result;
use clap::Args;
use serve::{Folder, Options, Source, Token};

#[cfg(feature = "cluster")]
use crate::args::Given;
use crate::args::HuntFolder;
use crate::terminal;

/// What opens an address on a desktop.
const OPENER: &str = "xdg-open";

/// Show a hunt in a web browser, live while it runs
///
/// Overview, list and findings, read-only; Ctrl-C ends it. On another address than this machine's own (127.0.0.1) a browser
/// must know a token: yours, or one that is made and printed with the address. What is sent is not encrypted: over a
/// network that is not yours, use `ssh -L 4270:127.0.0.1:4270 HOST` in place of --listen.
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Serve {
    #[command(flatten)]
    pub folder: HuntFolder,
    /// Where to listen; port 0 is any that is free
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4270")]
    pub listen: std::net::SocketAddr,
    /// What a browser must know: at least 16 letters and digits
    #[arg(long, value_name = "TOKEN")]
    pub token: Option<String>,
    /// Open it in the browser
    #[arg(long)]
    pub open: bool,
    #[cfg(feature = "cluster")]
    #[command(flatten)]
    pub remote: remote::RemoteOptions,
    /// What was typed.
    #[cfg(feature = "cluster")]
    #[arg(skip)]
    pub given: Given,
}

const HELP: &str = "\
Examples:
  gainsay serve --open                               # in the browser of this machine
  gainsay serve --hunt my-hunt --listen 127.0.0.1:0  # on any free port
  gainsay serve --cluster nats://head:4222           # a hunt on many machines, from any of them
  gainsay serve --listen 0.0.0.0:4270                # for all who know the printed token

With a token: curl -H 'Authorization: Bearer TOKEN' http://HOST:4270/finding/3/report.zip -o bug.zip";

/// What is shown: the hunt of a folder.
#[cfg(not(feature = "cluster"))]
fn source(args: &Serve) -> Result<Box<dyn Source>> {
    Ok(Box::new(Folder::open(&args.folder.dir)?))
}

/// What is shown: the hunt of a folder, or one on many machines.
#[cfg(feature = "cluster")]
fn source(args: &Serve) -> Result<Box<dyn Source>> {
    match args.remote.cluster.is_empty() {
        true => Ok(Box::new(Folder::open(&args.folder.dir)?)),
        false if args.given.has("--hunt") => {
            anyhow::bail!("--hunt and --cluster name two hunts: leave one out")
        }
        false => Ok(Box::new(args.remote.connect()?)),
    }
}

/// Runs the command; the exit status.
pub fn main(args: &Serve) -> Result<u8> {
    let source = source(args)?;
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
        let hint = if terminal::is_quiet() { "" } else { "Ctrl-C ends it.\n" };
        terminal::print(format!("{shown} is shown at {url}\n{hint}").as_bytes())?;
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
