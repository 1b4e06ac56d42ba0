//! Each record format by its published examples, and how broken records are refused.

use gridproof_game::records::{
    self, Format, Game, NullStones, Outcome, Reason, RowsFrom, WriteError,
};
use gridproof_game::{Colour, Move, PlayError, Rules, RulesError, Square, State};

fn at(name: &str) -> Square {
    name.parse().unwrap()
}

/// Each turn as `Move` shows it.
fn turns(game: &Game) -> Vec<String> {
    game.moves().iter().map(ToString::to_string).collect()
}

fn read_as(format: Format, bytes: &[u8]) -> Game {
    assert_eq!(Format::detect(bytes), Some(format));
    records::read(bytes).unwrap_or_else(|error| panic!("{format}: {error}"))
}

/// The place and the words of a refusal.
fn refusal(record: &str) -> String {
    records::read(record.as_bytes()).unwrap_err().to_string()
}

#[test]
fn littlegolem_sgf_runs_the_stones_of_a_turn_together() {
    let record = b"(;FF[4]EV[a cup]PB[one]PW[two];B[j10];W[j9l11];B[k9l8])";
    let game = read_as(Format::LittleGolem, record);
    assert_eq!(turns(&game), ["J10", "J9 L11", "L8 K9"]);
    assert_eq!(game.headers.event.as_deref(), Some("a cup"));
    assert_eq!(game.headers.black.as_deref(), Some("one"));
    assert_eq!(game.headers.white.as_deref(), Some("two"));
    assert_eq!(
        Format::LittleGolem.write(&game).unwrap(),
        b"(;FF[4]CA[UTF-8]EV[a cup]PB[one]PW[two];B[j10];W[j9l11];B[l8k9])\n"
    );
}

#[test]
fn a_resignation_in_littlegolem_sgf_tells_the_winner_and_ends_the_game() {
    let game = read_as(Format::LittleGolem, b"(;FF[4];B[j10];W[resign])");
    assert_eq!(game.headers.result, Some(Outcome::Won(Colour::Black)));
    assert_eq!(game.moves().len(), 1);
    assert_eq!(
        refusal("(;B[j10];W[resign];W[j9l11])"),
        "line 1, column 20: White has resigned: no move can follow"
    );
}

#[test]
fn capitals_count_rows_from_the_bottom_and_small_letters_from_the_top() {
    let game = read_as(Format::StoneSgf, b"(;B[JJ];W[IH];W[HI];B[KK];B[LJ])");
    assert_eq!(turns(&game), ["J10", "I8 H9", "L10 K11"]);
    let written = b"(;FF[4]GM[4]CA[UTF-8]SZ[19]RU[Connect(19,19,6,2,1)];B[jj];W[il];W[hk];\
                    B[lj];B[ki])\n";
    assert_eq!(Format::StoneSgf.write(&game).unwrap(), written);
    assert_eq!(read_as(Format::StoneSgf, written), game);
    let mixed = "(;B[JJ];W[il];W[hk])";
    assert_eq!(
        refusal(mixed),
        "line 1, column 5: capital letters here and small ones elsewhere: the ones count rows \
         from the bottom, the others from the top"
    );
}

#[test]
fn a_record_that_could_be_mirrored_says_how_it_was_read() {
    use records::{assumed_rows, read_with_rows};
    for (record, assumed) in [
        ("(;B[JJ];W[IH];W[HI])", Some(RowsFrom::Bottom)),
        (
            "(;FF[4]GM[1]SZ[19];B[JJ];W[IH];W[HI])",
            Some(RowsFrom::Bottom),
        ),
        ("(;FF[4]SZ[19];B[jj];W[il];W[hk])", Some(RowsFrom::Top)),
        ("(;FF[4]GM[1]SZ[19];B[jj];W[il];W[hk])", None),
        ("(;B[JJ];W[IJ];W[HJ])", None),
        ("(;B[j10];W[i8h9])", None),
        ("j10,i8,h9", None),
    ] {
        assert_eq!(assumed_rows(record.as_bytes()), assumed, "{record}");
    }
    let record = b"(;B[JJ];W[IH];W[HI])";
    let from_top = read_with_rows(b"(;B[jj];W[ih];W[hi])", RowsFrom::Bottom).unwrap();
    assert_eq!(from_top, records::read(record).unwrap());
    let mirrored = records::read(b"(;B[jj];W[ih];W[hi])").unwrap();
    assert_eq!(turns(&mirrored), ["J10", "H11 I12"]);
}

