//! A blame and a version ladder as text.

use campaign::pass_name;
use finding::{CompilerIdentity, CompilerTarget, Subject};
use triage::{Blame, Cell, Culprit, Ladder, Method, Rung, product};

use crate::test::Test;
use crate::text::{code, one_line, plural, shell_line};

/// The compilers that fail, in one cell of a table: `gcc-11, gcc-12`, `gcc-9 … gcc-14`.
pub fn versions(ladder: &Ladder) -> String {
    let bad: Vec<&str> =
        ladder.rungs.iter().filter(|r| r.fails()).map(|rung| rung.compiler.as_str()).collect();
    match &bad[..] {
        [] => String::new(),
        [one] => one.to_string(),
        [first, second] => format!("{first}, {second}"),
        [first, .., last] => format!("{first} … {last}"),
    }
}

/// The native compiler of a cross compiler: `gcc` of `aarch64-linux-gnu-gcc`.
fn native_of(product: &str) -> Option<&str> {
    let (machine, native) = product.rsplit_once('-')?;
    machine.contains('-').then_some(native)
}

/// The versions of one compiler, oldest first, as far as they have said something.
#[derive(Debug)]
pub struct Story<'l> {
    /// The compiler, without a version.
    pub product: &'l str,
    /// Those that fail somewhere.
    pub fails: Vec<&'l Rung>,
    /// Those that are right wherever another fails.
    pub works: Vec<&'l Rung>,
    /// Those that cannot show it.
    pub cannot_tell: Vec<&'l Rung>,
    /// Those that fail or are right, in their order.
    told: Vec<&'l Rung>,
}

/// Versions by compiler; the compiler that fails first.
pub fn stories(ladder: &Ladder) -> Vec<Story<'_>> {
    // One that cannot take the test where others fail, or fails in another way, has not said that it works.
    let failing = |at: &usize| ladder.rungs.iter().any(|r| r.cells.get(*at) == Some(&Cell::Fails));
    let failing: Vec<usize> = (0..ladder.levels.len()).filter(failing).collect();
    let works = |rung: &Rung| {
        !failing.is_empty() && failing.iter().all(|at| rung.cells.get(*at) == Some(&Cell::Works))
    };
    let mut stories: Vec<Story> = Vec::new();
    for rung in &ladder.rungs {
        let name = product(&rung.compiler);
        let at = stories.iter().position(|story| story.product == name).unwrap_or_else(|| {
            let (fails, works, cannot_tell, told) = Default::default();
            stories.push(Story { product: name, fails, works, cannot_tell, told });
            stories.len() - 1
        });
        let story = &mut stories[at];
        match () {
            () if rung.fails() => story.fails.push(rung),
            () if works(rung) => story.works.push(rung),
            () if rung.cells.contains(&Cell::CannotTell) => story.cannot_tell.push(rung),
            () => {}
        }
        if rung.fails() || works(rung) {
            story.told.push(rung);
        }
    }
    stories.sort_by_key(|story| story.fails.is_empty());
    stories
}

impl<'l> Story<'l> {
    /// The first version that fails, where an older one is known to be right.
    pub fn first_bad(&self) -> Option<&'l Rung> {
        let first = *self.fails.first()?;
        self.before(first).map(|_| first)
    }

    /// The first right version after the last that fails.
    pub fn fixed_in(&self) -> Option<&'l Rung> {
        let last = self.fails.last()?;
        let at = self.told.iter().position(|told| told == last)?;
        self.told.get(at + 1).copied()
    }

    /// The last right version before one.
    fn before(&self, rung: &Rung) -> Option<&'l Rung> {
        let at = self.told.iter().position(|told| *told == rung)?;
        self.told[..at].last().copied()
    }

    fn sentence(&self) -> String {
        let name = |rung: &Rung| format!("{} ({})", rung.compiler, rung.version);
        let (Some(first), Some(last)) = (self.fails.first(), self.fails.last()) else {
            return match (self.works.len(), self.cannot_tell.len()) {
                (0, _) => "it cannot be told".into(),
                (1, _) => format!("{} works", name(self.works[0])),
                (n, _) => format!("all {n} versions that were tried work"),
            };
        };
        let since = match self.before(first) {
            Some(good) => format!("the first that fails is {}, {} works", name(first), name(good)),
            None => format!("the oldest that was tried, {}, fails", name(first)),
        };
        let until = match self.fixed_in() {
            Some(good) => format!("the last that fails is {}, {} works", name(last), name(good)),
            None => format!("the newest that was tried, {}, fails", name(last)),
        };
        match self.told.len() {
            1 => format!("only {} was tried", name(first)),
            n => format!("of {}, {since}; {until}", plural(n, "version")),
        }
    }
}

