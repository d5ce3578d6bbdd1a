//! `cargo xtask size`: what the library costs whoever builds it: seconds until a first result, seconds after an edit, lines and bytes
//! that a program of its user compiles.
//!
//! Everything is built in folders of its own below `target/size`, so the first builds are first builds; the crates of others must have
//! been downloaded before, or their download is counted.

use std::fmt;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};

use crate::commands;
use crate::evidence::provenance;

/// The program of a user, in a crate of its own.
const TEN_LINES: &str = r#"use kern::prelude::*;

fn main() -> Result<(), kern::Error> {
    let x = Samples::from_rows(&[[0.0, 0.0], [0.0, 1.0], [3.0, 3.0], [3.0, 4.0]])?;
    let y = ["near", "near", "far", "far"];
    let model = Svc::on_kernel(Rbf::new(0.5)?).c(10.0).fit(&x, &y)?;
    println!("{}", model.report());
    println!("{:?}", model.predict(&Samples::from_rows(&[[0.1, 0.4]])?)?);
    Ok(())
}
"#;

/// A figure with its bar.
struct Figure {
    what: &'static str,
    value: f64,
    unit: Unit,
    bar: f64,
    /// Seconds of all processors together, where the system tells them.
    processors: Option<f64>,
}

#[derive(Clone, Copy)]
enum Unit {
    Seconds,
    Lines,
    Kilobytes,
    Megabytes,
}

impl Figure {
    fn is_met(&self) -> bool {
        self.value <= self.bar
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, value, bar, unit, processors } = self;
        let unit = match unit {
            Unit::Seconds => "s",
            Unit::Lines => "lines",
            Unit::Kilobytes => "kB",
            Unit::Megabytes => "MB",
        };
        let digits = usize::from(*value < 100.0);
        write!(f, "| {what} | {value:.digits$} {unit}")?;
        if let Some(processors) = processors {
            write!(f, " ({processors:.1} of processors)")?;
        }
        write!(f, " | {bar} {unit} | {} |", if self.is_met() { "met" } else { "MISSED" })
    }
}

/// The figures that are measured, in order.
struct Measured<'r> {
    root: &'r Path,
    folder: PathBuf,
    figures: Vec<Figure>,
}

/// Measures and prints; with `check`, a missed bar is an error. The wheel is built by `pip`, which must be there.
pub(crate) fn run(root: &Path, wheel: bool, check: bool) -> Result<()> {
    let folder = root.join("target/size");
    if folder.exists() {
        fs::remove_dir_all(&folder).context("cannot empty target/size")?;
    }
    fs::create_dir_all(&folder)?;
    println!("{}\n\n| what | measured | bar | |\n|---|---|---|---|", provenance()?);
    let mut measured = Measured { root, folder, figures: Vec::new() };
    measured.digits()?;
    measured.ten_lines()?;
    if wheel {
        measured.wheel()?;
    }
    let missed: Vec<_> = measured.figures.iter().filter(|figure| !figure.is_met()).collect();
    let words = missed.iter().map(|figure| figure.what).collect::<Vec<_>>().join("; ");
    ensure!(!check || missed.is_empty(), "missed: {words}");
    Ok(())
}

impl Measured<'_> {
    fn add(&mut self, figure: Figure) {
        println!("{figure}");
        self.figures.push(figure);
    }

    /// Runs a command in `folder` with a target folder of its own.
    fn timed(
        &mut self,
        what: &'static str,
        bar: f64,
        (folder, target): (&Path, &str),
        command: &str,
    ) -> Result<()> {
        let before = processors();
        let start = Instant::now();
        self.execute((folder, target), command)?;
        let value = start.elapsed().as_secs_f64();
        let processors = before.and_then(|before| Some(processors()? - before));
        self.add(Figure { what, value, unit: Unit::Seconds, bar, processors });
        Ok(())
    }

    fn execute(&self, (folder, target): (&Path, &str), command: &str) -> Result<()> {
        let mut words = command.split_whitespace();
        let program = words.next().context("no command")?;
        let mut process = Command::new(program);
        process.args(words).current_dir(folder).env("CARGO_TARGET_DIR", self.folder.join(target));
        // What cargo tells the task that started this is not for the builds that are measured.
        process.env_remove("CARGO_MANIFEST_DIR").stdout(Stdio::null()).stderr(Stdio::piped());
        let output = process.output().with_context(|| format!("cannot start `{command}`"))?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{said}\n`{command}` ended with {}", output.status);
        Ok(())
    }

    /// The example that the README asks its reader to run.
    fn digits(&mut self) -> Result<()> {
        let at = (self.root, "digits");
        self.timed("first result of `digits`", 150.0, at, commands::DEMO)?;
        touch(&self.root.join("examples/src/bin/digits.rs"))?;
        self.timed("an edit of `digits`, to its result", 6.0, at, commands::DEMO)?;
        let object = "cargo rustc --release --locked -p kern-examples --bin digits -- --emit=obj -C codegen-units=1";
        self.execute(at, object)?;
        let objects = newest(&self.folder.join("digits/release/deps"), "digits-", "o")?;
        self.bytes("compiled by `digits`", text(&objects)?, Unit::Kilobytes, 300.0);
        Ok(())
    }

    /// A program in a crate of its own, with the profiles that cargo gives it.
    fn ten_lines(&mut self) -> Result<()> {
        let crate_folder = self.folder.join("ten_lines");
        let source = crate_folder.join("src/main.rs");
        fs::create_dir_all(crate_folder.join("src"))?;
        fs::write(&source, TEN_LINES)?;
        let kern = self.root.join("crates/kern");
        let manifest = format!(
            "[package]\nname = \"ten_lines\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\nkern = {{ path = {kern:?} }}\n\n\
             [profile.dev.package.\"*\"]\nopt-level = 3\ndebug = false\n\n[workspace]\n"
        );
        fs::write(crate_folder.join("Cargo.toml"), manifest)?;
        // The versions that the project is tested with.
        fs::copy(self.root.join("Cargo.lock"), crate_folder.join("Cargo.lock"))?;
        let crate_folder = crate_folder.as_path();
        let (check, debug, release) =
            ((crate_folder, "check"), (crate_folder, "debug"), (crate_folder, "release"));
        self.timed("ten lines: first `cargo check`", 100.0, check, "cargo check")?;
        self.timed("ten lines: first release build", 150.0, release, "cargo build --release")?;
        touch(&source)?;
        self.timed("ten lines: an edit, release", 4.0, release, "cargo build --release")?;
        self.execute(debug, "cargo build")?;
        touch(&source)?;
        self.timed("ten lines: an edit, debug", 2.0, debug, "cargo build")?;
        let binary = fs::metadata(self.folder.join("debug/debug/ten_lines"))?.len();
        self.bytes("ten lines: debug binary", binary, Unit::Megabytes, 60.0);
        self.execute(
            release,
            "cargo rustc --release -- --emit=llvm-ir -C no-prepopulate-passes -C codegen-units=1",
        )?;
        let ir = newest(&self.folder.join("release/release/deps"), "ten_lines-", "ll")?;
        let lines = lines_of_functions(&fs::read_to_string(&ir)?);
        let what = "ten lines: LLVM";
        let value = lines as f64;
        self.add(Figure { what, value, unit: Unit::Lines, bar: 60_000.0, processors: None });
        Ok(())
    }

    /// The Python package from nothing.
    fn wheel(&mut self) -> Result<()> {
        let bindings = self.root.join("bindings/python");
        let out = self.folder.join("wheels");
        let command =
            format!("python3 -m pip wheel --quiet --no-deps --wheel-dir {} .", out.display());
        self.timed("wheel from nothing", 300.0, (&bindings, "wheel"), &command)?;
        let wheel = fs::metadata(newest(&out, "kernrs-", "whl")?)?.len();
        self.bytes("wheel", wheel, Unit::Megabytes, 12.0);
        Ok(())
    }

    fn bytes(&mut self, what: &'static str, bytes: u64, unit: Unit, bar: f64) {
        let of_unit = if matches!(unit, Unit::Megabytes) { 1e6 } else { 1e3 };
        let value = bytes as f64 / of_unit;
        self.add(Figure { what, value, unit, bar, processors: None });
    }
}

