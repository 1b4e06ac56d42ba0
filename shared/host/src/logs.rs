//! One subscriber for every program of the grid: text for people, JSON for machines, to
//! standard error or to files that rotate.

use std::fmt;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};
use tracing::Subscriber;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling::RollingFileAppender;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

/// Our own news, and others' only when it is bad. A name stands for all that begin with it,
/// such as gridproof_worker.
const USUAL: &str = "warn,gridproof=info";

/// Of HTTP/2 and TLS only errors, whatever is logged, unless they are named: a stranger decides
/// how often they warn.
const TALKATIVE: [&str; 4] = ["h2", "hyper", "tonic", "rustls"];

/// A filter in which those that strangers can make talk are silent, unless it names them.
fn with_silence(filter: &str) -> String {
    let names = |name: &&&str| {
        filter
            .split(',')
            .any(|part| part.trim().starts_with(**name))
    };
    let silent = TALKATIVE.iter().filter(|name| !names(name));
    let silent: String = silent.map(|name| format!("{name}=error,")).collect();
    silent + filter
}

/// How many old files stay when nobody says.
const KEEP: usize = 14;

/// Where log lines go and how they look.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
#[command(next_help_heading = "Logs")]
pub struct LogOptions {
    /// What to log: error, warn, info, debug, trace, or a list like warn,gridproof=debug. Of
    /// h2, hyper, tonic and rustls errors alone, unless they are named, as in h2=debug
    /// [default: warn,gridproof=info]
    #[arg(long, value_name = "FILTER")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<String>,
    /// text for people, json for machines: one object a line [default: text]
    #[arg(long, value_name = "FORMAT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_format: Option<LogFormat>,
    /// Write to this file instead of standard error; the date is put before the ending
    #[arg(long, value_name = "FILE")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_file: Option<PathBuf>,
    /// When to begin a new file [default: daily]
    #[arg(long, value_name = "WHEN")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_rotation: Option<Rotation>,
    /// How many old files to keep [default: 14]
    #[arg(long, value_name = "COUNT")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_keep: Option<usize>,
}

/// How a log line looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// For programs: one object a line.
    Json,
}

/// When a new log file begins. Days and hours are those of UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rotation {
    /// At midnight.
    #[default]
    Daily,
    /// At each full hour.
    Hourly,
    /// One file for good.
    Never,
}

impl From<Rotation> for tracing_appender::rolling::Rotation {
    fn from(rotation: Rotation) -> Self {
        match rotation {
            Rotation::Daily => Self::DAILY,
            Rotation::Hourly => Self::HOURLY,
            Rotation::Never => Self::NEVER,
        }
    }
}

/// Why there are no logs.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    /// The filter makes no sense.
    #[error(
        "\"{filter}\" is no log filter: write a level like info, or a list like warn,gridproof=debug"
    )]
    Filter {
        /// The filter that was given.
        filter: String,
        /// What is wrong with it.
        source: tracing_subscriber::filter::ParseError,
    },
    /// The file cannot be opened.
    #[error("cannot log to {}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: tracing_appender::rolling::InitError,
    },
    /// The folder cannot be made.
    #[error("cannot log to {}: its folder cannot be made", path.display())]
    Folder {
        /// Which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The path ends in no name.
    #[error("{} names no file to log to", .0.display())]
    NoFileName(PathBuf),
    /// A process has one subscriber.
    #[error("logs are set up already")]
    Twice(#[from] tracing::subscriber::SetGlobalDefaultError),
}

/// Keeps the logs flowing: lines still on their way are written when it is dropped, so hold
/// it until the end of `main`.
#[must_use = "lines on their way are lost without it"]
pub struct LogGuard {
    _file: Option<WorkerGuard>,
}

impl fmt::Debug for LogGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LogGuard")
    }
}

/// Whether lines carry the time and colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether a line begins with its time.
    pub time: Time,
    /// Whether a line is coloured.
    pub colour: Colour,
}

/// Whether a line begins with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// It does.
    Shown,
    /// Whoever takes the lines, such as the journal, knows the time.
    Left,
}

/// Whether a line is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// It is.
    On,
    /// It is not.
    Off,
}

impl Look {
    const FILE: Self = Self {
        time: Time::Shown,
        colour: Colour::Off,
    };

    fn of_stderr() -> Self {
        let journal = std::env::var_os("JOURNAL_STREAM").is_some();
        let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let coloured = io::stderr().is_terminal() && !plain;
        Self {
            time: if journal { Time::Left } else { Time::Shown },
            colour: if coloured { Colour::On } else { Colour::Off },
        }
    }
}

impl LogOptions {
    /// Sets the logs up for the whole process: once, first thing in `main`.
    pub fn start(&self) -> Result<LogGuard, LogError> {
        self.start_through(io::stderr)
    }

    /// The same for a program that draws on the terminal: lines that are for standard error
    /// go through its own writer.
    pub fn start_through<W>(&self, stderr: W) -> Result<LogGuard, LogError>
    where
        W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
    {
        let Some(path) = &self.log_file else {
            let subscriber = self.subscriber(stderr, Look::of_stderr())?;
            tracing::subscriber::set_global_default(subscriber)?;
            return Ok(LogGuard { _file: None });
        };
        // A thread of its own writes, and lines are dropped rather than waited for: a full
        // or slow disk must not stop the search.
        let (writer, guard) = tracing_appender::non_blocking(self.appender(path)?);
        tracing::subscriber::set_global_default(self.subscriber(writer, Look::FILE)?)?;
        Ok(LogGuard { _file: Some(guard) })
    }