#[test]
fn nodes_as_engines_take_them_on_the_command_line_are_a_record() {
    let game = read_as(Format::StoneSgf, b";B[JJ];W[LH];W[HH]");
    assert_eq!(turns(&game), ["J10", "H8 L8"]);
}

#[test]
fn ccgc_text_is_read_in_gb2312_with_its_headers() {
    let text = "{[C6][B3 B][C3 W][先手胜][2025.12.27 15:50 北京][赛事];B(M,8);W(J,10);W(J,11)}";
    let (bytes, _, lossy) = encoding_rs::GBK.encode(text);
    assert!(!lossy);
    let game = read_as(Format::Ccgc, &bytes);
    assert_eq!(turns(&game), ["M8", "J10 J11"]);
    let headers = &game.headers;
    assert_eq!(headers.black.as_deref(), Some("B3"));
    assert_eq!(headers.white.as_deref(), Some("C3"));
    assert_eq!(headers.result, Some(Outcome::Won(Colour::Black)));
    assert_eq!(headers.date.as_deref(), Some("2025.12.27 15:50"));
    assert_eq!(headers.place.as_deref(), Some("北京"));
    assert_eq!(headers.event.as_deref(), Some("赛事"));
    let written = Format::Ccgc.write(&game).unwrap();
    assert_eq!(written.strip_suffix(b"\n"), Some(&*bytes));
    assert_eq!(
        read_as(Format::Ccgc, text.as_bytes()),
        game,
        "UTF-8 is met too"
    );
}

#[test]
fn ccgc_text_as_other_programs_write_it_is_read_too() {
    let record = "{[C6][][ W][平局][2021.5.1 9:00][蚌埠][2021 ACG];B(J,10)MARK[1];\n\
                  W(I,11) ; W(I,12);}";
    let game = read_as(Format::Ccgc, record.as_bytes());
    assert_eq!(turns(&game), ["J10", "I11 I12"]);
    assert_eq!(game.headers.black, None);
    assert_eq!(game.headers.white, None);
    assert_eq!(game.headers.place.as_deref(), Some("蚌埠"));
    assert_eq!(game.headers.event.as_deref(), Some("2021 ACG"));
    assert_eq!(game.headers.result, Some(Outcome::Drawn));
}

#[test]
fn engine_text_is_a_list_of_turns_among_other_commands() {
    let record = b"new black\nblack JJ\ndepth 6\nwhite IHHI\r\nnext\nmove kklj\nquit\n";
    let game = read_as(Format::Engine, record);
    assert_eq!(turns(&game), ["J10", "I8 H9", "L10 K11"]);
    assert_eq!(
        Format::Engine.write(&game).unwrap(),
        b"new black\nblack JJ\nwhite IHHI\nblack LJKK\n"
    );
}

#[test]
fn stone_lists_take_commas_spaces_and_lines_between_stones() {
    let game = read_as(Format::Stones, b"j10,k11,i11");
    assert_eq!(turns(&game), ["J10", "I11 K11"]);
    assert_eq!(read_as(Format::Stones, b"  J10\nK11 i11\n"), game);
    assert_eq!(Format::Stones.write(&game).unwrap(), b"j10,i11,k11\n");
}

#[test]
fn a_stone_list_may_begin_with_its_rules() {
    let game = read_as(Format::Stones, b"Connect(9,9,5,1,1): e5 d4");
    assert_eq!(game.rules(), &Rules::new(9, 9, 5, 1, 1).unwrap());
    assert_eq!(turns(&game), ["E5", "D4"]);
    let empty = Game::new(Rules::CONNECT6);
    let written = Format::Stones.write(&empty).unwrap();
    assert_eq!(read_as(Format::Stones, &written), empty);
}