/// Since when it fails, and whether it still does, as sentences: for each compiler, and what native versions say of
/// a cross compiler's bug.
pub fn history(ladder: &Ladder) -> String {
    let stories = stories(ladder);
    if stories.iter().all(|story| story.fails.is_empty()) {
        return "None of these fails.".into();
    }
    // A compiler of the family that can neither show it nor be right about it has nothing to say.
    let says = |story: &&Story| {
        !story.told.is_empty() || !story.works.is_empty() || !story.cannot_tell.is_empty()
    };
    let telling: Vec<&Story> = stories.iter().filter(says).collect();
    let sentences = telling.iter().map(|story| match telling.len() {
        1 => capital(&story.sentence()),
        _ => format!("{}: {}", story.product, story.sentence()),
    });
    let text = sentences.collect::<Vec<_>>().join(". ") + ".";
    match whose(&stories) {
        Some(Whose::Everyone(native)) => {
            format!("{text} The native {native} fails, too: the fault is not the target's.")
        }
        Some(Whose::Target(native)) => format!(
            "{text} The native {native} does not fail: the fault is likely to be in the part for this target."
        ),
        None => text,
    }
}

/// Where the fault of a cross compiler is, as far as its native versions tell.
pub enum Whose<'l> {
    /// The native compiler has it as well.
    Everyone(&'l str),
    /// The native compiler does not.
    Target(&'l str),
}

/// What the native versions say of a bug of a cross compiler.
pub fn whose<'l>(stories: &[Story<'l>]) -> Option<Whose<'l>> {
    let failing = stories.iter().filter(|story| !story.fails.is_empty());
    let native = failing.filter_map(|story| native_of(story.product)).next()?;
    let native = stories.iter().find(|story| story.product == native)?;
    match (native.fails.is_empty(), native.works.is_empty()) {
        (false, _) => Some(Whose::Everyone(native.product)),
        (true, false) => Some(Whose::Target(native.product)),
        (true, true) => None,
    }
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    first + letters.as_str()
}

/// A compiler for one machine, and the flags at which it fails and is right on the program of the report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetRow {
    /// The compiler by name.
    pub compiler: String,
    /// Its version.
    pub version: String,
    /// The machine it compiles for.
    pub triple: String,
    /// Flags with which it fails.
    pub fails: Vec<String>,
    /// Flags with which it is right.
    pub works: Vec<String>,
}

/// Who fails and who does not on the program of a report; empty where it is about no compilers.
pub fn targets(subject: &Subject) -> Vec<TargetRow> {
    let Subject::Program(program) = subject else { return Vec::new() };
    let flags = |all: &[CompilerTarget], name: &str| -> Vec<String> {
        let own = all.iter().filter(|target| target.compiler == name);
        own.map(|target| flags_or_none(&target.flags)).collect()
    };
    let row = |compiler: &CompilerIdentity| TargetRow {
        compiler: compiler.name.clone(),
        version: compiler.version.clone(),
        triple: compiler.triple.clone(),
        fails: flags(&program.failing, &compiler.name),
        works: flags(&program.right, &compiler.name),
    };
    let mut rows: Vec<TargetRow> = program.compilers.iter().map(row).collect();
    rows.sort_by_key(|row| row.fails.is_empty());
    rows
}

/// The same, empty where the version ladder has said it all: it is about one machine, and about every compiler.
pub fn other_targets(test: &Test) -> Vec<TargetRow> {
    let rows = targets(&test.subject);
    let Some(ladder) = test.study.map(|study| &study.ladder) else { return rows };
    let told = |row: &TargetRow| ladder.rungs.iter().any(|rung| rung.compiler == row.compiler);
    let one_machine = rows.windows(2).all(|pair| pair[0].triple == pair[1].triple);
    match one_machine && rows.iter().all(told) {
        true => Vec::new(),
        false => rows,
    }
}

