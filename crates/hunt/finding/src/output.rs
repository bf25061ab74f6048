//! Expected results in JSON: text is text, and other bytes are numbers.

use oracle::Expected;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a program prints.
#[derive(Serialize, Deserialize)]
enum Output {
    Text(String),
    Bytes(Vec<u8>),
}

#[derive(Serialize, Deserialize)]
struct Kept {
    status: u8,
    stdout: Output,
}

impl From<&Expected> for Kept {
    fn from(expected: &Expected) -> Kept {
        let stdout = match String::from_utf8(expected.stdout.clone()) {
            Ok(text) => Output::Text(text),
            Err(error) => Output::Bytes(error.into_bytes()),
        };
        Kept { status: expected.status, stdout }
    }
}

impl From<Kept> for Expected {
    fn from(kept: Kept) -> Expected {
        let stdout = match kept.stdout {
            Output::Text(text) => text.into_bytes(),
            Output::Bytes(bytes) => bytes,
        };
        Expected { stdout, status: kept.status }
    }
}

pub fn serialize<S: Serializer>(expected: &Expected, to: S) -> Result<S::Ok, S::Error> {
    Kept::from(expected).serialize(to)
}

pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Expected, D::Error> {
    Ok(Kept::deserialize(from)?.into())
}

/// The same for programs that may have no answer.
pub mod optional {
    use super::*;

    pub fn serialize<S: Serializer>(expected: &Option<Expected>, to: S) -> Result<S::Ok, S::Error> {
        expected.as_ref().map(Kept::from).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Expected>, D::Error> {
        Ok(Option::<Kept>::deserialize(from)?.map(Expected::from))
    }
}
