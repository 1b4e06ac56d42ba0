//! What the programs' log options mean for this one.

use gridproof::logs::Readers;
use gridproof_host::logs::{LogFormat, LogOptions};

/// Who reads the lines that tell how it goes.
pub(super) fn readers(options: &LogOptions) -> Readers {
    match options.log_format.unwrap_or_default() {
        LogFormat::Text => Readers::People,
        LogFormat::Json => Readers::Programs,
    }
}
