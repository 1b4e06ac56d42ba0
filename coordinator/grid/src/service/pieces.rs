//! What is written goes out in pieces.

use std::io::{self, BufWriter, Write};

use gridproof_proto::v1;
use tokio::sync::mpsc;
use tonic::Status;

const PIECE: usize = 1 << 20;

pub(super) type Out = mpsc::Sender<Result<v1::ExportPiece, Status>>;

/// Writes to whom a stream goes. Blocks while the reader is slow.
pub(super) struct Pieces {
    out: Out,
}

impl Pieces {
    pub(super) fn to(out: &Out) -> BufWriter<Self> {
        BufWriter::with_capacity(PIECE, Self { out: out.clone() })
    }
}

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let bytes = &bytes[..bytes.len().min(PIECE)];
        let piece = v1::ExportPiece {
            bytes: bytes.to_vec().into(),
        };
        let sent = self.out.blocking_send(Ok(piece));
        sent.map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
