import {
  createConfiguration,
  HttpMethod,
  type KubeConfig,
  type KubernetesListObject,
  type KubernetesObject,
  RequestContext,
} from '@kubernetes/client-node';
import { kindOf, pathOf } from './kinds.ts';
import { wireOf } from './render/wire.ts';

/** The API server says no, and will say no again: what it was asked for is wrong, or not allowed. */
export class Refused extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Somebody else has changed the object since it was read. */
export class Overtaken extends Error {}

/** 429 and 5xx pass; what is wrong stays wrong. */
const REFUSALS = new Set([400, 401, 403, 404, 405, 409, 415, 422]);

/** What an API server does not know it answers with 500, as it does what passes. */
const UNKNOWN_FIELD = 'field not declared in schema';

/** A stream that is silent for so long is opened anew: whoever was at its other end may be gone. */
const SILENCE_MILLISECONDS_MAX = 3_600_000;

type Query = Record<string, string | undefined>;
type Request = { method: HttpMethod; path: string; query?: Query; body?: unknown; contentType?: string };

/**
 * Requests to the API server, with objects as they are: the client's own serializer drops fields that its
 * models do not have, and a user's volume may have a newer one. Throws Refused, Overtaken, or an error that
 * may pass.
 */
export class ApiServer {
  readonly #config: KubeConfig;
  readonly #http = createConfiguration().httpApi;
  #dispatcher: ReturnType<RequestContext['getDispatcher']>;

  constructor(config: KubeConfig) {
    this.#config = config;
  }

  /** Server-side apply: makes the object, or brings the fields that it names to what they are here. */
  apply<T extends KubernetesObject>(object: T, manager: string, dryRun?: 'All'): Promise<T> {
    return this.#ask<T>({
      method: HttpMethod.PATCH,
      path: objectPath(object),
      // A field that this cluster does not know is refused, not dropped.
      query: { fieldManager: manager, force: 'true', fieldValidation: 'Strict', dryRun },
      body: wireOf(object),
      contentType: 'application/apply-patch+yaml',
    });
  }

  /** Makes an object that is not there yet. */
  create<T extends KubernetesObject>(object: T): Promise<T> {
    const path = pathOf(kindOf(object), object.metadata?.namespace ?? '');
    return this.#ask<T>({ method: HttpMethod.POST, path, body: wireOf(object) });
  }

  /** Replaces an object, unless it has changed since it was read. */
  replace<T extends KubernetesObject>(object: T): Promise<T> {
    return this.#ask<T>({ method: HttpMethod.PUT, path: objectPath(object), body: wireOf(object) });
  }

  /** The object as it is now; undefined: there is none. */
  async read<T extends KubernetesObject>(object: T): Promise<T | undefined> {
    return this.#ask<T>({ method: HttpMethod.GET, path: objectPath(object) }).catch(absent);
  }

  /** Deletes an object, and what the cluster has made of it. Nothing happens when it is not there. */
  async remove(object: KubernetesObject): Promise<void> {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' };
    await this.#ask({ method: HttpMethod.DELETE, path: objectPath(object), body }).catch(absent);
  }

  /** Deletes all objects of a collection that carry these labels. */
  async removeAll(path: string, labelSelector: string): Promise<void> {
    await this.#ask({ method: HttpMethod.DELETE, path, query: { labelSelector } }).catch(absent);
  }

  /** The objects of a collection. */
  list(path: string, query: Query): Promise<KubernetesListObject<KubernetesObject>> {
    return this.#ask({ method: HttpMethod.GET, path, query });
  }

  /** A text, such as a log. */
  async text(path: string, query: Query): Promise<string> {
    const { code, text } = await this.#send({ method: HttpMethod.GET, path, query });
    if (code !== 200) throw problemOf(code, text);
    return text;
  }

  /** A text that comes as it is written, until the signal fires or nothing has come for very long. */
  async stream(path: string, query: Query, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const context = await this.#contextOf({ method: HttpMethod.GET, path, query });
    context.setSignal(signal);
    const dispatcher = context.getDispatcher();
    if (dispatcher !== undefined)
      context.setDispatcher(
        dispatcher.compose(
          (dispatch) => (options, handler) =>
            dispatch({ ...options, bodyTimeout: SILENCE_MILLISECONDS_MAX }, handler),
        ),
      );
    const response = await this.#http.send(context).toPromise();
    const stream = response.body.stream();
    if (response.httpStatusCode !== 200 || stream === null)
      throw problemOf(response.httpStatusCode, await response.body.text());
    return stream;
  }

  async #ask<T>(request: Request): Promise<T> {
    const { code, text } = await this.#send(request);
    if (code < 200 || code > 299) throw problemOf(code, text);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the API server answers with the kind that was asked for
    return JSON.parse(text) as T;
  }

  async #send(request: Request): Promise<{ code: number; text: string }> {
    const response = await this.#http
      .send(await this.#contextOf(request))
      .toPromise()
      .catch((error: unknown) => {
        // Certificates may have changed.
        this.#dispatcher = undefined;
        throw error;
      });
    return { code: response.httpStatusCode, text: await response.body.text() };
  }

  async #contextOf({ method, path, query = {}, body, contentType }: Request): Promise<RequestContext> {
    const cluster = this.#config.getCurrentCluster();
    if (cluster === null) throw new Error('The kubeconfig names no cluster');
    const url = new URL(cluster.server + path);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value);
    const context = new RequestContext(url.href, method);
    context.setHeaderParam('Accept', 'application/json');
    if (body !== undefined) {
      context.setHeaderParam('Content-Type', contentType ?? 'application/json');
      context.setBody(JSON.stringify(body));
    }
    await this.#config.applySecurityAuthentication(context);
    // The client makes a dispatcher for each request: with one for all, connections are used again.
    this.#dispatcher ??= context.getDispatcher();
    if (this.#dispatcher !== undefined) context.setDispatcher(this.#dispatcher);
    return context;
  }
}

const objectPath = (object: KubernetesObject): string =>
  `${pathOf(kindOf(object), object.metadata?.namespace ?? '')}/${object.metadata?.name}`;

function absent(error: unknown): undefined {
  if (error instanceof Refused && error.code === 404) return undefined;
  throw error;
}

/** A Status object says in words what is wrong. */
function problemOf(code: number, text: string): Error {
  const message = messageIn(text);
  if (code === 409 && /has been modified|please apply your changes/i.test(message))
    return new Overtaken(message);
  if (REFUSALS.has(code) || message.includes(UNKNOWN_FIELD)) return new Refused(code, message);
  return new Error(`The API server answers ${code}: ${message}`);
}

function messageIn(text: string): string {
  try {
    const status: unknown = JSON.parse(text);
    const isStatus = typeof status === 'object' && status !== null && 'message' in status;
    return isStatus && typeof status.message === 'string' ? status.message : text;
  } catch {
    return text;
  }
}
