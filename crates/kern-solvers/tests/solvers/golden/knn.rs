//! Golden values of neighbours within a radius, several outputs and several labels, from
//! scikit-learn 1.9.1 (numpy 2.4.6, f64):
//!
//! ```python
//! d = load_iris(); A, t = d.data[::5], d.target[::5]; Q = d.data[2::15][:, :3]; X = A[:, :3]
//! Y = np.stack([A[:, 3], A[:, 0]], 1); L = np.stack([t == 1, A[:, 3] > 1.3, A[:, 0] > 5.8], 1)
//! kw = dict(weights="distance")
//! r = RadiusNeighborsClassifier(radius=0.45, outlier_label=-1, **kw).fit(X, t)
//! f = RadiusNeighborsRegressor(radius=0.45, **kw).fit(X, Y[:, 0])
//! m = KNeighborsRegressor(7, **kw).fit(X, Y)
//! k = KNeighborsClassifier(7, **kw).fit(X, L.astype(int))
//! kw = dict(weights=lambda D: np.exp(-2 * D**2))  # row by row where rows differ in length
//! g = KNeighborsRegressor(7, **kw).fit(X, Y)
//! c = KNeighborsClassifier(7, **kw).fit(X, t)
//! h = RadiusNeighborsRegressor(0.45, **kw).fit(X, Y)
//! D = np.sqrt(((Q[:, None] - X[None]) ** 2).sum(-1))  # no distance within 0.002 of the radius
//! ```

/// X: sepal length and width, petal length.
pub(crate) const X: [[f64; 3]; 30] = [
    [5.1, 3.5, 1.4],
    [5.4, 3.9, 1.7],
    [5.4, 3.7, 1.5],
    [5.7, 4.4, 1.5],
    [5.4, 3.4, 1.7],
    [5.0, 3.0, 1.6],
    [4.8, 3.1, 1.6],
    [5.0, 3.2, 1.2],
    [5.0, 3.5, 1.3],
    [4.8, 3.0, 1.4],
    [7.0, 3.2, 4.7],
    [5.7, 2.8, 4.5],
    [5.0, 2.0, 3.5],
    [6.7, 3.1, 4.4],
    [5.9, 3.2, 4.8],
    [6.6, 3.0, 4.4],
    [5.5, 2.4, 3.8],
    [6.0, 3.4, 4.5],
    [5.5, 2.6, 4.4],
    [5.7, 3.0, 4.2],
    [6.3, 3.3, 6.0],
    [7.6, 3.0, 6.6],
    [6.5, 3.2, 5.1],
    [6.4, 3.2, 5.3],
    [6.9, 3.2, 5.7],
    [7.2, 3.2, 6.0],
    [7.4, 2.8, 6.1],
    [7.7, 3.0, 6.1],
    [6.7, 3.1, 5.6],
    [6.7, 3.0, 5.2],
];
/// Q.
pub(crate) const QUERIES: [[f64; 3]; 10] = [
    [4.7, 3.2, 1.3],
    [5.1, 3.5, 1.4],
    [5.2, 4.1, 1.5],
    [4.6, 3.2, 1.4],
    [6.0, 2.2, 4.0],
    [6.7, 3.0, 5.0],
    [5.8, 2.6, 4.0],
    [7.3, 2.9, 6.3],
    [7.7, 2.8, 6.7],
    [6.4, 3.1, 5.5],
];
/// t.
pub(crate) const SPECIES: [i32; 30] =
    [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2];
