//! `#[compiled_once]`: generic functions with instances compiled in the crate that defines them.
//!
//! rustc compiles an instance of a generic function in every crate that calls it: a generic solver
//! is compiled again in each dependent library and in each user's program. This attribute keeps the
//! generic signature as a wrapper and moves the body to non-generic functions, one for single and
//! one for double precision, to which callers link.
//!
//! The crate works on token trees, without a Rust parser, because every build starts with it.

use proc_macro::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};

/// Compiles a function `fn name<T: Scalar>(…)` for `f32` and `f64`, or a function `fn name<P:
/// Points>(…)` for `Samples<f64>`, in the crate that defines it; for other points it is compiled in
/// the calling crate.
///
/// The function has only this type parameter and at most two named lifetimes. On a method the
/// attribute repeats the head of the `impl` block: `#[compiled_once(impl<T: Scalar> Cache<T>)]`. It
/// is meant for whole algorithms and loops, not for per-element work: a call from another crate is
/// never inlined.
///
/// # Panics
/// Never: any other function is a compiler error at the attribute.
#[proc_macro_attribute]
pub fn compiled_once(owner: TokenStream, item: TokenStream) -> TokenStream {
    match Function::parse(owner, item.clone()) {
        Ok(function) => function.shell(),
        Err(reason) => {
            // The function itself is kept, so that this is the only compiler error.
            let mut all = error(reason);
            all.extend(item);
            all
        }
    }
}

/// The instance in addition to that for double precision: of functions of a scalar type, and of
/// functions of points.
const SINGLE: &str = "
    #[inline(never)]
    fn single<LIFETIMES>((NAMES): Self::Args<OWN, INSIDE, f32>) -> Self::Output<OWN, INSIDE, f32> {
        IN_SINGLE
    }";
const OTHER: &str = "
    fn other<LIFETIMES, PARAMETER: BOUND>(
        (NAMES): Self::Args<OWN, INSIDE, PARAMETER>,
    ) -> Self::Output<OWN, INSIDE, PARAMETER> {
        IN_OTHER
    }";

/// The wrapper. Words in capitals are placeholders.
const SHELL: &str = "
    ATTRIBUTES
    #[allow(
        clippy::extra_unused_lifetimes,
        clippy::needless_lifetimes,
        clippy::too_many_arguments,
        clippy::type_complexity
    )]
    VISIBILITY fn NAME<LIFETIMES OF_FUNCTION>(LIST) -> OUTPUT {
        struct Instances;
        impl ONCE for Instances {
            type Args<LIFETIMES, PARAMETER: BOUND> = (TUPLE);
            type Output<LIFETIMES, PARAMETER: BOUND> = OUTPUT;
            #[inline(never)]
            fn double<LIFETIMES>((NAMES): Self::Args<OWN, INSIDE, DOUBLE>) -> Self::Output<OWN, INSIDE, DOUBLE> {
                IN_DOUBLE
            }
            SECOND
        }
        WITHIN
        <PARAMETER as TRAIT>::once::<Instances>((GIVEN))
    }
    BESIDE";

/// The function as written: inside the wrapper of a function, next to that of a method.
const WRITTEN: &str = "
    #[inline(always)]
    LINTS
    fn INNER GENERICS ARGUMENTS -> AS_GIVEN BODY";

/// The parts of a function that the wrapper needs.
struct Function {
    /// Attributes of the wrapper: documentation, `must_use`, `cfg`.
    outer: Vec<TokenTree>,
    /// Attributes of the body: lint levels.
    inner: Vec<TokenTree>,
    visibility: Vec<TokenTree>,
    name: Ident,
    /// The type of a method; empty for a function.
    owner: Vec<TokenTree>,
    /// The type parameter, and true if it is bounded by `Points`.
    parameter: Ident,
    of_points: bool,
    lifetimes: Vec<String>,
    /// The generic parameters between the name and the arguments, as written.
    generics: Vec<TokenTree>,
    arguments: Group,
    /// The type of the result.
    output: Vec<TokenTree>,
    body: TokenTree,
}

