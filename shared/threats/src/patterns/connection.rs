use gridproof_game::Colour;

use crate::board::ThreatBoard;
use crate::geometry::LineId;
use crate::shape::Shape;
use crate::windows::lowest;

/// Neighbouring squares of a line, as many as there are without a stone of the other side,
/// and at least k: a place where a row can be won.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Connection {
    /// The offset of its first square on the line.
    pub start: u8,
    /// How many squares it has.
    pub length: u8,
    /// Its shape: the owner's stones, bit 0 on its first square.
    pub stones: u32,
}

impl Connection {
    /// The Connections of one side on a line, from its stones and the squares that the other
    /// side has not taken.
    pub fn of_line(k: u32, stones: u32, free: u32) -> impl Iterator<Item = Self> {
        let mut left = free;
        std::iter::from_fn(move || {
            while left != 0 {
                let connection = Self::at(left.trailing_zeros(), stones, left);
                let length = u32::from(connection.length);
                left &= !(lowest(length) << connection.start);
                if length >= k {
                    return Some(connection);
                }
            }
            None
        })
    }

    fn at(start: u32, stones: u32, free: u32) -> Self {
        let length = (free >> start).trailing_ones();
        Self {
            start: start as u8,
            length: length as u8,
            stones: stones >> start & lowest(length),
        }
    }

    /// Its squares without a stone, bit 0 on its first square.
    pub(super) const fn empties(&self) -> u32 {
        !self.stones & lowest(self.length as u32)
    }

    /// The Connection after its owner places a stone, counted from its first square.
    #[must_use]
    pub const fn with_stone(mut self, offset: u8) -> Self {
        debug_assert!(offset < self.length && self.stones >> offset & 1 == 0);
        self.stones |= 1 << offset;
        self
    }
}

impl<S: Shape> ThreatBoard<S> {
    /// A side's Connections on a line. On an empty line both sides have the same one.
    pub fn connections(
        &self,
        line: LineId,
        colour: Colour,
    ) -> impl Iterator<Item = Connection> + use<S> {
        let k = self.shape().in_a_row();
        let free = self.geometry().whole(line) & !self.stones_on(line, colour.other());
        Connection::of_line(k, self.stones_on(line, colour), free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets from left to right: own stones `x`, the other side's `o`.
    fn line(text: &str) -> (u32, u32) {
        let mask = |of: char| {
            let places = text.chars().zip(0..).filter(|(c, _)| *c == of);
            places.fold(0, |mask, (_, i)| mask | 1 << i)
        };
        (mask('x'), lowest(text.len() as u32) & !mask('o'))
    }

    fn connections(text: &str) -> Vec<(u8, u8, u32)> {
        let (stones, free) = line(text);
        Connection::of_line(6, stones, free)
            .map(|c| (c.start, c.length, c.stones))
            .collect()
    }

    #[test]
    fn a_line_falls_into_runs_without_the_other_sides_stones() {
        assert_eq!(
            connections(".x.x.....o......oo.x..."),
            [(0, 9, 0b1010), (10, 6, 0)]
        );
        assert_eq!(connections("..................."), [(0, 19, 0)]);
        assert_eq!(connections(".....o.....o.....o."), []);
        assert_eq!(connections("ooo"), []);
    }

    /// Proposition 3 of the paper.
    #[test]
    fn a_line_of_19_has_two_connections_of_a_side_at_most() {
        let most = (0..1 << 19).map(|enemy: u32| {
            let free = lowest(19) & !enemy;
            Connection::of_line(6, 0, free).count()
        });
        assert_eq!(most.max(), Some((19 + 1) / (6 + 1)));
    }
}
