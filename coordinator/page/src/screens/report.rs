//! The morning report, as `gridproof report --html` makes it.

use axum::extract::{Query, State};

use gridproof_grid::logs::{JournalError, Sample};
use gridproof_grid::report::Report;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use maud::{Markup, html};
use serde::Deserialize;

use crate::access::Reader;
use crate::error::PageError;
use crate::layout::Screen;
use crate::texts::{bar, report as words};
use crate::{App, texts};

/// How far back to look.
#[derive(Debug, Deserialize)]
pub struct View {
    #[serde(default = "twelve")]
    hours: i64,
}

const fn twelve() -> i64 {
    12
}

/// The report of a period.
pub async fn show(
    State(app): State<App>,
    Reader(session): Reader,
    Query(view): Query<View>,
) -> Result<Markup, PageError> {
    let Some(journal) = app.journal.clone() else {
        return Err(PageError::NotThere(words::NO_JOURNAL.to_owned()));
    };
    let hours = view.hours.clamp(1, 24 * 365);
    // The journal's last sample may be a minute old.
    let now = Timestamp::now();
    let present = Sample::of(&app.coordinator.snapshot().await?, now);
    let report = tokio::task::spawn_blocking(move || {
        let from = now
            .checked_sub(SignedDuration::from_hours(hours))
            .unwrap_or(now);
        let mut samples = journal.read(from, now)?;
        samples.push(present);
        Ok::<_, JournalError>(Report::from_samples(&samples, TimeZone::system()))
    });
    let report = report
        .await
        .map_err(|_| PageError::Bad(texts::error::PANICKED.to_owned()))?;
    let report = report.map_err(|error| PageError::Bad(error.to_string()))?;
    let body = html! {
        p .row .pages {
            @for (period, name) in words::PERIODS {
                a .button .small href=(format!("/report?hours={period}"))
                    aria-current=[(period == hours).then_some("true")] { (name) }
            }
        }
        div .report { (report.body()) }
    };
    let screen = Screen {
        title: bar::REPORT.to_owned(),
        here: Some("/report"),
        live: None,
        body,
    };
    Ok(screen.frame(Some(&session)))
}
