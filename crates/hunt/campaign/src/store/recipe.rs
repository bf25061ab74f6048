//! A stored command read back: findings keep what to type, not how it came about.

use std::path::PathBuf;

/// How a program is compiled and run, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// The compiler: program and fixed arguments.
    pub compiler: Vec<String>,
    /// The arguments of each compilation. Where there are two, the first makes an object of the unit
    /// that only prints; the last makes `program`.
    pub steps: Vec<Vec<String>>,
    /// What stands before `./program` (an emulator).
    pub runner: Vec<String>,
}

impl Recipe {
    /// Reads a command of a finding, as `oracle::command_line` writes them; `flags` are those of its
    /// target, behind which `-w` stands. `None` for anything else.
    pub fn read(command: &str, flags: &[&str]) -> Option<Recipe> {
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

    /// Reads a command that runs passes on a module: `opt-16 -passes=… test.ll`. `None` for anything else.
    pub fn of_passes(command: &str) -> Option<Recipe> {
        let words = split_shell_words(command)?;
        let (program, step) = words.split_first()?;
        step.last()?.ends_with(".ll").then(|| Recipe {
            compiler: vec![program.clone()],
            steps: vec![step.to_vec()],
            runner: Vec::new(),
        })
    }

    /// The standard that is asked for (`gnu11`).
    pub fn standard(&self) -> Option<&str> {
        self.steps.last()?.iter().find_map(|word| word.strip_prefix("-std="))
    }

    /// Folders of headers.
    pub fn include(&self) -> Vec<PathBuf> {
        let words = self.steps.last().map_or(&[][..], Vec::as_slice);
        words
            .windows(2)
            .filter(|pair| pair[0] == "-I")
            .map(|pair| PathBuf::from(&pair[1]))
            .collect()
    }

    /// The unit that is compiled apart.
    pub fn harness(&self) -> Option<&str> {
        let [first, _] = &self.steps[..] else { return None };
        first.windows(2).find(|pair| pair[0] == "-c").map(|pair| pair[1].as_str())
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
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_back() {
        let command = "/usr/bin/zig clang -O0 -w -std=gnu11 -c driver.c -o driver.o && /usr/bin/zig \
                       clang -O2 -g -w -std=gnu11 -I '/opt/it'\\''s' func.c driver.o -o program -lm \
                       && qemu -L /x ./program | diff expected -";
        let recipe = Recipe::read(command, &["-O2", "-g"]).expect("it is one");
        assert_eq!(recipe.compiler, ["/usr/bin/zig", "clang"]);
        assert_eq!(recipe.runner, ["qemu", "-L", "/x"]);
        assert_eq!(recipe.steps[0].join(" "), "-O0 -w -std=gnu11 -c driver.c -o driver.o");
        assert_eq!((recipe.standard(), recipe.harness()), (Some("gnu11"), Some("driver.c")));
        assert_eq!(recipe.include(), [PathBuf::from("/opt/it's")]);
        for other in ["", "gcc -O2 a.c && ./a.out", "gcc -O3 -w a.c -o program && ./program", "'"] {
            assert_eq!(Recipe::read(other, &["-O2"]), None, "{other}");
        }
        let alone = "tcc -w a.c -o program -lm && ./program";
        let recipe = Recipe::read(alone, &[]).expect("it is one");
        assert_eq!((recipe.compiler.len(), recipe.steps.len(), recipe.harness()), (1, 1, None));
    }
}
