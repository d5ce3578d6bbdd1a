//! The pages that people read, from a report that was made up.
#![allow(clippy::unwrap_used, reason = "a test may panic, in its helper functions, too")]

use kern_benches::compare::Comparison;
use kern_benches::found::{Missing, Report};
use kern_benches::growth::{self, GROWN};
use kern_benches::kind::Kind;
use kern_benches::limits::Limits;
use kern_benches::machine::Machine;
use kern_benches::processor::Processor;
use kern_benches::provenance::Provenance;
use kern_benches::report::{self, readme};
use kern_benches::row::{Figures, Params, Row, Seconds};
use kern_benches::tasks;
use kern_benches::work::Limit;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report").join(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn row(task: &str, implementation: &str, variant: &str, median: f64) -> Row {
    let figure = if task == "lazy_matvec" { "rel_err" } else { "max_abs_err" };
    Row {
        task: task.into(),
        implementation: implementation.into(),
        variant: variant.into(),
        dtype: "f64".into(),
        n: 1000,
        d: 10,
        threads: 2,
        params: Params::from([("gamma".into(), json!(0.1))]),
        seconds: Seconds::new(&[0.98, 1.0, 1.01, 0.99, 1.03].map(|t| t * median)).unwrap(),
        quality: Figures::from([(figure.to_owned(), 1e-16)]),
        peak_rss_mib: Some(64.0),
        limit: Some(Limit { name: "exp".into(), seconds: 0.01 }),
        work: None,
        note: String::new(),
    }
}

/// Tasks with peers, one of them wrong, and one of them missing.
fn compared(report: &mut Report) {
    for (task, variant, ours) in [
        ("gram_rbf", "d8,reused", 0.02),
        ("gram_rbf", "d8,fresh", 0.06),
        ("lazy_matvec", "rhs1", 0.5),
    ] {
        let kern = row(task, "kern", variant, ours);
        let wrong = Row {
            quality: kern.quality.keys().map(|name| (name.clone(), 0.5)).collect(),
            ..row(task, "quick <b>& dirty</b> 1.0", variant, 0.01)
        };
        let mut peers = [row(task, "numpy 2.0, tiles", variant, 0.1), wrong];
        let kind = Kind::of(&report.machine);
        let comparison = Comparison::of(tasks::find(task).unwrap(), &kern, &mut peers, 1, &kind);
        report.comparisons.push(comparison);
        report.rows.push(kern);
        report.rows.extend(peers);
        report.missing.push(Missing {
            task: task.into(),
            implementation: "torch".into(),
            variant: variant.into(),
            dtype: "f64".into(),
            threads: 2,
            reason: "not installed: no | distribution".into(),
        });
    }
}

fn grown(report: &mut Report) {
    for k in 0..4 {
        let n = 1000 * 2_usize.pow(k);
        let mut row =
            Row { n, ..row("growth_gram", "kern", &format!("n{n}"), 1e-9 * (n * n) as f64) };
        row.quality.insert(GROWN.to_owned(), 8e-6 * (n * n) as f64);
        report.rows.push(row);
    }
    report.rows.extend(growth::exponents(&report.rows));
}

fn curves(report: &mut Report) {
    for (map, scale) in [("paired", 1.0), ("orthogonal", 0.7)] {
        for dim in [64, 256, 1024] {
            let mut row =
                row("features_error", "kern", &format!("{map},D={dim}"), 1e-6 * f64::from(dim));
            row.params = Params::from([("map".into(), json!(map)), ("D".into(), json!(dim))]);
            row.quality = Figures::from([("mae".into(), scale / f64::from(dim).sqrt())]);
            report.rows.push(row);
        }
    }
    for (way, ratio) in [("Gram cached", 1.1), ("kernel on the fly", 3.0)] {
        for median in [1e-3, 1e-2] {
            let mut row = row("planner", "kern", &format!("{median} s,{way}"), median);
            row.params = Params::from([("way".into(), json!(way))]);
            row.quality = Figures::from([("predicted_seconds".into(), ratio * median)]);
            report.rows.push(row);
        }
    }
}

/// Tasks with bars of our own, of which two are missed.
fn own(report: &mut Report) {
    for (task, figure, value) in [
        ("dear_kernel", "evaluations", 1.0),
        ("dear_kernel", "speed_up", 1.5),
        ("vector_state", "slowdown", 36.0),
    ] {
        let quality = Figures::from([(figure.to_owned(), value)]);
        report.rows.push(Row { quality, ..row(task, "kern", figure, 0.1) });
    }
}

