//! Nothing is silently wrong: what the program decides it says, and what it cannot do right it refuses.

use super::{Desk, number};
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// Two numbers and a label that depends on them.
fn rows(labels: [&str; 2]) -> String {
    let mut text = "x,y,label\n".to_string();
    for i in 0..60_u32 {
        let (x, y) = (f64::from(i % 10), f64::from(i / 10));
        text += &format!("{x},{y},{}\n", labels[usize::from(x > 4.5)]);
    }
    text
}

/// Standard error of a run that ends well.
fn said(desk: &Desk, arguments: &[&str]) -> String {
    let output = desk.kern(arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    said
}

#[test]
fn the_index_of_pandas_is_no_feature() {
    let desk = Desk::new();
    let numbered = |from: usize, name: &str| {
        let rows = rows(["a", "b"]).replace("x,y", name);
        let mut lines = rows.lines();
        let mut text = format!(",{}\n", lines.next().unwrap());
        lines.enumerate().for_each(|(i, line)| text += &format!("{},{line}\n", i * 7 % 61 + from));
        text
    };
    desk.write("train.csv", &numbered(0, "x1,y"));
    desk.write("test.csv", &numbered(5000, "x1,y"));
    let text = said(&desk, &["train", "train.csv", "-t", "label", "-o", "m.kern"]);
    assert!(
        text.contains("column Unnamed: 0: left out") && text.contains("--row-numbers"),
        "{text}"
    );
    let scores = desk.answers(&["evaluate", "m.kern", "test.csv", "--json"]);
    assert!(number(&scores, "accuracy") > 0.95, "{scores}");
    assert_eq!(desk.answers(&["predict", "m.kern", "test.csv"]).lines().count(), 61);
    desk.answers(&["train", "train.csv", "-t", "label", "--row-numbers", "-o", "k.kern"]);
    assert!(desk.answers(&["inspect", "k.kern"]).contains("Unnamed: 0: numbers"));
    assert!(!desk.answers(&["inspect", "m.kern"]).contains("Unnamed"));
}

#[test]
fn labels_keep_their_spelling() {
    let desk = Desk::new();
    for (labels, more) in [
        (["007", "010"], &[][..]),
        (["007", "010"], &["--category", "label"]),
        (["1e5", "2"], &[]),
        (["True", "False"], &[]),
        (["9007199254740992", "9007199254740993"], &[]),
    ] {
        desk.write("train.csv", &rows(labels));
        for way in [&[][..], &["--stream"], &["--rounds"]] {
            if way == ["--rounds"] && !more.is_empty() {
                continue;
            }
            let train = ["train", "train.csv", "-t", "label", "-o", "m.kern"];
            said(&desk, &[&train[..], more, way].concat());
            let scores = desk.answers(&["evaluate", "m.kern", "train.csv", "--json"]);
            assert!(number(&scores, "accuracy") > 0.9, "{labels:?} {way:?}: {scores}");
            let answers = desk.answers(&["predict", "m.kern", "train.csv"]);
            assert!(answers.lines().skip(1).all(|answer| labels.contains(&answer)), "{answers}");
        }
        // The same in JSON lines, where a number has no zeros before it.
        if labels == ["True", "False"] {
            desk.write(
                "test.jsonl",
                "{\"x\":1,\"y\":1,\"label\":true}\n{\"x\":9,\"y\":1,\"label\":false}\n",
            );
            let scores = desk.answers(&["evaluate", "m.kern", "test.jsonl", "--json"]);
            assert!(number(&scores, "accuracy") > 0.99, "{scores}");
        }
    }
}

#[test]
fn the_task_is_said_with_the_way_to_change_it() {
    let desk = Desk::new();
    let table = |y: fn(u32) -> String| {
        (0..100).fold("x,y\n".to_string(), |text, i| text + &format!("{i},{}\n", y(i)))
    };
    desk.write("many.csv", &table(|i| i.to_string()));
    let text = said(&desk, &["train", "many.csv", "-t", "y", "-o", "m.kern"]);
    assert!(text.contains("task: regress") && text.contains("--task classify"), "{text}");
    desk.write("few.csv", &table(|i| format!("{}.0", i % 3)));
    let text = said(&desk, &["train", "few.csv", "-t", "y", "-o", "m.kern"]);
    assert!(text.contains("task: classify") && text.contains("--task regress"), "{text}");
    assert!(text.contains("3 different whole numbers"), "{text}");
}

#[test]
fn columns_that_the_model_does_not_use_do_not_matter() {
    let desk = Desk::new();
    desk.write("train.csv", &rows(["a", "b"]));
    desk.answers(&["train", "train.csv", "-t", "label", "-o", "m.kern"]);
    let mut text = "x,note,y\n".to_string();
    (0..10_050).for_each(|i| text += &format!("1,{},2\n", if i < 10_020 { "3" } else { "word" }));
    desk.write("noted.csv", &text);
    assert_eq!(desk.answers(&["predict", "m.kern", "noted.csv"]).lines().count(), 10_051);
    desk.write("keys.jsonl", "{\"x\":1,\"tags\":[1]}\n{\"x\":2}\n");
    let output = desk.kern(&["predict", "m.kern", "keys.jsonl"]);
    assert!(output.status.success() && output.stdout.starts_with(b"class\n"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("column y has no value in any row"), "{said}");
    for (name, text) in [("header.csv", "x,y\n"), ("empty.csv", ""), ("empty.jsonl", "")] {
        desk.write(name, text);
        let text = desk.refused(&["predict", "m.kern", name], 1);
        assert!(text.contains("missing column") || text.contains("no row"), "{text}");
    }
}

#[test]
fn a_stream_does_not_read_what_it_ignores() {
    let desk = Desk::new();
    let mut text = "x,remark,y\n".to_string();
    (0..400).for_each(|i| {
        text += &format!("{},{},{}.5\n", i % 7, if i < 300 { "3" } else { "word" }, i % 5);
    });
    desk.write("train.csv", &text);
    let stream = ["train", "train.csv", "-t", "y", "--stream", "--batch", "100", "-o", "m.kern"];
    assert!(desk.refused(&stream, 1).contains("`word` in column `remark`"));
    desk.answers(&[&stream[..], &["--ignore", "remark"]].concat());
    assert!(!desk.answers(&["inspect", "m.kern"]).contains("remark"));
    let text = desk.refused(&[&stream[..], &["--ignore", "remarc"]].concat(), 1);
    assert!(text.contains("missing column `remarc`"), "{text}");
}

#[test]
fn kernels_need_columns() {
    let desk = Desk::new();
    desk.write("train.csv", &rows(["a", "b"]));
    for kernel in ["spectrum(k=3)", "hamming_rbf", "rbf + delta", "2*normalized(bag_of_words)"] {
        for way in [&[][..], &["--stream"], &["--rounds"]] {
            let train = ["train", "train.csv", "-t", "label", "-o", "m.kern", "-k", kernel];
            if kernel.contains("delta") && way != [""; 0] {
                continue;
            }
            let text = desk.refused(&[&train[..], way].concat(), 1);
            assert!(text.contains("numbers (x, y)") && text.contains("needs a column"), "{text}");
        }
    }
    for kernel in ["rbf + white(noise=0.1)", "rbf * constant(value=2)", "laplacian^2"] {
        let train = ["train", "train.csv", "-t", "label", "-o", "m.kern", "-k", kernel];
        said(&desk, &train);
    }
}

#[test]
fn empty_columns_and_constant_targets_are_said() {
    let desk = Desk::new();
    let rows = rows(["a", "b"]).replace("\n0,", "\n,");
    let with: String = rows
        .lines()
        .enumerate()
        .map(|(i, line)| format!("{line},{}\n", if i == 0 { "empty" } else { "" }))
        .collect();
    desk.write("train.csv", &with);
    for way in [&[][..], &["--stream"], &["--rounds", "--fill"]] {
        let train = ["train", "train.csv", "-t", "label", "-o", "m.kern"];
        let text = said(&desk, &[&train[..], way].concat());
        assert!(text.contains("column empty: left out, it has no value"), "{text}");
        assert!(!desk.answers(&["inspect", "m.kern"]).contains("empty"));
        desk.write("test.csv", "x,y,empty\n1,2,1000000\n8,2,5\n");
        assert_eq!(desk.answers(&["predict", "m.kern", "test.csv"]), "class\na\nb\n");
    }
    desk.write("numbers.csv", "x,y\n1,1.5\n2,2.5\n3,3.5\n4,4.5\n");
    desk.answers(&["train", "numbers.csv", "-t", "y", "-o", "n.kern"]);
    desk.write("constant.csv", "x,y\n1,19.99\n2,19.99\n3,19.99\n");
    let scores = desk.answers(&["evaluate", "n.kern", "constant.csv"]);
    assert!(scores.contains("undefined") && !scores.contains("inf"), "{scores}");
    let scores = desk.answers(&["evaluate", "n.kern", "constant.csv", "--json"]);
    assert!(scores.contains("\"r2\":null"), "{scores}");
}

#[test]
fn a_price_that_is_no_number_is_noted() {
    let desk = Desk::new();
    let mut text = "price,y\n".to_string();
    for i in 0..200 {
        let price = if i == 16 { "$3".to_string() } else { i.to_string() };
        text += &format!("{price},{i}.5\n");
    }
    desk.write("prices.csv", &text);
    let train = ["train", "prices.csv", "-t", "y", "-o", "m.kern"];
    let text = said(&desk, &train);
    assert!(text.contains("1 of 200 values is not a number (row 17: `$3`)"), "{text}");
    assert!(text.contains("--number price"), "{text}");
    let text = said(&desk, &[&train[..], &["--number", "price"]].concat());
    assert!(text.contains("treated as missing"), "{text}");
    assert!(desk.answers(&["inspect", "m.kern"]).contains("price: numbers"));
    let text = desk.refused(&["predict", "m.kern", "prices.csv"], 1);
    assert!(text.contains("`$3` in column `price`") && text.contains("--number"), "{text}");
    let predict = ["predict", "m.kern", "prices.csv", "--number", "price"];
    assert_eq!(desk.answers(&predict).lines().count(), 201);
}

#[test]
fn answers_to_a_pipe_come_line_by_line() {
    let desk = Desk::new();
    desk.write("train.csv", &rows(["a", "b"]));
    desk.answers(&["train", "train.csv", "-t", "label", "-o", "m.kern"]);
    let mut program = Command::new(env!("CARGO_BIN_EXE_kern"));
    let program = program.args(["predict", "m.kern", "-"]).current_dir(desk.path("."));
    let mut program = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let (mut input, mut output) = (program.stdin.take().unwrap(), program.stdout.take().unwrap());
    input.write_all(b"x,y\n1,2\n").unwrap();
    let mut answer = [0; 8];
    output.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"class\na\n");
    input.write_all(b"9,2\n").unwrap();
    let mut answer = [0; 2];
    output.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"b\n");
    // The reader goes away.
    drop(output);
    let _rest = (0..2000).try_for_each(|_| input.write_all(b"9,2\n"));
    drop(input);
    assert!(program.wait().unwrap().success());
}
