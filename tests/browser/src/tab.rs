use std::path::Path;
use std::time::{Duration, Instant};

use chromiumoxide::Page;
use chromiumoxide::cdp::browser_protocol::dom::ScrollIntoViewIfNeededParams;
use chromiumoxide::cdp::browser_protocol::emulation::{
    MediaFeature, SetDeviceMetricsOverrideParams, SetScriptExecutionDisabledParams,
};
use chromiumoxide::element::Element;
use chromiumoxide::error::Result;
use chromiumoxide::page::ScreenshotParams;
use serde::de::DeserializeOwned;

/// A tab, used as people use it: with clicks and keys.
#[derive(Debug)]
pub struct Tab {
    page: Page,
}

/// How a page is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Looks {
    Light,
    Dark,
}

/// Nothing here takes longer, however slow the machine.
const PATIENCE: Duration = Duration::from_secs(60);

impl Tab {
    pub(crate) fn new(page: Page) -> Self {
        Self { page }
    }

    /// Goes to an address and waits for the page.
    pub async fn go(&self, address: &str) {
        let gone = self.page.goto(address).await;
        gone.unwrap_or_else(|error| panic!("{address}: {error}"));
        self.wait("true").await;
    }

    /// Goes to another page of the same site.
    pub async fn go_in_site(&self, path: &str) {
        let origin: Option<String> = self.tell("location.origin").await;
        self.go(&format!("{}{path}", origin.unwrap_or_default()))
            .await;
    }

    /// From now on scripts of pages do nothing.
    pub async fn without_scripts(&self) {
        let disabled = SetScriptExecutionDisabledParams::new(true);
        self.page.execute(disabled).await.expect("chromium can");
    }

    /// What a script says, right now.
    pub async fn tell<T: DeserializeOwned>(&self, script: &str) -> Option<T> {
        self.page.evaluate(script).await.ok()?.into_value().ok()
    }

