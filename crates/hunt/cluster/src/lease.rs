//! Leases: a lease has one holder, as long as the holder renews it. Entries of the bucket expire: a holder that
//! died loses its lease.

use anyhow::Result;
use async_nats::jetstream::kv;

/// Something that is ours for a while.
#[derive(Debug)]
pub struct Lease {
    bucket: kv::Store,
    key: String,
    holder: String,
    revision: u64,
}

impl Lease {
    /// Takes a lease; `None` while somebody else has it.
    pub async fn take(bucket: &kv::Store, key: &str, holder: &str) -> Result<Option<Lease>> {
        let made = bucket.create(key, holder.to_string().into()).await;
        match made {
            Ok(revision) => Ok(Some(Lease {
                bucket: bucket.clone(),
                key: key.into(),
                holder: holder.into(),
                revision,
            })),
            Err(error) if error.kind() == kv::CreateErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Keeps it for another while; an error if it is lost.
    pub async fn renew(&mut self) -> Result<()> {
        let value = self.holder.clone().into();
        self.revision = self.bucket.update(&self.key, value, self.revision).await?;
        Ok(())
    }

    /// Gives it back.
    pub async fn release(self) {
        // It ages otherwise.
        let _ = self.bucket.delete_expect_revision(&self.key, Some(self.revision)).await;
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::path::Path;
    use std::time::Duration;

    use sandbox::{Run, Scratch, Stop};

    use super::*;
    use crate::access::Access;
    use crate::link::Link;

    const AGE: Duration = Duration::from_secs(2);

    /// Connects to a server that may not be ready yet.
    async fn connected(port: u16) -> Link {
        let servers = vec![format!("nats://127.0.0.1:{port}")];
        let access = Access { servers, ..Access::default() };
        for _ in 0..100 {
            if let Ok(link) = Link::open(&access, "test", Some(AGE), None).await {
                return link;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the server does not come up");
    }

    async fn one_at_a_time(link: &Link) -> Result<()> {
        let bucket = &link.leases;
        let mut first = Lease::take(bucket, "bug", "one").await?.expect("it is free");
        assert!(Lease::take(bucket, "bug", "two").await?.is_none(), "it is taken");
        assert!(Lease::take(bucket, "other", "two").await?.is_some(), "that is another");
        // Renewed, it outlives its age.
        for _ in 0..4 {
            tokio::time::sleep(AGE / 3).await;
            first.renew().await?;
        }
        assert!(Lease::take(bucket, "bug", "two").await?.is_none(), "it is renewed");
        // Its holder is silent, as the dead are.
        tokio::time::sleep(AGE * 2).await;
        let second = Lease::take(bucket, "bug", "two").await?.expect("it has aged");
        assert!(first.renew().await.is_err(), "it is somebody else's");
        second.release().await;
        assert!(Lease::take(bucket, "bug", "three").await?.is_some(), "it was given back");
        Ok(())
    }

    #[test]
    fn a_lease_has_one_holder_and_goes_on_when_that_is_silent() {
        let places = ["/usr/sbin/nats-server", "/usr/bin/nats-server"];
        let program = places.iter().find(|path| Path::new(path).is_file());
        let program = program.expect("nats-server is installed by cargo xtask setup");
        let listener = TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
        let port = listener.expect("a port").port();
        let (scratch, stop) = (Scratch::new().expect("a folder"), Stop::new());
        let run = Run::new(program, Duration::from_secs(60))
            .args(["-js", "-a", "127.0.0.1", "-sd", "data", "-p", &port.to_string()])
            .cwd(scratch.path())
            .stop(&stop);
        let server = std::thread::spawn(move || run.finish());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.expect("a runtime");
        let done = runtime.block_on(async { one_at_a_time(&connected(port).await).await });
        stop.set();
        let _ = server.join();
        done.expect("no trouble");
    }
}
