//! The perceptron: an online classifier that is updated only on mistakes.
//!
//! # Definition
//! f = Σᵢ αᵢK(·, xᵢ), with α = 0 at the start. Points are visited one after the other, pass by
//! pass. With two classes yᵢ = ±1, a point with yᵢf(xᵢ) ≤ 0 is a mistake (so the first point always
//! is) and sets αᵢ ← αᵢ + yᵢ; other points do not change α. A pass without mistakes ends the fit.
//! With [`Perceptron::intercept`], K + 1 replaces K, and b = Σᵢ αᵢ; by default there is no
//! intercept. On features, f(x) = wᵀψ(x), and a mistake sets w ← w + yᵢψ(xᵢ).
//!
//! With more classes there is one function f_c per class, and all are trained together (Crammer &
//! Singer). A point of class y is a mistake if f_y(x) ≤ f_r(x) for the rival r, the class with the
//! largest f_c(x) among the others (the first of ties). Then α of y increases by 1, and α of r
//! decreases by 1. With two classes this would be twice the binary perceptron. It differs from
//! one-vs-rest, which is a binary fit per class.
//!
//! # Weights
//! A mistake at a point of weight βᵢ sets αᵢ ← αᵢ + βᵢyᵢ. So a weight multiplies the features of
//! its point: the model is that of an unweighted perceptron on βᵢψ(xᵢ), whose coefficients are α/β.
//! All statements about K on this page hold for βᵢβⱼK(xᵢ, xⱼ), also with [budgets](Budget). Without
//! a budget, equal weights of all points do not change the mistakes. An integer weight is not
//! equivalent to repeated points, since the second copy is classified after the first has changed
//! f. A point of weight zero is not visited: the model is the same as without it.
//!
//! # Bound
//! If some f* has yᵢf*(xᵢ) ≥ 1 for all i, no sequence of visits makes more than R²‖f*‖² mistakes,
//! where R² = max K(xᵢ, xᵢ) (Novikoff); with several classes R² is 2·max K(xᵢ, xᵢ). The smallest
//! ‖f*‖² is Σα of the [support vector machine](crate::svm::Svc) with C = ∞ and no intercept. Points
//! that no function of the kernel separates cause mistakes in every pass, so the number of passes
//! is limited. The report contains the status of the fit, and its
//! [details](crate::PerceptronDetails) the number of mistakes.
//!
//! # Method
//! Without a [budget](Budget) the values f(xᵢ) of all points are kept up to date: a mistake adds a
//! column of the kernel matrix to them, and a visit without a mistake only reads f(xᵢ). The matrix
//! is stored if it fits the memory of the run; else as many of its columns as fit. With a budget of
//! B support vectors, and [online](OnlinePerceptron), a visit takes B kernel values.
//!
//! # References
//! Rosenblatt (1958), *The Perceptron*; Novikoff (1962), *On Convergence Proofs for Perceptrons*;
//! Aizerman, Braverman & Rozonoer (1964), for kernels; Freund & Schapire (1999), *Large Margin
//! Classification Using the Perceptron Algorithm*, for the average; Crammer & Singer (2003),
//! *Ultraconservative Online Algorithms for Multiclass Problems*; budgets: see [`Budget`].

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
