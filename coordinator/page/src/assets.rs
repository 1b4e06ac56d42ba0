//! Files that are built into the program.

use axum::extract::Path;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::texts;

const CSS: &str = "text/css";
const SCRIPT: &str = "text/javascript";

macro_rules! file {
    ($name:literal, $kind:expr) => {
        ($name, $kind, include_bytes!(concat!("../assets/", $name)))
    };
}

const FILES: [(&str, &str, &[u8]); 8] = [
    file!("style.css", CSS),
    file!("board.css", CSS),
    file!("icon.svg", "image/svg+xml"),
    file!("page.js", SCRIPT),
    file!("board.js", SCRIPT),
    file!("live.js", SCRIPT),
    file!("keys.js", SCRIPT),
    file!("tree.js", SCRIPT),
];

/// Styles and scripts: they tell nothing of the search, so strangers may have them.
pub async fn asset(Path(name): Path<String>) -> Response {
    if name == "texts.js" {
        return answer(SCRIPT, spoken());
    }
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, bytes)) => answer(kind, *bytes),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

fn answer(kind: &str, body: impl IntoResponse) -> Response {
    let headers = [
        (header::CONTENT_TYPE, format!("{kind}; charset=utf-8")),
        (header::CACHE_CONTROL, "no-cache".into()),
    ];
    (headers, body).into_response()
}

/// What scripts say, as a module of their own.
fn spoken() -> String {
    let lines = texts::SCRIPTS.map(|(name, words)| format!("  {name}: {words:?},\n"));
    format!("export const texts = {{\n{}}};\n", lines.concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_get_their_words_as_a_module() {
        assert!(spoken().contains("lost: \"connection lost, trying again\",\n"));
    }
}
