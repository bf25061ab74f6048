//! Stores of versions 1 to 4: they kept labels and shell commands, and not what these were made of.
//!
//! Subjects are made of them here, when such a store is read and once for all when it is written. What was never
//! kept is taken from what was: who made a compiler from its name and its `-std`, where a library is from the
//! targets of the hunt. Nothing else reads commands back.

use std::collections::BTreeMap;
use std::time::Duration;

use finding::{
    CompilerIdentity, CompilerTarget, FrontLevel, JudgedSubject, JudgingTool, LibraryIdentity,
    MODULE_FILE, ModuleFault, ModuleSubject, ProgramSubject, SequenceSubject, Subject,
};
use oracle::{Expected, FailureKind};
use rusqlite::{Connection, Row, Transaction, params};
use toolchain::{Family, Language};

use super::{StoredTarget, rows};
use crate::record::{Finding, NewFinding, Study};

/// How labels of libraries begin.
const LIBRARY: &str = "libLLVM-";

/// What stands between a library and its passes in a label.
const PASSES: &str = " -passes=";

/// What every compiler was told without being asked; another one was told something else.
const USUAL: [&str; 3] = ["gnu11", "c11", "c++17"];

/// What was kept of a finding or of a study.
#[derive(Clone, Debug, Default)]
struct Kept {
    kind: Option<FailureKind>,
    targets: Vec<String>,
    right: Vec<String>,
    commands: Vec<String>,
    /// Names of its files.
    files: Vec<String>,
    standard: Option<String>,
    expected: Option<Expected>,
    is_status_known: bool,
}

/// Findings without the contents of their files: all, or one.
pub fn findings(db: &Connection, id: Option<i64>) -> rusqlite::Result<Vec<Finding>> {
    let (targets, names) = (rows::targets(db)?, names(db, "source")?);
    let mut statement = db.prepare(
        "SELECT id, engine, seed, at, kind, signature, summary, standing, origin, certificate,
         targets, right, commands,
         (SELECT count(*) FROM finding g WHERE g.signature = f.signature AND g.id < f.id),
         (SELECT bytes FROM file WHERE finding = f.id AND role = 'artifact' AND name = 'expected'),
         (SELECT bytes FROM file WHERE finding = f.id AND role = 'artifact' AND name = 'status')
         FROM finding f WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
    )?;
    let (first, last) = id.map_or((i64::MIN, i64::MAX), |id| (id, id));
    let read = |row: &Row| {
        let (id, engine, kind): (i64, String, _) = (row.get(0)?, row.get(1)?, rows::kind(row, 4)?);
        let status: Option<Vec<u8>> = row.get(15)?;
        let status = status.and_then(|text| String::from_utf8_lossy(&text).trim().parse().ok());
        let stdout: Option<Vec<u8>> = row.get(14)?;
        let kept = Kept {
            kind: Some(kind),
            targets: rows::parse(row, 10)?,
            right: rows::parse(row, 11)?,
            commands: rows::parse(row, 12)?,
            files: names.get(&id).cloned().unwrap_or_default(),
            standard: None,
            expected: stdout.map(|stdout| Expected { stdout, status: status.unwrap_or(0) }),
            // Programs of generators end well; of others it was not kept.
            is_status_known: !engine.starts_with("files "),
        };
        Ok(Finding {
            id,
            engine,
            seed: row.get::<_, i64>(2)? as u64,
            found_at: row.get::<_, i64>(3)? as u64,
            seen_before: row.get::<_, i64>(13)? as u64,
            finding: NewFinding {
                attributed_to: None,
                kind,
                signature: row.get(5)?,
                summary: row.get(6)?,
                standing: rows::standing(row, 7)?,
                origin: row.get(8)?,
                certificate: rows::parse(row, 9)?,
                subject: subject(&kept, &targets),
                files: Vec::new(),
                artifacts: Vec::new(),
            },
        })
    };
    statement.query_map([first, last], read)?.collect()
}

