//! Model files: [`Save::save`] and [`Save::load`], for every model.
//!
//! A binary file, for machines, has eight magic bytes, the version of the container, the format of
//! the models, the kind of the model, the version of kern that wrote it, the length of its bytes,
//! the bytes themselves, and a checksum of all of these. A JSON file, for people, is an object with
//! the same content, whose checksum is that of the model. Both are written to a temporary file next
//! to the target and then renamed, so a crash leaves either the complete old file or the complete
//! new one. Reading checks the magic bytes, the version, the checksum, the kind and the format, and
//! then every invariant of the model. A model predicts bit-identical results after it was read.
//!
//! A file in an older format of the models is refused by [`Error::Outdated`], which has the version
//! of kern that reads it.
//!
//! The functions do the same as the methods of [`Save`], in a given [`Encoding`].
//!
//! # Examples
//! ```
//! use kern_core::{Samples, kernels::Rbf};
//! use kern_solvers::file::{Error, Save};
//! use kern_solvers::model::{KernelExpansion, Regressor};
//! use kern_solvers::ridge::Ridge;
//! let x = Samples::from_rows(&[[0.0], [1.0], [2.0]])?;
//! let model = Ridge::on_kernel(Rbf::new(1.0)?).fit(&x, &[0.0_f64, 1.0, 4.0])?;
//!
//! let path = std::env::temp_dir().join(format!("kern-doc-{}.kern", std::process::id()));
//! model.save(&path)?;
//! let read = Regressor::<KernelExpansion<Samples<f64>, Rbf>>::load(&path)?;
//! assert_eq!(read.predict(&x)?, model.predict(&x)?);
//! # std::fs::remove_file(&path)?;
//!
//! let mut bytes = model.to_bytes()?;
//! let middle = bytes.len() / 2;
//! bytes[middle] ^= 1;
//! let damaged = Regressor::<KernelExpansion<Samples<f64>, Rbf>>::from_bytes(&bytes);
//! assert!(matches!(damaged, Err(Error::Checksum { .. })));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::model::FORMAT;
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

/// The version of the container that is written, and the largest one that can be read.
const VERSION: u32 = 2;

/// The first version of the container that has the format of the models and the version of kern.
const WITH_FORMAT: u32 = 2;

/// The version of kern, which is that of all of its crates.
const KERN: &str = env!("CARGO_PKG_VERSION");

/// The length of a checksum in bytes.
const CHECKSUM: usize = 4;

/// The bytes of a binary file besides the kind and the model, about.
const HEADER: usize = 64;

/// The number of letters of a text in a file that an error quotes.
const SHOWN: usize = 200;

/// What an error of the binary deserialiser may mean in a file with a valid checksum.
const UNLIKE: &str = "the model has another kernel, feature map, or kind of points or labels than \
                      the type that is read, or a value is outside its domain";

/// The encoding of a model file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// Compact, for machines.
    Binary,
    /// JSON, for people.
    Json,
}

impl Encoding {
    /// JSON for a path with the extension `json`, otherwise binary.
    #[must_use]
    pub fn of_path(path: &Path) -> Self {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("json") => Self::Json,
            _ => Self::Binary,
        }
    }
}

