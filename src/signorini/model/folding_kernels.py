"""Products with the map T of attached nodes."""

from __future__ import annotations

import numpy as np

from signorini.compiled import kernel


@kernel
def cross_columns(block, arm, out):
    """out = block (−[arm]×): row r of it is arm × block[r]."""
    for r in range(3):
        x, y, z = block[r, 0], block[r, 1], block[r, 2]
        out[r, 0] = arm[1] * z - arm[2] * y
        out[r, 1] = arm[2] * x - arm[0] * z
        out[r, 2] = arm[0] * y - arm[1] * x


@kernel
def cross_rows(block, arm, out):
    """out = (−[arm]×)' block = [arm]× block: column c of it is arm × block[:, c]."""
    for c in range(3):
        x, y, z = block[0, c], block[1, c], block[2, c]
        out[0, c] = arm[1] * z - arm[2] * y
        out[1, c] = arm[2] * x - arm[0] * z
        out[2, c] = arm[0] * y - arm[1] * x


@kernel
def fold_matrix(entries, row_attachment, column_attachment, targets, arms, data):
    """Add T' block T of each entry to its targets and clear the entry."""
    block, right, both = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    for f in range(len(entries)):
        e, i, j = entries[f], row_attachment[f], column_attachment[f]
        for r in range(3):
            for c in range(3):
                block[r, c] = data[e, r, c]
                data[e, r, c] = 0.0
        for b in range(2):
            if b == 1 and j < 0:
                continue
            for r in range(3):
                for c in range(3):
                    right[r, c] = block[r, c]
            if b == 1:
                cross_columns(block, arms[j], right)
            for a in range(2):
                if a == 1 and i < 0:
                    continue
                for r in range(3):
                    for c in range(3):
                        both[r, c] = right[r, c]
                if a == 1:
                    cross_rows(right, arms[i], both)
                t = targets[f, a, b]
                for r in range(3):
                    for c in range(3):
                        data[t, r, c] += both[r, c]


@kernel
def fold_vector(nodes, linear, arms, b):
    """Move the rows of b of attached nodes to their bodies: force and moment."""
    for k in range(len(nodes)):
        i, j = nodes[k], linear[k]
        x, y, z = b[i, 0], b[i, 1], b[i, 2]
        b[j, 0] += x
        b[j, 1] += y
        b[j, 2] += z
        b[j + 1, 0] += arms[k, 1] * z - arms[k, 2] * y
        b[j + 1, 1] += arms[k, 2] * x - arms[k, 0] * z
        b[j + 1, 2] += arms[k, 0] * y - arms[k, 1] * x
        b[i, 0] = b[i, 1] = b[i, 2] = 0.0