/// Studies without the contents of their files: all, or one.
pub fn studies(db: &Connection, id: Option<i64>) -> rusqlite::Result<Vec<(i64, Study)>> {
    let (targets, names) = (rows::targets(db)?, names(db, rows::REDUCED)?);
    let mut statement = db.prepare(
        "SELECT s.finding, f.kind, s.standard, s.stdout, s.status, s.summary, s.compiler, s.flags,
         s.targets, s.right, s.commands, s.certificate, s.blame, s.ladder, s.key, s.tokens_before,
         s.tokens_after, s.nanoseconds
         FROM study s JOIN finding f ON f.id = s.finding
         WHERE s.finding BETWEEN ?1 AND ?2 ORDER BY s.finding",
    )?;
    let (first, last) = id.map_or((i64::MIN, i64::MAX), |id| (id, id));
    let read = |row: &Row| {
        let number = |column| row.get::<_, i64>(column).map(|n| usize::try_from(n).unwrap_or(0));
        let id: i64 = row.get(0)?;
        let stdout: Option<Vec<u8>> = row.get(3)?;
        let mut kept = Kept {
            kind: Some(rows::kind(row, 1)?),
            targets: rows::parse(row, 8)?,
            right: rows::parse(row, 9)?,
            commands: rows::parse(row, 10)?,
            files: names.get(&id).cloned().unwrap_or_default(),
            standard: row.get(2)?,
            expected: stdout
                .zip(row.get::<_, Option<u8>>(4)?)
                .map(|(stdout, status)| Expected { stdout, status }),
            is_status_known: true,
        };
        // The one that it was reduced with comes first.
        let flags: Vec<String> = rows::parse(row, 7)?;
        let label = format!("{} {}", row.get::<_, String>(6)?, flags.join(" "));
        if let Some(at) = kept.targets.iter().position(|target| *target == label) {
            kept.targets[..=at].rotate_right(1);
            if kept.commands.len() > at {
                kept.commands[..=at].rotate_right(1);
            }
        }
        let study = Study {
            about: None,
            mask: triage::Mask::default(),
            files: Vec::new(),
            evidence: Vec::new(),
            subject: subject(&kept, &targets),
            summary: row.get(5)?,
            certificate: rows::parse(row, 11)?,
            blame: rows::parse(row, 12)?,
            ladder: rows::parse(row, 13)?,
            key: row.get(14)?,
            tokens: (number(15)?, number(16)?),
            took: Duration::from_nanos(u64::try_from(row.get::<_, i64>(17)?).unwrap_or(0)),
        };
        Ok((id, study))
    };
    statement.query_map([first, last], read)?.collect()
}

/// The names of files of a role, by finding.
fn names(db: &Connection, role: &str) -> rusqlite::Result<BTreeMap<i64, Vec<String>>> {
    let mut names: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    let mut statement =
        db.prepare("SELECT finding, name FROM file WHERE role = ?1 ORDER BY finding, rowid")?;
    let mut all = statement.query([role])?;
    while let Some(row) = all.next()? {
        names.entry(row.get(0)?).or_default().push(row.get(1)?);
    }
    Ok(names)
}

/// Makes the table of findings one of version 5.
pub fn give_subjects(tx: &Transaction) -> rusqlite::Result<()> {
    let all = findings(tx, None)?;
    tx.execute_batch("ALTER TABLE finding ADD COLUMN subject TEXT NOT NULL DEFAULT ''")?;
    for found in all {
        tx.prepare_cached("UPDATE finding SET subject = ?2 WHERE id = ?1")?
            .execute(params![found.id, rows::json(&found.finding.subject)?])?;
    }
    tx.execute_batch(
        "ALTER TABLE finding DROP COLUMN commands; ALTER TABLE finding DROP COLUMN \"right\"",
    )
}

