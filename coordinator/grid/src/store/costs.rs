//! What a store is full of: its largest records, and whose they are.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use gridproof_search::{Fact, NodeId, WorkerId};

use super::{Note, Record, Store, StoreError};

/// Where a store's bytes come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Costs {
    /// Workers, who cost most first.
    pub workers: Vec<WorkerCost>,
    /// The largest records, largest first.
    pub records: Vec<RecordCost>,
}

/// What a worker said, all together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerCost {
    pub name: String,
    pub records: u64,
    pub bytes: u64,
}

/// A record with the certificates that no record before it rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordCost {
    /// Counts from 0.
    pub number: u64,
    pub bytes: u64,
    pub what: String,
    pub node: Option<NodeId>,
    /// The worker whose word it is.
    pub by: Option<String>,
}

/// Reads all of a store, and names its `count` largest records.
pub fn costs(store: &dyn Store, count: usize) -> Result<Costs, StoreError> {
    // A worker is named before its first word.
    let mut workers: BTreeMap<WorkerId, WorkerCost> = BTreeMap::new();
    let mut records = Vec::new();
    let mut known = HashSet::new();
    // A proof's record does not say who sent it: whose answer came before it does.
    let mut answered: HashMap<NodeId, WorkerId> = HashMap::new();
    for (number, record) in (0..).zip(store.records()) {
        let record = record?;
        let mut bytes = record.encode().len() as u64;
        for hash in record.certificates() {
            if known.insert(hash) {
                let certificate = store.certificate(hash)?;
                bytes += certificate.map_or(0, |certificate| certificate.len() as u64);
            }
        }
        match &record {
            Record::Note(Note::Worker { worker, name }) => {
                cost_of(&mut workers, *worker).name.clone_from(name);
            }
            Record::Fact(Fact::Answered { node, by, .. }) => {
                answered.insert(*node, *by);
            }
            _ => {}
        }
        let (what, node, by) = in_words(&record);
        let by = by.or_else(|| answered.get(&node?).copied());
        let by = by.map(|worker| {
            let cost = cost_of(&mut workers, worker);
            cost.records += 1;
            cost.bytes += bytes;
            cost.name.clone()
        });
        records.push(RecordCost {
            number,
            bytes,
            what,
            node,
            by,
        });
        if records.len() >= 2 * count.max(1) {
            keep_largest(&mut records, count);
        }
    }
    keep_largest(&mut records, count);
    let mut workers: Vec<_> = workers.into_values().collect();
    workers.retain(|cost| cost.records > 0);
    workers.sort_by_key(|cost| Reverse(cost.bytes));
    Ok(Costs { workers, records })
}

fn cost_of(workers: &mut BTreeMap<WorkerId, WorkerCost>, worker: WorkerId) -> &mut WorkerCost {
    workers.entry(worker).or_insert_with(|| WorkerCost {
        name: format!("worker {}", worker.0),
        records: 0,
        bytes: 0,
    })
}

fn keep_largest(records: &mut Vec<RecordCost>, count: usize) {
    records.sort_by_key(|record| (Reverse(record.bytes), record.number));
    records.truncate(count);
}

fn in_words(record: &Record) -> (String, Option<NodeId>, Option<WorkerId>) {
    let (what, node, by) = match record {
        Record::Fact(Fact::Answered {
            node, by, answer, ..
        }) => return (answer.to_string(), Some(*node), Some(*by)),
        Record::Fact(Fact::Found { node, by, .. }) => ("a finding", Some(*node), Some(*by)),
        Record::Fact(Fact::RequestEnded { node, by, .. }) => {
            ("end of a request", Some(*node), Some(*by))
        }
        Record::Fact(Fact::Settled { node, .. }) => ("replies settled", Some(*node), None),
        Record::Fact(Fact::GivenUp { node }) => ("given up", Some(*node), None),
        Record::Fact(Fact::Ordered { .. }) => ("an order", None, None),
        Record::Fact(_) => ("a fact", None, None),
        Record::Note(Note::Answer { node, by, .. }) => ("a reply's proof", Some(*node), Some(*by)),
        Record::Note(Note::Proof { node, .. }) => ("a proof", Some(*node), None),
        Record::Note(_) => ("a note", None, None),
    };
    (what.to_owned(), node, by)
}

#[cfg(test)]
mod tests {
    use gridproof_certificate::ContentHash;
    use gridproof_proofs::ProofSource;
    use gridproof_search::JobResult;

    use super::super::{Batch, MemoryStore};
    use super::*;

    #[test]
    fn a_proof_counts_for_who_sent_it_and_once() {
        let (store, mut batch) = (MemoryStore::new(), Batch::default());
        let hash = ContentHash([7; 32]);
        batch.certificates.push((hash, vec![0; 5_000]));
        let worker = |number, name: &str| {
            let (worker, name) = (WorkerId(number), name.to_owned());
            Record::Note(Note::Worker { worker, name })
        };
        let won = |node, by| {
            Record::Fact(Fact::Answered {
                node: NodeId(node),
                by: WorkerId(by),
                answer: JobResult::Won,
                spent: 9,
            })
        };
        let proof = |node| {
            let source = ProofSource::Certificate(hash);
            let node = NodeId(node);
            Record::Note(Note::Proof { node, source })
        };
        batch.records = vec![
            worker(1, "pc-01"),
            worker(2, "pc-02"),
            won(4, 2),
            proof(4),
            won(5, 1),
            proof(5),
        ];
        store.commit(&batch).unwrap();
        let found = costs(&store, 1).unwrap();
        let names: Vec<_> = found.workers.iter().map(|cost| &cost.name[..]).collect();
        assert_eq!(names, ["pc-02", "pc-01"]);
        assert!(found.workers[0].bytes > 5_000 && found.workers[1].bytes < 200);
        let [largest] = &found.records[..] else {
            panic!("{found:?}")
        };
        assert_eq!((largest.number, largest.node), (3, Some(NodeId(4))));
        assert_eq!(largest.by.as_deref(), Some("pc-02"));
    }
}
