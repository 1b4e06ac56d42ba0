//! The part of a systemd unit that says how its program is started.

use std::fs;
use std::path::Path;

/// The settings of a unit file, in order.
#[derive(Debug)]
pub struct Unit(Vec<(String, String)>);

impl Unit {
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).expect("the unit is installed");
        let settings = text.lines().filter(|line| !line.starts_with('#'));
        let settings = settings.filter_map(|line| line.split_once('='));
        Self(
            settings
                .map(|(key, value)| (key.to_owned(), value.to_owned()))
                .collect(),
        )
    }

    /// The first value of a setting.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == key);
        found.map(|(_, value)| value.as_str())
    }

    /// The words of ExecStart, its variables replaced by these values.
    #[must_use]
    pub fn command_line(&self, variables: &[(&str, String)]) -> Vec<String> {
        let line = self.get("ExecStart").expect("a service starts something");
        let replaced = |word: &str| {
            variables
                .iter()
                .fold(word.to_owned(), |word, (name, value)| {
                    word.replace(&format!("${{{name}}}"), value)
                })
        };
        let words: Vec<_> = line.split_whitespace().map(replaced).collect();
        let is_plain = words.iter().all(|word| !word.contains(['$', '%', '"']));
        assert!(is_plain, "only systemd understands {line}");
        words
    }
}