/// Y: petal width, sepal length.
pub(crate) const TARGETS: [[f64; 2]; 30] = [
    [0.2, 5.1],
    [0.4, 5.4],
    [0.2, 5.4],
    [0.4, 5.7],
    [0.2, 5.4],
    [0.2, 5.0],
    [0.2, 4.8],
    [0.2, 5.0],
    [0.3, 5.0],
    [0.3, 4.8],
    [1.4, 7.0],
    [1.3, 5.7],
    [1.0, 5.0],
    [1.4, 6.7],
    [1.8, 5.9],
    [1.4, 6.6],
    [1.1, 5.5],
    [1.6, 6.0],
    [1.2, 5.5],
    [1.2, 5.7],
    [2.5, 6.3],
    [2.1, 7.6],
    [2.0, 6.5],
    [2.3, 6.4],
    [2.3, 6.9],
    [1.8, 7.2],
    [1.9, 7.4],
    [2.3, 7.7],
    [2.4, 6.7],
    [2.3, 6.7],
];
/// L.
pub(crate) const LABELS: [[bool; 3]; 30] = [
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [true, true, true],
    [true, false, false],
    [true, false, false],
    [true, true, true],
    [true, true, true],
    [true, true, true],
    [true, false, false],
    [true, true, true],
    [true, false, false],
    [true, false, false],
    [false, true, true],
    [false, true, true],
    [false, true, true],
    [false, true, true],
    [false, true, true],
    [false, true, true],
    [false, true, true],
    [false, true, true],
    [false, true, true],
    [false, true, true],
];
/// `[len(v) for v in r.radius_neighbors(Q, return_distance=False)]`
pub(crate) const FOUND: [usize; 10] = [4, 5, 2, 3, 0, 2, 1, 3, 1, 4];
/// `r.predict(Q)`: −1 is an outlier.
pub(crate) const PREDICTED: [i32; 10] = [0, 0, 0, 0, -1, 2, 1, 2, 2, 2];
/// `f.predict(Q)`: NaN is an outlier.
pub(crate) const MEANS: [f64; 10] = [
    0.2510387435621281,
    0.2,
    0.3127016653792583,
    0.23883096169012155,
    f64::NAN,
    2.1799999999999997,
    1.1,
    1.9264584349593734,
    2.1,
    2.2681839535607433,
];
/// `m.predict(Q)`
pub(crate) const OUTPUTS: [[f64; 2]; 10] = [
    [0.23594692949848828, 4.958587535781198],
    [0.2, 5.1],
    [0.2869152861851227, 5.31984766388558],
    [0.23443628297138525, 4.953236696698259],
    [1.215002661294618, 5.75398468853726],
    [1.9740552332840247, 6.652589958826354],
    [1.3006422696021733, 5.7473259372840015],
    [2.09031330023393, 7.2785188065984885],
    [2.12858369468424, 7.358552736564591],
    [2.264715144364109, 6.518511910017834],
];
/// `k.predict(Q)`
pub(crate) const GIVEN: [[bool; 3]; 10] = [
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [false, false, false],
    [true, false, false],
    [false, true, true],
    [true, false, false],
    [false, true, true],
    [false, true, true],
    [false, true, true],
];
/// `np.stack([p[:, 1] for p in k.predict_proba(Q)], 1)`
pub(crate) const SHARES: [[f64; 3]; 10] = [
    [0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0],
    [1.0, 0.21850854878870432, 0.21850854878870432],
    [0.309195550700021, 1.0, 1.0],
    [1.0, 0.2657704808966954, 0.2657704808966954],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
    [0.0675588315632753, 1.0, 1.0],
];
/// `g.predict(Q)`
pub(crate) const GAUSSIAN_OUTPUTS: [[f64; 2]; 10] = [
    [0.2337436731688382, 4.962136912550611],
    [0.21824886072920444, 5.107100866562536],
    [0.2904427279996387, 5.335130628722183],
    [0.2337057822902193, 4.953153082471528],
    [1.192305614337886, 5.648876218256191],
    [1.9334568139416228, 6.6520377464727485],
    [1.2523429904539392, 5.680236843219743],
    [2.0685734886618374, 7.354060838184334],
    [2.0842304005545516, 7.529977078180875],
    [2.2708005687758948, 6.5420074176685],
];
/// `c.predict_proba(Q)`
pub(crate) const GAUSSIAN_SHARES: [[f64; 3]; 10] = [
    [1.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.3569306004945587, 0.6430693995054413],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.0, 0.0, 1.0],
    [0.0, 0.05041510429300375, 0.9495848957069962],
];
/// `h.predict(Q)`: `None` is an outlier.
pub(crate) const GAUSSIAN_WITHIN: [Option<[f64; 2]>; 10] = [
    Some([0.24942834458261198, 4.894602606033102]),
    Some([0.22311691452593452, 5.162613704670254]),
    Some([0.3079829769111131, 5.4]),
    Some([0.23614248987338496, 4.856861379005441]),
    None,
    Some([2.157493756243682, 6.604995837495788]),
    Some([1.1, 5.5]),
    Some([1.9303312467572316, 7.4]),
    Some([2.1, 7.6]),
    Some([2.258961199277947, 6.567641715608395]),
];
