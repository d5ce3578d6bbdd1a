"""What the tasks on support vector machines share: dual objectives, from the models alone.

The dual of one problem is to maximise Σ p_i β_i − ε‖β‖₁ − ½ β'Kβ over signed coefficients β; of a
classifier p = ±1 and ε = 0, so the first sum is ‖β‖₁. Greater is better.
"""

import gram
import numpy as np


def quadratic(x, beta, gamma):
    """β'Kβ, with kernel values computed in blocks of rows from differences of products."""
    rows = 2000
    parts = [slice(i, i + rows) for i in range(0, len(x), rows)]
    return float(sum(beta[part] @ (gram.rbf(x[part], x, gamma) @ beta) for part in parts))


def pairs(x, classes, coefficients, gamma):
    """The sum over all pairs of classes, from LIBSVM's layout: a support vector of class i has the
    coefficients of its pairs with j > i in row j − 1, and with j < i in row j."""
    x, coefficients = np.asarray(x, dtype=np.float64), np.asarray(coefficients, dtype=np.float64)
    count, total = classes.max() + 1, 0.0
    for i in range(count):
        for j in range(i + 1, count):
            first, second = classes == i, classes == j
            beta = np.r_[coefficients[j - 1, first], coefficients[i, second]]
            points = np.r_[x[first], x[second]]
            kept = beta != 0
            norm = np.abs(beta[kept]).sum()
            total += norm - 0.5 * quadratic(points[kept], beta[kept], gamma)
    return float(total)
