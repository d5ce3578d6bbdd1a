//! Pages about models: well-formed, self-contained, escaped, for all kinds of models and columns.

use super::{Desk, data};

/// A page, after the checks that hold for all pages.
fn page(desk: &Desk, model: &str, file: &str, more: &[&str]) -> String {
    let report = ["report", model, file, "-o", "report.html"];
    desk.answers(&[&report[..], more].concat());
    let page = std::fs::read_to_string(desk.path("report.html")).unwrap();
    check_tags(&page);
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("prefers-color-scheme: dark"));
    assert!(!page.contains("http") && !page.contains("NaN"), "{page}");
    for id in ["model", "score", "importance", "dependence", "worst"] {
        assert!(has(&page, id) && page.contains(&format!("href=\"#{id}\"")), "{id}");
    }
    let pictures = page.matches("<svg ").count();
    assert!(pictures > 0 && page.matches("role=\"img\" aria-label=\"").count() == pictures);
    assert!(!page.contains("aria-label=\"\""));
    page
}

fn has(page: &str, section: &str) -> bool {
    page.contains(&format!("<section id=\"{section}\">"))
}

/// Every tag that is opened is closed, in order.
fn check_tags(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let body = page.strip_prefix("<!DOCTYPE html>").unwrap();
    for part in body.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap();
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(tag.split_whitespace().next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// Rows with numbers, dates, categories, text and missing values, a class and a value.
fn mixed(rows: std::ops::Range<u32>) -> String {
    let mut text = "size,<script>alert(1)</script>,day,note,class,value\n".to_string();
    for i in rows {
        let hash = i.wrapping_mul(2_654_435_761) >> 8;
        let size = f64::from(hash % 1000) / 100.0;
        let colour = ["red", "<b>green", "blue"][(hash / 1000 % 3) as usize];
        let value = size + if colour == "red" { 4.0 } else { 0.0 };
        let class = if value > 6.0 { "<i>good" } else { "bad & small" };
        let size = if i % 11 == 3 { String::new() } else { size.to_string() };
        let colour = if i % 13 == 5 { "" } else { colour };
        let day = format!("2024-{:02}-{:02}", 1 + hash % 12, 1 + hash / 12 % 28);
        text += &format!("{size},{colour},{day},word {i},{class},{value}\n");
    }
    text
}

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("train.csv", &mixed(0..200));
    desk.write("test.csv", &mixed(200..300));
    desk
}

#[test]
fn a_page_about_a_regression() {
    let desk = desk();
    let train = ["train", "train.csv", "-t", "value", "--ignore", "class", "--text", "note"];
    desk.answers(&[&train[..], &["-o", "m.kern"]].concat());
    let text = page(&desk, "m.kern", "test.csv", &["--rows", "80"]);
    assert!(has(&text, "values") && !has(&text, "classes") && !has(&text, "contest"));
    assert!(!text.contains("<script") && text.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(!text.contains("<b>green") && text.contains("&lt;b&gt;green"));
    for part in ["R² with 95 % intervals", "Histogram of the residuals", "Partial dependence on"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(text.contains("80 of 100 rows"), "the sample is named");
    // The same page again, and another sample by another seed.
    assert_eq!(text, page(&desk, "m.kern", "test.csv", &["--rows", "80"]));
    assert_ne!(text, page(&desk, "m.kern", "test.csv", &["--rows", "80", "--seed", "1"]));
    let output = desk.answers(&["report", "m.kern", "test.csv", "--rows", "80", "-o", "-"]);
    assert_eq!(output, text);
}

#[test]
fn pages_about_classes_with_and_without_probabilities() {
    let desk = desk();
    for (method, is_soft) in [("logistic", true), ("svm", false)] {
        let train = ["train", "train.csv", "-t", "class", "--ignore", "value", "-m", method];
        desk.answers(&[&train[..], &["-o", "m.kern"]].concat());
        let text = page(&desk, "m.kern", "test.csv", &[]);
        assert!(has(&text, "classes") && !has(&text, "values"));
        for part in ["Confusion matrix", "<th scope=\"col\">F1</th>", "&lt;i&gt;good"] {
            assert!(text.contains(part), "{part}");
        }
        assert!(!text.contains("<i>good") && text.contains("bad &amp; small"));
        assert_eq!(text.contains("ROC curves, each class"), is_soft);
        assert_eq!(text.contains("Calibration: observed frequency"), is_soft);
        assert_eq!(text.contains("has no probabilities"), !is_soft);
    }
}

#[test]
fn a_page_about_a_contest() {
    let desk = desk();
    let train = ["train", "train.csv", "-t", "value", "--ignore", "class", "--budget", "2s"];
    desk.answers(&[&train[..], &["-o", "m.kern"]].concat());
    let text = page(&desk, "m.kern", "test.csv", &[]);
    assert!(has(&text, "contest"));
    assert!(text.contains("Leaderboard: ") && text.contains("Learning curve"), "{text}");

    // A score of another kind is not compared with the accuracy.
    let train = ["train", "train.csv", "-t", "class", "--ignore", "value", "--budget", "2s"];
    desk.answers(&[&train[..], &["--metric", "log_loss", "-o", "m.kern"]].concat());
    let text = page(&desk, "m.kern", "test.csv", &[]);
    assert!(text.contains("another score was told: log_loss"), "{text}");
    assert!(!text.contains("expected at training,") && !text.contains("Warning:"), "{text}");
}

/// Few rows, equal targets, another name of the target, many classes.
#[test]
fn edges() {
    let desk = desk();
    let train = ["train", "train.csv", "-t", "value", "--ignore", "class", "--ignore", "note"];
    desk.answers(&[&train[..], &["-o", "m.kern"]].concat());
    let rows = mixed(200..230);
    let mut equal = String::new();
    for (i, line) in rows.lines().enumerate() {
        let (start, _) = line.rsplit_once(',').unwrap();
        equal += &format!("{start},{}\n", if i == 0 { "price" } else { "3.5" });
    }
    desk.write("equal.csv", &equal);
    let text = page(&desk, "m.kern", "equal.csv", &["-t", "price"]);
    assert!(text.contains("R² is undefined") && text.contains("negative mean squared error"));
    let one: String = rows.lines().take(2).map(|line| format!("{line}\n")).collect();
    desk.write("one.csv", &one);
    let report = ["report", "m.kern", "one.csv", "-o", "one.html"];
    desk.answers(&report);
    let text = std::fs::read_to_string(desk.path("one.html")).unwrap();
    check_tags(&text);
    assert!(text.contains("requires at least two rows") && !text.contains("NaN"), "{text}");

    let digits: String = (0..200_u32).fold("x,y,digit\n".to_string(), |text, i| {
        text + &format!("{},{},d{}\n", i % 10 * 5 + i % 3, i * 7 % 11, i % 10)
    });
    desk.write("digits.csv", &digits);
    desk.answers(&["train", "digits.csv", "-t", "digit", "-m", "logistic", "-o", "d.kern"]);
    let text = page(&desk, "d.kern", "digits.csv", &[]);
    assert_eq!(text.matches("<th scope=\"row\">d9</th>").count(), 2);
}

/// Targets that are noise beyond what was learned: the scores differ, and the page warns.
#[test]
fn scores_that_differ_are_a_warning() {
    let desk = desk();
    let train = ["train", "train.csv", "-t", "class", "--ignore", "value", "--tune", "3"];
    desk.answers(&[&train[..], &["-o", "m.kern"]].concat());
    let text = page(&desk, "m.kern", "test.csv", &[]);
    assert!(!text.contains("Warning:"), "{text}");
    let swapped = mixed(200..300).replace("bad & small", "other").replace("<i>good", "bad & small");
    desk.write("swapped.csv", &swapped.replace("other", "<i>good"));
    let text = page(&desk, "m.kern", "swapped.csv", &[]);
    assert!(text.contains("Warning:") && text.contains("below the score expected"), "{text}");
}

#[test]
fn mistakes() {
    let desk = desk();
    let iris = data("iris.csv.gz");
    for task in ["detect", "cluster"] {
        match task {
            "detect" => {
                let train = ["train", &iris, "--task", "detect", "--ignore", "target"];
                desk.answers(&[&train[..], &["-o", "m.kern"]].concat())
            }
            _ => desk.answers(&["cluster", &iris, "-n", "2", "--model", "m.kern"]),
        };
        let text = desk.refused(&["report", "m.kern", &iris, "-o", "no.html"], 1);
        assert!(
            text.contains("compares predictions with targets") && text.contains(task),
            "{text}"
        );
    }
    desk.answers(&["train", &iris, "-t", "target", "-o", "m.kern"]);
    let report = ["report", "m.kern", &iris, "-o"];
    let text = desk.refused(&[&report[..], &["no/no.html"]].concat(), 1);
    assert!(text.contains("no folder"), "{text}");
    let text = desk.refused(&[&report[..], &["no.html", "-t", "species"]].concat(), 1);
    assert!(text.contains("`species`"), "{text}");
    let text = desk.refused(&[&report[..], &["no.html", "-t", "petal_width_cm"]].concat(), 1);
    assert!(text.contains("is an input of the model"), "{text}");
    let text = desk.refused(&[&report[..], &["no.html", "--rows", "1"]].concat(), 2);
    assert!(text.contains("--rows") && text.contains("2..=1000"), "{text}");
    let text = desk.refused(&["report", "m.kern", &iris], 2);
    assert!(text.contains("--output"), "{text}");
    assert!(!desk.path("no.html").exists());
}