/// The arguments of a function in the forms that its wrapper uses.
#[derive(Default)]
struct Shelled {
    /// Their names in the instances, where `self` is called `this`.
    names: Vec<TokenTree>,
    /// Their names in the wrapper.
    given: Vec<TokenTree>,
    /// Names with types.
    list: Vec<TokenTree>,
    /// Types.
    tuple: Vec<TokenTree>,
}

type Tokens = std::iter::Peekable<proc_macro::token_stream::IntoIter>;

impl Function {
    fn parse(owner: TokenStream, item: TokenStream) -> Result<Self, &'static str> {
        let mut owner = owner.into_iter().peekable();
        // Skips the keyword `impl`.
        let is_method = owner.next().is_some();
        let of_owner = generics(&mut owner);
        let mut tokens = item.into_iter().peekable();
        let (outer, inner) = attributes(&mut tokens);
        let mut visibility = Vec::new();
        loop {
            match tokens.next() {
                Some(TokenTree::Ident(word)) if word.to_string() == "fn" => break,
                Some(token) if is_visibility(&token) => visibility.push(token),
                _ => return Err("compiled_once: a plain function is needed"),
            }
        }
        let Some(TokenTree::Ident(name)) = tokens.next() else {
            return Err("compiled_once: a function with a name is needed");
        };
        let generics = generics(&mut tokens);
        let (lifetimes, parameter, of_points) =
            parameters(if is_method { &of_owner } else { &generics })?;
        let Some(TokenTree::Group(arguments)) = tokens.next() else {
            return Err("compiled_once: a list of arguments is needed");
        };
        let mut rest: Vec<TokenTree> = tokens.collect();
        let body = rest.pop().ok_or("compiled_once: a function with a body is needed")?;
        let output = match rest.as_slice() {
            [] => vec![TokenTree::Group(Group::new(Delimiter::Parenthesis, TokenStream::new()))],
            [dash, arrow, output @ ..] if is(dash, '-') && is(arrow, '>') => output.to_vec(),
            _ => {
                return Err(
                    "compiled_once: bounds belong to the parameters, not to a where clause",
                );
            }
        };
        Ok(Self {
            outer,
            inner,
            visibility,
            name,
            owner: owner.collect(),
            parameter,
            of_points,
            lifetimes,
            generics,
            arguments,
            output,
            body,
        })
    }

    /// The arguments, with types transformed by `typed`.
    fn shelled(&self, typed: &dyn Fn(&[TokenTree]) -> Vec<TokenTree>) -> Shelled {
        let mut all = Shelled::default();
        for (i, argument) in split(self.arguments.stream()).iter().enumerate() {
            let Some(colon) = argument.iter().position(|token| is(token, ':')) else {
                // `self`, `mut self`, `&self` or `&mut self`.
                let by_value = argument.first().is_some_and(|token| !is(token, '&'));
                let before = if by_value { &[] } else { &argument[..argument.len() - 1] };
                let of = typed(&[before, &self.owner].concat());
                all.list.extend(typed(&[before, &filled("self,", &[])].concat()));
                all.names.extend(filled("this,", &[]));
                all.given.extend(filled("self,", &[]));
                all.tuple.extend(filled("ARGUMENT,", &[("ARGUMENT", &of)]));
                continue;
            };
            let (name, of) = (name_of(&argument[..colon], i), typed(&argument[colon + 1..]));
            all.list.extend(filled(&format!("{name}: ARGUMENT,"), &[("ARGUMENT", &of)]));
            all.names.extend(filled(&format!("{name},"), &[]));
            all.given.extend(filled(&format!("{name},"), &[]));
            all.tuple.extend(filled("ARGUMENT,", &[("ARGUMENT", &of)]));
        }
        all
    }

    fn shell(self) -> TokenStream {
        let [own, inside] = self.both_lifetimes();
        let typed = |tokens: &[TokenTree]| {
            let itself = Ident::new("Self", Span::call_site());
            let owner =
                if self.owner.is_empty() { filled("Self", &[]) } else { self.owner.clone() };
            with_lifetimes(&replaced(tokens, &itself, &owner), [&own, &inside], false)
        };
        let Shelled { names, given, list, tuple } = self.shelled(&typed);
        let output = typed(&self.output);
        let parameter = [TokenTree::Ident(self.parameter.clone())];
        let name = [TokenTree::Ident(self.name.clone())];
        let arguments = [TokenTree::Group(self.arguments.clone())];
        let body = [self.body.clone()];
        let (bound, once, double, second) = if self.of_points {
            ("::kern_core::Points", "::kern_core::OnceOfPoints", "::kern_core::Samples<f64>", OTHER)
        } else {
            ("::kern_core::Scalar", "::kern_core::Once", "f64", SINGLE)
        };
        let call_of = |instance: &str| self.call(instance, &names);
        let (of_function, within, beside) = if self.owner.is_empty() {
            (", PARAMETER: BOUND", WRITTEN, "")
        } else {
            ("", "", WRITTEN)
        };
        let outlives = if self.of_points { format!("{bound} + OWN") } else { bound.to_string() };
        let text = SHELL.replace("OF_FUNCTION", of_function);
        let text = text.replace("WITHIN", within).replace("BESIDE", beside);
        let text = text.replace("SECOND", second).replace("INNER", &self.inner_name());
        let text = text.replace("TRAIT", bound).replace("BOUND", &outlives).replace("ONCE", once);
        let text = text.replace("LIFETIMES", "OWN, INSIDE: OWN");
        let text = text.replace("OWN", &own).replace("INSIDE", &inside);
        filled(
            &text,
            &[
                ("ATTRIBUTES", &self.outer),
                ("VISIBILITY", &self.visibility),
                ("NAME", &name),
                ("PARAMETER", &parameter),
                ("LIST", &list),
                ("OUTPUT", &output),
                ("TUPLE", &tuple),
                ("NAMES", &names),
                ("GIVEN", &given),
                ("DOUBLE", &filled(double, &[])),
                ("IN_DOUBLE", &call_of(double)),
                ("IN_SINGLE", &call_of("f32")),
                ("IN_OTHER", &call_of(&self.parameter.to_string())),
                ("LINTS", &self.inner),
                ("GENERICS", &self.generics),
                ("ARGUMENTS", &arguments),
                ("AS_GIVEN", &self.output),
                ("BODY", &body),
            ],
        )
        .into_iter()
        .collect()
    }

    fn inner_name(&self) -> String {
        format!("compiled_{}", self.name)
    }

    /// The call of the original function with this type as its type parameter.
    fn call(&self, instance: &str, names: &[TokenTree]) -> Vec<TokenTree> {
        let inner_name = self.inner_name();
        if self.owner.is_empty() {
            return filled(&format!("{inner_name}::<{instance}>(NAMES)"), &[("NAMES", names)]);
        }
        let owner = replaced(&self.owner, &self.parameter, &filled(instance, &[]));
        let words: [(&str, &[TokenTree]); 2] = [("OWNER", &owner), ("NAMES", names)];
        filled(&format!("<OWNER>::{inner_name}(NAMES)"), &words)
    }

    /// The lifetime of arguments and of what they refer to, and that of the contents of a mutable
    /// reference.
    fn both_lifetimes(&self) -> [String; 2] {
        let given =
            |i: usize, name: &str| self.lifetimes.get(i).cloned().unwrap_or(name.to_string());
        [given(0, "'own"), given(1, "'inside")]
    }
}

