//! Searches, found by what people call them.

use gridproof_proto::v1;
use gridproof_proto::v1::node_request::Which;

use super::connect::{Client, CoordinatorError, call};
use super::view::{self, Job, Search, Status};

/// What to do where nothing was asked for yet.
pub(super) const NO_SEARCHES: &str = "no searches yet: `gridproof submit TX-H9` starts one";

pub(super) async fn list(client: &mut Client) -> Result<Vec<Search>, CoordinatorError> {
    view::searches(&call(client.list(v1::ListRequest {})).await?)
}

/// The search that somebody named by its name or number.
pub(super) fn named<'a>(
    searches: &'a [Search],
    name: &str,
) -> Result<&'a Search, CoordinatorError> {
    let by_number = name.parse::<u32>().ok();
    if let Some(found) = searches.iter().find(|search| Some(search.id) == by_number) {
        return Ok(found);
    }
    let is_meant = |search: &&Search| search.name.eq_ignore_ascii_case(name);
    let found: Vec<_> = searches.iter().filter(is_meant).collect();
    match found[..] {
        [one] => Ok(one),
        [] => Err(CoordinatorError::BadInput(format!(
            "there is no search \"{name}\": `gridproof list` shows them"
        ))),
        _ => Err(CoordinatorError::BadInput(format!(
            "several searches are called \"{name}\": name one by its number, as `gridproof list` \
             shows it"
        ))),
    }
}

/// The search that an order is for. Where none is named it must be clear which is meant: an order
/// to another search than that may cost a night.
pub(super) async fn for_order(
    client: &mut Client,
    name: Option<&str>,
) -> Result<Search, CoordinatorError> {
    let searches = list(client).await?;
    if let Some(name) = name {
        return named(&searches, name).cloned();
    }
    let is_running = |search: &&Search| search.is_running();
    let running: Vec<_> = searches.iter().filter(is_running).collect();
    match running[..] {
        [one] => Ok(one.clone()),
        [] => Err(CoordinatorError::BadInput(
            "no search is open: `gridproof list` shows them".to_owned(),
        )),
        _ => {
            let names: Vec<_> = running.iter().map(|search| &*search.name).collect();
            Err(CoordinatorError::BadInput(format!(
                "several searches are open, name one: {}",
                names.join(", ")
            )))
        }
    }
}

/// How a search stands, with its running jobs and the reply that is farthest from a proof. If
/// none is named it is the first that is open.
pub(super) async fn status(
    client: &mut Client,
    name: Option<&str>,
) -> Result<Status, CoordinatorError> {
    let searches = list(client).await?;
    if searches.is_empty() {
        return Err(CoordinatorError::BadInput(NO_SEARCHES.to_owned()));
    }
    let search = match name {
        Some(name) => named(&searches, name)?.id,
        None => 0,
    };
    let reply = call(client.get_status(v1::StatusRequest { search })).await?;
    let mut status = Status::try_from(&reply)?;
    let root = status.search.root.clone();
    let jobs = jobs(client).await?;
    let search = std::slice::from_ref(&status.search);
    let own = jobs.iter().filter(|job| Job::is_of(job, &search[0]));
    status.jobs = own.filter_map(|job| Job::of(job, search)).collect();
    if status.search.is_running() {
        let line = v1::Line {
            search: status.search.id,
            moves: Vec::new(),
        };
        let request = v1::GetLineRequest {
            at: Some(v1::NodeRequest {
                which: Some(Which::Line(line)),
            }),
            kind: v1::LineKind::HardestReply.into(),
        };
        let reply = call(client.get_line(request)).await?;
        status.hardest_reply = view::moves(&reply.moves, root.rules())?;
    }
    Ok(status)
}

/// Running jobs, oldest first.
pub(super) async fn jobs(client: &mut Client) -> Result<Vec<v1::JobReport>, CoordinatorError> {
    let request = v1::ListJobsRequest {
        offset: 0,
        limit: 1000,
    };
    Ok(call(client.list_jobs(request)).await?.jobs)
}
