"""Memory of constraint manifold refinement from step to step: contact impulses, work, who sleeps, and energy that grew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from signorini.collision.contact_set import ContactMemory
from signorini.errors import InputError
from signorini.methods.energy_account import EnergyAccount
from signorini.methods.sleep.rest import Rest
from signorini.methods.step_orders import LONGEST_WATCH, StepOrders

RECENT_STEPS = 50
"""Steps over which the median of the work is taken for the budget of the next one."""

DEEPEST_PACE = 10
"""Halvings of dt of a sub-step, at most (`methods/pace`)."""


@dataclass(frozen=True, slots=True)
class StepMemory:
    """What one step leaves to the next."""

    contacts: ContactMemory | None
    """Impulses of the last sub-step; None after a fail-safe."""
    work: NDArray[np.float64]
    """Work of the last steps whose contact problems were solved [µs] (`WorkBudget.done`)."""
    rest: Rest | None = None
    """Who sleeps; None: nobody."""
    pace: NDArray[np.float64] | None = None
    """How an adaptive step goes on (`methods/pace`); None: it begins anew."""
    account: EnergyAccount | None = None
    """Energy from nothing so far; None: there is none."""
    orders: StepOrders | None = None
    """Which bodies step at first order since their energy grew; None: none does."""

    @property
    def typical_work(self) -> float:
        """The median of these steps; zero at the start."""
        return float(np.median(self.work)) if len(self.work) else 0.0

    def after(
        self,
        contacts: object,
        work: float,
        rest: Rest | None,
        pace: NDArray[np.float64] | None,
        account: EnergyAccount | None,
        *,
        solved: bool,
    ) -> StepMemory:
        """The memory after one more step.

        What a step did in vain does not count as work: it would raise the budget of the next. A step in which everything slept
        is no work either.
        """
        kept = contacts if isinstance(contacts, ContactMemory) else None
        counts = solved and work > 0.0
        recent = np.append(self.work, work)[-RECENT_STEPS:] if counts else self.work
        return StepMemory(kept, recent, rest, pace, account, self.orders)

    def woken(self) -> StepMemory:
        """The memory with all bodies awake."""
        if self.rest is None:
            return self
        rest, contacts = self.rest.woken(self.contacts, self.rest.asleep)
        return replace(self, contacts=contacts, rest=rest)

    def arrays(self) -> dict[str, NDArray]:
        """The memory as arrays of a checkpoint."""
        arrays = {"memory_work": self.work} | ({} if self.rest is None else self.rest.arrays())
        if self.pace is not None:
            arrays["memory_pace"] = self.pace
        if self.account is not None and self.account.grown.any():
            arrays["memory_grown"] = self.account.grown
        if self.orders is not None and not self.orders.plain:
            arrays["memory_orders"] = np.stack([self.orders.left, self.orders.watch])
        if self.contacts is not None:
            arrays |= {
                "memory_key": self.contacts.key,
                "memory_impulse": self.contacts.impulse,
                "memory_dv": self.contacts.dv,
                "memory_dt": np.array(self.contacts.dt),
                "memory_squeezed": np.array(self.contacts.squeezed),
                "memory_late": np.array(self.contacts.late),
            }
        return arrays

    @classmethod
    def recalled(cls, arrays: Mapping[str, NDArray]) -> StepMemory | None:
        """The memory in a checkpoint; None when its last step was by another method."""
        if "memory_work" not in arrays:
            return None
        work = np.asarray(arrays["memory_work"])
        if work.ndim != 1 or work.dtype.kind != "f" or not np.isfinite(work).all():
            raise InputError("'memory_work' of the checkpoint must be a list of finite numbers")
        rest, pace, account = Rest.recalled(arrays), _recalled_pace(arrays), _recalled_account(arrays)
        orders = _recalled_orders(arrays)
        if "memory_key" not in arrays:
            return cls(None, work, rest, pace, account, orders)
        key, nodes = arrays["memory_key"].astype(np.int64).ravel(), len(arrays["q"])
        for name, shape in (("memory_impulse", (len(key), 3)), ("memory_dv", (nodes, 3)), ("memory_dt", ())):
            if name not in arrays or arrays[name].shape != shape or not np.isfinite(arrays[name]).all():
                raise InputError(f"{name!r} of the checkpoint must be finite and have shape {shape}")
        if arrays["memory_dt"] <= 0.0 or (np.diff(key) <= 0).any():
            raise InputError("the checkpoint is damaged: 'memory_key' must increase, and 'memory_dt' be positive")
        contacts = ContactMemory(
            key,
            arrays["memory_impulse"],
            arrays["memory_dv"],
            float(arrays["memory_dt"]),
            bool(np.any(arrays.get("memory_squeezed", False))),
            bool(np.any(arrays.get("memory_late", False))),
        )
        return cls(contacts, work, rest, pace, account, orders)


def _recalled_account(arrays: Mapping[str, NDArray]) -> EnergyAccount | None:
    """The account of energy in a checkpoint; None: nothing has grown."""
    if "memory_grown" not in arrays:
        return None
    grown = np.asarray(arrays["memory_grown"])
    if grown.ndim != 1 or grown.dtype.kind != "f" or not ((grown >= 0.0) & np.isfinite(grown)).all():
        raise InputError("'memory_grown' of the checkpoint must be a list of finite numbers of at least 0")
    return EnergyAccount(grown)


def _recalled_orders(arrays: Mapping[str, NDArray]) -> StepOrders | None:
    """The orders of steps in a checkpoint; None: all bodies are at second order."""
    if "memory_orders" not in arrays:
        return None
    orders = np.asarray(arrays["memory_orders"])
    if (
        orders.ndim != 2
        or len(orders) != 2
        or orders.dtype.kind != "i"
        or (orders < 0).any()
        or orders.max() > LONGEST_WATCH
    ):
        raise InputError(
            f"'memory_orders' of the checkpoint must be two rows of whole numbers from 0 to {LONGEST_WATCH}"
        )
    return StepOrders(orders[0], orders[1])


def _recalled_pace(arrays: Mapping[str, NDArray]) -> NDArray[np.float64] | None:
    """The pace in a checkpoint; None: an adaptive step begins anew."""
    if "memory_pace" not in arrays:
        return None
    pace = np.asarray(arrays["memory_pace"])
    if pace.shape != (11,) or pace.dtype.kind != "f" or not (pace >= 0.0).all() or pace[:2].max() > DEEPEST_PACE:
        raise InputError(
            f"'memory_pace' of the checkpoint must be 11 numbers of at least 0, the first two at most {DEEPEST_PACE}"
        )
    return pace
