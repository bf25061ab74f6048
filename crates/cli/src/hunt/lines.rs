//! A hunt as lines: text for a log, or JSON for a script.
//!
//! The fields of the JSON lines are told by `gainsay hunt --help`; they are added to, never renamed.

use std::collections::BTreeMap;
use std::time::Duration;

use campaign::{
    BugCount, EndReason, Finding, Progress, Standing, StudyOutcome, Tested, Title, pass_name,
};
use report::FileTexts;
use serde_json::{Map, Value, json};

use super::Setting;
use super::view::{Tally, one_line};
use crate::human;

/// What takes longer than this is named.
const WAITS: Duration = Duration::from_secs(10);

/// The first line.
pub fn begin(setting: &Setting, progress: &Progress) -> String {
    let mut end = match (progress.time, progress.tests_wanted) {
        (None, None) => "until Ctrl-C".to_string(),
        (Some(time), None) => format!("for {}", human::span(time)),
        (None, Some(tests)) => format!("for {}", human::plural(tests, "test")),
        (Some(time), Some(tests)) => {
            format!("for {} or {}", human::span(time), human::plural(tests, "test"))
        }
    };
    if progress.tests > 0 {
        end += &format!(", going on after {}", human::plural(progress.tests, "test"));
    }
    format!(
        "hunting with {} on {}{}; seed {}, {}, into {}; {end}\n",
        setting.engines.join(" and "),
        setting.compilers(),
        setting.baseline.iter().map(|old| format!(", compared with {old}")).collect::<String>(),
        progress.seed,
        match setting.cluster {
            0 => human::plural(setting.jobs as u64, "job"),
            n => format!("workers over {}", human::plural(n as u64, "NATS server")),
        },
        setting.out,
    )
}

/// The line of a finding.
pub fn found(found: &Finding) -> String {
    let finding = &found.finding;
    let known = match found.seen_before {
        _ if finding.standing == Standing::Disputed => ", disputed".to_string(),
        _ if finding.standing == Standing::Unconfirmed => ", not confirmed yet".to_string(),
        _ if finding.standing == Standing::CannotTell => {
            ", cannot tell whether it is new".to_string()
        }
        _ if let Some(bug) = finding.attributed_to => format!(", the bug of #{bug}"),
        0 => String::new(),
        n => format!(", seen {} before", human::plural(n, "time")),
    };
    let title = Title::of(finding, None);
    let what = format!("{}: {title}", human::targets(&finding.targets()));
    format!("#{} {}{known}: {}\n", found.id, finding.kind.name(), human::cut(&what, 200))
}

/// The line of a test, for those who want to see each.
pub fn tested(tested: &Tested) -> String {
    let Tested { engine, seed, skipped, unanswered, targets, variants, cost, .. } = tested;
    let mut text = format!("{engine} {seed}: {}", human::plural(targets.len() as u64, "target"));
    for (name, list) in [("variant", *variants), ("finding", tested.findings.len() as u64)] {
        if list > 0 {
            text += &format!(", {}", human::plural(list, name));
        }
    }
    let reason = skipped.as_ref().map(|why| ("skipped", why));
    if let Some((what, why)) = reason.or(unanswered.as_ref().map(|why| ("without a result", why))) {
        text += &format!(", {what}: {}", one_line(why));
    }
    text + &format!(", {:.2} s of CPU time\n", cost.total().as_secs_f64())
}

/// A sentence of the hunt.
pub fn word(word: &str) -> String {
    format!("{word}\n")
}

/// The same for scripts.
pub fn word_object(word: &str) -> Value {
    json!({"event": "word", "text": word})
}

/// The line of a study.
pub fn studied(id: i64, outcome: Result<&StudyOutcome, &str>) -> String {
    match outcome {
        Ok(StudyOutcome::Explained(bug)) => format!("#{id} is the bug of #{bug}\n"),
        Ok(StudyOutcome::Studied(study) | StudyOutcome::Partly(study)) => {
            let pass = study.blame.pass.as_deref().map(pass_name);
            let pass = pass.map_or_else(String::new, |pass| format!(", pass {pass}"));
            format!(
                "#{id} reduced to {}, fails with {} {}{pass}\n",
                human::plural(study.tokens.1 as u64, "token"),
                study.compiler(),
                study.flags().join(" ")
            )
        }
        Err(why) => format!("#{id} was not reduced: {}\n", human::cut(&one_line(why), 200)),
    }
}

