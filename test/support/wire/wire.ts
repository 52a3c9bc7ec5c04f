import { expect, onTestFinished } from 'vitest';
import { type ErrorCode, type ErrorParams, errors, refuse } from '../../../lib/contract/errors.ts';
import { openApiDocument } from '../../../lib/contract/openapi/document.ts';
import { errorCodesOf } from '../../../lib/contract/openapi/errors.ts';
import { routes } from '../../../lib/contract/routes/index.ts';
import { accessOf, type RouteRow, takesIdempotencyKey } from '../../../lib/contract/routes/route.ts';
import { RELEASE_VERSION, VERSION_HEADER } from '../../../lib/contract/version.ts';
import type { Deps } from '../../../lib/core/deps.ts';
import { installedApiDocs } from '../../../lib/embedded/api-docs.ts';
import { bundledCli } from '../../../lib/embedded/cli-files.ts';
import { bundledConsole } from '../../../lib/embedded/console-files.ts';
import { type GatewayOptions, startGateway } from '../../../lib/embedded/gateway/server.ts';
import { apiHandler } from '../../../lib/embedded/runtime/handlers.ts';
import { limited } from '../table/limited-table.ts';

export type Request = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  /** An object is sent as JSON, a text or bytes as they are. */
  body?: unknown;
  /** Undefined: without a key. */
  key?: string | undefined;
};

/**
 * What tests read of answers that passed all that the description says of them; which fields there are
 * depends on the operation.
 */
export type Shown = {
  id: string;
  latest_revision_id: string;
  key: string;
  api_key: string;
  access_token: string;
  device_code: string;
  user_code: string;
  resources: { id: string }[];
  text: string;
  tasks: { task_id: string; lease_id: string }[];
  url: string;
  auth_id: string;
};

type Sent = { response: Response; text: string };
type Written = { responses: Record<string, { $ref?: string; headers?: object; content?: object }> };
type Documented = {
  paths: Record<string, Record<string, Written>>;
  components: { responses: Written['responses'] };
};
const document = openApiDocument(routes) as Documented;

/** Headers that belong to HTTP and its connections, not to this API. */
const PLAIN_HEADERS = new Set([
  ...['connection', 'content-length', 'content-type', 'date', 'keep-alive', 'transfer-encoding'],
]);

const rowOf = (operation: string): RouteRow => {
  const row = routes.find((each) => each.operation === operation);
  if (row === undefined) throw new Error(`there is no operation ${operation}`);
  return row;
};

const pages = {
  apiDocs: installedApiDocs,
  consoleFiles: bundledConsole(),
  cliFiles: bundledCli(),
  signIn: undefined,
  uploadOrigin: undefined,
  agentOrigins: () => [],
};

/** What was asked of one or several wires. */
export class WireRecord {
  /** Operations that have succeeded. */
  readonly succeeded = new Set<string>();
  /** Codes of refusals that were answered. */
  readonly refused = new Set<ErrorCode>();

  /** Operations whose answer was lost after the change, and given to the same request sent again. */
  readonly answeredAgain = new Set<string>();
  /** Whether requests under an Idempotency-Key may be made and then answered with 500. */
  readonly losesAnswers: boolean = false;

  /** Called with what is asked, before anything is. */
  async opened(_: Deps): Promise<void> {}

  /** What the endpoint behind a row works with, of what was opened. */
  depsOf(row: RouteRow, deps: Deps): Deps {
    return limited(deps, accessOf(row));
  }

  /** Called for each request that has succeeded. */
  done(_: Deps, operation: string, __: string): void {
    this.succeeded.add(operation);
  }
}

/** The real endpoints behind the real gateway; each answer is held against the description of its route. */
export class Wire {
  readonly url: string;
  /** The answer to the last request; its body has been read. */
  last: Response | undefined;
  readonly #deps: Deps;
  readonly #record: WireRecord;

  constructor(url: string, deps: Deps, record: WireRecord) {
    this.url = url;
    this.#deps = deps;
    this.#record = record;
  }

  /** Asks for something and gives what is shown. Fails unless it succeeds as its row says. */
  async ask(operation: string, request: Request = {}): Promise<Shown> {
    const row = rowOf(operation);
    const first = await this.#sendKeyed(row, request);
    const { response, text } = first.again ?? first;
    expect([operation, response.status, response.ok ? '' : text]).toEqual([operation, row.success, '']);
    this.#record.done(this.#deps, operation, first.response.headers.get('x-request-id') ?? '');
    if (row.response === null || row.contentTypes !== undefined) {
      expect([operation, text === '']).toEqual([operation, row.response === null]);
      return { text } as Shown;
    }
    const shown: unknown = JSON.parse(text);
    // Every field is one of the schema's, and as it says.
    expect([operation, row.response.parse(shown)]).toEqual([operation, shown]);
    return shown as Shown; // whatever the schema has just let through
  }

