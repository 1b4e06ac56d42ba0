//! What goes wrong, said to people.

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use gridproof_grid::coordinator::{CoordinatorGone, OrderError};

use crate::address::PlaceError;
use crate::layout::{Screen, notice};
use crate::look::LookError;
use crate::texts::error as words;

/// An answer that is not the one that was wanted.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    #[error(transparent)]
    Place(#[from] PlaceError),
    #[error(transparent)]
    Order(#[from] OrderError),
    #[error(transparent)]
    Gone(#[from] CoordinatorGone),
    #[error("{0}")]
    NotThere(String),
    #[error("{0}")]
    Bad(String),
}

impl From<LookError> for PageError {
    fn from(error: LookError) -> Self {
        match error {
            LookError::Place(error) => Self::Place(error),
            LookError::Gone(error) => Self::Gone(error),
        }
    }
}

impl PageError {
    fn code(&self) -> StatusCode {
        match self {
            Self::Place(PlaceError::UnknownSearch(_)) | Self::NotThere(_) => StatusCode::NOT_FOUND,
            Self::Place(_) | Self::Bad(_) => StatusCode::BAD_REQUEST,
            Self::Order(_) => StatusCode::CONFLICT,
            Self::Gone(_) => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let body = maud::html! {
            h1 { (words::TITLE) }
            (notice("error", &self.to_string()))
            p { a .button href="/" { (words::HOME) } }
        };
        let screen = Screen {
            title: words::TITLE.to_owned(),
            here: None,
            live: None,
            body,
        };
        (self.code(), screen.frame(None)).into_response()
    }
}
