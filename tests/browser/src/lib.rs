//! The page of a grid in a real browser, over real processes.

mod axe;
mod browser;
mod grid;
mod tab;

pub use axe::Axe;
pub use browser::Browser;
pub use grid::Grid;
pub use tab::{Looks, Tab};

/// Runs a story in a browser, or says why it cannot be told here.
#[macro_export]
macro_rules! in_a_browser {
    ($story:expr) => {{
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime can be started");
        runtime.block_on(async {
            match $crate::Browser::start().await {
                Some(browser) => {
                    let story = $story;
                    story(&browser).await;
                    browser.close().await;
                }
                None => gridproof_tests::skip("chromium is not installed"),
            }
        });
    }};
}
