//! The supply of a worker: blocks from the work stream, results to the other.
//!
//! Tasks of the runtime take messages from the consumers and hold them until a thread is free; another
//! tells the server every third of a lease that they are being worked on. A block is acknowledged when
//! all its results are stored, and handed back when it is left before its end.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use async_nats::jetstream::{AckKind, Message};
use campaign::{StudyFailure, StudyOutcome, WorkItem, WorkResult, WorkSource};
use futures_util::StreamExt as _;
use oracle::Trouble;
use sandbox::Stop;
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::lease::Lease;
use crate::link::{Link, WORK, retry_until_stopped};
use crate::wire::{ResultMessage, Spec, WorkMessage, decode, digest, encode};

/// One request for work waits so long on the server.
const PULL: Duration = Duration::from_secs(5);

/// What an interrupted test has found is sent within this time, or found again by another worker.
const LAST: Duration = Duration::from_secs(2);

/// A thread without work looks up from waiting this often.
const LOOK: Duration = Duration::from_millis(100);

/// A test or study, or a whole process, is told by paths: here and where the hunt was started.
pub type MovedPaths = Vec<(String, String)>;

/// What is held: messages that were taken and not answered.
#[derive(Default)]
struct Held {
    /// Those that no thread has begun.
    waiting: VecDeque<(u64, WorkItem)>,
    /// All of them.
    messages: BTreeMap<u64, Arc<Message>>,
    leases: BTreeMap<u64, Lease>,
    /// Where those are that were too long for a message.
    objects: BTreeMap<u64, String>,
    next: u64,
}

/// Work of one hunt.
pub struct Remote {
    link: Link,
    runtime: Handle,
    spec: Spec,
    /// What our own engines are called, which may be in another folder here.
    engines: Vec<String>,
    moved: MovedPaths,
    holder: String,
    jobs: usize,
    /// Ends it all.
    stop: Stop,
    held: Mutex<Held>,
    arrived: Condvar,
    /// Threads that are free, to know how much to fetch.
    busy: AtomicUsize,
    /// Why this machine cannot go on, if so.
    trouble: Mutex<Option<String>>,
    /// Tests and findings handed in.
    pub tests: AtomicU64,
    /// The same of findings.
    pub findings: AtomicU64,
}

/// What a worker knows of itself.
pub struct Setting {
    /// What its own engines are called.
    pub engines: Vec<String>,
    /// Paths here, and what they are called where the hunt was started.
    pub moved: MovedPaths,
    /// Its name.
    pub holder: String,
    /// Threads.
    pub jobs: usize,
}

