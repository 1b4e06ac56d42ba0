//! What an operator types, and the coordinator that answers.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use assert_cmd::cargo::{cargo_bin, cargo_bin_cmd};

/// What a command said, and its exit code.
pub struct Said {
    pub out: String,
    pub error: String,
    pub code: i32,
}

pub fn run_with(folder: &Path, environment: &[(&str, &str)], arguments: &[&str]) -> Said {
    let mut command = cargo_bin_cmd!("gridproof");
    command.current_dir(folder).args(arguments);
    command.env("XDG_CONFIG_HOME", folder.join("config"));
    command.envs(environment.iter().copied());
    let output = command.output().expect("the program is built");
    Said {
        out: crate::common::words(&output.stdout),
        error: crate::common::words(&output.stderr),
        code: output.status.code().expect("it was not killed"),
    }
}

pub fn run(folder: &Path, arguments: &[&str]) -> Said {
    run_with(folder, &[], arguments)
}

/// A coordinator that ends with the test.
pub struct Server {
    child: Child,
    pub url: String,
    log: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn start(folder: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(cargo_bin("gridproof"));
        command
            .current_dir(folder)
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program is built");
        let stderr = child.stderr.take().expect("it is a pipe");
        let mut lines = BufReader::new(stderr).lines().map_while(Result::ok);
        let line = lines.find(|line| line.contains("listening at "));
        let line = line.expect("the coordinator listens");
        let address = line.rsplit(' ').next().expect("an address").to_owned();
        // Somebody must read on, or the coordinator stops when the pipe is full.
        let log = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&log);
        std::thread::spawn(move || lines.for_each(|line| heard.lock().unwrap().push(line)));
        Self {
            child,
            url: format!("http://{address}"),
            log,
        }
    }

    /// Ends it, and tells what it logged.
    pub fn log(mut self) -> String {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        // The reader holds the other one until the pipe is closed.
        while Arc::strong_count(&self.log) > 1 {
            std::thread::yield_now();
        }
        let lines = self.log.lock().unwrap().join("\n");
        crate::common::words(lines.as_bytes())
    }

    pub fn order(&self, folder: &Path, arguments: &[&str]) -> Said {
        run_with(folder, &[("GRIDPROOF_COORDINATOR", &self.url)], arguments)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Gone already is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
