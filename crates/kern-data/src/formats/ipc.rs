//! Messages of Apache Arrow in a stream or in a file, which is a stream with a footer. A message is
//! decoded only after its declared lengths were checked against the available bytes.

use super::records::refused;
use crate::Error;
use crate::error::File;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{RecordBatchDecoder, read_dictionary};
use arrow_ipc::{Message, MessageHeader, root_as_message};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, Cursor, Read};

/// The first bytes of an Arrow file; a stream starts differently.
const MAGIC: &[u8] = b"ARROW1";

/// The largest number of bytes before the first message of a file; those after the magic bytes
/// are 0.
const PADDED: usize = 64;

/// The first bytes of a message, in streams since version 0.15.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// Messages are aligned to this many bytes.
const WORD: u64 = 8;

/// The largest size of a schema without a declared length, and a length that is below the size of
/// any schema and above the root offset with which a schema without a declared length begins.
const LONGEST: usize = 1 << 24;
const SHORTEST: u32 = 64;

/// The largest compression ratio of a buffer, and a number of bytes that is always allowed.
const RATIO: u64 = 1024;
const FREE: u64 = 1 << 26;

/// The largest number of rows per byte of a batch, and a number of rows that is always allowed: a
/// column of nulls has no bytes.
const DENSITY: u64 = 8;
const FREE_ROWS: u64 = 1 << 20;

/// The bytes of a message.
struct Bytes {
    metadata: Vec<u8>,
    body: Vec<u8>,
}

/// The batches of a stream.
pub(super) struct Messages<'r> {
    input: Box<dyn BufRead + 'r>,
    pub(super) schema: SchemaRef,
    dictionaries: HashMap<i64, ArrayRef>,
    places: Vec<usize>,
    /// The number of dictionaries that batches of a file may still need: in a file they may come
    /// after the batches.
    awaited: usize,
    waiting: VecDeque<Bytes>,
}

impl<'r> Messages<'r> {
    /// Reads the schema.
    pub(super) fn new(mut input: Box<dyn BufRead + 'r>, file: &File) -> Result<Self, Error> {
        let io = |source| Error::Io { file: file.clone(), source };
        let is_file = input.fill_buf().map_err(io)?.starts_with(MAGIC);
        if is_file {
            input.consume(MAGIC.len());
            let mut left = PADDED - MAGIC.len();
            while left > 0 && input.fill_buf().map_err(io)?.first() == Some(&0) {
                input.consume(1);
                left -= 1;
            }
        }
        let (schema, input) = super::arrow_rows::guarded(file, || {
            let (metadata, input) = if is_file { of_file(input)? } else { of_stream(input)? };
            let message = metadata.as_deref().map(verified).transpose()?;
            let schema = message.as_ref().and_then(Message::header_as_schema);
            Ok((schema.map(try_fb_to_schema).transpose()?, input))
        })?;
        let schema = schema.ok_or_else(|| refused(file, None, "no file or stream of Arrow"))?;
        let schema = SchemaRef::from(schema);
        let fields = schema.fields().iter();
        let with_dictionary = fields.filter(|f| matches!(f.data_type(), DataType::Dictionary(..)));
        let awaited = if is_file { with_dictionary.count() } else { 0 };
        let (dictionaries, places) = (HashMap::new(), Vec::new());
        Ok(Self { input, schema, dictionaries, places, awaited, waiting: VecDeque::new() })
    }

    /// Reads these columns only.
    pub(super) fn project(self, places: Vec<usize>) -> Self {
        Self { places, ..self }
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            let is_complete = self.dictionaries.len() >= self.awaited;
            if is_complete && let Some(waiting) = self.waiting.pop_front() {
                return self.record(waiting).map(Some);
            }
            let Some(bytes) = message(&mut *self.input)? else {
                self.awaited = 0;
                return self.waiting.pop_front().map(|waiting| self.record(waiting)).transpose();
            };
            let message = verified(&bytes.metadata)?;
            check(&message, &bytes.body)?;
            match message.header_type() {
                MessageHeader::DictionaryBatch => self.dictionary(&bytes)?,
                MessageHeader::RecordBatch if is_complete => return self.record(bytes).map(Some),
                MessageHeader::RecordBatch => self.waiting.push_back(bytes),
                _ => return Err(damaged("a message that is neither a batch nor a dictionary")),
            }
        }
    }

    fn dictionary(&mut self, bytes: &Bytes) -> Result<(), ArrowError> {
        let (message, body) = (verified(&bytes.metadata)?, bytes.body.clone());
        let batch = message.header_as_dictionary_batch().ok_or_else(|| damaged("no dictionary"))?;
        let version = message.version();
        read_dictionary(&body.into(), batch, &self.schema, &mut self.dictionaries, &version)
    }

    fn record(&self, Bytes { metadata, body }: Bytes) -> Result<RecordBatch, ArrowError> {
        let message = verified(&metadata)?;
        let version = message.version();
        let batch = message.header_as_record_batch().ok_or_else(|| damaged("no batch"))?;
        let (body, schema) = (body.into(), self.schema.clone());
        RecordBatchDecoder::try_new(&body, batch, schema, &self.dictionaries, &version)?
            .with_projection(Some(&self.places))
            .read_record_batch()
    }
}

