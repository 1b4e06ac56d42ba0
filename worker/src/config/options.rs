use std::path::PathBuf;

use clap::{ArgAction, CommandFactory, Parser};
use gridproof_host::logs::LogOptions;
use serde::{Deserialize, Serialize};

use super::values::{Busy, Cores, MaxBackoff, QuietFor};
use crate::availability::PauseWhen;
use crate::hours::Hours;
use crate::memory::MemoryLimit;
use crate::priority::Priority;

/// Works for a Gridproof coordinator, when nobody else needs this machine.
///
/// Every option can also stand in a TOML file (--config, or /etc/gridproof/worker.toml if it
/// is there) under the same name, and in the environment with GRIDPROOF_WORKER_ before it:
/// --max-backoff 1m, max-backoff = "1m", GRIDPROOF_WORKER_MAX_BACKOFF=1m. Flags count more
/// than the environment, and that more than the file.
///
/// Ctrl-C once: finish the jobs that were begun, then leave. Twice: leave at once. Nothing is
/// lost either way.
#[derive(Clone, Debug, Default, PartialEq, Parser, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
#[command(
    name = "gridproof-worker",
    version,
    after_help = "Exit codes: 0 left when asked; 1 broken: start again; 2 bad input: mend it first; \
                  76 the coordinator is of another version; 77 it does not let us in."
)]
pub struct Options {
    /// The coordinator's address, such as https://grid.lab:4100 [default: http://127.0.0.1:4100]
    #[arg(long, value_name = "URL")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coordinator: Option<String>,
    /// What this worker is called in logs and reports [default: the machine's name]
    #[arg(long, value_name = "NAME")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Read options from this file
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub config: Option<PathBuf>,
    /// Show the options that are in force and where each comes from, as a file for --config, and
    /// leave
    #[arg(long, action = ArgAction::SetTrue)]
    #[serde(skip)]
    pub print_config: bool,

    /// How many jobs run at a time: a number, all, or auto for all but one [default: auto]
    #[arg(long, value_name = "CORES", help_heading = "Resources and hours")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<Cores>,
    /// How the worker stands behind other programs: idle, low or normal [default: idle]
    #[arg(long, value_name = "PRIORITY", help_heading = "Resources and hours")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<Priority>,
    /// The most memory it takes: a part like 50%, a size like 2GiB, or none [default: 50%]
    #[arg(long, value_name = "AMOUNT", help_heading = "Resources and hours")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryLimit>,
    /// When it may work, such as 22:00-07:00,weekend or "mon-fri 19:00-07:00,sat,sun"; a
    /// night belongs to the day on which it begins [default: always]
    #[arg(long, value_name = "HOURS", help_heading = "Resources and hours")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Hours>,
    /// Pause while the machine is in use: never, user (somebody is logged in), load (other
    /// programs are busy) or either [default: never]
    #[arg(long, value_name = "WHEN", help_heading = "Resources and hours")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pause_when: Option<PauseWhen>,
    /// What part of the machine other programs may use before that counts as in use
    /// [default: 25%]
    #[arg(long, value_name = "PERCENT", help_heading = "Resources and hours")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub busy: Option<Busy>,
    /// How long the machine must have been free before work goes on [default: 10m]
    #[arg(long, value_name = "TIME", help_heading = "Resources and hours")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quiet_for: Option<QuietFor>,

    /// The most time between two tries to reach the coordinator [default: 30s]
    #[arg(long, value_name = "TIME", help_heading = "Connection")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_backoff: Option<MaxBackoff>,
    /// The lab's certificate, ca.pem, as `gridproof cert ca` wrote it
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<PathBuf>,
    /// The file that holds this worker's token, as `gridproof token new` showed it
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_file: Option<PathBuf>,
    /// This worker's certificate, for a coordinator that asks for one
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cert: Option<PathBuf>,
    /// The private key of --cert
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// The name in the coordinator's certificate, if it is reached by another
    #[arg(long, value_name = "NAME", help_heading = "Connection")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
    /// Connect to another machine without TLS or token: whoever is on the way can read and
    /// change everything
    #[arg(long, help_heading = "Connection")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub insecure: bool,

    /// Write counts of what was done to this file, every minute
    #[arg(long, value_name = "FILE", help_heading = "Logs")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats_file: Option<PathBuf>,
    /// Where log lines go.
    #[command(flatten)]
    #[serde(flatten)]
    pub logs: LogOptions,
}

impl Options {
    /// Every name that may stand in a file: the flags', but for those about the file itself.
    pub(super) fn names() -> Vec<String> {
        Self::command()
            .get_arguments()
            .filter_map(|argument| argument.get_long())
            .filter(|name| !["config", "print-config", "help", "version"].contains(name))
            .map(str::to_owned)
            .collect()
    }

    /// What is in force where nobody says anything.
    pub(super) fn usual() -> Self {
        Self {
            name: Some(super::machine_name()),
            cores: Some(Cores::default()),
            priority: Some(Priority::default()),
            memory: Some(MemoryLimit::default()),
            hours: Some(Hours::default()),
            pause_when: Some(PauseWhen::default()),
            busy: Some(Busy::default()),
            quiet_for: Some(QuietFor::default()),
            max_backoff: Some(MaxBackoff::default()),
            ..Self::default()
        }
    }

    pub(super) fn to_table(&self) -> toml::Table {
        toml::Table::try_from(self).expect("options are plain values")
    }
}
