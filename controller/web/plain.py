"""Errors in plain words: one sentence, and one beside each field that was wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException

from controller.mailbox import MovedOn, NotNow
from controller.web.secrets_kept import TooOften


class Problem(BaseModel):
    """Why something was not done."""

    error: str
    """One sentence for people."""
    fields: dict[str, str] = {}
    """A sentence for each field that was wrong, by its name."""


class Refused(Exception):
    """A wrong value, or something that cannot be done; one sentence, and which field it belongs to."""

    def __init__(self, sentence: str, field: str = "", status: int = 422) -> None:
        super().__init__(sentence)
        self.sentence, self.field, self.status = sentence, field, status


PROBLEMS: dict[int | str, dict[str, Any]] = {
    422: {"model": Problem, "description": "A value was wrong; a sentence for each field."},
    401: {"model": Problem, "description": "Only the director may do that."},
    403: {"model": Problem, "description": "The request came from another page, or from one out of date."},
    409: {"model": Problem, "description": "The game has moved on, or this cannot be done now."},
    413: {"model": Problem, "description": "The request is too long."},
    429: {"model": Problem, "description": "Too much at once."},
    503: {"model": Problem, "description": "The table does not answer."},
}
"""What a state-changing route may answer besides its result."""

_WORDS = {
    "missing": "This is needed.",
    "extra_forbidden": "There is no such field.",
    "json_invalid": "The request is not JSON.",
    "string_type": "This should be text.",
    "int_type": "This should be a whole number.",
    "int_parsing": "This should be a whole number.",
    "int_from_float": "This should be a whole number.",
    "int_parsing_size": "That number is too large.",
    "float_type": "This should be a number.",
    "float_parsing": "This should be a number.",
    "finite_number": "This should be a number.",
    "bool_type": "This should be yes or no.",
    "bool_parsing": "This should be yes or no.",
    "list_type": "This should be a list.",
    "tuple_type": "This should be a list.",
    "dict_type": "This should be an object with named fields.",
    "model_attributes_type": "This should be an object with named fields.",
}


def sentence_of(error: dict[str, Any]) -> str:
    """One of pydantic's errors in plain words."""
    kind, context = str(error["type"]), error.get("ctx", {})
    if kind in _WORDS:
        return _WORDS[kind]
    match kind:
        case "value_error" | "assertion_error":
            return _sentence(str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, "))
        case "greater_than_equal":
            return f"This should be {context['ge']} or more."
        case "less_than_equal":
            return f"This should be {context['le']} or less."
        case "string_too_short":
            return f"This should have {context['min_length']} letters or more."
        case "string_too_long":
            return f"This should have {context['max_length']} letters or fewer."
        case "string_pattern_mismatch":
            return "This does not look right."
        case "literal_error" | "enum":
            return f"This should be one of {context['expected']}."
        case "too_short" | "too_long":
            want = context.get("min_length") if kind == "too_short" else context.get("max_length")
            return f"This should have {want} entries{' or more' if kind == 'too_short' else ' at most'}."
    return _sentence(str(error["msg"]))


def _sentence(text: str) -> str:
    text = text.rstrip(".")
    return text[:1].upper() + text[1:] + "."


def fields_of(errors: list[dict[str, Any]]) -> dict[str, str]:
    """By field name ("names.0"); the first thing wrong with each."""
    found: dict[str, str] = {}
    for error in errors:
        where = ".".join(str(part) for part in error["loc"] if part not in ("body", "query", "path") and not str(part).startswith("function-"))
        found.setdefault(where, sentence_of(error))
    return found


def from_errors(errors: list[dict[str, Any]]) -> Problem:
    fields = fields_of(errors)
    whole = fields.pop("", "")
    first = whole or next((sentence if len(fields) == 1 else "Some values are wrong." for sentence in fields.values()), "That cannot be used.")
    return Problem(error=first, fields=fields)


def told(request: Request, problem: Problem, status: int, headers: Mapping[str, str] | None = None) -> Response:
    """The problem for whoever asked: a page for a browser that wanted one, JSON for the page's script and for programs."""
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return JSONResponse(problem.model_dump(), status, headers)
    sentence = next(iter(problem.fields.values()), problem.error) if len(problem.fields) == 1 else problem.error
    page: str = request.app.state.templates.get_template("problem.html").render(request=request, sentence=sentence, page="problem")
    return HTMLResponse(page, status, headers)


def add_to(app: FastAPI) -> None:
    """Every error of the application becomes a `Problem`; of a page, a page."""

    @app.exception_handler(RequestValidationError)
    async def wrong(request: Request, error: RequestValidationError) -> Response:
        return told(request, from_errors(list(error.errors())), 422)

    @app.exception_handler(ValidationError)
    async def wrong_inside(request: Request, error: ValidationError) -> Response:
        return told(request, from_errors([dict(e) for e in error.errors()]), 422)

    @app.exception_handler(Refused)
    async def refused(request: Request, error: Refused) -> Response:
        fields = {error.field: error.sentence} if error.field else {}
        return told(request, Problem(error=error.sentence, fields=fields), error.status)

    @app.exception_handler(MovedOn)
    @app.exception_handler(NotNow)
    async def not_now(request: Request, error: Exception) -> Response:
        return told(request, Problem(error=str(error)), 409)

    @app.exception_handler(TooOften)
    async def too_often(request: Request, error: TooOften) -> Response:
        return told(request, Problem(error=str(error)), 429, {"retry-after": str(error.seconds)})

    @app.exception_handler(HTTPException)
    async def no_page(request: Request, error: HTTPException) -> Response:
        words = {404: "There is no such page.", 405: "That cannot be done with this address.", 400: "The request cannot be read."}
        sentence = words.get(error.status_code, str(error.detail))
        return told(request, Problem(error=sentence), error.status_code, error.headers)
