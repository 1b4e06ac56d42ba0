use std::sync::Arc;

use gridproof_game::Rules;
use gridproof_threats::patterns::Catalogue;

/// The Connection types of a game. Making them takes longer than a quick game, so those of
/// Connect6 are made once.
#[derive(Clone, Debug)]
pub(super) enum ConnectionTypes {
    Connect6(&'static Catalogue),
    Other(Arc<Catalogue>),
    /// Games with other than two stones a turn have no types.
    None,
}

impl ConnectionTypes {
    pub(super) fn of(rules: &Rules) -> Self {
        if *rules == Rules::CONNECT6 {
            return Self::Connect6(Catalogue::connect6());
        }
        Catalogue::new(rules).map_or(Self::None, |types| Self::Other(Arc::new(types)))
    }

    pub(super) fn catalogue(&self) -> Option<&Catalogue> {
        match self {
            Self::Connect6(types) => Some(types),
            Self::Other(types) => Some(types),
            Self::None => None,
        }
    }
}
