//! Questions that a person types, with line editing, or that come through a pipe.

use std::io::{self, BufRead as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustyline::error::ReadlineError;
use rustyline::{
    Cmd, ConditionalEventHandler, DefaultEditor, Event, EventContext, EventHandler, KeyCode,
    KeyEvent, Modifiers, RepeatCount,
};

use super::Failure;

/// Where questions come from.
pub(super) enum Questions {
    /// A terminal, with history. The arrow keys step through a game while nothing is typed.
    Terminal {
        editor: Box<DefaultEditor>,
        back: Arc<AtomicBool>,
    },
    Pipe,
}

/// Ends an empty line, and says whether that was the key that goes back.
struct Step {
    back: Arc<AtomicBool>,
    goes_back: bool,
}

impl ConditionalEventHandler for Step {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, at: &EventContext<'_>) -> Option<Cmd> {
        if !at.line().is_empty() {
            return None;
        }
        self.back.store(self.goes_back, Ordering::Relaxed);
        Some(Cmd::AcceptLine)
    }
}

impl Questions {
    pub(super) fn new(terminal: bool) -> Result<Self, Failure> {
        if !terminal {
            return Ok(Self::Pipe);
        }
        let mut editor = Box::new(DefaultEditor::new()?);
        let back = Arc::new(AtomicBool::new(false));
        for (key, goes_back) in [(KeyCode::Right, false), (KeyCode::Left, true)] {
            let step = Step {
                back: Arc::clone(&back),
                goes_back,
            };
            let key = KeyEvent(key, Modifiers::NONE);
            editor.bind_sequence(key, EventHandler::Conditional(Box::new(step)));
        }
        Ok(Self::Terminal { editor, back })
    }

    /// The next line; none at the end.
    pub(super) fn next(&mut self, prompt: &str) -> Result<Option<String>, Failure> {
        match self {
            Self::Terminal { editor, back } => match editor.readline(prompt) {
                Ok(line) => {
                    // History is a comfort: without memory for it the questions go on.
                    let _ = editor.add_history_entry(line.as_str());
                    let goes_back = back.swap(false, Ordering::Relaxed);
                    Ok(Some(if goes_back { "back".to_owned() } else { line }))
                }
                Err(ReadlineError::Eof | ReadlineError::Interrupted) => Ok(None),
                Err(error) => Err(error.into()),
            },
            Self::Pipe => {
                let mut line = String::new();
                let read = io::stdin().lock().read_line(&mut line)?;
                Ok((read > 0).then_some(line))
            }
        }
    }
}
