//! What happens, told to those who watch.

use std::time::{SystemTime, UNIX_EPOCH};

use gridproof_proto::v1;
use gridproof_proto::v1::happening::What;
use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::CancellationToken;
use tonic::Status;

use super::convert::{kind_to_wire, search_to_wire};
use super::operate::{choose, node_report};
use crate::shell::{Happening, Shell};

/// Tells a watcher until it hangs up.
pub(super) async fn tell(
    shell: Shell,
    out: mpsc::Sender<Result<v1::Happening, Status>>,
    shutdown: CancellationToken,
) {
    let mut happenings = shell.watch();
    loop {
        let next = tokio::select! {
            next = happenings.recv() => next,
            () = shutdown.cancelled() => return,
            () = out.closed() => return,
        };
        let what = match next {
            Ok(happening) => match happening_to_wire(&shell, happening).await {
                Some(what) => what,
                None => continue,
            },
            Err(broadcast::error::RecvError::Lagged(missed)) => What::Missed(missed),
            Err(broadcast::error::RecvError::Closed) => return,
        };
        let at = SystemTime::now().duration_since(UNIX_EPOCH);
        let at = at.map_or(0, |time| time.as_millis() as u64);
        let what = Some(what);
        if out.send(Ok(v1::Happening { at, what })).await.is_err() {
            return;
        }
    }
}

async fn happening_to_wire(shell: &Shell, happening: Happening) -> Option<What> {
    let worker_happening = |worker, words| v1::WorkerHappening { worker, words };
    Some(match happening {
        Happening::JobStarted {
            lease,
            node,
            kind,
            worker,
        } => What::JobStarted(v1::JobHappening {
            lease: lease.to_bits(),
            node: node.0,
            kind: kind_to_wire(kind).into(),
            worker,
            words: String::new(),
        }),
        Happening::JobEnded {
            lease,
            node,
            kind,
            worker,
            words,
        } => What::JobEnded(v1::JobHappening {
            lease: lease.to_bits(),
            node: node.0,
            kind: kind_to_wire(kind).into(),
            worker,
            words: words.to_owned(),
        }),
        Happening::JobAborted { lease, reason } => What::JobAborted(v1::JobHappening {
            lease: lease.to_bits(),
            words: reason.name().to_owned(),
            ..v1::JobHappening::default()
        }),
        Happening::Proved { node } => What::Proved(
            shell
                .ask(move |core| node_report(core, node))
                .await
                .ok()??,
        ),
        Happening::Verdict { search, .. } => {
            let snapshot = shell.snapshot().await.ok()?;
            What::Verdict(search_to_wire(choose(&snapshot, search.0).ok()?))
        }
        Happening::WorkerCame { worker, slots } => {
            What::WorkerCame(worker_happening(worker, format!("{slots} jobs at a time")))
        }
        Happening::WorkerLeft { worker, words } => {
            What::WorkerLeft(worker_happening(worker, words))
        }
    })
}