/// The same as an object.
pub fn studied_object(id: i64, outcome: Result<&StudyOutcome, &str>) -> Value {
    match outcome {
        Ok(StudyOutcome::Explained(bug)) => {
            json!({ "event": "study", "id": id, "explained_by": bug })
        }
        Ok(StudyOutcome::Studied(study) | StudyOutcome::Partly(study)) => {
            let lines = |f: &oracle::SourceFile| f.bytes.iter().filter(|b| **b == b'\n').count();
            json!({
                "event": "study", "id": id, "tokens": study.tokens.1,
                "lines": study.files.iter().map(lines).sum::<usize>(),
                "compiler": study.compiler(), "flags": study.flags(),
                "pass": study.blame.pass.as_deref().map(pass_name), "key": study.key,
            })
        }
        Err(why) => json!({ "event": "study", "id": id, "failed": why }),
    }
}

/// The line that says that all is well.
pub fn progress(progress: &Progress, count: &BugCount) -> String {
    let Progress { elapsed, tests, tests_now, own, others, studying, .. } = progress;
    let sum: u64 = progress.findings.values().sum();
    let waits = progress.waits_for.as_ref().filter(|(_, since)| *since >= WAITS);
    let waits = waits.map(|(what, since)| format!("; {} in {what}", human::span(*since)));
    format!(
        "{}  {}, {}, {} ({count}), {} of CPU time in compilers and programs{}\n",
        human::clock(*elapsed),
        human::plural(*tests, "test"),
        human::rate(*tests_now, *elapsed),
        human::plural(sum, "finding"),
        human::percent(*others, *own + *others + *studying),
        waits.unwrap_or_default(),
    )
}

/// `begin` as an object.
pub fn begin_object(setting: &Setting, progress: &Progress) -> Value {
    let compilers: Vec<Value> = setting
        .compilers
        .iter()
        .map(|c| json!({ "name": c.name, "version": c.version, "triple": c.triple }))
        .collect();
    json!({
        "event": "begin", "gainsay": env!("CARGO_PKG_VERSION"), "seed": progress.seed,
        "language": setting.language, "engines": setting.engines, "jobs": setting.jobs,
        "out": setting.out, "compilers": compilers, "baseline": setting.baseline, "tests": progress.tests,
        "for_s": progress.time.map(|t| t.as_secs()), "tests_wanted": progress.tests_wanted,
    })
}

/// `finding` as an object.
pub fn found_object(found: &Finding) -> Value {
    named("finding", report::object(found, None, None, FileTexts::Program))
}

/// `progress` as an object.
pub fn progress_object(progress: &Progress, count: &BugCount) -> Value {
    named("progress", standing(progress, count))
}

/// `end` as an object.
pub fn end_object(progress: &Progress, count: &BugCount) -> Value {
    let (ended, why) = match &progress.ended {
        Some(EndReason::Time) => ("time", None),
        Some(EndReason::Tests) | None => ("tests", None),
        Some(EndReason::Interrupted) => ("interrupted", None),
        Some(EndReason::Failed(why)) => ("failed", Some(why)),
    };
    let mut object = named("end", standing(progress, count));
    object["ended"] = json!(ended);
    object["why"] = json!(why);
    object
}

/// Puts the name of an event first.
fn named(event: &str, object: Value) -> Value {
    let mut all = Map::new();
    all.insert("event".into(), event.into());
    if let Value::Object(fields) = object {
        all.extend(fields);
    }
    Value::Object(all)
}

