//! What the page says, in one place.

pub const NAME: &str = "Gridproof";
pub const SKIP: &str = "Skip to the content";
pub const SEARCHES: &str = "Searches";
pub const WORKERS: &str = "Workers and jobs";
pub const MAP: &str = "Map of openings";
pub const BOOK: &str = "Book of openings";
pub const REPORT: &str = "Report";
pub const ORDERS: &str = "Orders";
pub const LOG_OUT: &str = "Log out";
pub const LOG_IN: &str = "Log in";
pub const NO_SCRIPT: &str =
    "Without scripts everything can be read and ordered; reload to see what is new.";
pub const LOGIN_HINT: &str = "This page shows a grid's searches. Paste an operator's or a reader's token; \
     `gridproof token new --role reader NAME` on the coordinator's machine makes one.";
pub const LOGIN_WRONG: &str =
    "This token opens nothing here: it is mistyped, revoked, or a worker's.";
pub const ENTRY_USED: &str = "This address was good for one visit, and somebody has used it. Start the program again for \
     a new one, or log in with a token.";
pub const MAY_ONLY_READ: &str = "Your token may read and not order. Ask the grid's operator for a token with the role operator.";

/// Keys and what they do, for the list that `?` shows.
pub const KEYS: [(&str, &str); 12] = [
    ("?", "this list"),
    ("b", "to the board; arrow keys move, space places a stone"),
    ("Esc", "take back stones that are not a move yet"),
    ("m", "to the field for a move, such as k11 l10"),
    ("u", "back to the position before"),
    ("l", "along the most-proving line"),
    ("h", "to the hardest open reply"),
    ("t", "tree"),
    ("s", "searches"),
    ("w", "workers and jobs"),
    ("o", "orders"),
    ("r", "report"),
];
