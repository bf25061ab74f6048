//! What each address answers.

use std::convert::Infallible;
use std::sync::Arc;

use anyhow::Result;
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use report::{Filter, View};
use tokio_stream::wrappers::WatchStream;
use tokio_stream::{Stream, StreamExt};

use crate::archive;
use crate::hub::{Hub, now};

/// Our script, the only one that browsers run.
const SCRIPT: &str = include_str!("script.js");

/// A bug, looked at.
const ICON: &str = include_str!("icon.svg");

/// What the form of the list asks for.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
struct ListQuery {
    q: String,
    kind: String,
    target: String,
    pass: String,
    engine: String,
    status: String,
    page: String,
}

/// All addresses.
pub fn router(hub: Arc<Hub>) -> Router {
    Router::new()
        .route("/", get(overview))
        .route("/findings", get(findings))
        .route("/finding/{id}", get(finding))
        .route("/finding/{id}/report.zip", get(download))
        .route("/events", get(events))
        .route("/style.css", get(|| fixed("text/css; charset=utf-8", report::STYLE)))
        .route("/script.js", get(|| fixed("text/javascript; charset=utf-8", SCRIPT)))
        .route("/icon.svg", get(|| fixed("image/svg+xml", ICON)))
        .fallback(nothing)
        .with_state(hub)
}

async fn fixed(kind: &'static str, text: &'static str) -> Response {
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

async fn nothing() -> Response {
    notice(StatusCode::NOT_FOUND, "Not found", "There is no such page.")
}

async fn overview(State(hub): State<Arc<Hub>>) -> Response {
    page(move || {
        let shot = hub.shot()?;
        Ok(report::overview(&View { name: &hub.name, now: now(), shot: &shot }))
    })
    .await
}

async fn findings(State(hub): State<Arc<Hub>>, Query(asked): Query<ListQuery>) -> Response {
    let filter = Filter {
        kind: asked.kind,
        target: asked.target,
        pass: asked.pass,
        engine: asked.engine,
        status: asked.status,
        text: asked.q,
        page: asked.page.parse().unwrap_or(1),
    };
    page(move || {
        let shot = hub.shot()?;
        Ok(report::findings(&View { name: &hub.name, now: now(), shot: &shot }, &filter))
    })
    .await
}

async fn finding(State(hub): State<Arc<Hub>>, Path(id): Path<String>) -> Response {
    let work = move || -> Result<Response> {
        Ok(match known(&hub, &id)? {
            Ok(detail) => Html(report::finding(&hub.name, &detail)).into_response(),
            Err(missing) => missing,
        })
    };
    answer(work).await
}

async fn download(State(hub): State<Arc<Hub>>, Path(id): Path<String>) -> Response {
    let work = move || -> Result<Response> {
        let detail = match known(&hub, &id)? {
            Ok(detail) => detail,
            Err(missing) => return Ok(missing),
        };
        Ok(match archive::report(&detail) {
            Ok(bytes) => {
                let name = format!("attachment; filename=\"gainsay-{}.zip\"", detail.found.id);
                let kind = (header::CONTENT_TYPE, "application/zip".to_string());
                ([kind, (header::CONTENT_DISPOSITION, name)], bytes).into_response()
            }
            Err(why) => notice(StatusCode::NOT_FOUND, "No report", &format!("{why:#}")),
        })
    };
    answer(work).await
}

/// A finding, or the page that says that there is none.
fn known(hub: &Hub, id: &str) -> Result<Result<report::Detail, Response>> {
    let detail = match id.parse() {
        Ok(id) => hub.detail(id)?,
        Err(_) => None,
    };
    let missing =
        || notice(StatusCode::NOT_FOUND, "Not found", "There is no finding of this number.");
    Ok(detail.ok_or_else(missing))
}

async fn events(State(hub): State<Arc<Hub>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let changes = WatchStream::from_changes(hub.changes());
    let events = changes.map(|n| Ok(Event::default().event("change").data(n.to_string())));
    Sse::new(events).keep_alive(KeepAlive::default())
}

async fn page(work: impl FnOnce() -> Result<String> + Send + 'static) -> Response {
    answer(move || work().map(|text| Html(text).into_response())).await
}

/// Computes an answer on a thread that may block.
async fn answer(work: impl FnOnce() -> Result<Response> + Send + 'static) -> Response {
    let failed = |why: String| notice(StatusCode::INTERNAL_SERVER_ERROR, "Internal error", &why);
    match tokio::task::spawn_blocking(work).await {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => failed(format!("{error:#}")),
        Err(_) => failed("This is a bug in Gainsay: please report it.".into()),
    }
}

/// A page that only says something.
pub fn notice(status: StatusCode, title: &str, words: &str) -> Response {
    (status, Html(report::notice(title, words))).into_response()
}
