//! What pages take for granted, and what is changed in their commands to fit them into a test.

/// For one page.
#[derive(Clone, Copy, Debug)]
pub struct PageSetup {
    pub page: &'static str,
    /// Commands that a reader has given before.
    pub before: &'static [&'static str],
    /// Texts, and what stands in their place.
    pub changes: &'static [(&'static str, &'static str)],
    /// Files of the repository that the page says how to make: they come out the same.
    pub makes: &'static [&'static str],
}

/// A page that takes nothing for granted.
const PLAIN: PageSetup = PageSetup {
    page: "",
    before: &[],
    changes: &[],
    makes: &[],
};

/// What is changed on every page. A test is no machine of its own, and has its own port.
const EVERYWHERE: [(&str, &str); 7] = [
    ("cargo run --release -- ", "gridproof "),
    ("sudo -u gridproof ", ""),
    ("cd /var/lib/gridproof", "cd ."),
    ("0.0.0.0:4100", "127.0.0.1:PORT"),
    ("127.0.0.1:4100", "127.0.0.1:PORT"),
    ("localhost:4100", "localhost:PORT"),
    ("grid.lab:4100", "localhost:PORT"),
];

const SETUPS: [PageSetup; 8] = [
    PageSetup {
        page: "README.md",
        // The reader copies the two files from one machine to the other.
        changes: &[("--ca ca.pem", "--ca gridproof-data/certs/ca.pem")],
        ..PLAIN
    },
    PageSetup {
        page: "docs/proofs.md",
        before: &["mkdir docs", "gridproof solve G7-M13"],
        makes: &["docs/G7-M13.svg"],
        ..PLAIN
    },
    PageSetup {
        page: "docs/clients.md",
        changes: &[("gridproof serve", "gridproof serve --listen 127.0.0.1:PORT")],
        ..PLAIN
    },
    PageSetup {
        page: "docs/logs-and-reports.md",
        // A night's journal, such as it is.
        before: &["gridproof serve --listen 0.0.0.0:4100 --submit TX-H9"],
        ..PLAIN
    },
    PageSetup {
        page: "docs/openings/README.md",
        changes: &[("openings --nodes", "openings --only G7-M13 --nodes")],
        ..PLAIN
    },
    PageSetup {
        page: "deploy/README.md",
        before: &[
            "gridproof cert ca",
            "gridproof cert server grid.lab",
            "gridproof token new --role operator --out gridproof-data/tokens operator",
            "gridproof serve --listen 0.0.0.0:4100",
        ],
        changes: &[
            ("deploy/bundle.sh", "deploy/bundle.sh --bin \"$PROGRAMS\""),
            ("--ca ca.pem", "--ca gridproof-data/certs/ca.pem"),
            ("--token pc-07", "--token gridproof-data/tokens/pc-07"),
        ],
        ..PLAIN
    },
    PageSetup {
        page: "docs/benchmarks/search.md",
        // The figures themselves would take too long to make again.
        changes: &[("--count 10000", "--count 100")],
        ..PLAIN
    },
    PageSetup {
        page: "shared/game/README.md",
        before: &["mkdir -p shared/game"],
        makes: &["shared/game/board.svg"],
        ..PLAIN
    },
];

impl PageSetup {
    pub fn of(page: &str) -> Self {
        let found = SETUPS.iter().copied().find(|setup| setup.page == page);
        found.unwrap_or(PLAIN)
    }

    /// The command that a test runs instead.
    pub fn adapt(&self, command: &str, port: u16) -> String {
        let changes = EVERYWHERE.iter().chain(self.changes);
        let changed = changes.fold(command.to_owned(), |command, (from, to)| {
            command.replace(from, to)
        });
        changed.replace("PORT", &port.to_string())
    }
}
