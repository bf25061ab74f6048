//! Leases: who holds one has it alone, as long as it renews it. Entries of the bucket age: a holder that
//! died loses its lease without anybody's doing.

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