impl Remote {
    /// The supply of a hunt; setting `stop` ends it.
    pub fn new(link: Link, spec: Spec, setting: Setting, stop: Stop) -> Arc<Remote> {
        let Setting { engines, moved, holder, jobs } = setting;
        Arc::new(Remote {
            link,
            runtime: Handle::current(),
            spec,
            engines,
            moved,
            holder,
            jobs,
            stop,
            held: Mutex::default(),
            arrived: Condvar::new(),
            busy: AtomicUsize::new(0),
            trouble: Mutex::default(),
            tests: AtomicU64::new(0),
            findings: AtomicU64::new(0),
        })
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why this machine cannot go on, if so.
    pub fn trouble(&self) -> Option<String> {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Whether no thread has work of this supply.
    pub fn is_idle(&self) -> bool {
        self.busy.load(Ordering::Relaxed) == 0
    }

    fn lease(&self) -> Duration {
        Duration::from_millis(self.spec.lease)
    }

    /// Takes work of a subject as long as threads are free, with one piece in hand for the first that is.
    pub async fn fetch(self: Arc<Self>, name: String, subject: String) {
        while !self.stop.is_set() {
            let made = || self.link.consumer(WORK, &name, &subject, self.lease());
            let Some(consumer) = retry_until_stopped(&self.stop, made).await else { return };
            while !self.stop.is_set() {
                let waiting = self.held().waiting.len();
                if waiting > 0 && waiting + self.busy.load(Ordering::Relaxed) > self.jobs {
                    sleep(LOOK).await;
                    continue;
                }
                let Ok(mut batch) = consumer.batch().max_messages(1).expires(PULL).messages().await
                else {
                    break;
                };
                let mut failed = false;
                while let Some(message) = batch.next().await {
                    match message {
                        Ok(message) => self.receive(message).await,
                        Err(_) => failed = true,
                    }
                }
                if failed {
                    // The server is gone, or its consumer: both come back.
                    sleep(LOOK).await;
                    break;
                }
            }
        }
    }

    async fn receive(&self, message: Message) {
        if self.try_receive(&message).await.is_err() {
            // The servers did not give all of it: it is delivered again later.
            let _ = message.ack_with(AckKind::Nak(Some(self.lease()))).await;
        }
    }

    async fn try_receive(&self, message: &Message) -> Result<()> {
        let delivered = message.info().map_or(1, |info| info.delivered);
        let (bytes, object) = self.link.unwrap(&message.payload).await?;
        let order: WorkMessage = decode(&bytes)?;
        if delivered > self.spec.deliveries {
            let answer = match order {
                WorkMessage::Block(block) => ResultMessage::BlockAside(self.spec.hunt(), block),
                WorkMessage::Study(found, ..) => ResultMessage::StudyAside(found.id),
            };
            let sequence = message.info().map_or(0, |info| info.stream_sequence);
            self.send(&answer, &format!("aside-{sequence}")).await.context("it was stopped")?;
            let _ = message.ack().await;
            return Ok(());
        }
        let mut lease = None;
        let work = match order {
            WorkMessage::Block(block) => WorkItem::Block(block),
            WorkMessage::Study(mut found, time, known) => {
                let key = format!("bug-{}", &digest(found.finding.signature.as_bytes())[..32]);
                lease = Lease::take(&self.link.leases, &key, &self.holder).await?;
                if lease.is_none() {
                    // Somebody reduces this bug. It is asked for again, for the case that they die.
                    let _ = message.ack_with(AckKind::Nak(Some(self.lease() / 2))).await;
                    return Ok(());
                }
                if let Some(at) = self.spec.engines.iter().position(|name| *name == found.engine) {
                    found.engine = self.engines[at].clone();
                }
                let moved = |text: &str| replaced(text, &self.moved, Direction::ToLocal);
                found.finding.subject.relocate(&moved);
                WorkItem::Study(found, time, known.into())
            }
        };
        let mut held = self.held();
        held.next += 1;
        let ticket = held.next;
        held.messages.insert(ticket, Arc::new(message.clone()));
        held.leases.extend(lease.map(|lease| (ticket, lease)));
        held.objects.extend(object.map(|object| (ticket, object)));
        held.waiting.push_back((ticket, work));
        drop(held);
        self.arrived.notify_one();
        Ok(())
    }

    /// Tells the server that what is held is being worked on.
    pub async fn keep_alive(self: Arc<Self>) {
        while !self.stop.is_set() {
            sleep(self.lease() / 3).await;
            let (messages, leases) = {
                let mut held = self.held();
                let messages: Vec<_> = held.messages.values().cloned().collect();
                (messages, std::mem::take(&mut held.leases))
            };
            for message in messages {
                let _ = message.ack_with(AckKind::Progress).await;
            }
            for (ticket, mut lease) in leases {
                // A lease that is lost has another holder; the first result counts.
                if lease.renew().await.is_ok() && self.held().messages.contains_key(&ticket) {
                    self.held().leases.insert(ticket, lease);
                }
            }
        }
    }

    /// Stores an answer on the results stream.
    async fn send(&self, answer: &ResultMessage, id: &str) -> Option<()> {
        let bytes = encode(answer).ok()?;
        let subject = format!("gainsay.result.{}", self.spec.identity);
        let id = format!("{}-{id}", self.spec.hunt());
        retry_until_stopped(&self.stop, || self.link.publish(&subject, &id, &bytes)).await
    }

    /// The same for a worker that ends and does not wait for servers that are away.
    async fn send_last(&self, answer: &ResultMessage, id: &str) -> Option<()> {
        let bytes = encode(answer).ok()?;
        let subject = format!("gainsay.result.{}", self.spec.identity);
        let id = format!("{}-{id}", self.spec.hunt());
        let sent = self.link.publish(&subject, &id, &bytes);
        tokio::time::timeout(LAST, sent).await.ok()?.ok()
    }

    fn give_up(&self, why: String) -> bool {
        self.trouble.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
        false
    }

    /// Hands back what no thread has begun.
    pub async fn hand_back(&self) {
        let waiting: Vec<u64> = self.held().waiting.drain(..).map(|(ticket, _)| ticket).collect();
        for ticket in waiting {
            self.close(ticket, false).await;
        }
        let _ = self.link.client.flush().await;
    }

    async fn close(&self, ticket: u64, is_done: bool) {
        let (message, lease, object) = {
            let mut held = self.held();
            let object = held.objects.remove(&ticket);
            (held.messages.remove(&ticket), held.leases.remove(&ticket), object)
        };
        if let Some(message) = message {
            let kind = if is_done { AckKind::Ack } else { AckKind::Nak(None) };
            // What is not heard comes again, and counts once.
            let _ = message.ack_with(kind).await;
        }
        if let Some(object) = object.filter(|_| is_done) {
            self.link.forget(&object).await;
        }
        if let Some(lease) = lease {
            lease.release().await;
        }
    }
}

impl WorkSource for Remote {
    type Ticket = u64;

    fn next(&self) -> Option<(WorkItem, u64)> {
        let mut held = self.held();
        while !self.stop.is_set() {
            if let Some((ticket, work)) = held.waiting.pop_front() {
                self.busy.fetch_add(1, Ordering::Relaxed);
                return Some((work, ticket));
            }
            let waited = self.arrived.wait_timeout(held, LOOK);
            held = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }

    fn submit(&self, done: WorkResult) -> bool {
        let (answer, id) = match done {
            WorkResult::Test(item, result) => match *result {
                Ok(mut tested) => {
                    self.tests.fetch_add(tested.tests, Ordering::Relaxed);
                    self.findings.fetch_add(tested.findings.len() as u64, Ordering::Relaxed);
                    tested.engine = self.spec.engines[item.engine].clone();
                    let moved = |text: &str| replaced(text, &self.moved, Direction::ToCoordinator);
                    for finding in &mut tested.findings {
                        finding.subject.relocate(&moved);
                        finding.origin = moved(&finding.origin);
                    }
                    let mut id = format!("{}-{}", item.engine, item.seed);
                    if tested.interrupted {
                        // Whoever does it again has another message.
                        id += "-interrupted";
                        let answer = ResultMessage::Tested(Box::new(tested));
                        return self.runtime.block_on(self.send_last(&answer, &id)).is_some();
                    }
                    (ResultMessage::Tested(Box::new(tested)), id)
                }
                Err(Trouble::Stopped) => return false,
                Err(trouble) => return self.give_up(trouble.to_string()),
            },
            WorkResult::Study(id, result) => {
                let result = match *result {
                    Ok(StudyOutcome::Studied(mut study) | StudyOutcome::Partly(mut study)) => {
                        study.subject.relocate(&|text: &str| {
                            replaced(text, &self.moved, Direction::ToCoordinator)
                        });
                        Ok(StudyOutcome::Studied(study))
                    }
                    Ok(outcome @ StudyOutcome::Explained(_)) => Ok(outcome),
                    Err(StudyFailure::Because(why)) => Err(why),
                    Err(StudyFailure::Unfinished) => {
                        // It may come to that more than once.
                        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                        let unlike = format!("study-{id}-unfinished-{}", now.as_millis());
                        let answer = ResultMessage::Unfinished(id);
                        return self.runtime.block_on(self.send(&answer, &unlike)).is_some();
                    }
                    Err(StudyFailure::Stopped) => return false,
                };
                (ResultMessage::Studied(id, Box::new(result)), format!("study-{id}"))
            }
            WorkResult::Stray(_) | WorkResult::Targets(_) | WorkResult::Note(_) => return true,
        };
        self.runtime.block_on(self.send(&answer, &id)).is_some()
    }

    fn release(&self, ticket: u64, is_done: bool) {
        self.runtime.block_on(self.close(ticket, is_done));
        self.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Which way a path is changed.
#[derive(Clone, Copy)]
enum Direction {
    /// To what it is called here.
    ToLocal,
    /// To what it is called where the hunt was started.
    ToCoordinator,
}

fn replaced(text: &str, moved: &[(String, String)], direction: Direction) -> String {
    moved.iter().fold(text.to_string(), |text, (here, home)| match direction {
        Direction::ToLocal => text.replace(home, here),
        Direction::ToCoordinator => text.replace(here, home),
    })
}
