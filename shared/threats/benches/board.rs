//! Speed of the threat board, and of its naive twin in the same run:
//! `cargo bench -p gridproof-threats --bench board`.

#[path = "../tests/support/naive.rs"]
mod naive;
#[path = "support/positions.rs"]
mod positions;

use divan::{Bencher, black_box, counter::ItemsCount};
use gridproof_game::Colour;
use gridproof_threats::AttackList;
use gridproof_threats::patterns::Catalogue;
use naive::NaiveBoard;
use positions::{Fixture, fixtures};

fn main() {
    divan::main();
}

/// A stone placed and taken back on each busy square of each position.
mod place_and_undo {
    use super::*;

    #[divan::bench]
    fn threat_board(bencher: Bencher) {
        let mut fixtures = fixtures();
        let stones: usize = fixtures.iter().map(|f| f.busy.len()).sum();
        bencher.counter(ItemsCount::new(stones)).bench_local(|| {
            for Fixture { board, busy, .. } in &mut fixtures {
                for (i, &square) in busy.iter().enumerate() {
                    board.place(square, Colour::BOTH[i % 2]);
                    black_box(&board);
                    board.undo();
                }
            }
        });
    }

    /// The same knowledge after every change: both sides' threats, what could become one,
    /// and whether a line is complete.
    #[divan::bench]
    fn naive_twin(bencher: Bencher) {
        // A few positions are enough, and a sample is over before the machine is busy otherwise.
        let mut boards: Vec<_> = fixtures()
            .into_iter()
            .step_by(16)
            .map(|f| {
                let mut board = NaiveBoard::new(*f.board.rules());
                for (square, colour) in f.stones {
                    board.place(square, colour);
                }
                (board, f.busy)
            })
            .collect();
        let stones: usize = boards.iter().map(|(_, busy)| busy.len()).sum();
        let know = |board: &NaiveBoard| {
            for colour in Colour::BOTH {
                black_box(board.has_completed(colour));
                black_box(board.threats(colour).count());
                black_box(board.seeds(colour).count());
            }
        };
        bencher.counter(ItemsCount::new(stones)).bench_local(|| {
            for (board, busy) in &mut boards {
                for (i, &square) in busy.iter().enumerate() {
                    board.place(square, Colour::BOTH[i % 2]);
                    know(board);
                    board.remove(square);
                    know(board);
                }
            }
        });
    }
}

/// All moves of the side to move that make at least so many threats.
#[divan::bench(args = [1, 2, 3])]
fn attacks(bencher: Bencher, least: u32) {
    let fixtures = fixtures();
    let mut found = AttackList::new();
    bencher
        .counter(ItemsCount::new(fixtures.len()))
        .bench_local(|| {
            for Fixture { board, to_move, .. } in &fixtures {
                board.attacks_into(*to_move, least, &mut found);
                black_box(&found);
            }
        });
}

/// After a double threat: how the other side can block.
mod after_a_double_threat {
    use super::*;

    fn after_it() -> Vec<Fixture> {
        let mut fixtures = fixtures();
        for f in &mut fixtures {
            f.board.place_all(&f.winning_pair, f.to_move);
        }
        fixtures
    }

    #[divan::bench]
    fn minimal_blocks(bencher: Bencher) {
        let fixtures = after_it();
        bencher
            .counter(ItemsCount::new(fixtures.len()))
            .bench_local(|| {
                for Fixture { board, to_move, .. } in &fixtures {
                    black_box(board.minimal_blocks(*to_move));
                }
            });
    }

    /// The same, before the double threat is on the board.
    #[divan::bench]
    fn minimal_blocks_after(bencher: Bencher) {
        let fixtures = fixtures();
        bencher
            .counter(ItemsCount::new(fixtures.len()))
            .bench_local(|| {
                for f in &fixtures {
                    black_box(f.board.minimal_blocks_after(f.to_move, &f.winning_pair));
                }
            });
    }

    #[divan::bench]
    fn threat_number(bencher: Bencher) {
        let fixtures = after_it();
        bencher
            .counter(ItemsCount::new(fixtures.len()))
            .bench_local(|| {
                for Fixture { board, to_move, .. } in &fixtures {
                    black_box(board.threat_number(*to_move));
                }
            });
    }
}

/// What evaluation asks of the patterns, for both sides.
mod patterns {
    use super::*;

    /// The types of all Connections on the board.
    #[divan::bench]
    fn connections(bencher: Bencher) {
        let fixtures = fixtures();
        let catalogue = Catalogue::connect6();
        bencher
            .counter(ItemsCount::new(fixtures.len()))
            .bench_local(|| {
                for Fixture { board, .. } in &fixtures {
                    for colour in Colour::BOTH {
                        for line in board.geometry().lines() {
                            for connection in board.connections(line, colour) {
                                black_box(catalogue.type_of(&connection));
                            }
                        }
                    }
                }
            });
    }

    /// Made once for a game.
    #[divan::bench(sample_count = 10)]
    fn catalogue() -> usize {
        Catalogue::new(&gridproof_game::Rules::CONNECT6).map_or(0, |catalogue| catalogue.len())
    }
}
