use std::fmt::Write as _;
use std::time::Duration;

use super::NightReport;
use crate::logs::words;

/// Rows of text in columns that line up; numbers to the right.
struct Table {
    head: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Without columns that say nothing: not everything is always counted.
    fn without_empty_columns(self) -> Self {
        let says = |column: usize| self.rows.iter().any(|row| !is_nothing(&row[column]));
        let kept: Vec<usize> = (0..self.head.len())
            .filter(|&column| says(column))
            .collect();
        let pick = |row: &Vec<String>| kept.iter().map(|&column| row[column].clone()).collect();
        Self {
            head: kept.iter().map(|&column| self.head[column]).collect(),
            rows: self.rows.iter().map(pick).collect(),
        }
    }

    fn write(&self, out: &mut String) {
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| row[column].chars().count());
            cells
                .chain([self.head[column].chars().count()])
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let right: Vec<bool> = (0..self.head.len())
            .map(|column| self.rows.iter().all(|row| is_number(&row[column])))
            .collect();
        let head = self.head.iter().map(|name| (*name).to_owned()).collect();
        for row in std::iter::once(&head).chain(&self.rows) {
            let mut line = String::from(" ");
            for (column, cell) in row.iter().enumerate() {
                let width = widths[column];
                if right[column] {
                    write!(line, " {cell:>width$} ")
                } else {
                    write!(line, " {cell:<width$} ")
                }
                .expect("a string takes any text");
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
}

fn is_nothing(text: &str) -> bool {
    matches!(text, "" | "0" | "0%" | "0 s")
}

fn is_number(text: &str) -> bool {
    text.chars()
        .next()
        .is_none_or(|c| c.is_ascii_digit() || c == '∞')
}

impl NightReport {
    /// For a terminal or a mail.
    #[must_use]
    pub fn to_text(&self) -> String {
        let mut out = String::new();
        let line = |out: &mut String, text: &str| {
            out.push_str(text);
            out.push('\n');
        };
        line(&mut out, &format!("Gridproof, {}", self.period()));
        line(&mut out, "");
        line(&mut out, &self.headline());
        if self.points.is_empty() {
            return out;
        }
        line(&mut out, &self.totals());
        if self.longest_standstill_seconds > 0 {
            let time = words::time(Duration::from_secs(self.longest_standstill_seconds));
            line(
                &mut out,
                &format!("WARNING: nothing moved for {time} at a stretch."),
            );
        }
        for (title, table) in [
            ("Searches", self.search_table()),
            ("Work thrown away", self.waste_table()),
            ("Workers", self.worker_table()),
            ("Slowest jobs", self.slow_table()),
        ] {
            if !table.rows.is_empty() {
                line(&mut out, &format!("\n{title}"));
                table.without_empty_columns().write(&mut out);
            }
        }
        out
    }

    fn totals(&self) -> String {
        let restarts = match self.restarts {
            0 => String::new(),
            1 => ", one restart of the coordinator".to_owned(),
            n => format!(", {n} restarts of the coordinator"),
        };
        format!(
            "{} by {}, {} solver nodes, {} of them thrown away{restarts}.",
            words::plural(self.jobs, "job"),
            words::plural(self.workers.len() as u64, "worker"),
            words::short(self.spent as f64),
            words::percent(self.wasted_share()),
        )
    }

    fn search_table(&self) -> Table {
        let row = |search: &crate::logs::SearchState| {
            vec![
                search.name.clone(),
                super::style::ending(search.ending).to_owned(),
                search.root.to_string(),
                words::count(search.nodes),
                words::count(search.jobs),
                words::time(Duration::from_secs(search.seconds)),
                search.certificate.as_ref().map_or_else(
                    || search.line.clone(),
                    |proof| format!("{} {}", proof.file, super::style::short_hash(&proof.hash)),
                ),
            ]
        };
        Table {
            head: vec![
                "name",
                "verdict",
                "root",
                "nodes",
                "jobs",
                "time",
                "certificate or best line",
            ],
            rows: self.searches.iter().map(row).collect(),
        }
    }

    fn waste_table(&self) -> Table {
        let row = |(reason, part): &(String, u64)| {
            let share = *part as f64 / self.spent.max(1) as f64;
            vec![
                reason.clone(),
                words::short(*part as f64),
                words::percent(share),
            ]
        };
        Table {
            head: vec!["reason", "nodes", "of all"],
            rows: self.wasted.iter().map(row).collect(),
        }
    }

    fn worker_table(&self) -> Table {
        let row = |worker: &crate::logs::WorkerState| {
            vec![
                worker.name.clone(),
                if worker.connected { "here" } else { "gone" }.to_owned(),
                worker.slots.to_string(),
                words::count(worker.jobs),
                words::count(worker.won),
                words::short(worker.spent as f64),
                words::percent(worker.wasted as f64 / worker.spent.max(1) as f64),
                words::count(worker.losses),
            ]
        };
        Table {
            head: vec![
                "name", "state", "slots", "jobs", "won", "nodes", "wasted", "losses",
            ],
            rows: self.workers.iter().map(row).collect(),
        }
    }

    fn slow_table(&self) -> Table {
        let row = |job: &crate::logs::SlowJob| {
            vec![
                words::time(Duration::from_secs(job.seconds)),
                job.search.clone(),
                job.kind.clone(),
                job.outcome.clone(),
                job.worker.clone(),
                job.position.clone(),
            ]
        };
        Table {
            head: vec!["time", "search", "kind", "outcome", "worker", "position"],
            rows: self.slowest.iter().map(row).collect(),
        }
    }
}
