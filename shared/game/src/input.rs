use std::convert::Infallible;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::excerpt;
use crate::records::{self, Game, RecordError};
use crate::rules::Rules;

/// A record is text of some kilobytes: what is so much longer is no record, or never ends.
const MOST_BYTES: u64 = 64 << 20;

/// Where a position comes from, as users name it: a file, `-` for standard input, an opening
/// like TX-H9 (more moves may follow, `TX-H9 k11,l10`), or a record in any known format, with
/// its rules if they are others than Connect6: `gomoku: h8,i9`, `Connect(9,9,5,2,1): e5`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionInput {
    /// The record in a file.
    File(PathBuf),
    /// The record on standard input.
    Stdin,
    /// An opening or a record, as it was typed.
    Text(String),
}

/// Why an input gives no position.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A file cannot be read.
    #[error("cannot read {}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Standard input cannot be read.
    #[error("cannot read standard input")]
    Stdin(#[source] io::Error),
    /// What a file holds is no game.
    #[error("the record in {} is refused", path.display())]
    RecordInFile {
        /// Which file.
        path: PathBuf,
        /// Where and why.
        source: RecordError,
    },
    /// What came on standard input is no game.
    #[error("the record on standard input is refused")]
    RecordOnStdin(#[source] RecordError),
    /// What was typed is no game.
    #[error("the record is refused")]
    Record(#[source] RecordError),
    /// What was typed looks like nothing known.
    #[error(
        "\"{0}\" is no file that exists, no opening like TX-H9 and no record in a known format"
    )]
    Unknown(String),
    /// The record is of another game than was said.
    #[error("the record is of {found}, and --rules says {said}: leave one of them out")]
    OtherRules {
        /// What was said.
        said: Rules,
        /// What the record says.
        found: Rules,
    },
}

impl FromStr for PositionInput {
    type Err = Infallible;

    /// A file that exists is meant before a record that reads like its name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(if text == "-" {
            Self::Stdin
        } else if Path::new(text).exists() {
            Self::File(text.into())
        } else {
            Self::Text(text.to_owned())
        })
    }
}

impl PositionInput {
    /// The game that leads to the position. Standard input is the caller's to bring.
    pub fn read(&self, stdin: impl Read) -> Result<Game, InputError> {
        self.parse(&self.load(stdin)?, read_game)
    }

    /// As [`PositionInput::read`], where the rules were said beside the record.
    pub fn read_of(&self, rules: Rules, stdin: impl Read) -> Result<Game, InputError> {
        self.parse_of(rules, &self.load(stdin)?)
    }

    /// Has what was loaded read as a game of these rules: a stone list that names none is of
    /// them, and any other record must be.
    pub fn parse_of(&self, rules: Rules, bytes: &[u8]) -> Result<Game, InputError> {
        let game = self.parse(bytes, |bytes| read_game_of(rules, bytes))?;
        let found = *game.rules();
        if found != rules {
            return Err(InputError::OtherRules { said: rules, found });
        }
        Ok(game)
    }

    /// What there is to read: the bytes of a file or of standard input, or what was typed.
    pub fn load(&self, stdin: impl Read) -> Result<Vec<u8>, InputError> {
        match self {
            Self::File(path) => {
                File::open(path)
                    .and_then(read_all)
                    .map_err(|source| InputError::File {
                        path: path.clone(),
                        source,
                    })
            }
            Self::Stdin => read_all(stdin).map_err(InputError::Stdin),
            Self::Text(text) => Ok(text.clone().into_bytes()),
        }
    }

    /// Has what was loaded read as a game; a refusal says where it came from.
    pub fn parse(
        &self,
        bytes: &[u8],
        read: impl FnOnce(&[u8]) -> Result<Game, RecordError>,
    ) -> Result<Game, InputError> {
        read(bytes).map_err(|error| match self {
            Self::File(path) => InputError::RecordInFile {
                path: path.clone(),
                source: error,
            },
            Self::Stdin => InputError::RecordOnStdin(error),
            Self::Text(text) => match error.reason {
                records::Reason::UnknownFormat | records::Reason::Empty => {
                    InputError::Unknown(excerpt(text, 80))
                }
                _ => InputError::Record(error),
            },
        })
    }
}

/// Reads an opening, with the stones that may follow its name, or a record of any format.
pub fn read_game(bytes: &[u8]) -> Result<Game, RecordError> {
    read_opening(bytes).unwrap_or_else(|| records::read(bytes))
}

fn read_game_of(rules: Rules, bytes: &[u8]) -> Result<Game, RecordError> {
    read_opening(bytes).unwrap_or_else(|| records::read_of(rules, bytes))
}

