//! The command `gridproof`.

mod cli;

use std::process::ExitCode;

/// Searches make and drop many small things: a sixth of their time, with the system's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run()
}
