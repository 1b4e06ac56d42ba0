//! All that the store holds, as a file in pieces.

use tonic::Status;

use super::pieces::{Out, Pieces};
use crate::coordinator::Coordinator;
use crate::store::export;

/// Sends a backup piece by piece, or why it broke off. Blocks while the reader is slow.
pub(super) fn send_backup(coordinator: &Coordinator, out: Out) {
    let store = coordinator.certificates().store();
    if let Err(error) = export(&**store, Pieces::to(&out)) {
        // If nobody hears it, nobody wants it any more.
        let _ = out.blocking_send(Err(Status::internal(error.to_string())));
    }
}
