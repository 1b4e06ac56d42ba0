//! SGF with all its variations, in either dialect.

use super::error::{Fault, Reason, RecordError};
use super::replay::Placed;
use super::sgf::{self, Letters, Meaning, Property};
use super::text::Cursor;
use super::{Format, RowsFrom, detect_sgf, little_golem, place, stone_sgf, text};
use crate::colour::Colour;
use crate::moves::Move;
use crate::position::{Position, State};
use crate::rules::Rules;
use crate::square::Square;

/// A record with variations: positions in a tree, the empty board first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameTree {
    /// The game.
    pub rules: Rules,
    /// Parents come before their children; node 0 is the empty board.
    pub nodes: Vec<TreeNode>,
}

/// A whole turn, and what the record says beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    /// The turn before; `None` for the empty board.
    pub parent: Option<usize>,
    /// The move that leads here; the empty board has none.
    pub mv: Move,
    /// Properties that are no moves, with their values.
    pub properties: Vec<(String, Vec<String>)>,
}

impl TreeNode {
    /// The first value of a property.
    #[must_use]
    pub fn property(&self, name: &str) -> Option<&str> {
        let found = self.properties.iter().find(|(known, _)| known == name)?;
        found.1.first().map(String::as_str)
    }
}

/// Variations within variations, at most. No turn of a game has so many before it.
const MAX_DEPTH: usize = 4096;

/// Positions and remarks that are kept, at most: so a tree takes some 300 MB.
const MOST_KEPT: usize = 2_000_000;

/// Text that counts as one remark more.
const LONG: usize = 64;

/// Reads SGF with all its variations. Turns that are not complete are left out.
pub fn read_tree(bytes: &[u8]) -> Result<GameTree, RecordError> {
    let text = text::decode_sgf(bytes);
    grow(&text, MOST_KEPT).map_err(|fault| place(&text, fault))
}

enum Token {
    Open(usize),
    Close,
    Node(Vec<Property>),
}

/// Tells the tokens of a tree one by one: all of them would take many times the text's memory.
fn walk(text: &str, mut tell: impl FnMut(Token) -> Result<(), Fault>) -> Result<(), Fault> {
    let mut cursor = Cursor::new(text);
    let mut depth = 0_usize;
    loop {
        cursor.skip_whitespace();
        let at = cursor.at();
        match cursor.peek() {
            Some('(') => {
                cursor.next();
                depth += 1;
                if depth > MAX_DEPTH {
                    return Err(Reason::Nested(MAX_DEPTH).at(at));
                }
                tell(Token::Open(at))?;
            }
            Some(')') if depth > 0 => {
                cursor.next();
                depth -= 1;
                tell(Token::Close)?;
                if depth == 0 {
                    cursor.skip_whitespace();
                    return cursor.expect_end('(');
                }
            }
            Some(';') if depth > 0 => {
                cursor.next();
                let (mut properties, mut values) = (Vec::new(), 0);
                loop {
                    cursor.skip_whitespace();
                    match cursor.peek() {
                        Some(letter) if letter.is_ascii_alphabetic() => {
                            let property = sgf::property(&mut cursor)?;
                            values += property.values.len();
                            properties.push(property);
                        }
                        _ => break,
                    }
                    if values > MOST_AT_ONE {
                        return Err(Reason::TooLarge(MOST_AT_ONE).at(at));
                    }
                }
                tell(Token::Node(properties))?;
            }
            _ if depth == 0 => return Err(cursor.unexpected("(")),
            _ => return Err(cursor.unexpected("a property, ;, ( or )")),
        }
    }
}

/// Values at one node.
const MOST_AT_ONE: usize = 1 << 16;

/// Where in the tree the reader is.
#[derive(Clone)]
struct Here {
    node: usize,
    position: Position,
    /// Stones of a turn that is not complete.
    turn: Vec<Option<Square>>,
    /// What was said at them.
    said: Vec<(String, Vec<String>)>,
}

fn grow(text: &str, most: usize) -> Result<GameTree, Fault> {
    // How the letters are meant is known only at the end.
    let mut rules = None;
    let mut letters = Letters::default();
    walk(text, |token| {
        if let Token::Node(properties) = token {
            properties
                .iter()
                .for_each(|property| letters.note(property));
            if rules.is_none() {
                rules = Some(sgf::rules(&properties));
            }
        }
        Ok(())
    })?;
    let rules = rules.transpose()?.unwrap_or_default();
    let format = detect_sgf(text);
    let rows = match format {
        Format::StoneSgf => letters.rows(&rules)?,
        _ => RowsFrom::Bottom,
    };
    let mut room = Room { most, left: most };
    let mut tree = GameTree {
        rules,
        nodes: vec![TreeNode {
            parent: None,
            mv: Move::default(),
            properties: Vec::new(),
        }],
    };
    let mut here = Here {
        node: 0,
        position: Position::start(rules),
        turn: Vec::new(),
        said: Vec::new(),
    };
    let mut stack = Vec::new();
    walk(text, |token| {
        match token {
            Token::Open(at) => {
                for (_, values) in &here.said {
                    room.take(values, at)?;
                }
                stack.push(here.clone());
            }
            Token::Close => here = stack.pop().expect("the tokens' brackets are balanced"),
            Token::Node(properties) => {
                for property in properties {
                    let at = property.at;
                    match property.meaning()? {
                        Meaning::Stones(colour) => {
                            for stone in stones(format, text, &property, &rules, rows)? {
                                room.take(&[], at)?;
                                tree.place(&mut here, colour, stone)?;
                            }
                        }
                        Meaning::Other => {
                            let values = property.values.into_iter().map(|value| value.text);
                            let values: Vec<_> = values.collect();
                            room.take(&values, at)?;
                            here.said.push((property.name, values));
                        }
                    }
                }
                if here.turn.is_empty() {
                    tree.nodes[here.node].properties.append(&mut here.said);
                }
            }
        }
        Ok(())
    })?;
    Ok(tree)
}

