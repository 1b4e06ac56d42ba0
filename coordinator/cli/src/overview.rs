//! `gridproof --help`: what there is to do, under headings, for clap lists subcommands only in
//! one row.

use clap::builder::StyledStr;
use clap::{Command, CommandFactory as _, FromArgMatches as _};

use super::Cli;

/// Each subcommand once, under what somebody wants to do with it.
const GROUPS: [(&str, &str); 7] = [
    ("Prove, on this machine", "solve openings family win verify"),
    ("Boards and proofs", "show convert explain check report"),
    ("Play", "play match tune book"),
    ("Run a grid", "serve token cert backup store simulate"),
    (
        "See what a grid does",
        "top list status watch workers orders fetch",
    ),
    (
        "Give a grid orders",
        "submit hint run abort pause resume forget remember share stop quarantine release withdraw",
    ),
    ("This program", "config completions man help"),
];

/// Reads the command line.
pub(super) fn parse() -> Cli {
    let matches = with_groups(Cli::command()).get_matches();
    Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

fn with_groups(mut command: Command) -> Command {
    command.build();
    let template = template(&command);
    command.help_template(template)
}

fn template(command: &Command) -> StyledStr {
    let styles = command.get_styles();
    let (header, literal) = (styles.get_header(), styles.get_literal());
    let mut text = String::from("{about-with-newline}\n{usage-heading} {usage}\n");
    for (heading, names) in GROUPS {
        text += &format!("\n{header}{heading}:{header:#}\n");
        for name in names.split(' ') {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            text += &format!("  {literal}{name:<12}{literal:#} {about}\n");
        }
    }
    let options = format!("\n{header}Options:{header:#}\n{{options}}{{after-help}}");
    StyledStr::from(text + &options)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_listed_once_and_in_one_line() {
        let mut command = Cli::command();
        command.build();
        let commands = command.get_subcommands();
        let mut known: Vec<_> = commands.map(Command::get_name).collect();
        let mut listed: Vec<_> = GROUPS
            .iter()
            .flat_map(|(_, names)| names.split(' '))
            .collect();
        known.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, known);
        let help = with_groups(command).render_help().to_string();
        for line in help.lines().take_while(|line| *line != "Options:") {
            assert!(line.chars().count() <= 100, "{line}");
        }
    }
}