/// An edit, as cargo sees it.
fn touch(file: &Path) -> Result<()> {
    let file = File::options().append(true).open(file)?;
    Ok(file.set_modified(SystemTime::now())?)
}

/// The newest file of a folder whose name begins and ends like this.
fn newest(folder: &Path, begin: &str, extension: &str) -> Result<PathBuf> {
    let mut found = None;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(begin) && path.extension().is_some_and(|end| end == extension) {
            let modified = entry.metadata()?.modified()?;
            if found.as_ref().is_none_or(|(newest, _)| modified > *newest) {
                found = Some((modified, path));
            }
        }
    }
    Ok(found.with_context(|| format!("no {begin}*.{extension} in {}", folder.display()))?.1)
}

/// The bytes of code in an object, by `size` of the linker's tools.
fn text(object: &Path) -> Result<u64> {
    let output = Command::new("size").arg(object).output().context("cannot start `size`")?;
    let said = String::from_utf8_lossy(&output.stdout);
    text_of(&said).with_context(|| format!("`size` says: {said}"))
}

/// The first number below the heading.
fn text_of(said: &str) -> Option<u64> {
    said.lines().nth(1)?.split_whitespace().next()?.parse().ok()
}

/// The lines between `define` and the closing brace.
fn lines_of_functions(ir: &str) -> usize {
    let mut inside = false;
    ir.lines()
        .filter(|line| {
            inside |= line.starts_with("define ");
            let counts = inside;
            inside &= *line != "}";
            counts
        })
        .count()
}

/// Seconds that processors have spent on finished children of this process (Linux, proc(5), fields 16 and 17 in ticks of 1/100 s).
fn processors() -> Option<f64> {
    ticks(&fs::read_to_string("/proc/self/stat").ok()?).map(|ticks| ticks as f64 / 100.0)
}

fn ticks(stat: &str) -> Option<u64> {
    // The name of the program, which may have blanks, is in parentheses.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(13);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_of_functions() {
        let ir = "; a comment\ndefine void @f() {\nstart:\n  ret void\n}\n\ndeclare void @g()\ndefine void @h() {\n}\n";
        assert_eq!(lines_of_functions(ir), 6);
    }

    #[test]
    fn ticks_are_those_of_children() {
        let stat = "7 (a (b) c) S 1 7 7 0 -1 4194304 1 2 3 4 50 60 700 80 20 0";
        assert_eq!(ticks(stat), Some(780));
    }

    #[test]
    fn text_is_below_its_heading() {
        let said = "   text\t   data\t    bss\n  4242\t     10\t      8\n";
        assert_eq!(text_of(said), Some(4242));
    }

    #[test]
    fn a_figure_says_whether_its_bar_is_met() {
        let what = "an edit";
        let figure =
            Figure { what, value: 2.04, unit: Unit::Seconds, bar: 4.0, processors: Some(3.0) };
        assert_eq!(figure.to_string(), "| an edit | 2.0 s (3.0 of processors) | 4 s | met |");
        let figure =
            Figure { what, value: 400.0, unit: Unit::Kilobytes, bar: 300.0, processors: None };
        assert_eq!(figure.to_string(), "| an edit | 400 kB | 300 kB | MISSED |");
    }
}