fn whole() -> Report {
    let provenance = Provenance {
        date: "2026-01-02 03:04 UTC".into(),
        command: "cargo xtask bench --peers".into(),
        commit: "0123456789ab".into(),
        compiler: "rustc 1.95.0".into(),
        size: "full".into(),
    };
    let limits = |threads: usize| Limits {
        threads,
        fma_f64: 100.0 * threads as f64,
        fma_f32: 200.0,
        exp_f64: 3.0,
        exp_f32: 10.0,
        read: 40.0,
        triad: 38.0,
        fresh: 10.0,
        fresh_heap: 2.0,
    };
    let machine = Machine {
        limits: vec![limits(1), limits(2)],
        processor: Some(Processor { vendor: "AuthenticAMD".into(), family: 26, model: 2 }),
        arch: "x86_64".into(),
        features: vec!["avx2".into(), "avx512f".into()],
        ..Machine::this()
    };
    let mut report = Report::new(machine, Some(provenance));
    compared(&mut report);
    grown(&mut report);
    curves(&mut report);
    own(&mut report);
    report
}

fn written(report: &Report, name: &str) -> (String, String) {
    let folder = folder(name);
    report::write(report, &[], &folder).unwrap();
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!(&Report::read(&folder.join("report.json")).unwrap(), report);
    (read("report.html"), read("report.md"))
}

/// The page as XML: elements that have no end in HTML are given one.
fn xml(page: &str) -> String {
    let body = page.strip_prefix("<!DOCTYPE html>").unwrap();
    let parts = body.split_inclusive('>').map(|part| {
        let is_void = part.starts_with("<meta ") || part.starts_with("<link ");
        if is_void { part.replace('>', "/>") } else { part.to_owned() }
    });
    parts.collect()
}

#[test]
fn the_page_is_well_formed_and_needs_nothing_else() {
    let (page, _) = written(&whole(), "page");
    let text = xml(&page);
    let document = roxmltree::Document::parse(&text).unwrap();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let name = node.tag_name().name();
        assert!(!["script", "iframe", "object", "img", "base"].contains(&name), "{name}");
        for attribute in node.attributes() {
            assert!(!attribute.name().starts_with("on"), "{attribute:?}");
            let refers = ["href", "src", "action"].contains(&attribute.name());
            let value = attribute.value();
            assert!(!refers || value.starts_with('#') || value == "data:,", "{attribute:?}");
        }
    }
    for outside in ["http:", "https:", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    // All anchors lead somewhere, and no two places have one name.
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(ids.len(), unique.len());
    for link in document.descendants().filter(|node| node.has_tag_name("a")) {
        let to = link.attribute("href").unwrap().trim_start_matches('#');
        assert!(ids.contains(&to), "{to}");
    }
}

#[test]
fn page_and_markdown_say_the_same() {
    let (page, markdown) = written(&whole(), "same");
    let text = xml(&page);
    let document = roxmltree::Document::parse(&text).unwrap();
    let cells = document.descendants().filter(|node| node.has_tag_name("td"));
    let mut count = 0;
    for cell in cells {
        let words: String =
            cell.descendants().filter(roxmltree::Node::is_text).filter_map(|n| n.text()).collect();
        assert!(markdown.contains(&words.replace('|', "\\|")), "{words}");
        count += 1;
    }
    assert!(count > 200, "{count}");
}

#[test]
fn what_matters_is_said() {
    let (page, markdown) = written(&whole(), "said");
    for text in [
        "cargo xtask bench --peers",
        "2026-01-02 03:04 UTC",
        "commit 0123456789ab",
        "wrong: faster, but worse",
        "not measured: not installed",
        "rel_err 1.00e-16",
        "FMA f64, GFLOP/s",
        "Predictions within a factor of 2: 2 of 4",
        "cargo xtask bench --peers --task lazy_matvec",
        "2.00",
        "Performance of kern on AMD Zen 5 (AVX-512)",
        "against the best peer met 1 of 9 cases; missed 2, fast but worse 0, without a peer 6, not measured 0",
        "bars of our own: met 1 of 3",
        "at most 1.5 times that of the best peer in 3 of 3 cases",
        "No Arm processor was measured",
    ] {
        assert!(page.contains(text) && markdown.contains(text), "{text}");
    }
    // Of the two Gram matrices one is below its target and one above: 0.2 ≤ 0.25, 0.6 > 0.5.
    assert!(markdown.contains("1 of 2") && markdown.contains("0.20–0.60"), "{markdown}");
    // Ratios, growth, errors of features, planner.
    assert_eq!(page.matches("<svg").count(), 4);
    assert!(page.contains("quick &lt;b&gt;&amp; dirty"));
}

