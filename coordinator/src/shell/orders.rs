//! What operators want.

use super::actor::Actor;
use super::carry_out::Along;
use super::effects::Round;
use super::handle::{Leaving, Submission};
use crate::core::{Event, Handled, Nonsense, Order, SearchId, Verdict};
use crate::store::Note;

impl Actor {
    pub(super) fn start_search(
        &mut self,
        submission: Submission,
        round: &mut Round,
    ) -> Result<SearchId, Nonsense> {
        let Submission {
            game,
            root,
            attacker,
            share,
        } = submission;
        let same = self.core.find(&root, attacker).and_then(|(node, _)| {
            let mut running = self.core.searches().filter(|search| !search.stopped);
            running.find(|search| search.root == node)
        });
        if let Some(same) = same {
            return Ok(same.search);
        }
        let last = self.core.searches().map(|search| search.search.0).max();
        let search = SearchId(last.unwrap_or(0) + 1);
        let order = Order::Start {
            search,
            root: Box::new(root),
            attacker,
            share,
        };
        self.verdicts.insert(search, Verdict::Open);
        match self.handle(&Event::Order(order), Along::default(), round) {
            Handled::Done => {
                round.note(Note::Game {
                    search,
                    game: game.clone(),
                });
                self.games.insert(search, game);
                Ok(search)
            }
            Handled::Ignored(nonsense) => Err(nonsense),
        }
    }

    pub(super) fn order(&mut self, order: Order, round: &mut Round) -> Result<(), Nonsense> {
        if let Order::Withdraw { worker } = order {
            self.proofs.withdraw(worker);
            // Also if it is away just now: it would come back as if nothing had happened.
            self.banned.insert(worker);
            if let Some(id) = self.connections.get(&worker).map(|known| known.id) {
                let words = "an operator withdrew its results".to_owned();
                self.left(id, Leaving::CutOff(words), round);
            }
        }
        match self.handle(&Event::Order(order), Along::default(), round) {
            Handled::Done => Ok(()),
            Handled::Ignored(nonsense) => Err(nonsense),
        }
    }
}
