//! What the page says, in one place. Another language is another file like this.

pub const NAME: &str = "Gridproof";
pub const SKIP: &str = "Skip to the content";
pub const NO_SCRIPT: &str =
    "Without scripts everything can be read and ordered; reload to see what is new.";
pub const KEYS_TITLE: &str = "Keys";
pub const KEYS_BUTTON: &str = "Keys";
pub const CLOSE: &str = "Close";
pub const EARLIER: &str = "Earlier";
pub const MORE: &str = "More";
pub const BLACK: &str = "Black";
pub const WHITE: &str = "White";

/// The bar on top.
pub mod bar {
    pub const LABEL: &str = "Screens";
    pub const SEARCHES: &str = "Searches";
    pub const MAP: &str = "Map";
    pub const BOOK: &str = "Book";
    pub const WORKERS: &str = "Workers";
    pub const ORDERS: &str = "Orders";
    pub const REPORT: &str = "Report";
}

/// Coming in and going out.
pub mod login {
    pub const TITLE: &str = "Log in";
    pub const LOG_OUT: &str = "Log out";
    pub const TOKEN: &str = "Token";
    pub const HINT: &str = "This page shows the searches of a grid. Paste an operator's or a reader's token. \
         On the coordinator's machine this command makes one:";
    pub const COMMAND: &str = "gridproof token new --role reader NAME";
    pub const WRONG: &str =
        "This token opens nothing here: it is mistyped, revoked, or a worker's.";
    pub const ENTRY_USED: &str = "This address was good for one visit, and somebody has used it. Start the program again for \
         a new one, or log in with a token.";
    pub const NOT_ALLOWED: &str = "Not allowed";
    pub const MAY_ONLY_READ: &str = "Your token may read and not order. Ask the grid's operator for a token with the role operator.";
}

/// What went wrong.
pub mod error {
    pub const TITLE: &str = "This did not work";
    pub const HOME: &str = "To the searches";
    pub const FOREIGN_ADDRESS: &str = "this address was not made by this page";
    pub const PANICKED: &str = "this could not be shown: a bug, please report it";
    pub const TICK_FIRST: &str = "tick the box first: this cannot be taken back";
    pub const NOT_KNOWN: &str =
        "the search has not come to this position: ask for a job here first";
}

/// The first screen.
pub mod searches {
    pub const TITLE: &str = "Searches";
    pub const ALL: &str = "All searches";
    pub const NONE: &str = "No search yet. Start one: an opening such as TX-H9, or stones such as \
         j10,i8,h9.";
    pub const SEARCH: &str = "search";
    pub const STATE: &str = "state";
    pub const NUMBERS: &str = "proof";
    pub const JOBS: &str = "jobs";
    pub const NODES: &str = "nodes";
    pub const LINE: &str = "most-proving line";
    pub const OPEN_PROOF: &str = "Play against it";
    pub const START: &str = "Start a search";
    pub const GAME: &str = "Opening or stones";
    pub const ATTACKER: &str = "Who is to win";
    pub const AS_USUAL: &str = "as usual";
    pub const GO: &str = "Start";
    pub const HELP: &str =
        "An opening's name, stones in the order of play, or a record. Another game:";
    pub const EXAMPLES: [&str; 2] = ["gomoku: h8,h9", "Connect(15,15,5,1,1): h8"];
    pub const TILES: [&str; 5] = [
        "workers",
        "jobs running",
        "positions",
        "of them proved",
        "searches open",
    ];
}

/// How things stand.
pub mod state {
    pub const RUNNING: &str = "running";
    pub const OPEN: &str = "open";
    pub const PROVED: &str = "proved";
    pub const EXCUSED: &str = "excused";
    pub const FAILED: &str = "failed";
    pub const FORGOTTEN: &str = "forgotten";
    pub const PAUSED: &str = "paused";
    pub const STOPPED: &str = "stopped";
    pub const WINS: &str = "wins";
    pub const NOTHING_LEFT: &str = "nothing left to try";
    pub const TO_PROVE: &str = "to prove";
}

