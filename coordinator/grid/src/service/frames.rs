//! Looks at a worker's messages while their bytes come in, before anything is decoded.
//!
//! An empty job takes two bytes on the wire and fifty in memory. So what is no certificate must be
//! short. Certificates stay as they are when they are decoded.

use tonic::Status;

/// Of one message, besides its certificates. The longest honest one, an answer of two thousand open
/// and eight thousand answered replies, has a third of it.
const MOST_BESIDES: usize = 512 << 10;

/// Of the first message, which has no certificates. Two thousand jobs from before have a third of it.
const LONGEST_HELLO: usize = 256 << 10;

/// Flag and length.
const HEADER: usize = 5;

/// A kind of message, as far as it matters where certificates are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    WorkerMessage,
    Done,
    /// [`Won`](gridproof_proto::v1::Won).
    Won,
    Open,
    Answer,
}

/// What a field holds.
enum Field {
    Message(Kind),
    Certificate,
    Other,
}

impl Kind {
    /// As in `work.proto`.
    const fn field(self, number: u64) -> Field {
        match (self, number) {
            (Self::WorkerMessage, 4) => Field::Message(Self::Done),
            (Self::Done, 3) => Field::Message(Self::Won),
            (Self::Done, 6) => Field::Message(Self::Open),
            (Self::Open, 2) => Field::Message(Self::Answer),
            (Self::Won, 1) | (Self::Answer, 2) => Field::Certificate,
            _ => Field::Other,
        }
    }
}

/// A stream of frames, as far as it was read.
#[derive(Debug)]
pub(super) struct Frames {
    is_first: bool,
    /// Of the header of the next frame.
    header: Vec<u8>,
    frame: Option<Frame>,
}

/// A frame that has begun.
#[derive(Debug)]
struct Frame {
    length: usize,
    read: usize,
    besides: usize,
    /// Messages that are open, with where they end.
    open: Vec<(Kind, usize)>,
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// A field's tag, as far as it was read.
    Tag(Varint),
    /// A value that nobody looks at.
    Number(Varint),
    Length {
        field: u64,
        length: Varint,
    },
    Skip {
        left: usize,
        is_certificate: bool,
    },
}

#[derive(Clone, Copy, Debug, Default)]
struct Varint {
    value: u64,
    bits: u32,
}

impl Varint {
    /// The number, if this byte is its last.
    fn take(&mut self, byte: u8) -> Result<Option<u64>, Status> {
        if self.bits > 63 {
            return Err(nonsense());
        }
        self.value |= u64::from(byte & 0x7f) << self.bits;
        self.bits += 7;
        Ok((byte < 0x80).then_some(self.value))
    }
}

fn nonsense() -> Status {
    Status::invalid_argument("a message makes no sense")
}

impl Frames {
    pub(super) const fn new() -> Self {
        Self {
            is_first: true,
            header: Vec::new(),
            frame: None,
        }
    }

    /// Looks at what comes next. Tells the lengths of the frames that are complete with it,
    /// headers included.
    pub(super) fn take(&mut self, mut bytes: &[u8]) -> Result<Vec<usize>, Status> {
        let mut complete = Vec::new();
        while !bytes.is_empty() {
            let Some(frame) = &mut self.frame else {
                let (header, rest) = bytes.split_at(bytes.len().min(HEADER - self.header.len()));
                self.header.extend(header);
                bytes = rest;
                if let Some((_, length)) = self.header.split_first_chunk::<1>()
                    && let Ok(length) = <[u8; 4]>::try_from(length)
                {
                    self.begin(u32::from_be_bytes(length) as usize)?;
                    self.end_frame(&mut complete);
                }
                continue;
            };
            let count = frame.take(bytes)?;
            bytes = &bytes[count..];
            self.end_frame(&mut complete);
        }
        Ok(complete)
    }

    fn begin(&mut self, length: usize) -> Result<(), Status> {
        if std::mem::take(&mut self.is_first) && length > LONGEST_HELLO {
            return Err(Status::resource_exhausted(format!(
                "a hello has {LONGEST_HELLO} bytes at most"
            )));
        }
        self.header.clear();
        self.frame = Some(Frame {
            length,
            read: 0,
            besides: 0,
            open: vec![(Kind::WorkerMessage, length)],
            state: State::Tag(Varint::default()),
        });
        Ok(())
    }

    fn end_frame(&mut self, complete: &mut Vec<usize>) {
        if let Some(frame) = self.frame.take_if(|frame| frame.read == frame.length) {
            complete.push(frame.length + HEADER);
        }
    }
}

impl Frame {
    /// Takes some of the bytes, and tells how many.
    fn take(&mut self, bytes: &[u8]) -> Result<usize, Status> {
        let bytes = &bytes[..bytes.len().min(self.length - self.read)];
        let count = match self.state {
            State::Skip {
                left,
                is_certificate,
            } => {
                let count = left.min(bytes.len());
                self.besides += if is_certificate { 0 } else { count };
                self.state = if count == left {
                    State::Tag(Varint::default())
                } else {
                    State::Skip {
                        left: left - count,
                        is_certificate,
                    }
                };
                count
            }
            _ => {
                self.besides += 1;
                self.take_byte(bytes[0])?;
                1
            }
        };
        if self.besides > MOST_BESIDES {
            return Err(Status::resource_exhausted(format!(
                "a message has {MOST_BESIDES} bytes besides its certificates at most"
            )));
        }
        self.read += count;
        if matches!(self.state, State::Tag(Varint { bits: 0, .. })) {
            while self.open.pop_if(|(_, end)| *end <= self.read).is_some() {}
        }
        Ok(count)
    }

