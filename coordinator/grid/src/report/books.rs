use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use crate::logs::{BookState, Sample};
use crate::text;

/// What a book of openings has learnt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BookGrowth {
    pub file: String,
    /// At the beginning and at the end.
    pub positions: [u64; 2],
    /// At the beginning and at the end.
    pub proved: [u64; 2],
    pub games: u64,
    pub searches: u64,
}

impl BookGrowth {
    /// Of each book that samples tell of.
    pub(super) fn of_samples(samples: &[Sample]) -> Vec<Self> {
        let mut books: BTreeMap<&str, (Self, &BookState)> = BTreeMap::new();
        for state in samples.iter().filter_map(|sample| sample.book.as_ref()) {
            let (grown, before) = books.entry(&state.file).or_insert_with(|| {
                let first = Self {
                    file: state.file.clone(),
                    positions: [state.positions; 2],
                    proved: [state.proved; 2],
                    ..Self::default()
                };
                (first, state)
            });
            // Counters that are lower than before began anew.
            let more = |now: u64, before: u64| if now < before { now } else { now - before };
            grown.positions[1] = state.positions;
            grown.proved[1] = state.proved;
            grown.games += more(state.games, before.games);
            grown.searches += more(state.searches, before.searches);
            *before = state;
        }
        books.into_values().map(|(grown, _)| grown).collect()
    }
}

impl fmt::Display for BookGrowth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.proved;
        let [fewer, more] = self.positions;
        write!(
            f,
            "Book {}: {} proved ({} before), {} positions ({} before), by {} and {}.",
            self.file,
            text::count(after),
            text::count(before),
            text::count(more),
            text::count(fewer),
            text::plural(self.games, "game"),
            match self.searches {
                1 => "1 search".to_owned(),
                searches => format!("{} searches", text::count(searches)),
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_of_two_runs_is_told_as_one() {
        let sample = |proved: u64, games: u64| Sample {
            book: Some(BookState {
                file: "games.gpb".to_owned(),
                positions: 10 * proved,
                proved,
                games,
                searches: 1,
            }),
            ..Sample::default()
        };
        let samples = [sample(5, 0), sample(7, 20), sample(7, 0), sample(9, 3)];
        let [grown] = &BookGrowth::of_samples(&samples)[..] else {
            panic!("there is one book")
        };
        assert_eq!((grown.proved, grown.games), ([5, 9], 23));
        assert_eq!(
            grown.to_string(),
            "Book games.gpb: 9 proved (5 before), 90 positions (50 before), by 23 games and 0 \
             searches."
        );
    }
}
