//! What no program of ours ever says to people.

/// Types of Rust and how it prints them, words of the crates below, and numbers that stand for
/// something else.
const INTERNAL: [&str; 36] = [
    "tonic::",
    "std::",
    "clap::",
    "figment",
    "serde",
    "Error(",
    "Error {",
    "Some(",
    "Ok(",
    "Err(",
    "Kind(",
    "kind: ",
    "Custom {",
    "Os {",
    "NonZero",
    "non-zero type",
    "invalid digit",
    "invalid float",
    "target type",
    "socket address syntax",
    "transport error",
    "tcp connect",
    "dns error",
    "h2 protocol",
    "stream error",
    "status: ",
    "grpc-",
    "panicked",
    "RUST_BACKTRACE",
    "unwrap",
    "failed to fill whole buffer",
    "(os error 2): ",
    "4294967294",
    "4294967295",
    "18446744073709551615",
    "1 Jan 1970",
];

/// Fails if a transcript holds something of the inside, or a cause that is said twice. Lines of
/// JSON are for programs.
pub fn look_through(transcript: &str) {
    let is_for_people = |line: &&str| !line.trim_start().starts_with(['{', '}', '"', '[']);
    for line in transcript.lines().filter(is_for_people) {
        for internal in INTERNAL {
            assert!(!line.contains(internal), "\"{internal}\" in\n{line}");
        }
        if !line.contains("error: ") {
            continue;
        }
        let causes: Vec<_> = line.split(": ").collect();
        for (i, cause) in causes.iter().enumerate() {
            let said_before = causes[..i].iter().any(|other| other.ends_with(cause));
            assert!(!said_before, "\"{cause}\" is said twice in\n{line}");
        }
    }
}
