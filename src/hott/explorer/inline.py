"""The explorer in a notebook: a server in the background, and a frame that shows its page."""

import threading
from typing import TYPE_CHECKING

import uvicorn

from hott.explorer.launch import Connection, listen
from hott.explorer.server import create_app

if TYPE_CHECKING:
    from hott.index import Index


class InlineExplorer:
    """The explorer of an index, for as long as the process lives or until :meth:`close`."""

    def __init__(self, index: "Index", height: int) -> None:
        listener = listen("127.0.0.1", None)
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        self._height = int(height)
        config = uvicorn.Config(create_app(index, framed=True), http=Connection, log_level="critical")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([listener],), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the server."""
        self._server.should_exit = True
        self._thread.join()

    def __repr__(self) -> str:
        return f"The explorer is at {self.address}"

    def _repr_html_(self) -> str:
        # A notebook that is not of this machine refuses the frame; the address may still be forwarded.
        link = f"<a href='{self.address}' target='_blank'>{self.address}</a>"
        return f"<p>{link}</p><iframe src='{self.address}' width='100%' height='{self._height}'></iframe>"
