//! A server as browsers and others see it, asked over a socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::time::Duration;

use campaign::{NewFinding, Standing, Store, Tested};
use finding::{ProgramSubject, Subject};
use oracle::{Certificate, Expected, FailureKind, SourceFile};
use sandbox::Scratch;

use crate::{Folder, Options, Token, serve};

const TOKEN: &str = "a-token-of-the-tests";

fn tested(seed: u64, summary: &str) -> Tested {
    let file = |name: &str, text: &str| SourceFile { name: name.into(), bytes: text.into() };
    let kind = FailureKind::WrongOutput;
    let finding = NewFinding {
        attributed_to: None,
        kind,
        signature: format!("wrong-output gcc {seed}"),
        summary: summary.into(),
        standing: Standing::Confirmed,
        subject: Subject::Program(ProgramSubject {
            expected: Some(Expected::default()),
            ..ProgramSubject::named(kind, &["test.c"], &[("gcc", "-O2")], &[("gcc", "-O0")])
        }),
        files: vec![file("test.c", "int main(void) { return 0; } /* <script>x</script> */\n")],
        artifacts: vec![file("expected", ""), file("gcc_-O2.stdout", "<b>1</b>\n")],
        origin: "a test".into(),
        certificate: Certificate::default(),
    };
    Tested { findings: vec![finding], ..Tested::new("yarp", seed) }
}

/// A hunt with one finding, and a server for as long as the tests run.
fn server(token: Option<&str>) -> (Scratch, Store, SocketAddr) {
    let dir = Scratch::new().expect("a temporary folder");
    let mut store = Store::create(dir.path()).expect("it opens");
    store.record(&tested(1, "prints <b> for 2")).expect("it records");
    let source = Folder::open(dir.path()).expect("it opens");
    let token = token.map(|text| Token::new(text).expect("a token"));
    let options = Options { listen: "127.0.0.1:0".parse().expect("an address"), token };
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        serve(Box::new(source), options, move |address| Ok(send.send(address)?))
            .expect("it serves");
    });
    let address = receive.recv_timeout(Duration::from_secs(20)).expect("it listens");
    (dir, store, address)
}

/// Status, head and body of an answer.
fn ask(address: SocketAddr, line: &str, headers: &str) -> (u16, String, Vec<u8>) {
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it can wait");
    write!(stream, "{line} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n").expect("it is asked");
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("it answers");
    let end = all.windows(4).position(|four| four == b"\r\n\r\n").expect("a head");
    let head = String::from_utf8_lossy(&all[..end]).to_lowercase();
    let status = head.split(' ').nth(1).and_then(|n| n.parse().ok()).expect("a status");
    (status, head, all[end + 4..].to_vec())
}

fn get(address: SocketAddr, path: &str) -> (u16, String, String) {
    let (status, head, body) = ask(address, &format!("GET {path}"), "Host: localhost\r\n");
    (status, head, String::from_utf8_lossy(&body).into_owned())
}

#[test]
fn pages_are_there_and_guarded() {
    let (_dir, _store, address) = server(None);
    for (path, want) in [
        ("/", "distinct bug"),
        ("/findings", "prints &lt;b&gt; for 2"),
        (
            "/findings?kind=wrong-output&q=prints&page=x",
            "0 distinct bugs, 1 finding not yet attributed (1 finding in 1 row)",
        ),
        ("/findings?kind=rejection", "Nothing fits."),
        ("/finding/1", "&lt;script&gt;x&lt;/script&gt;"),
        ("/style.css", "color-scheme"),
        ("/script.js", "EventSource"),
        ("/icon.svg", "<svg"),
    ] {
        let (status, head, body) = get(address, path);
        assert_eq!(status, 200, "{path}: {head}");
        assert!(body.contains(want), "{path}: {body}");
        for part in [
            "default-src 'none'; script-src 'self'",
            "nosniff",
            "no-referrer",
            "frame-ancestors 'none'",
        ] {
            assert!(head.contains(part), "{path}: {head}");
        }
        assert!(!head.contains("unsafe"), "{head}");
    }
    for path in ["/nothing", "/finding/2", "/finding/x", "/finding/2/report.zip", "/../etc/passwd"]
    {
        assert_eq!(get(address, path).0, 404, "{path}");
    }
    for method in ["POST", "PUT", "DELETE"] {
        assert_eq!(ask(address, &format!("{method} /"), "Host: localhost\r\n").0, 405);
    }
}

#[test]
fn other_names_of_this_machine_are_refused() {
    let (_dir, _store, address) = server(None);
    let status = |host: &str| ask(address, "GET /", &format!("Host: {host}\r\n")).0;
    for host in ["localhost:4270", "127.0.0.1", "127.0.0.2:4270", "[::1]:80"] {
        assert_eq!(status(host), 200, "{host}");
    }
    for host in ["evil.example", "localhost.evil.example:80", "127.0.0.1.evil.example", "192.0.2.1"]
    {
        assert_eq!(status(host), 403, "{host}");
    }
}

