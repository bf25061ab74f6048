//! Small plots as inline SVG. Colours and fonts come from the page's style sheet, by class; values
//! are told in `<title>`s, which browsers show under the pointer.

use std::fmt::Write;

use crate::text::escape;

/// Size of a plot in its own units; the page scales it.
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 200.0;

/// Room around it for ticks and labels.
const LEFT: f64 = 38.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 34.0;

/// A horizontal bar with the room above and below it.
const BAR: f64 = 22.0;

/// Columns of a bar's label, and characters that fit into it.
const LABEL: f64 = 150.0;
const LABEL_CHARS: usize = 24;

/// More bars than this nobody compares; the rest is one bar.
const BARS: usize = 12;

/// A sum that grows over time: `events` are seconds since the beginning, in order.
pub fn growth(caption: &str, events: &[u64], seconds: u64) -> String {
    let span = seconds.max(events.last().copied().unwrap_or(0)).max(1);
    let (unit, length) = match span {
        0..=180 => ("seconds", 1.0),
        181..=10_800 => ("minutes", 60.0),
        10_801..=259_200 => ("hours", 3600.0),
        _ => ("days", 86_400.0),
    };
    let top = ceiling(events.len());
    let x = |at: f64| LEFT + (WIDTH - LEFT - RIGHT) * at / span as f64;
    let y = |n: f64| HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * n / top as f64;
    let mut svg = String::new();
    for n in ticks(top as f64) {
        horizontal(&mut svg, y(n), &number(n));
    }
    for at in ticks(span as f64 / length) {
        below(&mut svg, x(at * length), &number(at));
    }
    let mut path = format!("M{:.1},{:.1}", x(0.0), y(0.0));
    for (i, at) in events.iter().enumerate() {
        let _ = write!(path, "H{:.1}V{:.1}", x(*at as f64), y(i as f64 + 1.0));
    }
    let _ = write!(path, "H{:.1}", x(span as f64));
    let _ = write!(
        svg,
        "<path class=\"line\" d=\"{path}\"><title>{} in all</title></path>",
        events.len()
    );
    axis(&mut svg, &format!("{unit} of hunting"));
    figure(caption, svg, HEIGHT)
}

/// One bar for each name, as they come.
pub fn bars(caption: &str, rows: &[(String, usize)]) -> String {
    let rest: usize = rows.iter().skip(BARS).map(|(_, n)| n).sum();
    let mut shown: Vec<(String, usize)> = rows.iter().take(BARS).cloned().collect();
    if rest > 0 {
        shown.push((format!("{} others", rows.len() - BARS), rest));
    }
    let most = shown.iter().map(|(_, n)| *n).max().unwrap_or(1).max(1);
    let height = BAR * shown.len().max(1) as f64 + 8.0;
    let mut svg = String::new();
    for (i, (name, n)) in shown.iter().enumerate() {
        let y = 4.0 + BAR * i as f64;
        let length = (WIDTH - LABEL - 40.0) * *n as f64 / most as f64;
        let short = cut(name);
        let _ = write!(
            svg,
            "<g><title>{full}: {n}</title>\
             <text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{short}</text>\
             <rect class=\"bar\" x=\"{LABEL}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"{:.1}\" rx=\"2\"/>\
             <text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{n}</text></g>",
            LABEL - 6.0,
            y + 15.0,
            y + 4.0,
            BAR - 8.0,
            LABEL + length + 5.0,
            y + 15.0,
            full = escape(name),
            short = escape(&short),
        );
    }
    figure(caption, svg, height)
}

/// Counts by rank on logarithmic scales: a power law is a straight line.
pub fn ranks(caption: &str, counts: &[usize]) -> String {
    let mut counts: Vec<usize> = counts.iter().copied().filter(|n| *n > 0).collect();
    counts.sort_by_key(|n| std::cmp::Reverse(*n));
    let most = counts.first().copied().unwrap_or(1).max(2) as f64;
    let last = counts.len().max(2) as f64;
    let x = |rank: f64| LEFT + 8.0 + (WIDTH - LEFT - RIGHT - 16.0) * rank.ln() / last.ln();
    let y = |n: f64| HEIGHT - BOTTOM - 8.0 - (HEIGHT - TOP - BOTTOM - 16.0) * n.ln() / most.ln();
    let mut svg = String::new();
    for n in decades(most) {
        horizontal(&mut svg, y(n), &number(n));
    }
    for rank in decades(last) {
        below(&mut svg, x(rank), &number(rank));
    }
    for (i, n) in counts.iter().enumerate() {
        let (rank, n) = (i + 1, *n);
        let _ = write!(
            svg,
            "<circle class=\"dot\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"><title>rank {rank}: {n}</title></circle>",
            x(rank as f64),
            y(n as f64),
        );
    }
    axis(&mut svg, "rank of the bug");
    figure(caption, svg, HEIGHT)
}