/// Saving and loading of models: implemented for every type with a name in files that serde writes
/// and reads.
///
/// A model qualifies if its points, its kernel or feature map, and its labels do. Labels must be
/// owned, `String` and not `&str`. A kernel of your own derives `Serialize` and `Deserialize`, and
/// gets its name by [`named!`](kern_core::named!). Closures have no name.
///
/// # Examples
/// ```
/// use kern_core::{Kernel, Mercer, Samples, named};
/// use kern_solvers::file::Save;
/// use kern_solvers::model::{KernelExpansion, Regressor};
/// use kern_solvers::ridge::Ridge;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Clone, Serialize, Deserialize)]
/// struct Shared;
/// named! { [] Shared = "shared"; }
/// impl Kernel<Samples<f64>> for Shared {
///     fn eval(&self, x: &[f64], y: &[f64]) -> f64 {
///         x.iter().zip(y).map(|(x, y)| x.min(*y)).sum()
///     }
/// }
/// impl Mercer<Samples<f64>> for Shared {}
///
/// let x = Samples::from_rows(&[[1.0], [2.0], [4.0]])?;
/// let model = Ridge::on_kernel(Shared).fit(&x, &[1.0_f64, 2.0, 3.0])?;
/// let read = Regressor::<KernelExpansion<Samples<f64>, Shared>>::from_bytes(&model.to_bytes()?)?;
/// assert_eq!(read.predict(&x)?, model.predict(&x)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be saved",
    note = "a model can be saved if its points, kernel and labels implement `Serialize` and \
            `DeserializeOwned`, and its kernel has a name in files: derive both for a kernel of \
            your own and name it, `named! {{ [] MyKernel = \"my_kernel\"; }}`",
    note = "labels must be owned: `String`, not `&str`"
)]
pub trait Save: Named + Serialize + DeserializeOwned {
    /// Writes the model to a file: in JSON if the path ends in `.json`, otherwise in binary.
    ///
    /// An existing file is replaced only after the new one is complete.
    ///
    /// # Errors
    /// [`Error::Io`], [`Error::Model`].
    fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        let path = path.as_ref();
        save(self, path, Encoding::of_path(path))
    }

    /// Reads a model from a file in either encoding.
    ///
    /// # Errors
    /// Every variant of [`Error`].
    fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        open(path)
    }

    /// The bytes of a binary file with the model.
    ///
    /// # Errors
    /// [`Error::Model`] if it cannot be written.
    fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        to_bytes(self, Encoding::Binary)
    }

    /// Reads the model from the bytes of a file in either encoding.
    ///
    /// # Errors
    /// Every [`Error`] except [`Error::Io`].
    fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        from_bytes(bytes)
    }
}

impl<M: Named + Serialize + DeserializeOwned> Save for M {}

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
    /// The file is newer than this library: its container or its format of the models.
    #[error(
        "the file has version {given} of the format, and {supported} is the newest that is known \
         here: update kern"
    )]
    Newer {
        /// The version of the file.
        given: u32,
        /// The newest version that can be read.
        supported: u32,
    },
    /// The file has an older format of the models, which this version of kern does not read.
    #[error(
        "the model was saved by kern {} in format {given}, and kern {KERN} reads format \
         {supported}: fit the model again and save it, or predict with the version that saved it",
        writer.as_deref().unwrap_or("(unknown version)")
    )]
    Outdated {
        /// The format of the models in the file.
        given: u32,
        /// The format that can be read.
        supported: u32,
        /// The version of kern that wrote the file; `None` for files of the first container, which
        /// do not have it.
        writer: Option<String>,
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
    /// The format of the models; missing in files of the first container.
    format: Option<u32>,
    kind: Cow<'j, str>,
    /// The version of kern; missing likewise.
    kern: Option<Cow<'j, str>>,
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
            let mut bytes = Vec::with_capacity(payload.len() + kind.len() + HEADER);
            bytes.extend(MAGIC);
            bytes.extend(VERSION.to_le_bytes());
            bytes.extend(FORMAT.to_le_bytes());
            for part in [kind.as_bytes(), KERN.as_bytes(), payload.as_slice()] {
                bytes.extend((part.len() as u64).to_le_bytes());
                bytes.extend(part);
            }
            let checksum = crc32fast::hash(&bytes);
            bytes.extend(checksum.to_le_bytes());
            Ok(bytes)
        }
        Encoding::Json => {
            let text = serde_json::to_string(model).map_err(refused)?;
            let checksum = crc32fast::hash(text.as_bytes());
            let model = RawValue::from_string(text).map_err(refused)?;
            let (magic, kern) = (Cow::Borrowed(JSON_MAGIC), Some(Cow::Borrowed(KERN)));
            let (version, format) = (VERSION, Some(FORMAT));
            let file = Json { magic, version, format, kind, kern, checksum, model: &model };
            serde_json::to_vec(&file).map_err(refused)
        }
    }
}

