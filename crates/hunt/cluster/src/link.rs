//! A connection with the streams and buckets of a cluster, with retries: while servers
//! choose a new leader every request fails, for seconds, and is simply made again.

use std::fmt::Display;
use std::future::Future;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, bail};
use async_nats::Client;
use async_nats::jetstream::consumer::pull::Config as PullConfig;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer};
use async_nats::jetstream::message::PublishMessage;
use async_nats::jetstream::stream::{
    Config as StreamConfig, DiscardPolicy, RetentionPolicy, Stream,
};
use async_nats::jetstream::{self, kv, object_store};
use sandbox::Stop;
use tokio::io::AsyncReadExt as _;

use crate::access::{Access, REQUEST};

/// The stream of work.
pub const WORK: &str = "gainsay-work";
/// The stream of results.
pub const RESULTS: &str = "gainsay-results";
/// The bucket of the hunt.
const HUNT: &str = "gainsay-hunt";
/// The bucket of leases.
const LEASES: &str = "gainsay-leases";
/// The object store.
const FILES: &str = "gainsay-files";
/// The key of the hunt in its bucket.
pub const SPEC: &str = "hunt";
/// A message here tells workers to read the hunt again.
pub const NEWS: &str = "gainsay.news";

/// A result that is published again within this time is dropped by the server; after it, by the store.
const DUPLICATES: Duration = Duration::from_secs(120);

/// How long leases last where no coordinator has said it yet.
const LEASE: Duration = Duration::from_secs(30);

/// Of a message beside its payload: headers, and room to spare.
const HEADERS: usize = 4096;

/// Servers that answer have chosen a leader after this, or never will.
const STARTING: Duration = Duration::from_secs(30);

/// Between two tries, at first and at most.
const PATIENCE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// A connection and what is kept on the servers.
#[derive(Clone)]
pub struct Link {
    /// The connection.
    pub client: Client,
    /// Streams.
    pub js: jetstream::Context,
    /// The hunt and target sets.
    pub hunt: kv::Store,
    /// Leases.
    pub leases: kv::Store,
    /// Files, and long messages.
    files: object_store::ObjectStore,
}

impl Link {
    /// Connects to a cluster and sets up what is missing there. `replicas` is how many servers keep each
    /// message; `None` is three on a cluster of servers, and one on a single server. `lease` is given by
    /// the coordinator alone.
    pub async fn open(
        access: &Access,
        name: &str,
        lease: Option<Duration>,
        replicas: Option<usize>,
    ) -> Result<Link> {
        let client = access.connect(name).await?;
        let at = access.shown();
        let mut js = jetstream::new(client.clone());
        js.set_timeout(REQUEST);
        let info = client.server_info();
        // A server without it may be a way to others that have it.
        if !info.jetstream && answers(&js).await.is_err() {
            bail!(
                "JetStream is not enabled on the server at {at}: start it with `nats-server -js`"
            );
        }
        retry(|| answers(&js))
            .await
            .with_context(|| format!("JetStream does not answer at {at} for this account"))?;
        let replicas = replicas.unwrap_or(if info.cluster.is_some() { 3 } else { 1 });
        let link = retry(|| Link::set_up(client.clone(), js.clone(), lease, replicas)).await;
        link.with_context(|| format!("the streams of the hunt cannot be set up on {at}"))
    }

    async fn set_up(
        client: Client,
        js: jetstream::Context,
        lease: Option<Duration>,
        replicas: usize,
    ) -> Result<Link> {
        let stream = |name: &str, subjects: &str| StreamConfig {
            name: name.into(),
            subjects: vec![subjects.into()],
            retention: RetentionPolicy::WorkQueue,
            num_replicas: replicas,
            duplicate_window: DUPLICATES,
            ..StreamConfig::default()
        };
        js.get_or_create_stream(stream(WORK, "gainsay.work.>")).await?;
        js.get_or_create_stream(stream(RESULTS, "gainsay.result.>")).await?;
        let hunt = bucket(&js, HUNT, None, replicas).await?;
        let leases = bucket(&js, LEASES, Some(lease.unwrap_or(LEASE)), replicas).await?;
        // The coordinator sets the expiry, whichever process made the bucket.
        if lease.is_some_and(|age| leases.stream.cached_info().config.max_age != age) {
            js.update_stream(bucket_config(LEASES, lease, replicas)).await?;
        }
        let files = match js.get_object_store(FILES).await {
            Ok(files) => files,
            Err(_) => {
                let config = object_store::Config {
                    bucket: FILES.into(),
                    num_replicas: replicas,
                    ..object_store::Config::default()
                };
                js.create_object_store(config).await?
            }
        };
        Ok(Link { client, js, hunt, leases, files })
    }

    /// The stream of this name.
    pub async fn stream(&self, name: &str) -> Result<Stream> {
        Ok(self.js.get_stream(name).await?)
    }

