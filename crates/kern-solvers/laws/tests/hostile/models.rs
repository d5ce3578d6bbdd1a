//! A small model of every kind, as files in both formats, and what is done with one that has been read.

mod features;
mod functions;
mod kernels;
mod others;

use kern_core::Points;
use kern_solvers::Model;
use kern_solvers::file::Save;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind of file: valid ones, and the way in which any bytes are read and used.
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) files: Vec<File>,
}

/// Reads a file and uses what it has, if anything.
pub(crate) type Read = Box<dyn Fn(&[u8]) -> bool>;

/// A valid file, and its reader.
pub(crate) struct File {
    pub(crate) format: &'static str,
    pub(crate) bytes: Vec<u8>,
    /// The changes of text suit it.
    pub(crate) text: bool,
    /// Reads, and uses what was read. False if it is an error.
    pub(crate) read: Read,
}

impl Kind {
    /// A value in both formats, used as the function says.
    pub(crate) fn of<M: Serialize + DeserializeOwned>(
        name: &'static str,
        value: &M,
        used: impl Fn(&M) -> bool + Clone + 'static,
    ) -> Self {
        let json = serde_json::to_vec(value).unwrap();
        let binary = postcard::to_stdvec(value).unwrap();
        let with = used.clone();
        let from_json =
            move |bytes: &[u8]| serde_json::from_slice::<M>(bytes).is_ok_and(|m| with(&m));
        let from_binary =
            move |bytes: &[u8]| postcard::from_bytes::<M>(bytes).is_ok_and(|m| used(&m));
        let files = vec![
            File { format: "JSON", bytes: json, text: true, read: Box::new(from_json) },
            File { format: "postcard", bytes: binary, text: false, read: Box::new(from_binary) },
        ];
        Self { name, files }
    }

    /// A model, which predicts, and which its own kind of file brings back.
    pub(crate) fn model<P, M>(name: &'static str, model: &M, queries: &P) -> Self
    where
        P: Points + Clone + 'static,
        M: Model<P> + Save,
    {
        let queries = queries.clone();
        let saved = M::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert!(saved.predict(&queries).is_ok(), "{name}");
        Self::of(name, model, move |model: &M| model.predict(&queries).is_ok())
    }

    /// A text with a reader of its own.
    pub(crate) fn text(
        name: &'static str,
        text: &[u8],
        read: impl Fn(&[u8]) -> bool + 'static,
    ) -> Self {
        let file = File { format: "text", bytes: text.to_vec(), text: true, read: Box::new(read) };
        Self { name, files: vec![file] }
    }
}

/// Every kind.
pub(crate) fn kinds() -> Vec<Kind> {
    let mut all = functions::kinds();
    all.extend(kernels::kinds());
    all.extend(features::kinds());
    all.extend(others::kinds());
    all
}