#[test]
fn null_stones_are_a_dash_or_an_empty_property() {
    let expected = ["J10", "K11 -", "- -", "A1 B1"];
    for record in [
        "j10,k11,-,-,-,a1,b1",
        "(;B[j10];W[k11-];B[--];W[a1b1])",
        "(;B[JJ];W[KK];W[];B[];B[];W[AA];W[BA])",
    ] {
        let game = records::read(record.as_bytes()).unwrap();
        assert_eq!(turns(&game), expected, "{record}");
    }
}

#[test]
fn a_turn_that_wins_may_stop_short() {
    let record = "Connect(9,9,3,2,1): e5 a1,b9 e6,e7 c9,f1";
    assert!(matches!(
        records::read(record.as_bytes()).unwrap_err().reason,
        Reason::Play(PlayError::Won(Colour::Black))
    ));
    for short in [
        "Connect(9,9,4,2,1): e5 a1,b9 e6,e7 c9,f1 e8",
        "(;SZ[9]RU[Connect(9,9,4,2,1)];B[e5];W[a1b9];B[e6e7];W[c9f1];B[e8])",
        "(;SZ[9]RU[Connect(9,9,4,2,1)];B[EE];W[AA];W[BI];B[EF];B[EG];W[CI];W[FA];B[EH])",
    ] {
        let game = records::read(short.as_bytes()).unwrap();
        assert_eq!(game.position().state(), State::Won(Colour::Black));
        assert_eq!(game.moves().last(), Some(&Move::new([at("E8")], 1)));
        for format in [Format::LittleGolem, Format::StoneSgf, Format::Stones] {
            let again = records::read(&format.write(&game).unwrap()).unwrap();
            assert_eq!(again, game);
        }
    }
}

#[test]
fn a_broken_record_is_refused_with_line_column_and_rule() {
    for (record, words) in [
        (
            "j10,k11,j10",
            "line 1, column 9: J10 is taken: Black has a stone there",
        ),
        (
            "j10\nk11,k11",
            "line 2, column 5: K11 is taken: White has a stone there",
        ),
        (
            "(;B[JJ];W[IH];W[IH])",
            "line 1, column 17: I8 is taken: White has a stone there",
        ),
        (
            "j10,\n t1,a1",
            "line 2, column 2: T1 is not on the board: it has columns A to S and rows 1 to 19",
        ),
        (
            "(;B[j10]\n;W[j9l11k3])",
            "line 2, column 9: White places 2 stones this turn, not 3",
        ),
        (
            "j10,k11,i11,a1",
            "line 1, column 13: Black places 2 stones this turn, not 1: write - for a null stone",
        ),
        (
            "(;B[j10];W[j9])",
            "line 1, column 10: White places 2 stones this turn, not 1: write - for a null stone",
        ),
        (
            "(;B[JJ];W[IH])",
            "line 1, column 11: White places 2 stones this turn, not 1: write an empty \
             property, like W[], for a null stone",
        ),
        (
            "new black\nblack JJ\nwhite IH\n",
            "line 3, column 1: White places 2 stones this turn, not 1: this format has no null \
             stones",
        ),
        (
            "(;B[j10];B[j9l11])",
            "line 1, column 10: it is White's turn here, not Black's",
        ),
        (
            "white IHHI",
            "line 1, column 1: it is Black's turn here, not White's",
        ),
        (
            "Connect(5,1,2,2,2): a1,b1 c1,d1",
            "line 1, column 27: the game is over: Black has won",
        ),
        (
            "Connect(3,1,4,2,1): a1 b1,c1 b1",
            "line 1, column 30: the game is over: the board is full",
        ),
        (
            "(;SZ[33];B[j10])",
            "line 1, column 6: a board of 33 columns and 33 rows: each side must be from 1 to 32",
        ),
        (
            "Connect(19,40,6,2,1): j10",
            "line 1, column 1: a board of 19 columns and 40 rows: each side must be from 1 to 32",
        ),
        (
            "(;AB[jj];W[j9l11])",
            "line 1, column 3: AB sets up a position outside the turns: write the \
          stones as moves",
        ),
        (
            "(;B[JJ];W[I])",
            "line 1, column 11: \"I\" is no square: this format names a square by \
          two letters, its column and its row, like jj",
        ),
        (
            "(;B[j10];W[j9;l11])",
            "line 1, column 14: found ';' where a square like j10, or - for a \
          null stone, belongs",
        ),
        (
            "black JJ\nwhite IHH",
            "line 2, column 9: \"H\" is no square: this format names a square \
          by two letters, its column and its row, like jj",
        ),
        (
            "black JJ\nundo",
            "line 2, column 1: \"undo\" is no command: known are new, black, \
          white, move, next, depth and quit",
        ),
        (
            "black JJ\nnew white",
            "line 2, column 1: a second game begins here: a record holds one \
          game",
        ),
        (
            "black JJ\nquit\nmove AABB",
            "line 3, column 1: found 'm' where the end of the record, \
          after quit, belongs",
        ),
        (
            "{[C5];B(J,10)}",
            "line 1, column 2: found '[' where [C6], for Connect6, belongs",
        ),
        (
            "{[C6];B(J,10);W(K,x);}",
            "line 1, column 17: \"Kx\" is no square: write a column letter \
          and a row number counted from the bottom, like J10",
        ),
        (
            "{[C6];B(J,10)",
            "line 1, column 14: the record ends where a stone like B(J,10), or } \
          at the end, belongs",
        ),
        (
            "(;B[j10]",
            "line 1, column 9: the record ends where ) belongs",
        ),
        (
            "j10,k11 ?",
            "line 1, column 9: found '?' where a square like j10, or - for a null \
          stone, belongs",
        ),
    ] {
        assert_eq!(refusal(record), words, "{record}");
    }
}

