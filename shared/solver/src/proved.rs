use std::rc::Rc;
use std::sync::Arc;

use gridproof_certificate::Proof;

use crate::limits::Order;
use crate::zone::Zone;

/// A won position inside the solver, where several may hold on to it.
#[derive(Clone, Debug)]
pub(crate) struct Proved {
    pub(crate) proof: Arc<Proof>,
    pub(crate) zone: Rc<Zone>,
    /// Of the search that found it.
    pub(crate) order: Order,
}

impl Proved {
    pub(crate) fn new(proof: Proof, zone: Rc<Zone>, order: Order) -> Self {
        let proof = Arc::new(proof);
        Self { proof, zone, order }
    }
}