/// The workbench.
pub mod workbench {
    pub const PATH: &str = "Moves so far";
    pub const BOARD: &str = "Board";
    pub const ROOT: &str = "root";
    pub const HERE: &str = "here";
    pub const NOT_IN_SEARCH: &str = "not in the search yet";
    pub const JOBS_RUNNING: &str = "jobs running";
    pub const PLAY_PROOF: &str = "Play against the proof";
    pub const SEVERAL_WAYS: &str = "reached by several ways";
    pub const WAYS: &str = "ways lead here";
    pub const DRAWN: &str = "Draw";
    pub const MOVES_LAYER: &str = "moves";
    pub const THREATS_LAYER: &str = "threats";
    pub const LAST_LAYER: &str = "last move";
    pub const ZONE_LAYER: &str = "zone";
    pub const SHOW_ZONE: &str = "Draw the zone";
    pub const NO_ZONE: &str = "The zone cannot be drawn: ";
    pub const BACK: &str = "Back";
    pub const MAIN_LINE: &str = "Most-proving";
    pub const LINE_END: &str = "Its end";
    pub const HARDEST: &str = "Hardest open reply";
    pub const TREE: &str = "Tree";
    pub const OVER: &str = "The game is over here.";
    pub const TO_MOVE: &str = "to move";
    pub const MOVE: &str = "Move";
    pub const LOOK: &str = "Look";
    pub const HINT: &str = "Hint this move";
    pub const MOVE_HELP: &str =
        "Click the stones on the board or type them. Looking changes nothing.";
    pub const HINT_HELP: &str = "A hint is tried before other moves.";
    pub const MOVES_TO_TRY: &str = "Moves to try";
    pub const REPLIES: &str = "Replies to answer";
    pub const SORT: &str = "Sort by";
    pub const SORTS: [(&str, &str); 6] = [
        ("", "proof number"),
        ("disproof", "disproof number"),
        ("work", "work below"),
        ("status", "status"),
        ("move", "move"),
        ("came", "as they came"),
    ];
    pub const SHOW: &str = "Show";
    pub const FILTERS: [(&str, &str); 5] = [
        ("", "all"),
        ("open", "open"),
        ("running", "running"),
        ("proved", "proved"),
        ("hinted", "hinted"),
    ];
    pub const APPLY: &str = "Show";
    pub const NOT_COME: &str = "The search has not come to this position, so no move of it is known. Ask for a job \
         here, and it joins the search.";
    pub const NO_MOVES: &str = "No move is known here yet.";
    pub const NONE_FIT: &str = "No move here is of this kind.";
    pub const COLUMN_LETTER: &str = "letter on the board";
    pub const COLUMN_MOVE: &str = "move";
    pub const COLUMN_STATUS: &str = "status";
    pub const COLUMN_NUMBERS: &str = "proof";
    pub const COLUMN_JOBS: &str = "jobs";
    pub const COLUMN_BY: &str = "named by";
    pub const MEANING_TITLE: &str = "What the columns mean";
    pub const MEANINGS: [(&str, &str); 4] = [
        (
            "proof",
            "proof and disproof number: about how much is left to do to prove the move a win, and \
             to refute it. Small first numbers are promising. 0 is proved.",
        ),
        (
            "jobs",
            "jobs that are running at the position after the move.",
        ),
        (
            "named by",
            "who thought of the move: a worker's engine or verifier, a person, or the proofs of \
             other replies, which leave it open.",
        ),
        (
            "⇄",
            "the position is reached by several ways; what is found there counts for all of them.",
        ),
    ];
    pub const BY_PROOFS: &str = "other proofs";
    pub const YOU: &str = "you";
    pub const SOMEBODY: &str = "an operator";
    pub const NO_JOB: &str = "No job runs here.";
    pub const ASK: &str = "Ask the";
    pub const BUDGET: &str = "Nodes for the";
    pub const ABORT: &str = "Abort";
    pub const PAUSE: &str = "Pause";
    pub const RESUME: &str = "Resume";
    pub const FORGET: &str = "Forget this move";
    pub const REMEMBER: &str = "Take back forgetting";
    pub const STOP: &str = "Stop the search";
    pub const STOP_QUESTION: &str = "Stop this search? What it learnt stays.";
    pub const STOPPED: &str = "the search is stopped";
    pub const MAY_NOT: &str = "Your token may look and not order.";
    pub const ORDERS_HELP: &str = "A job that you ask for goes first; what it finds appears in the \
         table while it runs. Pausing starts no new job here or below.";
}

/// What is said after an order.
pub mod done {
    pub const STOPPED: &str = "The search is stopped. What it learnt stays.";
    pub const HINTED: &str = "will be tried before other moves.";
    pub const HINTED_KNOWN: &str = "was known already. Now it is a hint: it no longer waits behind moves that engines named \
         earlier.";
    pub const HINTED_BEFORE: &str =
        "is hinted already: it does not wait behind the moves of engines.";
    pub const HINTED_DECIDED: &str = "is decided already: its number says how.";
    pub const ASKED: &str = "The job goes first: a worker begins it as soon as one has room.";
    pub const ABORTED: &str = "The job is aborted.";
    pub const PAUSED: &str = "No new job is started here or below.";
    pub const RESUMED: &str = "Jobs are started here again.";
    pub const FORGOTTEN: &str = "The move is forgotten: others are looked at.";
    pub const REMEMBERED: &str = "The move counts again.";
}

