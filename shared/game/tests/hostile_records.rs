//! No bytes make a parser panic, and what it takes, it can write and read again.
//!
//! GRIDPROOF_FUZZ_INPUTS sets the number of inputs of each test.

mod common;

use gridproof_game::records::{self, Format, Game, RecordError};
use gridproof_game::{Opening, PositionInput, read_game};
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn inputs() -> ProptestConfig {
    let cases = match std::env::var("GRIDPROOF_FUZZ_INPUTS") {
        Ok(text) => text.parse().expect("GRIDPROOF_FUZZ_INPUTS is a number"),
        Err(_) => 5_000,
    };
    ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(cases)
    }
}

fn check(format: Format, bytes: &[u8], read: Result<Game, RecordError>) {
    match read {
        Ok(game) => {
            assert_eq!(game.positions().last().as_ref(), Some(game.position()));
            // A header may hold what the format takes from others but does not write.
            if let Ok(written) = format.write(&game) {
                let again = format.read(&written).expect("what we write, we read");
                assert_eq!(again.moves(), game.moves());
                assert_eq!(again.rules(), game.rules());
            }
        }
        Err(error) => {
            assert!(!error.reason.to_string().is_empty());
            assert!((1..=bytes.len() + 1).contains(&error.place.line));
            // A byte of input is at most one character.
            assert!((1..=bytes.len() + 1).contains(&error.place.column));
        }
    }
}

fn check_every_parser(bytes: &[u8]) {
    for format in Format::ALL {
        check(format, bytes, format.read(bytes));
    }
    if let Some(format) = Format::detect(bytes) {
        check(format, bytes, records::read(bytes));
    }
    let _ = read_game(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = text.parse::<Opening>();
    }
}

/// Bits of all formats, so that random sequences of them get deep into the parsers.
const BITS: &[&str] = &[
    "(",
    ";",
    ")",
    "B[",
    "W[",
    "]",
    "[",
    "\\",
    "AB[jj]",
    "SZ[19]",
    "SZ[9:12]",
    "SZ[99]",
    "SZ[",
    "RU[Connect(9,9,5,2,1)]",
    "RU[Connect(32,32,6,255,255)]",
    "PB[",
    "RE[B+R]",
    "CA[GBK]",
    "C[",
    "JJ",
    "IH",
    "HI",
    "KK",
    "aA",
    "zz",
    "j10",
    "j9",
    "l11",
    "k9l8",
    "aa1",
    "af32",
    "a0",
    "t20",
    "-",
    "--",
    ",",
    " ",
    "\n",
    "\r\n",
    "{",
    "[C6]",
    "[先手胜]",
    "[2025.12.27 15:50 北京]",
    "B(",
    "W(",
    "J,10)",
    "J,11)",
    "M,8)",
    "MARK[1]",
    "}",
    "new black\n",
    "black ",
    "white ",
    "move ",
    "next\n",
    "depth 6\n",
    "quit\n",
    "Connect(9,9,5,2,1):",
    "Connect(",
    "connect623",
    "TX-H9",
    "I7-G9",
    "resign",
    "é",
    "\u{FEFF}",
    "先",
    "\0",
    ":",
    "19",
    "255",
];

/// One small damage to a record.
#[derive(Clone, Debug)]
enum Damage {
    Change(Index, u8),
    Remove(Index),
    Insert(Index, u8),
    Cut(Index),
    Repeat(Index, Index),
    InsertBit(Index, &'static str),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        let any = bytes.len() + 1;
        match self {
            Self::Change(at, byte) => {
                if let Some(changed) = bytes.get_mut(at.index(any)) {
                    *changed = *byte;
                }
            }
            Self::Remove(at) => {
                if at.index(any) < bytes.len() {
                    bytes.remove(at.index(any));
                }
            }
            Self::Insert(at, byte) => bytes.insert(at.index(any), *byte),
            Self::Cut(at) => bytes.truncate(at.index(any)),
            Self::Repeat(a, b) => {
                let (a, b) = (a.index(any), b.index(any));
                let part = bytes[a.min(b)..a.max(b)].to_vec();
                bytes.extend(part);
            }
            Self::InsertBit(at, bit) => {
                let at = at.index(any);
                bytes.splice(at..at, bit.bytes());
            }
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<Index>;
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Change(at, byte)),
        at().prop_map(Damage::Remove),
        (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        at().prop_map(Damage::Cut),
        (at(), at()).prop_map(|(a, b)| Damage::Repeat(a, b)),
        (at(), select(BITS)).prop_map(|(at, bit)| Damage::InsertBit(at, bit)),
    ]
}

/// Starts of real games and a variant with null stones, in every format that holds them.
fn valid_records() -> Vec<Vec<u8>> {
    let mut games: Vec<_> = common::sample()
        .iter()
        .map(|real| {
            let game = real.game();
            let turns = game.moves().len().min(12);
            game.up_to(turns).expect("it has that many turns")
        })
        .collect();
    let variant = "Connect(12,9,5,2,3): e5,f5,- d4,- -,- a1,l9";
    games.push(
        Format::Stones
            .read(variant.as_bytes())
            .expect("a good record"),
    );
    games
        .iter()
        .flat_map(|game| Format::ALL.map(|format| format.write(game)))
        .filter_map(Result::ok)
        .collect()
}

proptest! {
    #![proptest_config(inputs())]

    #[test]
    fn no_bytes_make_a_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        check_every_parser(&bytes);
    }

    #[test]
    fn no_sequence_of_known_bits_makes_a_parser_panic(
        bits in prop::collection::vec(select(BITS), 0..24)
    ) {
        check_every_parser(bits.concat().as_bytes());
    }

    #[test]
    fn no_text_on_the_command_line_makes_the_input_panic(text in "\\PC{0,40}") {
        let input: PositionInput = text.parse().expect("any text is an input");
        let _ = input.read(text.as_bytes());
    }

    #[test]
    fn no_damaged_record_makes_a_parser_panic(
        record in select(valid_records()),
        damages in prop::collection::vec(damage(), 1..5)
    ) {
        let mut bytes = record;
        for damage in damages {
            damage.apply(&mut bytes);
        }
        check_every_parser(&bytes);
    }
}
