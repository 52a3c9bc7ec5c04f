import type { DynamoDBRecord } from 'aws-lambda';
import type { Deps } from '../../core/deps.ts';
import { authenticateCaller } from '../../core/identity/authenticate.ts';
import { newConsoleLink } from '../../features/console/create-link.ts';
import { entityOf } from '../stream/lambda-record.ts';

/** The link to the console that the start prints. */
export type ConsoleLinks = {
  url: string;
  /** Hears of each record of the table's stream. */
  notice(record: DynamoDBRecord): void;
  close(): void;
};

type Parts = {
  apiKey: string;
  baseUrl: string;
  print: (line: string) => void;
  onError: (message: string) => void;
};

/**
 * Makes a link with a key, and another one as soon as it was used, so that a person finds one that works at
 * the end of the terminal. One that nobody has used is not followed by more: that would fill the terminal.
 */
export async function openConsoleLinks(
  deps: Pick<Deps, 'table' | 'clock'>,
  { apiKey, baseUrl, print, onError }: Parts,
): Promise<ConsoleLinks> {
  const caller = await authenticateCaller(deps, { apiKey, tenantId: undefined });
  const make = () => newConsoleLink(deps, baseUrl, caller);
  let current = await make();
  let isClosed = false;
  const sayOver = () => print('The link to the console is over. For another: npm run slipway -- console');
  const timer = setTimeout(sayOver, current.expiresAt - deps.clock.now());
  timer.unref();
  const renew = async () => {
    clearTimeout(timer);
    current = await make();
    print(`The link to the console was used. The next one: ${current.url}`);
  };
  return {
    url: current.url,
    notice(record) {
      const isOurs = record.dynamodb?.OldImage?.id?.S === current.id;
      if (isClosed || record.eventName !== 'REMOVE' || entityOf(record) !== 'console_link' || !isOurs) return;
      renew().catch((error: unknown) => onError(`link to the console: ${String(error)}`));
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
