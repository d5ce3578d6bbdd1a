//! Model files.
//!
//! A binary file, for machines, has eight magic bytes, the version, the kind of the model, the
//! length of its bytes, the bytes themselves, and a checksum of all of these. A JSON file, for
//! people, is an object with the same content. Both are written to a temporary file next to the
//! target and then renamed, so a crash leaves either the complete old file or the complete new one.
//! Reading checks the magic bytes, the version, the kind and the checksum, and then every invariant
//! of the model. A model predicts bit-identical results after it was read.
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_solvers::model::{KernelExpansion, Regressor};
//! use kern_solvers::ridge::Ridge;
//! use kern_table::file::{self, Encoding, Error};
//! let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
//! let model = Ridge::on_kernel(Rbf::new(1.0)?).fit(&x, &[0.0_f64, 1.0, 4.0])?;
//! let bytes = file::to_bytes(&model, Encoding::Binary)?;
//! let read: Regressor<KernelExpansion<Samples<f64>, Rbf>> = file::from_bytes(&bytes)?;
//! assert_eq!(read.predict(&x)?, model.predict(&x)?);
//!
//! let damaged: Vec<u8> = bytes.iter().map(|byte| byte ^ u8::from(*byte == 3)).collect();
//! let refused = file::from_bytes::<Regressor<KernelExpansion<Samples<f64>, Rbf>>>(&damaged);
//! assert!(refused.is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use kern_core::Named;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The first bytes of a binary file.
const MAGIC: [u8; 8] = *b"\x89kern\r\n\x1a";

/// The same for JSON files.
const JSON_MAGIC: &str = "kern";

/// The version that is written, and the largest one that can be read.
const VERSION: u32 = 1;

/// The length of a checksum in bytes.
const CHECKSUM: usize = 4;

/// The encoding of a model file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Compact, for machines.
    Binary,
    /// JSON, for people.
    Json,
}

/// An error in a model file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The bytes are not a model file.
    #[error("this is no file of a model: it begins with other bytes")]
    NoModel,
    /// The file is truncated, or has bytes after its end.
    #[error("the file is cut off, or has been put together wrongly")]
    Length,
    /// The version of the file format is newer than this library.
    #[error(
        "the file has version {given} of the format, and {VERSION} is the newest that is known here: update kern"
    )]
    Version {
        /// The version of the file.
        given: u32,
    },
    /// The file has a model of another kind.
    #[error("the file has a model of the kind `{given}`, not `{expected}`")]
    Kind {
        /// The kind in the file.
        given: String,
        /// The expected kind.
        expected: Cow<'static, str>,
    },
    /// The content differs from what was written.
    #[error(
        "the file is damaged or was changed by hand: its checksum is {given:08x}, that of its content {found:08x}"
    )]
    Checksum {
        /// The checksum stored in the file.
        given: u32,
        /// The checksum computed from the content.
        found: u32,
    },
    /// The model violates its invariants, or cannot be written.
    #[error("the model is refused: {reason}")]
    Model {
        /// The reason.
        reason: String,
    },
}

fn refused<E: fmt::Display>(reason: E) -> Error {
    let reason = reason.to_string();
    Error::Model { reason }
}

/// A model file in JSON.
#[derive(Serialize, Deserialize)]
struct Json<'j> {
    magic: Cow<'j, str>,
    version: u32,
    kind: Cow<'j, str>,
    checksum: u32,
    #[serde(borrow)]
    model: &'j RawValue,
}

/// Serializes a model to the bytes of a file.
///
/// # Errors
/// [`Error::Model`] if it cannot be written.
pub fn to_bytes<M: Named + Serialize>(model: &M, encoding: Encoding) -> Result<Vec<u8>, Error> {
    let kind = M::name();
    match encoding {
        Encoding::Binary => {
            let payload = postcard::to_stdvec(model).map_err(refused)?;
            let mut bytes = Vec::with_capacity(payload.len() + kind.len() + 32);
            bytes.extend(MAGIC);
            bytes.extend(VERSION.to_le_bytes());
            bytes.extend((kind.len() as u64).to_le_bytes());
            bytes.extend(kind.as_bytes());
            bytes.extend((payload.len() as u64).to_le_bytes());
            bytes.extend(payload);
            let checksum = crc32fast::hash(&bytes);
            bytes.extend(checksum.to_le_bytes());
            Ok(bytes)
        }
        Encoding::Json => {
            let text = serde_json::to_string(model).map_err(refused)?;
            let checksum = crc32fast::hash(text.as_bytes());
            let model = RawValue::from_string(text).map_err(refused)?;
            let magic = Cow::Borrowed(JSON_MAGIC);
            let file = Json { magic, version: VERSION, kind, checksum, model: &model };
            serde_json::to_vec(&file).map_err(refused)
        }
    }
}

