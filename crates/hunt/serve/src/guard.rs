//! Access control, and the security headers of responses.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use subtle::ConstantTimeEq;

use crate::answer::notice;

/// Only our own script and style; nothing may frame a page, and forms lead back to us.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
     connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The cookie that remembers a token begins with this. Browsers keep one set of cookies for all ports of a
/// host: servers with different tokens have different cookies.
const COOKIE: &str = "gainsay-token";

/// What is the same for every hunt: even a refusal may look like a page of ours.
const OPEN: &[&str] = &["/style.css", "/script.js", "/icon.svg"];

/// A shorter token could be guessed.
const SHORTEST: usize = 16;

/// What a browser must know to see a page.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// One that a person chose.
    pub fn new(text: &str) -> Result<Token> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if text.len() < SHORTEST || !text.chars().all(plain) {
            bail!(
                "a token is {SHORTEST} or more letters, digits, - or _: leave \
                 --token out to have one made"
            );
        }
        Ok(Token(text.into()))
    }

    /// A fresh one.
    pub fn random() -> Result<Token> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).ok().context("the system has no random numbers")?;
        Ok(Token(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    /// The text, for those who are given access.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The name of the cookie that remembers it.
    fn cookie(&self) -> String {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        format!("{COOKIE}-{:08x}", hasher.finish() as u32)
    }

    /// Whether it is this one; how long that takes does not tell where they differ.
    fn is(&self, other: &str) -> bool {
        self.0.as_bytes().ct_eq(other.as_bytes()).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// The same addresses, for those who may look.
pub fn guarded(router: Router, token: Option<Token>) -> Router {
    router.layer(middleware::from_fn_with_state(token, guard))
}

async fn guard(State(token): State<Option<Token>>, request: Request, next: Next) -> Response {
    let mut response = match refused(token.as_ref(), &request) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    response
}

/// What is answered in place of the page, if anything.
fn refused(token: Option<&Token>, request: &Request) -> Option<Response> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Some(notice(
            StatusCode::METHOD_NOT_ALLOWED,
            "Read-only",
            "Pages can only be read.",
        ));
    }
    let Some(token) = token else {
        // Without a token only the name of this machine keeps other web sites from asking in a
        // browser's name: they can make their own name lead here.
        let words = "This page is served to this machine only: open it as localhost or 127.0.0.1.";
        let strange = || notice(StatusCode::FORBIDDEN, "Not allowed", words);
        return (!is_local(request.headers(), request.uri())).then(strange);
    };
    if let Some(given) = in_query(request.uri()) {
        if token.is(given) {
            return Some(remember(token, request.uri()));
        }
    } else if presented(request.headers(), &token.cookie()).any(|given| token.is(given))
        || OPEN.contains(&request.uri().path())
    {
        return None;
    }
    let words = "Open the address that `gainsay serve` printed, with its token.";
    let mut response = notice(StatusCode::UNAUTHORIZED, "A token is needed", words);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    Some(response)
}

/// Whether the browser calls us by a name of this machine.
fn is_local(headers: &HeaderMap, uri: &Uri) -> bool {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let Some(host) = host.or_else(|| uri.authority().map(|a| a.as_str())) else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    name == "localhost" || bare.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

fn in_query(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find_map(|part| part.strip_prefix("token="))
}

/// Tokens in the headers.
fn presented<'h>(headers: &'h HeaderMap, cookie: &str) -> impl Iterator<Item = &'h str> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer.and_then(|value| value.strip_prefix("Bearer "));
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let ours = cookies
        .flat_map(|value| value.split(';'))
        .filter_map(move |one| one.trim().strip_prefix(cookie)?.strip_prefix('='));
    bearer.into_iter().chain(ours)
}

/// Lets the browser keep the token, and takes it out of the address bar.
fn remember(token: &Token, uri: &Uri) -> Response {
    let rest: Vec<&str> =
        uri.query().unwrap_or("").split('&').filter(|part| !part.starts_with("token=")).collect();
    // A path that began with two slashes would lead to another machine.
    let path = format!("/{}", uri.path().trim_start_matches('/'));
    let to = if rest.is_empty() { path } else { format!("{path}?{}", rest.join("&")) };
    let (name, text) = (token.cookie(), token.text());
    let cookie = format!("{name}={text}; HttpOnly; SameSite=Strict; Path=/");
    (StatusCode::SEE_OTHER, [(header::LOCATION, to), (header::SET_COOKIE, cookie)]).into_response()
}
