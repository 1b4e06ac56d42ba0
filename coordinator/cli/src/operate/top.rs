//! The whole grid on a live screen.

use std::collections::VecDeque;
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
use super::view::{Job, Search, State, Totals, Worker, number};
use super::watch;
use crate::Failure;
use crate::rate::Rate;

/// How often the coordinator is asked.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// How often keys are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// A screen with room for positions.
const WIDE: u16 = 110;

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
    events: VecDeque<String>,
    done: Rate,
}

/// Shows the grid until the user has seen enough, or the coordinator goes away.
pub(super) async fn run(mut client: Client) -> Result<(), Failure> {
    // Asked before the screen is taken: an error is easier to read without it.
    let mut screen = Screen::default();
    screen.ask(&mut client).await?;
    let mut stream = call(client.watch(v1::WatchRequest {})).await?;
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

fn wants_to_leave() -> std::io::Result<bool> {
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
        self.searches = super::list(client).await?;
        let workers = call(client.list_workers(v1::ListWorkersRequest {})).await?;
        self.workers = workers.workers.into_iter().map(Worker::from).collect();
        self.jobs = super::jobs(client, None).await?;
        if !self.searches.is_empty() {
            let status = call(client.get_status(v1::StatusRequest { search: 0 })).await?;
            self.totals = status.totals.into();
        }
        self.done.add(Instant::now(), self.totals.jobs_done);
        Ok(())
    }

    fn note(&mut self, event: &v1::GridEvent) {
        // Jobs come and go by the dozen: the table tells of them.
        let is_job = matches!(
            event.what,
            Some(What::JobStarted(_) | What::JobEnded(_) | What::JobAborted(_) | What::Finding(_))
        );
        if let Some(line) = watch::line(event)
            && !is_job
        {
            self.events.push_back(line);
            if self.events.len() > EVENTS {
                self.events.pop_front();
            }
        }
    }

    fn show(&self, terminal: &mut DefaultTerminal) -> std::io::Result<()> {
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
        let widths = [
            Constraint::Fill(1),
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
        let widths = [
            Constraint::Fill(1),
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
            true => Constraint::Fill(2),
            false => Constraint::Length(0),
        };
        let widths = [
            Constraint::Length(11),
            Constraint::Fill(1),
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
        let newest = self.events.iter().rev().take(room);
        let lines: Vec<_> = newest.rev().map(|line| Line::from(line.as_str())).collect();
        let block = Block::new().borders(Borders::TOP).title(" events ");
        frame.render_widget(Paragraph::new(lines).block(block), area);
    }
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
        .column_spacing(2)
        .block(block)
}

#[cfg(test)]
mod tests {
    use gridproof_game::{Colour, Opening};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::view::Numbers;
    use super::*;

    fn search(id: u32, name: &str, state: State, proof: Option<u32>) -> Search {
        Search {
            id,
            name: name.to_owned(),
            attacker: Colour::Black,
            state,
            numbers: Numbers {
                proof,
                disproof: Some(48),
            },
            share: 1,
            root: "TX-H9".parse::<Opening>().unwrap().position(),
        }
    }

    fn screen() -> Screen {
        let worker = |name: &str, state, running| Worker {
            name: name.to_owned(),
            state,
            slots: 4,
            running,
            version: "0.1.0".to_owned(),
        };
        let job = |node, seconds| Job {
            node,
            position: "J10 I8,H9 K11,L10".to_owned(),
            kind: "verifier",
            worker: "lab-pc-01".to_owned(),
            age: Duration::from_secs(seconds),
            spent: 100_000,
            budget: 3_000_000,
        };
        Screen {
            searches: vec![
                search(1, "I7-G9", State::Proved, Some(0)),
                search(2, "TX-H9", State::Open, Some(12)),
                search(3, "XX-L8 for White", State::Stopped, None),
            ],
            workers: vec![
                worker("lab-pc-02", "away", 0),
                worker("lab-pc-01", "here", 4),
            ],
            totals: Totals {
                positions: 12_345,
                proved: 678,
                jobs_done: 9_000,
                ..Totals::default()
            },
            jobs: vec![job(12, 310), job(697, 4)],
            events: [
                "07:00:01 lab-pc-01 came: 4 jobs at a time",
                "07:00:09 I7-G9: proved: Black wins",
            ]
            .map(str::to_owned)
            .into(),
            ..Screen::default()
        }
    }

    fn drawn(screen: &Screen, width: u16, height: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| screen.draw(frame)).unwrap();
        let buffer = terminal.backend().buffer();
        let row = |y| {
            (0..width)
                .map(|x| buffer[(x, y)].symbol())
                .collect::<String>()
        };
        (0..height).map(row).collect()
    }

    #[test]
    fn all_of_a_small_grid_fits_a_usual_terminal_and_a_large_one() {
        for (width, height) in [(80, 24), (200, 50)] {
            let rows = drawn(&screen(), width, height);
            let text = rows.join("\n");
            for words in [
                "12,345 positions, 678 proved | 4 of 4 slots busy",
                "9,000 jobs done",
                "searches (3)",
                "TX-H9",
                "open, Black to prove",
                "proved: Black wins",
                "XX-L8 for White",
                "stopped, Black not proved",
                "lab-pc-02",
                "4 of 4",
                "5 min 10 s",
                "#697",
                "07:00:09 I7-G9: proved: Black wins",
                "q leaves",
            ] {
                assert!(
                    text.contains(words),
                    "{words} at {width}x{height} in\n{text}"
                );
            }
            let place = |words: &str| rows.iter().position(|row| row.contains(words)).unwrap();
            assert!(
                place("TX-H9 ") < place("I7-G9 "),
                "what is open comes first\n{text}"
            );
            assert!(place("5 min 10 s") < place("#697"), "oldest first\n{text}");
        }
    }

    #[test]
    fn a_grid_that_is_too_large_and_a_screen_that_is_too_small_do_no_harm() {
        let mut large = screen();
        for id in 10..200 {
            large
                .searches
                .push(search(id, &format!("search {id}"), State::Open, Some(id)));
        }
        let rows = drawn(&large, 80, 24);
        assert!(rows.iter().any(|row| row.contains("searches (193)")));
        assert!(rows.iter().any(|row| row.contains("q leaves")));
        for (width, height) in [(1, 1), (10, 3), (40, 8)] {
            let _ = drawn(&large, width, height);
        }
        let _ = drawn(&Screen::default(), 80, 24);
    }
}