/// Makes the table of studies one of version 5.
pub fn give_studies_subjects(tx: &Transaction) -> rusqlite::Result<()> {
    let all = studies(tx, None)?;
    tx.execute_batch("ALTER TABLE study RENAME TO unstructured")?;
    tx.execute_batch(rows::STUDY)?;
    for (id, study) in all {
        tx.prepare_cached(
            "INSERT INTO study (finding, at, summary, targets, subject, certificate, blame, ladder,
             key, tokens_before, tokens_after, nanoseconds)
             SELECT finding, at, summary, ?2, ?3, certificate, blame, ladder, key, tokens_before,
             tokens_after, nanoseconds FROM unstructured WHERE finding = ?1",
        )?
        .execute(params![
            id,
            rows::json(&study.targets())?,
            rows::json(&study.subject)?
        ])?;
    }
    tx.execute_batch("DROP TABLE unstructured")
}

/// What a finding is about, of what was kept of it.
fn subject(kept: &Kept, targets: &[StoredTarget]) -> Subject {
    let kind = kept.kind.unwrap_or(FailureKind::Rejection);
    if !kind.is_of_a_compiler() {
        let tool = |(name, command): (&String, &String)| JudgingTool {
            name: name.clone(),
            command: command.clone(),
        };
        let tools = kept.targets.iter().zip(&kept.commands).map(tool).collect();
        return Subject::Judged(JudgedSubject { tools, right: kept.right.clone() });
    }
    let passes = kept.targets.first().and_then(|label| library_of(label, targets));
    let is_module = kept.files.iter().any(|name| name == MODULE_FILE);
    match passes {
        Some((library, passes, _)) if is_module => Subject::Module(ModuleSubject {
            library,
            passes,
            fault: module_fault(kind, &kept.commands),
            baseline: None,
        }),
        Some((library, passes, level)) => sequence(kept, kind, library, passes, level),
        None => Subject::Program(program(kept, kind, targets)),
    }
}

/// Library, passes and level of a label: `libLLVM-16 -passes=default<O3>`, `libLLVM-16 -O2 -passes=gvn`.
fn library_of(
    label: &str,
    targets: &[StoredTarget],
) -> Option<(LibraryIdentity, String, FrontLevel)> {
    let (before, passes) = label.strip_prefix(LIBRARY)?.split_once(PASSES)?;
    let (major, level) = before.split_once(' ').unwrap_or((before, ""));
    let known = targets.iter().find(|target| target.compiler == format!("{LIBRARY}{major}"));
    let library = LibraryIdentity {
        path: known.map(|target| target.command.clone()).unwrap_or_default(),
        major: major.parse().ok()?,
        version: known.map(|target| target.version.clone()).unwrap_or_default(),
        triple: known.map(|target| target.triple.clone()).unwrap_or_default(),
        ..LibraryIdentity::default()
    };
    let level = if level == "-O2" { FrontLevel::Optimised } else { FrontLevel::Unoptimised };
    Some((library, passes.to_string(), level))
}

fn module_fault(kind: FailureKind, commands: &[String]) -> ModuleFault {
    let words: Vec<&str> = commands.iter().flat_map(|line| line.split_whitespace()).collect();
    match kind {
        FailureKind::Miscompilation => ModuleFault::Refinement,
        _ if words.iter().any(|word| word.starts_with("llc-")) => ModuleFault::CodeGenerator,
        _ if words.contains(&"-verify-each") => ModuleFault::InvalidIr,
        _ => ModuleFault::Pass,
    }
}

