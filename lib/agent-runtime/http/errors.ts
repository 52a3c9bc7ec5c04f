import { validateHeaderName, validateHeaderValue } from 'node:http';
import { WorkerFailure } from '../queue/port.ts';
import { isAway, isPermanent, lackOf } from '../tables/database.ts';
import { type Refusal, RefusedError } from '../tables/errors.ts';
import { membersOf } from '../tables/raw-json.ts';
import { WorkerLostError } from '../worker/session.ts';

/** A request that is answered with an error; its message is for the client. */
export class HttpError extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

/** What this server does not do yet is said with its name. */
export const lacks = (what: string): HttpError =>
  new HttpError(501, `${what}: this server does not do that yet.`);

const STATUSES: Readonly<Record<Refusal, number>> = {
  'thread-not-found': 404,
  'thread-exists': 409,
  'thread-busy': 409,
  'run-not-found': 404,
  'run-ended': 409,
  'run-live': 409,
  'assistant-not-found': 404,
  'call-failed': 502,
  'call-timeout': 504,
};

/** How an error is answered; undefined if it is a fault of the server. */
export function httpErrorOf(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error;
  if (error instanceof RefusedError) return new HttpError(STATUSES[error.refusal], error.message);
  if (isAway(error)) {
    const lack = lackOf(error);
    const what = lack === undefined ? 'Postgres does not answer.' : `Postgres cannot go on: ${lack}.`;
    return new HttpError(503, `${what} Try again.`, { 'retry-after': '1' });
  }
  if (isPermanent(error))
    return new HttpError(422, 'A value of the request is none that PostgreSQL can hold.');
  if (error instanceof WorkerLostError)
    return new HttpError(503, `The process of the graphs has ended: ${error.message}. Try again.`);
  if (error instanceof WorkerFailure) return workerError(error);
  return undefined;
}

/** What the project's own code refuses has a status; any other failure of it is a fault in it. */
function workerError({ failure }: WorkerFailure): HttpError {
  const members = membersOf(failure);
  const read = (name: string): unknown => JSON.parse(members.get(name) ?? 'null');
  const [status, message, kind] = [read('status'), read('message'), read('error')];
  if (typeof status === 'number')
    return new HttpError(refusing(status), String(message), headersOf(read('headers')));
  return new HttpError(500, `${String(kind)}: ${String(message)}`);
}

/** A status that no error has would end the process, which is of all who ask. */
const refusing = (status: number): number =>
  Number.isInteger(status) && status >= 400 && status < 600 ? status : 500;

/** The project may put into a header what a client has sent; what no header can hold is left out. */
function headersOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  const headers = Object.entries(value).map(([name, text]): [string, string] => [name, String(text)]);
  return Object.fromEntries(headers.filter(isHeader));
}

function isHeader([name, text]: readonly [string, string]): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, text);
    return true;
  } catch {
    return false;
  }
}
