use std::fmt;

use gridproof_game::Move;

use super::board::{Board, Side};
use super::defence::Defence;
use super::guard::{Guard, Guards};
use super::refusal::{Reason, Refusal};
use super::reply::{CheckedReply, ReplyZone};
use super::shared::SharedNodes;
use super::zone::Zone;
use super::{CheckLimits, Checked, Claim, attack, legal};
use crate::event::{Event, EventSource, Grammar, GrammarError, SharedId};
use crate::stats::NodeStats;

/// Why a stream of events is not accepted.
#[derive(Debug)]
pub(crate) enum CheckError<E> {
    Source(E),
    Refused(Box<Refusal>),
}

/// Checks the proof that the events tell. They are read up to the proof's last node and no
/// further.
pub(crate) fn check_events<S: EventSource>(
    claim: Claim,
    source: &mut S,
    limits: CheckLimits,
    guards: Guards,
) -> Result<Checked, CheckError<S::Error>> {
    check_noting(claim, source, limits, guards, None)
}

/// The same; notes which of the events tell replies that the proof does not need.
pub(crate) fn check_noting<S: EventSource>(
    claim: Claim,
    source: &mut S,
    limits: CheckLimits,
    guards: Guards,
    unneeded: Option<&mut Unneeded>,
) -> Result<Checked, CheckError<S::Error>> {
    let mut checker = EventChecker::noting(claim, limits, guards, unneeded)?;
    while !checker.is_complete() {
        let event = source.next_event().map_err(CheckError::Source)?;
        checker.take(event)?;
    }
    Ok(checker.finish()?)
}

impl<E> From<Box<Refusal>> for CheckError<E> {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

/// Checks a proof that is told to it event by event, so that it need not fit in memory.
pub struct EventChecker<'a> {
    claim: Claim,
    checker: Checker<'a>,
    proved: Option<CheckedNode>,
}

impl<'a> EventChecker<'a> {
    /// Begins with what is to be proved.
    pub fn new(claim: Claim, limits: CheckLimits) -> Result<Self, Box<Refusal>> {
        Self::noting(claim, limits, Guards::default(), None)
    }

    fn noting(
        claim: Claim,
        limits: CheckLimits,
        guards: Guards,
        unneeded: Option<&'a mut Unneeded>,
    ) -> Result<Self, Box<Refusal>> {
        let checker = Checker::new(&claim, limits, guards, unneeded);
        let legal = legal::check_start(&claim);
        let checker = Self {
            claim,
            checker,
            proved: None,
        };
        match legal {
            Ok(()) => Ok(checker),
            Err(reason) => Err(checker.refusal(reason)),
        }
    }

    /// Takes the next event.
    pub fn take(&mut self, event: Event) -> Result<(), Box<Refusal>> {
        match self.checker.take(event) {
            Ok(None) => Ok(()),
            Ok(proved) => {
                self.proved = proved;
                Ok(())
            }
            Err(reason) => Err(self.refusal(reason)),
        }
    }

    /// Whether the proof has been told to its end.
    pub const fn is_complete(&self) -> bool {
        self.proved.is_some()
    }

    /// What has been proved.
    pub fn finish(mut self) -> Result<Checked, Box<Refusal>> {
        let Some(proved) = self.proved.take() else {
            return Err(self.refusal(GrammarError::Incomplete.into()));
        };
        if !self.checker.shared.is_empty() {
            return Err(self.refusal(Reason::SharedTooSeldom));
        }
        Ok(Checked {
            claim: self.claim,
            first_move: self.checker.first_move,
            nodes: self.checker.nodes,
            depth: proved.stats.depth,
            lambda: proved.stats.lambda,
            explicit_moves: self.checker.explicit_moves,
            zone: proved.zone,
        })
    }

    fn refusal(&self, reason: Reason) -> Box<Refusal> {
        Box::new(Refusal {
            path: self.checker.path(),
            first: self.claim.start.to_move(),
            reason,
        })
    }
}

impl fmt::Debug for EventChecker<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventChecker")
            .field("claim", &self.claim)
            .field("nodes", &self.checker.nodes)
            .finish_non_exhaustive()
    }
}

/// What is known of a node once everything under it has been checked.
#[derive(Debug)]
pub(crate) struct CheckedNode {
    pub(crate) zone: Zone,
    pub(crate) stats: NodeStats,
}

/// Replies that their node's zone does not rest on, by the numbers of their events. A reply
/// whose proof answers one that is needed is needed.
#[derive(Debug, Default)]
pub(crate) struct Unneeded(pub(crate) Vec<u32>);

/// The checker between two events: the nodes from the root to the one at hand are on a
/// stack of its own, so that a deep proof cannot exhaust the program's.
struct Checker<'a> {
    guards: Guards,
    limits: CheckLimits,
    grammar: Grammar,
    board: Board,
    open_nodes: Vec<OpenNode>,
    shared: SharedNodes,
    next_shared: SharedId,
    /// Bytes of the replies that the open nodes hold.
    reply_bytes: u64,
    nodes: u64,
    explicit_moves: u64,
    first_move: Option<Move>,
    /// Events taken.
    events: u64,
    unneeded: Option<&'a mut Unneeded>,
}

