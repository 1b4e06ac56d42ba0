//! Files that are built into the program.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

const FILES: [(&str, &str, &[u8]); 5] = [
    (
        "style.css",
        "text/css",
        include_bytes!("../assets/style.css"),
    ),
    (
        "page.js",
        "text/javascript",
        include_bytes!("../assets/page.js"),
    ),
    (
        "board.js",
        "text/javascript",
        include_bytes!("../assets/board.js"),
    ),
    (
        "live.js",
        "text/javascript",
        include_bytes!("../assets/live.js"),
    ),
    (
        "keys.js",
        "text/javascript",
        include_bytes!("../assets/keys.js"),
    ),
];

/// Styles and scripts: they tell nothing of the search, so strangers may have them.
pub async fn asset(Path(name): Path<String>) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, bytes)) => {
            let kind = format!("{kind}; charset=utf-8");
            let headers = [
                (header::CONTENT_TYPE, kind),
                (header::CACHE_CONTROL, "no-cache".into()),
            ];
            (headers, *bytes).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