    /// What [`start`](Self::start) sets up, for whoever brings another place to write to.
    pub fn subscriber<W>(
        &self,
        writer: W,
        look: Look,
    ) -> Result<Box<dyn Subscriber + Send + Sync>, LogError>
    where
        W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
    {
        let filter = self.log.as_deref().unwrap_or(USUAL);
        let all = with_silence(filter);
        let filter = EnvFilter::try_new(all).map_err(|source| LogError::Filter {
            filter: filter.to_owned(),
            source,
        })?;
        let builder = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(writer)
            .with_ansi(look.colour == Colour::On);
        Ok(match (self.log_format.unwrap_or_default(), look.time) {
            (LogFormat::Json, _) => Box::new(builder.json().flatten_event(true).finish()),
            (LogFormat::Text, Time::Shown) => Box::new(builder.with_target(false).finish()),
            (LogFormat::Text, Time::Left) => {
                Box::new(builder.with_target(false).without_time().finish())
            }
        })
    }

    fn appender(&self, path: &Path) -> Result<RollingFileAppender, LogError> {
        let unnamed = || LogError::NoFileName(path.to_owned());
        let stem = path
            .file_stem()
            .and_then(|s| s.to_str())
            .ok_or_else(unnamed)?;
        let mut builder = RollingFileAppender::builder()
            .rotation(self.log_rotation.unwrap_or_default().into())
            .filename_prefix(stem)
            .max_log_files(self.log_keep.unwrap_or(KEEP).max(1));
        if let Some(ending) = path.extension().and_then(|s| s.to_str()) {
            builder = builder.filename_suffix(ending);
        }
        let folder = crate::files::folder_of(path);
        // The appender would print lines of its own about it.
        std::fs::create_dir_all(folder).map_err(|source| LogError::Folder {
            path: path.to_owned(),
            source,
        })?;
        builder.build(folder).map_err(|source| LogError::File {
            path: path.to_owned(),
            source,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    #[derive(Clone, Default)]
    struct Page(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Page {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn written(options: &LogOptions, look: Look, log: impl FnOnce()) -> String {
        let page = Page::default();
        let writer = page.clone();
        let subscriber = options.subscriber(move || writer.clone(), look).unwrap();
        tracing::subscriber::with_default(subscriber, log);
        String::from_utf8(page.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn the_journal_gets_lines_without_time() {
        let look = Look {
            time: Time::Left,
            colour: Colour::Off,
        };
        let text = written(&LogOptions::default(), look, || {
            tracing::info!(workers = 4, "good night");
            tracing::debug!("not asked for");
        });
        assert_eq!(text, " INFO good night workers=4\n");
    }

    #[test]
    fn strangers_cannot_fill_the_log_by_what_other_crates_say_of_them() {
        let talk = |log: Option<&str>| {
            let options = LogOptions {
                log: log.map(str::to_owned),
                ..LogOptions::default()
            };
            written(&options, Look::FILE, || {
                tracing::warn!(target: "h2::proto", "an odd frame");
                tracing::error!(target: "h2::proto", "broken");
                tracing::warn!(target: "sled", "worth reading");
            })
        };
        for log in [
            None,
            Some("warn"),
            Some("debug"),
            Some("gridproof=debug,info"),
        ] {
            let text = talk(log);
            assert!(!text.contains("odd") && text.contains("broken"), "{text}");
            assert!(text.contains("worth reading"), "{text}");
        }
        assert!(talk(Some("warn,h2=warn")).contains("odd"));
    }

    #[test]
    fn json_is_one_object_a_line() {
        let options = LogOptions {
            log_format: Some(LogFormat::Json),
            ..LogOptions::default()
        };
        let text = written(&options, Look::FILE, || tracing::warn!(jobs = 7, "slow"));
        let line: serde_json::Value = serde_json::from_str(text.trim_end()).unwrap();
        assert_eq!(line["level"], "WARN");
        assert_eq!(line["message"], "slow");
        assert_eq!(line["jobs"], 7);
        assert!(line["timestamp"].is_string());
    }

    #[test]
    fn a_filter_that_makes_no_sense_is_refused() {
        let options = LogOptions {
            log: Some("gridproof=loud".to_owned()),
            ..LogOptions::default()
        };
        let error = options.subscriber(io::sink, Look::FILE).err().unwrap();
        assert!(
            error
                .to_string()
                .contains("\"gridproof=loud\" is no log filter")
        );
    }

    #[test]
    fn a_log_file_carries_its_date_before_its_ending() {
        let folder = tempfile::tempdir().unwrap();
        let options = LogOptions::default();
        let appender = options.appender(&folder.path().join("grid.log"));
        let (writer, guard) = tracing_appender::non_blocking(appender.unwrap());
        let subscriber = options.subscriber(writer, Look::FILE).unwrap();
        tracing::subscriber::with_default(subscriber, || tracing::info!("kept"));
        drop(guard);
        let entry = std::fs::read_dir(folder.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap();
        let name = entry.file_name().into_string().unwrap();
        assert!(
            name.starts_with("grid.2") && name.ends_with(".log"),
            "{name}"
        );
        let text = std::fs::read_to_string(entry.path()).unwrap();
        assert!(text.contains("kept"));
    }
}
