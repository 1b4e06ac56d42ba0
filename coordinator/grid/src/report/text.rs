use std::time::Duration;

use super::Report;
use crate::text::{self, Table};

impl Report {
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
        for book in &self.books {
            line(&mut out, &book.to_string());
        }
        if self.points.is_empty() {
            return out;
        }
        line(&mut out, &self.totals());
        if self.longest_standstill_seconds > 0 {
            let time = text::time(Duration::from_secs(self.longest_standstill_seconds));
            line(
                &mut out,
                &format!("WARNING: nothing moved for {time} at a stretch."),
            );
        }
        for (worker, how) in self.slowing() {
            line(
                &mut out,
                &format!("WARNING: {worker} slows the search: {how}."),
            );
        }
        for (title, table) in [
            ("Searches", self.search_table()),
            ("Work thrown away", self.waste_table()),
            ("Workers", self.worker_table()),
            ("Slowest jobs", self.slow_table()),
        ] {
            if !table.is_empty() {
                line(&mut out, &format!("\n{title}"));
                out.push_str(&table.without_empty_columns().to_string());
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
            text::plural(self.jobs, "job"),
            text::plural(self.workers.len() as u64, "worker"),
            text::short(self.spent as f64),
            text::percent(self.wasted_share()),
        )
    }

    fn search_table(&self) -> Table {
        let row = |search: &crate::logs::SearchState| {
            vec![
                search.name.clone(),
                search.status.to_string(),
                search.root.to_string(),
                text::short(search.spent as f64),
                text::count(search.jobs),
                text::time(Duration::from_secs(search.seconds)),
                search.certificate.as_ref().map_or_else(
                    || search.line.clone(),
                    |proof| format!("{} {}", proof.file, super::css::short_hash(&proof.hash)),
                ),
            ]
        };
        Table::new([
            "name",
            "verdict",
            "root",
            "nodes",
            "jobs",
            "time",
            "certificate or best line",
        ])
        .with_rows(self.searches.iter().map(row))
    }

    fn waste_table(&self) -> Table {
        let row = |(reason, part): &(String, u64)| {
            let share = *part as f64 / self.spent.max(1) as f64;
            vec![
                reason.clone(),
                text::short(*part as f64),
                text::percent(share),
            ]
        };
        Table::new(["reason", "nodes", "of all"]).with_rows(self.wasted.iter().map(row))
    }

    fn worker_table(&self) -> Table {
        let row = |worker: &crate::logs::WorkerState| {
            vec![
                worker.name.clone(),
                if worker.connected { "here" } else { "gone" }.to_owned(),
                worker.slots.to_string(),
                text::count(worker.jobs),
                text::count(worker.won),
                text::short(worker.spent as f64),
                text::percent(worker.wasted as f64 / worker.spent.max(1) as f64),
                text::count(worker.losses),
                some(worker.refused),
                some(worker.late),
                some(worker.contradicted),
            ]
        };
        Table::new([
            "name",
            "state",
            "slots",
            "jobs",
            "won",
            "nodes",
            "wasted",
            "losses",
            "refused",
            "late",
            "contradicted",
        ])
        .with_rows(self.workers.iter().map(row))
    }

    fn slow_table(&self) -> Table {
        let row = |job: &crate::logs::SlowJob| {
            vec![
                text::time(Duration::from_secs(job.seconds)),
                job.search.clone(),
                job.kind.clone(),
                job.outcome.clone(),
                job.worker.clone(),
                job.position.clone(),
            ]
        };
        Table::new(["time", "search", "kind", "outcome", "worker", "position"])
            .with_rows(self.slowest.iter().map(row))
    }
}

/// Nothing is said where nothing happened, so that the column goes.
fn some(count: u64) -> String {
    match count {
        0 => String::new(),
        count => text::count(count),
    }
}
