use std::rc::Rc;
use std::sync::Arc;

use gridproof_certificate::Proof;
use gridproof_game::{Colour, Move, Position, Rules, State};
use gridproof_threats::{AnyBoard, Geometry, Shape, ThreatBoard, TooManyAttacks, with_board};

use crate::budget::Budget;
use crate::options::SolverOptions;
use crate::order::Order;
use crate::outcome::{Outcome, SolveError, Verdict, Verification, Win};
use crate::proof_zone::proof_zone;
use crate::search::Searcher;
use crate::verifier::{Findings, ListedReply, ProvedReply, ReplyZone, Verifier, VerifierOptions};
use crate::zone::{Zone, ZoneOfReply};

/// Solves positions of one game.
///
/// Every answer depends on the position, the options and the budget alone, never on time or
/// on earlier questions.
#[derive(Clone, Debug)]
pub struct Solver {
    geometry: Arc<Geometry>,
}

impl Solver {
    /// A solver for positions of these rules.
    #[must_use]
    pub fn new(rules: Rules) -> Self {
        Self {
            geometry: Arc::new(Geometry::new(rules)),
        }
    }

    /// Whether positions of a game can be searched and the proofs checked. Ask before a search
    /// is begun.
    pub fn supports(rules: &Rules) -> Result<(), SolveError> {
        gridproof_certificate::supports(rules)?;
        Ok(TooManyAttacks::check(rules)?)
    }

    /// Looks for a win of the side to move, order by order up to that of the options.
    pub fn win(
        &self,
        position: &Position,
        options: SolverOptions,
        budget: &mut Budget<'_>,
    ) -> Result<Outcome, SolveError> {
        check(position)?;
        Ok(with_board!(self.board(position), |board| {
            win(board, position, options, budget)
        }))
    }

    /// Whether the side that is not to move wins, whatever the other does. Each reply of the
    /// defender is told to `findings` as soon as it is settled or found to be open.
    pub fn verify(
        &self,
        position: &Position,
        options: VerifierOptions<'_>,
        budget: &mut Budget<'_>,
        findings: &mut dyn Findings,
    ) -> Result<Verification, SolveError> {
        check(position)?;
        let attacker = position.to_move().other();
        for ProvedReply { mv, proof } in options.known.answered {
            let mut after = position.clone();
            if after.play(mv).is_err() || after != *proof.start() || attacker != proof.attacker() {
                return Err(SolveError::OtherPosition(mv.clone()));
            }
        }
        Ok(with_board!(self.board(position), |board| {
            verify(board, position, options, budget, findings)
        }))
    }

    /// What the proofs of some replies are worth together, without any search. If they prove
    /// the position, [`join_replies`](crate::join_replies) makes one proof of them.
    pub fn settle(
        &self,
        position: &Position,
        zones: &[ReplyZone],
    ) -> Result<Verdict<Vec<ListedReply>>, SolveError> {
        check(position)?;
        let options = VerifierOptions {
            nodes_per_reply: 0,
            ..VerifierOptions::default()
        };
        let (mut budget, mut findings) = (Budget::of_nodes(u64::MAX), ());
        Ok(with_board!(self.board(position), |board| {
            let mut verifier = Verifier::new(position, board, options, &mut budget, &mut findings);
            verifier.zones = zones;
            verifier.run().map(|()| verifier.listed())
        }))
    }

    /// The zone of a proof, worked out from its moves. Whether the proof holds is the checker's
    /// to say.
    #[must_use]
    pub fn zone(&self, proof: &Proof) -> Zone {
        let zone = with_board!(self.board(proof.start()), |board| {
            let mut board = board;
            proof_zone(&mut board, proof.attacker(), proof)
        });
        Rc::unwrap_or_clone(zone)
    }

    /// The zone of a position where the defender is to move and these replies are answered: each
    /// with the zone after it, or with the number of an earlier reply whose proof answers it.
    pub fn zone_of_replies(
        &self,
        position: &Position,
        replies: &[(Move, Result<Arc<Zone>, usize>)],
    ) -> Zone {
        let attacker = position.to_move().other();
        let mut zones: Vec<Rc<Zone>> = Vec::with_capacity(replies.len());
        for (_, answer) in replies {
            zones.push(match answer {
                Ok(zone) => Rc::new(Zone::clone(zone)),
                Err(like) => Rc::clone(&zones[*like]),
            });
        }
        let answers = replies.iter().zip(&zones).map(|((mv, answer), zone)| {
            let like = answer.as_ref().err();
            ZoneOfReply {
                zone,
                stones: mv.stones(),
                like: like.map(|like| replies[*like].0.stones()),
            }
        });
        with_board!(self.board(position), |board| {
            Zone::of_defence(&board, attacker, answers)
        })
    }

    fn board(&self, position: &Position) -> AnyBoard {
        AnyBoard::of_position(Arc::clone(&self.geometry), position)
    }
}

fn win<S: Shape>(
    board: ThreatBoard<S>,
    position: &Position,
    options: SolverOptions,
    budget: &mut Budget<'_>,
) -> Outcome {
    Searcher::new(board, position.to_move()).win(position, options, budget)
}

fn verify<S: Shape>(
    board: ThreatBoard<S>,
    position: &Position,
    options: VerifierOptions<'_>,
    budget: &mut Budget<'_>,
    findings: &mut dyn Findings,
) -> Verification {
    let mut verifier = Verifier::new(position, board, options, budget, findings);
    let verdict = verifier.run().map(|()| {
        Box::new(Win {
            proof: verifier.proof(),
            zone: verifier.zone(),
            order: Order(options.solver.order.0 + 1),
        })
    });
    Verification {
        verdict,
        counts: verifier.counts,
        all_replies_examined: !verifier.stopped_early,
        answered: verifier.answered(),
    }
}

fn check(position: &Position) -> Result<(), SolveError> {
    match position.state() {
        State::Won(colour) => return Err(SolveError::Won(colour)),
        State::Drawn => return Err(SolveError::Drawn),
        State::Open => {}
    }
    let rules = *position.rules();
    TooManyAttacks::check(&rules)?;
    let first_turn = position.stone_count() == 0 && position.to_move() == Colour::Black;
    if first_turn && rules.first_stones() != rules.stones_per_turn() {
        return Err(SolveError::FirstTurn {
            rules,
            expected: rules.first_stones(),
        });
    }
    Ok(())
}
