//! Plots as SVG, drawn by plotters. Colours of a few fixed values are replaced by the page's style
//! sheet, so that a plot is right in the light and in the dark; nothing from outside is in them but numbers.

use maud::{Markup, PreEscaped, html};
use plotters::coord::ranged1d::{NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::prelude::*;

/// Size of a plot in its own units; the page scales it.
const SIZE: (u32, u32) = (420, 200);

/// Colours by which the style sheet knows lines, areas and the grid.
const LINE: RGBColor = RGBColor(0x25, 0x63, 0xa8);
const GRID: RGBColor = RGBColor(0xdc, 0xdc, 0xd6);
const TEXT: RGBColor = RGBColor(0x62, 0x67, 0x6c);

/// The font of ticks; the style sheet names the family.
const FONT: (&str, u32) = ("sans-serif", 14);

/// How points are joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Join {
    /// A count: it stays until it changes.
    Steps,
    /// A measure.
    Lines,
}

/// Values over time in seconds. Each run of points is a line of its own: between two nothing was measured.
pub fn curve(caption: &str, runs: &[Vec<(f64, f64)>], seconds: f64, join: Join) -> Markup {
    let last = runs.iter().flatten().map(|(_, y)| *y).fold(0.0, f64::max);
    let (unit, length) = match seconds as u64 {
        0..=180 => ("seconds", 1.0),
        181..=10_800 => ("minutes", 60.0),
        10_801..=259_200 => ("hours", 3600.0),
        _ => ("days", 86_400.0),
    };
    let right = (seconds / length).max(1e-9);
    let lines: Vec<Vec<(f64, f64)>> = runs
        .iter()
        .map(|run| {
            let scaled = run.iter().map(|(x, y)| (x / length, *y));
            if join == Join::Steps { steps(scaled, right) } else { scaled.collect() }
        })
        .collect();
    let mut svg = String::new();
    let drawn = draw(&mut svg, &lines, (right, top(last)), unit);
    // Drawing into a text does not fail; if it should, the page is worth more than the plot.
    figure(caption, &svg, drawn.is_ok())
}

type Drawn = Result<(), Box<dyn std::error::Error>>;

fn draw(svg: &mut String, lines: &[Vec<(f64, f64)>], end: (f64, f64), unit: &str) -> Drawn {
    let root = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut chart = ChartBuilder::on(&root)
        .margin_top(8)
        .margin_right(14)
        .x_label_area_size(34)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..end.0, RoundAxis(0.0..end.1))?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(GRID)
        .label_style(FONT.into_font().color(&TEXT))
        .x_labels(5)
        .y_labels(4)
        .x_desc(unit)
        .x_label_formatter(&|x| number(*x))
        .y_label_formatter(&|y| number(*y))
        .draw()?;
    for line in lines {
        chart.draw_series(AreaSeries::new(line.iter().copied(), 0.0, LINE.mix(0.12)))?;
        chart.draw_series(LineSeries::new(line.iter().copied(), LINE.stroke_width(2)))?;
    }
    root.present()?;
    Ok(())
}

/// Counts by rank on logarithmic scales: a power law is a straight line.
pub fn ranks(caption: &str, counts: &[usize]) -> Markup {
    let mut counts: Vec<f64> = counts.iter().filter(|n| **n > 0).map(|n| *n as f64).collect();
    counts.sort_by(|a, b| b.total_cmp(a));
    let most = counts.first().copied().unwrap_or(1.0).max(2.0);
    let mut svg = String::new();
    let mut all = || -> Drawn {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let last = counts.len().max(2) as f64;
        let mut chart = ChartBuilder::on(&root)
            .margin_top(8)
            .margin_right(14)
            .x_label_area_size(34)
            .y_label_area_size(44)
            .build_cartesian_2d((0.9..last * 1.2).log_scale(), (0.9..most * 1.2).log_scale())?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID)
            .axis_style(GRID)
            .label_style(FONT.into_font().color(&TEXT))
            .x_labels(4)
            .y_labels(4)
            .x_desc("rank of the bug")
            .x_label_formatter(&|x| number(*x))
            .y_label_formatter(&|y| number(*y))
            .draw()?;
        let dots = (1..).map(f64::from).zip(&counts);
        chart.draw_series(dots.map(|(rank, n)| Circle::new((rank, *n), 4, LINE.filled())))?;
        root.present()?;
        Ok(())
    };
    let drawn = all();
    figure(caption, &svg, drawn.is_ok())
}

/// A bar of a share, 0 to 1.
pub fn share(part: f64) -> Markup {
    let width = if part.is_finite() { (part * 100.0).clamp(0.0, 100.0) } else { 0.0 };
    html! {
        svg.share viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect.whole width="100" height="6" rx="1" {}
            rect.part width=(format!("{width:.2}")) height="6" rx="1" {}
        }
    }
}

