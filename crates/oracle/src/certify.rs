//! The validity certificate: who looked at the program, and what they said.

/// One opinion on a program.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Opinion {
    /// Tool and version: `gcc 12.2.0 -fsanitize=undefined,address`.
    pub tool: String,
    /// The command, to be typed beside the files.
    pub command: String,
    /// What it says.
    pub says: Says,
}

/// What a detector says.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "verdict", content = "detail")]
pub enum Says {
    /// The program is fine and does what the machine says.
    Valid,
    /// The program is undefined; its words.
    Undefined(String),
    /// Nothing against the program, but it does something else than the machine says.
    Differs(String),
    /// A static analyser has nothing against the program; what it prints it does not know.
    NoAlarm,
    /// A static analyser's alarm, which may be a false one.
    Alarm(String),
    /// It could not say: not installed, too slow, it does not know the language.
    Silent(String),
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
        self.opinions.iter().any(|o| matches!(o.says, Says::Undefined(_)))
    }
}