fn standing(p: &Progress, count: &BugCount) -> Value {
    // Milliseconds are as fine as anybody needs.
    let seconds = |time: Duration| (time.as_secs_f64() * 1000.0).round() / 1000.0;
    let share = |share: f64| (share * 10000.0).round() / 10000.0;
    let findings: BTreeMap<&str, u64> = p.findings.iter().map(|(k, n)| (k.name(), *n)).collect();
    let target = |(label, counts): (&String, &BTreeMap<_, _>)| {
        let mut t = Tally::default();
        t.add(counts);
        let object = json!({
            "right": t.right, "failed": t.failed, "failed_before": t.before,
            "cannot_tell": t.cannot_tell, "flaky": t.flaky, "unsupported": t.unsupported,
            // As it was called before.
            "not_for_it": t.unsupported,
        });
        (label.clone(), object)
    };
    let engine = |(name, e): (&String, &campaign::EngineProgress)| {
        let object = json!({
            "tests": e.tests, "distinct": e.signatures, "used": share(e.used), "due": share(e.due),
        });
        (name.clone(), object)
    };
    json!({
        "elapsed_s": seconds(p.elapsed), "tests": p.tests, "tests_now": p.tests_now,
        "findings": findings, "distinct": count.distinct, "bugs": count, "disputed": p.disputed,
        "unconfirmed": p.unconfirmed, "found_now": p.found_now,
        "waits_for": p.waits_for.as_ref().map(|(what, since)| json!({ "what": what, "s": seconds(*since) })),
        "flaky": p.flaky, "skipped": p.skipped,
        "unanswered": p.unanswered, "checks": p.checks, "variants": p.variants,
        "cpu_s": {
            "generate": seconds(p.cost.generate), "compile": seconds(p.cost.compile),
            "run": seconds(p.cost.run), "validate": seconds(p.cost.validate),
            "own": seconds(p.own), "others": seconds(p.others), "studies": seconds(p.studying),
        },
        "targets": p.targets.iter().map(target).collect::<Map<_, _>>(),
        "engines": p.engines.iter().map(engine).collect::<Map<_, _>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt::sample;
    use oracle::FailureKind;

    #[test]
    fn text() {
        let at = sample::progress();
        let want = "\
hunting with yarp and csmith on gcc-12 12.2.0, clang-16 16.0.6; seed 17, 2 jobs, into gainsay-hunt; \
for 1 h, going on after 1,234 tests\n";
        assert_eq!(begin(&sample::setting(), &at), want);
        let count = sample::count();
        let want = "0:12:03  1,234 tests, 1.71/s, 3 findings (2 distinct bugs), 98.3 % of CPU time in \
                    compilers and programs\n";
        assert_eq!(progress(&at, &count), want);
        let slow = ("faulty -O2 on yarp 17".to_string(), Duration::from_secs(75));
        let waits = progress(&Progress { waits_for: Some(slow), ..at.clone() }, &count);
        assert!(waits.ends_with("programs; 1 min 15 s in faulty -O2 on yarp 17\n"), "{waits}");
        let mut finding = sample::finding(3, FailureKind::WrongOutput, "s");
        finding.finding.summary = "prints \"a\u{1b}[31m\tb\"\nand more".into();
        let want = "#3 wrong-output: gcc-12 -O2, -O3: wrong code at -O2, -O3: prints \"a [31m b\" and more\n";
        assert_eq!(found(&finding), want);
        finding.seen_before = 2;
        assert!(found(&finding).starts_with("#3 wrong-output, seen 2 times before: "));
    }

    #[test]
    fn json() {
        let mut at = sample::progress();
        at.ended = Some(EndReason::Failed("the disk is full".into()));
        let end = end_object(&at, &sample::count());
        assert_eq!(end["event"], "end");
        assert_eq!((&end["ended"], &end["why"]), (&json!("failed"), &json!("the disk is full")));
        assert_eq!(end["findings"], json!({ "compiler-crash": 1, "wrong-output": 2 }));
        assert_eq!(end["cpu_s"]["compile"], json!(713.0));
        let tally = json!({ "right": 1200, "failed": 2, "failed_before": 0, "cannot_tell": 0, "flaky": 2, "unsupported": 0,
                    "not_for_it": 0 });
        assert_eq!(end["targets"]["gcc-12 -O2"], tally);
        assert_eq!(end["engines"]["yarp"]["due"], json!(0.65));
        assert_eq!(progress_object(&at, &sample::count())["event"], "progress");
        assert_eq!((&end["distinct"], &end["bugs"]["findings"]), (&json!(2), &json!(3)));
        let begin = begin_object(&sample::setting(), &at);
        assert_eq!((&begin["language"], &begin["seed"]), (&json!("c"), &json!(17)));
        assert_eq!(begin["compilers"][1]["version"], "16.0.6");
        let finding = found_object(&sample::finding(3, FailureKind::WrongOutput, "s"));
        assert_eq!((&finding["id"], &finding["kind"]), (&json!(3), &json!("wrong-output")));
        assert_eq!(finding["standing"], "confirmed");
    }
}
