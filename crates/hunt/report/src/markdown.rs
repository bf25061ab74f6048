//! `report.md`: what GCC's and LLVM's trackers ask for, in reading order.
//!
//! GCC asks for the exact version, the system type, the options, the complete command, the compiler's
//! output and the preprocessed file; LLVM for a title with the component, the version, the command
//! and a small test.

use std::fmt::Write;

use campaign::Standing;
use oracle::{Assessment, Behaviour, FailureKind, Opinion};

use crate::blame;
use crate::test::Test;
use crate::text::{code, date, fenced, head, one_line, plural};

/// Where Gainsay lives.
const PROJECT_URL: &str = "https://github.com/gainsay/gainsay";

/// A longer test is only named, not quoted.
const LINES: usize = 120;

/// Lines of an output or of messages; the files have all of it.
const SHOWN: usize = 25;

/// One line for the tracker's list.
pub fn title(test: &Test) -> String {
    let level = test.flags.join(" ");
    let pass = test.study.and_then(|study| study.blame.pass.as_deref());
    let what = match test.kind() {
        FailureKind::WrongOutput | FailureKind::RuntimeCrash | FailureKind::RuntimeHang => {
            format!("wrong code at {level}")
        }
        FailureKind::CompilerCrash => {
            let line = one_line(test.summary());
            let told = line.split_once("internal compiler error: ");
            match told {
                Some((_, told)) => format!("ICE at {level}: {told}"),
                None => format!("crash at {level}: {line}"),
            }
        }
        FailureKind::InvalidIr => one_line(test.summary()),
        FailureKind::Miscompilation => {
            // The component says which pass it is.
            let line = one_line(test.summary());
            let rest = pass.and_then(|pass| line.strip_prefix(pass)?.strip_prefix(": "));
            rest.map(String::from).unwrap_or(line)
        }
        FailureKind::CompilerHang => format!("compiler does not end at {level}"),
        FailureKind::CompilerMemory => format!("compiler exhausts memory at {level}"),
        FailureKind::Rejection => format!("rejects valid code: {}", one_line(test.summary())),
        FailureKind::SanitizerMiss => format!("{level} misses {}", one_line(test.summary())),
        FailureKind::Disagreement => format!("{level} objects: {}", one_line(test.summary())),
    };
    let compiler = name_and_version(test);
    if is_llvm(&test.compiler) {
        // LLVM's list is read by component.
        let component = pass.map_or(if test.is_module() { "llvm" } else { "clang" }, |pass| {
            pass.trim_end_matches("Pass")
        });
        return format!("[{component}] {what} ({compiler})");
    }
    match pass {
        Some(pass) => format!("{compiler}: {what} ({pass})"),
        None => format!("{compiler}: {what}"),
    }
}

fn is_llvm(name: &str) -> bool {
    name.contains("clang") || name.starts_with("zig") || name.starts_with("libLLVM")
}

fn name_and_version(test: &Test) -> String {
    match test.version.is_empty() || test.compiler.contains(&test.version) {
        true => test.compiler.clone(),
        false => format!("{} ({})", test.compiler, test.version),
    }
}

/// The report.
pub fn markdown(test: &Test) -> String {
    let mut text = format!("# {}\n\n{}\n", title(test), statement(test));
    let mut section = |name: &str, body: String| {
        if !body.is_empty() {
            let _ = write!(text, "\n## {name}\n\n{body}");
        }
    };
    section("Test", program(test));
    section("To reproduce", reproduce(test));
    section("Expected and actual", expected(test));
    section("Versions", versions(test));
    section("Cause", test.study.map_or_else(String::new, |study| blame::findings(&study.blame)));
    let vouches = match test.expected {
        _ if test.is_module() => "Evidence that the module is valid",
        Some(_) => "Evidence that the program is valid",
        None => "Evidence about the program",
    };
    section(vouches, validity(test));
    section("Compiler and system", compiler(test));
    section("Origin", origin(test));
    section("Not checked", unchecked(test));
    text
}