fn sequence(
    kept: &Kept,
    kind: FailureKind,
    library: LibraryIdentity,
    passes: String,
    level: FrontLevel,
) -> Subject {
    let words: Vec<&str> = kept.commands.iter().flat_map(|line| line.split_whitespace()).collect();
    let mut include: Vec<String> = Vec::new();
    for pair in words.windows(2).filter(|pair| pair[0] == "-I") {
        if !include.iter().any(|dir| dir == pair[1]) {
            include.push(pair[1].into());
        }
    }
    Subject::Sequence(SequenceSubject {
        kind,
        units: units(&kept.files),
        include,
        expected: kept.expected.clone().unwrap_or_default(),
        clang: words.first().map_or_else(|| "clang".into(), ToString::to_string),
        level,
        library,
        passes,
        baseline: None,
    })
}

fn units(files: &[String]) -> Vec<String> {
    files.iter().filter(|name| !name.ends_with(".h")).cloned().collect()
}

fn program(kept: &Kept, kind: FailureKind, targets: &[StoredTarget]) -> ProgramSubject {
    let is_cxx = |name: &String| name.ends_with(".cpp") || name.ends_with(".cc");
    let language = match kept.files.iter().any(is_cxx) {
        true => Language::Cxx,
        false => Language::C,
    };
    let mut compilers: Vec<CompilerIdentity> = Vec::new();
    let mut first: Option<Recipe> = None;
    let mut split = |label: &String, command: Option<&String>| {
        let name = compiler_of(label, targets);
        let flags: Vec<&str> = label[name.len()..].split_whitespace().collect();
        let recipe = command.and_then(|command| Recipe::read(command, &flags));
        if compilers.iter().all(|known| known.name != name) {
            compilers.push(identity(&name, recipe.as_ref(), language, targets));
        }
        first = first.take().or(recipe);
        CompilerTarget { compiler: name, flags: flags.into_iter().map(String::from).collect() }
    };
    let failing: Vec<CompilerTarget> = kept
        .targets
        .iter()
        .enumerate()
        .map(|(at, label)| split(label, kept.commands.get(at)))
        .collect();
    let right = kept.right.iter().map(|label| split(label, None)).collect();
    let recipe = first.unwrap_or_default();
    let standard = recipe.standard().filter(|standard| !USUAL.contains(standard));
    ProgramSubject {
        kind,
        language,
        standard: kept.standard.clone().or_else(|| standard.map(String::from)),
        harness: recipe.harness().map(String::from),
        include: recipe.include(),
        units: units(&kept.files),
        expected: kept.expected.clone(),
        is_status_known: kept.is_status_known || kept.expected.is_none(),
        omitted: Default::default(),
        compilers,
        failing,
        right,
        baseline: None,
    }
}

/// The compiler of a label. Its name may have blanks: the targets of the hunt know them.
fn compiler_of(label: &str, targets: &[StoredTarget]) -> String {
    let begins = |target: &&StoredTarget| {
        let rest = label.strip_prefix(&target.compiler);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let known = targets.iter().filter(begins).max_by_key(|target| target.compiler.len());
    let name = known.map(|target| target.compiler.as_str());
    name.unwrap_or_else(|| label.split(' ').next().unwrap_or_default()).to_string()
}

fn identity(
    name: &str,
    recipe: Option<&Recipe>,
    language: Language,
    targets: &[StoredTarget],
) -> CompilerIdentity {
    let mut identity = CompilerIdentity::named(name);
    identity.family = family(name, recipe);
    let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
    if let Some(known) = targets.iter().find(|target| target.compiler == name) {
        identity.version = known.version.clone();
        identity.triple = known.triple.clone();
        identity.c = words(&known.command);
        identity.runner = words(&known.runner);
    }
    if let Some(recipe) = recipe {
        match language {
            Language::C => identity.c = recipe.compiler.clone(),
            Language::Cxx => identity.cxx = Some(recipe.compiler.clone()),
        }
        identity.runner = recipe.runner.clone();
        identity.lowest = recipe.lowest();
    } else if language == Language::Cxx {
        identity.cxx = Some(identity.c.clone());
    }
    identity
}

/// Who made a compiler: compilers of one family are told one standard.
fn family(name: &str, recipe: Option<&Recipe>) -> Family {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let named = match () {
        () if has(&["clang", "zig"]) => Some(Family::Clang),
        () if has(&["gcc", "g++"]) => Some(Family::Gcc),
        () if has(&["tcc"]) => Some(Family::Tcc),
        () if has(&["pcc"]) => Some(Family::Pcc),
        () => None,
    };
    match (recipe.map(Recipe::standard), named) {
        (Some(None), _) => Family::Other,
        (Some(Some("c11")), None) => Family::Pcc,
        (Some(Some("gnu11" | "c++17")), None) => Family::Gcc,
        (Some(Some("c11")), Some(Family::Gcc | Family::Clang)) => Family::Tcc,
        (Some(Some("gnu11" | "c++17")), Some(Family::Tcc | Family::Pcc)) => Family::Gcc,
        (_, named) => named.unwrap_or(Family::Other),
    }
}

/// How a program is compiled and run, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Recipe {
    /// The compiler: program and fixed arguments.
    compiler: Vec<String>,
    /// The arguments of each compilation. Where there are two, the first makes an object of the unit
    /// that only prints; the last makes `program`.
    steps: Vec<Vec<String>>,
    /// What stands before `./program` (an emulator).
    runner: Vec<String>,
}

