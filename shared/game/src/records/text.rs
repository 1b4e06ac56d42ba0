//! Decoded text, and a cursor on it that remembers where it stands.

use encoding_rs::{Encoding, GBK, UTF_8, WINDOWS_1252};

use super::error::{Fault, Place, Reason};

/// The line and column of a byte offset.
pub(super) fn place_of(text: &str, offset: usize) -> Place {
    let before = text.get(..offset).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    Place {
        line: 1 + before.bytes().filter(|&byte| byte == b'\n').count(),
        column: 1 + before[line_start..].chars().count(),
    }
}

/// UTF-8 or what a byte order mark says; bytes that are neither become U+FFFD, which no
/// parser takes for a stone.
pub(super) fn decode(bytes: &[u8]) -> String {
    UTF_8.decode(bytes).0.into_owned()
}

/// SGF: UTF-8 where it is valid, else what the CA property says, else the Latin alphabet
/// that the SGF standard falls back on.
pub(super) fn decode_sgf(bytes: &[u8]) -> String {
    if Encoding::for_bom(bytes).is_some() || std::str::from_utf8(bytes).is_ok() {
        return decode(bytes);
    }
    let named = bytes
        .windows(3)
        .position(|window| window == b"CA[")
        .and_then(|at| bytes[at + 3..].split(|&byte| byte == b']').next())
        .and_then(Encoding::for_label)
        .filter(|encoding| *encoding != UTF_8);
    named.unwrap_or(WINDOWS_1252).decode(bytes).0.into_owned()
}

/// CCGC text is GB2312 by its rules, but programs in the field also write UTF-8. Bytes that
/// are good GB2312 are taken as such, for that is the format's own encoding.
pub(super) fn decode_ccgc(bytes: &[u8]) -> String {
    if Encoding::for_bom(bytes).is_some()
        || (!is_strict_gb2312(bytes) && std::str::from_utf8(bytes).is_ok())
    {
        return decode(bytes);
    }
    GBK.decode_without_bom_handling(bytes).0.into_owned()
}

/// Whether every byte is ASCII or part of a pair in the GB2312 table. Chinese in UTF-8 all
/// but never is: its bytes 80 to A0 have no place there.
fn is_strict_gb2312(mut bytes: &[u8]) -> bool {
    loop {
        bytes = match bytes {
            [] => return true,
            [0..=0x7F, rest @ ..] | [0xA1..=0xF7, 0xA1..=0xFE, rest @ ..] => rest,
            _ => return false,
        };
    }
}

/// The bytes of CCGC text, or the first character that its encoding does not have.
pub(super) fn encode_ccgc(text: &str) -> Result<Vec<u8>, char> {
    let mut buffer = [0; 4];
    let unmappable = |character: &char| {
        let one: &str = character.encode_utf8(&mut buffer);
        GBK.encode(one).2
    };
    match text.chars().find(unmappable) {
        Some(character) => Err(character),
        None => Ok(GBK.encode(text).0.into_owned()),
    }
}

/// Walks over text, one character at a time.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Starts inside the text, at a character's first byte; places stay those of the whole.
    pub(super) const fn starting_at(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    pub(super) const fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// Steps over a character if it comes next.
    pub(super) fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    pub(super) fn expect(&mut self, wanted: char, expected: &'static str) -> Result<(), Fault> {
        if self.eat(wanted) {
            Ok(())
        } else {
            Err(self.unexpected(expected))
        }
    }

    pub(super) fn skip_whitespace(&mut self) {
        self.take_while(char::is_whitespace);
    }

    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// The record must end here; what begins with `game` would be a second one.
    pub(super) fn expect_end(&self, game: char) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(next) if next == game => Err(Reason::SecondGame.at(self.at)),
            Some(_) => Err(self.unexpected("the end of the record")),
        }
    }

    /// The fault of something else standing where `expected` belongs.
    pub(super) fn unexpected(&self, expected: &'static str) -> Fault {
        let reason = match self.peek() {
            Some(found) => Reason::Unexpected { found, expected },
            None => Reason::Ends { expected },
        };
        reason.at(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "先手\nab";
        assert_eq!(place_of(text, 0), Place { line: 1, column: 1 });
        assert_eq!(place_of(text, 6), Place { line: 1, column: 3 });
        assert_eq!(place_of(text, 8), Place { line: 2, column: 2 });
        assert_eq!(place_of(text, 99), Place { line: 2, column: 3 });
    }

    #[test]
    fn ccgc_text_is_understood_in_gb2312_and_in_utf_8() {
        let text = "{[C6][先手胜][北京]}";
        assert_eq!(decode_ccgc(text.as_bytes()), text);
        assert_eq!(decode_ccgc(&encode_ccgc(text).unwrap()), text);
        assert_eq!(encode_ccgc("a\u{1F3B2}"), Err('\u{1F3B2}'));
    }

    #[test]
    fn sgf_in_another_encoding_is_read_by_its_ca_property() {
        let (bytes, ..) = GBK.encode("(;CA[gb2312]PB[北京])");
        assert_eq!(decode_sgf(&bytes), "(;CA[gb2312]PB[北京])");
        assert_eq!(decode_sgf(b"(;PB[Andr\xE9])"), "(;PB[André])");
    }
}