#[test]
fn a_report_is_downloaded_whole() {
    let (_dir, _store, address) = server(None);
    let (status, head, body) = ask(address, "GET /finding/1/report.zip", "Host: localhost\r\n");
    assert_eq!(status, 200, "{head}");
    assert!(
        head.contains("filename=\"gainsay-1.zip\"") && head.contains("application/zip"),
        "{head}"
    );
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(body)).expect("a zip");
    let names: Vec<String> = zip.file_names().map(String::from).collect();
    for name in ["test.c", "report.md", "reproduce.sh", "expected", "original/test.c"] {
        assert!(names.contains(&format!("gainsay-1/{name}")), "{name} in {names:?}");
    }
    let mut script = zip.by_name("gainsay-1/reproduce.sh").expect("it is there");
    assert_eq!(script.unix_mode().map(|mode| mode & 0o777), Some(0o755));
    let mut text = String::new();
    script.read_to_string(&mut text).expect("it is text");
    assert!(text.starts_with("#!"), "{text}");
}

#[test]
fn a_token_is_demanded_and_remembered() {
    let (_dir, _store, address) = server(Some(TOKEN));
    let with =
        |line: &str, headers: &str| ask(address, line, &format!("Host: anything\r\n{headers}"));
    for (line, headers) in [
        ("GET /", String::new()),
        ("GET /?token=", String::new()),
        ("GET /?token=a-token-of-the-testx", String::new()),
        ("GET /events", String::new()),
        ("GET /finding/1/report.zip", format!("Cookie: other={TOKEN}\r\n")),
        ("GET /", format!("Authorization: Bearer {TOKEN}x\r\n")),
    ] {
        let (status, head, body) = with(line, &headers);
        assert_eq!(status, 401, "{line} {headers}: {head}");
        assert!(!String::from_utf8_lossy(&body).contains("prints"), "{line}");
    }
    assert_eq!(with("GET /", &format!("Authorization: Bearer {TOKEN}\r\n")).0, 200);
    assert_eq!(with("GET /style.css", "").0, 200);
    let (status, head, _) = with(&format!("GET /findings?q=a&token={TOKEN}&page=2"), "");
    assert_eq!(status, 303, "{head}");
    assert!(head.contains("location: /findings?q=a&page=2\r\n"), "{head}");
    assert!(head.contains("httponly; samesite=strict"), "{head}");
    // A browser sends it back; another server of this host, with another token, has another name for its.
    let cookie = |token: &str| {
        let (_dir, _store, address) = server(Some(token));
        let (_, head, _) = ask(address, &format!("GET /?token={token}"), "Host: anything\r\n");
        let (_, set) = head.split_once("set-cookie: ").expect("a cookie");
        set.split_once('=').expect("a name").0.to_string()
    };
    let (ours, theirs) = (cookie(TOKEN), cookie("another-token-of-the-tests"));
    assert_ne!(ours, theirs);
    assert_eq!(ours, cookie(TOKEN));
    let (_, head, _) = with(&format!("GET //evil.example/?token={TOKEN}"), "");
    assert!(head.contains("location: /evil.example/"), "{head}");
    let both = format!("Cookie: a=b; {theirs}=another; {ours}={TOKEN}\r\n");
    assert_eq!(with("GET /", &both).0, 200);
}

#[test]
fn tokens_are_long_and_fresh() {
    for poor in ["", "short", "0123456789abcde", "0123456789abcdef;", "0123456789 abcdef"] {
        assert!(Token::new(poor).is_err(), "{poor}");
    }
    let [a, b] = [Token::random(), Token::random()].map(|token| token.expect("a token"));
    assert_ne!(a.text(), b.text());
    assert!(Token::new(a.text()).is_ok());
    assert!(!format!("{a:?}").contains(a.text()), "a log does not tell it");
}

#[test]
fn others_are_not_served_without_a_token() {
    let dir = Scratch::new().expect("a temporary folder");
    drop(Store::create(dir.path()).expect("it opens"));
    let source = Folder::open(dir.path()).expect("it opens");
    let options = Options { listen: "0.0.0.0:0".parse().expect("an address"), token: None };
    let error = serve(Box::new(source), options, |_| Ok(())).expect_err("it refuses").to_string();
    assert!(error.contains("a token is required"), "{error}");
}

#[test]
fn changes_are_told() {
    let (_dir, mut store, address) = server(None);
    let mut stream = TcpStream::connect(address).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("it can wait");
    write!(stream, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("it is asked");
    let mut lines = BufReader::new(stream).lines().map(|line| line.expect("it goes on"));
    assert!(lines.by_ref().any(|line| line.contains("text/event-stream")));
    assert!(lines.by_ref().any(|line| line.is_empty()), "the head ends");
    store.record(&tested(2, "another")).expect("it records");
    assert!(lines.by_ref().any(|line| line == "event: change"));
    assert!(get(address, "/findings").2.contains("another"));
    assert_eq!(get(address, "/finding/2").0, 200);
}
