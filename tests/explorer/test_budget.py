"""What a request may ask for: a turn, some time, and only while someone waits."""

import asyncio
import threading

import httpx
import pytest

fastapi = pytest.importorskip("fastapi")

from hott.explorer import budget, create_app  # noqa: E402
from hott.explorer.budget import Budget, Patience, Stopped  # noqa: E402
from hott.utils.run import Run  # noqa: E402


def work_until_stopped(steps, at_most=10**6):
    """As all that computes: it reports how far it is, and whoever listens may stop it."""
    with Run.of({}).reporting("work") as report:
        for step in range(at_most):
            steps.append(step)
            report(step, at_most)


def made(**routes):
    """An application with a slow and a quick path."""
    app = fastapi.FastAPI()
    for name, answer in routes.items():
        app.get(f"/{name}")(answer)

    @app.exception_handler(Stopped)
    def stopped(request, error):
        return fastapi.responses.JSONResponse({"message": str(error)}, 503)

    return app


def test_work_stops_when_the_client_has_gone():
    steps, begun = [], threading.Event()

    def slow():
        begun.set()
        work_until_stopped(steps, 10**12)

    app = Budget(made(slow=slow), {"/slow": 600.0})
    messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive():
        for message in messages:
            return message
        await asyncio.to_thread(begun.wait)  # it goes while the work is being done
        return {"type": "http.disconnect"}

    async def send(message):
        pass

    scope = {
        "type": "http", "method": "GET", "path": "/slow", "raw_path": b"/slow", "query_string": b"",
        "headers": [], "http_version": "1.1", "scheme": "http", "server": ("a", 80), "client": ("b", 1),
        "root_path": "",
    }  # fmt: skip
    asyncio.run(asyncio.wait_for(app(scope, receive, send), 60))  # does not come back otherwise
    assert steps


def test_work_stops_when_its_time_is_over():
    steps = []
    app = Budget(made(slow=lambda: work_until_stopped(steps, 10**12)), {"/slow": 0.05})

    async def ask():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://a") as client:
            return await client.get("/slow", timeout=60)

    answer = asyncio.run(ask())
    assert answer.status_code == 503
    assert answer.json()["message"].startswith("This would take longer than")


def test_slow_requests_keep_no_other_waiting():
    """As many slow ones as one likes: the page is answered meanwhile, and too many are refused."""
    release, begun, count = threading.Event(), threading.Semaphore(0), threading.Lock()
    at_once = []

    def slow():
        with count:
            at_once.append(1)
        begun.release()
        release.wait()
        return "done"

    app = Budget(made(slow=slow, quick=lambda: "quick"), {"/slow": 600.0})

    async def ask():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://a") as client:
            flood = [asyncio.create_task(client.get("/slow", timeout=60)) for _ in range(200)]
            await asyncio.to_thread(begun.acquire)
            quick = await client.get("/quick", timeout=60)
            running = len(at_once)
            release.set()
            return quick, running, [answer.status_code for answer in await asyncio.gather(*flood)]

    quick, running, codes = asyncio.run(ask())
    assert quick.json() == "quick"
    assert running <= max(2, budget.os.cpu_count())
    assert set(codes) == {200, 503}
    assert codes.count(200) <= budget.MAX_WAITING + max(2, budget.os.cpu_count())


@pytest.mark.parametrize(("seconds", "times"), [(60.0, 1), (0.0, 3)])
def test_freed_memory_is_given_back_now_and_then(monkeypatch, seconds, times):
    given = []
    monkeypatch.setattr(budget, "give_back_memory", lambda: given.append(1))
    monkeypatch.setattr(budget, "GIVING_BACK", seconds)
    app = Budget(made(slow=lambda: 1), {"/slow": 600.0})

    async def ask():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://a") as client:
            return [(await client.get("/slow")).status_code for _ in range(3)]

    assert asyncio.run(ask()) == [200] * 3
    assert len(given) == times


def test_giving_back_memory_is_no_error_anywhere():
    budget.give_back_memory()


def test_who_goes_while_waiting_leaves_the_place_to_others():
    release, begun, turns = threading.Event(), threading.Semaphore(0), max(2, budget.os.cpu_count())

    def slow():
        begun.release()
        release.wait()
        return "done"

    app = Budget(made(slow=slow), {"/slow": 600.0})

    async def go_at_once():
        messages = iter([{"type": "http.request", "body": b"", "more_body": False}])

        async def receive():
            return next(messages, {"type": "http.disconnect"})

        async def send(message):
            raise AssertionError("nobody is there")

        await app({"type": "http", "method": "GET", "path": "/slow"}, receive, send)

    async def ask():
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://a") as client:
            held = [asyncio.create_task(client.get("/slow", timeout=60)) for _ in range(turns)]
            for _ in held:
                await asyncio.to_thread(begun.acquire)
            await asyncio.wait_for(asyncio.gather(*(go_at_once() for _ in range(budget.MAX_WAITING))), 60)
            assert app._waiting == 0
            last = asyncio.create_task(client.get("/slow", timeout=60))
            while not app._waiting:
                await asyncio.sleep(0.001)
            release.set()
            return [answer.status_code for answer in await asyncio.gather(*held, last)]

    assert set(asyncio.run(ask())) == {200}


def test_what_the_page_computes_listens_to_its_budget(index, cache, monkeypatch):
    """A search in the texts of all documents ends at the first report after its time."""
    monkeypatch.setitem(budget.SLOW, "/api/documents", 0.0)
    app = create_app(index, cache=cache)

    async def ask(path):
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get(path)

    assert asyncio.run(ask("/api/documents?words=stars")).status_code == 503
    monkeypatch.setitem(budget.SLOW, "/api/documents", 60.0)
    assert asyncio.run(ask("/api/documents?words=stars")).json()["total"] > 0


def test_patience():
    patience = Patience(60.0)
    patience(1, 2)
    patience.is_alone = True
    with pytest.raises(Stopped, match="gone"):
        patience(1, 2)


def test_saying_why_listens_to_the_budget_too(index):
    """Each hit is explained in turn, and whoever listens may stop it between two."""
    for hits in (index.search(text="stars and planets", k=9), index.search(id=index.documents.ids[0], k=9)):
        for explain in (index.reasons, index.meetings):
            told = []
            explain(hits, progress=lambda done, total, told=told: told.append((done, total)))
            assert told[-9:] == [(done, 9) for done in range(1, 10)]
            with pytest.raises(Stopped, match="longer than"):
                explain(hits, progress=Patience(0.0))
