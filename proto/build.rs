//! Compiles the .proto files without protoc.

use std::env;
use std::error::Error;
use std::fs;
use std::path::PathBuf;

use prost::Message;

const FILES: [&str; 3] = [
    "gridproof/v1/game.proto",
    "gridproof/v1/work.proto",
    "gridproof/v1/operate.proto",
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=proto");
    let files = protox::compile(FILES, ["proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    // For gRPC reflection, so that stock tools know our messages.
    fs::write(out.join("descriptors.bin"), files.encode_to_vec())?;
    tonic_prost_build::configure()
        .bytes(".")
        .compile_fds(files)?;
    Ok(())
}