    /// The consumer of a subject of work or results; made if it is not there. Whoever takes a message and
    /// is silent for `wait` has lost it.
    pub async fn consumer(
        &self,
        stream: &str,
        name: &str,
        subject: &str,
        wait: Duration,
    ) -> Result<PullConsumer> {
        let config = PullConfig {
            durable_name: Some(name.into()),
            filter_subject: subject.into(),
            ack_policy: AckPolicy::Explicit,
            ack_wait: wait,
            // Workers count deliveries themselves, and say what they set aside.
            max_deliver: -1,
            max_ack_pending: 100_000,
            ..PullConfig::default()
        };
        Ok(self.stream(stream).await?.get_or_create_consumer(name, config).await?)
    }

    /// Publishes on a stream and waits until it is stored there. The same `id` is stored once.
    pub async fn publish(&self, subject: &str, id: &str, bytes: &[u8]) -> Result<()> {
        let payload = self.wrap(id, bytes).await?;
        let message = PublishMessage::build().payload(payload.into()).message_id(id);
        self.js.send_publish(subject.to_string(), message).await?.await?;
        Ok(())
    }

    /// Bytes as a message has them: as they are, or the name of an object, if they are too long.
    pub async fn wrap(&self, id: &str, bytes: &[u8]) -> Result<Vec<u8>> {
        let room = self.client.server_info().max_payload.saturating_sub(HEADERS);
        if bytes.len() < room {
            return Ok([&[0], bytes].concat());
        }
        let object = format!("message-{id}");
        self.put(&object, bytes).await?;
        Ok([&[1], object.as_bytes()].concat())
    }

    /// What was wrapped; and the object that it was in, if it was too long for a message.
    pub async fn unwrap(&self, payload: &[u8]) -> Result<(Vec<u8>, Option<String>)> {
        match payload.split_first() {
            Some((0, bytes)) => Ok((bytes.to_vec(), None)),
            Some((1, name)) => {
                let name = String::from_utf8(name.to_vec()).context("a message names no object")?;
                Ok((self.get(&name).await?, Some(name)))
            }
            _ => bail!("a message is empty or of another version"),
        }
    }

    /// Puts an object.
    pub async fn put(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.files.put(name, &mut &bytes[..]).await?;
        Ok(())
    }

    /// Whether an object of this name is there.
    pub async fn has(&self, name: &str) -> bool {
        self.files.info(name).await.is_ok()
    }

    /// An object's bytes.
    pub async fn get(&self, name: &str) -> Result<Vec<u8>> {
        let mut object = self.files.get(name).await?;
        let mut bytes = Vec::new();
        object.read_to_end(&mut bytes).await.map_err(|e| anyhow!("the object {name}: {e}"))?;
        Ok(bytes)
    }

    /// Removes an object that is not needed any more.
    pub async fn forget(&self, name: &str) {
        // What is left behind takes room, and no more.
        let _ = self.files.delete(name).await;
    }
}

/// Whether JetStream is there for us. As plain JSON: what the client expects in the answer, Debian's server
/// does not yet say.
async fn answers(js: &jetstream::Context) -> Result<()> {
    let told: serde_json::Value = js.request("INFO", &()).await?;
    match told.pointer("/error/description") {
        Some(why) => bail!("{why}"),
        None => Ok(()),
    }
}

/// The stream behind a key-value bucket. Made as a stream: the client's own way asks the server for what
/// Debian's does not know.
fn bucket_config(name: &str, age: Option<Duration>, replicas: usize) -> StreamConfig {
    let max_age = age.unwrap_or_default();
    StreamConfig {
        name: format!("KV_{name}"),
        subjects: vec![format!("$KV.{name}.>")],
        max_messages_per_subject: 1,
        max_age,
        discard: DiscardPolicy::New,
        allow_rollup: true,
        deny_delete: true,
        allow_direct: true,
        num_replicas: replicas,
        // Never longer than entries live.
        duplicate_window: age.map_or(DUPLICATES, |age| age.min(DUPLICATES)),
        ..StreamConfig::default()
    }
}

async fn bucket(
    js: &jetstream::Context,
    name: &str,
    age: Option<Duration>,
    replicas: usize,
) -> Result<kv::Store> {
    js.get_or_create_stream(bucket_config(name, age, replicas)).await?;
    Ok(js.get_key_value(name).await?)
}

/// Tries until it works or half a minute is over.
pub async fn retry<T, F: Future<Output = Result<T>>>(mut work: impl FnMut() -> F) -> Result<T> {
    let begin = Instant::now();
    loop {
        match work().await {
            Err(_) if begin.elapsed() < STARTING => tokio::time::sleep(PATIENCE.1).await,
            done => return done,
        }
    }
}

/// Tries until it works or `stop` is set.
pub async fn retry_until_stopped<T, E: Display, F: Future<Output = Result<T, E>>>(
    stop: &Stop,
    mut work: impl FnMut() -> F,
) -> Option<T> {
    let mut pause = PATIENCE.0;
    while !stop.is_set() {
        if let Ok(value) = work().await {
            return Some(value);
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PATIENCE.1);
    }
    None
}
