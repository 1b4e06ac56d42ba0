//! Zones of proofs, remembered: a position whose replies are proved one by one is settled after
//! each of them, and the proofs of the others have not changed.

use std::sync::Arc;

use gridproof_certificate::ContentHash;
use gridproof_game::Position;
use gridproof_search::NodeId;
use gridproof_solver::Zone;
use quick_cache::sync::Cache;

/// Whose zone it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ZoneName {
    OfCertificate(ContentHash),
    /// Of a node's proof at a position, as it was at that age of the proofs.
    OfNode {
        node: NodeId,
        at: Box<Position>,
        age: u64,
    },
}

/// The zones that were asked for of late.
#[derive(Debug)]
pub(crate) struct Zones(Cache<ZoneName, Arc<Zone>>);

/// Some 160 MB of Connect6 zones. The openings' largest nodes have a few hundred replies each.
const REMEMBERED: usize = 65_536;

impl Default for Zones {
    fn default() -> Self {
        Self(Cache::new(REMEMBERED))
    }
}

impl Zones {
    pub(crate) fn get_or_make<E>(
        &self,
        name: ZoneName,
        make: impl FnOnce() -> Result<Zone, E>,
    ) -> Result<Arc<Zone>, E> {
        if let Some(zone) = self.0.get(&name) {
            return Ok(zone);
        }
        let zone = Arc::new(make()?);
        self.0.insert(name, Arc::clone(&zone));
        Ok(zone)
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use gridproof_game::{Colour, Rules};
    use gridproof_threats::{Connect6, Geometry, ThreatBoard};

    use super::*;

    fn zone() -> Zone {
        let geometry = Arc::new(Geometry::new(Rules::CONNECT6));
        let start = Position::start(Rules::CONNECT6);
        let board = ThreatBoard::<Connect6>::of_position(geometry, &start).expect("Connect6");
        Zone::completed(&board, Colour::White)
    }

    #[test]
    fn a_zone_is_worked_out_once_for_each_age_of_the_proofs() {
        let (zones, mut made) = (Zones::default(), 0);
        let mut ask = |age| {
            let name = ZoneName::OfNode {
                node: NodeId(7),
                at: Box::new(Position::start(Rules::CONNECT6)),
                age,
            };
            let zone = zones.get_or_make(name, || {
                made += 1;
                Ok::<_, Infallible>(zone())
            });
            zone.map(|_| made)
        };
        assert_eq!(
            [ask(0), ask(0), ask(1), ask(1)],
            [Ok(1), Ok(1), Ok(2), Ok(2)]
        );
    }

    #[test]
    fn what_could_not_be_had_is_asked_for_again() {
        let zones = Zones::default();
        let name = ZoneName::OfCertificate(ContentHash([7; 32]));
        assert!(zones.get_or_make(name.clone(), || Err("gone")).is_err());
        assert!(zones.get_or_make(name, || Ok::<_, &str>(zone())).is_ok());
    }
}
