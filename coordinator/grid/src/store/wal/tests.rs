//! A log on a disk that loses power: whatever was written since the last sync may be there, or
//! not, or half.

use std::sync::{Arc, Mutex};

use gridproof_search::{Epoch, Fact};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use super::super::Record;
use super::*;

/// What the disk holds for sure, and what it was told since.
#[derive(Clone, Debug, Default)]
struct Disk(Arc<Mutex<Content>>);

#[derive(Debug, Default)]
struct Content {
    safe: Vec<u8>,
    seen: Vec<u8>,
    waiting: Vec<(u64, Vec<u8>)>,
    /// Says that all is safe, and does nothing.
    lies: bool,
}

fn put(to: &mut Vec<u8>, at: u64, bytes: &[u8]) {
    let at = usize::try_from(at).unwrap();
    if to.len() < at + bytes.len() {
        to.resize(at + bytes.len(), 0);
    }
    to[at..at + bytes.len()].copy_from_slice(bytes);
}

impl Storage for Disk {
    fn length(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().seen.len() as u64)
    }

    fn read_at(&self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        let content = self.0.lock().unwrap();
        let at = usize::try_from(at).unwrap();
        let part = content.seen.get(at..at + bytes.len());
        bytes.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let mut content = self.0.lock().unwrap();
        put(&mut content.seen, at, bytes);
        content.waiting.push((at, bytes.to_vec()));
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut content = self.0.lock().unwrap();
        if !content.lies {
            content.safe = content.seen.clone();
            content.waiting.clear();
        }
        Ok(())
    }

    fn cut(&self, length: u64) -> io::Result<()> {
        let mut content = self.0.lock().unwrap();
        content.seen.truncate(usize::try_from(length).unwrap());
        Ok(())
    }
}

impl Disk {
    /// The power fails: of what waits, some is written, some in part, and in any order.
    fn lose_power(&self, rng: &mut SmallRng) {
        let mut content = self.0.lock().unwrap();
        let mut left = content.safe.clone();
        for (at, mut bytes) in std::mem::take(&mut content.waiting) {
            if rng.random_bool(0.5) {
                bytes.truncate(rng.random_range(0..=bytes.len()));
                put(&mut left, at, &bytes);
            }
        }
        content.safe = left.clone();
        content.seen = left;
    }
}

fn batch(number: u64, rng: &mut SmallRng) -> Batch {
    let records = (0..rng.random_range(1..4)).map(|_| {
        Record::Fact(Fact::Started {
            epoch: Epoch(u32::try_from(number).unwrap()),
        })
    });
    Batch {
        records: records.collect(),
        certificates: Vec::new(),
    }
}

fn open(file: &Disk, mark: &Disk) -> Result<(Wal<Disk>, Ending, Vec<Record>), WalError> {
    let mut records = Vec::new();
    let take = |frame: Frame| records.extend(frame.batch().unwrap().records);
    let (wal, ending) = Wal::open(file.clone(), mark.clone(), Durability::PowerFailure, take)?;
    Ok((wal, ending, records))
}

fn seeds() -> Range<u64> {
    0..match std::env::var_os("GRIDPROOF_LONG") {
        Some(_) => 100_000,
        None => 1000,
    }
}

#[test]
fn what_was_committed_before_the_power_failed_is_there() {
    for seed in seeds() {
        let mut rng = SmallRng::seed_from_u64(seed);
        let (file, mark) = (Disk::default(), Disk::default());
        Wal::create(&file, &mark).unwrap();
        let mut committed: Vec<Record> = Vec::new();
        for round in 0..4 {
            let (wal, _, records) = open(&file, &mark).unwrap();
            // More may be there than was acknowledged, and never less.
            assert_eq!(
                records[..committed.len()],
                committed,
                "seed {seed}, {round}"
            );
            committed = records;
            for number in 0..rng.random_range(0..6) {
                let batch = batch(number, &mut rng);
                wal.append(&batch).unwrap();
                committed.extend(batch.records);
            }
            if rng.random_bool(0.5) {
                // It dies in the middle of a write.
                let end = wal.end();
                let torn = Frame::new(end.frames, end.records, end.chain, &batch(9, &mut rng));
                file.write_at(end.length, &torn.encode()).unwrap();
            }
            file.lose_power(&mut rng);
            mark.lose_power(&mut rng);
        }
    }
}

#[test]
fn a_disk_that_lied_about_its_sync_is_found_out() {
    let mut found_out = 0;
    for seed in seeds() {
        let mut rng = SmallRng::seed_from_u64(seed);
        let (file, mark) = (Disk::default(), Disk::default());
        Wal::create(&file, &mark).unwrap();
        let (wal, ..) = open(&file, &mark).unwrap();
        let honest = rng.random_range(0..4);
        let mut committed = 0;
        for number in 0..6 {
            file.0.lock().unwrap().lies = number >= honest;
            let batch = batch(number, &mut rng);
            wal.append(&batch).unwrap();
            committed += batch.records.len();
        }
        mark.sync().unwrap();
        file.lose_power(&mut rng);
        match open(&file, &mark) {
            Ok((_, _, records)) => assert_eq!(records.len(), committed, "seed {seed}"),
            Err(WalError::Damaged(damage)) => {
                let lost: u64 = damage.lost.iter().map(|lost| lost.end - lost.start).sum();
                assert!(
                    lost > 0 && lost <= committed as u64,
                    "seed {seed}: {damage}"
                );
                found_out += 1;
            }
            Err(WalError::Io(error)) => panic!("seed {seed}: {error}"),
        }
    }
    assert!(found_out > 0);
}

#[test]
fn every_bit_of_a_log_is_guarded() {
    let mut rng = SmallRng::seed_from_u64(1);
    let (file, mark) = (Disk::default(), Disk::default());
    Wal::create(&file, &mark).unwrap();
    let (wal, ..) = open(&file, &mark).unwrap();
    for number in 0..4 {
        wal.append(&batch(number, &mut rng)).unwrap();
    }
    let length = file.length().unwrap();
    for at in 0..length {
        let mut byte = [0];
        file.read_at(at, &mut byte).unwrap();
        file.write_at(at, &[byte[0] ^ 1 << (at % 8)]).unwrap();
        assert!(
            matches!(open(&file, &mark), Err(WalError::Damaged(_))),
            "{at}"
        );
        file.write_at(at, &byte).unwrap();
    }
    assert!(open(&file, &mark).is_ok());
    for cut in 0..length {
        let shorter = Disk::default();
        let content = file.0.lock().unwrap().seen[..cut as usize].to_vec();
        shorter.write_at(0, &content).unwrap();
        assert!(
            matches!(open(&shorter, &mark), Err(WalError::Damaged(_))),
            "{cut}"
        );
    }
}
