use std::path::PathBuf;

use chromiumoxide::browser::{Browser as Chromium, BrowserConfig};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_stream::StreamExt as _;

use crate::tab::Tab;

/// A browser of its own for each test, with nothing in its memory.
#[derive(Debug)]
pub struct Browser {
    chromium: tokio::sync::Mutex<Chromium>,
    /// Reads what the browser says.
    reader: JoinHandle<()>,
    /// Kept until the browser has ended.
    _profile: TempDir,
}

/// Nothing but pages: no updates, no calls home, nothing that another machine might not allow.
const SWITCHES: [&str; 9] = [
    "disable-gpu",
    "disable-quic",
    "no-first-run",
    "disable-background-networking",
    "disable-component-update",
    "disable-sync",
    "disable-default-apps",
    "disable-dev-shm-usage",
    "force-color-profile=srgb",
];

fn executable() -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let names = ["chromium", "chromium-browser", "google-chrome"];
    std::env::split_paths(&folders)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|path| path.is_file())
}

impl Browser {
    /// None where no browser is installed.
    pub async fn start() -> Option<Self> {
        let profile = tempfile::tempdir().expect("there is room for a folder");
        let config = BrowserConfig::builder()
            .chrome_executable(executable()?)
            .no_sandbox()
            .disable_default_args()
            .disable_https_first()
            .args(SWITCHES)
            .user_data_dir(profile.path())
            .viewport(None)
            .window_size(1440, 900)
            .launch_timeout(std::time::Duration::from_secs(120))
            .request_timeout(std::time::Duration::from_secs(60))
            .build()
            .expect("the settings fit together");
        let started = Chromium::launch(config).await;
        let (chromium, mut handler) = started.expect("the browser can be started");
        let reader = tokio::spawn(async move { while handler.next().await.is_some() {} });
        Some(Self {
            chromium: tokio::sync::Mutex::new(chromium),
            reader,
            _profile: profile,
        })
    }

    /// A new tab at an address.
    pub async fn open(&self, address: &str) -> Tab {
        let page = self.chromium.lock().await.new_page("about:blank").await;
        let tab = Tab::new(page.expect("a tab can be opened"));
        tab.go(address).await;
        tab
    }

    /// Ends the browser.
    pub async fn close(self) {
        let mut chromium = self.chromium.into_inner();
        let _ = chromium.close().await;
        let _ = chromium.wait().await;
        self.reader.abort();
    }
}
