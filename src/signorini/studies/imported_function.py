"""Functions of a user's own modules, named `module:function` on the command line."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from signorini.errors import InputError


def import_function(name: str, *, what: str, folder: Path | None = None) -> Any:
    """Function that `module:function` names; the module may lie in `folder`, by default the current directory.

    `what` is the word for it in errors, such as solver or metric.
    """
    module_name, _, attribute = name.partition(":")
    here = str(folder or Path.cwd())
    sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise InputError(f"{what} {name!r}: module {module_name!r} cannot be imported: {error}") from error
        raise InputError(f"{what} {name!r}: there is no module {module_name!r} in {here} or installed") from None
    except (ImportError, ValueError, SyntaxError) as error:
        raise InputError(f"{what} {name!r}: module {module_name!r} cannot be imported: {error}") from error
    finally:
        sys.path.remove(here)
    found = getattr(module, attribute, None) if attribute else None
    if found is None:
        public = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        raise InputError(
            f"{what} {name!r}: module {module_name!r} has no {attribute!r}; it has {', '.join(public) or 'no functions'}"
        )
    return found
