//! Mistakes end with a code, a message and a hint; nothing goes to standard output, and no file is touched.

use super::{Desk, data};

#[test]
fn the_command_line_itself() {
    let desk = Desk::new();
    assert!(desk.refused(&["trian"], 2).contains("train"));
    assert!(desk.refused(&["train", "x.csv"], 2).contains("--output"));
}

#[test]
fn data_and_settings() {
    let desk = Desk::new();
    let iris = data("iris.csv.gz");
    let train = |more: &[&str]| {
        desk.refused(&[&["train", iris.as_str(), "-o", "m.kern"], more].concat(), 1)
    };
    let text = train(&["-t", "specie"]);
    assert!(text.contains("unknown column `specie`") && text.contains("target"), "{text}");
    let text = train(&[]);
    assert!(text.contains("which column") && text.contains("hint: --target COLUMN"), "{text}");
    let text = train(&["-t", "target", "-k", "rfb"]);
    assert!(text.contains("did you mean `rbf`?") && text.contains("hint: kern kernels"), "{text}");
    let text = train(&["-t", "target", "-k", "sigmoid"]);
    assert!(text.contains("hint: assume_mercer"), "{text}");
    let text = train(&["-t", "target", "--set", "gamma=1"]);
    assert!(text.contains("did you mean `kernel.gamma`?"), "{text}");
    let text = train(&["-t", "target", "-m", "k-means"]);
    assert!(text.contains("k-means is no method to classify"), "{text}");
    let text = train(&["-t", "target", "--memory", "lots"]);
    assert!(text.contains("`lots` is no memory"), "{text}");
    let text = desk.refused(&["train", "none.csv", "-t", "y", "-o", "m.kern"], 1);
    assert!(text.contains("none.csv") && text.matches("No such file").count() == 1, "{text}");
    desk.write("bad.csv", "a,b\n1,2\n3\n");
    let text = desk.refused(&["train", "bad.csv", "-t", "b", "-o", "m.kern"], 1);
    assert!(text.contains("bad.csv, line 3"), "{text}");
    assert!(!desk.path("m.kern").exists());
}

#[test]
fn models() {
    let desk = Desk::new();
    let iris = data("iris.csv.gz");
    desk.answers(&["train", &iris, "-t", "target", "-o", "m.kern"]);
    let text = desk.refused(&["predict", &iris, "m.kern"], 1);
    assert!(text.contains("no file of a model") && text.contains("MODEL FILE"), "{text}");
    let mut bytes = std::fs::read(desk.path("m.kern")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(desk.path("damaged.kern"), &bytes).unwrap();
    let text = desk.refused(&["inspect", "damaged.kern"], 1);
    assert!(text.contains("checksum"), "{text}");
    bytes[8] = 9;
    std::fs::write(desk.path("newer.kern"), &bytes).unwrap();
    assert!(desk.refused(&["inspect", "newer.kern"], 1).contains("version 9"));
    desk.write("other.csv", "sepal_length_cm\n1\n");
    let text = desk.refused(&["predict", "m.kern", "other.csv"], 1);
    assert!(text.contains("missing column `sepal_width_cm`"), "{text}");
    let text = desk.refused(&["predict", "m.kern", &iris, "--probabilities"], 1);
    assert!(text.contains("--method logistic"), "{text}");
}

/// No method with probabilities is proposed for tasks that have none.
#[test]
fn probabilities_of_tasks_without_classes() {
    let desk = Desk::new();
    let diabetes = data("diabetes.csv.gz");
    desk.answers(&["train", &diabetes, "-t", "target", "-m", "svm", "-o", "r.kern"]);
    desk.answers(&["train", &diabetes, "--task", "detect", "-o", "d.kern"]);
    for model in ["r.kern", "d.kern"] {
        let text = desk.refused(&["predict", model, &diabetes, "--probabilities"], 1);
        assert!(text.contains("has no probabilities") && !text.contains("logistic"), "{text}");
    }
    let text = desk.refused(&["train", &diabetes, "--time-limit=-1", "-o", "x.kern"], 1);
    assert!(text.contains("--time-limit"), "{text}");
}
