//! A walk over raw tokens, for the insides of macro calls, which have no syntax tree.

use proc_macro2::{TokenStream, TokenTree};

/// Calls `visit` once for every token at every depth, with the token and what follows it in its
/// group.
pub(crate) fn walk(tokens: TokenStream, visit: &mut dyn FnMut(&[TokenTree])) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, tree) in trees.iter().enumerate() {
        visit(&trees[i..]);
        if let TokenTree::Group(group) = tree {
            walk(group.stream(), visit);
        }
    }
}

/// The identifier, if the tokens start with one.
pub(crate) fn ident(tokens: &[TokenTree]) -> Option<String> {
    match tokens.first() {
        Some(TokenTree::Ident(ident)) => Some(ident.to_string()),
        _ => None,
    }
}

/// Tells whether the tokens start with the punctuation `mark`.
pub(crate) fn is_punct(tokens: &[TokenTree], mark: char) -> bool {
    matches!(tokens.first(), Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

/// The line of the first token.
pub(crate) fn line(tokens: &[TokenTree]) -> usize {
    tokens.first().map_or(1, |tree| tree.span().start().line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_depth_is_visited() {
        let tokens: TokenStream = "a ! ( b { c } , \"d\" )".parse().unwrap();
        let mut idents = Vec::new();
        let mut calls = 0;
        walk(tokens, &mut |tokens| {
            idents.extend(ident(tokens));
            calls += usize::from(is_punct(&tokens[1..], '!'));
        });
        assert_eq!(idents, ["a", "b", "c"]);
        assert_eq!(calls, 1);
    }
}
