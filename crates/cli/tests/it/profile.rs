//! `gainsay run --profile` from the outside.

use std::time::Duration;

use sandbox::{Ended, Finished, Run, Scratch};

const PROGRAM: &str = r#"#include <stdio.h>

static int a[4] = {3, 1, 4, 1};
static volatile int seen;

static int sum(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

static int unused(int x)
{
    if (x > 3)
        return 1;
    return 2;
}

int main(void)
{
    for (int k = 0; k < 10; k++)
        seen = k;
    if (seen > 100) {
        printf("large\n");
        return unused(1);
    }
    printf("%d\n", sum(4));
    return 0;
}
"#;

fn profile(source: &str, more: &[&str]) -> Finished {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("a.c"), source).expect("a file in it");
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(60))
        .args(["run", "--profile", "a.c"])
        .args(more)
        .cwd(scratch.path());
    match run.finish() {
        Ended::Finished(finished) => finished,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_person_can_read_it() {
    let got = profile(PROGRAM, &[]);
    assert_eq!(got.stdout.text(), "9\n");
    let want = r#"profile: 8 of 13 statements ran; 1 volatile read, 10 volatile writes
  a.c:9    1x  for (int i = 0; i < n; i++)   n: 4; s: 0
  a.c:10   4x  s += a[i];                    s: 0, 3, 4, 8; i: 0, 1, 2, 3; a[0]: 3
  a.c:11   1x  return s;                     s: 9; n: 4
  a.c:23   1x  for (int k = 0; k < 10; k++)
  a.c:24  10x  seen = k;                     k: 0..9 (10 values); seen: 0..8 (9 values)
  a.c:25   1x  if (seen > 100) {             seen: 9
  a.c:29   1x  printf("%d\n", sum(4));
  a.c:30   1x  return 0;
never ran:
  a.c:16-18  if (x > 3) (3 statements of unused)
  a.c:26-27  printf("large\n"); (2 statements of main)
"#;
    assert_eq!(got.stderr.text(), want);
}

#[test]
fn json_has_everything() {
    let got = profile(PROGRAM, &["--json"]);
    assert_eq!(got.stderr.text(), "");
    let object: serde_json::Value = serde_json::from_slice(&got.stdout.bytes).expect("JSON");
    let profile = &object["profile"];
    let statements = profile["statements"].as_array().expect("statements");
    assert_eq!(statements.len(), 13);
    let add = statements.iter().find(|s| s["line"] == 10).expect("s += a[i]");
    assert_eq!((&add["visits"], &add["ran"]), (&4.into(), &true.into()));
    assert_eq!((&add["function"], &add["column"]), (&"sum".into(), &9.into()));
    let variables = add["variables"].as_array().expect("variables");
    let s = variables.iter().find(|v| v["name"] == "s").expect("s");
    assert_eq!(s["values"], serde_json::json!([0, 3, 4, 8]));
    assert_eq!((&s["type"], &s["complete"]), (&"int".into(), &true.into()));
    assert!(variables.iter().any(|v| v["name"] == "a[3]"));
    let volatile = profile["volatile"].as_array().expect("volatile");
    assert_eq!(volatile.len(), 11);
    assert_eq!((&volatile[3]["access"], &volatile[3]["value"]), (&"write".into(), &3.into()));
    assert_eq!(volatile[10]["line"], 25);
}

#[test]
fn branches_are_told_for_each_caller() {
    let source = "int f(int x) { return x ? 1 : 2; }
int main(void) { for (int i = 0; i < 3; i++) f(i); return f(0) - 2; }";
    let got = profile(source, &["--json"]);
    let object: serde_json::Value = serde_json::from_slice(&got.stdout.bytes).expect("JSON");
    let branches = object["profile"]["branches"].as_array().expect("branches");
    let ways: Vec<_> = branches
        .iter()
        .map(|b| (b["caller"]["code"].as_str(), b["taken"].as_u64(), b["not_taken"].as_u64()))
        .collect();
    assert!(ways.contains(&(Some("f(i)"), Some(2), Some(1))), "{ways:?}");
    assert!(ways.contains(&(Some("f(0)"), Some(0), Some(1))), "{ways:?}");
}

#[test]
fn members_and_bit_fields_are_told() {
    let source = "struct { int a : 3; struct { char c; } in[2]; } s = {-2, {{1}, {2}}};
int main(void) { int *p = 0; return p ? 1 : s.a + s.in[1].c; }";
    let text = profile(source, &["--json"]).stdout.bytes;
    let object: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
    let variables = object["profile"]["statements"][0]["variables"].as_array().expect("variables");
    let told: Vec<_> = variables.iter().map(|v| (v["name"].as_str(), v["min"].as_i64())).collect();
    let expected =
        [(Some("s.a"), Some(-2)), (Some("s.in[0].c"), Some(1)), (Some("s.in[1].c"), Some(2))];
    assert_eq!(told, expected);
}

#[test]
fn an_undefined_program_is_told_up_to_its_end() {
    let source = "int main(void)\n{\n    int x = 1;\n    x = x / (x - 1);\n    return x;\n}\n";
    let text = profile(source, &[]).stderr.text();
    assert!(text.contains("a.c:4  1x  x = x / (x - 1);  x: 1\n"), "{text}");
    assert!(text.contains("never ran:\n  a.c:5  return x;\n"), "{text}");
    assert!(text.contains("error[div-by-zero]"), "{text}");
}

#[test]
fn off_by_default() {
    let scratch = Scratch::new().expect("a temporary folder");
    std::fs::write(scratch.file("a.c"), PROGRAM).expect("a file in it");
    let run = Run::new(env!("CARGO_BIN_EXE_gainsay"), Duration::from_secs(60))
        .args(["run", "--json", "a.c"])
        .cwd(scratch.path());
    let Ended::Finished(got) = run.finish() else { panic!("it did not finish") };
    let object: serde_json::Value = serde_json::from_slice(&got.stdout.bytes).expect("JSON");
    assert!(object.get("profile").is_none());
}
