//! Drops from a proof file the replies that its proof does not need.
//!
//! The checker notes which replies no zone rests on. The file is told again without them and
//! what only they rest on, and is checked again, as any file is. A node that is shared may first
//! be told under a reply that goes: it is then told where it is met first among what stays.
//!
//! All of it works on the file's events, a few bytes each, and not on a proof in memory, which
//! takes twenty times as much.

mod retelling;
mod told;

use gridproof_game::Rules;

use crate::check::{CheckLimits, Reason, Refusal, Unneeded};
use crate::file::{
    CheckBudget, CheckedFile, FileRefusal, FormatError, ProofReader, ProofWriter, WriteError,
    check_file_noting, check_file_within,
};

use retelling::{Pass, Retelling};
use told::Told;

/// A proof file that has been checked, and what is left of it.
#[derive(Debug)]
pub struct Pruned {
    /// Of what is left.
    pub checked: CheckedFile,
    /// The file without the replies that it does not need; nothing if it needs them all.
    pub file: Option<Vec<u8>>,
    /// Nodes and replies that the file told before: what its check cost.
    pub events: u64,
}

/// Checks a proof file and drops the replies that its proof does not need. What is left is
/// checked again.
pub fn check_and_prune(
    file: &[u8],
    limits: CheckLimits,
    budget: CheckBudget<'_>,
) -> Result<Pruned, FileRefusal> {
    let mut unneeded = Unneeded::default();
    let checked = check_file_noting(file, limits, budget, Some(&mut unneeded))?;
    if unneeded.0.is_empty() {
        return Ok(Pruned {
            events: checked.events,
            checked,
            file: None,
        });
    }
    let out_of_memory = || {
        let refusal = Refusal {
            path: Vec::new(),
            first: checked.checked.claim.start.to_move(),
            reason: Reason::OutOfMemory(limits.memory),
        };
        FileRefusal::from(Box::new(refusal))
    };
    let pruned = without(file, unneeded, limits).map_err(|error| match error {
        PruneError::Format(FormatError::TooLarge) => out_of_memory(),
        PruneError::Format(error) => error.into(),
        PruneError::Write(error) => unreachable!("a checked proof can be told again: {error}"),
    })?;
    let events = checked.events;
    let checked = check_file_within(&pruned[..], limits, budget)?;
    Ok(Pruned {
        checked,
        file: Some(pruned),
        events,
    })
}

#[derive(Debug, thiserror::Error)]
enum PruneError {
    #[error(transparent)]
    Format(#[from] FormatError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

fn without(file: &[u8], unneeded: Unneeded, limits: CheckLimits) -> Result<Vec<u8>, PruneError> {
    let reader = ProofReader::new(file)?;
    let claim = reader.claim().clone();
    let rules: Rules = *claim.start.rules();
    let events = reader.event_bytes(limits.memory.min(u32::MAX.into()))?;
    let told = Told::new(rules, events, unneeded)?;
    let mut counting = Retelling::new(&told, Pass::Counting);
    while counting.next_event()?.is_some() {}
    let nodes = counting.nodes();
    let visits = counting.into_visits();
    let mut writer = ProofWriter::new(Vec::new(), claim, nodes)?;
    let mut telling = Retelling::new(&told, Pass::Telling(&visits));
    while let Some(event) = telling.next_event()? {
        writer.write(&event)?;
    }
    Ok(writer.finish()?.0)
}