  /**
   * Asks for something that is refused with this code: with the text made of these values, or one that
   * matches.
   */
  async refuse<C extends ErrorCode>(
    code: C,
    how: ErrorParams<C> | RegExp,
    operation: string,
    request: Request = {},
  ): Promise<void> {
    const row = rowOf(operation);
    const { response, text } = await this.#send(row, request);
    const detail = how instanceof RegExp ? expect.stringMatching(how) : refuse(code, how).message;
    const answered = [operation, response.status, JSON.parse(text)];
    expect(answered).toEqual([operation, errors[code].status, { detail, code, ...oauthOf(code, detail) }]);
    const { headers = {} } = errors[code] as { headers?: Record<string, string> };
    for (const [name, value] of Object.entries(headers)) {
      expect([name, response.headers.get(name)]).toEqual([name, value]);
    }
    const codes: string[] = errorCodesOf(row);
    expect([operation, codes]).toEqual([operation, expect.arrayContaining<string>([code])]);
    this.#record.refused.add(code);
  }

  /**
   * Sends a request under an Idempotency-Key where there may be one, and sends it again when its answer was
   * lost.
   */
  async #sendKeyed(row: RouteRow, request: Request): Promise<Sent & { again?: Sent }> {
    if (!this.#record.losesAnswers || !takesIdempotencyKey(row)) return this.#send(row, request);
    const headers = { 'idempotency-key': crypto.randomUUID(), ...request.headers };
    const first = await this.#send(row, { ...request, headers });
    if (first.response.status !== 500) return first;
    const again = await this.#send(row, { ...request, headers });
    const isReplayed = again.response.headers.get('idempotent-replayed');
    expect([row.operation, isReplayed, again.text]).toEqual([row.operation, 'true', again.text]);
    this.#record.answeredAgain.add(row.operation);
    return { ...first, again };
  }

  async #send(row: RouteRow, { params = {}, query, headers, body, key }: Request): Promise<Sent> {
    const path = row.path.replaceAll(/\{(\w+)\+?\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const search = query === undefined ? '' : `?${new URLSearchParams(query)}`;
    const response = await fetch(this.url + path + search, {
      method: row.method,
      redirect: 'manual',
      headers: {
        ...(key !== undefined && { 'x-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: sentAs(body) }),
    });
    this.last = response;
    const text = await response.text();
    checkDocumented(row, response);
    return { response, text };
  }
}

/** What clients of OAuth read of a refusal, where they ask. */
function oauthOf(code: ErrorCode, detail: unknown): object {
  const shape = errors[code];
  const oauth = 'oauth' in shape ? shape.oauth : undefined;
  return oauth === undefined ? {} : { error: oauth, error_description: detail };
}

const sentAs = (body: unknown): string | Uint8Array<ArrayBuffer> => {
  if (body instanceof Uint8Array) return new Uint8Array(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
};

/** The status, its content type and its headers are all written down. */
function checkDocumented(row: RouteRow, { status, headers }: Response): void {
  const { operation, path, method } = row;
  const written = document.paths[path.replace('+}', '}')]?.[method.toLowerCase()]?.responses[status];
  expect([operation, status, written]).toEqual([operation, status, expect.anything()]);
  const [, shared] = /^#\/components\/responses\/(.*)$/.exec(written?.$ref ?? '') ?? [];
  const answer = shared === undefined ? written : document.components.responses[shared];
  const known = new Set(Object.keys(answer?.headers ?? {}).map((name) => name.toLowerCase()));
  const undocumented = [...headers.keys()].filter((name) => !known.has(name) && !PLAIN_HEADERS.has(name));
  expect([operation, status, undocumented]).toEqual([operation, status, []]);
  expect(headers.get('x-request-id')).toMatch(/^\S{8,}$/);
  expect([operation, status, headers.get(VERSION_HEADER)]).toEqual([operation, status, RELEASE_VERSION]);
  expect([operation, status, headers.get('x-content-type-options')]).toEqual([operation, status, 'nosniff']);
  if (row.credential === true && status < 400)
    expect([operation, headers.get('cache-control')]).toEqual([operation, 'no-store']);
  const type = headers.get('content-type')?.split(';')[0];
  const types = Object.keys(answer?.content ?? {});
  expect([operation, status, type === undefined ? types : types.includes(type)]).toEqual([
    operation,
    status,
    type === undefined ? [] : true,
  ]);
}

/** Opens the gateway over these dependencies, until the test ends; with signed URLs where `serveBlob` is given. */
export async function openWire(
  deps: Deps,
  record = new WireRecord(),
  serveBlob: GatewayOptions['serveBlob'] = async () => false,
): Promise<Wire> {
  const gateway = await startGateway({
    port: 0,
    routes,
    handlerOf: (row) => {
      const given = row === undefined ? deps : record.depsOf(row, deps);
      return apiHandler(row, () => ({ ...given, ...pages }));
    },
    serveBlob,
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(() => gateway.close());
  return new Wire(`http://127.0.0.1:${gateway.port}`, deps, record);
}
