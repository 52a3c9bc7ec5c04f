import { useEffect, useState } from 'preact/hooks';
import { asError } from '../../logic/chat/json.ts';

export type Answered<T> =
  | { isPending: true; data: undefined; error: undefined }
  | { isPending: false; data: T; error: undefined }
  | { isPending: false; data: undefined; error: Error };

const PENDING = { isPending: true, data: undefined, error: undefined } as const;

/**
 * What a server of somebody's answers, asked once for each `key`. The feed of the API says nothing of it,
 * so it is not among what that has asked again. Undefined: nothing is asked, as with the key undefined.
 */
export function useAnswer<T>(key: string | undefined, ask: (signal: AbortSignal) => Promise<T>): Answered<T> {
  const [held, setHeld] = useState<{ key: string | undefined; answer: Answered<T> }>({
    key,
    answer: PENDING,
  });
  useEffect(() => {
    if (key === undefined) return undefined;
    const gone = new AbortController();
    const hold = (answer: Answered<T>) => {
      if (!gone.signal.aborted) setHeld({ key, answer });
    };
    ask(gone.signal).then(
      (data) => hold({ isPending: false, data, error: undefined }),
      (error: unknown) => hold({ isPending: false, data: undefined, error: asError(error) }),
    );
    return () => gone.abort();
  }, [key]);
  return held.key === key ? held.answer : PENDING;
}