/// For positions and remarks.
struct Room {
    most: usize,
    left: usize,
}

impl Room {
    /// Room for a position or a property, and for these texts.
    fn take(&mut self, texts: &[String], at: usize) -> Result<(), Fault> {
        let texts = texts.iter().map(|text| 1 + text.len() / LONG);
        let left = self.left.checked_sub(texts.sum::<usize>().max(1));
        self.left = left.ok_or_else(|| Reason::TooLarge(self.most).at(at))?;
        Ok(())
    }
}

fn stones(
    format: Format,
    text: &str,
    property: &Property,
    rules: &Rules,
    rows: RowsFrom,
) -> Result<Vec<Placed>, Fault> {
    if property.values.iter().any(|value| value.text == "resign") {
        return Ok(Vec::new());
    }
    if format == Format::LittleGolem {
        return little_golem::run_together(text, property);
    }
    stone_sgf::placed(property, rules, rows)
}

impl GameTree {
    fn place(&mut self, here: &mut Here, found: Colour, stone: Placed) -> Result<(), Fault> {
        let refuse = |reason: Reason| reason.at(stone.at);
        let expected = here.position.to_move();
        if found != expected && here.position.state() == State::Open {
            return Err(refuse(Reason::OtherSide { expected, found }));
        }
        here.turn.push(stone.square);
        if here.turn.len() < here.position.move_len() {
            return Ok(());
        }
        let squares: Vec<Square> = here.turn.iter().copied().flatten().collect();
        let nulls = (here.turn.len() - squares.len()) as u8;
        let taken = |square| crate::position::PlayError::Taken(square, expected);
        let mv = Move::try_new(squares, nulls).map_err(|twice| refuse(taken(twice).into()))?;
        here.position
            .play(&mv)
            .map_err(|error| refuse(error.into()))?;
        here.turn.clear();
        self.nodes.push(TreeNode {
            parent: Some(here.node),
            mv,
            properties: Vec::new(),
        });
        here.node = self.nodes.len() - 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let tree = read_tree(text.as_bytes()).unwrap();
        let mut paths: Vec<String> = Vec::new();
        for node in &tree.nodes {
            let before = node.parent.map_or("", |parent| &paths[parent]);
            let path = format!("{before}/{}", node.mv);
            paths.push(path);
        }
        paths
    }

    #[test]
    fn variations_branch_where_the_record_says_in_both_dialects() {
        let expected = [
            "/",
            "//J10",
            "//J10/I8 H9",
            "//J10/J9 K9",
            "//J10/J9 K9/K10 L10",
        ];
        let golem = "(;FF[4];B[j10](;W[i8h9])(;W[j9k9];B[k10l10]))";
        assert_eq!(lines(golem), expected);
        let stones = "(;FF[4];B[JJ](;W[IH];W[HI])(;W[JI];W[KI];B[KJ];B[LJ]))";
        assert_eq!(lines(stones), expected);
        let inside_a_turn = "(;B[JJ](;W[IH](;W[HI])(;W[KK])))";
        assert_eq!(
            lines(inside_a_turn),
            ["/", "//J10", "//J10/I8 H9", "//J10/I8 K11"]
        );
    }

    #[test]
    fn words_stay_with_the_turn_they_were_said_at() {
        let tree = read_tree(b"(;C[root];C[one]B[JJ];W[IH]C[half];W[HI]N[two])").unwrap();
        let said: Vec<_> = tree.nodes.iter().map(|node| node.property("C")).collect();
        assert_eq!(said, [Some("root"), Some("one"), Some("half")]);
        assert_eq!(tree.nodes[2].property("N"), Some("two"));
    }

    #[test]
    fn what_breaks_a_rule_or_the_form_is_refused() {
        for text in [
            "",
            ";B[JJ]",
            "(;B[JJ]",
            "(;B[JJ];B[KK])",
            "(;B[JJ];W[JJ];W[KK])",
            "(;AB[JJ])",
            "(;B[JJ];W[KK];W[KK])",
            "(;B[JJ]))",
            "(;B[JJ])(;B[JJ])",
        ] {
            assert!(read_tree(text.as_bytes()).is_err(), "{text}");
        }
        let deep = "(;".repeat(100_000);
        assert!(read_tree(deep.as_bytes()).is_err());
    }

    #[test]
    fn a_tree_with_more_than_there_is_room_for_is_refused() {
        let refused = |text: &str, most| {
            let refused = grow(text, most).map_err(|fault| fault.reason);
            refused == Err(Reason::TooLarge(most))
        };
        let played = "(;B[JJ](;W[IH];W[HI])(;W[KK];W[LL])(;W[MM];W[NN]))";
        assert!(refused(played, 6));
        assert!(!refused(played, 7));
        let said = "(;C[one]C[two];B[JJ]N[three])";
        assert!(refused(said, 3));
        assert!(!refused(said, 4));
        let long = format!("(;C[{}])", "x".repeat(100 * LONG));
        assert!(refused(&long, 100));
        // What is said inside a turn belongs to each of its variations.
        let inside = "(;B[JJ];W[IH]C[half](;W[HI])(;W[KK]))";
        assert!(refused(inside, 6));
        assert!(!refused(inside, 7));
    }
}
