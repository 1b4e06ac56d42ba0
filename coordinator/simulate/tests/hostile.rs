//! What one hostile worker of four costs, strategy by strategy. GRIDPROOF_LONG=1 looks at all
//! searches that `gridproof simulate hostile` does.

use gridproof_simulate::{HostileCosts, Strategy};

#[test]
fn beside_a_hostile_worker_nobody_else_is_put_aside_and_time_at_most_doubles_over_all() {
    let is_long = std::env::var_os("GRIDPROOF_LONG").is_some();
    let (searches, runs) = if is_long { (12, 8) } else { (3, 1) };
    let costs = HostileCosts::new(searches, runs).unwrap();
    for strategy in Strategy::ALL {
        let cost = costs.of(strategy).unwrap();
        println!(
            "{strategy:<12} median {:.2} total {:.2} worst {:.2}, put aside in {} of {}",
            cost.median(),
            cost.total,
            cost.worst(),
            cost.put_aside.0,
            cost.put_aside.1
        );
        assert_eq!(cost.wronged, 0, "{strategy}");
        // Of few searches luck says more than anybody's harm.
        assert!(!is_long || cost.total < 2.0, "{strategy}: {}", cost.total);
    }
}
