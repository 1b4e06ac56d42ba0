//! What is written reads back, and the content hash says so.

mod common;

use gridproof_book::{
    Book, BookFile, Certificates, CheckedClaims, Journal, Key, Prover, Reason, Record, Status,
    TrustedBook, encode, read_json, read_sgf, write, write_html, write_json, write_sgf,
};
use gridproof_certificate::ContentHash;
use gridproof_game::records::Format;
use gridproof_game::{Colour, Position, Rules, Symmetry};

fn hash(book: &Book) -> ContentHash {
    encode(book).1
}

#[test]
fn a_book_reads_back_from_its_file_from_json_and_from_sgf() {
    let (book, proofs) = common::book(200);
    assert!(proofs.len() > 100, "{}", proofs.len());
    let (bytes, written) = encode(&book);
    let file = BookFile::of(bytes).unwrap();
    assert_eq!(file.hash(), written);
    let verified = file.verify().unwrap();
    assert_eq!(verified.entries as usize, book.len());
    assert_eq!(verified.proved as usize, book.proved());
    assert_eq!(file.load().unwrap(), book);

    let mut lines = Vec::new();
    write_json(&book, &mut lines).unwrap();
    assert_eq!(hash(&read_json(&lines[..]).unwrap()), written);

    let tree = write_sgf(&book).unwrap();
    let again = read_sgf(tree.as_bytes()).unwrap();
    assert_eq!(hash(&again), written);
}

/// Such a position looks the same from two sides, and the proof's first move does not.
#[test]
fn the_first_move_from_a_position_that_is_its_own_mirror_image_survives() {
    let game = Format::Stones.read(b"j10,j9,i10,h9,i8,k10,j11,l11,k12");
    let game = game.unwrap();
    let position = game.position();
    let proof = common::Threats::new().prove(position, Colour::White);
    let proof = proof.unwrap().transformed(position.canonical().1);
    let canonical = proof.start();
    let mirrored = Symmetry::all(&Rules::CONNECT6)
        .map(|symmetry| proof.transformed(symmetry))
        .find(|image| image.start() == canonical && image.first_move() != proof.first_move());
    let folder = tempfile::tempdir().unwrap();
    let certificates = Certificates::beside(&folder.path().join("book.gpb"));
    for proof in [&proof, &mirrored.unwrap()] {
        let mut book = Book::new(Rules::CONNECT6);
        let turns = game.moves().len();
        book.add_game(&game, turns, Colour::White, &"games".into());
        book.add_proof(proof, certificates.save(proof).unwrap())
            .unwrap();
        let again = read_sgf(write_sgf(&book).unwrap().as_bytes()).unwrap();
        assert_eq!(hash(&again), hash(&book));
        let entry = again.get(&Key::of(position).0).unwrap();
        certificates
            .check(canonical, entry.proved().unwrap())
            .unwrap();
    }
}

#[test]
fn positions_that_nothing_leads_to_survive_an_sgf_tree() {
    let (_, proofs) = common::book(30);
    let mut book = Book::new(Rules::CONNECT6);
    for proof in &proofs {
        book.add_proof(proof, common::hash_of(proof)).unwrap();
    }
    let again = read_sgf(write_sgf(&book).unwrap().as_bytes()).unwrap();
    assert_eq!(hash(&again), hash(&book));
}

#[test]
fn a_tree_of_another_program_becomes_positions_that_were_played() {
    let text = b"(;FF[4];B[JJ]C[the centre](;W[IH];W[HI];B[KK];B[LJ])(;W[JI];W[KI]))";
    let book = read_sgf(text).unwrap();
    assert_eq!(book.len(), 5);
    let centre = Position::start(Rules::CONNECT6).after(&"J10".parse().unwrap());
    let entry = book.get(&Key::of(&centre).0).unwrap();
    assert_eq!(entry.note, "the centre");
    assert_eq!(entry.moves.len(), 2);
    assert_eq!(entry.status, Status::Played);
}

#[test]
fn merging_adds_no_source_twice_and_its_order_does_not_matter() {
    let (all, _) = common::book(60);
    let mut same = all.clone();
    same.merge(all.clone()).unwrap();
    assert_eq!(hash(&same), hash(&all));
    let (some, _) = common::book(20);
    let (mut one, mut other) = (some.clone(), all.clone());
    one.merge(all).unwrap();
    other.merge(some).unwrap();
    one.entries().zip(other.entries()).for_each(|(a, b)| {
        assert_eq!((a.0, &a.1.wins, &a.1.status), (b.0, &b.1.wins, &b.1.status));
    });
}

