//! The validity certificate: who looked at the program, and what they said.

/// One opinion on a program.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Opinion {
    /// Tool and version: `gcc 12.2.0 -fsanitize=undefined,address`.
    pub tool: String,
    /// The command, to be typed beside the files.
    pub command: String,
    /// What it says.
    pub says: Assessment,
}

/// What a detector says.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "verdict", content = "detail")]
pub enum Assessment {
    /// The program is fine and does what the machine says.
    Valid,
    /// The program is undefined; its words, with the place where it has one.
    Undefined(String),
    /// Nothing against the program, but it does something else than the machine says.
    Differs(String),
    /// Nothing against the program; what it should print is not known, to the tool or to anybody.
    NoAlarm,
    /// A static analyser's alarm, which may be a false one.
    Alarm(String),
    /// It could not say: not installed, too slow, it does not know the language.
    Silent(String),
}

impl Assessment {
    /// Whether it speaks against the program, if only by an alarm.
    pub fn objects(&self) -> bool {
        matches!(self, Assessment::Undefined(_) | Assessment::Alarm(_))
    }

    /// The line of the program that it speaks against, as far as it says.
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
    /// Whether somebody says that the program is undefined.
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
