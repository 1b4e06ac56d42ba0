//! The pages of the repository, and the code that they show.

use std::fs;
use std::path::Path;

use gridproof_tests::repository;

/// A Markdown file, taken apart.
#[derive(Debug, Default)]
pub struct Page {
    /// Its path in the repository.
    pub name: String,
    /// Lines that stand apart, indented or in a fence that names no language.
    pub commands: Vec<String>,
    /// Code within the text.
    pub spans: Vec<String>,
    /// What stands in fences that name Python.
    pub python: String,
}

impl Page {
    pub fn all() -> Vec<Self> {
        let mut pages = Vec::new();
        collect(repository(), &mut pages);
        pages.sort_by(|a, b| a.name.cmp(&b.name));
        pages
    }

    fn read(path: &Path) -> Self {
        let name = path.strip_prefix(repository()).expect("it is in there");
        let mut page = Self {
            name: name.to_str().expect("names are text").to_owned(),
            ..Self::default()
        };
        let text = fs::read_to_string(path).expect("a page is text");
        let (mut apart, mut within) = (String::new(), String::new());
        let mut fence = None;
        let mut is_apart = false;
        let mut after_blank = true;
        for line in text.lines() {
            if let Some(language) = line.strip_prefix("```") {
                fence = fence.is_none().then_some(language);
                continue;
            }
            is_apart = line.starts_with("    ") && (is_apart || after_blank);
            after_blank = line.is_empty();
            let part = match fence {
                Some("") => &mut apart,
                Some("python") => &mut page.python,
                // The compiler takes care of those.
                Some(_) => continue,
                None if is_apart => &mut apart,
                None => &mut within,
            };
            part.push_str(line);
            part.push('\n');
        }
        let apart = apart.replace("\\\n", " ");
        page.commands = apart.lines().map(without_comment).collect();
        let spans = within.split('`').skip(1).step_by(2);
        page.spans = spans.map(|span| span.replace('\n', " ")).collect();
        page
    }
}

fn collect(folder: &Path, pages: &mut Vec<Page>) {
    let entries = fs::read_dir(folder).expect("the repository can be read");
    for entry in entries.map(|entry| entry.expect("the repository can be read")) {
        let path = entry.path();
        let name = entry.file_name().into_string().unwrap_or_default();
        if path.is_dir() && !path.is_symlink() && name != "target" && !name.starts_with('.') {
            collect(&path, pages);
        } else if name.ends_with(".md") {
            pages.push(Page::read(&path));
        }
    }
}

fn without_comment(line: &str) -> String {
    let (command, _) = line.split_once("  #").unwrap_or((line, ""));
    command.split_whitespace().collect::<Vec<_>>().join(" ")
}
