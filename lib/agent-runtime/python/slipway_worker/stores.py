"""Checkpoints and long-term memory in Postgres, by the libraries' own tables, with a fence around what a run writes."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.base import Item, PutOp
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from .lost_steps import GraphsInside, NodeNotFound

#: The schema of the libraries' tables; the server's own are in `rt`.
SCHEMA = "lg"
NULL_TASK = "00000000-0000-0000-0000-000000000000"
#: What a task writes that has not come to its end.
_UNFINISHED = ("__error__", "__interrupt__", "__resume__")
_LOCK = 5_193_021_774
_AWAY_SECONDS = 60
#: A process that stands still (SIGSTOP) in a transaction holds the row of its run for so long. Not shorter: a graph
#: may block the loop meanwhile, and its step would be done again.
_IDLE_IN_TRANSACTION = "60s"
#: So long a graph waits for a connection, be it that Postgres is away or that others use them all.
_CONNECTION_SECONDS = 10
_AWAY = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,
    PoolClosed,
    PoolTimeout,
    TooManyRequests,
    ConnectionError,
)


class StoreAwayError(Exception):
    """Postgres could not be asked, which is not the fault of the graph."""


class FencedError(Exception):
    """The run is another worker's by now: nothing of it may be written here."""


class Lease:
    """What a run holds while it is ours, and why it is no more."""

    def __init__(self, run_id: str, owner: str, epoch: int, revision_id: str, stop: Callable[[], Any]) -> None:
        self.run_id, self.owner, self.epoch, self.revision_id = run_id, owner, epoch, revision_id
        self.lost: FencedError | StoreAwayError | NodeNotFound | None = None
        self._stop = stop

    async def check(self, connection: psycopg.AsyncConnection[Any]) -> None:
        """Raises FencedError if the run is another's. The row stays locked until the transaction has ended."""
        if self.lost:
            raise self.lost
        query = "select rt.holds_lease(%s::uuid, %s::uuid, %s::bigint) as holds"
        row = await (await connection.execute(query, (self.run_id, self.owner, self.epoch))).fetchone()
        if not row or not row["holds"]:
            raise self.end(FencedError(f"run {self.run_id} is no more {self.owner}'s of epoch {self.epoch}"))

    def end(self, why: FencedError | StoreAwayError | NodeNotFound) -> FencedError | StoreAwayError | NodeNotFound:
        """Stops the run at once, whatever the graph makes of the exception."""
        if self.lost is None:
            self.lost = why
            self._stop()
        return self.lost


class FencedSaver(AsyncPostgresSaver):
    """Writes in transactions that prove the lease. Without a lease it is for reads and for updates by clients."""

    def __init__(
        self, pool: AsyncConnectionPool[Any], lease: Lease | None = None, on_step: Callable[[], None] | None = None
    ) -> None:
        super().__init__(pool)  # type: ignore[arg-type]
        self._pool, self._lease, self._on_step = pool, lease, on_step
        #: Hears of the graphs inside of a run.
        self.inside = GraphsInside()

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        stored = await super().aput(config, checkpoint, metadata, new_versions)
        namespace = config["configurable"].get("checkpoint_ns") or ""
        self.inside.note_begun(namespace)
        if self._on_step and not namespace:
            self._on_step()
        return stored

    async def aput_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
        has_ended = not any(channel in _UNFINISHED for channel, _ in writes)
        if self._lease and has_ended and (lost := self.inside.lost(task_id)):
            # Before its node goes on without the step.
            raise self._lease.end(NodeNotFound(lost, self._lease.revision_id))
        await super().aput_writes(config, writes, task_id, task_path)

    async def aget_tuple(self, config: Any) -> Any:
        self.inside.note_loaded(config["configurable"].get("checkpoint_ns") or "")
        return await super().aget_tuple(config)

    async def namespaces_in(self, config: dict[str, Any], namespaces: set[str]) -> list[str]:
        """Those of some namespaces, and of graphs inside them, that have checkpoints in a thread."""
        query = (
            "select distinct checkpoint_ns as name from checkpoints, unnest(%s::text[]) as given"
            " where thread_id = %s and (checkpoint_ns = given or starts_with(checkpoint_ns, given || '|'))"
        )
        async with self._cursor() as cursor:
            await cursor.execute(query, (sorted(namespaces), config["configurable"]["thread_id"]))
            return [row["name"] for row in await cursor.fetchall()]

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[Any]:
        # The libraries write by `pipeline=True` alone. No lock: each has a connection of its own.
        with away(self._lease):
            async with self._pool.connection() as connection:
                if not pipeline:
                    async with connection.cursor(binary=True, row_factory=dict_row) as cursor:
                        yield cursor
                    return
                async with connection.transaction():
                    if self._lease:
                        await self._lease.check(connection)
                    async with connection.cursor(binary=True, row_factory=dict_row) as cursor:
                        yield cursor


