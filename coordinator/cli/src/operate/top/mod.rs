//! The whole grid on a live screen.

use std::collections::VecDeque;
use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use gridproof_grid::text;
use gridproof_proto::v1;
use gridproof_proto::v1::grid_event::What;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize as _};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Paragraph, Row, Table};
use ratatui::{DefaultTerminal, Frame};

use super::connect::{Client, CoordinatorError, call};
use super::find;
use super::orders;
use super::view::{Job, Search, State, Totals, Worker, number};
use super::watch;
use crate::Failure;
use crate::exit::BadInput;
use crate::rate::Rate;

/// How often the coordinator is asked.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// How often keys are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// Between columns.
const SPACE: u16 = 2;

/// A longer name is cut off where positions stand beside it.
const LONGEST_WORKER: u16 = 16;

/// A screen with room for positions.
const WIDE: u16 = 110;

/// With so many lines for events, ends of jobs are among them.
const ROOM_FOR_JOBS: usize = 15;

/// More events than any screen has lines.
const EVENTS: usize = 200;

/// What is on the screen.
#[derive(Debug, Default)]
struct Screen {
    searches: Vec<Search>,
    workers: Vec<Worker>,
    totals: Totals,
    /// Oldest first.
    jobs: Vec<Job>,
    /// Newest last.
    events: VecDeque<Happening>,
    done: Rate,
}

/// A line about something that happened.
#[derive(Clone, Debug)]
struct Happening {
    line: String,
    subject: Subject,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Subject {
    /// They come and go by the dozen: shown where there is room.
    Job,
    Other,
}

/// Shows the grid until the user has seen enough, or the coordinator goes away.
pub(super) async fn run(mut client: Client) -> Result<(), Failure> {
    // Asked before the screen is taken: an error is easier to read without it.
    let mut screen = Screen::default();
    screen.ask(&mut client).await?;
    for line in orders::lines(&orders::list(&mut client).await?) {
        let subject = Subject::Other;
        screen.add(Happening { line, subject });
    }
    let mut stream = call(client.watch(v1::WatchRequest {})).await?;
    if !io::stdout().is_terminal() {
        let words = "top needs a terminal; `gridproof watch` writes lines";
        return Err(BadInput(words.to_owned()).into());
    }
    let mut terminal = ratatui::init();
    let shown = async {
        let mut looks = tokio::time::interval(LOOK_EVERY);
        let mut asks = tokio::time::interval(ASK_EVERY);
        loop {
            tokio::select! {
                _ = looks.tick() => if wants_to_leave()? { return Ok(()) },
                _ = asks.tick() => {
                    screen.ask(&mut client).await?;
                    screen.show(&mut terminal)?;
                }
                event = stream.message() => {
                    match event.map_err(CoordinatorError::from)? {
                        Some(event) => screen.note(&event),
                        None => return Err(CoordinatorError::Gone("it shut down".into()).into()),
                    }
                }
            }
        }
    };
    let ended: Result<(), Failure> = shown.await;
    ratatui::restore();
    ended
}

fn wants_to_leave() -> io::Result<bool> {
    while event::poll(Duration::ZERO)? {
        if let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
        {
            let is_interrupt = key.modifiers.contains(KeyModifiers::CONTROL);
            match key.code {
                KeyCode::Char('q') | KeyCode::Esc => return Ok(true),
                KeyCode::Char('c') if is_interrupt => return Ok(true),
                _ => {}
            }
        }
    }
    Ok(false)
}

impl Screen {
    async fn ask(&mut self, client: &mut Client) -> Result<(), CoordinatorError> {
        self.searches = find::list(client).await?;
        let workers = call(client.list_workers(v1::ListWorkersRequest {})).await?;
        self.workers = workers.workers.into_iter().map(Worker::from).collect();
        let jobs = find::jobs(client).await?;
        let jobs = jobs.iter().filter_map(|job| Job::of(job, &self.searches));
        self.jobs = jobs.collect();
        if !self.searches.is_empty() {
            let status = call(client.get_status(v1::StatusRequest { search: 0 })).await?;
            self.totals = status.totals.into();
        }
        self.done.add(Instant::now(), self.totals.jobs_done);
        Ok(())
    }

