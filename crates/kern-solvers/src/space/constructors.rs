//! Macros for the parts of learners that depend on their space: constructors, and hyper-parameters
//! by name.

/// Implements named hyper-parameters of learners: those of their settings, and those of their
/// space.
macro_rules! named_learners {
    ($($learner:ident: $($settings:ident),+;)+) => {$(
        kern_core::named_parameters! {
            /// The learner's own hyper-parameters, and those of its space: `kernel.gamma`.
            [S: $crate::space::NamedSpace] $learner<S> {
                $($settings(stringify!($learner), S::NAME)),+
            }
            with space
        }
    )+};
}

/// Declares the documented constructors of a learner in its spaces; arguments besides the space are
/// given in parentheses: `KMeans(k: usize);`.
macro_rules! constructors {
    ($learner:ident; $($rest:tt)+) => {
        constructors! { $learner(); $($rest)+ }
    };
    ($learner:ident $more:tt; $($(#[$doc:meta])* $space:ident;)+) => {
        $(constructors! { @$space $learner $more [$(#[$doc])*] })+
    };
    (@on_kernel $($rest:tt)+) => {
        constructors! { @new [K] OnKernel on_kernel(kernel: K) $($rest)+ }
    };
    (@on_landmarks $($rest:tt)+) => {
        constructors! {
            @new [K] OnLandmarks on_landmarks(nystrom: kern_approx::Nystrom<K>) $($rest)+
        }
    };
    (@on_features $($rest:tt)+) => {
        constructors! { @new [M] OnFeatures on_features(map: M) $($rest)+ }
    };
    (@on_sparse $($rest:tt)+) => {
        constructors! { @new [M] OnSparse on_sparse(map: M) $($rest)+ }
    };
    (@auto $($rest:tt)+) => {
        constructors! { @new [K] Auto auto(kernel: K) $($rest)+ }
    };
    (
        @new [$parameter:ident] $space:ident $name:ident($part:ident: $type:ty)
        $learner:ident($($more:ident: $more_type:ty)?) [$(#[$doc:meta])*]
    ) => {
        impl<$parameter> $learner<$space<$parameter>> {
            $(#[$doc])*
            pub fn $name($part: $type $(, $more: $more_type)?) -> Self {
                Self::on($space::new($part) $(, $more)?)
            }
        }
    };
}

pub(crate) use {constructors, named_learners};