#[test]
fn what_looks_like_no_record_is_refused() {
    for record in ["hello", "42", "<svg/>", "TX-H9", "\u{FFFD}"] {
        assert_eq!(Format::detect(record.as_bytes()), None, "{record}");
        assert!(
            refusal(record).starts_with("line 1, column 1: this is no record"),
            "{record}"
        );
    }
    assert_eq!(
        refusal(" \n "),
        "line 2, column 2: there is nothing to read"
    );
}

#[test]
fn one_stone_is_told_in_the_singular() {
    assert_eq!(
        refusal("(;B[j10k10])"),
        "line 1, column 8: Black places 1 stone this turn, not 2"
    );
}

#[test]
fn the_reasons_are_types_that_programs_can_tell_apart() {
    let reason = |record: &str| records::read(record.as_bytes()).unwrap_err().reason;
    assert_eq!(
        reason("j10,k11"),
        Reason::ShortTurn {
            colour: Colour::White,
            expected: 2,
            found: 1,
            null_stones: NullStones::Dash
        }
    );
    assert!(matches!(
        reason("(;SZ[33])"),
        Reason::Rules(RulesError::Side { columns: 33, .. })
    ));
}

#[test]
fn a_format_refuses_what_it_cannot_hold() {
    let mut null = Game::new(Rules::CONNECT6);
    null.play(Move::full([at("J10")])).unwrap();
    null.play(Move::new([at("K11")], 1)).unwrap();
    let three_first = Game::new(Rules::CONNECT6.with_first_stones(3));
    for format in [Format::Ccgc, Format::Engine] {
        assert_eq!(
            format.write(&null),
            Err(WriteError::NullStone { format, turn: 2 })
        );
        assert!(matches!(
            format.write(&three_first),
            Err(WriteError::Rules { .. })
        ));
    }
    let mut named = Game::new(Rules::CONNECT6);
    for name in ["a]b", "two\nlines", "\u{1F3B2}"] {
        named.headers.black = Some(name.to_owned());
        assert!(matches!(
            Format::Ccgc.write(&named),
            Err(WriteError::Character { .. })
        ));
    }
}

#[test]
fn formats_are_known_by_name() {
    for format in Format::ALL {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    assert!("pgn".parse::<Format>().is_err());
}
