use std::collections::BTreeMap;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::css::{self, CSS, colour};
use super::plot::{Line, Plot, Scale, Stroke};
use super::{Point, Report};
use crate::logs::{SearchState, SearchStatus, WorkerState};
use crate::text;

/// More lines than this cannot be told apart.
const DRAWN_SEARCHES: usize = 6;

/// More times than this crowd the axis.
const TICKS: i64 = 8;

impl Report {
    /// A page that needs nothing beside itself: it can be mailed, and opened in ten years.
    #[must_use]
    pub fn to_html(&self) -> String {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { "Gridproof, " (self.period()) }
                    style { (PreEscaped(CSS)) }
                }
                body {
                    main {
                        (self.body())
                        footer {
                            "Made by gridproof " (env!("CARGO_PKG_VERSION"))
                            ". Every proof is a file that anyone can check."
                        }
                    }
                }
            }
        };
        page.into_string()
    }

    /// What the page says, for a site that brings its own looks.
    #[must_use]
    pub fn body(&self) -> Markup {
        html! {
            (self.head())
            @if !self.points.is_empty() {
                (self.tiles())
                (self.boards_card())
                (self.plots())
                (self.searches_card())
                (self.waste_card())
                (self.workers_card())
                (self.slow_card())
            }
        }
    }

    fn head(&self) -> Markup {
        let still = Duration::from_secs(self.longest_standstill_seconds);
        html! {
            header {
                p { (self.period()) }
                h1 { (self.headline()) }
                p { (self.standing()) }
                @for book in &self.books { p { (book.to_string()) } }
            }
            @if !still.is_zero() {
                div.warning {
                    b { "Nothing moved for " (text::time(still)) " at a stretch." }
                    " Raise the budgets, hint a move, or give it more machines."
                }
            }
            @for (worker, how) in self.slowing() {
                div.warning { b { (worker) " slows the search" } ": " (how) "." }
            }
        }
    }

    /// What the headline leaves out.
    fn standing(&self) -> String {
        let proved = match &self.newly_proved[..] {
            [] | [_] => String::new(),
            names => format!("{}. ", names.join(", ")),
        };
        let nearest = self.searches.iter().find(|search| search.is_open());
        let open = nearest.map_or_else(String::new, |nearest| {
            format!(
                "Still open: {}, of which {} is nearest at {}.",
                self.count(SearchStatus::Open),
                nearest.name,
                nearest.root
            )
        });
        proved + &open
    }

    fn tiles(&self) -> Markup {
        let proved = format!(
            "{} / {}",
            self.count(SearchStatus::Proved),
            self.searches.len()
        );
        let most = self
            .points
            .iter()
            .map(|point| point.workers)
            .max()
            .unwrap_or(0);
        let solved = self.points.last().map_or(0, |point| point.nodes.solved);
        let tile = |value: &str, name: &str| html! { div.tile { b { (value) } span { (name) } } };
        html! {
            div.tiles {
                (tile(&proved, "searches proved"))
                (tile(&text::short(self.jobs as f64), "jobs done"))
                (tile(&text::short(self.spent as f64), "solver nodes"))
                (tile(&text::short(solved as f64), "nodes solved"))
                (tile(&most.to_string(), "workers at most"))
                (tile(&text::percent(self.wasted_share()), "work thrown away"))
            }
        }
    }

    fn plots(&self) -> Markup {
        let drawn = self.drawn_searches();
        html! {
            h2 { "Over time" }
            div.plots {
                @if !drawn.is_empty() {
                    (self.root_card(&drawn))
                }
                div.card {
                    h3 { "Graph" }
                    p.note { "Nodes of the search graph" }
                    (self.plot("Solved and open nodes", Scale::Linear, vec![
                        self.line(1, Stroke::Filled, |p| Some(p.nodes.open as f64)),
                        self.line(2, Stroke::Filled, |p| Some(p.nodes.solved as f64)),
                    ]).draw())
                    div.key { (key(2, "solved")) (key(1, "open")) }
                }
                div.card {
                    h3 { "Speed" }
                    p.note { "Jobs a second" }
                    (self.plot("Jobs a second", Scale::Linear, vec![
                        self.line(5, Stroke::Filled, |p| p.jobs_a_second),
                    ]).draw())
                }
                div.card {
                    h3 { "Workers" }
                    p.note { "Connected at the time" }
                    (self.plot("Connected workers", Scale::Linear, vec![
                        self.line(3, Stroke::Filled, |p| Some(p.workers as f64)),
                    ]).draw())
                }
            }
        }
    }

    fn root_card(&self, drawn: &[String]) -> Markup {
        let lines = drawn.iter().enumerate().flat_map(|(i, name)| {
            let of = move |p: &Point| p.roots.get(name).copied();
            [
                self.line(i, Stroke::Dashed, move |p| {
                    Some(f64::from(of(p)?.disproof?))
                }),
                self.line(i, Stroke::Solid, move |p| Some(f64::from(of(p)?.proof?))),
            ]
        });
        html! {
            div.card {
                h3 { "Roots" }
                p.note { "Proof numbers solid, disproof numbers dashed" }
                (self.plot("Proof and disproof numbers", Scale::Log, lines.collect()).draw())
                div.key {
                    @for (i, name) in drawn.iter().enumerate() { (key(i, name)) }
                }
            }
        }
    }

    /// Those that were open for longest in this time, in order of their names.
    fn drawn_searches(&self) -> Vec<String> {
        let mut seen: BTreeMap<&String, usize> = BTreeMap::new();
        for name in self.points.iter().flat_map(|point| point.roots.keys()) {
            *seen.entry(name).or_default() += 1;
        }
        let mut names: Vec<_> = seen.into_iter().collect();
        names.sort_by_key(|&(_, times)| std::cmp::Reverse(times));
        names.truncate(DRAWN_SEARCHES);
        let mut names: Vec<_> = names.into_iter().map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    }

    fn plot(&self, title: &'static str, scale: Scale, lines: Vec<Line>) -> Plot {
        Plot {
            title,
            scale,
            span: self.to.duration_since(self.from).as_secs_f64(),
            ticks: self.ticks(),
            lines,
        }
    }

    fn line(&self, i: usize, stroke: Stroke, value: impl Fn(&Point) -> Option<f64>) -> Line {
        let point = |p: &Point| (p.at.duration_since(self.from).as_secs_f64(), value(p));
        Line {
            colour: colour(i),
            stroke,
            points: self.points.iter().map(point).collect(),
        }
    }

    /// Round times of the clock, not too many.
    fn ticks(&self) -> Vec<(f64, String)> {
        let span = self.to.duration_since(self.from).as_secs();
        let minutes = [
            1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080,
        ];
        let step = minutes
            .map(|m| 60 * m)
            .into_iter()
            .find(|step| span / step < TICKS);
        let step = step.unwrap_or(span.max(1));
        let format = if step < 86_400 { "%H:%M" } else { "%-d %b" };
        let offset = i64::from(self.zone.to_offset(self.from).seconds());
        let local = self.from.as_second() + offset;
        let first = local.div_euclid(step) * step + step - offset;
        (0..TICKS)
            .map(|i| first + i * step)
            .take_while(|&second| second <= self.to.as_second())
            .filter_map(|second| Timestamp::from_second(second).ok())
            .map(|at| {
                let since: SignedDuration = at.duration_since(self.from);
                (since.as_secs_f64(), self.clock(at, format))
            })
            .collect()
    }

    fn searches_card(&self) -> Markup {
        // What nobody counted makes no column.
        let counted = |of: fn(&SearchState) -> u64| self.searches.iter().any(|s| of(s) > 0);
        let (nodes, jobs) = (counted(|s| s.spent), counted(|s| s.jobs));
        let time = counted(|s| s.seconds);
        html! {
            h2 { "Searches" }
            div.card.scroll {
                table {
                    tr {
                        th { "Name" } th { "Verdict" } th.n { "Root" }
                        @if nodes { th.n { "Solver nodes" } }
                        @if jobs { th.n { "Jobs" } }
                        @if time { th.n { "Time" } }
                        th { "Certificate or best line" }
                    }
                    @for search in &self.searches {
                        @let verdict = search.status.to_string();
                        tr {
                            td { b { (search.name) } }
                            td { span class=(format!("pill {verdict}")) { (verdict) } }
                            td.n { (search.root) }
                            @if nodes { td.n { (text::short(search.spent as f64)) } }
                            @if jobs { td.n { (text::count(search.jobs)) } }
                            @if time {
                                td.n { (text::time(Duration::from_secs(search.seconds))) }
                            }
                            td {
                                @match &search.certificate {
                                    Some(proof) => {
                                        code { (proof.file) }
                                        " " code.dim { (css::short_hash(&proof.hash)) }
                                    }
                                    None => code.dim { (search.line) },
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn waste_card(&self) -> Markup {
        let share = |part: u64| part as f64 / self.spent.max(1) as f64;
        html! {
            @if !self.wasted.is_empty() {
                h2 { "Work thrown away" }
                div.card {
                    p.note {
                        (text::percent(self.wasted_share())) " of all solver nodes. Some of this \
                         is the price of working side by side."
                    }
                    svg.bar viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" {
                        @let shares = self.wasted.iter().map(|(_, part)| 100.0 * share(*part));
                        @for (i, (from, width)) in stacked(shares).enumerate() {
                            rect x=(format!("{from:.2}")) width=(format!("{width:.2}")) height="1"
                                fill=(colour(i)) {}
                        }
                    }
                    div.key {
                        @for (i, (reason, part)) in self.wasted.iter().enumerate() {
                            (key(i, &format!("{reason} {}", text::percent(share(*part)))))
                        }
                    }
                }
            }
        }
    }

    fn workers_card(&self) -> Markup {
        let counted = |of: fn(&WorkerState) -> u64| self.workers.iter().any(|w| of(w) > 0);
        let (jobs, spent) = (counted(|w| w.jobs), counted(|w| w.spent));
        let most = self
            .workers
            .iter()
            .map(|worker| worker.spent)
            .max()
            .unwrap_or(0)
            .max(1);
        html! {
            @if !self.workers.is_empty() {
                h2 { "Workers" }
                div.card.scroll {
                    table {
                        tr {
                            th { "Name" } th { "Now" } th.n { "Slots" }
                            @if jobs { th.n { "Jobs" } th.n { "Won" } }
                            @if spent { th.n { "Wasted" } }
                            th.n { "Losses" }
                            @if spent { th.n { "Solver nodes" } }
                        }
                        @for worker in &self.workers {
                            @let meter = format!("{:.1}", 100.0 * worker.spent as f64 / most as f64);
                            @let wasted = worker.wasted as f64 / worker.spent.max(1) as f64;
                            tr {
                                td { (worker.name) }
                                td {
                                    @if worker.connected { span.proved { "● here" } }
                                    @else { span.dim { "○ gone" } }
                                }
                                td.n { (worker.slots) }
                                @if jobs {
                                    td.n { (text::count(worker.jobs)) }
                                    td.n { (text::count(worker.won)) }
                                }
                                @if spent { td.n { (text::percent(wasted)) } }
                                td.n { (text::count(worker.losses)) }
                                @if spent {
                                    td.n {
                                        (text::short(worker.spent as f64))
                                        svg.meter viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" {
                                            rect width=(meter) height="1" fill="var(--teal)" {}
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn slow_card(&self) -> Markup {
        html! {
            @if !self.slowest.is_empty() {
                h2 { "Slowest jobs" }
                div.card.scroll {
                    table {
                        tr {
                            th.n { "Time" } th { "Search" } th { "Kind" } th { "Outcome" }
                            th { "Worker" } th { "Position" }
                        }
                        @for job in &self.slowest {
                            tr {
                                td.n { (text::time(Duration::from_secs(job.seconds))) }
                                td { (job.search) }
                                td { (job.kind) }
                                td { (job.outcome) }
                                td { (job.worker) }
                                td { code { (job.position) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn key(i: usize, name: &str) -> Markup {
    html! {
        span {
            svg.swatch viewBox="0 0 14 3" aria-hidden="true" {
                rect width="14" height="3" rx="1.5" fill=(colour(i)) {}
            }
            (name)
        }
    }
}

/// Parts laid side by side: where each begins, and how wide it is.
fn stacked(widths: impl Iterator<Item = f64>) -> impl Iterator<Item = (f64, f64)> {
    widths.scan(0.0, |end, width| {
        let from = *end;
        *end += width;
        Some((from, width))
    })
}
