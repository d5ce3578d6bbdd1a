//! A picture of ratios: for each task the library's time as a share of the best peer's, with targets.

use maud::{Markup, PreEscaped, html};

/// One line of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Strip {
    /// The task.
    pub name: String,
    /// Its cases.
    pub dots: Vec<Dot>,
    /// The targets of its cases, without repetition.
    pub targets: Vec<f64>,
}

/// A case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// The library's time by the best peer's.
    pub ratio: f64,
    /// True if that is more than was wanted.
    pub missed: bool,
}

/// The style of a picture of its own. Its colours are plain: few programs but browsers know variables.
const STYLE: &str = include_str!("strip.css");

const WIDTH: f64 = 420.0;
const LEFT: f64 = 104.0;
const RIGHT: f64 = 380.0;
const ROW: f64 = 24.0;
const TOP: f64 = 26.0;

/// Ratios beyond are drawn at the edge, with their number.
const LARGEST: f64 = 1.25;

/// The picture, to be put into a page.
#[must_use]
pub fn draw(strips: &[Strip]) -> Markup {
    picture(strips, false)
}

/// The picture as a file of its own, with a ground, in the colours that the reader prefers.
#[must_use]
pub fn standalone(strips: &[Strip]) -> String {
    picture(strips, true).into_string() + "\n"
}

fn picture(strips: &[Strip], alone: bool) -> Markup {
    let bottom = TOP + ROW * strips.len() as f64;
    let height = bottom + 44.0;
    let size = |length: f64| alone.then_some(length * 1.6);
    html! {
        svg xmlns=[alone.then_some("http://www.w3.org/2000/svg")]
            viewBox={ "0 0 " (WIDTH) " " (height) } width=[size(WIDTH)] height=[size(height)] role="img"
            aria-label="Time as a share of the best peer's, by task" {
            @if alone {
                style { (PreEscaped(STYLE)) }
                rect .ground width=(WIDTH) height=(height) rx="6" {}
            }
            (lines(strips, bottom))
        }
    }
}

fn lines(strips: &[Strip], bottom: f64) -> Markup {
    let equal = place(1.0);
    html! {
        @for k in 0..=4 {
            @let ratio = 0.25 * f64::from(k);
            line .grid x1=(place(ratio)) x2=(place(ratio)) y1=(TOP) y2=(bottom) {}
            text .tick x=(place(ratio)) y=(bottom + 16.0) text-anchor="middle" { (ratio) }
        }
        @for (row, strip) in strips.iter().enumerate() { (strip.draw(TOP + ROW * (row as f64 + 0.5))) }
        line .axis x1=(equal) x2=(equal) y1=(TOP - 6.0) y2=(bottom) {}
        text .tick x=(equal) y=(TOP - 10.0) text-anchor="middle" { "as fast as the best peer" }
        text x=(0.5 * (LEFT + RIGHT)) y=(bottom + 36.0) text-anchor="middle" {
            "time / time of the best peer; dot: a case, line: target"
        }
    }
}

impl Strip {
    fn draw(&self, y: f64) -> Markup {
        let worst = self.dots.iter().map(|dot| dot.ratio).fold(0.0, f64::max);
        let missed = self.dots.iter().any(|dot| dot.missed);
        html! {
            text x=(LEFT - 8.0) y=(y + 4.0) text-anchor="end" { (self.name) }
            rect class={ "bar fill " (color(missed)) } x=(LEFT) y=(y - 6.0) width=(place(worst) - LEFT)
                height="12" rx="2" {}
            @for dot in &self.dots {
                circle class={ "fill " (color(dot.missed)) } cx=(place(dot.ratio)) cy=(y) r="3" {}
            }
            @for &target in &self.targets {
                line .mark x1=(place(target)) x2=(place(target)) y1=(y - 9.0) y2=(y + 9.0) {}
            }
            @if worst > LARGEST {
                text .tick x=(RIGHT + 6.0) y=(y + 4.0) { (format!("{worst:.1}")) }
            }
        }
    }
}

fn color(missed: bool) -> &'static str {
    if missed { "c3" } else { "c0" }
}

fn place(ratio: f64) -> f64 {
    let share = ratio.clamp(0.0, LARGEST) / LARGEST;
    ((LEFT + share * (RIGHT - LEFT)) * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Result;

    fn strips() -> Vec<Strip> {
        let dot = |ratio, missed| Dot { ratio, missed };
        let (fast, slow) =
            (vec![dot(0.1, false), dot(0.2, false)], vec![dot(0.3, false), dot(7.04, true)]);
        vec![
            Strip { name: "fast".into(), dots: fast, targets: vec![0.25, 0.5] },
            Strip { name: "slow".into(), dots: slow, targets: vec![0.5] },
        ]
    }

    #[test]
    fn every_case_has_a_dot_and_every_target_a_line() -> Result<()> {
        let text = standalone(&strips());
        let document = roxmltree::Document::parse(&text)?;
        let count = |tag: &str, class: &str| {
            let is = |n: &roxmltree::Node<'_, '_>| {
                n.has_tag_name(("http://www.w3.org/2000/svg", tag))
                    && n.attribute("class").unwrap_or_default().split(' ').any(|c| c == class)
            };
            document.descendants().filter(is).count()
        };
        assert_eq!((count("circle", "fill"), count("line", "mark")), (4, 3));
        assert_eq!((count("circle", "c3"), count("rect", "c3"), count("rect", "c0")), (1, 1, 1));
        assert!(text.contains(">7.0<"), "{text}");
        assert!(!text.contains("var("), "only browsers know variables");
        Ok(())
    }
}
