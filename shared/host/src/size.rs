//! Amounts of memory and disk as people write them.

use std::fmt;
use std::str::FromStr;

const UNITS: [(char, u64); 4] = [
    ('T', 1 << 40),
    ('G', 1 << 30),
    ('M', 1 << 20),
    ('K', 1 << 10),
];

/// An amount in bytes: `2GiB`, `512MiB`, `512M`. Units are powers of 1024, however they are written.
///
/// ```
/// use gridproof_host::Size;
///
/// let size: Size = "2g".parse()?;
/// assert_eq!(size.bytes(), 2 << 30);
/// assert_eq!(size.to_string(), "2GiB");
/// # Ok::<(), gridproof_host::ParseSizeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(u64);

/// A text that is no amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("write a size like 512MiB or 2GiB")]
pub struct ParseSizeError;

impl Size {
    /// So many bytes.
    #[must_use]
    pub const fn of_bytes(bytes: u64) -> Self {
        Self(bytes)
    }

    /// So many mebibytes, or as many as there can be.
    #[must_use]
    pub const fn of_mebibytes(mebibytes: u64) -> Self {
        Self(mebibytes.saturating_mul(1 << 20))
    }

    /// All of it.
    #[must_use]
    pub const fn bytes(self) -> u64 {
        self.0
    }

    /// A size; a bare number counts mebibytes.
    pub fn or_mebibytes(text: &str) -> Result<Self, ParseSizeError> {
        match text.parse() {
            Ok(mebibytes) => Ok(Self::of_mebibytes(mebibytes)),
            Err(_) => text.parse(),
        }
    }
}

impl FromStr for Size {
    type Err = ParseSizeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at(digits);
        let unit = unit.trim().to_ascii_uppercase();
        let letter = match unit.strip_suffix("IB").or(unit.strip_suffix('B')) {
            Some(letter) => letter,
            None => &unit,
        };
        let size = UNITS.iter().find(|(name, _)| letter == name.to_string());
        let (_, size) = size.ok_or(ParseSizeError)?;
        let number: u64 = number.parse().map_err(|_| ParseSizeError)?;
        number.checked_mul(*size).map(Self).ok_or(ParseSizeError)
    }
}

/// As short as it can be said exactly.
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = |(_, size): &&(char, u64)| self.0 > 0 && self.0.is_multiple_of(*size);
        match UNITS.iter().find(exact) {
            Some((name, size)) => write!(f, "{}{name}iB", self.0 / size),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_people_write_them() {
        for (text, bytes) in [
            ("512MiB", 512 << 20),
            ("512M", 512 << 20),
            ("2 GiB", 2 << 30),
            ("2gb", 2 << 30),
            ("64k", 64 << 10),
            ("1T", 1 << 40),
        ] {
            assert_eq!(text.parse(), Ok(Size(bytes)), "{text}");
        }
        for text in ["", "2", "-1G", "2X", "GiB", "99999999999999999999G", "é"] {
            assert_eq!(text.parse::<Size>(), Err(ParseSizeError), "{text}");
        }
        assert_eq!(Size::or_mebibytes("100"), Ok(Size(100 << 20)));
        for text in ["512MiB", "2GiB", "1536MiB"] {
            assert_eq!(text.parse::<Size>().unwrap().to_string(), text);
        }
    }
}
