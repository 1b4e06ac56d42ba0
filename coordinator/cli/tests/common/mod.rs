//! What the tests of all commands share: whatever a user reads is looked through.

/// What a command printed. Whatever it is about, some things are never shown to people.
#[must_use]
pub fn words(printed: &[u8]) -> String {
    let text = String::from_utf8(printed.to_vec()).expect("we print UTF-8");
    for internal in [
        // Types of Rust, and how it prints them.
        "tonic::",
        "std::",
        "gridproof_",
        "Error(",
        "Error {",
        "Some(",
        "Ok(",
        "Err(",
        "h2 protocol error",
        "status: ",
        "panicked",
        // Numbers that stand for something else.
        "4294967294",
        "4294967295",
        "18446744073709551615",
    ] {
        assert!(!text.contains(internal), "\"{internal}\" in\n{text}");
    }
    for line in text.lines().filter(|line| line.starts_with("error: ")) {
        let causes: Vec<_> = line.split(": ").collect();
        for (i, cause) in causes.iter().enumerate() {
            let said_before = causes[..i].iter().any(|other| other.ends_with(cause));
            assert!(!said_before, "\"{cause}\" is said twice in\n{text}");
        }
    }
    text
}
