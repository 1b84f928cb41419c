"""The file that a command reads, and the options that say how."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from .options import Input


def reads_a_file(command: Callable[..., None]) -> Callable[..., None]:
    """Decorator: the command line has the attributes of `Input` in place of the command's parameter ``given``.

    That parameter is an `Input`, or None if it has a default and no file is named; or a list of them, for several
    files. Its annotation describes the argument FILE.
    """
    types = get_type_hints(command, include_extras=True)
    known = inspect.signature(command).parameters.values()
    parameters = [parameter.replace(annotation=types[parameter.name]) for parameter in known]
    (place,) = (index for index, parameter in enumerate(parameters) if parameter.name == "given")
    given = parameters[place]
    several = get_args(given.annotation)[0] == list[Input]
    file: Any = list[Path] if several else Path if given.default is inspect.Parameter.empty else Path | None
    parameters[place] = given.replace(name="file", annotation=Annotated[(file, *get_args(given.annotation)[1:])])
    kinds, (_, *options) = get_type_hints(Input, include_extras=True), fields(Input)
    parameters += [
        inspect.Parameter(
            option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=kinds[option.name]
        )
        for option in options
    ]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        chosen, said = values.pop("file"), {option.name: values.pop(option.name) for option in options}
        files = [Input(path, **said) for path in (chosen if several else [chosen]) if path is not None]
        command(given=files if several else files[0] if files else None, **values)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
