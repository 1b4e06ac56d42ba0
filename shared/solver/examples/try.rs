use gridproof_game::*;
use gridproof_solver::*;
use std::time::Instant;
fn main() {
    let arg = std::env::args().nth(1).unwrap();
    if arg == "623" {
        let sq = |s: &str| s.parse::<Square>().unwrap();
        let rules = Rules::CONNECT6.with_first_stones(3);
        let mut pos = Position::start(rules);
        pos.play(&Move::full([sq("J10"), sq("K11"), sq("L10")]))
            .unwrap();
        for coverage in Coverage::ALL {
            let solver = Solver::new(rules);
            let mut o = VerifierOptions {
                coverage,
                ..Default::default()
            };
            if coverage == Coverage::Wu {
                o.order = Order(1);
            }
            if coverage != Coverage::Segment {
                o.solver.replay_siblings = false;
            }
            let mut b = Budget::of_nodes(10_000_000);
            let t = Instant::now();
            let r = solver.verify(&pos, o, &[], &mut b, &mut ()).unwrap();
            let (v, c) = (r.verdict, r.counts);
            let el = t.elapsed();
            match v {
                Verdict::Proved(w) => println!(
                    "{coverage} proved nodes {} proof {} {c:?} {el:?}",
                    b.spent(),
                    w.proof.len()
                ),
                Verdict::Open(m) => println!(
                    "{coverage} open {} e.g. {} nodes {} {c:?} {el:?}",
                    m.len(),
                    m[0],
                    b.spent()
                ),
                Verdict::DefenderHolds => println!("holds"),
            }
        }
    } else {
        let n: usize = std::env::args()
            .nth(2)
            .map_or(usize::MAX, |s| s.parse().unwrap());
        let text = std::fs::read_to_string("/work/shared/data/proved_wins.csv").unwrap();
        let solver = Solver::new(Rules::CONNECT6);
        let (mut won, mut total, mut nodes) = (0, 0, 0);
        let mut worst = Vec::new();
        let t = Instant::now();
        for line in text.lines().skip(1).take(n) {
            let id = line.split(',').next().unwrap();
            let moves = line.rsplit('"').nth(1).unwrap();
            let squares: Vec<Square> = moves.split(',').map(|s| s.parse().unwrap()).collect();
            let mut pos = Position::start(Rules::CONNECT6);
            let mut i = 0;
            while i < squares.len() {
                let l = pos.move_len();
                pos.play(&Move::full(squares[i..i + l].iter().copied()))
                    .unwrap();
                i += l;
            }
            total += 1;
            let mut b = Budget::of_nodes(2_000_000);
            let t1 = Instant::now();
            let out = solver
                .win(&pos, Order(1), SolverOptions::default(), &mut b)
                .unwrap();
            worst.push((t1.elapsed(), b.spent(), id.to_string()));
            nodes += b.spent();
            if let Outcome::Won(_) = out {
                won += 1
            } else {
                println!("missed {id} {out:?}")
            }
        }
        println!("won {won}/{total} nodes {nodes} {:?}", t.elapsed());
        worst.sort();
        worst.reverse();
        println!("{:?}", &worst[..10.min(worst.len())]);
    }
}
