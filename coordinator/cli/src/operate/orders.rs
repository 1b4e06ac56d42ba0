//! What operators ordered.

use gridproof_grid::text::Table;
use gridproof_proto::v1;
use serde::Serialize;

use super::connect::{Client, CoordinatorError, call};
use super::watch::clock;

/// More orders than anyone reads at once.
const SHOWN: u32 = 100;

/// An order that was carried out.
#[derive(Clone, Debug, Serialize)]
pub(super) struct GivenOrder {
    number: u64,
    /// Milliseconds since 1970; none where nobody wrote it down.
    at: Option<u64>,
    author: String,
    order: String,
}

/// The last orders, oldest first.
pub(super) async fn list(client: &mut Client) -> Result<Vec<GivenOrder>, CoordinatorError> {
    let request = v1::ListOrdersRequest {
        offset: 0,
        limit: SHOWN,
    };
    let reply = call(client.list_orders(request)).await?;
    let orders = reply.orders.into_iter().rev().map(|order| GivenOrder {
        number: order.number,
        at: (order.at > 0).then_some(order.at),
        author: order.author,
        order: order.words,
    });
    Ok(orders.collect())
}

/// As events are told.
pub(super) fn lines(orders: &[GivenOrder]) -> Vec<String> {
    let lines = orders.iter().filter_map(|order| {
        let time = clock(order.at?, "%H:%M:%S")?;
        Some(format!("{time} {} ordered: {}", order.author, order.order))
    });
    lines.collect()
}

pub(super) fn text(orders: &[GivenOrder]) -> String {
    if orders.is_empty() {
        return "Nobody has ordered anything yet.\n".to_owned();
    }
    let row = |order: &GivenOrder| {
        let time = order.at.and_then(|at| clock(at, "%Y-%m-%d %H:%M:%S"));
        let author = match order.author.as_str() {
            "" => "-",
            author => author,
        };
        vec![
            order.number.to_string(),
            time.unwrap_or_else(|| "-".to_owned()),
            author.to_owned(),
            order.order.clone(),
        ]
    };
    let table = Table::new(["no.", "time", "by", "order"]);
    table.with_rows(orders.iter().map(row)).to_string()
}