/// A compiler without levels has no flags to show.
fn flags_or_none(flags: &[String]) -> String {
    if flags.is_empty() { "no flags".into() } else { flags.join(" ") }
}

/// Targets as a table in Markdown.
pub fn target_table(rows: &[TargetRow]) -> String {
    let list = |flags: &[String]| match flags {
        [] => NOTHING.to_string(),
        flags => flags.iter().map(|flags| code(flags)).collect::<Vec<_>>().join(", "),
    };
    let row = |row: &TargetRow| {
        let names = [&row.compiler, &row.version, &row.triple].map(|text| cell(text));
        let all = names.into_iter().chain([list(&row.fails), list(&row.works)]);
        format!("|{}\n", cells_of(all))
    };
    let head =
        "| compiler | version | target | fails at | works at |\n| --- | --- | --- | --- | --- |\n";
    head.to_string() + &rows.iter().map(row).collect::<String>()
}

/// An empty cell.
const NOTHING: &str = "–";

/// Text in a cell.
fn cell(text: &str) -> String {
    if text.is_empty() { NOTHING.into() } else { one_line(text).replace('|', "\\|") }
}

/// Versions by levels as a table in Markdown.
pub fn table(ladder: &Ladder) -> String {
    let mut text =
        format!("| compiler | version |{}\n", cells_of(ladder.levels.iter().map(|l| code(l))));
    text += &format!("| --- | --- |{}\n", cells_of(ladder.levels.iter().map(|_| "---".into())));
    for rung in by_compiler(ladder) {
        let words = rung.cells.iter().map(|cell| cell_text(*cell));
        let names = [&rung.compiler, &rung.version].map(|text| cell(text));
        text += &format!("|{}\n", cells_of(names.into_iter().chain(words)));
    }
    text
}

/// The rungs of a ladder by compiler, the one that fails first, and by version.
pub fn by_compiler(ladder: &Ladder) -> Vec<&Rung> {
    let order: Vec<&str> = stories(ladder).iter().map(|story| story.product).collect();
    let mut rungs: Vec<&Rung> = ladder.rungs.iter().collect();
    rungs.sort_by_key(|rung| order.iter().position(|name| *name == product(&rung.compiler)));
    rungs
}

fn cells_of(words: impl Iterator<Item = String>) -> String {
    words.map(|word| format!(" {word} |")).collect()
}

/// What one compiler does at one level.
pub fn cell_text(cell: Cell) -> String {
    match cell {
        Cell::Works => "works".into(),
        Cell::Fails => "**fails**".into(),
        Cell::Otherwise(kind) => kind.name().into(),
        Cell::Unsupported => "unsupported".into(),
        Cell::CannotTell => "cannot tell".into(),
    }
}

/// The flags that hide the bug, of the most telling culprit that has any.
pub fn flags_that_hide(blame: &Blame) -> Option<String> {
    blame.culprits.iter().find(|c| !c.hides.is_empty()).map(|c| shell_line(&c.hides))
}

/// What a list of what was learnt is called: a cause, or what was tried without finding one.
pub fn heading(blame: &Blame) -> &'static str {
    if blame.part().is_some() { "Cause" } else { "Tried without finding a cause" }
}

/// The part of a report in Markdown on what was learnt; empty where nothing was.
pub fn section(blame: Option<&Blame>) -> (&'static str, String) {
    blame.map_or(("Cause", String::new()), |blame| (heading(blame), findings(blame)))
}

/// All that was learnt, as a list in Markdown.
fn findings(blame: &Blame) -> String {
    let mut text = String::new();
    if let Some(pass) = &blame.pass {
        text += &format!("Most likely at fault: {}.\n\n", code(&pass_name(pass)));
    }
    for culprit in &blame.culprits {
        text += &format!("- {}\n", sentence(culprit));
    }
    for limit in &blame.limits {
        text += &format!("- {limit}\n");
    }
    text
}

fn sentence(culprit: &Culprit) -> String {
    culprit_text(culprit, code)
}