fn figure(caption: &str, svg: String, height: f64) -> String {
    let caption = escape(caption);
    format!(
        "<figure><figcaption>{caption}</figcaption><svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"{caption}\">{svg}</svg></figure>\n"
    )
}

fn horizontal(svg: &mut String, y: f64, label: &str) {
    let right = WIDTH - RIGHT;
    let _ = write!(
        svg,
        "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
         <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
        LEFT - 6.0,
        y + 4.0
    );
}

fn below(svg: &mut String, x: f64, label: &str) {
    let y = HEIGHT - BOTTOM + 15.0;
    let _ = write!(
        svg,
        "<text class=\"tick\" x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>"
    );
}

fn axis(svg: &mut String, label: &str) {
    let (x, y) = ((LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 4.0);
    let _ = write!(
        svg,
        "<text class=\"tick\" x=\"{x}\" y=\"{y}\" text-anchor=\"middle\">{label}</text>"
    );
}

/// The least round number that is not less.
fn ceiling(n: usize) -> usize {
    let step = step(n as f64).max(1.0);
    ((n as f64 / step).ceil() * step).max(1.0) as usize
}

/// A round distance of about four ticks.
fn step(max: f64) -> f64 {
    let rough = (max / 4.0).max(f64::MIN_POSITIVE);
    let magnitude = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    let fit = steps.iter().map(|s| s * magnitude).find(|s| *s >= rough * 0.8);
    fit.unwrap_or(magnitude * 10.0).max(1.0)
}

fn ticks(max: f64) -> Vec<f64> {
    let step = step(max);
    (0..).map(|i| step * f64::from(i)).take_while(|at| *at <= max * 1.001).collect()
}

/// 1, 2, 5, 10, 20 … up to a number; only the powers of ten where there are many.
fn decades(max: f64) -> Vec<f64> {
    let steps: &[f64] = if max > 500.0 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let powers = (0..).map(|power| 10f64.powi(power)).take_while(|p| *p <= max);
    powers.flat_map(|p| steps.iter().map(move |s| s * p)).filter(|n| *n <= max).collect()
}

fn number(n: f64) -> String {
    format!("{n:.0}")
}

fn cut(name: &str) -> String {
    if name.chars().count() <= LABEL_CHARS {
        return name.into();
    }
    let mut short: String = name.chars().take(LABEL_CHARS - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round() {
        assert_eq!((ceiling(0), ceiling(3), ceiling(17), ceiling(101)), (1, 3, 20, 150));
        assert_eq!(ticks(20.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(ticks(1.0), [0.0, 1.0]);
        assert_eq!(decades(30.0), [1.0, 2.0, 5.0, 10.0, 20.0]);
        assert_eq!(decades(1200.0), [1.0, 10.0, 100.0, 1000.0]);
    }

    #[test]
    fn plots_show_what_they_are_given() {
        let svg = growth("found <b>", &[10, 60, 60], 120);
        assert!(svg.contains("aria-label=\"found &lt;b&gt;\""), "{svg}");
        assert_eq!(svg.matches('V').count(), 3, "{svg}");
        assert!(svg.contains("seconds of hunting"), "{svg}");
        let rows: Vec<(String, usize)> = (0..15).map(|i| (format!("x<{i}"), 20 - i)).collect();
        let svg = bars("by", &rows);
        assert_eq!(svg.matches("<rect").count(), 13, "{svg}");
        assert!(svg.contains("3 others") && !svg.contains("x<"), "{svg}");
        let svg = ranks("law", &[1, 100, 7, 0]);
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        assert!(svg.contains("rank 1: 100"), "{svg}");
        for empty in [growth("", &[], 0), bars("", &[]), ranks("", &[]), ranks("", &[1])] {
            assert!(!empty.contains("NaN") && !empty.contains("inf"), "{empty}");
        }
    }
}
