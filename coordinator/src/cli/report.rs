use std::path::PathBuf;

use clap::Args;
use gridproof::logs::Journal;
use gridproof::report::NightReport;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::{Failure, output};

/// Tell how the night went: what was proved, how fast, and what was wasted
#[derive(Debug, Args)]
pub(super) struct Report {
    /// The coordinator's folder
    #[arg(long, value_name = "FOLDER", default_value = "gridproof-data")]
    data: PathBuf,
    /// How far back to look, such as 12h or 90m
    #[arg(long, value_name = "TIME", default_value = "12h", value_parser = back)]
    since: SignedDuration,
    /// Write a page with plots to this file; - for standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the data of the report to this file as JSON; - for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Weeks are hours too, which jiff leaves to calendars.
fn back(text: &str) -> Result<SignedDuration, &'static str> {
    const HELP: &str = "write a time like 12h, 90m, 2d or 1w";
    let hours = |number: &str, each: i64| {
        let number: i64 = number.parse().map_err(|_| HELP)?;
        (1..=1000)
            .contains(&number)
            .then_some(SignedDuration::from_hours(each * number))
            .ok_or(HELP)
    };
    if let Some(days) = text.strip_suffix('d') {
        return hours(days, 24);
    }
    if let Some(weeks) = text.strip_suffix('w') {
        return hours(weeks, 7 * 24);
    }
    let time: SignedDuration = text.parse().map_err(|_| HELP)?;
    (time > SignedDuration::ZERO).then_some(time).ok_or(HELP)
}

impl Report {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let now = Timestamp::now();
        // Before the beginning of time there are no samples.
        let from = now.checked_sub(self.since).unwrap_or(Timestamp::MIN);
        let samples = Journal::at(self.data.join("journal")).read(from, now)?;
        let report = NightReport::from_samples(&samples, TimeZone::system());
        if let Some(path) = &self.json {
            let mut json = serde_json::to_vec_pretty(&report)?;
            json.push(b'\n');
            output::write_to(path, &json)?;
        }
        if let Some(path) = &self.html {
            output::write_to(path, report.to_html().as_bytes())?;
        }
        if self.html.is_none() && self.json.is_none() {
            output::print(report.to_text().as_bytes())?;
        }
        Ok(())
    }
}
