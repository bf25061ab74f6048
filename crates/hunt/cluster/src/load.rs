//! A load generator: how many messages of a size servers store, and hand out and have acknowledged, in a
//! second. For `cargo lab bench cluster`.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use async_nats::jetstream::message::PublishMessage;
use futures_util::{StreamExt as _, stream};

use crate::access::Access;
use crate::link::{Link, RESULTS};

/// Messages under way at a time: about what a few hundred workers have.
const AT_A_TIME: usize = 256;

/// The time to store so many messages of this size, and the time to take and acknowledge them all.
pub fn measure(access: &Access, messages: u64, bytes: usize) -> Result<(Duration, Duration)> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("the threads of the connection cannot be started")?;
    runtime.block_on(async {
        let link = Link::open(access, "gainsay load", None, None).await?;
        let subject = "gainsay.result.load";
        let payload = bytes::Bytes::from(vec![b'x'; bytes]);
        let begin = Instant::now();
        let sent = stream::iter(0..messages).map(|n| {
            let message =
                PublishMessage::build().payload(payload.clone()).message_id(n.to_string());
            let js = &link.js;
            async move { anyhow::Ok(js.send_publish(subject, message).await?.await?) }
        });
        let failed =
            sent.buffer_unordered(AT_A_TIME).filter(|sent| std::future::ready(sent.is_err()));
        let failed = failed.count().await;
        let stored = begin.elapsed();
        if failed > 0 {
            bail!("{failed} of {messages} messages were not stored");
        }
        let consumer = link.consumer(RESULTS, "load", subject, Duration::from_secs(60)).await?;
        let begin = Instant::now();
        let mut taken = 0;
        while taken < messages {
            let mut batch = consumer
                .batch()
                .max_messages(AT_A_TIME)
                .expires(Duration::from_secs(5))
                .messages()
                .await?;
            while let Some(Ok(message)) = batch.next().await {
                message.ack().await.map_err(|error| anyhow::anyhow!(error))?;
                taken += 1;
            }
        }
        link.client.flush().await?;
        Ok((stored, begin.elapsed()))
    })
}
