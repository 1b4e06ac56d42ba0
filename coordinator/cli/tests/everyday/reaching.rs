//! How a coordinator is found, and what is said when it is not.

use tempfile::TempDir;

use crate::operator::{Server, run, run_with};

#[test]
fn who_cannot_be_reached_is_told_in_plain_words() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for (url, code, words) in [
        ("http://127.0.0.1:1", 69, "nobody listens there"),
        (
            "https://127.0.0.1:1",
            2,
            "an address with https needs the lab's certificate",
        ),
        ("127.0.0.1:4100", 2, "is no coordinator's address"),
        ("http://198.51.100.1:4100", 2, "no TLS and no token"),
    ] {
        for command in ["list", "workers", "status", "watch", "top", "fetch", "stop"] {
            let said = run(folder, &[command, "--coordinator", url]);
            assert_eq!(said.code, code, "{command} {url}: {}", said.error);
            assert!(
                said.error.contains(words),
                "{command} {url}: {}",
                said.error
            );
        }
    }
    let plain = Server::start(folder, &["--store", "plain/store"]);
    for arguments in [&["cert", "ca"][..], &["cert", "server"]] {
        assert_eq!(run(folder, arguments).code, 0);
    }
    let ca = "gridproof-data/certs/ca.pem";
    let https = plain.url.replace("http", "https");
    let said = run(folder, &["list", "--coordinator", &https, "--ca", ca]);
    assert_eq!(said.code, 69);
    assert!(said.error.contains("does not speak TLS"), "{}", said.error);
    let locked = Server::start(folder, &["--store", "gridproof-data/store"]);
    let said = run(folder, &["list", "--coordinator", &locked.url]);
    assert_eq!(said.code, 69);
    assert!(
        said.error.contains("try an https address"),
        "{}",
        said.error
    );
    let https = locked.url.replace("http", "https");
    let said = run(folder, &["list", "--coordinator", &https, "--ca", ca]);
    assert_eq!(said.code, 0, "{}", said.error);
    assert!(said.out.contains("No searches yet"), "{}", said.out);
}

#[test]
fn settings_are_said_once_and_shown_with_their_sources() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    assert!(
        run(folder, &["config"])
            .out
            .contains("http://127.0.0.1:4100  default")
    );
    std::fs::create_dir_all(folder.join("config/gridproof")).unwrap();
    let file = "coordinator = \"https://grid.lab:4100\"\nca = \"ca.pem\"\n";
    std::fs::write(folder.join("config/gridproof/config.toml"), file).unwrap();
    let shown = run_with(
        folder,
        &[("GRIDPROOF_TOKEN_FILE", "ann.token")],
        &["config"],
    )
    .out;
    assert!(shown.contains("https://grid.lab:4100"), "{shown}");
    assert!(shown.contains("config/gridproof/ca.pem"), "{shown}");
    assert!(shown.contains("GRIDPROOF_TOKEN_FILE"), "{shown}");
}
