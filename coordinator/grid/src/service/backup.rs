//! All that the store holds, as a file in pieces.

use std::io::{self, BufWriter, Write};

use gridproof_proto::v1;
use tokio::sync::mpsc;
use tonic::Status;

use crate::coordinator::Coordinator;
use crate::store::export;

const PIECE: usize = 1 << 20;

type Out = mpsc::Sender<Result<v1::ExportPiece, Status>>;

/// Sends a backup piece by piece, or why it broke off. Blocks while the reader is slow.
pub(super) fn send_backup(coordinator: &Coordinator, out: Out) {
    let pieces = BufWriter::with_capacity(PIECE, Pieces { out: out.clone() });
    let store = coordinator.certificates().store();
    if let Err(error) = export(&**store, pieces) {
        // If nobody hears it, nobody wants it any more.
        let _ = out.blocking_send(Err(Status::internal(error.to_string())));
    }
}

struct Pieces {
    out: Out,
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