/// What is read out while one looks on.
pub mod spoken {
    pub const PROVED: &str = "this position is proved";
    pub const SEARCH_ENDED: &str = "the search has come to its end";
    pub const JOB_ENDED: &str = "job here ended:";
}

/// Jobs in words.
pub mod job {
    pub const ENGINE: &str = "engine";
    pub const VERIFIER: &str = "verifier";
    pub const WAITS: &str = "waits for a worker";
    pub const ON: &str = "on";
    pub const ASKED_BY: &str = "asked by";
}

/// The tree.
pub mod tree {
    pub const TITLE: &str = "Tree of";
    pub const FILTER: &str = "Show";
    pub const WORKBENCH: &str = "Workbench";
    pub const LINE_END: &str = "End of the most-proving line";
    pub const HARDEST: &str = "Hardest open reply";
    pub const LARGEST: &str = "Largest child";
    pub const EXPAND: &str = "Open";
    pub const NOT_THERE: &str = "Not in the tree: the search has not come here.";
    pub const LEAF: &str = "A leaf: no move is known here.";
    pub const NONE_FIT: &str = "Nothing of this kind here.";
    pub const NOTHING_RUNS: &str = "No job is running in this search.";
    pub const NOTHING_HINTED: &str = "Nobody has hinted a move in this search.";
    pub const WAYS: &str = "ways";
    pub const HINTED_BY: &str = "hinted by";
    pub const HELP: &str = "A move leads to its workbench; the arrow before it opens its branch.";
}

/// Workers and jobs.
pub mod workers {
    pub const TITLE: &str = "Workers and jobs";
    pub const WORKERS: &str = "Workers";
    pub const JOBS: &str = "Running jobs";
    pub const NO_WORKER: &str = "No worker has come yet. On another machine, or on this one, start";
    pub const NO_WORKER_COMMAND: &str = "gridproof-worker";
    pub const CUT_OFF: &str = "cut off";
    pub const AT_WORK: &str = "at work";
    pub const IDLE: &str = "idle";
    pub const GONE: &str = "gone";
    pub const NOW: &str = "now";
    pub const AGO: &str = "ago";
    pub const BEFORE_START: &str = "before this start";
    pub const WITHDRAW: &str = "Withdraw";
    pub const QUARANTINE: &str = "quarantine";
    pub const RELEASE: &str = "Let out";
    pub const RELEASED: &str = "gets jobs again";
    pub const QUESTION: &str = "Trust nothing of";
    pub const CONSEQUENCE: &str = "All that this machine ever said is taken back, and it is cut off for good. What rests on \
         its results is searched anew. This cannot be undone.";
    pub const SURE: &str = "Take back all its results";
    pub const KEEP: &str = "Keep them";
    pub const WITHDRAWN: &str = "Nothing is trusted any more of";
    pub const COLUMNS: [(&str, bool); 9] = [
        ("machine", false),
        ("state", false),
        ("version", false),
        ("slots", true),
        ("at", false),
        ("jobs done", true),
        ("won", true),
        ("nodes", true),
        ("failures", true),
    ];
    pub const LAST_SEEN: &str = "last seen";
    pub const FAILURES_TITLE: &str = "jobs that broke off or were kept too long, answers that made no sense or that others \
         contradicted, and lost connections";
    pub const NO_JOB: &str = "No job is running.";
    pub const JOB_COLUMNS: [(&str, bool); 7] = [
        ("kind", false),
        ("position", false),
        ("machine", false),
        ("age", true),
        ("nodes", true),
        ("of", true),
        ("asked by", false),
    ];
    pub const WAITS: &str = "waits";
    pub const SHOWN: &str = "shown of";
    pub const RUNNING: &str = "running,";
    pub const WAITING: &str = "waiting";
    pub const ORDERS: &str = "The journal of orders tells who asked for what.";
}

/// The journal of orders.
pub mod orders {
    pub const TITLE: &str = "Orders";
    pub const HELP: &str = "What people told the search to do, newest first. Each is stored, and replayed after a \
         restart.";
    pub const NONE: &str = "Nobody has ordered anything yet.";
    pub const COLUMNS: [&str; 4] = ["no.", "when", "who", "order"];
    pub const NEWER: &str = "Newer";
    pub const OLDER: &str = "Older";
}

