"""The connection to the server: frames of one line of JSON and `n` raw bytes, over an inherited socket."""

import asyncio
import json
import os
import select
import socket
import threading
from collections.abc import Callable
from typing import Any

#: A writer waits while more than this is on its way: a graph that emits faster than it is read must not fill memory.
_WAITING_BYTES_MAX = 4 * 1024 * 1024
#: The server reads no larger frame.
_FRAME_BYTES_MAX = 256 * 1024 * 1024

Handler = Callable[[dict[str, Any], bytes], None]


class Channel:
    """Reads in a thread of its own, so that the end of the server is noticed while a graph blocks the loop."""

    def __init__(self, fd: int, loop: asyncio.AbstractEventLoop) -> None:
        os.set_inheritable(fd, False)
        self._socket = socket.socket(fileno=fd)
        self._socket.setblocking(False)
        self._loop = loop
        self._parts: list[bytes] = []
        self._waiting = 0
        self._writing = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    def start(self, on_frame: Handler) -> None:
        """Calls the handler in the loop for each frame. The process ends when the server is gone."""
        self._writer = self._loop.create_task(self._write())
        threading.Thread(target=self._read, args=(on_frame,), name="slipway-reader", daemon=True).start()

    def send(self, header: dict[str, Any], body: bytes = b"") -> None:
        if len(body) > _FRAME_BYTES_MAX:
            raise ValueError(f"a document of {len(body)} bytes: at most {_FRAME_BYTES_MAX} can be sent")
        line = json.dumps({**header, "n": len(body)}, separators=(",", ":")).encode()
        self._parts += (line, b"\n", body)
        self._waiting += len(line) + len(body) + 1
        if self._waiting > _WAITING_BYTES_MAX:
            self._room.clear()
        self._writing.set()

    async def room(self) -> None:
        """Waits until the server has read most of what was sent."""
        await self._room.wait()

    async def _write(self) -> None:
        while True:
            await self._writing.wait()
            self._writing.clear()
            data = b"".join(self._parts)
            self._parts.clear()
            await self._loop.sock_sendall(self._socket, data)
            self._waiting -= len(data)
            if self._waiting <= _WAITING_BYTES_MAX:
                self._room.set()

    def _read(self, on_frame: Handler) -> None:
        buffer = bytearray()
        header: dict[str, Any] | None = None
        try:
            while True:
                if header is None and (end := buffer.find(b"\n")) >= 0:
                    header = json.loads(buffer[:end])
                    del buffer[: end + 1]
                if header is not None and len(buffer) >= header["n"]:
                    body = bytes(buffer[: header["n"]])
                    del buffer[: header["n"]]
                    self._loop.call_soon_threadsafe(on_frame, header, body)
                    header = None
                    continue
                select.select([self._socket], [], [])
                try:
                    data = self._socket.recv(1 << 20)
                except (BlockingIOError, InterruptedError):
                    continue
                if not data:
                    break
                buffer += data
        finally:
            # The server is gone: its runs are another's, and nothing that would follow here is wanted.
            os._exit(0)
