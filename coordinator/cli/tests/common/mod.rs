//! What the tests of all commands share: whatever a user reads is looked through.

#[path = "../../../../tests/e2e/src/transcript.rs"]
mod transcript;

/// What a command printed. Whatever it is about, some things are never shown to people.
#[must_use]
pub fn words(printed: &[u8]) -> String {
    let text = String::from_utf8(printed.to_vec()).expect("we print UTF-8");
    transcript::look_through(&text);
    assert!(!text.contains("gridproof_"), "a crate's name in\n{text}");
    text
}
