//! Points that are no vectors: strings, texts, graphs and trees, each classified with a plain kernel
//! and with one that sees what matters.
#![expect(clippy::print_stdout, reason = "a program that prints a table")]

use anyhow::Result;
use clap::Parser;
use kern::Mercer;
use kern::closure::{Exp, Normalized};
use kern::kernels::{
    Graph, NormalizedBagOfWords, Spectrum, SubsetTree, Subtree, Tree, WeightedDegree,
    WeisfeilerLehman, WordCount,
};
use kern::solvers::validation::{Accuracy, Split, cross_validate};
use kern::solvers::{Data, Ridge};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Compares kernels on strings, texts, graphs and trees, on generated data.
#[derive(Parser)]
struct Arguments {
    /// Seed of the data.
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

/// Points of each class; half of all are learned from to classify the other half, and the other way round.
const POINTS: usize = 200;

fn main() -> Result<()> {
    let Arguments { seed } = Arguments::parse();
    println!("{:<10} {:<44} {:>9}", "points", "kernel", "accuracy");

    let strings = sample(seed, genome)?;
    line("strings", &strings, Normalized::new(Spectrum::new(4)?))?;
    line("strings", &strings, Normalized::new(WeightedDegree::new(4)?))?;

    let texts = sample(seed, sentence)?;
    line("texts", &texts, Normalized::new(WordCount))?;
    line("texts", &texts, NormalizedBagOfWords)?;

    let graphs = sample(seed, molecule)?;
    line("graphs", &graphs, Normalized::new(WeisfeilerLehman::new(0)?))?;
    line("graphs", &graphs, Normalized::new(WeisfeilerLehman::new(3)?))?;

    let trees = sample(seed, expression)?;
    line("trees", &trees, Normalized::new(Subtree::new(1.0)?))?;
    line("trees", &trees, Exp::new(Normalized::new(SubsetTree::new(0.3)?)))?;
    Ok(())
}

/// Points and their classes.
fn sample<S>(
    seed: u64,
    draw: fn(&mut ChaCha8Rng, bool) -> Result<S>,
) -> Result<(Vec<S>, Vec<bool>)> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let classes: Vec<bool> = (0..2 * POINTS).map(|i| i % 2 == 0).collect();
    let points: Result<_> = classes.iter().map(|&class| draw(&mut rng, class)).collect();
    Ok((points?, classes))
}

fn line<S, K>(name: &str, (points, classes): &(Vec<S>, Vec<bool>), kernel: K) -> Result<()>
where
    S: Clone + Send + Sync,
    K: Mercer<Vec<S>> + Clone + std::fmt::Display,
{
    let (data, ridge) = (Data::new(points, classes)?, Ridge::on_kernel(&kernel).lambda(1e-3));
    let accuracy = cross_validate(&ridge, &data, &Split::k_fold(2), &Accuracy)?.mean();
    println!("{name:<10} {:<44} {accuracy:>9.3}", kernel.to_string());
    Ok(())
}

/// Random letters. All strings hold the signal GTAAG somewhere; in those of the class it stands in
/// the middle, with one letter possibly wrong.
fn genome(rng: &mut ChaCha8Rng, class: bool) -> Result<String> {
    let letter = |rng: &mut ChaCha8Rng| *b"ACGT".choose(rng).unwrap_or(&b'A');
    let mut string: Vec<u8> = (0..40).map(|_| letter(rng)).collect();
    let at = if class { 18 } else { rng.random_range(0..30) };
    string[at..at + 5].copy_from_slice(b"GTAAG");
    let wrong = at + rng.random_range(0..5);
    string[wrong] = letter(rng);
    Ok(String::from_utf8(string)?)
}

/// Filler words of every frequency, and a few words of the class's topic.
fn sentence(rng: &mut ChaCha8Rng, class: bool) -> Result<String> {
    let topic = if class { ["kernel", "margin", "dual"] } else { ["oven", "flour", "salt"] };
    let filler = ["the", "a", "of", "and", "with", "is", "to"];
    let mut words: Vec<&str> = (0..12).filter_map(|_| filler.choose(rng).copied()).collect();
    words.extend((0..2).filter_map(|_| topic.choose(rng).copied()));
    words.extend([*filler.choose(rng).unwrap_or(&"the")].repeat(rng.random_range(0..20)));
    Ok(words.join(" "))
}

/// A ring or a chain of the same number of nodes, with side chains and random labels.
fn molecule(rng: &mut ChaCha8Rng, class: bool) -> Result<Graph> {
    let n = rng.random_range(5..9_usize);
    let mut edges: Vec<(usize, usize)> = (1..n).map(|i| (i - 1, i)).collect();
    if class {
        edges.push((n - 1, 0));
    }
    for leaf in n..n + 3 {
        edges.push((rng.random_range(0..n), leaf));
    }
    let labels = (0..n + 3).map(|i| if i < n { 6 } else { rng.random_range(7..9) }).collect();
    Ok(Graph::new(labels, &edges)?)
}

/// A random arithmetic expression; in those of the class, every product has a constant on the left.
fn expression(rng: &mut ChaCha8Rng, class: bool) -> Result<Tree> {
    fn grow(rng: &mut ChaCha8Rng, class: bool, depth: usize) -> Tree {
        if depth == 0 {
            let name = ["x", "y", "1", "2"].choose(rng).copied().unwrap_or("x");
            return Tree::new("value", [Tree::new(name, [])]);
        }
        let left = grow(rng, class, depth - 1);
        if rng.random_bool(0.5) {
            return Tree::new("sum", [left, grow(rng, class, depth - 1)]);
        }
        let constant = Tree::new("constant", [Tree::new("7", [])]);
        Tree::new("product", if class { [constant, left] } else { [left, constant] })
    }
    Ok(grow(rng, class, 4))
}
