//! The container of a model: its version, the format of the models in it, and the version of kern that wrote it.

use kern_core::Samples;
use kern_core::kernels::Linear;
use kern_solvers::file::{Encoding, Error, Save, kind, to_bytes};
use kern_solvers::model::{KernelExpansion, Regressor};
use kern_solvers::ridge::Ridge;

type Saved = Regressor<KernelExpansion<Samples<f64>, Linear>>;

/// The format of the models.
const FORMAT: u32 = 3;

/// Where a binary container states the format: behind the magic bytes and its own version.
const AT: usize = 12;

fn points() -> Samples<f64> {
    Samples::from_rows(&[[0.0, 1.0], [2.0, 1.0], [4.0, 0.0]]).unwrap()
}

fn model() -> Saved {
    Ridge::on_kernel(Linear).fit(&points(), &[1.0, 2.0, 3.0]).unwrap()
}

/// The bytes with their checksum.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// A binary file of this container, with this format.
fn stating(format: u32) -> Vec<u8> {
    let mut bytes = model().to_bytes().unwrap();
    bytes.truncate(bytes.len() - 4);
    bytes[AT..AT + 4].copy_from_slice(&format.to_le_bytes());
    sealed(bytes)
}

/// A binary file of the first container, which does not state the format; the model does.
fn first(format: u8) -> Vec<u8> {
    let mut payload = postcard::to_stdvec(&model()).unwrap();
    assert_eq!(u32::from(payload[0]), FORMAT);
    payload[0] = format;
    let mut bytes = model().to_bytes().unwrap()[..8].to_vec();
    bytes.extend(1_u32.to_le_bytes());
    for part in [b"regressor".as_slice(), &payload] {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    sealed(bytes)
}

/// The same in JSON.
fn first_in_json(format: u32) -> Vec<u8> {
    let (now, then) = (format!("[{FORMAT},\"regressor\"]"), format!("[{format},\"regressor\"]"));
    let text = serde_json::to_string(&model()).unwrap().replacen(&now, &then, 1);
    let checksum = crc32fast::hash(text.as_bytes());
    let head = r#"{"magic":"kern","version":1,"kind":"regressor","checksum":"#;
    format!("{head}{checksum},\"model\":{text}}}").into_bytes()
}

#[test]
fn an_older_format_is_refused_with_the_way_out() {
    let _alone = crate::ALONE.lock();
    for given in 1..FORMAT {
        let error = Saved::from_bytes(&stating(given)).unwrap_err();
        let version = env!("CARGO_PKG_VERSION");
        assert!(
            matches!(&error, Error::Outdated { given: format, supported: FORMAT, writer: Some(writer) }
                if *format == given && writer == version),
            "{error}"
        );
        let text = error.to_string();
        let start = format!("the model was saved by kern {version} in format {given}, and");
        assert!(text.starts_with(&start) && text.contains("fit the model again"), "{text}");
        // Its kind can still be told.
        assert_eq!(kind(&stating(given)).unwrap(), "regressor");
    }
    let text = String::from_utf8(to_bytes(&model(), Encoding::Json).unwrap()).unwrap();
    let older = text.replacen("\"format\":3", "\"format\":2", 1);
    assert!(matches!(Saved::from_bytes(older.as_bytes()), Err(Error::Outdated { given: 2, .. })));
}

#[test]
fn a_newer_format_or_container_asks_for_an_update() {
    let _alone = crate::ALONE.lock();
    let error = Saved::from_bytes(&stating(FORMAT + 1)).unwrap_err();
    assert!(matches!(error, Error::Newer { given: 4, supported: FORMAT }), "{error}");
    let mut newer = model().to_bytes().unwrap();
    newer[8] = 3;
    let error = Saved::from_bytes(&newer).unwrap_err();
    assert!(matches!(error, Error::Newer { given: 3, supported: 2 }), "{error}");
    assert!(error.to_string().ends_with("update kern"), "{error}");
}

#[test]
fn the_first_container_is_read_and_its_older_formats_are_refused() {
    let _alone = crate::ALONE.lock();
    for bytes in [first(3), first_in_json(3)] {
        let read = Saved::from_bytes(&bytes).unwrap();
        assert_eq!(read.predict(&points()).unwrap(), model().predict(&points()).unwrap());
    }
    for bytes in [first(1), first(2), first_in_json(1), first_in_json(2)] {
        let error = Saved::from_bytes(&bytes).unwrap_err();
        assert!(
            matches!(error, Error::Outdated { given: 1 | 2, supported: FORMAT, writer: None }),
            "{error}"
        );
    }
}

#[test]
fn what_was_changed_without_its_checksum_is_damaged() {
    let _alone = crate::ALONE.lock();
    let bytes = model().to_bytes().unwrap();
    for at in AT..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        let error = Saved::from_bytes(&changed).unwrap_err();
        assert!(matches!(error, Error::Checksum { .. } | Error::Length), "{at}: {error}");
    }
}