/// What was learnt of a culprit, without marks of Markdown.
pub fn sentence_plain(culprit: &Culprit) -> String {
    culprit_text(culprit, one_line)
}

fn culprit_text(culprit: &Culprit, code: impl Fn(&str) -> String) -> String {
    let how = match culprit.method {
        Method::Message => "the crash names",
        Method::LastPass => "the last of the fewest passes is",
        Method::OptBisect => "bisected with -opt-bisect-limit:",
        Method::DebugCounter => "bisected with the debug counter",
        Method::DisabledPass => "it needs the pass",
        Method::Option => "it needs the option",
    };
    let mut text = format!("{how} {}", code(&culprit.name));
    if !culprit.hides.is_empty() {
        text += &format!("; {} hides it", code(&shell_line(&culprit.hides)));
    }
    if !culprit.detail.is_empty() {
        text += &format!(" ({})", culprit.detail);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use Cell::{Fails, Unsupported, Works};

    fn ladder(rungs: &[(&str, Cell)]) -> Ladder {
        let rung = |(name, cell): &(&str, Cell)| Rung {
            compiler: name.to_string(),
            version: format!("{}.0", name.trim_start_matches("gcc-")),
            cells: vec![Works, *cell],
        };
        Ladder { levels: vec!["-O0".into(), "-O2".into()], rungs: rungs.iter().map(rung).collect() }
    }

    #[test]
    fn history_is_told() {
        let all = [("gcc-10", Works), ("gcc-11", Fails), ("gcc-12", Fails), ("gcc-13", Works)];
        assert_eq!(
            history(&ladder(&all)),
            "Of 4 versions, the first that fails is gcc-11 (11.0), gcc-10 (10.0) works; the last that \
             fails is gcc-12 (12.0), gcc-13 (13.0) works."
        );
        assert_eq!(
            history(&ladder(&all[1..3])),
            "Of 2 versions, the oldest that was tried, gcc-11 (11.0), fails; the newest that was \
             tried, gcc-12 (12.0), fails."
        );
        assert_eq!(history(&ladder(&all[1..2])), "Only gcc-11 (11.0) was tried.");
        assert_eq!(history(&ladder(&all[..1])), "None of these fails.");
        let untold = [
            ("gcc-10", Unsupported),
            ("gcc-11", Fails),
            ("gcc-12", Fails),
            ("gcc-13", Unsupported),
        ];
        assert_eq!(
            history(&ladder(&untold)),
            "Of 2 versions, the oldest that was tried, gcc-11 (11.0), fails; the newest that was \
             tried, gcc-12 (12.0), fails."
        );
        assert_eq!(versions(&ladder(&all)), "gcc-11, gcc-12");
        assert_eq!(versions(&ladder(&[("a", Fails), ("b", Fails), ("c", Fails)])), "a … c");
        assert_eq!(
            table(&ladder(&[("gcc-12", Fails), ("gcc-13", Unsupported)])),
            "| compiler | version | `-O0` | `-O2` |\n| --- | --- | --- | --- |\n\
             | gcc-12 | 12.0 | works | **fails** |\n| gcc-13 | 13.0 | works | unsupported |\n"
        );
    }

    #[test]
    fn blame_is_told() {
        let blame = Blame {
            pass: Some("tailr1".into()),
            culprits: vec![Culprit {
                method: Method::DisabledPass,
                name: "tailr1".into(),
                hides: vec!["-fdisable-tree-tailr1".into()],
                detail: "on function f".into(),
            }],
            limits: vec!["No debug counter hides it.".into()],
        };
        assert_eq!(
            findings(&blame),
            "Most likely at fault: `tailr`.\n\n- it needs the pass `tailr1`; \
             `-fdisable-tree-tailr1` hides it (on function f)\n- No debug counter hides it.\n"
        );
        assert_eq!(heading(&blame), "Cause");
        let nothing = Blame { pass: None, culprits: Vec::new(), ..blame.clone() };
        assert_eq!(heading(&nothing), "Tried without finding a cause");
        assert_eq!(findings(&Blame::default()), "", "it is left out");
        assert_eq!(flags_that_hide(&blame).as_deref(), Some("-fdisable-tree-tailr1"));
    }
}
