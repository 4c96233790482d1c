"""A tiny network learns the next frame of a falling cloth from a data set of a sweep: proof that the data are usable.

    signorini sweep drape --vary friction=0:1 --vary stiffness=0.3:3:log --latin 500 --set resolution=9 \\
        --seconds 0.6 --dt 0.008 --dataset --no-runs -o cloth-data
    python learn_cloth.py cloth-data/dataset.zarr
"""

import sys
import time

import numpy as np
import torch
import xarray
from torch.utils.data import DataLoader, Dataset


class NextFrame(Dataset):
    """Pairs of a body's state at one frame and its displacement until the next, read run by run from the data set."""

    def __init__(self, path, runs, body=0):
        data = xarray.open_zarr(path, chunks=None)
        self.data = data.isel(run=runs, vertex=np.flatnonzero(data.body.values == body))
        self.frames = self.data.sizes["frame"] - 1
        self.last = (-1, None)

    def __len__(self):
        return self.data.sizes["run"] * self.frames

    def __getitem__(self, index):
        run, frame = divmod(index, self.frames)
        if self.last[0] != run:  # one run is one chunk: it is read once for all of its frames
            one = self.data.isel(run=run)
            self.last = run, (one.positions.values, one.velocities.values, [float(one.friction), float(one.stiffness)])
        x, v, parameters = self.last[1]
        state = np.concatenate([x[frame].ravel(), v[frame].ravel(), parameters]).astype(np.float32)
        return state, (x[frame + 1] - x[frame]).ravel()


def tensors(dataset):
    """All pairs at once: the data set is small enough."""
    states, steps = next(iter(DataLoader(dataset, batch_size=len(dataset))))
    return states, steps


def main(path, epochs=60):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    runs = xarray.open_zarr(path, chunks=None).sizes["run"]
    order = np.random.default_rng(0).permutation(runs)
    cut = int(0.8 * runs)
    (x, y), (x_test, y_test) = (tensors(NextFrame(path, np.sort(part))) for part in (order[:cut], order[cut:]))
    mean, spread, scale = x.mean(0), x.std(0) + 1e-6, y.std()
    size = y.shape[1]
    net = torch.nn.Sequential(torch.nn.Linear(x.shape[1], 256), torch.nn.ReLU(), torch.nn.Linear(256, size))
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)

    def error(states, steps):
        return ((net((states - mean) / spread) * scale - steps) ** 2).mean().sqrt().item()

    start = time.perf_counter()
    for _ in range(epochs):
        for rows in torch.randperm(len(x)).split(256):
            loss = ((net((x[rows] - mean) / spread) - y[rows] / scale) ** 2).mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
    still = (y_test**2).mean().sqrt().item()
    velocities = x_test[:, size : 2 * size]
    straight = ((velocities * (velocities * y_test).sum() / (velocities**2).sum() - y_test) ** 2).mean().sqrt().item()
    with torch.no_grad():
        print(f"{len(x)} pairs, {time.perf_counter() - start:.0f} s of training")
        print(f"error of the next frame on runs never seen: {1e3 * error(x_test, y_test):.2f} mm (network), ", end="")
        print(f"{1e3 * straight:.2f} mm (velocities go on), {1e3 * still:.2f} mm (nothing moves)")


if __name__ == "__main__":
    main(sys.argv[1])
