//! The picture: the diagonal of M by rounds, and what tells pairs of digits apart.

use crate::learned::{Pair, Round, SIDE};
use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Units of the picture for a pixel, and for the side of an image with what stands between two.
const PIXEL: i32 = 20;
const STEP: i32 = 8 * PIXEL + 44;
/// The corner of the first image of each row.
const LEFT: i32 = 36;
const ROWS: [i32; 2] = [88, 352];
/// The heights of captions above rows, and of words under images.
const ABOVE: i32 = 46;
const BELOW: i32 = 8 * PIXEL + 8;
/// A pixel that means all, and one that is black.
const WARM: RGBColor = RGBColor(178, 24, 43);
const DARK: RGBColor = RGBColor(20, 20, 20);

/// Draws the rounds in one row, and the pairs in another.
///
/// # Errors
/// If the file cannot be written.
pub(crate) fn draw(path: &Path, rounds: &[Round], pairs: &[Pair]) -> Result<()> {
    let images = rounds.len().max(3 * pairs.len().min(2)) as i32;
    let size = (2 * LEFT + images * STEP, ROWS[1] + BELOW + 40);
    let root = SVGBackend::new(path, (size.0 as u32, size.1 as u32)).into_drawing_area();
    root.fill(&WHITE)?;
    caption(
        &root,
        ROWS[0],
        "which pixels matter to read ten digits: the diagonal of M, by rounds",
    )?;
    for (k, round) in rounds.iter().enumerate() {
        let corner = (LEFT + k as i32 * STEP, ROWS[0]);
        image(&root, corner, &round.pixels(), WARM)?;
        let title =
            if round.chosen == 0 { "before".to_owned() } else { format!("after {}", round.chosen) };
        words(&root, corner, &format!("{title}: {:.1} %", 100.0 * round.accuracy))?;
    }
    caption(&root, ROWS[1], "and to tell two digits apart, beside their mean images")?;
    for (k, pair) in pairs.iter().take(images as usize / 3).enumerate() {
        let at = |place: i32| (LEFT + (3 * k as i32 + place) * STEP, ROWS[1]);
        for (place, (mean, name)) in pair.means.iter().zip(pair.names).enumerate() {
            image(&root, at(place as i32), mean, DARK)?;
            words(&root, at(place as i32), name)?;
        }
        image(&root, at(2), &pair.round.pixels(), WARM)?;
        let [first, second] = pair.names;
        words(&root, at(2), &format!("{first} or {second}: {:.1} %", 100.0 * pair.round.accuracy))?;
    }
    root.present()?;
    Ok(())
}

fn caption(area: &Area<'_>, row: i32, text: &str) -> Result<()> {
    area.draw(&Text::new(text.to_owned(), (LEFT, row - ABOVE), ("sans-serif", 26)))?;
    Ok(())
}

/// Words under an image.
fn words(area: &Area<'_>, (left, top): (i32, i32), text: &str) -> Result<()> {
    area.draw(&Text::new(text.to_owned(), (left, top + BELOW), ("sans-serif", 20)))?;
    Ok(())
}

/// Values from 0, which is white, to 1, in a frame.
fn image(area: &Area<'_>, (left, top): (i32, i32), values: &[f64], full: RGBColor) -> Result<()> {
    for (k, &value) in values.iter().enumerate() {
        let (x, y) = (left + (k % SIDE) as i32 * PIXEL, top + (k / SIDE) as i32 * PIXEL);
        let corners = [(x, y), (x + PIXEL, y + PIXEL)];
        area.draw(&Rectangle::new(corners, shade(full, value).filled()))?;
    }
    let end = SIDE as i32 * PIXEL;
    let frame = [(left, top), (left + end, top + end)];
    area.draw(&Rectangle::new(frame, RGBColor(150, 150, 150).stroke_width(1)))?;
    Ok(())
}

/// A colour between white and a full one.
fn shade(full: RGBColor, value: f64) -> RGBColor {
    let value = value.clamp(0.0, 1.0);
    let part = |full: u8| (255.0 - value * (255.0 - f64::from(full))).round() as u8;
    RGBColor(part(full.0), part(full.1), part(full.2))
}
