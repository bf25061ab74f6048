//! The view kept at the foot of a terminal, below the lines that stay.
//!
//! Each picture is written over the last one in a single write: up by as many rows as that had,
//! then line by line. The terminal's modes are never changed and the cursor is never hidden, so
//! there is nothing to restore, whatever ends us, and Ctrl-C is the signal it always is.

use std::fmt::Write as _;
use std::io;
use std::time::{Duration, Instant};

use ratatui::backend::{FromCrossterm as _, IntoCrossterm};
use ratatui::buffer::Buffer;
use ratatui::crossterm::style::ContentStyle;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;

use super::view::View;
use crate::terminal;

/// Five pictures a second look alive; each costs most of a millisecond in an unoptimised build.
const PAUSE: Duration = Duration::from_millis(200);

/// The foot of the terminal.
#[derive(Debug, Default)]
pub struct Live {
    /// Widths of the lines on the screen.
    shown: Vec<u16>,
    drawn: Option<Instant>,
    colour: bool,
}

impl Live {
    /// Nothing on the screen yet.
    pub fn new(colour: bool) -> Live {
        Live { colour, ..Live::default() }
    }

    /// Draws, unless it has just been done.
    pub fn tick(&mut self, view: &View) -> io::Result<()> {
        match self.drawn {
            Some(at) if at.elapsed() < PAUSE => Ok(()),
            _ => self.draw("", view),
        }
    }

    /// Draws now, below lines that stay.
    pub fn draw(&mut self, above: &str, view: &View) -> io::Result<()> {
        let text = self.picture(above, Some(view), terminal::size());
        self.drawn = Some(Instant::now());
        terminal::print(text.as_bytes())
    }

    /// Puts lines that stay in the place of the view.
    pub fn finish(&mut self, text: &str) -> io::Result<()> {
        let text = self.picture(text, None, terminal::size());
        terminal::print(text.as_bytes())
    }

    /// The bytes that replace what is shown. Lines are written over the old ones and only what
    /// remains is wiped: wiping first would flicker, and some terminals keep what they wipe.
    fn picture(&mut self, above: &str, view: Option<&View>, (width, height): (u16, u16)) -> String {
        // A terminal that has become narrower has broken the lines that were longer.
        let rows: u16 = self.shown.iter().map(|w| w.div_ceil(width.max(1)).max(1)).sum();
        // Synchronised output: a terminal that knows it shows all or nothing.
        let mut text = "\x1b[?2026h".to_string();
        if rows > 0 {
            let _ = write!(text, "\r\x1b[{rows}A");
        }
        for line in above.lines() {
            let _ = writeln!(text, "{line}\x1b[K");
        }
        self.shown.clear();
        // The last column stays free: some terminals break the line as soon as it is full. So does
        // the last row, where the cursor rests.
        let (width, height) = (width.max(2) - 1, height.max(2) - 1);
        let lines = view.map(|view| view.lines(width, height)).unwrap_or_default();
        for line in lines {
            let mut row = Buffer::empty(Rect::new(0, 0, width, 1));
            line.render(row.area, &mut row);
            let used = self.write(&row, &mut text);
            self.shown.push(used);
            text.push_str("\x1b[K\n");
        }
        text + "\x1b[J\x1b[?2026l"
    }

    /// Writes a row without the blanks at its end; its width.
    fn write(&self, row: &Buffer, text: &mut String) -> u16 {
        let cells = &row.content;
        let used = cells.iter().rposition(|c| c.symbol() != " ").map_or(0, |last| last + 1);
        for run in cells[..used].chunk_by(|a, b| a.style() == b.style()) {
            let words: String = run.iter().map(|c| c.symbol()).collect();
            let style = run[0].style();
            if self.colour && style != Style::from_crossterm(ContentStyle::default()) {
                let style: ContentStyle = style.into_crossterm();
                let _ = write!(text, "{}", style.apply(words));
            } else {
                text.push_str(&words);
            }
        }
        used as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hunt::sample;
    use campaign::{Cost, Snapshot};

    #[test]
    fn a_picture_replaces_the_last_one() {
        let progress = sample::progress();
        let view = View {
            progress: &progress,
            before: Cost::default(),
            count: sample::count(),
            shot: &Snapshot::default(),
            out: "gainsay-hunt",
        };
        let mut live = Live::new(false);
        let first = live.picture("", Some(&view), (80, 24));
        assert!(first.starts_with("\x1b[?2026hgainsay hunt"), "{first:?}");
        let rows = live.shown.len();
        assert_eq!(first.matches("\x1b[K\n").count(), rows);
        let second = live.picture("found it\n", Some(&view), (80, 24));
        let begin = format!("\x1b[?2026h\r\x1b[{rows}Afound it\x1b[K\ngainsay hunt");
        assert!(second.starts_with(&begin), "{second:?}");
        // Lines of up to 79 columns take up to two rows of 40.
        let broken: usize = live.shown.iter().map(|w| if *w > 40 { 2 } else { 1 }).sum();
        assert!(broken > rows);
        let narrow = live.picture("", Some(&view), (40, 12));
        assert!(narrow.contains(&format!("\x1b[{broken}A")), "{narrow:?}");
        assert!(live.shown.len() <= 11 && live.shown.iter().all(|w| *w < 40));
        let rows = live.shown.len();
        let end = live.picture("the end\n", None, (40, 12));
        let want = format!("\x1b[?2026h\r\x1b[{rows}Athe end\x1b[K\n\x1b[J\x1b[?2026l");
        assert_eq!(end, want);
    }

    #[test]
    fn colour_only_when_asked() {
        let progress = sample::progress();
        let view = View {
            progress: &progress,
            before: Cost::default(),
            count: sample::count(),
            shot: &Snapshot::default(),
            out: "gainsay-hunt",
        };
        let picture = |colour| Live::new(colour).picture("", Some(&view), (80, 24));
        let (plain, coloured) = (picture(false), picture(true));
        let codes = |text: &str| text.matches("\x1b[").count();
        assert_eq!(codes(&plain), 3 + plain.lines().count() - 1, "{plain:?}");
        assert!(codes(&coloured) > codes(&plain), "{coloured:?}");
    }

    #[test]
    fn the_smallest_terminal_does_no_harm() {
        let progress = sample::progress();
        let view = View {
            progress: &progress,
            before: Cost::default(),
            count: sample::count(),
            shot: &Snapshot::default(),
            out: "gainsay-hunt",
        };
        for size in [(0, 0), (1, 1), (2, 2), (5, 3)] {
            Live::new(false).picture("", Some(&view), size);
        }
    }
}
