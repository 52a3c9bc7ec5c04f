"""An agent of Pydantic AI behind an API of FastAPI. Without `MODEL` a function plays the model."""

import asyncio
import os
from collections.abc import AsyncIterator

from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from pydantic_ai import Agent, ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, FunctionModel

VERSION = "v1"


def play(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Calls the tool with what it is asked, and then says what the tool has answered."""
    last = messages[-1].parts[-1]
    if isinstance(last, ToolReturnPart):
        return ModelResponse(parts=[TextPart(f"{VERSION}: {last.content}")])
    return ModelResponse(parts=[ToolCallPart("shout", {"text": str(last.content)})])


async def play_in_words(
    messages: list[ModelMessage], info: AgentInfo
) -> AsyncIterator[str | dict[int, DeltaToolCall]]:
    for part in play(messages, info).parts:
        if isinstance(part, ToolCallPart):
            yield {0: DeltaToolCall(part.tool_name, part.args_as_json_str())}
        elif isinstance(part, TextPart):
            for word in part.content.split():
                yield f"{word} "
                await asyncio.sleep(0.2)


agent = Agent(
    os.environ.get("MODEL") or FunctionModel(play, stream_function=play_in_words),
    instructions="Answer with what the tool makes of the user's text.",
)


@agent.tool_plain
def shout(text: str) -> str:
    """Says a text in capitals."""
    return text.upper() + os.environ.get("SHOUT_ENDING", "!")


class Question(BaseModel):
    text: str


app = FastAPI(title="fastapi-agent", version=VERSION)


@app.post("/ask")
async def ask(question: Question) -> dict[str, str]:
    return {"answer": (await agent.run(question.text)).output}


@app.post("/ask/stream")
async def ask_stream(question: Question) -> StreamingResponse:
    """The answer as events, each with what has come since the one before."""

    async def events() -> AsyncIterator[str]:
        async with agent.run_stream(question.text) as result:
            async for text in result.stream_text(delta=True, debounce_by=None):
                yield f"data: {text.strip()}\n\n"

    return StreamingResponse(events(), media_type="text/event-stream")


@app.get("/health")
def health() -> dict[str, bool]:
    return {"ok": True}
