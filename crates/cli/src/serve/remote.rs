//! A hunt that another process coordinates, to be shown.

use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::Result;
use campaign::Snapshot;
use clap::Args;
use cluster::HuntClient;
use report::Detail;
use serve::Source;

/// How such a hunt is reached.
#[derive(Args, Debug)]
#[command(next_help_heading = "Many machines")]
pub struct RemoteOptions {
    /// In place of a folder: the hunt that another process coordinates over these NATS servers, as long as it runs
    #[arg(long, value_name = "nats://HOST:PORT", value_delimiter = ',')]
    pub cluster: Vec<String>,
    #[command(flatten)]
    pub nats: crate::cluster::Nats,
}

impl RemoteOptions {
    /// Connects to it.
    pub fn connect(&self) -> Result<RemoteHunt> {
        let access = self.nats.access(&self.cluster)?;
        let watch = HuntClient::connect(&access, &crate::cluster::this_process())?;
        watch.changes()?;
        Ok(RemoteHunt { watch, last: AtomicI64::new(0) })
    }
}

/// A hunt on many machines.
pub struct RemoteHunt {
    watch: HuntClient,
    /// The last number of changes that was received.
    last: AtomicI64,
}

impl Source for RemoteHunt {
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
        Ok(shown.map(|(found, study, targets)| {
            // The folder is its coordinator's.
            Detail { found, study, bug: None, targets, folder: None }
        }))
    }
}