    fn note(&mut self, event: &v1::GridEvent) {
        let subject = match event.what {
            // The table tells of them.
            Some(What::JobStarted(_) | What::Finding(_)) => return,
            Some(What::JobEnded(_) | What::JobAborted(_)) => Subject::Job,
            _ => Subject::Other,
        };
        if let Some(line) = watch::line(event, &self.searches) {
            self.add(Happening { line, subject });
        }
    }

    fn add(&mut self, happening: Happening) {
        self.events.push_back(happening);
        if self.events.len() > EVENTS {
            self.events.pop_front();
        }
    }

    fn show(&self, terminal: &mut DefaultTerminal) -> io::Result<()> {
        terminal.draw(|frame| self.draw(frame))?;
        Ok(())
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let wide = area.width >= WIDE;
        let most = |rows: usize, part: u16| {
            let rows = u16::try_from(rows).unwrap_or(u16::MAX).saturating_add(3);
            rows.min((area.height / part).max(4))
        };
        let workers = most(self.workers.len().max(self.jobs.len()), 3);
        let [head, searches, middle, events, foot] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(most(self.searches.len(), 3)),
            Constraint::Length(workers),
            Constraint::Min(3),
            Constraint::Length(1),
        ])
        .areas(area);
        let halves = if wide {
            [Constraint::Percentage(30), Constraint::Percentage(70)]
        } else {
            [Constraint::Percentage(45), Constraint::Percentage(55)]
        };
        let [left, right] = Layout::horizontal(halves).areas(middle);
        frame.render_widget(self.headline(), head);
        self.draw_searches(frame, searches);
        self.draw_workers(frame, left);
        self.draw_jobs(frame, right);
        self.draw_events(frame, events);
        frame.render_widget(
            Line::from(" q leaves; nothing on the grid changes").dark_gray(),
            foot,
        );
    }

    fn headline(&self) -> Paragraph<'_> {
        let totals = self.totals;
        let busy = self.workers.iter().map(|worker| u64::from(worker.running));
        let slots = self.workers.iter().filter(|worker| worker.state == "here");
        let slots: u64 = slots.map(|worker| u64::from(worker.slots)).sum();
        let words = format!(
            " {} positions, {} proved | {} of {slots} slots busy | {} jobs/s | {} jobs done",
            text::count(totals.positions),
            text::count(totals.proved),
            busy.sum::<u64>(),
            text::short((self.done.a_second() * 10.0).round() / 10.0),
            text::count(totals.jobs_done),
        );
        Paragraph::new(words).style(Style::new().add_modifier(Modifier::REVERSED))
    }

    fn draw_searches(&self, frame: &mut Frame<'_>, area: Rect) {
        // What is open comes first: there may be more than there is room for.
        let mut searches: Vec<_> = self.searches.iter().collect();
        searches.sort_by_key(|search| (search.state != State::Open, search.id));
        let rows = searches.iter().map(|search| {
            let colour = match search.state {
                State::Open => Color::Cyan,
                State::Paused => Color::Yellow,
                State::Proved => Color::Green,
                State::Stopped => Color::DarkGray,
                State::Failed => Color::Red,
            };
            Row::new([
                Span::raw(search.name.clone()),
                Span::styled(search.state_text(), colour),
                Span::raw(format!("{:>10}", number(search.numbers.proof))),
                Span::raw(format!("{:>10}", number(search.numbers.disproof))),
                Span::raw(format!("{:>5}", search.share)),
            ])
        });
        let rest = 28 + 10 + 10 + 5 + 4 * SPACE;
        let names = self.searches.iter().map(|search| search.name.as_str());
        let widths = [
            Constraint::Length(widest(names).min(area.width.saturating_sub(rest))),
            Constraint::Length(28),
            Constraint::Length(10),
            Constraint::Length(10),
            Constraint::Length(5),
        ];
        let head = ["search", "state", "  to prove", "to give up", "share"];
        let title = format!(" searches ({}) ", self.searches.len());
        frame.render_widget(table(rows.collect(), &widths, head, title), area);
    }

    fn draw_workers(&self, frame: &mut Frame<'_>, area: Rect) {
        let mut workers: Vec<_> = self.workers.iter().collect();
        workers.sort_by_key(|worker| (worker.state != "here", &worker.name));
        let rows = workers.iter().map(|worker| {
            let colour = match worker.state {
                "here" => Color::Green,
                "away" => Color::DarkGray,
                _ => Color::Red,
            };
            Row::new([
                Span::raw(worker.name.clone()),
                Span::styled(worker.state, colour),
                Span::raw(format!("{} of {}", worker.running, worker.slots)),
            ])
        });
        let rest = 7 + 9 + 2 * SPACE;
        let names = self.workers.iter().map(|worker| worker.name.as_str());
        let widths = [
            Constraint::Length(widest(names).min(area.width.saturating_sub(rest))),
            Constraint::Length(7),
            Constraint::Length(9),
        ];
        let title = format!(" workers ({}) ", self.workers.len());
        let head = ["worker", "state", "busy"];
        frame.render_widget(table(rows.collect(), &widths, head, title), area);
    }

    fn draw_jobs(&self, frame: &mut Frame<'_>, area: Rect) {
        let rows = self.jobs.iter().map(|job| {
            Row::new([
                text::time(job.age),
                job.worker.clone(),
                job.kind.to_owned(),
                format!("#{}", job.node),
                job.position.clone(),
            ])
        });
        // A narrow screen has no room for positions: `gridproof show --node` has.
        let positions = match area.width >= WIDE / 2 {
            true => Constraint::Fill(1),
            false => Constraint::Length(0),
        };
        let workers = self.jobs.iter().map(|job| job.worker.as_str());
        let widths = [
            Constraint::Length(11),
            Constraint::Length(widest(workers).min(LONGEST_WORKER)),
            Constraint::Length(8),
            Constraint::Length(7),
            positions,
        ];
        let title = format!(" running jobs ({}) ", self.jobs.len());
        let head = ["running for", "worker", "kind", "node", "position"];
        frame.render_widget(table(rows.collect(), &widths, head, title), area);
    }

    fn draw_events(&self, frame: &mut Frame<'_>, area: Rect) {
        let room = usize::from(area.height.saturating_sub(1));
        let is_shown = |one: &&Happening| room > ROOM_FOR_JOBS || one.subject == Subject::Other;
        let newest = self.events.iter().rev().filter(is_shown).take(room);
        let lines: Vec<_> = newest.map(|one| Line::from(one.line.as_str())).collect();
        let lines: Vec<_> = lines.into_iter().rev().collect();
        let block = Block::new().borders(Borders::TOP).title(" events ");
        frame.render_widget(Paragraph::new(lines).block(block), area);
    }
}

/// How wide a column of names must be, its head counted.
fn widest<'a>(names: impl Iterator<Item = &'a str>) -> u16 {
    let widths = names.map(|name| name.chars().count()).max();
    u16::try_from(widths.unwrap_or(0).max("worker".len())).unwrap_or(u16::MAX)
}

fn table<'a, const N: usize>(
    rows: Vec<Row<'a>>,
    widths: &[Constraint; N],
    head: [&'a str; N],
    title: String,
) -> Table<'a> {
    let head = Row::new(head).style(Style::new().add_modifier(Modifier::BOLD));
    let block = Block::new().borders(Borders::TOP).title(title);
    Table::new(rows, widths.iter().copied())
        .header(head)
        .column_spacing(SPACE)
        .block(block)
}

#[cfg(test)]
mod tests;