/// Reads the model from the bytes of a file in either encoding.
///
/// # Errors
/// Every [`Error`] except [`Error::Io`].
pub fn from_bytes<M: Named + DeserializeOwned>(bytes: &[u8]) -> Result<M, Error> {
    let Content { payload, encoding, kind } = content(bytes)?;
    let expected = M::name();
    if kind != expected {
        let given = kind.chars().take(200).collect();
        return Err(Error::Kind { given, expected });
    }
    match encoding {
        Encoding::Binary => {
            let (model, rest) = postcard::take_from_bytes(payload).map_err(refused)?;
            if rest.is_empty() { Ok(model) } else { Err(Error::Length) }
        }
        Encoding::Json => serde_json::from_slice(payload).map_err(refused),
    }
}

/// The kind of the model in the bytes of a file.
///
/// # Errors
/// Every [`Error`] except [`Error::Io`], [`Error::Kind`] and [`Error::Model`].
pub fn kind(bytes: &[u8]) -> Result<String, Error> {
    Ok(content(bytes)?.kind.into_owned())
}

/// The content of a file whose checksum was verified.
struct Content<'c> {
    payload: &'c [u8],
    encoding: Encoding,
    kind: Cow<'c, str>,
}

fn content(bytes: &[u8]) -> Result<Content<'_>, Error> {
    if let Some(rest) = bytes.strip_prefix(&MAGIC) {
        return binary(bytes, rest);
    }
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err(Error::NoModel);
    }
    let Json { magic, version, kind, checksum: given, model } =
        serde_json::from_slice(bytes).map_err(refused)?;
    if magic != JSON_MAGIC {
        return Err(Error::NoModel);
    }
    check_version(version)?;
    let payload = model.get().as_bytes();
    check(given, crc32fast::hash(payload))?;
    Ok(Content { payload, encoding: Encoding::Json, kind })
}

fn binary<'c>(bytes: &'c [u8], mut rest: &'c [u8]) -> Result<Content<'c>, Error> {
    check_version(u32::from_le_bytes(taken(&mut rest)?))?;
    let kind = part(&mut rest)?;
    let payload = part(&mut rest)?;
    let given = u32::from_le_bytes(taken(&mut rest)?);
    if !rest.is_empty() {
        return Err(Error::Length);
    }
    check(given, crc32fast::hash(&bytes[..bytes.len() - CHECKSUM]))?;
    Ok(Content { payload, encoding: Encoding::Binary, kind: String::from_utf8_lossy(kind) })
}

/// The next `N` bytes.
fn taken<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], Error> {
    let (first, others) = rest.split_first_chunk().ok_or(Error::Length)?;
    *rest = others;
    Ok(*first)
}

/// The next part, prefixed with its length.
fn part<'c>(rest: &mut &'c [u8]) -> Result<&'c [u8], Error> {
    let length = usize::try_from(u64::from_le_bytes(taken(rest)?)).map_err(|_| Error::Length)?;
    let (part, others) = rest.split_at_checked(length).ok_or(Error::Length)?;
    *rest = others;
    Ok(part)
}

fn check_version(given: u32) -> Result<(), Error> {
    if given <= VERSION { Ok(()) } else { Err(Error::Version { given }) }
}

fn check(given: u32, found: u32) -> Result<(), Error> {
    if given == found { Ok(()) } else { Err(Error::Checksum { given, found }) }
}

/// Writes a model to a file. An existing file is replaced only after the new one is complete.
///
/// # Errors
/// [`Error::Io`], [`Error::Model`].
pub fn save<M: Named + Serialize>(
    model: &M,
    path: impl AsRef<Path>,
    encoding: Encoding,
) -> Result<(), Error> {
    let path = path.as_ref();
    let bytes = to_bytes(model, encoding)?;
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(io)?;
    file.write_all(&bytes).map_err(io)?;
    file.as_file().sync_all().map_err(io)?;
    file.persist(path).map_err(|error| io(error.error))?;
    Ok(())
}

/// Reads a model from a file in either encoding.
///
/// # Errors
/// Every variant of [`Error`].
pub fn open<M: Named + DeserializeOwned>(path: impl AsRef<Path>) -> Result<M, Error> {
    let path = path.as_ref();
    let bytes = std::fs::read(path);
    from_bytes(&bytes.map_err(|source| Error::Io { path: path.to_path_buf(), source })?)
}
