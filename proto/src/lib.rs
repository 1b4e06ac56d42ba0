//! The wire between the coordinator, its workers and its operators: messages and services
//! generated from the .proto files, whose comments are the reference, and the way from the
//! game's own types to messages and back.

mod convert;

pub use convert::{WireError, colour_from_wire, colour_to_wire};

/// Version 1 of the wire.
#[expect(clippy::all, unused_qualifications, reason = "generated code")]
pub mod v1 {
    tonic::include_proto!("gridproof.v1");
}

/// The `protocol` of [`v1::Hello`] that this version speaks.
pub const PROTOCOL: u32 = 2;

/// Where workers and commands look for a coordinator unless they are told otherwise: on this
/// machine, at the port that it listens on.
pub const LOCAL_COORDINATOR: &str = "http://127.0.0.1:4100";

/// The compiled .proto files, for gRPC reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// No message to a coordinator is larger, unless it says otherwise in its welcome.
pub const MESSAGE_LIMIT: usize = 64 << 20;

/// Answered replies of one answer; of longer lists the beginning counts. A board has some 65,000
/// moves, and a proof lists few of them.
pub const MOST_ANSWERS: usize = 8192;
