"""The API does what its OpenAPI description says, whatever it is asked."""

import pytest
from hypothesis import HealthCheck, given, settings

schemathesis = pytest.importorskip("schemathesis")
pytest.importorskip("fastapi")

from schemathesis.checks import not_a_server_error  # noqa: E402
from schemathesis.generation import GenerationMode  # noqa: E402
from schemathesis.specs.openapi.checks import response_schema_conformance  # noqa: E402

from hott.explorer import create_app  # noqa: E402

OPERATIONS = {
    "GET /api/corpus",
    "GET /api/topics",
    "POST /api/topics",
    "GET /api/topics/over",
    "GET /api/document",
    "POST /api/select",
    "GET /api/column",
    "GET /api/distances",
    "GET /api/subjects",
    "GET /api/duplicates",
    "POST /api/compare",
    "GET /api/documents",
    "GET /api/documents/{id}",
    "GET /api/search",
    "POST /api/search",
    "POST /api/marks",
    "POST /api/rows",
    "POST /api/contrast",
    "GET /api/diagram",
    "GET /api/compare",
    "GET /api/map",
    "GET /api/names",
    "GET /api/progress",
    "POST /api/stop",
    "POST /api/table",
    "POST /api/without",
}


@pytest.fixture(scope="module")
def operations(index, cache):
    app = create_app(index, cache=cache, hosts={"localhost", "testserver"})
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app)
    return {operation.label: operation for operation in (found.ok() for found in schema.get_all_operations())}


def test_all_operations_are_described(operations):
    assert set(operations) == OPERATIONS


# Without parameters, or with any string as an id, there is no request that the description forbids.
CANNOT_BE_WRONG = {
    "GET /api/corpus",
    "GET /api/map",
    "GET /api/names",
    "GET /api/progress",
    "POST /api/stop",
    "GET /api/subjects",
    "GET /api/documents/{id}",
}
CASES = [(name, "POSITIVE") for name in sorted(OPERATIONS)]
CASES += [(name, "NEGATIVE") for name in sorted(OPERATIONS - CANNOT_BE_WRONG)]


@pytest.mark.parametrize(("name", "mode"), CASES)
def test_no_request_makes_it_fail(operations, name, mode):
    strategy = operations[name].as_strategy(generation_mode=GenerationMode[mode])

    @given(case=strategy)
    @settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def answers_as_described(case):
        # Some answers take seconds of a busy machine, which is not what is looked at here.
        case.call_and_validate(checks=[not_a_server_error, response_schema_conformance], timeout=300)

    answers_as_described()
