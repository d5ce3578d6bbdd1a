//! The page in a browser without a window, where there is one: Chromium, at the widths of phones and
//! desks, light and dark.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_benches::found::{Missing, Report};
use kern_benches::machine::Machine;
use kern_benches::report::{document, html, sections};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const BROWSERS: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];

/// Without what would ask the network for something.
const FLAGS: [&str; 10] = [
    "--headless",
    "--hide-scrollbars",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
];

const WIDTHS: [usize; 4] = [320, 375, 768, 1280];

fn browser() -> Option<&'static str> {
    let answers = |name: &&&str| {
        Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success())
    };
    BROWSERS.iter().find(answers).copied()
}

/// A page with wide tables and long words.
fn page() -> String {
    let mut report = Report::new(Machine::this(), None);
    report.missing.push(Missing {
        task: "gram_rbf".into(),
        implementation: "an implementation with a long name ".repeat(8),
        variant: "d8,reused".into(),
        dtype: "f64".into(),
        threads: 2,
        reason: "a reason that goes on, and on, ".repeat(10),
    });
    let mut document = sections::document(&report, &[]);
    let long = document::Block::Command("cargo xtask bench --task ".repeat(12));
    document.sections[0].blocks.push(long);
    html::page(&document)
}

/// A page that holds the other one in frames of all widths, and writes down how wide it is in each.
fn wrapped(page: &str) -> String {
    let escaped = page.replace('&', "&amp;").replace('"', "&quot;");
    let frames: String = WIDTHS
        .iter()
        .map(|width| {
            format!(
                "<iframe width={width} height=800 style=\"border:0\" srcdoc=\"{escaped}\"></iframe>"
            )
        })
        .collect();
    format!(
        "<!DOCTYPE html><body>{frames}<p id=found></p><script>onload = () => {{
           const frames = [...document.querySelectorAll('iframe')];
           found.textContent = frames.map((frame) => {{
             const root = frame.contentDocument.documentElement;
             const ground = frame.contentWindow.getComputedStyle(frame.contentDocument.body);
             return 'width ' + root.scrollWidth + ' of ' + frame.width + ' on ' + ground.backgroundColor;
           }}).join('; ');
         }};</script>"
    )
}

fn show(browser: &str, path: &Path, dark: bool) -> Output {
    let profile = path.with_extension(if dark { "dark" } else { "light" });
    let scheme = format!("--blink-settings=preferredColorScheme={}", u8::from(!dark));
    let mut command = Command::new(browser);
    command.args(FLAGS).args([&scheme, "--dump-dom", "--virtual-time-budget=5000"]);
    command.arg(format!("--user-data-dir={}", profile.display()));
    command.arg(format!("file://{}", path.display())).output().unwrap()
}

#[test]
fn nothing_overflows_and_nothing_complains() {
    let Some(browser) = browser() else {
        eprintln!("skipped: there is none of {}", BROWSERS.join(", "));
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("page.html");
    fs::write(&path, wrapped(&page())).unwrap();
    for (dark, ground) in [(false, "rgb(255, 255, 255)"), (true, "rgb(20, 23, 26)")] {
        let output = show(browser, &path, dark);
        let text = String::from_utf8_lossy(&output.stdout);
        for width in WIDTHS {
            let expected = format!("width {width} of {width} on {ground}");
            let found = text.rsplit_once("id=\"found\"").map(|(_, found)| found);
            assert!(found.is_some_and(|found| found.contains(&expected)), "{expected}: {found:?}");
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!errors.contains("CONSOLE"), "{errors}");
    }
}
