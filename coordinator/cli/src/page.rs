//! Options of the page, for every command that can serve one.

use std::net::SocketAddr;
use std::path::Path;

use clap::Args;
use gridproof_grid::GridBook;
use gridproof_grid::coordinator::Coordinator;
use gridproof_grid::security::{Authenticator, Limits, ListenerOptions};
use gridproof_host::exposure::{Guard, Guards, Insecure, read_address};
use gridproof_page::{PageAddress, PageOptions, ProofShelf};
use tokio_util::sync::CancellationToken;

use super::Failure;

/// Where the page is served.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Page")]
pub(super) struct PageArgs {
    /// Serve a page for people, and print the address to open. Off loopback there must be a
    /// certificate and tokens
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true,
        default_missing_value = "127.0.0.1:4180", value_parser = read_address)]
    page: Option<SocketAddr>,
    /// A name by which browsers reach the page, such as grid.lab; may be said several times
    #[arg(long, value_name = "NAME", requires = "page")]
    page_name: Vec<String>,
}

impl PageArgs {
    /// Serves a grid's page beside its service, if one is wanted.
    pub(super) async fn serve(
        &self,
        coordinator: &Coordinator,
        data: &Path,
        listener: &ListenerOptions,
        authenticator: &Authenticator,
        book: Option<&GridBook>,
        shutdown: &CancellationToken,
    ) -> Result<Option<PageAddress>, Failure> {
        let Some(address) = self.page else {
            return Ok(None);
        };
        let tls = match address.ip().is_loopback() {
            true => None,
            false => listener.page_tls(data)?,
        };
        let guards = Guards {
            tls: Guard::from(tls.is_some()),
            tokens: Guard::from(authenticator.is_enabled()),
        };
        guards.permit_listening(address, Insecure::from(listener.insecure))?;
        let options = PageOptions {
            tls,
            book: book.map(|book| book.path().to_owned()),
            ..self.options(address, Some(data), authenticator.clone())
        };
        let page = gridproof_page::start(coordinator.clone(), options, shutdown.clone());
        Ok(Some(page.await?))
    }

    /// Serves the page of a search on this machine, if one is wanted.
    pub(super) async fn serve_here(
        &self,
        coordinator: &Coordinator,
        data: &Path,
        book: Option<&GridBook>,
        shutdown: &CancellationToken,
    ) -> Result<Option<PageAddress>, Failure> {
        let Some(mut options) = self.local(Some(data))? else {
            return Ok(None);
        };
        options.book = book.map(|book| book.path().to_owned());
        let page = gridproof_page::start(coordinator.clone(), options, shutdown.clone());
        Ok(Some(page.await?))
    }

    /// Serves the explorer of one proof, if it is wanted.
    pub(super) async fn serve_proof(
        &self,
        shelf: ProofShelf,
        shutdown: &CancellationToken,
    ) -> Result<Option<PageAddress>, Failure> {
        let Some(options) = self.local(None)? else {
            return Ok(None);
        };
        let page = gridproof_page::start_proof(shelf, options, shutdown.clone());
        Ok(Some(page.await?))
    }

    /// Serves a book of openings, if it is wanted.
    pub(super) async fn serve_book(
        &self,
        book: &Path,
        shutdown: &CancellationToken,
    ) -> Result<Option<PageAddress>, Failure> {
        let Some(options) = self.local(None)? else {
            return Ok(None);
        };
        let page = gridproof_page::start_book(book.to_owned(), options, shutdown.clone());
        Ok(Some(page.await?))
    }

    /// Without tokens and certificates only this machine may look.
    fn local(&self, data: Option<&Path>) -> Result<Option<PageOptions>, Failure> {
        let Some(address) = self.page else {
            return Ok(None);
        };
        Guards::NONE.permit_listening(address, Insecure::from(false))?;
        Ok(Some(self.options(address, data, Authenticator::disabled())))
    }

    pub(super) fn is_wanted(&self) -> bool {
        self.page.is_some()
    }

    fn options(
        &self,
        address: SocketAddr,
        data: Option<&Path>,
        authenticator: Authenticator,
    ) -> PageOptions {
        PageOptions {
            address,
            data: data.map(Path::to_owned),
            tls: None,
            limits: Limits::of_this_process().for_browsers(),
            names: self.page_name.clone(),
            book: None,
            authenticator,
        }
    }
}