/// Reads the model from the bytes of a file in either encoding.
///
/// # Errors
/// Every [`Error`] except [`Error::Io`].
pub fn from_bytes<M: Named + DeserializeOwned>(bytes: &[u8]) -> Result<M, Error> {
    let content = content(bytes)?;
    content.check_kind(M::name())?;
    content.check_format()?;
    let payload = content.payload;
    match content.encoding {
        Encoding::Binary => {
            let (model, rest) = postcard::take_from_bytes(payload).map_err(|error| {
                // The deserialiser drops the words of a failed check.
                refused(format_args!("{error} ({UNLIKE})"))
            })?;
            if rest.is_empty() { Ok(model) } else { Err(Error::Length) }
        }
        Encoding::Json => serde_json::from_slice(payload).map_err(refused),
    }
}

/// The kind of the model in the bytes of a file.
///
/// # Errors
/// Every [`Error`] except [`Error::Io`], [`Error::Kind`], [`Error::Outdated`] and [`Error::Model`].
pub fn kind(bytes: &[u8]) -> Result<String, Error> {
    Ok(content(bytes)?.kind.into_owned())
}

/// The content of a file whose checksum was verified.
struct Content<'c> {
    payload: &'c [u8],
    encoding: Encoding,
    kind: Cow<'c, str>,
    /// The format of the models, and the version of kern; `None` in the first container.
    format: Option<u32>,
    writer: Option<Cow<'c, str>>,
}

/// The beginning of a model in JSON, of which nothing else is needed.
#[derive(Deserialize)]
struct Header {
    format: (u32, String),
}

impl Content<'_> {
    fn check_kind(&self, expected: Cow<'static, str>) -> Result<(), Error> {
        if self.kind == expected {
            return Ok(());
        }
        Err(Error::Kind { given: shown(&self.kind), expected })
    }

    /// A model of another format would be refused while it is read, but a binary deserialiser has
    /// no words for the reason.
    fn check_format(&self) -> Result<(), Error> {
        let supported = FORMAT;
        match self.format.or_else(|| self.stated_format()).unwrap_or(supported) {
            given if given < supported => {
                let writer = self.writer.as_deref().map(shown);
                Err(Error::Outdated { given, supported, writer })
            }
            given if given > supported => Err(Error::Newer { given, supported }),
            _ => Ok(()),
        }
    }

    /// The format in the header of the model itself, if it begins with one.
    fn stated_format(&self) -> Option<u32> {
        let (format, name): (u32, String) = match self.encoding {
            Encoding::Binary => postcard::take_from_bytes(self.payload).ok()?.0,
            Encoding::Json => serde_json::from_slice::<Header>(self.payload).ok()?.format,
        };
        (name == self.kind).then_some(format)
    }
}

/// The beginning of a text from a file, which may have any length.
fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}

fn content(bytes: &[u8]) -> Result<Content<'_>, Error> {
    if let Some(rest) = bytes.strip_prefix(&MAGIC) {
        return binary(bytes, rest);
    }
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err(Error::NoModel);
    }
    let Json { magic, version, format, kind, kern, checksum: given, model } =
        serde_json::from_slice(bytes).map_err(refused)?;
    if magic != JSON_MAGIC {
        return Err(Error::NoModel);
    }
    check_version(version)?;
    let payload = model.get().as_bytes();
    check(given, crc32fast::hash(payload))?;
    Ok(Content { payload, encoding: Encoding::Json, kind, format, writer: kern })
}

fn binary<'c>(bytes: &'c [u8], mut rest: &'c [u8]) -> Result<Content<'c>, Error> {
    let version = u32::from_le_bytes(taken(&mut rest)?);
    check_version(version)?;
    let has_format = version >= WITH_FORMAT;
    let format = if has_format { Some(u32::from_le_bytes(taken(&mut rest)?)) } else { None };
    let kind = String::from_utf8_lossy(part(&mut rest)?);
    let writer = if has_format { Some(String::from_utf8_lossy(part(&mut rest)?)) } else { None };
    let payload = part(&mut rest)?;
    let given = u32::from_le_bytes(taken(&mut rest)?);
    if !rest.is_empty() {
        return Err(Error::Length);
    }
    check(given, crc32fast::hash(&bytes[..bytes.len() - CHECKSUM]))?;
    Ok(Content { payload, encoding: Encoding::Binary, kind, format, writer })
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
    let supported = VERSION;
    if given <= supported { Ok(()) } else { Err(Error::Newer { given, supported }) }
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
