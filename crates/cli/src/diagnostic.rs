//! Verdicts shown the way rustc shows its errors: what, where, the line with carets, the rule.

use annotate_snippets::{AnnotationKind, Element, Level, Renderer, Snippet};
use ctree::{SourceMap, Span};

use crate::locate::{Located, locate};

/// Something to tell about a place in a program.
#[derive(Debug)]
pub struct Diagnostic {
    /// Stable short name, shown in brackets.
    pub code: String,
    /// The headline.
    pub title: String,
    /// What stands beside the carets: the values involved.
    pub label: String,
    /// Where.
    pub at: Option<Located>,
    /// A second place, and what it is.
    pub other: Option<(Located, String)>,
    /// What is added below: the rule, what to do.
    pub notes: Vec<String>,
}

impl Diagnostic {
    /// A diagnostic without places or notes.
    pub fn new(code: &str, title: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code: code.into(),
            title: title.into(),
            label: String::new(),
            at: None,
            other: None,
            notes: Vec::new(),
        }
    }

    /// Points at a span, with words beside the carets.
    pub fn at(mut self, map: &SourceMap, span: Span, label: &str) -> Diagnostic {
        self.at = map.location(span).map(|place| locate(&place));
        if self.at.is_none() && !label.is_empty() {
            self.notes.push(label.into());
        }
        self.label = label.into();
        self
    }

    /// Points at a second span.
    pub fn other(mut self, map: &SourceMap, other: Option<(Span, &str)>) -> Diagnostic {
        self.other = other.and_then(|(span, what)| {
            map.location(span).map(|place| (locate(&place), what.to_string()))
        });
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// The diagnostic as text, without a newline at the end.
    pub fn render(&self, colour: bool) -> String {
        let mut elements: Vec<Element> = Vec::new();
        if let Some(at) = &self.at {
            let mut primary = snippet(at).annotation(
                AnnotationKind::Primary.span(at.range.clone()).label(self.label.as_str()),
            );
            let mut secondary = None;
            if let Some((other, what)) = &self.other {
                let context =
                    AnnotationKind::Context.span(other.range.clone()).label(what.as_str());
                if other.source == at.source && other.first_line == at.first_line {
                    primary = primary.annotation(context);
                } else {
                    secondary = Some(snippet(other).annotation(context));
                }
            }
            elements.push(primary.into());
            elements.extend(secondary.map(Element::from));
        }
        let notes = self.notes.iter().map(|n| Element::from(Level::NOTE.message(n.as_str())));
        elements.extend(notes);
        if self.at.as_ref().is_some_and(|at| at.preprocessed) {
            let note = Level::NOTE.message("the line is shown as the preprocessor left it");
            elements.push(note.into());
        }
        let title = Level::ERROR.primary_title(self.title.as_str()).id(self.code.as_str());
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[title.elements(elements)])
    }
}

fn snippet(at: &Located) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    Snippet::source(at.source.as_str()).line_start(at.first_line).path(at.file.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(source: &str, wanted: &str) -> Located {
        let start = source.find(wanted).expect("it is there");
        let line = source[..start].matches('\n').count() + 1;
        Located {
            file: "a.c".into(),
            line,
            column: 1,
            source: source.into(),
            first_line: 1,
            range: start..start + wanted.len(),
            preprocessed: false,
        }
    }

    #[test]
    fn looks_like_rustc() {
        let source = "int f(int x)\n{\n    return x + 1;\n}\n";
        let mut diagnostic =
            Diagnostic::new("signed-overflow", "undefined behaviour: signed overflow")
                .note("the result of a signed operation must fit its type (C11 6.5p5)");
        diagnostic.label = "2147483647 + 1 does not fit int".into();
        diagnostic.at = Some(located(source, "x + 1"));
        let want = "\
error[signed-overflow]: undefined behaviour: signed overflow
 --> a.c:3:12
  |
3 |     return x + 1;
  |            ^^^^^ 2147483647 + 1 does not fit int
  |
  = note: the result of a signed operation must fit its type (C11 6.5p5)";
        assert_eq!(diagnostic.render(false), want);
        assert!(diagnostic.render(true).contains('\u{1b}'));
    }

    #[test]
    fn two_places_of_one_file_share_a_snippet() {
        let source = "int i;\nint main(void)\n{\n    return i++ + i--;\n}\n";
        let mut diagnostic = Diagnostic::new("unsequenced", "undefined behaviour: unsequenced");
        diagnostic.at = Some(located(source, "i--"));
        diagnostic.other = Some((located(source, "i++"), "the other side effect".into()));
        let text = diagnostic.render(false);
        assert!(text.contains("--- "), "{text}");
        assert_eq!(text.matches("return i++").count(), 1, "{text}");
    }

    #[test]
    fn no_place_at_all() {
        let text = Diagnostic::new("out-of-fuel", "stopped after 7 steps")
            .note("raise --fuel")
            .render(false);
        assert_eq!(text, "error[out-of-fuel]: stopped after 7 steps\n |\n = note: raise --fuel");
    }
}
