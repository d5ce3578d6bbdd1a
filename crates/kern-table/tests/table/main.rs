//! Trainings, models of tables, and their files.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

mod constants;
mod contest;
mod evidence;
mod files;
mod importance;
mod roles;
mod rounds;
mod trainings;

use kern_data::{Format, Kind, Source, Table};

/// A table of two classes of points on a grid, with a category and a text.
fn table(rows: std::ops::Range<u32>) -> Table {
    let mut text = "x,y,side,note,class\n".to_string();
    for i in rows {
        let (x, y) = (f64::from(i * 37 % 101) / 10.0, f64::from(i * 53 % 103) / 10.0);
        let class = if (x - 5.0) * (y - 5.0) > 0.0 { "plus" } else { "minus" };
        let side = if i % 9 == 0 { "" } else { ["left", "right"][(i % 2) as usize] };
        text += &format!("{x},{y},{side},note {},{class}\n", i % 3);
    }
    Source::new(Format::Csv, text.as_bytes()).kind("note", Kind::Text).read().unwrap()
}