impl Recipe {
    /// Reads a command of a finding, as `oracle::command_line` wrote them; `flags` are those of its
    /// target, behind which `-w` stands. `None` for anything else.
    fn read(command: &str, flags: &[&str]) -> Option<Recipe> {
        let words = split_shell_words(command)?;
        let end = words.iter().position(|word| word == "|").unwrap_or(words.len());
        let mut steps: Vec<&[String]> = words[..end].split(|word| word == "&&").collect();
        let (program, runner) = steps.pop()?.split_last()?;
        let last = steps.last()?;
        let own = |at: usize| {
            let rest = &last[at..];
            rest.len() > flags.len()
                && rest.iter().zip(flags).all(|(word, flag)| word == flag)
                && rest[flags.len()] == "-w"
        };
        let at = (1..last.len()).find(|at| own(*at))?;
        let compiler = &last[..at];
        let arguments = |step: &&[String]| step.strip_prefix(compiler).map(<[String]>::to_vec);
        let steps: Option<Vec<Vec<String>>> = steps.iter().map(arguments).collect();
        (program == "./program").then_some(Recipe {
            compiler: compiler.to_vec(),
            steps: steps?,
            runner: runner.to_vec(),
        })
    }

    /// The standard that is asked for (`gnu11`).
    fn standard(&self) -> Option<&str> {
        self.steps.last()?.iter().find_map(|word| word.strip_prefix("-std="))
    }

    /// Folders of headers.
    fn include(&self) -> Vec<String> {
        let words = self.steps.last().map_or(&[][..], Vec::as_slice);
        let pairs = words.windows(2).filter(|pair| pair[0] == "-I");
        pairs.map(|pair| pair[1].clone()).collect()
    }

    /// The step that compiles one unit apart.
    fn apart(&self) -> Option<&[String]> {
        let [first, _] = &self.steps[..] else { return None };
        Some(first)
    }

    /// The unit that is compiled apart.
    fn harness(&self) -> Option<&str> {
        self.apart()?.windows(2).find(|pair| pair[0] == "-c").map(|pair| pair[1].as_str())
    }

    /// The level at which that is done.
    fn lowest(&self) -> Option<String> {
        let step = self.apart()?;
        Some(step[..step.iter().position(|word| word == "-w")?].join(" "))
    }
}

/// The words of a command as a shell takes them, single quotes and backslashes known; `None` where a
/// quote is not closed.
fn split_shell_words(command: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let text = word.get_or_insert_default();
                loop {
                    match chars.next()? {
                        '\'' => break,
                        c => text.push(c),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(chars.next()?),
            c if c.is_whitespace() => words.extend(word.take()),
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

#[cfg(test)]
mod tests;
