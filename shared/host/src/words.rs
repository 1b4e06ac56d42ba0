//! Errors as people read them.

use std::error::Error;
use std::io;

/// A failure and its causes. Some errors quote their cause already: it is said once. An error
/// may quote a stranger's record, so what would command a terminal is shown as an escape.
#[must_use]
pub fn with_causes(failure: &dyn Error) -> String {
    let mut words = failure.to_string();
    for cause in std::iter::successors(failure.source(), |&cause| cause.source()) {
        let cause = cause.to_string();
        if !words.contains(&cause) {
            words = format!("{words}: {cause}");
        }
    }
    printable(&words)
}

/// A stranger's text for a terminal or a log: what would command a terminal, begin a line of its
/// own or turn the direction of writing is shown as an escape.
#[must_use]
pub fn printable(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let shown = text.chars().map(|c| {
        if c.is_control() || turns(c) {
            c.escape_default().to_string()
        } else {
            c.to_string()
        }
    });
    shown.collect()
}

/// What a coordinator that wants TLS, or one that is killed, looks like from below.
const CUT_OFF: [&str; 5] = [
    "h2",
    "broken pipe",
    "BrokenPipe",
    "ConnectionReset",
    "IncompleteMessage",
];

/// Why there is no connection to a coordinator, or none any more. The crates below tell it in many
/// layers, each in the words of its own world.
#[must_use]
pub fn of_connection(error: &(dyn Error + 'static)) -> String {
    let chain = || std::iter::successors(Some(error), |&error| error.source());
    let io = chain().find_map(|error| error.downcast_ref::<io::Error>());
    let known = match io.map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => {
            Some("nobody listens there (is `gridproof serve` running?)")
        }
        Some(io::ErrorKind::TimedOut) => Some("it took too long"),
        Some(io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable) => {
            Some("there is no way to that machine")
        }
        _ => None,
    };
    if let Some(words) = known {
        return words.to_owned();
    }
    let deepest = chain().last().map_or_else(String::new, ToString::to_string);
    let all: String = chain().map(|error| format!("{error:?} ")).collect();
    let words = if all.contains("InvalidContentType") {
        "it does not speak TLS: try an http address"
    } else if all.contains("UnknownIssuer") || all.contains("BadSignature") {
        "its certificate is not signed by the authority of --ca"
    } else if all.contains("NotValidForName") {
        "its certificate has another name: say --server-name, or make one with `gridproof cert server`"
    } else if all.contains("Expired") {
        "its certificate has expired: make one with `gridproof cert server --replace`"
    } else if CUT_OFF.iter().any(|words| all.contains(words)) {
        "it closed the connection (if it wants TLS, try an https address with --ca)"
    } else if deepest.contains("lookup address") {
        "there is no machine of this name"
    } else {
        return deepest;
    };
    words.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{words}")]
    struct Layer {
        words: &'static str,
        source: Option<io::Error>,
    }

    #[test]
    fn a_cause_is_said_once_and_commands_no_terminal() {
        let quoted = Layer {
            words: "cannot read a.gpf: no \u{1b}[2J such file",
            source: Some(io::Error::other("no \u{1b}[2J such file")),
        };
        assert_eq!(
            with_causes(&quoted),
            "cannot read a.gpf: no \\u{1b}[2J such file"
        );
        let apart = Layer {
            words: "cannot read a.gpf",
            source: Some(io::Error::other("no such file")),
        };
        assert_eq!(with_causes(&apart), "cannot read a.gpf: no such file");
    }

    #[test]
    fn a_strangers_words_stay_in_their_line_and_command_nothing() {
        let forged = "pc-01\n2026 INFO all is well\r\u{1b}[2J\u{9b}2J\u{202e}lla\u{2066}\u{200f}";
        let shown = printable(forged);
        assert_eq!(
            shown,
            "pc-01\\n2026 INFO all is well\\r\\u{1b}[2J\\u{9b}2J\\u{202e}lla\\u{2066}\\u{200f}"
        );
        assert_eq!(printable("Müller, 北京"), "Müller, 北京");
    }

    #[test]
    fn a_connection_that_fails_is_told_in_plain_words() {
        let refused = Layer {
            words: "transport error",
            source: Some(io::ErrorKind::ConnectionRefused.into()),
        };
        assert!(of_connection(&refused).starts_with("nobody listens there"));
        let unknown = Layer {
            words: "dns error",
            source: Some(io::Error::other(
                "failed to lookup address information: Name or service not known",
            )),
        };
        assert_eq!(of_connection(&unknown), "there is no machine of this name");
    }
}
