//! The proof of a search, as a file in pieces.

use gridproof_certificate::write_proof;
use gridproof_proto::v1;
use gridproof_search::SearchId;
use tokio::sync::mpsc;
use tonic::Status;

use crate::coordinator::Coordinator;

/// A proof goes out in pieces of this size.
const PIECE: usize = 1 << 20;

/// Sends the file of a search's proof piece by piece, or why there is none.
pub(super) async fn send_proof(
    coordinator: Coordinator,
    search: SearchId,
    out: mpsc::Sender<Result<v1::ExportPiece, Status>>,
) {
    match proof_file(&coordinator, search).await {
        Ok(file) => {
            for piece in file.chunks(PIECE) {
                let bytes = piece.to_vec().into();
                // Who asked has hung up.
                if out.send(Ok(v1::ExportPiece { bytes })).await.is_err() {
                    return;
                }
            }
        }
        Err(status) => drop(out.send(Err(status)).await),
    }
}

async fn proof_file(coordinator: &Coordinator, search: SearchId) -> Result<Vec<u8>, Status> {
    let proof = coordinator.proof(search).await.map_err(internal)?;
    let written = tokio::task::spawn_blocking(move || write_proof(&proof, Vec::new()));
    let (file, _) = written.await.map_err(internal)?.map_err(internal)?;
    Ok(file)
}

fn internal<E: std::error::Error>(error: E) -> Status {
    Status::internal(error.to_string())
}
