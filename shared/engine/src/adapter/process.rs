//! A child process that cannot hang its parent.

use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use gridproof_solver::Cancel;

use super::error::AdapterError;

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineCommand {
    /// Its name or path.
    pub program: String,
    /// What it is started with.
    pub arguments: Vec<String>,
    /// The longest that one answer may take.
    pub time_out: Duration,
}

/// All that an engine may write for one answer.
const MOST_BYTES: usize = 1 << 20;
const LONGEST_LINE: usize = 4096;
/// How often a waiting parent looks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// How long a program that closed its output may take to be gone.
const EXIT_TIME: Duration = Duration::from_millis(200);

impl EngineCommand {
    /// A command line in words: the program, then its arguments.
    #[must_use]
    pub fn of_words(line: &str, time_out: Duration) -> Option<Self> {
        let mut words = line.split_whitespace().map(str::to_owned);
        Some(Self {
            program: words.next()?,
            arguments: words.collect(),
            time_out,
        })
    }
}

/// A running engine, leader of a process group of its own. Dropping it ends the group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: SyncSender<String>,
    lines: Receiver<Output>,
}

/// What the engine's output brings.
#[derive(Debug)]
enum Output {
    Line(String),
    Flood(usize),
}

impl Process {
    pub(super) fn start(command: &EngineCommand) -> Result<Self, AdapterError> {
        let mut child = Command::new(&command.program)
            .args(&command.arguments)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| AdapterError::Start {
                program: command.program.clone(),
                reason: error.to_string(),
            })?;
        let (output, input) = (child.stdout.take(), child.stdin.take());
        let output = output.expect("its output is piped");
        let pipe = input.expect("its input is piped");
        // Threads, for a pipe has no time-out. They end when the group does: its ends of the
        // pipes are closed then.
        let (sender, lines) = sync_channel(64);
        std::thread::spawn(move || read_lines(output, &sender));
        let (input, commands) = sync_channel(64);
        std::thread::spawn(move || write_lines(pipe, &commands));
        Ok(Self {
            child,
            input,
            lines,
        })
    }

    /// Sends commands; an engine that does not read them will be seen to time out.
    pub(super) fn send(&self, text: String) {
        // Full or closed: the engine does not listen, and the wait for its answer says so.
        let _ = self.input.try_send(text);
    }

    /// Waits for a line from which `find` makes an answer.
    pub(super) fn wait_for<T>(
        &mut self,
        time_out: Duration,
        cancel: &Cancel,
        mut find: impl FnMut(&str) -> Option<Result<T, AdapterError>>,
    ) -> Result<T, AdapterError> {
        let start = Instant::now();
        let mut bytes = 0;
        loop {
            if cancel.is_cancelled() {
                return Err(AdapterError::Cancelled);
            }
            if start.elapsed() >= time_out {
                return Err(AdapterError::TimedOut(time_out));
            }
            match self.lines.recv_timeout(POLL_INTERVAL) {
                Ok(Output::Line(line)) => {
                    bytes += line.len() + 1;
                    if let Some(answer) = find(&line) {
                        return answer;
                    }
                    if bytes > MOST_BYTES {
                        return Err(AdapterError::Flood(MOST_BYTES));
                    }
                }
                Ok(Output::Flood(limit)) => return Err(AdapterError::Flood(limit)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            }
        }
    }

    /// The engine closed its output: how did it end?
    fn ended(&mut self) -> AdapterError {
        let start = Instant::now();
        while start.elapsed() < EXIT_TIME {
            if let Ok(Some(status)) = self.child.try_wait() {
                return AdapterError::Ended(status.to_string());
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        AdapterError::Ended("it closed its output but runs on".to_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.child);
        // An error means that nobody of the group is left.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.child.wait();
    }
}

fn read_lines(mut output: impl Read, lines: &SyncSender<Output>) {
    let mut buffer = [0; 4096];
    let mut line = Vec::new();
    loop {
        let count = match output.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        for &byte in &buffer[..count] {
            if byte == b'\n' {
                if lines.send(Output::Line(text(&line))).is_err() {
                    return;
                }
                line.clear();
            } else if line.len() == LONGEST_LINE {
                // The receiver may be gone: then nobody asks any more.
                let _ = lines.send(Output::Flood(LONGEST_LINE));
                return;
            } else {
                line.push(byte);
            }
        }
    }
    if !line.is_empty() {
        let _ = lines.send(Output::Line(text(&line)));
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end().to_owned()
}

fn write_lines(mut input: ChildStdin, commands: &Receiver<String>) {
    for text in commands {
        if input.write_all(text.as_bytes()).is_err() || input.flush().is_err() {
            return;
        }
    }
}