/// Tokenizes text and substitutes some words. Names are resolved at the attribute.
fn filled(text: &str, words: &[(&str, &[TokenTree])]) -> Vec<TokenTree> {
    fn fill(stream: TokenStream, words: &[(&str, &[TokenTree])]) -> Vec<TokenTree> {
        let mut all = Vec::new();
        for mut token in stream {
            if let TokenTree::Ident(word) = &token {
                let name = word.to_string();
                if let Some((_, tokens)) = words.iter().find(|(word, _)| *word == name) {
                    all.extend_from_slice(tokens);
                    continue;
                }
            }
            if let TokenTree::Group(group) = &token {
                let content = fill(group.stream(), words).into_iter().collect();
                token = TokenTree::Group(Group::new(group.delimiter(), content));
            }
            token.set_span(Span::call_site());
            all.push(token);
        }
        all
    }
    let stream = text.parse();
    let stream =
        stream.unwrap_or_else(|_| error("compiled_once: this signature is not understood"));
    fill(stream, words)
}

/// A type with another type substituted for its parameter.
fn replaced(of: &[TokenTree], parameter: &Ident, instance: &[TokenTree]) -> Vec<TokenTree> {
    let name = parameter.to_string();
    let mut all = Vec::new();
    for token in of {
        match token {
            TokenTree::Ident(word) if word.to_string() == name => all.extend_from_slice(instance),
            TokenTree::Group(group) => {
                let content: Vec<_> = group.stream().into_iter().collect();
                let content = replaced(&content, parameter, instance).into_iter().collect();
                all.push(TokenTree::Group(Group::new(group.delimiter(), content)));
            }
            other => all.push(other.clone()),
        }
    }
    all
}