impl Iterator for Messages<'_> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batch().transpose()
    }
}

/// A schema, if present, and the input after it.
type Begun<'r> = (Option<Vec<u8>>, Box<dyn BufRead + 'r>);

fn of_stream(mut input: Box<dyn BufRead + '_>) -> Result<Begun<'_>, ArrowError> {
    let message = message(&mut *input)?;
    Ok((message.map(|message| message.metadata), input))
}

/// The schema of a file. Some writers omit the marker and the length of its message: it then ends
/// where the next one begins.
fn of_file(mut input: Box<dyn BufRead + '_>) -> Result<Begun<'_>, ArrowError> {
    let mut metadata = exactly(&mut *input, WORD)?;
    let length = metadata.first_chunk().map(|&length| u32::from_le_bytes(length));
    if length.is_none_or(|length| length >= SHORTEST) {
        return of_stream(Box::new(Cursor::new(metadata).chain(input)));
    }
    while metadata.len() < LONGEST {
        let word = exactly(&mut *input, WORD)?;
        let is_whole = word.starts_with(&CONTINUATION) && verified(&metadata).is_ok();
        if is_whole {
            return Ok((Some(metadata), Box::new(Cursor::new(word).chain(input))));
        }
        metadata.extend(word);
    }
    Err(damaged("a schema without an end"))
}

fn verified(metadata: &[u8]) -> Result<Message<'_>, ArrowError> {
    root_as_message(metadata).map_err(|_| damaged("the metadata of a message"))
}

fn damaged(what: &str) -> ArrowError {
    ArrowError::IpcError(format!("the file is damaged: {what}"))
}

/// The next message; `None` at the end.
fn message(input: &mut dyn BufRead) -> Result<Option<Bytes>, ArrowError> {
    let mut length = taken(input, 4)?;
    if length == CONTINUATION {
        length = taken(input, 4)?;
    }
    let length = match length[..] {
        // Streams may end without a marker.
        [] | [0, 0, 0, 0] => return Ok(None),
        [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
        _ => return Err(damaged("it is cut off")),
    };
    let length = u64::try_from(length).map_err(|_| damaged("a length below 0"))?;
    let metadata = exactly(input, length)?;
    let body = u64::try_from(verified(&metadata)?.bodyLength())
        .map_err(|_| damaged("a length below 0"))?;
    let body = exactly(input, body)?;
    Ok(Some(Bytes { metadata, body }))
}

/// Reads this many bytes, or fewer at the end. Memory is allocated only for bytes that arrive.
fn taken(input: &mut dyn BufRead, count: u64) -> Result<Vec<u8>, ArrowError> {
    let mut bytes = Vec::new();
    input.take(count).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn exactly(input: &mut dyn BufRead, count: u64) -> Result<Vec<u8>, ArrowError> {
    let bytes = taken(input, count)?;
    if bytes.len() as u64 == count { Ok(bytes) } else { Err(damaged("it is cut off")) }
}

/// Rejects a batch or dictionary whose declared lengths do not match its bytes.
fn check(message: &Message<'_>, body: &[u8]) -> Result<(), ArrowError> {
    let dictionary = message.header_as_dictionary_batch().and_then(|batch| batch.data());
    let Some(batch) = message.header_as_record_batch().or(dictionary) else { return Ok(()) };
    let mut bytes = 0_u64;
    for buffer in batch.buffers().into_iter().flatten() {
        let range =
            usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let range = range.and_then(|(start, length)| Some(start..start.checked_add(length)?));
        let buffer = range.and_then(|range| body.get(range));
        let buffer = buffer.ok_or_else(|| damaged("a buffer beyond its message"))?;
        let length = match batch.compression() {
            Some(_) => unpacked(buffer)?,
            None => buffer.len() as u64,
        };
        bytes = bytes.saturating_add(length);
    }
    if bytes > FREE.max(RATIO.saturating_mul(body.len() as u64)) {
        return Err(damaged("a batch that is far larger than its bytes"));
    }
    let most = FREE_ROWS.max(bytes.saturating_mul(DENSITY));
    let fits = |count: i64| u64::try_from(count).is_ok_and(|count| count <= most);
    let nodes = batch.nodes().into_iter().flatten();
    let mut counts = nodes.map(|node| (node.length(), node.null_count()));
    if !fits(batch.length()) || !counts.all(|(len, nulls)| fits(len) && (0..=len).contains(&nulls))
    {
        return Err(damaged("more rows than its bytes can have"));
    }
    Ok(())
}

/// The uncompressed size that a compressed buffer declares.
fn unpacked(buffer: &[u8]) -> Result<u64, ArrowError> {
    let Some(length) = buffer.first_chunk() else {
        return if buffer.is_empty() { Ok(0) } else { Err(damaged("a buffer that is cut off")) };
    };
    match i64::from_le_bytes(*length) {
        // The buffer is not compressed.
        -1 => Ok(buffer.len() as u64),
        length => u64::try_from(length).map_err(|_| damaged("a length below 0")),
    }
}
