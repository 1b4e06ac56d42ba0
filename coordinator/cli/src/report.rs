use std::path::{Path, PathBuf};

use clap::Args;
use gridproof_grid::logs::{Journal, Sample};
use gridproof_grid::report::Report;
use gridproof_grid::text;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::exit::BadInput;
use super::values::{Time, positive_time};
use super::{Failure, output};

/// Tell how it went: what was proved, how fast, and what was wasted
///
/// Made from the journal that `serve` and `solve` keep. A folder with several searches by
/// `solve` is told search by search.
#[derive(Debug, Args)]
pub(super) struct ReportCommand {
    /// The folder of a coordinator, of a `solve`, or one with several of these
    #[arg(long, value_name = "FOLDER", default_value = "gridproof-data")]
    data: PathBuf,
    /// How far back to look, such as 12h, 90m or 3d
    #[arg(long, value_name = "TIME", default_value = "12h", value_parser = positive_time)]
    since: Time,
    /// Write a page with plots to this file; - for standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the data of the report as JSON to this file [default: standard output]
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-")]
    json: Option<PathBuf>,
}

impl ReportCommand {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let found = self.samples()?;
        if let [(_, samples)] = &found[..] {
            return self.tell(&Report::from_samples(samples, TimeZone::system()));
        }
        if self.html.is_some() || self.json.is_some() {
            let folders = found.iter().map(|(folder, _)| folder.display().to_string());
            let folders: Vec<_> = folders.collect();
            let words = format!(
                "{} holds several searches: choose one with --data: {}",
                self.data.display(),
                folders.join(", ")
            );
            return Err(BadInput(words).into());
        }
        for (folder, samples) in &found {
            let report = Report::from_samples(samples, TimeZone::system());
            let text = format!("{}\n{}\n", folder.display(), report.to_text());
            output::print(text.as_bytes())?;
        }
        Ok(())
    }

    fn tell(&self, report: &Report) -> Result<(), Failure> {
        if let Some(path) = &self.json {
            output::write_to(path, output::to_json(report)?.as_bytes())?;
        }
        if let Some(path) = &self.html {
            output::write_to(path, report.to_html().as_bytes())?;
        }
        if self.html.is_none() && self.json.is_none() {
            output::print(report.to_text().as_bytes())?;
        }
        Ok(())
    }

    /// What the folder's journal holds of this time, or the journals of the folders in it.
    fn samples(&self) -> Result<Vec<(PathBuf, Vec<Sample>)>, Failure> {
        let data = &self.data;
        if !data.is_dir() {
            let words = format!(
                "there is no folder {}: name one with --data",
                data.display()
            );
            return Err(BadInput(words).into());
        }
        let mut folders = vec![data.clone()];
        if !has_journal(data) {
            let inner = std::fs::read_dir(data)?.filter_map(Result::ok);
            folders = inner.map(|entry| entry.path()).collect();
            folders.retain(|folder| has_journal(folder));
            folders.sort();
        }
        if folders.is_empty() {
            let words = format!(
                "{} holds no journal: `gridproof serve` and `solve` keep one in their folder",
                data.display()
            );
            return Err(BadInput(words).into());
        }
        let now = Timestamp::now();
        // Before the beginning of time there are no samples.
        let since = SignedDuration::try_from(self.since.0).ok();
        let from = since.and_then(|since| now.checked_sub(since).ok());
        let from = from.unwrap_or(Timestamp::MIN);
        let mut found = Vec::new();
        for folder in folders {
            let samples = Journal::at(folder.join("journal")).read(from, now)?;
            if !samples.is_empty() {
                found.push((folder, samples));
            }
        }
        if found.is_empty() {
            let words = format!(
                "nothing was recorded in {} within the last {}: look further back with --since",
                data.display(),
                text::time(self.since.0)
            );
            return Err(BadInput(words).into());
        }
        Ok(found)
    }
}

fn has_journal(folder: &Path) -> bool {
    folder.join("journal").is_dir()
}
