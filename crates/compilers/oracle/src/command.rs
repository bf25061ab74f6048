//! The command that compiles a case on a target.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use sandbox::Root;
use toolchain::{Family, Language, Target};

use crate::case::{AddedOption, Case};

/// The compiler's command line, program first, for files in the current folder; `None` where the
/// target has no compiler for the language.
///
/// `harness` is the object of the case's harness, if it has one.
pub fn arguments(
    case: &Case,
    target: &Target,
    harness: Option<&Path>,
    output: &Path,
) -> Option<Vec<OsString>> {
    let mut words = target.command(case.language)?.to_vec();
    words.extend(target.flags.iter().map(OsString::from));
    let has_standard = names_a_standard(&words);
    words.extend(leading_arguments(
        case,
        target.compiler.family,
        has_standard,
        target.compiler.root.as_ref(),
    ));
    if target.compiler.runner.is_compile_only() {
        // An object for each unit, in the current folder: there may be nothing to link with.
        let names_a_step = words.iter().any(|word| word == "-S" || word == "-c");
        words.extend((!names_a_step).then(|| "-c".into()));
        words.extend(case.units().map(OsString::from));
        // Of several objects there is no one name.
        let is_one = case.units().count() == 1;
        words.extend(is_one.then(|| ["-o".into(), output.into()]).into_iter().flatten());
        return Some(words);
    }
    let unit = |unit: &&str| harness.is_none() || case.harness.as_deref() != Some(unit);
    words.extend(case.units().filter(unit).map(OsString::from));
    words.extend(harness.map(OsString::from));
    words.extend(["-o".into(), output.into()]);
    words.extend(added(case, AddedOption::Mathematics));
    Some(words)
}

/// The command that compiles the case's harness, without optimisation; `None` where there is none,
/// or no compiler for the language.
pub(crate) fn harness(case: &Case, target: &Target, output: &Path) -> Option<Vec<OsString>> {
    let unit = case.harness.as_ref()?;
    let mut words = target.command(case.language)?.to_vec();
    // The lowest level comes first.
    let level = target.compiler.levels.first().into_iter().flat_map(|l| l.split_whitespace());
    words.extend(level.map(OsString::from));
    let has_standard = names_a_standard(&words);
    words.extend(leading_arguments(
        case,
        target.compiler.family,
        has_standard,
        target.compiler.root.as_ref(),
    ));
    words.extend(["-c".into(), unit.into(), "-o".into(), output.into()]);
    Some(words)
}

/// What follows the flags when all is compiled at once, by a tool that judges the program: what was seen not to
/// matter was seen with other compilers and flags.
pub(crate) fn file_arguments(case: &Case, family: Family, output: &Path) -> Vec<OsString> {
    let case = Case { omitted: BTreeSet::new(), ..case.clone() };
    let mut words = leading_arguments(&case, family, false, None);
    words.extend(case.units().map(OsString::from));
    words.extend(["-o".into(), output.into()]);
    words.extend(added(&case, AddedOption::Mathematics));
    words
}

/// An option of ours, unless the program goes without.
fn added(case: &Case, option: AddedOption) -> Option<OsString> {
    (!case.omitted.contains(&option)).then(|| option.flag().into())
}

/// Whether a user gave a standard, in the compiler's words or its flags, which would lose to a later one
/// of ours.
fn names_a_standard(words: &[OsString]) -> bool {
    let is =
        |word: &str| word == "-ansi" || word.starts_with("-std=") || word.starts_with("--std=");
    words.iter().any(|word| word.to_string_lossy().split_whitespace().any(is))
}

/// What follows the flags before the files: header folders, and a standard unless there is one.
fn leading_arguments(
    case: &Case,
    family: Family,
    has_standard: bool,
    root: Option<&Root>,
) -> Vec<OsString> {
    let mut words: Vec<OsString> = added(case, AddedOption::NoWarnings).into_iter().collect();
    let standard = standard(case, family).filter(|_| !has_standard);
    words.extend(standard.map(|standard| format!("-std={standard}").into()));
    for dir in &case.include {
        words.push("-I".into());
        words.push(root.map_or_else(|| dir.clone(), |root| root.seen(dir)).into());
    }
    words
}

/// Given explicitly, because defaults change with the version. The small compilers know only the
/// standards' own names; an unknown compiler gets no `-std`.
fn standard(case: &Case, family: Family) -> Option<String> {
    let usual = match (case.language, family) {
        (_, Family::Other) => None,
        (Language::Cxx, _) => Some("c++17"),
        (Language::C, Family::Gcc | Family::Clang) => Some("gnu11"),
        (Language::C, Family::Tcc | Family::Pcc) => Some("c11"),
    };
    case.standard.clone().or_else(|| usual.map(String::from))
}

/// The shell command that compiles a case on a target and runs it, if anything does, in the folder of its files.
/// `None` where the target has no compiler for the language.
pub fn command_line(case: &Case, target: &Target) -> Option<String> {
    let mut words_of_run: Vec<OsString> = target.run_words();
    words_of_run.push("./program".into());
    let run = (!target.compiler.runner.is_compile_only()).then_some(&words_of_run);
    let all = compilations(case, target)?;
    let trained = |words: &Vec<OsString>| match is_training(words) {
        // How it ends is no matter: abnormally, it leaves no profile.
        true => format!(
            "{} && {{ {} > /dev/null; true; }}",
            shell_line(words),
            shell_line(&words_of_run)
        ),
        false => shell_line(words),
    };
    let steps = all.iter().map(trained).chain(run.map(|words| shell_line(words)));
    Some(steps.collect::<Vec<_>>().join(" && "))
}