fn error(reason: &str) -> TokenStream {
    let text = TokenTree::Literal(Literal::string(reason));
    [
        TokenTree::Ident(Ident::new("compile_error", Span::call_site())),
        TokenTree::Punct(Punct::new('!', Spacing::Alone)),
        TokenTree::Group(Group::new(Delimiter::Brace, text.into())),
    ]
    .into_iter()
    .collect()
}

fn is(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

fn is_visibility(token: &TokenTree) -> bool {
    match token {
        TokenTree::Ident(word) => word.to_string() == "pub",
        TokenTree::Group(group) => group.delimiter() == Delimiter::Parenthesis,
        _ => false,
    }
}

/// The attributes of the wrapper, and those of the body.
fn attributes(tokens: &mut Tokens) -> (Vec<TokenTree>, Vec<TokenTree>) {
    let (mut outer, mut inner) = (Vec::new(), Vec::new());
    while let Some(hash) = tokens.next_if(|token| is(token, '#')) {
        let content = tokens.next();
        let is_lint = content.as_ref().is_some_and(|content| {
            let text = content.to_string();
            text.starts_with("[allow") || text.starts_with("[expect")
        });
        let list = if is_lint { &mut inner } else { &mut outer };
        list.push(hash);
        list.extend(content);
    }
    (outer, inner)
}

/// The tokens from `<` to the matching `>`.
fn generics(tokens: &mut Tokens) -> Vec<TokenTree> {
    let mut all = Vec::new();
    let mut depth = 0;
    while let Some(token) = tokens.next_if(|token| !matches!(token, TokenTree::Group(_))) {
        depth += i32::from(is(&token, '<')) - i32::from(is(&token, '>'));
        all.push(token);
        if depth == 0 {
            break;
        }
    }
    all
}

/// The lifetimes of generics, the name of the type parameter, and whether it is one of points.
fn parameters(generics: &[TokenTree]) -> Result<(Vec<String>, Ident, bool), &'static str> {
    let reason = "compiled_once: a type parameter `T: Scalar` or `P: Points` is needed, and at most two lifetimes";
    let [_, content @ .., _] = generics else { return Err(reason) };
    let (mut lifetimes, mut found) = (Vec::new(), None);
    for parameter in split(content.iter().cloned().collect()) {
        match parameter.as_slice() {
            [quote, TokenTree::Ident(name), ..] if is(quote, '\'') => {
                lifetimes.push(format!("'{name}"));
            }
            [TokenTree::Ident(name), _, .., TokenTree::Ident(bound)] if found.is_none() => {
                match &*bound.to_string() {
                    "Scalar" => found = Some((name.clone(), false)),
                    "Points" => found = Some((name.clone(), true)),
                    _ => return Err(reason),
                }
            }
            _ => return Err(reason),
        }
    }
    match found {
        Some((name, of_points)) if lifetimes.len() <= 2 => Ok((lifetimes, name, of_points)),
        _ => Err(reason),
    }
}

