//! The proof of a search, as a file in pieces.

use gridproof_search::SearchId;
use tonic::Status;

use super::pieces::{Out, Pieces};
use crate::coordinator::Coordinator;

/// Sends the file of a search's proof piece by piece, or why there is none. The proof is never
/// whole in memory.
pub(super) async fn send_proof(coordinator: Coordinator, search: SearchId, out: Out) {
    let pieces = Pieces::to(&out);
    let sent = coordinator.with_proof(search, |proof| proof.write(pieces).map(|_| ()));
    let status = match sent.await {
        Ok(Ok(())) => return,
        Ok(Err(error)) => internal(&error),
        Err(error) => internal(&error),
    };
    // Who asked may have hung up.
    let _ = out.send(Err(status)).await;
}

fn internal(error: &dyn std::error::Error) -> Status {
    Status::internal(error.to_string())
}
