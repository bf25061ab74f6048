//! A confined program writes only into its folder and reaches no network, and ordinary programs
//! do not notice.

use std::net::{TcpListener, UdpSocket};

use crate::common::{LONG, compile, compile_with, finished, sh};
use sandbox::{Run, Scratch, Status, weaknesses};

/// False where the kernel cannot do it, and says so.
fn enforced(word: &str) -> bool {
    let weak = weaknesses().iter().find(|weakness| weakness.contains(word));
    weak.inspect(|weakness| eprintln!("skipped: {weakness}")).is_none()
}

#[test]
fn writing_stays_in_the_folder() {
    let (inside, outside) = (Scratch::new().expect("a folder"), Scratch::new().expect("a folder"));
    std::fs::write(outside.file("kept"), "kept").expect("a file");
    let run = |script: &str| {
        let run = sh(script, LONG).cwd(inside.path()).env("OUT", outside.path());
        finished(&run.confined_to(inside.path())).status == Status::Exit(0)
    };
    assert!(run("echo a > a; mkdir d; mv a d/b; ln -s d/b c; chmod +x c; cat c; rm -r d"));
    assert!(run("echo a > /dev/null; cat $OUT/kept; ls / > l; : > $TMPDIR/t; sh -c 'exit 0'"));
    assert!(run("echo through > /dev/stdout"));
    if enforced("Landlock") {
        for script in [
            "echo a > $OUT/new",
            "echo a >> $OUT/kept",
            ": > $OUT/kept",
            "rm $OUT/kept",
            "mkdir $OUT/d",
            "ln -s x $OUT/l",
            "echo a > a; mv a $OUT/a",
            "echo a > a; ln a $OUT/a",
            "mv $OUT/kept .",
            "mknod null c 1 3",
            "(setsid sh -c 'echo a > $OUT/new')",
        ] {
            assert!(!run(script), "allowed: {script}");
        }
    }
    assert_eq!(std::fs::read_to_string(outside.file("kept")).ok().as_deref(), Some("kept"));
    assert_eq!(std::fs::read_dir(outside.path()).map(|d| d.count()).ok(), Some(1));
}

#[test]
fn the_network_is_closed() {
    let scratch = Scratch::new().expect("a temporary folder");
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    let udp = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let port = |address: std::io::Result<std::net::SocketAddr>| address.expect("bound").port();
    // Exit status: bit 0, TCP went through; bit 1, UDP did; bit 2, local sockets do not work.
    let source = r"
        #include <arpa/inet.h>
        #include <stdlib.h>
        #include <sys/socket.h>
        int main(int argc, char **argv) {
            struct sockaddr_in a = {AF_INET, htons(atoi(argv[1])), {htonl(INADDR_LOOPBACK)}};
            struct sockaddr_in b = {AF_INET, htons(atoi(argv[2])), {htonl(INADDR_LOOPBACK)}};
            int s = socket(AF_INET, SOCK_STREAM, 0), d = socket(AF_INET, SOCK_DGRAM, 0), p[2];
            int tcp = s >= 0 && connect(s, (void *)&a, sizeof a) == 0;
            int udp = d >= 0 && sendto(d, argv, 1, 0, (void *)&b, sizeof b) == 1;
            int local = socket(AF_UNIX, SOCK_STREAM, 0) >= 0
                && socketpair(AF_UNIX, SOCK_STREAM, 0, p) == 0;
            return tcp | udp << 1 | !local << 2;
        }";
    let Some(program) = compile(scratch.path(), source) else { return };
    let ports = [port(tcp.local_addr()).to_string(), port(udp.local_addr()).to_string()];
    let run = Run::new(program, LONG).args(ports);
    assert_eq!(finished(&run).status, Status::Exit(3), "both go through without confinement");
    if enforced("network") {
        assert_eq!(finished(&run.confined_to(scratch.path())).status, Status::Exit(0));
    }
}

#[test]
fn signals_stay_inside() {
    if !enforced("signal") {
        return;
    }
    let scratch = Scratch::new().expect("a temporary folder");
    let script = "kill -0 $PPID && exit 1; kill -9 $PPID; sleep 300 & kill $! && exit 5";
    let done = finished(&sh(script, LONG).confined_to(scratch.path()));
    assert_eq!(done.status, Status::Exit(5), "{}", done.stderr.text());
}

/// Compilers, sanitized programs and emulators do what they always do.
#[test]
fn tools_of_the_trade_work() {
    let scratch = Scratch::new().expect("a temporary folder");
    let hello = "#include <stdio.h>\n#include <stdlib.h>\n\
                 int main(void) { int *p = malloc(4); *p = 6; printf(\"%d\\n\", *p * 7); free(p); }";
    let confined = |run: Run| finished(&run.cwd(scratch.path()).confined_to(scratch.path()));
    let cc = Run::new("cc", LONG).args(["-xc", "-", "-O2", "-o", "own"]).stdin(hello);
    if compile(scratch.path(), hello).is_some() {
        let done = confined(cc);
        assert_eq!(done.status, Status::Exit(0), "{}", done.stderr.text());
        assert_eq!(confined(Run::new(scratch.file("own"), LONG)).stdout.text(), "42\n");
    }
    for (cc, flag) in [
        ("gcc", "-fsanitize=address,undefined"),
        ("clang-16", "-fsanitize=address,undefined"),
        ("clang-16", "-fsanitize=memory"),
    ] {
        let Some(program) = compile_with(cc, &["-g", flag], scratch.path(), hello) else {
            continue;
        };
        let done = confined(Run::new(program, LONG));
        assert_eq!((done.stdout.text(), done.status), ("42\n".into(), Status::Exit(0)), "{flag}");
    }
    let emulated = Run::new("qemu-aarch64", LONG).arg("--version").finish().success().is_some();
    let cross =
        Run::new("aarch64-linux-gnu-gcc", LONG).arg("--version").finish().success().is_some();
    let all = emulated && cross;
    assert!(all || std::env::var_os("CI").is_none(), "set-up installs qemu-user and a cross gcc");
    if all {
        let program = compile_with("aarch64-linux-gnu-gcc", &["-static"], scratch.path(), hello);
        let done = confined(Run::new("qemu-aarch64", LONG).args(program));
        assert_eq!(done.stdout.text(), "42\n", "{}", done.stderr.text());
    }
}
