//! The settings that all learners of neighbours share.

/// The settings that learners of neighbours have beside how far these are: the field that is named, whose
/// hyper-parameter goes by this name and has this domain.
macro_rules! neighbor_settings {
    ($learner:ident, $extent:ident: $type:ty, $name:expr, $domain:expr) => {
        impl<K, R> $learner<K, R> {
            fn new(kernel: K, $extent: $type, ranking: R) -> Self {
                let (weighting, by) = (Weighting::Uniform, SearchBy::Brute);
                $learner {
                    kernel,
                    $extent,
                    weighting,
                    by,
                    class_weights: ClassWeights::Equal,
                    ranking,
                }
            }
        }

        impl<K, W> $learner<K, Distance, W> {
            /// The search for neighbours: a [`SearchBy`], or the parameters of an index, such as
            /// [`VantageTree`](super::VantageTree). Default: [`SearchBy::Brute`].
            #[must_use]
            pub fn search(mut self, by: impl Into<SearchBy>) -> Self {
                self.by = by.into();
                self
            }
        }

        impl<K, R, W> $learner<K, R, W> {
            /// The weight of each neighbour: a [`Weighting`], or a [`WeightFunction`] of the user's. Default:
            /// [`Weighting::Uniform`].
            #[must_use]
            pub fn weighting<F: WeightFunction>(self, weighting: F) -> $learner<K, R, F> {
                let Self { kernel, $extent, by, class_weights, ranking, .. } = self;
                $learner { kernel, $extent, weighting, by, class_weights, ranking }
            }

            /// The weights of classes, times those of the points. Default: [`ClassWeights::Equal`].
            #[must_use]
            pub fn class_weights(mut self, weights: ClassWeights) -> Self {
                self.class_weights = weights;
                self
            }
        }

        kern_core::named_parameters! {
            /// Its own, those of the index (`search.leaf`) and those of the kernel (`kernel.gamma`).
            [K: Parameters, R: Rule, W: WeightFunction + Clone] $learner<K, R, W> {
                $extent($name, Some($domain)),
                weighting("weighting", None),
                class_weights("class_weights", None),
                by("search", None),
            }
            with kernel under "kernel"
        }
    };
}
pub(super) use neighbor_settings;
