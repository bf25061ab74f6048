//! Reading a hunt remotely: the coordinator answers for its store, and [`HuntClient`] asks.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use async_nats::{RequestErrorKind, Subscriber};
use campaign::{Finding, Snapshot, Store, StoredTarget, Study};
use futures_util::StreamExt as _;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use crate::access::Access;
use crate::link::Link;
use crate::wire::{decode, encode};

/// The subject of requests.
pub const LOOK: &str = "gainsay.look";

/// A store that is large and far away answers after this, or not at all.
const WAIT: Duration = Duration::from_secs(20);

/// A request.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum Question {
    /// A number that changes with the hunt.
    Changes,
    /// What is new to a reader who has seen this much of the hunt of this identity.
    News { identity: String, seen: (i64, u64) },
    /// All about one finding.
    Finding(i64),
}

/// What is new of a hunt.
#[derive(Debug, Serialize, Deserialize)]
struct News {
    identity: String,
    shot: Snapshot,
}

/// A finding, its study and all targets.
pub type FindingDetail = (Finding, Option<Study>, Vec<StoredTarget>);

/// The answering end.
pub struct HuntResponder {
    store: Store,
    identity: String,
    latest: Snapshot,
}

impl HuntResponder {
    /// For the store of a folder that a hunt writes.
    pub fn open(dir: &Path, identity: &str) -> Result<HuntResponder> {
        let (store, latest) = (Store::open_to_read(dir)?, Snapshot::default());
        Ok(HuntResponder { store, identity: identity.into(), latest })
    }

    /// Answers until the connection ends.
    pub async fn answer(self, link: Link, mut asked: Subscriber) {
        let responder = Arc::new(Mutex::new(self));
        let mut long = 0u64;
        while let Some(message) = asked.next().await {
            let Some(reply) = message.reply.clone() else { continue };
            let responder = responder.clone();
            let read = tokio::task::spawn_blocking(move || {
                let mut responder = responder.lock().unwrap_or_else(PoisonError::into_inner);
                responder.reply(&message.payload)
            });
            let said: Result<Vec<u8>, String> = match read.await {
                Ok(said) => said.map_err(|error| format!("{error:#}")),
                Err(_) => Err("this is a bug in the coordinator: please report it".into()),
            };
            long += 1;
            let Ok(bytes) = encode(&said) else { continue };
            // A client without an answer asks again.
            if let Ok(payload) = link.wrap(&format!("{reply}-{long}"), &bytes).await {
                let _ = link.client.publish(reply, payload.into()).await;
            }
        }
    }

    fn reply(&mut self, question: &[u8]) -> Result<Vec<u8>> {
        match decode(question)? {
            Question::Changes => encode(&self.store.changes()?),
            Question::News { identity, seen } => {
                self.store.refresh(&mut self.latest)?;
                let seen = if identity == self.identity { seen } else { (0, 0) };
                let shot = self.latest.since(seen);
                encode(&News { identity: self.identity.clone(), shot })
            }
            Question::Finding(id) => {
                let Some(found) = self.store.finding(id)? else {
                    return encode(&None::<FindingDetail>);
                };
                encode(&Some((found, self.store.study(id)?, self.store.stored_targets()?)))
            }
        }
    }
}

/// The asking end.
pub struct HuntClient {
    runtime: Runtime,
    link: Link,
    at: String,
    /// Of the hunt that was last heard of.
    identity: Mutex<String>,
}

impl HuntClient {
    /// Connects; an error is a sentence about why not. Must not be called by a thread of another runtime.
    pub fn connect(access: &Access, name: &str) -> Result<HuntClient> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .context("the threads of the connection cannot be started")?;
        let name = format!("gainsay serve {name}");
        let link = runtime.block_on(Link::open(access, &name, None, None))?;
        Ok(HuntClient { runtime, link, at: access.shown(), identity: Mutex::default() })
    }

    /// The servers, as text without secrets.
    pub fn at(&self) -> &str {
        &self.at
    }

    /// A number that changes with the hunt.
    pub fn changes(&self) -> Result<i64> {
        self.ask(&Question::Changes)
    }

    /// Brings a snapshot up to date.
    pub fn refresh(&self, shot: &mut Snapshot) -> Result<()> {
        let mut identity = self.identity.lock().unwrap_or_else(PoisonError::into_inner);
        let question = Question::News { identity: identity.clone(), seen: shot.seen() };
        let news: News = self.ask(&question)?;
        if news.identity != *identity {
            *shot = Snapshot::default();
            *identity = news.identity;
        }
        shot.absorb(news.shot);
        Ok(())
    }

    /// All about one finding; `None` if there is none of this number.
    pub fn finding(&self, id: i64) -> Result<Option<FindingDetail>> {
        self.ask(&Question::Finding(id))
    }

    fn ask<T: DeserializeOwned>(&self, question: &Question) -> Result<T> {
        let request = async_nats::Request::new().payload(encode(question)?.into());
        let request = request.timeout(Some(WAIT));
        let (payload, object) = self.runtime.block_on(async {
            let reply = self.link.client.send_request(LOOK, request).await;
            let reply = reply.map_err(|error| match error.kind() {
                RequestErrorKind::NoResponders => anyhow!(
                    "no coordinator of a hunt answers on {}. What an earlier one found is in the folder of its \
                     coordinator: `gainsay serve --hunt DIR` there",
                    self.at
                ),
                RequestErrorKind::TimedOut => {
                    anyhow!("the coordinator on {} does not answer", self.at)
                }
                _ => anyhow!("{}: {error}", self.at),
            })?;
            self.link.unwrap(&reply.payload).await
        })?;
        if let Some(object) = object {
            self.runtime.block_on(self.link.forget(&object));
        }
        match decode::<Result<Vec<u8>, String>>(&payload)? {
            Ok(bytes) => decode(&bytes),
            Err(why) => bail!("the coordinator on {} says: {why}", self.at),
        }
    }
}