/// The bug in one paragraph.
fn statement(test: &Test) -> String {
    let compiler = name_and_version(test);
    let machine = match test.triple.is_empty() {
        true => String::new(),
        false => format!(" for {}", test.triple),
    };
    let flags = code(&test.flags.join(" "));
    let name = code(&units(test).join(" "));
    let summary = one_line(test.summary());
    let does = match test.kind() {
        FailureKind::WrongOutput | FailureKind::RuntimeCrash | FailureKind::RuntimeHang
            if test.is_sequenced() =>
        {
            format!("generates wrong code for {name} with {flags}: {}", code(&summary))
        }
        FailureKind::WrongOutput | FailureKind::RuntimeCrash => {
            let what = summary.trim_start_matches("the program ");
            format!("compiles {name} at {flags} to a program that {what}")
        }
        FailureKind::RuntimeHang => {
            format!("compiles {name} at {flags} to a program that does not end")
        }
        FailureKind::CompilerCrash => format!("crashes on {name} at {flags}: {}", code(&summary)),
        FailureKind::Miscompilation => format!("miscompiles {name} at {flags}: {}", code(&summary)),
        FailureKind::InvalidIr => format!("makes {name} invalid at {flags}: {}", code(&summary)),
        FailureKind::CompilerHang => format!("does not end on {name} at {flags}"),
        FailureKind::CompilerMemory => format!("runs out of memory on {name} at {flags}"),
        FailureKind::Rejection => format!("rejects {name} at {flags}: {}", code(&summary)),
        FailureKind::SanitizerMiss => format!("reports nothing on {name} with {flags}: {summary}"),
        FailureKind::Disagreement => format!("objects to {name} with {flags}: {}", code(&summary)),
    };
    let valid = match (test.kind().is_wrong_code(), test.is_vouched_for()) {
        _ if test.is_module() => " LLVM's verifier accepts the module.",
        (false, _) if test.expected.is_none() => {
            " The program has no single defined result: compile it, do not run it."
        }
        (true, true) => {
            " The program has one defined result and no undefined behaviour; the evidence is below."
        }
        (false, true) => " The program is valid; the evidence is below.",
        (_, false) => " No tool could check whether the program is valid.",
    };
    let hides = test.study.and_then(|study| blame::flags_that_hide(&study.blame));
    let hides = hides.map_or_else(String::new, |flags| format!(" {} hides it.", code(&flags)));
    let doubt = match test.found.finding.standing {
        Standing::Confirmed => "",
        Standing::Unconfirmed => {
            "\n\n**Not confirmed**: seen when the hunt ended. Run the same hunt again before you report this."
        }
        Standing::Disputed => {
            "\n\n**Disputed**: the program may be at fault, or Gainsay. Do not report this as it is."
        }
    };
    format!("{compiler}{machine} {does}.{valid}{hides}{doubt}")
}

fn units<'t>(test: &'t Test) -> Vec<&'t str> {
    let beside = [campaign::AFTER, campaign::COUNTEREXAMPLE];
    let units = test.files.iter().filter(|file| file.is_unit());
    units.map(|file| file.name.as_str()).filter(|name| !beside.contains(name)).collect()
}

fn program(test: &Test) -> String {
    let lines: usize =
        test.files.iter().map(|f| String::from_utf8_lossy(&f.bytes).lines().count()).sum();
    let names = test.files.iter().map(|f| code(&f.name)).collect::<Vec<_>>().join(", ");
    if lines > LINES {
        let why = match test.study {
            Some(_) => String::new(),
            None => {
                format!(" Not reduced yet: run `gainsay reduce {}`.", test.found.id)
            }
        };
        return format!("{} in {names}, beside this report.{why}\n", plural(lines, "line"));
    }
    let language = match test.files.iter().any(|f| f.name.ends_with(".cpp")) {
        _ if test.is_module() => "llvm",
        true => "cpp",
        false => "c",
    };
    let one = |file: &oracle::SourceFile| {
        format!(
            "{}:\n\n{}",
            code(&file.name),
            fenced(language, &String::from_utf8_lossy(&file.bytes))
        )
    };
    let shown = test.files.iter().filter(|file| file.name != campaign::COUNTEREXAMPLE);
    shown.map(one).collect::<Vec<_>>().join("\n")
}

fn reproduce(test: &Test) -> String {
    let commands: String = test.commands().iter().map(|line| format!("$ {line}\n")).collect();
    let what = if test.is_sequenced() { "VERSION" } else { "COMPILER" };
    format!(
        "{}\n`./reproduce.sh [{what}]` runs them and exits with 0 if the bug is present, 1 if it is \
         gone, 2 if that cannot be determined.\n",
        fenced("console", &commands)
    )
}