#[test]
fn proved_never_yields_to_played_and_two_winners_of_one_position_are_refused() {
    let (book, proofs) = common::book(30);
    let played: Book = {
        let mut lines = Vec::new();
        write_json(&book, &mut lines).unwrap();
        let mut played = read_json(&lines[..]).unwrap();
        let taken_back = played.disbelieve(|_, _| Ok::<_, ()>(false)).unwrap();
        assert_eq!(taken_back, book.proved());
        played
    };
    let mut merged = played.clone();
    merged.merge(book.clone()).unwrap();
    assert_eq!(merged.proved(), book.proved());
    let mut merged = book.clone();
    merged.merge(played).unwrap();
    assert_eq!(merged.proved(), book.proved());

    let mut lie = Book::new(Rules::CONNECT6);
    lie.add_proof(&proofs[0], ContentHash([1; 32])).unwrap();
    let (key, entry) = lie
        .entries()
        .next()
        .map(|(k, e)| (k.clone(), e.clone()))
        .unwrap();
    let Status::Proved(mut proved) = entry.status else {
        panic!("it is proved")
    };
    proved.winner = proved.winner.other();
    lie.entry(key).status = Status::Proved(proved);
    assert!(book.clone().merge(lie).is_err());
}

#[test]
fn below_a_proved_position_nothing_is_kept() {
    let (mut book, _) = common::book(60);
    for (_, entry) in book.entries() {
        assert!(entry.proved().is_none() || entry.moves.is_empty());
    }
    assert_eq!(book.prune().unwrap(), 0);
}

#[test]
fn a_proof_is_believed_after_its_certificate_was_checked_and_never_without() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.gpb");
    let claims = || CheckedClaims::open(&folder.path().join("claims")).unwrap();
    let (book, proofs) = common::book(30);
    write(&book, &path).unwrap();
    let proof = proofs
        .iter()
        .find(|proof| book.get(&Key::of(proof.start()).0).is_some())
        .unwrap();
    let turned = Symmetry::all(&Rules::CONNECT6).nth(5).unwrap();
    let position = proof.start().transformed(turned);

    let trusted = TrustedBook::open(&path, claims()).unwrap();
    assert_eq!(
        trusted.proved(&position).unwrap(),
        None,
        "there is no certificate"
    );

    let certificates = Certificates::beside(&path);
    let hash = certificates.save(proof).unwrap();
    let proved = trusted.proved(&position).unwrap().unwrap();
    assert_eq!(proved.winner, proof.attacker());
    let choice = trusted.choose(&position).unwrap().unwrap();
    assert_eq!(choice.reason, Reason::ProvedWin);
    let own = trusted.proof(&position).unwrap().unwrap();
    assert_eq!(*own.start(), position);
    assert_eq!(own.first_move(), Some(&choice.mv));

    // Once checked, it is believed again; but not where the claim is another.
    std::fs::remove_file(certificates.path(hash)).unwrap();
    let again = TrustedBook::open(&path, claims()).unwrap();
    assert!(again.proved(&position).unwrap().is_some());
    let mut lie = book.clone();
    let entry = lie.entry(Key::of(&position).0);
    let Status::Proved(proved) = &mut entry.status else {
        panic!("it is proved")
    };
    proved.winner = proved.winner.other();
    write(&lie, &path).unwrap();
    certificates.save(proof).unwrap();
    let lied_to = TrustedBook::open(&path, claims()).unwrap();
    assert_eq!(lied_to.proved(&position).unwrap(), None);
}

#[test]
fn a_journal_continues_its_book_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.gpb");
    let record = |number: u32| Record::Game {
        id: number.to_string(),
        source: "games".to_owned(),
        winner: 'B',
        turns: 2,
        stones: "J10,I8,H9".to_owned(),
    };
    let (mut journal, none) = Journal::open(&path, None).unwrap();
    assert!(none.is_empty());
    journal.append(&[record(1), record(2)]).unwrap();
    assert!(Journal::open(&path, None).is_err(), "one program at a time");
    drop(journal);
    let name = folder.path().join("games.gpb.journal");
    let mut torn = std::fs::read(&name).unwrap();
    torn.extend_from_slice(b"{\"game\":{\"id\":\"3\"");
    std::fs::write(&name, torn).unwrap();
    let (journal, records) = Journal::open(&path, None).unwrap();
    assert_eq!(records, [record(1), record(2)]);
    drop(journal);
    let mut book = Book::new(Rules::CONNECT6);
    for record in records {
        record.apply(&mut book).unwrap();
    }
    let start = Key::of(&Position::start(Rules::CONNECT6)).0;
    assert_eq!(book.get(&start).unwrap().all_wins().of(Colour::Black), 2);
    assert_eq!(book.len(), 3);
    let (_, stale) = Journal::open(&path, Some(hash(&book))).unwrap();
    assert!(stale.is_empty(), "the book has it all");
}

#[test]
fn pages_are_written_for_every_entry() {
    let folder = tempfile::tempdir().unwrap();
    let (book, _) = common::book(60);
    write_html(&book, folder.path()).unwrap();
    let script = std::fs::read_to_string(folder.path().join("data/0.js")).unwrap();
    assert_eq!(script.lines().count(), book.len().min(500));
    assert!(folder.path().join("index.html").exists());
}
