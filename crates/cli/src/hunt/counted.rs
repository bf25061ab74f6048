//! One number of distinct bugs: terminal, list, page, JSON, SARIF and JUnit on one store.

use std::collections::BTreeSet;

use campaign::{BugCount, Cost, Store, Tested};
use oracle::FailureKind;
use report::View;
use serde_json::Value;

use super::{Outcome, lines, sample, summary};
use crate::findings;

/// A store with two studied bugs, one of which explains a third finding, a crash that nobody studied, two findings
/// of wrong code that are not attributed, a suppressed bug and a disputed finding.
fn store(dir: &std::path::Path) -> Store {
    let mut store = Store::create(dir).expect("it opens");
    let wrong = |signature: &str| sample::finding(0, FailureKind::WrongOutput, signature).finding;
    let crash = |signature: &str| sample::finding(0, FailureKind::CompilerCrash, signature).finding;
    let mut disputed = wrong("wrong-output tcc");
    disputed.standing = campaign::Standing::Disputed;
    let all = [
        wrong("wrong-output gcc-12 -O2"),
        wrong("wrong-output gcc-12 -O2"),
        wrong("wrong-output gcc-12 -O2"),
        crash("compiler-crash gcc in extract_insn"),
        wrong("wrong-output gcc-12 -O2"),
        wrong("wrong-output gcc-12 -O3"),
        crash("compiler-crash gcc known"),
        disputed,
    ];
    for (seed, finding) in (1..).zip(all) {
        let tested = Tested { findings: vec![finding], ..Tested::new("yarp", seed) };
        store.record(&tested).expect("it records");
    }
    for (id, key) in [(1, "tailr"), (2, "vrp")] {
        let study = campaign::Study { key: key.into(), ..sample::study() };
        store.put_study(id, &study).expect("it is kept");
    }
    store.attribute(3, 1).expect("it is noted");
    store.suppress("*known", "PR 7").expect("it is suppressed");
    store
}

/// The number before some words in a text.
#[track_caller]
fn before(text: &str, words: &str) -> usize {
    let (head, _) = text.split_once(words).unwrap_or_else(|| panic!("no {words:?} in {text}"));
    let number = head.trim_end().trim_end_matches("</b>").rsplit([' ', '>', '(', '\n']).next();
    number
        .and_then(|n| n.parse().ok())
        .unwrap_or_else(|| panic!("no number before {words:?} in {text}"))
}

