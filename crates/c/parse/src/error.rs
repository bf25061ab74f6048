//! Refusals: the error type of the crate and short ways to make one.

use crate::{ErrorKind, ParseError};
use ctree::Span;

/// Boxed, so that the many results on the way through the parser stay two words.
pub(crate) type PResult<T> = Result<T, Box<ParseError>>;

/// The text breaks a rule of C.
#[cold]
pub(crate) fn invalid<T>(span: Span, message: impl Into<String>) -> PResult<T> {
    Err(Box::new(ParseError { kind: ErrorKind::Invalid, span, message: message.into() }))
}

/// The text uses something we do not take.
#[cold]
pub(crate) fn unsupported<T>(span: Span, message: impl Into<String>) -> PResult<T> {
    Err(Box::new(ParseError { kind: ErrorKind::Unsupported, span, message: message.into() }))
}
