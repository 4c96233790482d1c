"""The command line `signorini`: each command is one file of this folder, and is registered here.

Commands import what they need when they are called, so that `signorini --help` does not wait for it.
"""

from __future__ import annotations

from typing import Annotated

import typer

from signorini.cli import (
    bench,
    check,
    compare,
    doctor,
    export,
    render,
    report,
    reproduce,
    resume,
    run,
    scenes,
    schema,
    sweep,
    validate,
    view,
    warmup,
)

app = typer.Typer(
    name="signorini",
    help="Simulate cloth, rods, soft solids, rigid bodies and characters in hard contact: nothing passes through anything.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command(epilog=scenes.EXAMPLE)(scenes.scenes)
app.command(epilog=run.EXAMPLE)(run.run)
app.command(epilog=resume.EXAMPLE)(resume.resume)
app.command(epilog=render.EXAMPLE)(render.render)
app.command(epilog=report.EXAMPLE)(report.report)
app.command(epilog=view.EXAMPLE)(view.view)
app.command(epilog=export.EXAMPLE)(export.export)
app.command(epilog=check.EXAMPLE)(check.check)
app.command(epilog=doctor.EXAMPLE)(doctor.doctor)
app.command(epilog=compare.EXAMPLE)(compare.compare)
app.command(epilog=sweep.EXAMPLE)(sweep.sweep)
app.command(epilog=reproduce.EXAMPLE)(reproduce.reproduce)
app.command(epilog=validate.EXAMPLE)(validate.validate)
app.command(epilog=schema.EXAMPLE)(schema.schema)
app.command(epilog=warmup.EXAMPLE)(warmup.warmup)
app.add_typer(bench.app)


def _version(value: bool) -> None:
    if value:
        import signorini

        typer.echo(f"signorini {signorini.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Common options."""


def main() -> None:
    """Entry point of the command `signorini`, also for `python -m signorini`."""
    app(prog_name="signorini")
