"""What earlier attempts of a run have written, and how a rollback takes it back."""

import base64
from typing import Any

from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from .stores import NULL_TASK, Lease, away

#: Among the writes of a thread: how those stood that a run may add to or replace, by the run's id.
_NOTES = "__slipway__"
#: What the libraries write over; all else that is there stays as it is.
_REPLACED = ("__error__", "__scheduled__", "__interrupt__", "__resume__")
_FIELDS = "checkpoint_ns, checkpoint_id, task_id, idx, channel, type, blob, task_path"

#: The checkpoint that a run goes on from, and those of graphs inside that were stored in its step.
_TOUCHED = (
    "(w.checkpoint_ns, w.checkpoint_id) in (select c.checkpoint_ns, c.checkpoint_id from checkpoints c"
    " where c.thread_id = w.thread_id and (c.checkpoint_id = %(root)s or c.metadata->'parents'->>'' = %(root)s))"
)


async def has_started(pool: AsyncConnectionPool[Any], thread_id: str, run_id: str) -> bool:
    """Whether a run has written a checkpoint already: then it goes on without its input."""
    query = "select 1 as one from checkpoints where thread_id = %s and metadata->>'run_id' = %s limit 1"
    with away(None):
        async with pool.connection() as connection:
            return await _one(connection, query, (thread_id, run_id)) is not None


async def has_answered(
    pool: AsyncConnectionPool[Any], thread_id: str, run_id: str, checkpoint_id: str | None, lease: Lease
) -> bool:
    """
    Whether an earlier attempt of this run has given its answer to a waiting node already. The first attempt of a run
    that goes on from a checkpoint notes what is written to that; a later one compares the answers. An answer that was
    given is taken back from those that any interrupt may take: else the next question would get the answer to the
    one before.
    """
    with away(lease):
        async with pool.connection() as connection, connection.transaction():
            await lease.check(connection)
            note = await _noted(connection, thread_id, run_id)
            if note is None:
                await _take_note(connection, thread_id, run_id, checkpoint_id)
                return False
            if _answers(await _written(connection, thread_id, note["root"])) == _answers(note["writes"]):
                return False
            given = f"delete from checkpoint_writes w where w.thread_id = %(thread)s and {_TOUCHED}"
            await connection.execute(
                f"{given} and w.task_id = %(task)s and w.channel = '__resume__'",
                {"thread": thread_id, "root": note["root"], "task": NULL_TASK},
            )
            return True


async def drop(pool: AsyncConnectionPool[Any], thread_id: str, run_id: str | None) -> None:
    """
    Removes the checkpoints of a thread, or those that one run of it has written, with what that run has written to
    the checkpoint before. Nothing is left to do for who calls it again.
    """
    with away(None):
        async with pool.connection() as connection, connection.transaction():
            if run_id is None:
                for table in ("checkpoints", "checkpoint_writes", "checkpoint_blobs"):
                    await connection.execute(f"delete from {table} where thread_id = %s", (thread_id,))
                return
            dropped = (
                "with gone as (delete from checkpoints where thread_id = %s and metadata->>'run_id' = %s"
                " returning thread_id, checkpoint_ns, checkpoint_id)"
                " delete from checkpoint_writes w using gone g where w.thread_id = g.thread_id"
                " and w.checkpoint_ns = g.checkpoint_ns and w.checkpoint_id = g.checkpoint_id"
            )
            await connection.execute(dropped, (thread_id, run_id))
            if (note := await _noted(connection, thread_id, run_id)) is not None:
                await _restore(connection, thread_id, note)
            forget = "delete from checkpoint_writes where thread_id = %s and checkpoint_ns = %s and checkpoint_id = %s"
            await connection.execute(forget, (thread_id, _NOTES, run_id))


async def _noted(connection: Any, thread_id: str, run_id: str) -> dict[str, Any] | None:
    query = (
        "select convert_from(blob, 'UTF8')::jsonb as note from checkpoint_writes"
        " where thread_id = %s and checkpoint_ns = %s and checkpoint_id = %s"
    )
    row = await _one(connection, query, (thread_id, _NOTES, run_id))
    return row and row["note"]


async def _take_note(connection: Any, thread_id: str, run_id: str, checkpoint_id: str | None) -> None:
    # Runs of a thread come one after the other: those of the notes before are over.
    earlier = "delete from checkpoint_writes where thread_id = %s and checkpoint_ns = %s"
    await connection.execute(earlier, (thread_id, _NOTES))
    newest = (
        "select checkpoint_id as id from checkpoints where thread_id = %s and checkpoint_ns = ''"
        " order by checkpoint_id desc limit 1"
    )
    root = checkpoint_id or ((await _one(connection, newest, (thread_id,))) or {"id": ""})["id"]
    note = {"root": root, "writes": await _written(connection, thread_id, root)}
    insert = (
        f"insert into checkpoint_writes (thread_id, {_FIELDS})"
        " values (%s, %s, %s, '', 0, 'before', 'text', convert_to(%s::jsonb::text, 'UTF8'), '')"
    )
    await connection.execute(insert, (thread_id, _NOTES, run_id, Jsonb(note)))


async def _written(connection: Any, thread_id: str, root: str) -> list[dict[str, Any]]:
    """What is written to the checkpoint and those inside; the values of what may be written over."""
    query = (
        "select checkpoint_ns, checkpoint_id, task_id, idx, channel, type, task_path,"
        " case when channel = any(%(replaced)s) then blob end as blob from checkpoint_writes w"
        f" where w.thread_id = %(thread)s and {_TOUCHED}"
        " order by checkpoint_ns, checkpoint_id, task_id, idx"
    )
    known = {"thread": thread_id, "root": root, "replaced": list(_REPLACED)}
    rows = await (await connection.execute(query, known)).fetchall()
    return [{**row, "blob": row["blob"] and base64.b64encode(row["blob"]).decode()} for row in rows]


def _answers(writes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What questions of the thread's nodes were answered."""
    return [write for write in writes if write["channel"] == "__resume__" and write["task_id"] != NULL_TASK]


async def _restore(connection: Any, thread_id: str, note: dict[str, Any]) -> None:
    writes = note["writes"]
    added = (
        f"delete from checkpoint_writes w where w.thread_id = %(thread)s and {_TOUCHED}"
        " and (w.channel = any(%(replaced)s) or not exists ("
        " select 1 from jsonb_to_recordset(%(writes)s) as k(checkpoint_ns text, checkpoint_id text, task_id text, idx int)"
        " where k.checkpoint_ns = w.checkpoint_ns and k.checkpoint_id = w.checkpoint_id and k.task_id = w.task_id"
        " and k.idx = w.idx))"
    )
    known = {"thread": thread_id, "root": note["root"], "replaced": list(_REPLACED), "writes": Jsonb(writes)}
    await connection.execute(added, known)
    before = (
        f"insert into checkpoint_writes (thread_id, {_FIELDS})"
        " select %(thread)s, k.checkpoint_ns, k.checkpoint_id, k.task_id, k.idx, k.channel, k.type,"
        " decode(k.blob, 'base64'), k.task_path from jsonb_to_recordset(%(writes)s) as k(checkpoint_ns text,"
        " checkpoint_id text, task_id text, idx int, channel text, type text, blob text, task_path text)"
        " where k.blob is not null"
    )
    await connection.execute(before, known)


async def _one(connection: Any, query: str, arguments: tuple[Any, ...]) -> Any:
    return await (await connection.execute(query, arguments)).fetchone()
