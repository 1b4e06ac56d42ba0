//! Log lines for the terminal.

use std::io;

use tracing_subscriber::EnvFilter;

/// Sends log lines to standard error: the program's own at level info, unless RUST_LOG says
/// otherwise.
pub(super) fn start() {
    let filter = EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| EnvFilter::new("warn,gridproof=info,gridproof_worker=warn"));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_target(false);
    // Whoever started logging before us wanted it.
    let _ = lines.try_init();
}