    fn take_byte(&mut self, byte: u8) -> Result<(), Status> {
        self.state = match self.state {
            State::Tag(mut tag) => match tag.take(byte)? {
                None => State::Tag(tag),
                Some(tag) => match (tag & 7, tag >> 3) {
                    (0, _) => State::Number(Varint::default()),
                    (1, _) => State::skip(8),
                    (2, field) => State::Length {
                        field,
                        length: Varint::default(),
                    },
                    (5, _) => State::skip(4),
                    _ => return Err(nonsense()),
                },
            },
            State::Number(mut number) => match number.take(byte)? {
                None => State::Number(number),
                Some(_) => State::Tag(Varint::default()),
            },
            State::Length { field, mut length } => match length.take(byte)? {
                None => State::Length { field, length },
                Some(length) => self.begin_field(field, length)?,
            },
            State::Skip { .. } => unreachable!("what is skipped is not read byte by byte"),
        };
        Ok(())
    }

    fn begin_field(&mut self, field: u64, length: u64) -> Result<State, Status> {
        let begin = self.read + 1;
        let &(kind, end) = self.open.last().ok_or_else(nonsense)?;
        let length = usize::try_from(length).map_err(|_| nonsense())?;
        if length > end.saturating_sub(begin) {
            return Err(nonsense());
        }
        Ok(match kind.field(field) {
            Field::Message(kind) if length > 0 => {
                self.open.push((kind, begin + length));
                State::Tag(Varint::default())
            }
            Field::Certificate if length > 0 => State::Skip {
                left: length,
                is_certificate: true,
            },
            _ => State::skip(length),
        })
    }
}

impl State {
    const fn skip(left: usize) -> Self {
        if left == 0 {
            return Self::Tag(Varint { value: 0, bits: 0 });
        }
        Self::Skip {
            left,
            is_certificate: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use gridproof_proto::v1;
    use gridproof_proto::v1::done::Outcome;
    use gridproof_proto::v1::worker_message::Message as Say;
    use tonic::Code;

    use super::*;

    fn frame(say: Say) -> Vec<u8> {
        use prost::Message as _;
        let message = v1::WorkerMessage { message: Some(say) }.encode_to_vec();
        let mut frame = vec![0];
        frame.extend((message.len() as u32).to_be_bytes());
        frame.extend(message);
        frame
    }

    fn done(outcome: Outcome) -> Vec<u8> {
        frame(Say::Done(v1::Done {
            lease: u64::MAX,
            spent: 300,
            outcome: Some(outcome),
        }))
    }

    fn answers(count: usize, bytes: usize) -> Vec<u8> {
        let mv = v1::Move {
            stones: vec![3, 300],
            nulls: 0,
        };
        let answer = v1::Answer {
            r#move: Some(mv.clone()),
            certificate: vec![0xff; bytes].into(),
        };
        done(Outcome::Open(v1::Open {
            moves: vec![mv; 2048],
            answers: vec![answer; count],
            cut_short: true,
        }))
    }

    /// The code of the refusal, or the lengths of all frames, however the bytes come.
    fn read(bytes: &[u8], step: usize) -> Result<Vec<usize>, Code> {
        let mut frames = Frames::new();
        let mut all = frames
            .take(&frame(Say::Hello(v1::Hello::default())))
            .unwrap();
        assert_eq!(all.len(), 1);
        all.clear();
        for bytes in bytes.chunks(step) {
            all.extend(frames.take(bytes).map_err(|status| status.code())?);
        }
        Ok(all)
    }

    #[test]
    fn certificates_may_be_long_and_all_else_may_not() {
        let won = done(Outcome::Won(v1::Won {
            certificate: vec![7; 3 << 20].into(),
        }));
        let many = answers(8192, 100);
        let few = answers(3, 2 << 20);
        let both = [won.clone(), few.clone(), many.clone()].concat();
        for step in [1, 13, 16_384, usize::MAX] {
            let lengths = vec![won.len(), few.len(), many.len()];
            assert_eq!(read(&both, step), Ok(lengths));
        }
        let empty_moves = v1::Open {
            moves: vec![v1::Move::default(); 300_000],
            ..v1::Open::default()
        };
        let jobs = vec![v1::JobProgress::default(); 300_000];
        let reason = "x".repeat(1 << 20);
        for long in [
            done(Outcome::Open(empty_moves)),
            done(Outcome::Broken(v1::Broken {
                reason: reason.clone(),
            })),
            frame(Say::Progress(v1::Progress { jobs })),
            frame(Say::Goodbye(v1::Goodbye { reason })),
            answers(100_000, 0),
        ] {
            for step in [977, usize::MAX] {
                assert_eq!(read(&long, step), Err(Code::ResourceExhausted));
            }
        }
    }

    #[test]
    fn a_long_hello_is_refused_by_its_length() {
        let hello = frame(Say::Hello(v1::Hello {
            held: vec![v1::Held::default(); 1 << 20],
            ..v1::Hello::default()
        }));
        let refusal = Frames::new().take(&hello[..HEADER]).unwrap_err();
        assert_eq!(refusal.code(), Code::ResourceExhausted);
    }

    #[test]
    fn a_field_that_goes_beyond_its_message_is_refused() {
        // A done of four bytes, in which a certificate says that it has a hundred.
        let bytes = [0, 0, 0, 0, 6, 0x22, 4, 0x1a, 2, 0x0a, 100];
        assert_eq!(read(&bytes, 3), Err(Code::InvalidArgument));
        assert_eq!(read(&[0, 0, 0, 0, 1, 0x0b], 1), Err(Code::InvalidArgument));
    }
}
