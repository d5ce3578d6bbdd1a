//! The perceptron: learning from mistakes alone.
//!
//! # Definition
//! f = Σᵢ αᵢK(·, xᵢ), α = 0 at the start. Points are visited one after the other, pass by pass. With two classes
//! yᵢ = ±1 a point with yᵢf(xᵢ) ≤ 0 is a mistake (so the very first point is one) and makes αᵢ ← αᵢ + yᵢ; nothing else
//! changes α. A pass without mistakes ends the fit. There is no intercept, unless one is asked for: then K + 1 takes
//! the place of K, and b = Σᵢ αᵢ. On features this is f(x) = wᵀψ(x), and a mistake makes w ← w + yᵢψ(xᵢ).
//!
//! With more classes there is one function f_c per class, and all are learned together (Crammer & Singer). A point of
//! class y is a mistake if f_y(x) ≤ f_r(x) for the rival r, the class of the greatest f_c(x) among the others (of equals
//! the first); then α of y rises by 1, and that of r falls by 1. With two classes that is twice the binary perceptron. One
//! class against the rest is something else, a binary fit per class.
//!
//! # Weights
//! A mistake at a point of weight βᵢ makes αᵢ ← αᵢ + βᵢyᵢ. So a weight multiplies the features of its point: what is
//! learned is what the perceptron learns from βᵢψ(xᵢ), whose α is α/β. All that is said of K here holds for
//! βᵢβⱼK(xᵢ, xⱼ), in [budgets](Budget), too; without one, the same weight for all points changes no mistake. An integer weight
//! is not a repeated point, which would be judged again after its first copy has moved f. A point of weight zero is not
//! visited: what is learned is what is learned without it.
//!
//! # Bound
//! If some f* has yᵢf*(xᵢ) ≥ 1 for all i, no sequence of visits makes more than R²‖f*‖² mistakes, R² = max K(xᵢ, xᵢ)
//! (Novikoff); the least ‖f*‖² is Σα of the [support vector machine](crate::svm::Svc) with C = ∞ and no intercept. Points
//! that no function of the kernel separates make mistakes for ever, and passes are bounded: the report says how a fit
//! ended, and its [details](crate::PerceptronDetails) after how many mistakes. With several classes R² is 2·max K(xᵢ, xᵢ).
//!
//! # Method
//! Without a [budget](Budget) the values f(xᵢ) of all points are kept up to date: a mistake adds a column of the kernel
//! matrix to them, and a visit without a mistake is a look. The matrix is stored if the memory of the run holds it; else
//! its columns are, as many as fit. With a budget of B support vectors, and [online](OnlinePerceptron), a visit takes
//! B kernel values.
//!
//! # References
//! Rosenblatt (1958), *The Perceptron*; Novikoff (1962), *On Convergence Proofs for Perceptrons*; Aizerman, Braverman &
//! Rozonoer (1964), for kernels; Freund & Schapire (1999), *Large Margin Classification Using the Perceptron Algorithm*,
//! for the average; Crammer & Singer (2003), *Ultraconservative Online Algorithms for Multiclass Problems*; budgets: see
//! [`Budget`].

mod averaged_perceptron;
mod budget;
mod forgetron;
mod kernel_perceptron;
mod mistakes;
mod online_perceptron;
mod primal_perceptron;
mod projectron;
mod rosenblatt_perceptron;

pub use budget::Budget;
pub use online_perceptron::OnlinePerceptron;
pub use rosenblatt_perceptron::{Order, Perceptron, PerceptronSpace};
