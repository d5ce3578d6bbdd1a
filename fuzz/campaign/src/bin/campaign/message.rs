//! The lines between a campaign and its child.

use kern_campaign::Finding;

/// A line that the child writes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Message {
    /// A case begins.
    Begin(u64),
    /// It ends, with an answer or a refusal.
    End { answered: bool },
    /// It found something.
    Found(Finding),
}

impl Message {
    pub(crate) fn write(&self) -> String {
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        match self {
            Self::Begin(index) => format!("begin\t{index}"),
            Self::End { answered } => format!("end\t{answered}"),
            Self::Found(Finding { kind, place, detail }) => {
                format!("found\t{}\t{}\t{}", plain(kind), plain(place), plain(detail))
            }
        }
    }

    /// None for a line that is no message.
    pub(crate) fn read(line: &str) -> Option<Self> {
        let (name, rest) = line.split_once('\t')?;
        match name {
            "begin" => rest.parse().ok().map(Self::Begin),
            "end" => rest.parse().ok().map(|answered| Self::End { answered }),
            "found" => {
                let mut parts = rest.splitn(3, '\t').map(str::to_owned);
                let (kind, place, detail) = (parts.next()?, parts.next()?, parts.next()?);
                Some(Self::Found(Finding { kind, place, detail }))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_they_are_written() {
        let (kind, place, detail) = ("panic".into(), "a.rs:1".into(), "two lines".into());
        let all = [
            Message::Begin(7),
            Message::End { answered: true },
            Message::Found(Finding { kind, place, detail }),
        ];
        for message in all {
            assert_eq!(Message::read(&message.write()), Some(message));
        }
        assert_eq!(Message::read("a line of something else"), None);
    }
}
