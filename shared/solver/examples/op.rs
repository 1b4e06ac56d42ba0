use gridproof_game::*;
use gridproof_solver::*;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().skip(1).collect();
    let sq = |s: &str| s.parse::<Square>().unwrap();
    let nodes: u64 = a[0].parse().unwrap();
    let list: [(&str, [&str; 2], [&str; 2]); 5] = [
        ("TX-H9", ["I8", "H9"], ["K11", "L10"]),
        ("TX-H8", ["I8", "H8"], ["L10", "K9"]),
        ("TX-H12", ["I8", "H12"], ["L10", "K11"]),
        ("XX-L8", ["H8", "L8"], ["J9", "K10"]),
        ("T-K12", ["J9", "K12"], ["K9", "L8"]),
    ];
    for (name, w, b) in list {
        let mut pos = Position::start(Rules::CONNECT6);
        pos.play(&Move::full([sq("J10")])).unwrap();
        pos.play(&Move::full(w.map(sq))).unwrap();
        pos.play(&Move::full(b.map(sq))).unwrap();
        let solver = Solver::new(Rules::CONNECT6);
        let o = VerifierOptions {
            nodes_per_reply: nodes,
            solver: SolverOptions {
                fillers: a.get(1).map_or(8, |x| x.parse().unwrap()),
                ..Default::default()
            },
            ..Default::default()
        };
        let mut bu = Budget::of_nodes(1_000_000_000);
        let t = Instant::now();
        let r = solver.verify(&pos, o, &[], &mut bu, &mut ()).unwrap();
        let (v, c) = (r.verdict, r.counts);
        let el = t.elapsed();
        match v {
            Verdict::Proved(w) => println!(
                "{name} proved nodes {} proof {} {c:?} {el:?}",
                bu.spent(),
                w.proof.len()
            ),
            Verdict::Open(m) => println!(
                "{name} open {} nodes {} {c:?} {el:?} {}",
                m.len(),
                bu.spent(),
                m.iter()
                    .take(30)
                    .map(|m| m.to_string())
                    .collect::<Vec<_>>()
                    .join(", ")
            ),
            Verdict::DefenderHolds => println!("holds"),
        }
    }
}
