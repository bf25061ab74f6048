//! `gainsay serve`: a hunt in a web browser.

use anyhow::Result;
use serve::{Folder, Options, Token};

use crate::args::Serve;
use crate::terminal;

/// What opens an address on a desktop.
const OPENER: &str = "xdg-open";

/// Runs the command; the exit status.
pub fn main(args: &Serve) -> Result<u8> {
    let source = Folder::open(&args.dir)?;
    let token = match &args.token {
        Some(text) => Some(Token::new(text)?),
        None if args.listen.ip().is_loopback() => None,
        None => Some(Token::random()?),
    };
    let options = Options { listen: args.listen, token: token.clone() };
    serve::serve(Box::new(source), options, |address| {
        let query = token.map_or_else(String::new, |token| format!("?token={}", token.text()));
        let url = format!("http://{address}/{query}");
        let told = format!("{} is shown at {url}\nCtrl-C ends it.\n", args.dir.display());
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
