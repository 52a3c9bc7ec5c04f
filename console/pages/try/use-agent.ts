import { useEffect, useState } from 'preact/hooks';
import { type AgentPlace, AgentRefusal, Unreachable } from '../../data/agent.ts';
import { inputSchema, listThreads } from '../../data/agent-run.ts';
import { type FormField, fieldsOf } from '../../logic/chat/fields.ts';
import { asError } from '../../logic/chat/json.ts';
import type { Thread } from '../../logic/chat/threads.ts';
import { useAnswer } from './use-answer.ts';

/** What a graph takes beside messages: undefined while that is asked. */
export function useInput(place: AgentPlace, assistant: string | undefined): GraphInput | undefined {
  const { data } = useAnswer(assistant, async (signal) => {
    // A server that describes nothing is still one to talk with.
    const schema = await inputSchema(place, assistant ?? '', signal).catch(() => undefined);
    return inputOf(fieldsOf(schema));
  });
  return data;
}

/** `isChat`: it takes messages. `fields`: what else, or all that it takes. */
export type GraphInput = { isChat: boolean; fields: FormField[] };

function inputOf(fields: FormField[] | undefined): GraphInput {
  const isChat = fields === undefined || fields.some(({ name }) => name === 'messages');
  return { isChat, fields: fields?.filter(({ name }) => name !== 'messages') ?? [] };
}

export type Threads = ReturnType<typeof useThreads>;

/** The threads of an agent, a page at a time. */
export function useThreads(place: AgentPlace) {
  const [threads, setThreads] = useState<readonly Thread[]>();
  const [isLast, setLast] = useState(true);
  const [error, setError] = useState<Error>();
  const [version, setVersion] = useState(0);
  useEffect(() => {
    const gone = new AbortController();
    listThreads(place, 0, gone.signal).then(
      (page) => {
        setThreads(page.threads);
        setLast(page.isLast);
        setError(undefined);
      },
      (refused: unknown) => {
        if (!gone.signal.aborted) setError(asError(refused));
      },
    );
    return () => gone.abort();
  }, [place, version]);
  const more = async () => {
    const page = await listThreads(place, threads?.length ?? 0, new AbortController().signal);
    const known = new Set(threads?.map(({ id }) => id));
    setThreads([...(threads ?? []), ...page.threads.filter(({ id }) => !known.has(id))]);
    setLast(page.isLast);
  };
  return { threads, isLast, error, more, refresh: () => setVersion((before) => before + 1) };
}

/** Why an agent could not be asked, for the page to choose what it offers. */
export function troubleOf(error: unknown): 'unreachable' | 'sign-in' | 'no-agent' | 'other' | undefined {
  if (error === null || error === undefined) return undefined;
  if (error instanceof Unreachable) return 'unreachable';
  if (!(error instanceof AgentRefusal)) return 'other';
  if (error.status === 401 || error.status === 403) return 'sign-in';
  return error.status === 404 || error.status === 405 ? 'no-agent' : 'other';
}
