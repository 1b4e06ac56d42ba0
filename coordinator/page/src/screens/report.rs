//! The morning report, as `gridproof report --html` makes it.

use axum::extract::{Query, State};
use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use gridproof_grid::report::{CSS, Report};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde::Deserialize;

use crate::access::Reader;
use crate::error::PageError;
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

/// The report, with links back.
pub async fn show(
    State(app): State<App>,
    Reader(_): Reader,
    Query(view): Query<View>,
) -> Result<Response, PageError> {
    let Some(journal) = app.journal.clone() else {
        let words = "this coordinator keeps no journal, so there is no report";
        return Err(PageError::NotThere(words.to_owned()));
    };
    let hours = view.hours.clamp(1, 24 * 365);
    let report = tokio::task::spawn_blocking(move || {
        let now = Timestamp::now();
        let from = now
            .checked_sub(SignedDuration::from_hours(hours))
            .unwrap_or(now);
        let samples = journal.read(from, now)?;
        Ok::<_, gridproof_grid::logs::JournalError>(Report::from_samples(
            &samples,
            TimeZone::system(),
        ))
    });
    let report = report
        .await
        .map_err(|_| PageError::Bad("the report panicked: a bug".to_owned()))?;
    let report = report.map_err(|error| PageError::Bad(error.to_string()))?;
    let links = [
        ("/", texts::SEARCHES),
        ("/report?hours=1", "an hour"),
        ("/report?hours=12", "twelve hours"),
        ("/report?hours=24", "a day"),
        ("/report?hours=168", "a week"),
    ];
    let page = report.to_site_page("/assets/report.css", &links);
    Ok(Html(page).into_response())
}

/// The report's own looks.
pub async fn styles() -> Response {
    ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], CSS).into_response()
}
