//! What searches and their files are called.

use gridproof_game::records::Game;
use gridproof_game::{Colour, Move, Opening, Position, Rules, Square, State, Symmetry};

/// The side to be proved winning where nobody says which. Named openings are Black's to win;
/// elsewhere it is the side to move that may have found something.
#[must_use]
pub fn default_attacker(position: &Position) -> Colour {
    match Opening::of(position) {
        Some(_) => Colour::Black,
        None => position.to_move(),
    }
}

/// A game that is over leaves nothing to prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GameOver {
    #[error("the game is over: {0} has won; there is nothing left to prove")]
    Won(Colour),
    #[error("the game is over: the board is full, a draw; there is nothing left to prove")]
    Drawn,
}

/// Refuses positions of games that are over.
pub fn check_open(position: &Position) -> Result<(), GameOver> {
    match position.state() {
        State::Open => Ok(()),
        State::Won(winner) => Err(GameOver::Won(winner)),
        State::Drawn => Err(GameOver::Drawn),
    }
}

/// How a position of a search's graph must be turned to come from the search's root as it was
/// asked for: then all of the root's stones are there. `None` if no image can.
#[must_use]
pub fn turn_to(root: &Position, position: &Position) -> Option<Symmetry> {
    if root.rules() != position.rules() {
        return None;
    }
    Symmetry::all(root.rules()).find(|&turn| {
        let image = position.transformed(turn);
        Colour::BOTH.into_iter().all(|colour| {
            let mut stones = root.stones(colour).iter();
            stones.all(|square| image.at(square) == Some(colour))
        })
    })
}

/// What people read: as the operator wrote it, and the attacker where it is not the usual one.
#[must_use]
pub fn search_name(game: &str, root: &Position, attacker: Colour) -> String {
    // A start without stones ends with the colon after its rules.
    let game = game.trim().trim_end_matches(':');
    if attacker == default_attacker(root) {
        game.to_owned()
    } else {
        format!("{game} for {attacker}")
    }
}

/// The name of a file or folder, which no other game, position or attacker has:
/// `TX-H9-black`, `15-15-5-1-1-start-white`.
#[must_use]
pub fn file_name(root: &Position, attacker: Colour) -> String {
    let position = match Opening::of(root) {
        Some(opening) => opening.to_string(),
        None => {
            let rules = root.rules();
            let stones = match root.stone_count() {
                0 => "start".to_owned(),
                _ => format!("{:016x}", root.key()),
            };
            format!("{}{stones}", rules_prefix(rules))
        }
    };
    format!("{position}-{}", attacker.to_string().to_lowercase())
}

/// Nothing for Connect6, which most files are about.
fn rules_prefix(rules: &Rules) -> String {
    if *rules == Rules::CONNECT6 {
        return String::new();
    }
    format!(
        "{}-{}-{}-{}-{}-",
        rules.columns(),
        rules.rows(),
        rules.in_a_row(),
        rules.stones_per_turn(),
        rules.first_stones()
    )
}

/// A game that leads to the position, for `gridproof show`. The stones are dealt out by turns,
/// with null stones where a side has too few.
#[must_use]
pub fn position_record(position: &Position) -> Option<String> {
    record_after(&Position::start(*position.rules()), position)
}

/// The same, but the stones of a position that it comes from are dealt first.
#[must_use]
pub fn record_after(root: &Position, position: &Position) -> Option<String> {
    let mut stones = Colour::BOTH.map(|colour| {
        let is_new = |square: &Square| root.at(*square) != Some(colour);
        let mut stones: Vec<Square> = position.stones(colour).iter().collect();
        stones.sort_by_key(is_new);
        stones.into_iter().peekable()
    });
    let mut game = Game::new(*position.rules());
    while stones.iter_mut().any(|side| side.peek().is_some())
        || game.position().to_move() != position.to_move()
    {
        let (side, count) = (game.position().to_move(), game.position().move_len());
        let placed: Vec<_> = stones[side.index()].by_ref().take(count).collect();
        let nulls = u8::try_from(count - placed.len()).ok()?;
        game.play(Move::try_new(placed, nulls).ok()?).ok()?;
    }
    let turns = game.moves().iter().map(|mv| {
        let stones = mv.stones().iter().map(ToString::to_string);
        let nulls = std::iter::repeat_n("-".to_owned(), mv.nulls().into());
        stones.chain(nulls).collect::<Vec<_>>().join(",")
    });
    let prefix = match *position.rules() {
        Rules::CONNECT6 => String::new(),
        rules => format!("{rules}: "),
    };
    Some(prefix + &turns.collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use gridproof_game::{SquareSet, read_game};

    use super::*;

    #[test]
    fn other_rules_positions_and_attackers_have_other_names() {
        let small = Position::start(Rules::new(3, 3, 3, 1, 1).unwrap());
        let gomoku = Position::start(Rules::new(15, 15, 5, 1, 1).unwrap());
        let opening = "TX-H9".parse::<Opening>().unwrap().position();
        let names = [
            file_name(&small, Colour::Black),
            file_name(&gomoku, Colour::Black),
            file_name(&gomoku, Colour::White),
            file_name(&opening, Colour::Black),
            file_name(&opening, Colour::White),
        ];
        assert_eq!(
            names,
            [
                "3-3-3-1-1-start-black",
                "15-15-5-1-1-start-black",
                "15-15-5-1-1-start-white",
                "TX-H9-black",
                "TX-H9-white"
            ]
        );
    }

    #[test]
    fn an_unusual_attacker_is_named() {
        let opening = "TX-H9".parse::<Opening>().unwrap().position();
        assert_eq!(search_name("TX-H9", &opening, Colour::Black), "TX-H9");
        let white = search_name("TX-H9", &opening, Colour::White);
        assert_eq!(white, "TX-H9 for White");
    }

    #[test]
    fn a_position_that_null_stones_led_to_can_be_shown_too() {
        let mut position = "TX-H9".parse::<Opening>().unwrap().position();
        position
            .play(&Move::full(["K11", "L10"].map(|s| s.parse().unwrap())))
            .unwrap();
        position
            .play(&Move::try_new([Square::new(0, 0)], 1).unwrap())
            .unwrap();
        let shown = position_record(&position).expect("it is written with null stones");
        let read = read_game(shown.as_bytes()).unwrap();
        assert_eq!(*read.position(), position, "{shown}");
    }

    #[test]
    fn a_position_is_told_from_its_root_on_however_it_is_turned() {
        let read = |text: &str| read_game(text.as_bytes()).unwrap().position().clone();
        // No turn of the board leaves this opening as it is, so there is one way to tell it.
        let root = read("TX-H8");
        let beyond = read("j10 i8,h8 j9,k11");
        let mut images = Symmetry::all(root.rules()).map(|turn| beyond.transformed(turn));
        assert!(images.all(|image| {
            let turn = turn_to(&root, &image).expect("it comes from there");
            let told = record_after(&root, &image.transformed(turn));
            told.as_deref() == Some("J10 H8,I8 J9,K11")
        }));
        assert_eq!(turn_to(&root, &read("XX-L8 j9,k11")), None);
    }

    #[test]
    fn positions_of_other_rules_say_so() {
        let rules = Rules::new(9, 9, 4, 2, 1).unwrap();
        let black: SquareSet = [Square::new(4, 4)].into_iter().collect();
        let position =
            Position::of_game_stones(rules, &black, &SquareSet::EMPTY, Colour::White).unwrap();
        assert_eq!(
            position_record(&position).unwrap(),
            "Connect(9,9,4,2,1): E5"
        );
    }
}
