//! A hunt in a web browser: live, read-only, and for this machine alone unless a token is given.
//!
//! [`Source`] is where a hunt is read from: a [`Folder`], whose store a hunt may be writing at the same time, or
//! in `cli` the hunt of a cluster. [`serve()`] answers with the pages of `report`.
//!
//! The store is opened read-only. `PRAGMA data_version` says whether a snapshot is still current, so a list is
//! filtered in memory, and 10,000 findings are read only when something was written. Server-sent events say
//! *that* something changed: the script fetches the page again and replaces the parts marked `data-live`. There
//! is one way to make a page, and it works without the script.
//!
//! **Architecture Invariant:** a server writes nothing and starts no compiler. Without a token it answers only
//! to names of this machine, so that no other web site can ask in a browser's name; it listens elsewhere only
//! with one. A content security policy forbids browsers any script and style but our two files (`guard`).

mod answer;
mod archive;
mod guard;
mod hub;
mod source;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tokio::net::TcpListener;

pub use guard::Token;
pub use source::{Folder, Source};

use hub::Hub;

/// Stack of a thread that answers: reports read programs, and the parser recurses with their nesting.
const STACK: usize = 256 << 20;

/// How often the source is asked whether something has changed.
const POLL: Duration = Duration::from_secs(1);

/// Where and to whom a page is shown.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// What a browser must know; `None` lets everybody on this machine look.
    pub token: Option<Token>,
}

/// Shows a hunt for as long as the process lives. `ready` is called with the address once the server answers.
pub fn serve(
    source: Box<dyn Source>,
    options: Options,
    ready: impl FnOnce(SocketAddr) -> Result<()>,
) -> Result<()> {
    if options.token.is_none() && !options.listen.ip().is_loopback() {
        bail!("{} is reachable from other machines: a token is required", options.listen.ip());
    }
    // Before the runtime: a source may have one of its own.
    let hub = Arc::new(Hub::new(source)?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .thread_stack_size(STACK)
        .build()
        .context("threads cannot be started")?;
    runtime.block_on(run(hub, options, ready))
}

async fn run(
    hub: Arc<Hub>,
    options: Options,
    ready: impl FnOnce(SocketAddr) -> Result<()>,
) -> Result<()> {
    let listener = TcpListener::bind(options.listen).await.with_context(|| {
        format!("cannot listen on {}: give another address with --listen", options.listen)
    })?;
    let address = listener.local_addr()?;
    tokio::spawn(hub.clone().watch(POLL));
    let router = guard::guarded(answer::router(hub), options.token);
    ready(address)?;
    axum::serve(listener, router).await.context("the server ended")
}

#[cfg(test)]
mod tests;