/// The proof explorer.
pub mod proof {
    pub const OF_BOOK: &str = "A position of the book";
    pub const TITLE: &str = "Proof of";
    pub const PATH: &str = "Defences so far";
    pub const START: &str = "start";
    pub const BACK: &str = "Back";
    pub const LONGEST: &str = "Longest defence";
    pub const WHY: &str = "Why it loses";
    pub const PLAY: &str = "Play a defence: two stones on the board, or typed. The proof answers.";
    pub const ANSWERED: &str = "answered";
    pub const LISTED: &str = "the proof has an answer to";
    pub const OUTSIDE: &str = "outside the zone";
    pub const CHANGES_NOTHING: &str = "changes nothing, so the answer is that to a pass.";
    pub const LIKE: &str = "answered like";
    pub const BESIDES_OUTSIDE: &str = "the rest of it lies outside the zone.";
    pub const LEAVES: &str = "leaves the line";
    pub const OPEN: &str = "open";
    pub const COMPLETED: &str = "and it is completed.";
    pub const WON: &str = "has won.";
    pub const DEFENCE: &str = "The defence";
    pub const PLAYS: &str = "plays";
    pub const GO: &str = "Play";
    pub const ANSWERED_HERE: &str = "Defences with an answer of their own";
    pub const ALL_OPEN: &str = "Every defence leaves a line open.";
    pub const AND_MORE: &str = "more";
    pub const LINE: &str = "The line";
    pub const FILE: &str = "The file";
    pub const DOWNLOAD: &str = "Download the proof";
    pub const CHECK: &str = "Then check it. The checker believes nobody:";
    pub const NOT_PROVED: &str = "is not proved yet: look at it on the workbench";

    pub fn too_large(nodes: u64) -> String {
        format!(
            "The proof has {nodes} nodes, too many to be shown here: fetch it with `gridproof fetch`"
        )
    }
}

/// What the colours of a zone mean.
pub mod zone {
    pub const LEGEND: [(&str, &str); 4] = [
        ("zone-free", "must stay free of the defender"),
        ("zone-1", "one further stone on its line does harm"),
        ("zone-2", "two do"),
        ("zone-3", "three do"),
    ];
    pub const ELSEWHERE: &str = "Stones of the defender elsewhere change nothing.";
}

/// The map of openings.
pub mod map {
    pub const TITLE: &str = "Map of openings";
    pub const HELP: &str = "A board for each search, with the stones that it starts from.";
    pub const NONE: &str = "No search yet.";
    pub const PROOF: &str = "proof";
}

/// The book of openings.
pub mod book {
    pub const NONE: &str = "This page has no book of openings.";
    pub const NOT_YET: &str = "There is no book yet in";
    pub const WHAT: &str = "A book holds positions that were played, with who won, and positions that are proved, \
         each with its certificate. Searches ask it before they give out a job.";
    pub const FROM_GAMES: &str = "Make one from records of games:";
    pub const BUILD: &str = "gridproof book build openings.gpb GAMES";
    pub const WITH: &str = "Then start the program with it:";
    pub const SERVE: &str = "gridproof serve --page --book openings.gpb";
    pub const BY_ITSELF: &str =
        "If the file of --book does not exist, the first search that is proved begins it.";
}

/// The report.
pub mod report {
    pub const NO_JOURNAL: &str = "this coordinator keeps no journal, so there is no report";
    pub const PERIODS: [(i64, &str); 4] = [
        (1, "an hour"),
        (12, "twelve hours"),
        (24, "a day"),
        (168, "a week"),
    ];
}

/// What scripts say: they get it as a module.
pub const SCRIPTS: [(&str, &str); 9] = [
    ("live", "live"),
    ("lost", "connection lost, trying again"),
    ("hidden", "paused while hidden"),
    ("takenBack", "taken back"),
    ("isTaken", "is taken"),
    ("more", "more"),
    ("played", "played"),
    ("stonesTakenBack", "stones taken back"),
    ("loading", "…"),
];

/// Keys and what they do, for the list that `?` shows.
pub const KEYS: [(&str, &str); 6] = [
    ("?", "this list"),
    ("b", "to the board: arrow keys move, space places a stone"),
    ("Esc", "takes back stones that are not a move yet"),
    ("m", "to the field for a move, such as k11 l10"),
    ("u", "back to the position before"),
    ("l", "along the most-proving line"),
];

/// Those that lead to other screens, where there are any.
pub const SCREEN_KEYS: [(&str, &str); 8] = [
    ("h", "to the hardest open reply"),
    ("t", "tree"),
    ("s", "searches"),
    ("p", "map of openings"),
    ("k", "book of openings"),
    ("w", "workers and jobs"),
    ("o", "orders"),
    ("r", "report"),
];