fn figure(caption: &str, svg: &str, drawn: bool) -> Markup {
    // Its own head would fix the size and say nothing to those who cannot see it.
    let body =
        svg.split_once('>').map_or("", |(_, body)| body).trim_end().trim_end_matches("</svg>");
    html! {
        figure.plot {
            figcaption { (caption) }
            @if drawn {
                svg viewBox={ "0 0 " (SIZE.0) " " (SIZE.1) } role="img" aria-label=(caption) {
                    (PreEscaped(body))
                }
            }
        }
    }
}

/// A count that changes at each point and stays until the end.
fn steps(points: impl Iterator<Item = (f64, f64)>, end: f64) -> Vec<(f64, f64)> {
    let mut line = vec![(0.0, 0.0)];
    let mut level = 0.0;
    for (x, y) in points {
        line.extend([(x, level), (x, y)]);
        level = y;
    }
    line.push((end, level));
    line
}

/// A round number that is not less.
fn top(max: f64) -> f64 {
    if max <= 0.0 {
        return 1.0;
    }
    let magnitude = 10f64.powf(max.log10().floor());
    let steps = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    steps.iter().map(|s| s * magnitude).find(|s| *s >= max).unwrap_or(max)
}

/// `1200`, `1.5`.
fn number(n: f64) -> String {
    match n {
        n if (n - n.round()).abs() < 1e-9 => format!("{n:.0}"),
        n if n.abs() < 10.0 => format!("{n:.1}"),
        n => format!("{n:.0}"),
    }
}

/// An axis from 0 to a round number, in quarters, halves or ones: counts have no tenths.
#[derive(Clone, Debug)]
struct RoundAxis(std::ops::Range<f64>);

impl Ranged for RoundAxis {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let span = f64::from(limit.1 - limit.0);
        limit.0 + (span * value / self.0.end).round() as i32
    }

    fn key_points<Hint: plotters::coord::ranged1d::KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let whole = |parts: &&f64| (self.0.end / **parts).fract() == 0.0;
        let parts = [4.0, 5.0, 3.0, 2.0].iter().find(whole).copied();
        let parts = parts.unwrap_or(if self.0.end < 4.0 { 2.0 } else { 4.0 });
        let parts = if self.0.end == 1.0 { 1.0 } else { parts };
        (0..=parts as u32).map(|n| f64::from(n) * self.0.end / parts).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.0.clone()
    }
}

impl ValueFormatter<f64> for RoundAxis {
    fn format(value: &f64) -> String {
        number(*value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round() {
        let tops = [0.0, 30.0, 3.0, 17.0, 101.0, 1.4].map(top);
        assert_eq!(tops, [1.0, 30.0, 3.0, 20.0, 150.0, 1.5]);
        assert_eq!(
            (number(3.0), number(0.25), number(12.7)),
            ("3".into(), "0.2".into(), "13".into())
        );
        let ticks = |end| RoundAxis(0.0..end).key_points(5);
        assert_eq!(ticks(20.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!((ticks(3.0), ticks(1.0)), (vec![0.0, 1.0, 2.0, 3.0], vec![0.0, 1.0]));
    }

    #[test]
    fn plots_show_what_they_are_given() {
        let found = [vec![(10.0, 1.0), (60.0, 2.0), (60.0, 3.0)]];
        let svg = curve("found <b>", &found, 120.0, Join::Steps).into_string();
        assert!(svg.contains("aria-label=\"found &lt;b&gt;\""), "{svg}");
        assert!(svg.contains("seconds") && svg.contains("<polyline"), "{svg}");
        assert!(!svg.contains("style="), "a policy forbids it: {svg}");
        assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
        let two = [vec![(0.0, 1.0), (1.0, 2.0)], vec![(5.0, 1.0), (6.0, 1.5)]];
        let svg = curve("rate", &two, 7200.0, Join::Lines).into_string();
        assert_eq!(svg.matches("<polyline").count(), 2 + grid(&svg), "{svg}");
        let svg = ranks("law", &[1, 100, 7, 0]).into_string();
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        for odd in
            [curve("", &[], 0.0, Join::Steps), ranks("", &[]), ranks("", &[1]), share(f64::NAN)]
        {
            let odd = odd.into_string();
            assert!(!odd.contains("NaN") && !odd.contains("inf"), "{odd}");
        }
        assert!(share(0.375).into_string().contains("width=\"37.50\""));
    }

    /// Lines of the axes, which are polylines too.
    fn grid(svg: &str) -> usize {
        svg.split("<polyline")
            .skip(1)
            .filter(|tag| tag[..tag.find('>').unwrap_or(0)].contains("#DCDCD6"))
            .count()
    }
}
