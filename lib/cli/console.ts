import { consoleLinkView as link } from '../features/console/shape.ts';
import { Obstacle } from './explain.ts';

/** Where the API is, and a key for it. */
export type ConsoleAccess = { url: string; apiKey: string };

/** A new link that signs in to the console once. Throws `Obstacle` with what the API said. */
export async function askForConsoleLink({
  url,
  apiKey,
}: ConsoleAccess): Promise<{ url: string; expires_at: string }> {
  const path = `${url.replace(/\/+$/, '')}/v2/console-links`;
  const answer = await fetch(path, { method: 'POST', headers: { 'x-api-key': apiKey } }).catch(
    (error: unknown) => {
      throw new Obstacle(`${url} does not answer: ${causeOf(error)}.`);
    },
  );
  const text = await answer.text();
  if (!answer.ok) throw new Obstacle(`POST ${path} was answered with ${answer.status}: ${text}`);
  return link.parse(JSON.parse(text));
}

const causeOf = (error: unknown): string =>
  error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
