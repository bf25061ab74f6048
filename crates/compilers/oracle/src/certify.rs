//! The validity certificate: the tools that checked the program, and what each reported.

/// One opinion on a program.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Opinion {
    /// Tool and version: `gcc 12.2.0 -fsanitize=undefined,address`.
    pub tool: String,
    /// The command, to be typed beside the files.
    pub command: String,
    /// What it reports.
    pub says: Assessment,
}

/// What a detector reports.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "verdict", content = "detail")]
pub enum Assessment {
    /// The program is valid and does what the machine says.
    Valid,
    /// The program is undefined; the report, with its location if it has one.
    Undefined(String),
    /// No objection, but the program does something other than the machine says.
    Differs(String),
    /// No objection; the expected output is not known.
    NoAlarm,
    /// An alarm of a static analyser, possibly false.
    Alarm(String),
    /// No answer: not installed, too slow, unsupported language.
    Silent(String),
}

impl Assessment {
    /// Whether it objects to the program, if only by an alarm.
    pub fn objects(&self) -> bool {
        matches!(self, Assessment::Undefined(_) | Assessment::Alarm(_))
    }

    /// The line that it objects to, if it names one.
    pub fn line(&self) -> Option<u32> {
        match self {
            Assessment::Undefined(words) | Assessment::Alarm(words) => line(words),
            _ => None,
        }
    }
}

/// The number behind the first name of a C file: 12 of `test.c:12:5: runtime error: …`.
pub(crate) fn line(words: &str) -> Option<u32> {
    let after =
        [".c:", ".cpp:"].iter().filter_map(|end| words.split_once(end)).map(|(_, rest)| rest);
    let digits = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    after.filter_map(digits).next()
}

/// All opinions on one program.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Certificate {
    /// Each of them; the machine's first.
    pub opinions: Vec<Opinion>,
}

impl Certificate {
    /// Whether any tool says that the program is undefined.
    pub fn disputed(&self) -> bool {
        self.opinions.iter().any(|o| matches!(o.says, Assessment::Undefined(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_complaints() {
        let undefined = |words: &str| Assessment::Undefined(words.into()).line();
        assert_eq!(undefined("test.c:3:5: runtime error: signed integer overflow"), Some(3));
        assert_eq!(undefined("ERROR: AddressSanitizer: x on 0x7f.c, at test.c:41:2"), Some(41));
        assert_eq!(Assessment::Alarm("[eva:alarm] f.c:2: Warning: y".into()).line(), Some(2));
        assert_eq!(undefined("WARNING: MemorySanitizer: use-of-uninitialized-value"), None);
        assert_eq!(Assessment::Differs("a.c:3".into()).line(), None);
    }
}