/// The words of the same without the run: of the harness, if it has one, of the program that makes a profile, if
/// the target uses one, and of all the rest.
pub fn compilations(case: &Case, target: &Target) -> Option<Vec<Vec<OsString>>> {
    let is_linked = !target.compiler.runner.is_compile_only();
    let harness_unit = case.harness.as_ref().filter(|_| is_linked);
    let object = harness_unit.map(|unit| Path::new(unit).with_extension("o"));
    let first = object.as_ref().and_then(|object| harness(case, target, object));
    let compile = arguments(case, target, object.as_deref(), Path::new("program"))?;
    let training = uses_profile(&compile).then(|| training(&compile, GENERATE));
    Some(first.into_iter().chain(training).chain([compile]).collect())
}

/// The option of GCC's that optimises by a profile, which is made by the same program built with [`GENERATE`] and run.
const USE: &str = "-fprofile-use";

/// Builds a program that leaves its profile.
pub(crate) const GENERATE: &str = "-fprofile-generate";

/// Whether a compilation wants a profile.
pub(crate) fn uses_profile(words: &[OsString]) -> bool {
    words.iter().any(|word| word == USE)
}

/// The compilation that comes before, with `generate` in its place.
pub(crate) fn training(words: &[OsString], generate: &str) -> Vec<OsString> {
    let of = |word: &OsString| if word == USE { generate.into() } else { word.clone() };
    words.iter().map(of).collect()
}

/// The same compilation with the profile in a folder.
pub(crate) fn with_profile(words: &[OsString], folder: &Path) -> Vec<OsString> {
    training(words, &format!("{USE}={}", folder.display()))
}

/// Whether a compilation makes a program that is run for its profile.
pub fn is_training(words: &[OsString]) -> bool {
    words.iter().any(|word| word == GENERATE)
}

/// Words quoted for a shell.
pub(crate) fn shell_line(words: &[OsString]) -> String {
    words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_=+./,:@%".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.into_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::tests::{case, target};

    #[test]
    fn commands_can_be_typed() {
        let mut case = case("");
        let line = |case: &Case, target: &Target| command_line(case, target).unwrap_or_default();
        let gcc = target(Family::Gcc, "gcc-12", "-O2 -flto");
        assert_eq!(
            line(&case, &gcc),
            "gcc-12 -O2 -flto -w -std=gnu11 a.c b.c -o program -lm && ./program"
        );
        case.include.push("/opt/my headers".into());
        let pcc = line(&case, &target(Family::Pcc, "pcc", "-O0"));
        assert!(pcc.contains("-std=c11 -I '/opt/my headers' a.c b.c"), "{pcc}");
        assert!(!line(&case, &target(Family::Other, "mycc", "-O0")).contains("-std"));
        case.standard = Some("c99".into());
        assert!(line(&case, &target(Family::Other, "mycc", "-O0")).contains("-std=c99"));
        let own = line(&case, &target(Family::Gcc, "gcc", "-O2 -std=gnu17"));
        assert!(own.contains("-std=gnu17") && !own.contains("c99"), "the user's wins: {own}");
        let mut fixed = target(Family::Gcc, "gcc", "-O2");
        let mut compiler = (*fixed.compiler).clone();
        compiler.c.push("-ansi".into());
        fixed.compiler = compiler.into();
        assert!(!line(&case, &fixed).contains("-std="));
        let needed = ["-O2 -flto -std", "a.c b.c -o program &&"];
        case.omitted = AddedOption::ALL.into();
        let short = line(&case, &gcc);
        assert!(needed.iter().all(|words| short.contains(words)), "{short}");
        let all = file_arguments(&case, Family::Gcc, Path::new("program"));
        assert!(
            AddedOption::ALL.iter().all(|option| all.contains(&option.flag().into())),
            "{all:?}"
        );
        let profiled = line(&case, &target(Family::Gcc, "gcc", "-O2 -fprofile-use"));
        assert_eq!(
            profiled,
            "gcc -O2 -fprofile-generate -std=gnu11 -I '/opt/my headers' a.c b.c -o program && \
             { ./program > /dev/null; true; } && gcc -O2 -fprofile-use -std=gnu11 \
             -I '/opt/my headers' a.c b.c -o program && ./program"
                .replace("-std=gnu11", "-std=c99")
        );
        let mut bare = gcc.clone();
        let runner = toolchain::Runner::CompileOnly;
        bare.compiler = toolchain::Compiler { runner, ..(*bare.compiler).clone() }.into();
        case.harness = Some("b.c".into());
        let only_compiled = "gcc-12 -O2 -flto -std=c99 -I '/opt/my headers' -c a.c b.c";
        assert_eq!(line(&case, &bare), only_compiled);
        case.language = Language::Cxx;
        assert_eq!(command_line(&case, &target(Family::Tcc, "tcc", "-O0")), None);
    }
}
