//! A picture of curves on logarithmic axes.

use maud::{Markup, html};

/// Numbers of colours; further curves begin again.
pub const COLORS: usize = 10;

/// The picture, in units of its view box; a phone shows about as many points.
const WIDTH: f64 = 420.0;
const HEIGHT: f64 = 300.0;

/// The plane within the axes.
const LEFT: f64 = 74.0;
const RIGHT: f64 = 408.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 252.0;

/// Curves with their axes.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The axis to the right.
    pub x: Axis,
    /// The axis upward.
    pub y: Axis,
    /// The curves.
    pub curves: Vec<Curve>,
}

/// An axis of a chart.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The words beside it.
    pub label: &'static str,
    /// The format of its numbers.
    pub number: fn(f64) -> String,
}

/// Points, joined or not.
#[derive(Clone, Debug)]
pub struct Curve {
    /// Its colour, by number.
    pub color: usize,
    /// Positive coordinates.
    pub points: Vec<(f64, f64)>,
    /// The style in which they are drawn.
    pub style: Style,
}

/// A style in which points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Dots.
    Dots,
    /// Dots on a line.
    Line,
    /// A dashed line.
    Dashes,
}

impl Chart {
    /// The picture; nothing if there is no point with positive coordinates.
    #[must_use]
    pub fn draw(&self) -> Option<Markup> {
        let points = || self.curves.iter().flat_map(|curve| curve.points.iter().copied());
        let x = Scale::of(points().map(|p| p.0), (LEFT, RIGHT))?;
        let y = Scale::of(points().map(|p| p.1), (BOTTOM, TOP))?;
        let middle = (0.5 * (LEFT + RIGHT), 0.5 * (TOP + BOTTOM));
        Some(html! {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-label={ (self.y.label) " by " (self.x.label) } {
                @for tick in y.ticks() {
                    @let at = y.place(tick);
                    line .grid x1=(LEFT) x2=(RIGHT) y1=(at) y2=(at) {}
                    text .tick x=(LEFT - 6.0) y=(at + 4.0) text-anchor="end" { ((self.y.number)(tick)) }
                }
                @for tick in x.ticks() {
                    @let at = x.place(tick);
                    line .grid x1=(at) x2=(at) y1=(TOP) y2=(BOTTOM) {}
                    text .tick x=(at) y=(BOTTOM + 18.0) text-anchor="middle" { ((self.x.number)(tick)) }
                }
                path .axis d={ "M" (LEFT) " " (TOP) "V" (BOTTOM) "H" (RIGHT) } {}
                text x=(middle.0) y=(HEIGHT - 8.0) text-anchor="middle" { (self.x.label) }
                text transform={ "translate(12 " (middle.1) ") rotate(-90)" } text-anchor="middle" { (self.y.label) }
                @for curve in &self.curves { (curve.draw(x, y)) }
            }
        })
    }
}

impl Curve {
    fn draw(&self, x: Scale, y: Scale) -> Markup {
        let good = self.points.iter().filter(|(a, b)| is_positive(*a) && is_positive(*b));
        let places: Vec<(f64, f64)> = good.map(|&(a, b)| (x.place(a), y.place(b))).collect();
        let path: Vec<String> = places.iter().map(|(a, b)| format!("{a} {b}")).collect();
        let path = format!("M{}", path.join("L"));
        html! {
            g class={ "c" (self.color % COLORS) } {
                @match self.style {
                    Style::Dots => {},
                    Style::Line => path .line .stroke d=(path) {},
                    Style::Dashes => path .line .dashed .stroke d=(path) {},
                }
                @if self.style != Style::Dashes {
                    @for (a, b) in &places { circle .fill cx=(a) cy=(b) r="3.5" {} }
                }
            }
        }
    }
}

fn is_positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// A logarithmic scale: an interval of values, and where its ends are.
#[derive(Clone, Copy, Debug)]
struct Scale {
    low: f64,
    high: f64,
    ends: (f64, f64),
}

impl Scale {
    /// A scale with some room beside the values; none without positive values.
    fn of(values: impl Iterator<Item = f64>, ends: (f64, f64)) -> Option<Self> {
        /// The factor that an axis goes beyond its values where they are all equal.
        const ROOM: f64 = 1.5;
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|&value| is_positive(value)) {
            (low, high) = (low.min(value), high.max(value));
        }
        let room = (high / low).powf(0.06).max(if high > 1.2 * low { 1.05 } else { ROOM });
        low.is_finite().then_some(Self { low: low / room, high: high * room, ends })
    }

    /// In tenths, which are finer than a screen.
    fn place(self, value: f64) -> f64 {
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        let (from, to) = self.ends;
        ((from + share * (to - from)) * 10.0).round() / 10.0
    }

    /// Powers of ten, every other one or fewer if there are many; with few, numbers between them, too.
    fn ticks(self) -> Vec<f64> {
        const MOST: usize = 7;
        let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let within = |value: &f64| (self.low..=self.high).contains(value);
        let at = |factors: &[f64]| -> Vec<f64> {
            let decade = |k: i32| factors.iter().map(move |factor| factor * 10_f64.powi(k));
            (first..=last).flat_map(decade).filter(within).collect()
        };
        let decades = at(&[1.0]);
        if decades.len() >= 3 {
            let step = decades.len().div_ceil(MOST);
            return decades.into_iter().step_by(step).collect();
        }
        let finer = [at(&[1.0, 2.0, 5.0]), at(&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0])];
        finer.into_iter().find(|ticks| ticks.len() >= 3).unwrap_or(decades)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::number;
    use anyhow::{Context, Result};

    fn chart(points: &[(f64, f64)]) -> Chart {
        let axis = Axis { label: "n", number: number::power };
        let points = points.to_vec();
        Chart { x: axis, y: axis, curves: vec![Curve { color: 0, points, style: Style::Line }] }
    }

    #[test]
    fn a_chart_is_well_formed_and_within_its_frame() -> Result<()> {
        let points = [(1e3, 1e-4), (1e4, 1e-2), (1e6, 3.0)];
        let text = chart(&points).draw().context("a picture")?.into_string();
        let document = roxmltree::Document::parse(&text)?;
        let circles: Vec<_> =
            document.descendants().filter(|node| node.has_tag_name("circle")).collect();
        assert_eq!(circles.len(), 3);
        for circle in circles {
            let at = |name| circle.attribute(name).and_then(|v| v.parse::<f64>().ok());
            assert!(at("cx").is_some_and(|x| (LEFT..=RIGHT).contains(&x)), "{text}");
            assert!(at("cy").is_some_and(|y| (TOP..=BOTTOM).contains(&y)), "{text}");
        }
        Ok(())
    }

    #[test]
    fn what_has_no_logarithm_is_left_out() {
        assert!(chart(&[]).draw().is_none());
        assert!(chart(&[(0.0, 1.0), (-1.0, f64::NAN)]).draw().is_none());
        let text = chart(&[(0.0, 1.0), (1.0, 1.0), (2.0, f64::INFINITY)]).draw();
        let text = text.map(maud::PreEscaped::into_string).unwrap_or_default();
        assert_eq!(text.matches("<circle").count(), 1);
        assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
    }

    #[test]
    fn there_are_some_ticks_and_not_too_many() {
        for (low, high) in [(1.0, 1.1), (1.0, 3.0), (1.0, 90.0), (1e-3, 1e3), (1e-16, 1e2)] {
            let scale = Scale { low, high, ends: (0.0, 1.0) };
            let count = scale.ticks().len();
            assert!((1..=8).contains(&count), "{low} {high}: {:?}", scale.ticks());
        }
    }
}