#[test]
fn everybody_counts_the_same_bugs() {
    let scratch = sandbox::Scratch::new().expect("a temporary folder");
    let store = store(scratch.path());
    let shot = store.snapshot().expect("it reads");
    let count = BugCount::of(&shot.bugs);
    let want = BugCount {
        distinct: 3,
        fixed: 0,
        findings: 4,
        unattributed: 2,
        suppressed: 1,
        suppressed_findings: 1,
        disputed: 1,
        unconfirmed: 0,
        cannot_tell: 0,
    };
    assert_eq!(count, want);

    // The terminal, while it hunts and when it is over.
    let progress = sample::progress();
    let now: BTreeSet<i64> = (1..=8).collect();
    let outcome = Outcome::in_run(shot.clone(), &now);
    let told = summary::text(&sample::setting(), &progress, Cost::default(), &outcome);
    let line = lines::progress(&progress, &count);
    // The list, the page, and what scripts and CI systems read.
    let list = findings::text(&store, findings::ListFormat::Table).expect("a list");
    let view = View { name: "hunt", now: 1_800_000_000, shot: &shot };
    let page = report::overview(&view);
    for text in [&told, &line, &list] {
        assert_eq!(before(text, " distinct bugs"), 3, "{text}");
        assert_eq!(before(text, " findings not yet attributed"), 2, "{text}");
    }
    assert_eq!(before(&page, " distinct bugs"), 3, "{page}");
    assert_eq!(before(&page, " findings not yet attributed"), 2, "{page}");
    let end = lines::end_object(&progress, &count);
    assert_eq!((&end["distinct"], &end["bugs"]["unattributed"]), (&3.into(), &2.into()));

    let json = findings::text(&store, findings::ListFormat::Json).expect("objects");
    let objects: Vec<Value> =
        json.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let counts = |o: &&Value| o["standing"] == "confirmed" && o["suppressed"].is_null();
    let distinct: BTreeSet<String> = objects
        .iter()
        .filter(counts)
        .filter(|o| o["attributed"] == true)
        .map(|o| o["bug"].to_string())
        .collect();
    assert_eq!(distinct.len(), 3, "{json}");
    let others = objects.iter().filter(counts).filter(|o| o["attributed"] == false).count();
    assert_eq!(others, 2, "{json}");

    let sarif = findings::text(&store, findings::ListFormat::Sarif).expect("SARIF");
    let sarif: Value = serde_json::from_str(&sarif).expect("JSON");
    let run = &sarif["runs"][0];
    assert_eq!(run["properties"]["count"]["distinct"], 3, "{sarif:#}");
    let results = run["results"].as_array().expect("results");
    let fails = |attributed: bool| {
        let of = |r: &&Value| r["level"] == "error" && r["properties"]["attributed"] == attributed;
        results
            .iter()
            .filter(of)
            .map(|r| r["occurrenceCount"].as_u64().expect("a count"))
            .collect::<Vec<_>>()
    };
    assert_eq!(fails(true).len(), 3, "{sarif:#}");
    assert_eq!(fails(false).iter().sum::<u64>(), 2, "{sarif:#}");
    let junit = findings::text(&store, findings::ListFormat::Junit).expect("XML");
    assert!(junit.contains(" failures=\"5\" errors=\"0\" skipped=\"2\""), "{junit}");

    // The same title of the same bug everywhere.
    let title = "wrong code at -O2, pass tailr";
    for text in [&told, &page, &json, &junit, &format!("{sarif}")] {
        assert!(text.contains(title), "{text}");
    }
    // The list is as wide as its terminal.
    assert!(list.contains("wrong code at -O2, pass"), "{list}");
}

/// What SARIF 2.1.0 demands of the parts that we write (OASIS, 3.13 to 3.27).
#[test]
fn sarif_is_what_its_schema_says() {
    let scratch = sandbox::Scratch::new().expect("a temporary folder");
    let text = findings::text(&store(scratch.path()), findings::ListFormat::Sarif).expect("SARIF");
    let log: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&log["version"], log["runs"].as_array().map(Vec::len)), (&"2.1.0".into(), Some(1)));
    assert!(log["$schema"].as_str().is_some_and(|url| url.ends_with("sarif-2.1.0.json")));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert_eq!(driver["name"], "Gainsay");
    assert!(driver["informationUri"].as_str().is_some_and(|uri| uri.starts_with("https://")));
    let rules = driver["rules"].as_array().expect("rules");
    let ids: BTreeSet<&str> = rules.iter().filter_map(|rule| rule["id"].as_str()).collect();
    assert_eq!(ids.len(), rules.len(), "each rule has an id of its own");
    let artifacts = run["artifacts"].as_array().expect("artifacts");
    let uris: BTreeSet<&str> =
        artifacts.iter().filter_map(|one| one["location"]["uri"].as_str()).collect();
    assert_eq!(uris.len(), artifacts.len(), "each file has an address of its own");
    let results = run["results"].as_array().expect("results");
    assert!(!results.is_empty());
    for result in results {
        let at = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[at]["id"], result["ruleId"], "{result}");
        assert!(
            result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()),
            "{result}"
        );
        let levels = ["none", "note", "warning", "error"];
        assert!(result["level"].as_str().is_some_and(|level| levels.contains(&level)), "{result}");
        // 3.27.10: another kind than `fail` has no level.
        assert!(result["kind"] == "fail" || result["level"] == "none", "{result}");
        assert!(result["partialFingerprints"]["key/v1"].is_string(), "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a file");
        assert!(uris.contains(uri) && !uri.contains(' '), "{result}");
        assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line > 0), "{result}");
        for suppression in result["suppressions"].as_array().expect("a list") {
            assert_eq!(suppression["kind"], "external", "{result}");
            assert!(suppression["justification"].is_string(), "{result}");
        }
    }
    let suppressed = |r: &&Value| r["suppressions"].as_array().is_some_and(|s| !s.is_empty());
    assert_eq!(results.iter().filter(suppressed).count(), 1, "{log:#}");
}
