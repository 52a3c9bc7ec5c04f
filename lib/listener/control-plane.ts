import type * as z from 'zod';
import {
  type ClaimRequest,
  type ClaimResponse,
  type CompleteRequest,
  claimResponse,
  completeResponse,
  type DeploySpec,
  type DesiredResponse,
  deploySpec,
  desiredResponse,
  type HeartbeatRequest,
  heartbeatResponse,
  type ShipLogsRequest,
  type StatusRequest,
  shipLogsResponse,
  statusResponse,
  type TaskLogsRequest,
} from '../features/listener-protocol/shape.ts';
import { registryCredentialsView } from '../features/registry/shape.ts';
import { ControlPlaneRefused, type Http } from './http.ts';

export type RegistryCredentials = z.infer<typeof registryCredentialsView>;

/** The lease is another's (`conflict`) or the task is not there any more (`gone`). */
export type Lost = 'conflict' | 'gone';

/** A claim as it is sent. */
export type ClaimBody = Omit<ClaimRequest, 'reports'> & Partial<StatusRequest>;

/** How much longer than `wait_seconds` a claim may take before we ask again. */
const CLAIM_SLACK_MILLISECONDS = 15_000;

async function orLost<T>(answer: Promise<T>): Promise<T | Lost> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ControlPlaneRefused && error.status === 409) return 'conflict';
    if (error instanceof ControlPlaneRefused && error.status === 404) return 'gone';
    throw error;
  }
}

/**
 * The listener's side of docs/listener-protocol.md. Each call sends one request, retries it and validates the
 * response.
 */
export class ControlPlane {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  claim(body: ClaimBody, signal: AbortSignal): Promise<ClaimResponse> {
    const timeoutMilliseconds = (body.wait_seconds ?? 0) * 1000 + CLAIM_SLACK_MILLISECONDS;
    return this.#post('tasks/claim', body, claimResponse, { signal, timeoutMilliseconds });
  }

  heartbeat(taskId: string, body: HeartbeatRequest, signal: AbortSignal): Promise<{ stop: boolean } | Lost> {
    return orLost(this.#post(`tasks/${taskId}/heartbeat`, body, heartbeatResponse, { signal }));
  }

  complete(
    taskId: string,
    body: CompleteRequest,
    signal: AbortSignal,
  ): Promise<{ accepted: boolean } | Lost> {
    return orLost(this.#post(`tasks/${taskId}/complete`, body, completeResponse, { signal }));
  }

  taskLogs(taskId: string, body: TaskLogsRequest, signal: AbortSignal): Promise<'accepted' | Lost> {
    const sent = this.#http.send('POST', `tasks/${taskId}/logs`, { body, signal });
    return orLost(sent.then(() => 'accepted' as const));
  }

  /** What should run of these deployments; those that are not known here any more are left out. */
  async desiredOf(deploymentIds: readonly string[], signal: AbortSignal): Promise<DesiredResponse> {
    const path = `desired?deployment_ids=${deploymentIds.join(',')}`;
    return desiredResponse.parse(JSON.parse((await this.#http.send('GET', path, { signal })).text));
  }

  /** What should run; `unchanged` when the answer with this ETag still holds. */
  async desired(
    etag: string | undefined,
    signal: AbortSignal,
  ): Promise<{ etag: string | undefined; answer: DesiredResponse } | 'unchanged'> {
    const headers: Record<string, string> = etag === undefined ? {} : { 'if-none-match': etag };
    const response = await this.#http.send('GET', 'desired', { signal, headers });
    if (response.status === 304) return 'unchanged';
    return {
      etag: response.headers.get('etag') ?? undefined,
      answer: desiredResponse.parse(JSON.parse(response.text)),
    };
  }

  /** Everything needed to run the deployment's active or in-task revision; undefined when it has none. */
  async spec(deploymentId: string, signal: AbortSignal): Promise<DeploySpec | undefined> {
    const sent = await orLost(this.#http.send('GET', `deployments/${deploymentId}/spec`, { signal }));
    return typeof sent === 'string' ? undefined : deploySpec.parse(JSON.parse(sent.text));
  }

  async status(body: StatusRequest, signal: AbortSignal): Promise<void> {
    await this.#post('status', body, statusResponse, { signal });
  }

  async logs(body: ShipLogsRequest, signal: AbortSignal): Promise<void> {
    await this.#post('logs', body, shipLogsResponse, { signal });
  }

  /** What pulls the images of the tenant. Throws Refused when the installation has no registry. */
  registryCredentials(signal: AbortSignal): Promise<RegistryCredentials> {
    return this.#post('registry-credentials', undefined, registryCredentialsView, { signal });
  }

  async #post<S extends z.ZodType>(
    path: string,
    body: unknown,
    schema: S,
    options: { signal: AbortSignal; timeoutMilliseconds?: number },
  ): Promise<z.infer<S>> {
    const response = await this.#http.send('POST', path, { body, ...options });
    return schema.parse(JSON.parse(response.text));
  }
}