/// A node whose children are not all checked yet.
struct OpenNode {
    share: Option<Share>,
    turn: OpenTurn,
}

enum OpenTurn {
    /// The attacker has made this move.
    Attack(Move),
    Defend(OpenDefence),
}

struct OpenDefence {
    defence: Defence,
    replies: Vec<CheckedReply>,
    /// The events that told them, where somebody wants to know.
    told: Vec<u32>,
    left: u32,
    /// The reply that is being checked; its stones are on the board.
    current: Option<Move>,
    stats: NodeStats,
}

impl Unneeded {
    fn note(&mut self, node: &OpenDefence, mut needed: Vec<bool>) {
        for (reply, checked) in node.replies.iter().enumerate() {
            if needed[reply]
                && let ReplyZone::Like { reply: model, .. } = checked.zone
            {
                needed[model] = true;
            }
        }
        let told = node.told.iter().zip(needed);
        let unneeded = told.filter(|(_, needed)| !needed);
        self.0.extend(unneeded.map(|(event, _)| *event));
    }

    const fn bytes(&self) -> u64 {
        (self.0.len() * size_of::<u32>()) as u64
    }
}

#[derive(Clone, Copy)]
struct Share {
    id: SharedId,
    later: u32,
}

impl<'a> Checker<'a> {
    fn new(
        claim: &Claim,
        limits: CheckLimits,
        guards: Guards,
        unneeded: Option<&'a mut Unneeded>,
    ) -> Self {
        Self {
            guards,
            limits,
            grammar: Grammar::new(claim.start.to_move() == claim.attacker),
            board: Board::new(&claim.start, claim.attacker),
            open_nodes: Vec::new(),
            shared: SharedNodes::default(),
            next_shared: SharedId(0),
            reply_bytes: 0,
            nodes: 0,
            explicit_moves: 0,
            first_move: None,
            events: 0,
            unneeded,
        }
    }

    /// The moves from the start to the node at hand.
    fn path(&self) -> Vec<Move> {
        let move_of = |node: &OpenNode| match &node.turn {
            OpenTurn::Attack(mv) => Some(mv.clone()),
            OpenTurn::Defend(defence) => defence.current.clone(),
        };
        self.open_nodes.iter().filter_map(move_of).collect()
    }

    /// Takes the next event; the root's proof once it is complete.
    fn take(&mut self, event: Event) -> Result<Option<CheckedNode>, Reason> {
        let to_move = self.grammar.admit(&event)?;
        self.events += 1;
        let closed = match event {
            Event::Attack {
                mv,
                completes,
                later,
            } => {
                let share = self.count_node(later);
                self.attack(mv, completes, share)?
            }
            Event::Defend { replies, later } => {
                let share = self.count_node(later);
                self.defend(replies, share)?
            }
            Event::Reply { mv, like } => self.reply(mv, like)?,
            Event::Again(id) => {
                let same_position = self.guards.hold(Guard::SharedNodesAgree);
                Some(
                    self.shared
                        .recall(id, &self.board, to_move, same_position)?,
                )
            }
        };
        match closed {
            Some(proved) => self.deliver(proved),
            None => Ok(None),
        }
    }

    fn count_node(&mut self, later: u32) -> Option<Share> {
        self.nodes += 1;
        (later > 0).then(|| {
            let id = self.next_shared;
            self.next_shared.0 += 1;
            Share { id, later }
        })
    }

    fn attack(
        &mut self,
        mv: Move,
        completes: bool,
        share: Option<Share>,
    ) -> Result<Option<CheckedNode>, Reason> {
        if self.open_nodes.is_empty() {
            self.first_move = Some(mv.clone());
        }
        debug_assert!(
            !self.board.has_completed(Side::Defender)
                || !self.guards.hold(Guard::DefenderCannotComplete),
            "no proof goes on where the defender could complete a line"
        );
        legal::check_attack(&self.board, &mv, self.guards)?;
        self.board.play(Side::Attacker, &mv);
        match (completes, self.board.has_completed(Side::Attacker)) {
            (false, false) => {
                let turn = OpenTurn::Attack(mv);
                self.open_nodes.push(OpenNode { share, turn });
                Ok(None)
            }
            (false, true) => Err(Reason::GoesOnAfterCompletion(mv)),
            (true, false) if self.guards.hold(Guard::CompletionIsReal) => {
                Err(Reason::CompletesNothing(mv))
            }
            (true, _) => {
                let proved = CheckedNode {
                    zone: attack::take_back_completion(&mut self.board, &mv, self.guards),
                    stats: NodeStats::COMPLETION,
                };
                self.remember(share, Side::Attacker, &proved)?;
                Ok(Some(proved))
            }
        }
    }

