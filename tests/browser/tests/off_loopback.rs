//! Off loopback: TLS, a login form, and rights.

use std::net::UdpSocket;

use gridproof_browser_tests::{Browser, in_a_browser};
use gridproof_tests::{Cluster, free_port, gridproof, run_to_end, skip};

/// An address of this machine that others could reach. Nothing is sent.
fn outward_address() -> Option<String> {
    let socket = UdpSocket::bind("0.0.0.0:0").ok()?;
    socket.connect("192.0.2.1:9").ok()?;
    let address = socket.local_addr().ok()?.ip();
    (!address.is_loopback() && !address.is_unspecified()).then(|| address.to_string())
}

#[test]
fn strangers_log_in_and_readers_cannot_order() {
    let Some(host) = outward_address() else {
        return skip("this machine has no address but loopback");
    };
    in_a_browser!(async |browser: &Browser| {
        let site = format!("{host}:{}", free_port());
        let page = format!("--page={site}");
        let cluster = Cluster::secured_at(&host, "TX-H9", &[&page], &["pc-01"]);
        let tokens = ["token", "--tokens", &cluster.text("tokens.toml"), "new"];
        let reader = ["ida", "--role", "reader", "--out", &cluster.text("tokens")];
        let made = run_to_end(gridproof().args(tokens).args(reader));
        assert!(made.status.success());
        let token = |name: &str| {
            std::fs::read_to_string(cluster.path(&format!("tokens/{name}.token"))).unwrap()
        };
        let coordinator = cluster.coordinator();
        let _ = coordinator.wait_for_line("page at https://");

        // A stranger sees the form alone, whatever the address.
        let tab = browser.open(&format!("https://{site}/search/1")).await;
        assert!(tab.text("h1").await.contains("Log in"));
        assert!(!tab.text("body").await.contains("TX-H9"));
        tab.fill("#token", "nonsense").await;
        tab.submit().await;
        tab.wait_for_text(".notice.error", "opens nothing here")
            .await;

        // A worker's token opens nothing; a reader's shows everything and orders nothing.
        tab.fill("#token", token("pc-01").trim()).await;
        tab.submit().await;
        tab.wait_for_text(".notice.error", "opens nothing here")
            .await;
        // The coordinator reads new tokens once a second.
        while tab.text("h1").await.contains("Log in") {
            tab.fill("#token", token("ida").trim()).await;
            tab.submit().await;
        }
        tab.wait_for_text("h1", "TX-H9").await;
        tab.wait_until_live().await;
        assert_eq!(
            tab.count("form[action^='/order'], button[value=hint]")
                .await,
            0
        );
        let order = "fetch('/order/1', { method: 'POST', body: new URLSearchParams({ order: 'stop' }) })\
             .then((answer) => answer.status)";
        assert_eq!(tab.tell::<u16>(order).await, Some(403));

        // What the policy forbids does not happen.
        let inline = "(() => { const script = document.createElement('script'); \
             script.textContent = 'window.wasRun = true'; document.body.append(script); \
             return window.wasRun === undefined; })()";
        assert_eq!(tab.tell::<bool>(inline).await, Some(true));

        // An operator may order.
        tab.click("form[action='/logout'] button").await;
        tab.wait_for_address("/login").await;
        tab.fill("#token", token("operator").trim()).await;
        tab.submit().await;
        tab.wait_for_address("/").await;
        tab.fill("#game", "TX-K7").await;
        tab.submit().await;
        tab.wait_for_text("h1", "TX-K7").await;
        tab.click("#order-pause").await;
        tab.wait_for_text(".notice.done", "No new job").await;
    });
}