    /// Waits until a page is there and a condition holds, over reloads too.
    pub async fn wait(&self, condition: &str) {
        let started = Instant::now();
        let script = format!("document.readyState === 'complete' && Boolean({condition})");
        while self.tell::<bool>(&script).await != Some(true) {
            if started.elapsed() > PATIENCE {
                let text = self.text("body").await;
                panic!("{condition}: never at {}\n{text}", self.address().await);
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Sends the form whose field has the focus, and waits until the next page is there.
    pub async fn submit(&self) {
        self.tell::<bool>("window.isLeft = true").await;
        self.press("Enter").await;
        self.wait("!window.isLeft").await;
    }

    /// Waits until an element says these words.
    pub async fn wait_for_text(&self, selector: &str, words: &str) {
        let condition =
            format!("document.querySelector({selector:?})?.textContent.includes({words:?})");
        self.wait(&condition).await;
    }

    /// Waits until the address ends like this, and the page is there.
    pub async fn wait_for_address(&self, end: &str) {
        let condition = format!("(location.pathname + location.search).endsWith({end:?})");
        self.wait(&condition).await;
    }

    /// Waits until news come.
    pub async fn wait_until_live(&self) {
        self.wait("document.querySelector('#connection')?.className === 'live'")
            .await;
    }

    /// What an element says; nothing if there is none.
    pub async fn text(&self, selector: &str) -> String {
        let script = format!("document.querySelector({selector:?})?.innerText ?? ''");
        self.tell(&script).await.unwrap_or_default()
    }

    /// How many elements there are.
    pub async fn count(&self, selector: &str) -> usize {
        let script = format!("document.querySelectorAll({selector:?}).length");
        self.tell(&script).await.unwrap_or(0)
    }

    pub async fn address(&self) -> String {
        self.tell("location.href").await.unwrap_or_default()
    }

    /// Clicks an element with the mouse. Parts of the page may come anew at any moment, so it
    /// tries again if the element was exchanged meanwhile.
    pub async fn click(&self, selector: &str) {
        let started = Instant::now();
        loop {
            let clicked = match self.page.find_element(selector).await {
                Ok(element) => self.click_at(&element).await,
                Err(error) => Err(error),
            };
            match clicked {
                Ok(()) => return,
                Err(error) => assert!(started.elapsed() < PATIENCE, "{selector}: {error}"),
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Clicks, again if need be, until something is said: what is above an element may grow in the
    /// moment of the click, and then it hits another place.
    pub async fn click_until(&self, selector: &str, said: &str, words: &str) {
        let started = Instant::now();
        loop {
            self.click(selector).await;
            for _ in 0..80 {
                if self.text(said).await.contains(words) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(25)).await;
            }
            assert!(
                started.elapsed() < PATIENCE,
                "{selector} never led to {words:?}"
            );
        }
    }

    /// Asks the browser to scroll, not a script: it works without scripts, too.
    async fn click_at(&self, element: &Element) -> Result<()> {
        let node = element.backend_node_id;
        let scroll = ScrollIntoViewIfNeededParams::builder().backend_node_id(node);
        self.page.execute(scroll.build()).await?;
        let point = element.clickable_point().await?;
        self.page.click(point).await?;
        Ok(())
    }

    /// Writes into a field, as with a keyboard.
    pub async fn fill(&self, selector: &str, words: &str) {
        self.wait(&format!("document.querySelector({selector:?})"))
            .await;
        let empty = format!("document.querySelector({selector:?}).value = ''");
        let _ = self.page.evaluate(empty).await;
        self.click(selector).await;
        self.type_words(words).await;
    }

    /// Where keys go.
    async fn body(&self) -> Element {
        let body = self.page.find_element("body").await;
        body.expect("a page has one")
    }

    /// Types where the cursor is.
    pub async fn type_words(&self, words: &str) {
        let body = self.body().await;
        body.type_str(words).await.expect("the keyboard has it");
    }

    /// Presses a key.
    pub async fn press(&self, key: &str) {
        let body = self.body().await;
        body.press_key(key).await.expect("the keyboard has it");
    }

    /// Presses the tabulator until an element has the focus.
    pub async fn tab_to(&self, selector: &str) {
        let there = format!("document.activeElement?.matches({selector:?}) ?? false");
        for _ in 0..200 {
            if self.tell::<bool>(&there).await == Some(true) {
                return;
            }
            self.press("Tab").await;
        }
        panic!("{selector} cannot be reached by the tabulator");
    }

    /// The size of the window and the colours that are liked.
    pub async fn look(&self, width: i64, height: i64, looks: Looks) {
        let metrics = SetDeviceMetricsOverrideParams::new(width, height, 1.0, width < 600);
        self.page.execute(metrics).await.expect("chromium can");
        let scheme = match looks {
            Looks::Light => "light",
            Looks::Dark => "dark",
        };
        let feature = MediaFeature::new("prefers-color-scheme", scheme);
        let told = self.page.emulate_media_features(vec![feature]).await;
        told.expect("chromium can");
    }

    /// A picture of what the window shows, or of the whole page.
    pub async fn picture(&self, path: &Path, whole: bool) {
        let wanted = ScreenshotParams::builder().full_page(whole).build();
        let saved = self.page.save_screenshot(wanted, path).await;
        saved.expect("a picture can be taken");
    }

    /// What sticks out of a page that is so many pixels wide: nothing if the page fits.
    pub async fn sticking_out(&self, width: i64) -> Vec<String> {
        let script = format!(
            "document.documentElement.scrollWidth <= {width} ? [] : \
             [document.documentElement, ...document.querySelectorAll('body *')] \
             .filter((it) => it.getBoundingClientRect().right > {width} || it.matches('html')) \
             .map((it) => it.cloneNode().outerHTML)"
        );
        self.tell(&script).await.expect("the page can be measured")
    }
}
