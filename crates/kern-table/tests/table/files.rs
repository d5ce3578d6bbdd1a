//! Files of models: what is written is read, bit by bit, and what is damaged is refused.

use super::table;
use kern_data::{Format, Source};
use kern_solvers::file::{Encoding, Error, Save, from_bytes, kind, save, to_bytes};
use kern_table::{ClassType, Prepared, TableModel, Task, Training};

fn model() -> TableModel {
    Training::new(Task::Classify).target("class").fit(&table(0..40)).unwrap()
}

#[test]
fn a_model_answers_with_the_same_bits_after_it_was_read() {
    let model = Training::new(Task::Regress).target("x").fit(&table(0..60)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for encoding in [Encoding::Binary, Encoding::Json] {
        let path = folder.path().join("model");
        save(&model, &path, encoding).unwrap();
        let read = TableModel::load(&path).unwrap();
        assert_eq!(read.predict(&table(60..99)).unwrap(), model.predict(&table(60..99)).unwrap());
        assert_eq!((read.schema(), read.report()), (model.schema(), model.report()));
        // Nothing is left beside it.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_file_keeps_the_type_of_classes() {
    let of = |labels: [&str; 2], training: Training| {
        let rows: Vec<_> = (0..12).map(|i| format!("{i},{}\n", labels[i / 6])).collect();
        let text = format!("x,y\n{}", rows.concat());
        let source = Source::new(Format::Csv, text.as_bytes()).keep_spelling("y");
        let model = training.target("y").fit(&source.read().unwrap()).unwrap();
        let bytes = to_bytes(&model, Encoding::Binary).unwrap();
        from_bytes::<TableModel>(&bytes).unwrap().class_type()
    };
    let training = || Training::new(Task::Classify);
    assert_eq!(of(["0", "1"], training()), ClassType::Integer);
    assert_eq!(of(["0.5", "1.5"], training()), ClassType::Real);
    assert_eq!(of(["True", "False"], training()), ClassType::Boolean);
    assert_eq!(of(["007", "010"], training()), ClassType::Word);
    assert_eq!(of(["a", "b"], training()), ClassType::Word);
    assert_eq!(of(["0", "1"], training().class_type(ClassType::Real)), ClassType::Real);
}

#[test]
fn files_say_what_is_wrong_with_them() {
    let model = model();
    for encoding in [Encoding::Binary, Encoding::Json] {
        let bytes = to_bytes(&model, encoding).unwrap();
        assert_eq!(kind(&bytes).unwrap(), "table");
        let other = from_bytes::<Prepared>(&bytes).unwrap_err();
        assert!(matches!(other, Error::Kind { given, .. } if given == "table"));
    }
    let bytes = to_bytes(&model, Encoding::Binary).unwrap();
    let read = |bytes: &[u8]| from_bytes::<TableModel>(bytes).unwrap_err();
    for end in 0..bytes.len() {
        assert!(matches!(read(&bytes[..end]), Error::NoModel | Error::Length), "{end}");
    }
    assert!(matches!(read(&[&bytes[..], &[0]].concat()), Error::Length));
    let mut newer = bytes.clone();
    newer[8] = 3;
    assert!(matches!(read(&newer), Error::Newer { given: 3, supported: 2 }));
    let text = to_bytes(&model, Encoding::Json).unwrap();
    let text = String::from_utf8(text).unwrap();
    let edited = text.replacen("\"task\":\"classify\"", "\"task\":\"regress\"", 1);
    assert!(matches!(read(edited.as_bytes()), Error::Checksum { .. }));
    assert!(matches!(read(b"x,y\n1,2\n"), Error::NoModel));
    let nowhere = save(&model, "no/such/folder/model", Encoding::Binary);
    assert!(matches!(nowhere, Err(Error::Io { .. })));
}

/// Checksums find what happens by chance; here somebody has made them anew.
#[test]
fn damage_behind_a_checksum_is_found_by_the_invariants() {
    let model = model();
    let points = table(0..40);
    let text = String::from_utf8(to_bytes(&model, Encoding::Json).unwrap()).unwrap();
    let at = text.find("\"model\":").unwrap() + 8;
    let payload = text[at..text.len() - 1].to_string();
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut read = 0;
    for _ in 0..3000 {
        let mut bytes = payload.clone().into_bytes();
        for _ in 0..=random(2) {
            let place = random(bytes.len());
            bytes[place] = b"0123456789-.e[]{},:\"nultrfas"[random(28)];
        }
        let Ok(changed) = String::from_utf8(bytes) else { continue };
        let checksum = crc32fast::hash(changed.as_bytes());
        let file = format!(
            "{{\"magic\":\"kern\",\"version\":1,\"kind\":\"table\",\"checksum\":{checksum},\"model\":{changed}}}"
        );
        if let Ok(model) = from_bytes::<TableModel>(file.as_bytes()) {
            read += 1;
            // An answer or an error, never a panic.
            let _answers = model.predict(&points).is_ok();
        }
    }
    assert!(read > 300, "{read}: changed digits are other models");
}
