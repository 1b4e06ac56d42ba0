use std::fmt;

use tonic::Status;
use tonic::metadata::MetadataMap;

/// Who is let in. Asked once for each stream of a worker and each call of an operator, before
/// any of it is read.
pub trait Gate: fmt::Debug + Send + Sync + 'static {
    /// An error should say no more than a stranger may know.
    fn admit_worker(&self, metadata: &MetadataMap) -> Result<WorkerIdentity, Status>;

    fn admit_operator(&self, metadata: &MetadataMap) -> Result<(), Status>;
}

/// What a token says of a worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkerIdentity {
    /// The only name that it may use; any if not said.
    pub name: Option<String>,
}

/// Lets everybody in: for loopback, memory and tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct OpenGate;

impl Gate for OpenGate {
    fn admit_worker(&self, _: &MetadataMap) -> Result<WorkerIdentity, Status> {
        Ok(WorkerIdentity::default())
    }

    fn admit_operator(&self, _: &MetadataMap) -> Result<(), Status> {
        Ok(())
    }
}