    fn defend(
        &mut self,
        replies: u32,
        share: Option<Share>,
    ) -> Result<Option<CheckedNode>, Reason> {
        let turn = OpenTurn::Defend(OpenDefence {
            defence: Defence::new(&self.board, self.guards)?,
            replies: Vec::new(),
            told: Vec::new(),
            left: replies,
            current: None,
            stats: NodeStats::DEFENCE,
        });
        self.open_nodes.push(OpenNode { share, turn });
        match replies {
            0 => self.close_defence().map(Some),
            _ => Ok(None),
        }
    }

    fn reply(&mut self, mv: Move, like: Option<u32>) -> Result<Option<CheckedNode>, Reason> {
        legal::check_reply(&self.board, &mv)?;
        if self.unneeded.is_some() {
            let event = u32::try_from(self.events - 1).map_err(|_| self.out_of_memory())?;
            self.open_defence().0.told.push(event);
        }
        let Some(like) = like else {
            self.board.play(Side::Defender, &mv);
            let quiet = self.open_defence().0.defence.is_quiet();
            self.explicit_moves += u64::from(quiet && !mv.is_null());
            self.open_defence().0.current = Some(mv);
            return Ok(None);
        };
        let guards = self.guards;
        let (open, board) = self.open_defence();
        let settled = CheckedReply::replayed(board, &open.replies, &mv, like, guards)?;
        open.stats.count_reply(mv.nulls(), settled.stats);
        self.settle(settled)
    }

    /// Adds a checked reply to the open node; the node's proof when it was the last.
    fn settle(&mut self, reply: CheckedReply) -> Result<Option<CheckedNode>, Reason> {
        self.reply_bytes += reply.bytes();
        self.check_memory()?;
        let (open, _) = self.open_defence();
        open.replies.push(reply);
        open.left -= 1;
        match open.left {
            0 => self.close_defence().map(Some),
            _ => Ok(None),
        }
    }

    fn close_defence(&mut self) -> Result<CheckedNode, Reason> {
        let node = self.open_nodes.pop();
        let Some(OpenNode {
            share,
            turn: OpenTurn::Defend(open),
        }) = node
        else {
            unreachable!("the grammar sees to it that a defender's node is open");
        };
        let defence = &open.defence;
        let (zone, needed) = defence.zone(&self.board, &open.replies, self.guards)?;
        if let Some(unneeded) = &mut self.unneeded {
            unneeded.note(&open, needed);
        }
        self.reply_bytes -= open.replies.iter().map(CheckedReply::bytes).sum::<u64>();
        let stats = open.stats;
        let proved = CheckedNode { zone, stats };
        self.remember(share, Side::Defender, &proved)?;
        Ok(proved)
    }

    /// Hands a node's proof to its parent, and on from there as long as parents close.
    fn deliver(&mut self, mut proved: CheckedNode) -> Result<Option<CheckedNode>, Reason> {
        loop {
            let Some(parent) = self.open_nodes.last_mut() else {
                return Ok(Some(proved));
            };
            let closed = match &mut parent.turn {
                OpenTurn::Attack(_) => Some(self.close_attack(proved)),
                OpenTurn::Defend(open) => {
                    let mv = open.current.take().expect("a node's child answers a reply");
                    open.stats.count_reply(mv.nulls(), proved.stats);
                    self.board.take_back(Side::Defender, &mv);
                    self.settle(CheckedReply {
                        stones: mv.stones().into(),
                        zone: ReplyZone::Own(proved.zone),
                        stats: proved.stats,
                    })
                    .transpose()
                }
            };
            match closed {
                Some(next) => proved = next?,
                None => return Ok(None),
            }
        }
    }

    fn close_attack(&mut self, then: CheckedNode) -> Result<CheckedNode, Reason> {
        let node = self.open_nodes.pop();
        let Some(OpenNode {
            share,
            turn: OpenTurn::Attack(mv),
        }) = node
        else {
            unreachable!("the caller saw an attacker's node");
        };
        self.board.take_back(Side::Attacker, &mv);
        let proved = CheckedNode {
            zone: attack::zone_before(&mv, then.zone, self.guards),
            stats: NodeStats::attack(then.stats),
        };
        self.remember(share, Side::Attacker, &proved)?;
        Ok(proved)
    }

    fn remember(
        &mut self,
        share: Option<Share>,
        to_move: Side,
        proved: &CheckedNode,
    ) -> Result<(), Reason> {
        let Some(Share { id, later }) = share else {
            return Ok(());
        };
        self.shared.insert(id, &self.board, to_move, proved, later);
        self.check_memory()
    }

    fn check_memory(&self) -> Result<(), Reason> {
        let noted = self.unneeded.as_ref().map_or(0, |noted| noted.bytes());
        if self.shared.bytes() + self.reply_bytes + noted > self.limits.memory {
            return Err(self.out_of_memory());
        }
        Ok(())
    }

    const fn out_of_memory(&self) -> Reason {
        Reason::OutOfMemory(self.limits.memory)
    }

    fn open_defence(&mut self) -> (&mut OpenDefence, &Board) {
        match self.open_nodes.last_mut().map(|node| &mut node.turn) {
            Some(OpenTurn::Defend(open)) => (open, &self.board),
            _ => unreachable!("the grammar admits replies at a defender's node only"),
        }
    }
}