fn expected(test: &Test) -> String {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut text = String::new();
    if let Some(expected) = test.expected.as_ref().filter(|_| test.kind().is_wrong_code()) {
        let printed = head(&lossy(&expected.stdout), SHOWN);
        let _ = write!(
            text,
            "Expected, with exit status {}:\n\n{}\n",
            expected.status,
            fenced("", &printed)
        );
    } else if test.kind() == FailureKind::Miscompilation {
        text += "Expected: a module that refines the original.\n\n";
    } else if test.is_module() {
        text += "Expected: a valid module.\n\n";
    } else {
        text += "Expected: it compiles.\n\n";
    }
    let kept = |end| test.kept(end).map(|file| lossy(&file.bytes));
    let counterexample = test.files.iter().find(|file| file.name == campaign::COUNTEREXAMPLE);
    let counterexample = counterexample.map(|file| lossy(&file.bytes));
    let (words, got) = match &test.today.got {
        Some(Behaviour::Ran { status, stdout }) => {
            (format!(", with exit status {status}"), Some(lossy(stdout)))
        }
        Some(Behaviour::Crashed(told) | Behaviour::Rejected(told) | Behaviour::Exhausted(told)) => {
            (String::new(), Some(told.clone()))
        }
        _ => {
            (String::new(), counterexample.or_else(|| kept("stdout")).or_else(|| kept("messages")))
        }
    };
    let _ = match got {
        Some(got) => write!(text, "Actual{words}:\n\n{}", fenced("", &head(&got, SHOWN))),
        None => writeln!(text, "Actual: {}.", one_line(test.summary())),
    };
    text
}

fn versions(test: &Test) -> String {
    let (fails, right) = test.labels();
    let list = |labels: &[String]| match labels {
        [] => "none".to_string(),
        labels => labels.iter().map(|label| code(label)).collect::<Vec<_>>().join(", "),
    };
    let seen = format!("Fails: {}.\n\nWorks: {}.\n", list(&fails), list(&right));
    match test.study.map(|study| &study.ladder) {
        Some(ladder) if !ladder.rungs.is_empty() => {
            format!("{}\n\n{}\n{seen}", blame::history(ladder), blame::table(ladder))
        }
        _ => seen,
    }
}

fn validity(test: &Test) -> String {
    test.certificate().opinions.iter().map(|one| opinion(test, one)).collect()
}

fn opinion(test: &Test, opinion: &Opinion) -> String {
    let says = match &opinion.says {
        Assessment::Valid => "valid, with the expected result".to_string(),
        Assessment::Undefined(what) => format!("**undefined**: {}", one_line(what)),
        Assessment::Differs(what) => {
            format!("no report, but a different result: {}", one_line(what))
        }
        Assessment::NoAlarm => "no alarm".to_string(),
        Assessment::Alarm(what) => format!("an alarm, possibly false: {}", one_line(what)),
        Assessment::Silent(why) => format!("no answer: {}", one_line(why)),
    };
    let command = match opinion.command.is_empty() {
        true => String::new(),
        false => format!(" ({})", code(&test.renamed(&opinion.command))),
    };
    format!("- {}: {says}{command}\n", one_line(&opinion.tool))
}

fn compiler(test: &Test) -> String {
    let mut text = format!("- compiler: {}\n", name_and_version(test));
    if !test.triple.is_empty() {
        let _ = writeln!(text, "- target: {}", test.triple);
    }
    let _ = writeln!(text, "- options: {}", code(&test.flags.join(" ")));
    if let Some(system) = &test.today.system {
        let _ = writeln!(text, "- system: {}", one_line(system));
    }
    if test.today.preprocessed.is_some() {
        let _ = writeln!(text, "- preprocessed: `test.i`");
    }
    if let Some(verbose) = &test.today.verbose {
        let _ = write!(text, "\n{}", fenced("", verbose));
    }
    text
}

fn origin(test: &Test) -> String {
    let found = test.found;
    let mut text = format!(
        "Found by fuzzing with Gainsay ({PROJECT_URL}) on {}: {}, engine {}, seed {}.",
        date(found.found_at),
        code(&found.finding.origin),
        found.engine,
        found.seed
    );
    if let Some(study) = test.study {
        let (before, after) = study.tokens;
        let _ =
            write!(text, " Reduced from {before} tokens to {after} in {} s.", study.took.as_secs());
    }
    if let Some(bug) = test.bug.filter(|bug| bug.count > 1) {
        let _ = write!(
            text,
            " {} of that hunt are likely to be this bug.",
            plural(bug.count, "finding")
        );
    }
    text + " The original program is in `original/`.\n"
}

fn unchecked(test: &Test) -> String {
    let mut text = "- duplicates: the tracker was not searched\n".to_string();
    let ladder = test.study.map(|study| &study.ladder);
    if ladder.is_none_or(|ladder| ladder.rungs.len() < 2) {
        text += "- other versions of the compiler than those above, its development branch among them\n";
    } else {
        text += "- versions of the compiler that are not in the table, its development branch among them\n";
    }
    if test.study.is_none() {
        text += "- which pass is at fault: the program is not reduced\n";
    }
    text
}