fn read_opening(bytes: &[u8]) -> Option<Result<Game, RecordError>> {
    let text = std::str::from_utf8(bytes).ok()?;
    records::read_opening(text)
}

/// All bytes of a source, up to [`MOST_BYTES`].
fn read_all(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        let rule = format!("a record may have {} MiB and no more", MOST_BYTES >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, rule));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Colour;

    fn read(text: &str) -> Result<Game, InputError> {
        text.parse::<PositionInput>().unwrap().read(&b"k11,j10"[..])
    }

    #[test]
    fn an_opening_may_be_played_on() {
        let game = read("TX-H9 k11,l10 ").unwrap();
        assert_eq!(game.moves().len(), 3);
        assert_eq!(game.position().to_move(), Colour::White);
        let error = read("TX-H9\n k11,i8").unwrap_err();
        let InputError::Record(cause) = error else {
            panic!("{error}");
        };
        assert_eq!(
            cause.to_string(),
            "line 2, column 6: I8 is taken: White has a stone there"
        );
    }

    #[test]
    fn a_position_may_carry_its_rules() {
        let gomoku = read("Connect(15,15,5,1,1): h8,h9").unwrap();
        assert_eq!(gomoku.rules().to_string(), "Connect(15,15,5,1,1)");
        assert_eq!(gomoku.moves().len(), 2);
        for text in ["gomoku: h8,h9", "Gomoku:h8 h9", "15,15,5,1,1: h8,h9"] {
            assert_eq!(read(text).unwrap(), gomoku, "{text}");
        }
        let empty = read("tictactoe").unwrap();
        assert_eq!(empty.rules().area(), 9);
        assert_eq!(
            read("connect6: k11,j10 i9").unwrap(),
            read("k11,j10 i9").unwrap()
        );
        assert!(matches!(read("renju: h8"), Err(InputError::Unknown(_))));
        let InputError::Record(cause) = read("15,15,5,1: h8").unwrap_err() else {
            panic!("it has a colon and numbers before it");
        };
        let words = "line 1, column 1: \"15,15,5,1\" has 4 numbers, and a game has five";
        assert!(cause.to_string().starts_with(words), "{cause}");
    }

    #[test]
    fn rules_said_beside_a_position_are_those_of_a_stone_list() {
        let said = |rules: &str, text: &str| {
            let input = text.parse::<PositionInput>().unwrap();
            input.read_of(rules.parse().unwrap(), &b""[..])
        };
        let gomoku = read("gomoku: h8,h9").unwrap();
        for text in ["h8,h9", "gomoku: h8,h9", "15,15,5,1,1: h8 h9"] {
            assert_eq!(said("gomoku", text).unwrap(), gomoku, "{text}");
        }
        assert_eq!(said("tictactoe", " ").unwrap(), read("tictactoe").unwrap());
        let error = said("gomoku", "TX-H9").unwrap_err().to_string();
        assert!(error.starts_with("the record is of Connect(19,19,6,2,1), and --rules says"));
        let wide = said("32,32,8,3,1", "af32 a1,z9,aa1").unwrap();
        assert_eq!(wide.moves().len(), 2);
    }

    #[test]
    fn an_illegal_stone_of_an_opening_is_refused_with_its_place_and_rule() {
        for (text, cause) in [
            (
                " TX-J10",
                "line 1, column 5: J10 is taken: Black has a stone there",
            ),
            (
                "X-i9 k11,l10",
                "line 1, column 3: I9 is taken: White has a stone there",
            ),
        ] {
            let error = read(text).unwrap_err();
            let InputError::Record(error) = error else {
                panic!("{error}");
            };
            assert_eq!(error.to_string(), cause);
        }
    }

    #[test]
    fn a_source_that_never_ends_is_given_up_with_the_limit() {
        let error = PositionInput::Stdin.read(io::repeat(b' ')).unwrap_err();
        let InputError::Stdin(cause) = error else {
            panic!("{error}");
        };
        assert_eq!(cause.to_string(), "a record may have 64 MiB and no more");
        let longest = io::repeat(b' ').take(MOST_BYTES);
        let error = PositionInput::Stdin.read(longest).unwrap_err();
        assert!(matches!(error, InputError::RecordOnStdin(_)), "{error}");
    }

    #[test]
    fn records_come_from_text_from_files_and_from_standard_input() {
        assert_eq!(
            read("(;B[JJ];W[IH];W[HI])").unwrap(),
            read("TX-H9").unwrap()
        );
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        assert!(matches!(read(file), Err(InputError::RecordInFile { .. })));
        assert!(matches!(read("-"), Err(InputError::RecordOnStdin(_))));
        assert!(matches!(
            read("no-such-file.sgf"),
            Err(InputError::Unknown(_))
        ));
        assert!(matches!(read(""), Err(InputError::Unknown(_))));
    }
}