/// The first section names all that is missed, the worst first: 5 of 0.2, then 0.6 of 0.5.
#[test]
fn what_is_missed_comes_first() {
    let (_, markdown) = written(&whole(), "missed");
    let first = markdown.split("\n## ").nth(1).unwrap();
    assert!(first.starts_with("Met and missed"), "{first}");
    let at = |words: &str| first.find(words).unwrap_or_else(|| panic!("{words}: {first}"));
    assert!(at("rhs1 f64") < at("d8,fresh f64") && at("d8,fresh f64") < at("speed_up"));
    assert!(!first.contains("d8,reused") && !first.contains("| evaluations"), "{first}");
}

/// Records of two kinds of processor are shown side by side, and those of older versions can be read.
#[test]
fn records_of_two_kinds_are_side_by_side() {
    let zen = whole();
    let mut old = serde_json::to_value(&zen).unwrap();
    let machine = old["machine"].as_object_mut().unwrap();
    machine.remove("processor");
    machine.insert("cpu".into(), json!("Intel(R) Xeon(R) Processor"));
    for comparison in old["comparisons"].as_array_mut().unwrap() {
        comparison["target"] = json!(null);
        comparison["met"] = json!(null);
    }
    let intel: Report = serde_json::from_value(old).unwrap();
    let folder = folder("kinds");
    report::write(&zen, &[intel], &folder).unwrap();
    let markdown = fs::read_to_string(folder.join("report.md")).unwrap();
    assert!(markdown.contains("Intel(R) Xeon(R) Processor (AVX-512): 2026-01-02"), "{markdown}");
    let both = "missed on AMD Zen 5 (AVX-512), Intel(R) Xeon(R) Processor (AVX-512)";
    assert!(markdown.contains(both), "{markdown}");
}

#[test]
fn an_empty_report_can_be_read() {
    let (page, markdown) = written(&Report::new(Machine::this(), None), "empty");
    assert!(markdown.contains("No peers were measured"));
    roxmltree::Document::parse(&xml(&page)).unwrap();
}

#[test]
fn the_page_has_table_and_picture() {
    let folder = folder("readme");
    let path = folder.join(readme::PAGE);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("# A\n{}\nold\n{}\nB\n", readme::BEGIN, readme::END)).unwrap();
    let mut other = whole();
    other.machine.processor.iter_mut().for_each(|it| (it.family, it.model) = (25, 17));
    readme::write(&whole(), &[whole(), other], &folder).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("# A\n") && text.ends_with("\nB\n") && !text.contains("old"),
        "{text}"
    );
    let expected = [
        "2026-01-02",
        "AMD Zen 5 (AVX-512)",
        "met 1 of 3",
        "on another kind of processor: Measured 2026-01-02 03:04 UTC on AMD Zen 4 (AVX-512)",
        "cargo xtask bench --peers --readme",
        "](../benches/record/headline.svg)",
        "**gram_rbf**",
    ];
    expected.iter().for_each(|words| assert!(text.contains(words), "{words}"));
    let picture = fs::read_to_string(folder.join(readme::PICTURE)).unwrap();
    roxmltree::Document::parse(&picture).unwrap();
    assert!(picture.contains("prefers-color-scheme: dark") && !picture.contains("<script"));
    // Without peers there is no headline.
    let report = Report { comparisons: Vec::new(), ..whole() };
    assert!(readme::write(&report, &[], &folder).is_err());
}

fn bench(arguments: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bench")).args(arguments).output().unwrap()
}

/// The program as a whole on recorded runs: it reports, and fails on a slowdown only.
#[test]
fn a_slowdown_is_a_failure_of_the_program() {
    let folder = folder("slowdown");
    let (then, same, slow) =
        (folder.join("then.json"), folder.join("same.json"), folder.join("slow.json"));
    let mut report = whole();
    report.write(&then).unwrap();
    report.rows.iter_mut().for_each(|row| row.seconds.times.reverse());
    report.write(&same).unwrap();
    for time in &mut report.rows[0].seconds.times {
        *time *= 1.5;
    }
    report.rows[0].seconds = Seconds::new(&report.rows[0].seconds.times).unwrap();
    report.rows.retain(|row| row.variant != "d8,fresh");
    report.write(&slow).unwrap();
    let compare = |now: &Path| bench(&[Path::new("--from"), now, Path::new("--compare"), &then]);
    let output = compare(&same);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = compare(&slow);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success());
    assert!(text.contains("**SLOWER**") && text.contains("slower, beyond noise: 1"), "{text}");
    assert!(text.contains("not in this run: gram_rbf d8,fresh"), "{text}");
    assert!(!bench(&[Path::new("--from"), &folder.join("none.json")]).status.success());
}
