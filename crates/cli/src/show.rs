//! `gainsay show`: one finding, ready to be pasted into a bug tracker. Indented blocks are code in
//! Markdown and stay readable where that is not known.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use campaign::{Bug, Finding, NewFinding, Standing, Store, Study, Title, pass_name};
use clap::Args;
use oracle::{Assessment, Opinion, SourceFile};
use report::FileTexts;
use serde_json::json;

use crate::args::HuntFolder;
use crate::{human, terminal};

/// Lines that differ, of those shown.
const DIFFERENT: usize = 3;

/// Lines of a compiler's messages; the first ones tell it.
const MESSAGES: usize = 12;

/// Show one finding, ready to be pasted into a bug tracker
#[derive(Args, Debug)]
#[command(after_long_help = HELP)]
pub struct Show {
    /// Its number, as `gainsay findings` lists it
    #[arg(value_name = "ID")]
    pub id: i64,
    #[command(flatten)]
    pub folder: HuntFolder,
    /// Write everything that was kept to this folder
    ///
    /// The program, its expected output, and what compilers printed; a reduced program goes to `reduced` in it.
    #[arg(short = 'o', long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Print the program too
    #[arg(long)]
    pub source: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "\
Examples:
  gainsay show 3
  gainsay show 3 -o bug && cat bug/README                    # the commands that show it
  gainsay show 3 --hunt my-hunt --json | jq .commands";

/// Runs the command; the exit status.
pub fn main(args: &Show) -> Result<u8> {
    let store = Store::open(&args.folder.dir)?;
    store.known(args.id)?;
    let found = store.finding(args.id)?.context("it was there a moment ago")?;
    let study = store.study(args.id)?;
    let versions: BTreeMap<String, String> = store.versions()?.into_iter().collect();
    let whole = || match &study {
        Some(study) => reduced(&found, study, &versions) + &text(&found, &versions),
        None => text(&found, &versions),
    };
    if let Some(folder) = &args.output {
        let mut written = write(folder, &found, &whole())?;
        if let Some(study) = &study {
            written.extend(write_reduced(folder, study)?);
        }
        if !args.json {
            let folder = folder.display();
            let told =
                format!("{folder}: {}\nREADME in it tells the commands.\n", written.join(" "));
            terminal::print(told.as_bytes())?;
            return Ok(0);
        }
    }
    let text = match args.json {
        true => {
            let bugs = store.bugs()?;
            let bug = bugs.iter().find(|bug| bug.ids.contains(&found.id));
            let texts = if args.source { FileTexts::All } else { FileTexts::Program };
            object(&found, bug, study.as_ref(), &versions, texts)?
        }
        false if args.source => whole() + &sources(&found.finding),
        false => whole(),
    };
    terminal::print(text.as_bytes())?;
    Ok(0)
}

/// What a study has to say: the small program first, for it says most.
fn reduced(found: &Finding, study: &Study, versions: &BTreeMap<String, String>) -> String {
    let (id, (before, after)) = (found.id, study.tokens);
    let title = Title::of(&found.finding, Some(study));
    let mut text = format!("Finding {id}: {title}\n\nReduced from {before} tokens to {after}:\n\n");
    for file in &study.files {
        for line in String::from_utf8_lossy(&file.bytes).lines() {
            let _ = writeln!(text, "    {}", printable(line));
        }
        text.push('\n');
    }
    let mut say = |name: &str, what: &str| {
        if !what.is_empty() {
            let _ = writeln!(text, "{name:<10} {what}");
        }
    };
    say("What", study.summary.trim());
    say("Fails", &labels(&study.targets(), versions));
    say("Right", &labels(&study.right(), versions));
    let hides = report::flags_that_hide(&study.blame);
    let hides = hides.map_or_else(String::new, |flags| format!("; {flags} hides it"));
    match &study.blame.pass {
        Some(pass) => say("Cause", &format!("{}{hides}", pass_name(pass))),
        // Why none was found is no cause.
        None => say("Tried", &study.blame.limits.join(" ")),
    }
    say("Versions", &report::versions(&study.ladder));
    say("Known by", &study.key);
    text += &ladder(study);
    text += "\nTo reproduce:\n\n";
    if let Some(command) = study.subject.first_command() {
        let _ = writeln!(text, "    {command}");
    }
    text += "\nEvidence that the reduced program is valid:\n\n";
    for opinion in &study.certificate.opinions {
        text += &opinion_text(opinion);
    }
    text + "\nAs it was found:\n\n"
}

/// Versions by levels, a line each.
fn ladder(study: &Study) -> String {
    use triage::Cell;
    let word = |cell: &Cell| match cell {
        Cell::Works => "works",
        Cell::Fails => "FAILS",
        Cell::Otherwise(kind) => kind.name(),
        Cell::Unsupported => "unsupported",
        Cell::CannotTell => "cannot tell",
    };
    if study.ladder.rungs.is_empty() {
        return String::new();
    }
    let head = std::iter::once(String::new()).chain(study.ladder.levels.iter().cloned());
    let mut rows: Vec<Vec<String>> = vec![head.collect()];
    for rung in report::by_compiler(&study.ladder) {
        let name = format!("{} ({})", rung.compiler, rung.version);
        rows.push(std::iter::once(name).chain(rung.cells.iter().map(|c| word(c).into())).collect());
    }
    let width = |i: usize| {
        rows.iter().filter_map(|row| row.get(i)).map(|c| c.chars().count()).max().unwrap_or(0)
    };
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(i, cell)| format!("{cell:w$}", w = width(i)));
        format!("    {}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    format!("\n{}", rows.iter().map(line).collect::<String>())
}

fn text(found: &Finding, versions: &BTreeMap<String, String>) -> String {
    let finding = &found.finding;
    let mut text = format!("Finding {}: {}\n\n", found.id, Title::of(finding, None));
    let mut say = |name: &str, what: String| {
        let _ = writeln!(text, "{name:<10} {what}");
    };
    say("Kind", finding.kind.name().into());
    say("What", finding.summary.trim().replace('\n', "\n           "));
    say("Fails", labels(&finding.targets(), versions));
    say(
        "Right",
        match &finding.right()[..] {
            [] => "nobody".into(),
            right => labels(right, versions),
        },
    );
    say("Standing", standing(found));
    say("Signature", finding.signature.clone());
    say("Program", files(finding));
    say("Made by", format!("{} (engine {}, seed {})", finding.origin, found.engine, found.seed));
    text.push('\n');
    text + &proof(finding)
}

/// Expected and got, the commands that show it, and the evidence that the program is valid.
pub fn proof(finding: &NewFinding) -> String {
    let mut text = evidence(finding).unwrap_or_default();
    text += match finding.kind.is_wrong_code() {
        true => "To reproduce, beside the files (`expected` is what it must print):\n\n",
        false => "To reproduce, beside the files:\n\n",
    };
    for command in finding.commands() {
        let _ = writeln!(text, "    {command}");
    }
    let disputed = finding.certificate.disputed();
    text += match finding.kind.is_wrong_code() || !disputed {
        true => "\nEvidence that the program is valid:\n\n",
        false => "\nEvidence about the program:\n\n",
    };
    for opinion in &finding.certificate.opinions {
        text += &opinion_text(opinion);
    }
    text
}

/// `gcc-12 12.2.0: -O2, -O3`, a line for each compiler.
fn labels(labels: &[String], versions: &BTreeMap<String, String>) -> String {
    let one = |(name, flags): (&str, Vec<&str>)| match versions.get(name) {
        Some(version) if !name.contains(version) => {
            format!("{name} ({version}): {}", flags.join(", "))
        }
        _ => format!("{name}: {}", flags.join(", ")),
    };
    human::by_compiler(labels).into_iter().map(one).collect::<Vec<_>>().join("\n           ")
}

fn standing(found: &Finding) -> String {
    let mut text = match found.finding.standing {
        Standing::Confirmed => {
            "confirmed: seen twice, and nothing speaks against the program".to_string()
        }
        Standing::Unconfirmed => {
            "not confirmed: seen when the hunt ended; the same hunt again tries it once more".into()
        }
        Standing::CannotTell => {
            "cannot tell: whether the baseline of the comparison fails, too, is not known".into()
        }
        Standing::Disputed => "disputed: the program may be to blame, or gainsay".into(),
    };
    if found.seen_before > 0 {
        let _ = write!(text, "; {} with this signature before", human::count(found.seen_before));
    }
    text
}

fn files(finding: &NewFinding) -> String {
    let one = |file: &SourceFile| format!("{} ({})", file.name, human::size(file.bytes.len()));
    finding.files.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What the first failing target gave: the first lines that differ, or its messages.
fn evidence(finding: &NewFinding) -> Option<String> {
    let artifact = |name: &str| finding.artifacts.iter().find(|file| file.name == name);
    for target in &finding.targets() {
        let stem = target.replace([' ', '/'], "_");
        if let Some(got) = artifact(&format!("{stem}.stdout")) {
            let expected = artifact("expected").map_or(&[][..], |file| &file.bytes);
            return Some(difference(target, expected, &got.bytes));
        }
        if let Some(messages) = artifact(&format!("{stem}.messages")) {
            let mut text = format!("{target} says:\n\n");
            let words = String::from_utf8_lossy(&messages.bytes);
            for line in words.lines().take(MESSAGES) {
                let _ = writeln!(text, "    {}", printable(line));
            }
            text.push('\n');
            return Some(text);
        }
    }
    None
}

fn difference(target: &str, expected: &[u8], got: &[u8]) -> String {
    let lines = |bytes: &[u8]| -> Vec<String> {
        String::from_utf8_lossy(bytes).lines().map(printable).collect()
    };
    let (expected, got) = (lines(expected), lines(got));
    let differing: Vec<usize> =
        (0..expected.len().max(got.len())).filter(|&i| expected.get(i) != got.get(i)).collect();
    let Some(first) = differing.first() else {
        return format!("{target} prints what it must.\n\n");
    };
    let mut text = format!(
        "Expected (-) and what {target} gives (+), from line {} on; {}:\n\n",
        first + 1,
        match differing.len() {
            1 => "1 line differs".to_string(),
            n => format!("{n} lines differ"),
        }
    );
    for &i in differing.iter().take(DIFFERENT) {
        for (sign, line) in [('-', expected.get(i)), ('+', got.get(i))] {
            let line = line.map_or("(nothing)", String::as_str);
            let _ = writeln!(text, "    {sign} {}", human::cut(line, 200));
        }
    }
    text.push('\n');
    text
}

/// Without what would move the cursor of a terminal.
fn printable(line: &str) -> String {
    line.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}

fn opinion_text(opinion: &Opinion) -> String {
    let says = match &opinion.says {
        Assessment::Valid => "valid".to_string(),
        Assessment::Undefined(what) => format!("UNDEFINED: {what}"),
        Assessment::Differs(what) => format!("differs from what must be: {what}"),
        Assessment::NoAlarm => "no alarm".to_string(),
        Assessment::Alarm(what) => format!("alarm, perhaps a false one: {what}"),
        Assessment::Silent(why) => format!("silent: {why}"),
    };
    let mut text = format!("  {}: {}\n", opinion.tool, printable(&says.replace('\n', " ")));
    if !opinion.command.is_empty() {
        let _ = writeln!(text, "      {}", opinion.command);
    }
    text
}

fn sources(finding: &NewFinding) -> String {
    let one = |file: &SourceFile| {
        format!("\n==> {} <==\n{}", file.name, String::from_utf8_lossy(&file.bytes))
    };
    finding.files.iter().map(one).collect()
}

/// All of it for scripts, with the versions of all compilers of the hunt.
fn object(
    found: &Finding,
    bug: Option<&Bug>,
    study: Option<&Study>,
    versions: &BTreeMap<String, String>,
    texts: FileTexts,
) -> Result<String> {
    let mut object = report::object(found, bug, study, texts);
    object["versions"] = json!(versions);
    Ok(format!("{}\n", serde_json::to_string_pretty(&object)?))
}

/// Writes everything that was kept; the names.
fn write(folder: &Path, found: &Finding, readme: &str) -> Result<Vec<String>> {
    let readme = SourceFile { name: "README".into(), bytes: readme.into() };
    let kept = found.finding.files.iter().chain(&found.finding.artifacts);
    write_files(folder, kept.chain([&readme]))
}

/// Writes the reduced program beside it; the names.
fn write_reduced(folder: &Path, study: &Study) -> Result<Vec<String>> {
    let expected =
        study.expected().map(|e| SourceFile { name: "expected".into(), bytes: e.stdout.clone() });
    let names = write_files(&folder.join(REDUCED), study.files.iter().chain(&expected))?;
    Ok(names.into_iter().map(|name| format!("{REDUCED}/{name}")).collect())
}

/// Where the reduced program goes.
const REDUCED: &str = "reduced";

fn write_files<'a>(
    folder: &Path,
    files: impl Iterator<Item = &'a SourceFile>,
) -> Result<Vec<String>> {
    let cannot = |path: &Path| format!("{} cannot be written", path.display());
    fs::create_dir_all(folder).with_context(|| cannot(folder))?;
    let mut names = Vec::new();
    for file in files {
        // Names are plain; a store from elsewhere must not write anywhere else.
        let Some(name) = Path::new(&file.name).file_name() else { continue };
        let path = folder.join(name);
        fs::write(&path, &file.bytes).with_context(|| cannot(&path))?;
        names.push(name.to_string_lossy().into_owned());
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt::sample;
    use oracle::FailureKind;

    fn versions() -> BTreeMap<String, String> {
        let pair = |name: &str, version: &str| (name.to_string(), version.to_string());
        [pair("gcc-12", "12.2.0"), pair("clang-16", "16.0.6")].into()
    }

    #[test]
    fn pasteable() {
        let mut found = sample::finding(3, FailureKind::WrongOutput, "wrong-output gcc-12 -O2 -O3");
        found.seen_before = 2;
        let want = "\
Finding 3: wrong code at -O2, -O3: prints \"test_3 1f\" for \"test_3 2a\" (line 3)

Kind       wrong-output
What       prints \"test_3 1f\" for \"test_3 2a\" (line 3)
Fails      gcc-12 (12.2.0): -O2, -O3
Right      clang-16 (16.0.6): -O2
           gcc-12 (12.2.0): -O0
Standing   confirmed: seen twice, and nothing speaks against the program; 2 with this signature before
Signature  wrong-output gcc-12 -O2 -O3
Program    func.c (7 B), driver.c (29 B)
Made by    gainsay gen --seed 7003 -o DIR (engine yarp, seed 7003)

Expected (-) and what gcc-12 -O2 gives (+), from line 3 on; 1 line differs:

    - test_3 2a
    + test_3 1f

To reproduce, beside the files (`expected` is what it must print):

    gcc-12 -O2 -w func.c driver.c -o program -lm && ./program | diff expected -
    gcc-12 -O3 -w func.c driver.c -o program -lm && ./program | diff expected -

Evidence that the program is valid:

  gainsay's abstract machine: valid
      gainsay run func.c driver.c
  clang 16.0.6 -fsanitize=memory: silent: too slow
      clang-16 …
";
        assert_eq!(text(&found, &versions()), want);
    }

    #[test]
    fn a_crash_shows_its_messages() {
        let mut found = sample::finding(3, FailureKind::CompilerCrash, "s");
        let bytes = "during RTL pass: combine\na.c:3: internal compiler error: \x1b[1mx\x1b[m\n";
        let name = "gcc-12_-O2.messages".to_string();
        found.finding.artifacts = vec![SourceFile { name, bytes: bytes.into() }];
        let text = text(&found, &versions());
        let want = "\ngcc-12 -O2 says:\n\n    during RTL pass: combine\n    a.c:3: internal compiler \
                    error: \u{fffd}[1mx\u{fffd}[m\n\nTo reproduce";
        assert!(text.contains(want), "{text}");
    }

    #[test]
    fn output_that_ends_early() {
        let got = difference("tcc -O0", b"a\nb\nc\n", b"a\n");
        let want = "\
Expected (-) and what tcc -O0 gives (+), from line 2 on; 2 lines differ:

    - b
    + (nothing)
    - c
    + (nothing)

";
        assert_eq!(got, want);
        assert!(difference("tcc -O0", b"a\n", b"a\n").contains("prints what it must"));
    }

    #[test]
    fn everything_into_a_folder() {
        let scratch = sandbox::Scratch::new().expect("a temporary folder");
        let folder = scratch.path().join("bug");
        let mut found = sample::finding(3, FailureKind::WrongOutput, "s");
        found.finding.files[0].name = "../../evil.c".into();
        let names = write(&folder, &found, "read me").expect("it writes");
        assert_eq!(names, ["evil.c", "driver.c", "expected", "gcc-12_-O2.stdout", "README"]);
        assert_eq!(fs::read_to_string(folder.join("README")).expect("there"), "read me");
        let expected = fs::read_to_string(folder.join("expected")).expect("there");
        assert!(expected.ends_with("test_3 2a\n"), "{expected}");
        assert!(folder.join("evil.c").is_file());
    }

    #[test]
    fn as_an_object() {
        let found = sample::finding(3, FailureKind::WrongOutput, "s");
        let value = |source| -> serde_json::Value {
            let texts = if source { FileTexts::All } else { FileTexts::Program };
            let study = source.then(sample::study);
            let text = object(&found, None, study.as_ref(), &versions(), texts).expect("JSON");
            serde_json::from_str(&text).expect("JSON")
        };
        let brief = value(false);
        assert_eq!(brief["files"][0], json!({ "name": "func.c", "bytes": 7, "text": "int f;\n" }));
        assert_eq!(brief["artifacts"][0]["text"], serde_json::Value::Null);
        assert_eq!(brief["certificate"]["opinions"][0]["says"]["verdict"], "valid");
        assert_eq!(brief["versions"]["gcc-12"], "12.2.0");
        assert_eq!(value(true)["files"][0]["text"], "int f;\n");
        assert_eq!(value(true)["artifacts"][0]["text"], "test_1 00\ntest_2 ff\ntest_3 2a\n");
    }

    #[test]
    fn a_study_comes_first() {
        let want = "\
Finding 3: wrong code at -O2, pass tailr

Reduced from 5210 tokens to 61:

    int main(void)
    {
        return 0;
    }

What       prints \"0\" for \"1\" (line 1)
Fails      gcc-12 (12.2.0): -O2
Right      gcc-12 (12.2.0): -O0
Cause      tailr; -fdisable-tree-tailr1 hides it
Versions   gcc-11, gcc-12
Known by   wrong-output gcc tailr1

                     -O0    -O2
    gcc-11 (11.3.0)  works  FAILS
    gcc-12 (12.2.0)  works  FAILS

To reproduce:

    gcc-12 -O2 -w test.c -o program -lm && ./program | diff expected -

Evidence that the reduced program is valid:


As it was found:

";
        let found = sample::finding(3, FailureKind::WrongOutput, "s");
        assert_eq!(reduced(&found, &sample::study(), &versions()), want);
        let study = sample::study();
        let text = object(&found, None, Some(&study), &versions(), FileTexts::Program);
        let text = text.expect("JSON");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["study"]["blame"]["pass"], "tailr1");
        assert_eq!(value["study"]["ladder"]["rungs"][0]["cells"][1], "fails");
        let scratch = sandbox::Scratch::new().expect("a temporary folder");
        let names = write_reduced(scratch.path(), &sample::study()).expect("it writes");
        assert_eq!(names, ["reduced/test.c", "reduced/expected"]);
        assert!(scratch.path().join("reduced/test.c").is_file());
    }
}
