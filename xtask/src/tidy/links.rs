//! Rule: a link of a page to a file or a heading of the repository leads there, and a path of a crate that it names exists.

use std::collections::{BTreeMap, BTreeSet};

use super::text_file::TextFile;
use super::violation::Violation;

/// Checks the relative links of all Markdown pages.
pub(crate) fn check(files: &[TextFile]) -> Vec<Violation> {
    let pages: Vec<_> = files.iter().filter(|file| file.is_markdown()).collect();
    let headings: BTreeMap<_, _> =
        pages.iter().map(|page| (page.path.as_str(), anchors(page))).collect();
    let places: BTreeSet<_> = files.iter().flat_map(|file| prefixes(&file.path)).collect();
    let mut found = Vec::new();
    for page in &pages {
        for (line, target) in links(page) {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let Some(path) = resolved(&page.path, path) else {
                let message = format!("`{target}` leads out of the repository");
                found.push(Violation::new(&page.path, line, message));
                continue;
            };
            if !places.contains(path.as_str()) {
                let message = format!("`{target}`: there is no such file");
                found.push(Violation::new(&page.path, line, message));
            } else if let (false, Some(known)) = (anchor.is_empty(), headings.get(path.as_str()))
                && !known.contains(anchor)
            {
                let message = format!("`{target}`: the page has no such heading");
                found.push(Violation::new(&page.path, line, message));
            }
        }
        for (line, path) in named(page) {
            if !places.contains(path.as_str()) {
                let message = format!("`{path}`: there is no such file");
                found.push(Violation::new(&page.path, line, message));
            }
        }
    }
    found
}

/// Paths of crates in code of a line, `kern-gram/src/{dense.rs, views/}` or `crates/…`, with their lines.
fn named(page: &TextFile) -> Vec<(usize, String)> {
    let codes = prose(page)
        .flat_map(|(line, text)| text.split('`').skip(1).step_by(2).map(move |code| (line, code)));
    let is_path = |code: &str| {
        let is_of_crate = code.starts_with("kern-") && code.contains("/src/");
        (is_of_crate || code.starts_with("crates/")) && !code.contains(['<', '*', '…', ':'])
    };
    let paths = codes.filter(|(_, code)| is_path(code));
    let whole = |path: String| match path.starts_with("crates/") {
        true => path,
        false => format!("crates/{path}"),
    };
    let each =
        paths.flat_map(|(line, code)| expanded(code).into_iter().map(move |path| (line, path)));
    each.map(|(line, path)| (line, whole(path).trim_end_matches('/').to_owned())).collect()
}

/// The paths that braces stand for, as in a shell.
fn expanded(path: &str) -> Vec<String> {
    let parts = path.split_once('{').and_then(|(before, rest)| {
        let (choices, after) = rest.split_once('}')?;
        Some((before, choices, after))
    });
    let Some((before, choices, after)) = parts else { return vec![path.to_owned()] };
    let one = |choice: &str| expanded(&format!("{before}{}{after}", choice.trim()));
    choices.split(',').flat_map(one).collect()
}

/// Relative links, with their lines; not those in code.
fn links(page: &TextFile) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (line, text) in prose(page) {
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            if !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:") {
                found.push((line, target));
            }
        }
    }
    found
}

/// Lines outside of fenced code, with their numbers.
fn prose(page: &TextFile) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    page.lines().filter(move |(_, text)| {
        let is_fence = text.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The anchors that a page's headings get: lower case, a hyphen for a space, no punctuation.
fn anchors(page: &TextFile) -> BTreeSet<String> {
    let headings = prose(page).filter_map(|(_, text)| {
        let heading = text.trim_start_matches('#');
        (heading.len() < text.len()).then(|| heading.strip_prefix(' ')).flatten()
    });
    let anchor = |heading: &str| {
        let kept = heading.to_lowercase().replace(' ', "-");
        kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
    };
    headings.map(anchor).collect()
}

/// A path and all folders that it lies in; the repository itself is "".
fn prefixes(path: &str) -> Vec<&str> {
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    folders.chain([path, ""]).collect()
}

/// The target of a link in a page, from the root of the repository.
fn resolved(page: &str, target: &str) -> Option<String> {
    if target.is_empty() {
        return Some(page.to_owned());
    }
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            _ => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(text: &str) -> Vec<String> {
        let files = [
            TextFile::new("docs/a.md", text),
            TextFile::new("docs/b/c.md", "# One thing\n\n## Newton's step, again?\n"),
            TextFile::new("crates/x/src/lib.rs", "//! X.\n"),
        ];
        check(&files).into_iter().map(|violation| violation.message).collect()
    }

    #[test]
    fn links_that_lead_somewhere() {
        let text = "# A\n[b](b/c.md) [c](b/c.md#newtons-step-again) [x](../crates/x) [x](#a)\n\
            ```\n[no](link)\n```\n[site](https://example.org/a) ![f](../crates/x/src/lib.rs)\n";
        assert_eq!(messages(text), [""; 0]);
    }

    #[test]
    fn links_that_do_not() {
        assert!(messages("[b](c.md)\n")[0].contains("no such file"));
        assert!(messages("[b](b/c.md#two)\n")[0].contains("no such heading"));
        assert!(messages("[b](../../x)\n")[0].contains("out of the repository"));
    }

    #[test]
    fn paths_that_are_named() {
        assert_eq!(
            messages("`crates/x/src/{lib.rs}` `kern-<name>/src/a.rs` `src/b.rs`\n"),
            [""; 0]
        );
        let found = messages("`crates/x/src/{lib.rs, a.rs}` `kern-y/src/`\n");
        assert_eq!(found.len(), 2);
        assert!(
            found[0].contains("`crates/x/src/a.rs`") && found[1].contains("`crates/kern-y/src`")
        );
    }
}
