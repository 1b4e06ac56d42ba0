use clap::Parser as _;
use figment::Jail;

use super::*;
use crate::availability::PauseWhen;

fn options(arguments: &[&str]) -> Result<Options, ConfigError> {
    let all = std::iter::once("gridproof-worker").chain(arguments.iter().copied());
    Options::try_parse_from(all)
        .unwrap()
        .with_file_and_environment()
}

/// Its own folder and environment, one test at a time.
#[expect(clippy::result_large_err, reason = "figment's own type")]
fn in_jail(test: impl FnOnce(&mut Jail)) {
    Jail::expect_with(|jail| {
        test(jail);
        Ok(())
    });
}

const LOCAL: [&str; 2] = ["--coordinator", "http://127.0.0.1:4100"];

#[test]
fn flags_count_more_than_the_environment_and_that_more_than_the_file() {
    in_jail(|jail| {
        let file = "cores = 2\nhours = \"22:00-07:00\"\nmax-backoff = \"1m\"\n";
        jail.create_file("worker.toml", file).unwrap();
        jail.set_env("GRIDPROOF_WORKER_CORES", "3");
        jail.set_env("GRIDPROOF_WORKER_MAX_BACKOFF", "2m");
        jail.set_env("GRIDPROOF_WORKER_SERVICE_HOST", "10.0.0.1");
        let found = options(&["--config", "worker.toml", "--cores", "4"]).unwrap();
        assert_eq!(found.cores, Some("4".parse().unwrap()));
        assert_eq!(found.max_backoff, Some("2m".parse().unwrap()));
        assert_eq!(found.hours, Some("22:00-07:00".parse().unwrap()));
    });
}

#[test]
fn a_file_named_in_the_environment_is_read() {
    in_jail(|jail| {
        jail.create_file("w.toml", "log-format = \"json\"\ninsecure = true\n")
            .unwrap();
        jail.set_env("GRIDPROOF_WORKER_CONFIG", "w.toml");
        let found = options(&[]).unwrap();
        assert!(found.insecure);
        assert_eq!(
            found.logs.log_format,
            Some(gridproof_host::logs::LogFormat::Json)
        );
    });
}

#[test]
fn a_slip_in_the_file_is_told_by_name() {
    in_jail(|jail| {
        jail.create_file("worker.toml", "corse = 2\n").unwrap();
        let error = options(&["--config", "worker.toml"])
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("worker.toml sets \"corse\", which is no option"),
            "{error}"
        );
        jail.create_file("worker.toml", "hours = \"night\"\n")
            .unwrap();
        let error = options(&["--config", "worker.toml"])
            .unwrap_err()
            .to_string();
        assert!(error.contains("\"night\" are no hours"), "{error}");
        let error = options(&["--config", "none.toml"]).unwrap_err().to_string();
        assert_eq!(error, "there is no file none.toml");
    });
}

#[test]
fn what_is_in_force_can_be_printed_and_read_again() {
    in_jail(|jail| {
        let flags = [
            "--hours",
            "22:00-07:00,weekend",
            "--pause-when",
            "either",
            "--cores",
            "2",
        ];
        let mut first = options(&flags).unwrap();
        jail.set_env("GRIDPROOF_WORKER_MAX_BACKOFF", "1m");
        let said = Options::try_parse_from([&["gridproof-worker"], &flags[..]].concat()).unwrap();
        let shown = said.in_force().unwrap();
        let line = |name: &str| shown.lines().find(|line| line.contains(name)).unwrap();
        assert!(line("cores").ends_with("  # the command line"), "{shown}");
        let from_environment = line("max-backoff");
        assert!(
            from_environment.ends_with("  # GRIDPROOF_WORKER_MAX_BACKOFF"),
            "{shown}"
        );
        assert!(line("memory").starts_with("# memory = \"50%\""), "{shown}");
        assert!(line("memory").ends_with("  # default"), "{shown}");
        jail.create_file("worker.toml", &shown).unwrap();
        let mut second = options(&["--config", "worker.toml", "--print-config"]).unwrap();
        assert!(second.print_config, "the flag is not lost on the way");
        second.print_config = false;
        assert_eq!(second.config.take(), Some("worker.toml".into()));
        first.max_backoff = Some("1m".parse().unwrap());
        assert_eq!(second, first);
    });
}

#[test]
fn loopback_needs_neither_tls_nor_token() {
    in_jail(|_| {
        let config = options(&LOCAL).unwrap().resolve().unwrap();
        assert!(config.tls.is_none() && config.token.is_none());
        assert_eq!(config.availability.pause_when, PauseWhen::Never);
        assert!(!config.name.is_empty());
    });
}

#[test]
fn another_machine_needs_both_unless_insecure_is_said() {
    in_jail(|jail| {
        let far = ["--coordinator", "http://grid.lab:4100"];
        let error = options(&far).unwrap().resolve().unwrap_err();
        assert!(matches!(error, ConfigError::Exposed(_)), "{error}");
        let insecure = [&far[..], &["--insecure"]].concat();
        options(&insecure).unwrap().resolve().unwrap();
        let token = Token::random().reveal();
        jail.create_file("pc.token", &token).unwrap();
        let with_token = [&far[..], &["--token-file", "pc.token"]].concat();
        let error = options(&with_token)
            .unwrap()
            .resolve()
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("in plain text") && !error.contains(&token),
            "{error}"
        );
    });
}

#[test]
fn without_an_address_this_machine_is_tried() {
    in_jail(|_| {
        let config = options(&[]).unwrap().resolve().unwrap();
        assert_eq!(config.coordinator, "http://127.0.0.1:4100");
    });
}

#[test]
fn addresses_and_files_that_make_no_sense_are_refused() {
    in_jail(|jail| {
        let resolve = |arguments: &[&str]| options(arguments).unwrap().resolve().unwrap_err();
        for address in ["grid.lab:4100", "ftp://grid.lab", "https://", "é", "/path"] {
            let error = resolve(&["--coordinator", address]);
            assert!(
                matches!(error, ConfigError::Address(_)),
                "{address}: {error}"
            );
        }
        let https = ["--coordinator", "https://grid.lab:4100"];
        assert!(matches!(resolve(&https), ConfigError::NoAuthority));
        jail.create_file("half.token", "gp.12.34").unwrap();
        let half = [&LOCAL[..], &["--token-file", "half.token"]].concat();
        assert!(matches!(resolve(&half), ConfigError::Token { .. }));
        let lone = [&LOCAL[..], &["--cert", "pc.pem"]].concat();
        assert!(matches!(resolve(&lone), ConfigError::HalfAnIdentity));
        let load = [
            &LOCAL[..],
            &["--priority", "normal", "--pause-when", "load"],
        ]
        .concat();
        assert!(matches!(resolve(&load), ConfigError::LoadNeedsLowPriority));
    });
}

#[test]
fn the_command_line_is_well_formed_and_every_option_has_help() {
    use clap::CommandFactory as _;

    let command = Options::command();
    command.clone().debug_assert();
    for argument in command.get_arguments() {
        assert!(argument.get_help().is_some(), "{}", argument.get_id());
    }
}