/// The pieces between commas outside of brackets.
fn split(stream: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut pieces = vec![Vec::new()];
    let mut depth = 0;
    let mut arrow = false;
    for token in stream {
        if is(&token, ',') && depth == 0 {
            pieces.push(Vec::new());
            continue;
        }
        depth += i32::from(is(&token, '<')) - i32::from(is(&token, '>') && !arrow);
        arrow = is(&token, '-');
        if let Some(piece) = pieces.last_mut() {
            piece.push(token);
        }
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// The name of an argument in the wrapper: its own, or all names of its pattern joined.
fn name_of(pattern: &[TokenTree], i: usize) -> String {
    fn words(stream: TokenStream, names: &mut Vec<String>) {
        for token in stream {
            match token {
                TokenTree::Ident(word) if word.to_string() != "mut" => names.push(word.to_string()),
                TokenTree::Group(group) => words(group.stream(), names),
                _ => {}
            }
        }
    }
    let mut names = Vec::new();
    words(pattern.iter().cloned().collect(), &mut names);
    names.retain(|name| name != "_" && name.starts_with(|c: char| c.is_ascii_lowercase()));
    if names.is_empty() { format!("argument_{i}") } else { names.join("_and_") }
}

/// A type with names for its elided lifetimes: `own`, or `inside` for the contents of a mutable
/// reference, which are invariant. The lifetimes of closure arguments are left as they are.
fn with_lifetimes(tokens: &[TokenTree], names: [&str; 2], mutable: bool) -> Vec<TokenTree> {
    let mut all = Vec::new();
    // The depth in angle brackets, and the depth at which a mutable reference began.
    let (mut depth, mut since) = (0, mutable.then_some(i32::MIN));
    let mut closure = false;
    let mut rest = tokens.iter().peekable();
    while let Some(token) = rest.next() {
        let name = names[usize::from(since.is_some())];
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '&' => {
                all.push(token.clone());
                if !rest.peek().is_some_and(|next| is(next, '\'')) {
                    all.extend(filled(name, &[]));
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '\'' => match rest.next() {
                Some(TokenTree::Ident(word)) if word.to_string() == "_" => {
                    all.extend(filled(name, &[]));
                }
                word => {
                    all.push(token.clone());
                    all.extend(word.cloned());
                }
            },
            TokenTree::Punct(punct) => {
                depth += i32::from(punct.as_char() == '<') - i32::from(punct.as_char() == '>');
                let ends =
                    |&since: &i32| depth < since || (punct.as_char() == ',' && depth <= since);
                if since.as_ref().is_some_and(ends) {
                    since = None;
                }
                all.push(token.clone());
            }
            TokenTree::Group(group) if !closure => {
                let content: Vec<_> = group.stream().into_iter().collect();
                let content = with_lifetimes(&content, names, since.is_some());
                let content = content.into_iter().collect();
                all.push(TokenTree::Group(Group::new(group.delimiter(), content)));
            }
            _ => all.push(token.clone()),
        }
        closure = false;
        if let TokenTree::Ident(word) = token {
            let word = word.to_string();
            closure = matches!(&*word, "Fn" | "FnMut" | "FnOnce");
            if word == "mut" && since.is_none() {
                since = Some(depth);
            }
        }
    }
    all
}