class GuardedStore(AsyncPostgresStore):
    """
    Long-term memory whose connection's errors are told apart from a graph's own. Graphs put values that are no
    dict too, which the store in memory takes and that of the library does not.
    """

    async def abatch(self, ops: Iterable[Any]) -> list[Any]:
        return [_unwrapped(found) for found in await super().abatch([_wrapped(op) for op in ops])]

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[Any]:
        with away(None):
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor


#: The only name in what is stored of a value that is no dict.
_PLAIN = "__slipway_value__"


def _wrapped(op: Any) -> Any:
    if not isinstance(op, PutOp) or op.value is None or isinstance(op.value, Mapping):
        return op
    return op._replace(value={_PLAIN: op.value})


def _unwrapped(found: Any) -> Any:
    for item in found if isinstance(found, list) else [found]:
        if isinstance(item, Item) and isinstance(item.value, dict) and item.value.keys() == {_PLAIN}:
            item.value = item.value[_PLAIN]
    return found


class away:
    """Turns errors of the connection into StoreAwayError."""

    def __init__(self, lease: Lease | None) -> None:
        self._lease = lease

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, _AWAY):
            lost = StoreAwayError(f"{type(error).__name__}: {error}".strip())
            raise (self._lease.end(lost) if self._lease else lost) from error


def away_in(error: BaseException | None) -> StoreAwayError | None:
    """The StoreAwayError that an exception came from, if one."""
    for _ in range(50):
        if error is None or isinstance(error, StoreAwayError):
            return error
        error = error.__cause__ or error.__context__
    return None


def unfit_in(error: BaseException) -> bool:
    """Whether Postgres has refused a value, such as text with NUL."""
    return isinstance(error, psycopg.DataError)


async def opened(uri: str, size: int) -> tuple[AsyncConnectionPool[Any], GuardedStore]:
    """
    A pool and the store, with the libraries' tables as their versions want them. Postgres has just answered the
    server: one that breaks off now is asked again.
    """
    deadline = time.monotonic() + _AWAY_SECONDS
    while True:
        try:
            return await _opened(uri, size)
        except (*_AWAY, StoreAwayError) as error:
            if time.monotonic() > deadline:
                raise
            print(f"Postgres does not answer, and is asked again: {error}", file=sys.stderr)
            await asyncio.sleep(0.5)


async def _opened(uri: str, size: int) -> tuple[AsyncConnectionPool[Any], GuardedStore]:
    arguments = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    async with await psycopg.AsyncConnection.connect(uri, autocommit=True) as connection:
        await connection.execute(f"create schema if not exists {SCHEMA}")
    idle = f"-c idle_in_transaction_session_timeout={_IDLE_IN_TRANSACTION}"
    arguments["options"] = f"-c search_path={SCHEMA},public {idle}"
    pool = AsyncConnectionPool(
        uri,
        min_size=1,
        max_size=size,
        timeout=_CONNECTION_SECONDS,
        open=False,
        kwargs=arguments,
        # After a restart of Postgres all connections are dead: a step must not be done again for each of them.
        check=AsyncConnectionPool.check_connection,
    )
    try:
        await pool.open(wait=True)
        return pool, await _set_up(pool)
    except BaseException:
        await pool.close()
        raise


async def _set_up(pool: AsyncConnectionPool[Any]) -> GuardedStore:
    store = GuardedStore(pool)  # type: ignore[arg-type]
    async with pool.connection() as connection:
        # No waiting `pg_advisory_lock`: an index that is made concurrently would wait for it in turn.
        while not (await _one(connection, f"select pg_try_advisory_lock({_LOCK}) as got"))["got"]:
            await asyncio.sleep(0.2)
        try:
            await FencedSaver(pool).setup()
            await store.setup()
        finally:
            await connection.execute(f"select pg_advisory_unlock({_LOCK})")
    return store


async def _one(connection: Any, query: str, *args: Any) -> Any:
    return await (await connection.execute(query, args)).fetchone()


async def copy(pool: AsyncConnectionPool[Any], thread_id: str, to_thread_id: str) -> None:
    """Gives another thread the same checkpoints."""
    with away(None):
        async with pool.connection() as connection, connection.transaction():
            for table in ("checkpoint_blobs", "checkpoint_writes", "checkpoints"):
                query = (
                    "select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns"
                    " where table_schema = %s and table_name = %s and column_name <> 'thread_id'"
                )
                names = (await _one(connection, query, SCHEMA, table))["names"]
                await connection.execute(
                    f"insert into {table} (thread_id, {names}) select %s, {names} from {table} where thread_id = %s",
                    (to_thread_id, thread_id),
                )
