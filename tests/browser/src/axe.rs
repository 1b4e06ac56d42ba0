use std::fs;
use std::path::PathBuf;
use std::process::Command;

use gridproof_tests::repository;
use serde::Deserialize;

use crate::tab::Tab;

/// The accessibility checker axe-core, fetched from npm when it is needed.
#[derive(Debug)]
pub struct Axe {
    script: String,
}

/// A rule that a page breaks.
#[derive(Debug, Deserialize)]
pub struct Violation {
    pub id: String,
    pub impact: Option<String>,
    pub help: String,
    /// Where, as selectors.
    pub at: Vec<String>,
}

const VERSION: &str = "axe-core@4.11.0";

impl Axe {
    /// None where it cannot be had.
    #[must_use]
    pub fn fetch() -> Option<Self> {
        let folder = folder();
        let file = folder.join("node_modules/axe-core/axe.min.js");
        if !file.exists() {
            fs::create_dir_all(&folder).expect("the target folder is ours");
            let fetched = Command::new("npm")
                .args([
                    "install",
                    "--no-save",
                    "--no-audit",
                    "--no-fund",
                    "--silent",
                ])
                .arg("--prefix")
                .args([folder.as_os_str(), VERSION.as_ref()])
                .status();
            if !fetched.is_ok_and(|status| status.success()) {
                return None;
            }
        }
        let script = fs::read_to_string(file).ok()?;
        Some(Self { script })
    }

    /// What keeps some people from using a page.
    pub async fn serious(&self, tab: &Tab) -> Vec<Violation> {
        tab.tell::<serde_json::Value>(&format!("{}; true", self.script))
            .await
            .expect("axe can be loaded");
        let run = "axe.run().then((found) => JSON.stringify(found.violations.map((v) => \
             ({ id: v.id, impact: v.impact, help: v.help, at: v.nodes.map((n) => n.target.join(' ')) }))))";
        let found: String = tab.tell(run).await.expect("axe comes to an end");
        let found: Vec<Violation> = serde_json::from_str(&found).expect("axe speaks JSON");
        let is_serious = |impact: &str| matches!(impact, "serious" | "critical");
        found
            .into_iter()
            .filter(|violation| violation.impact.as_deref().is_some_and(is_serious))
            .collect()
    }
}

/// Fetched once for all runs.
fn folder() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target
        .unwrap_or_else(|| repository().join("target"))
        .join("tools/axe")
}
