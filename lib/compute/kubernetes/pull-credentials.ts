import type { V1Secret } from '@kubernetes/client-node';
import { messageOf } from '../../listener/backoff.ts';
import type { ControlPlane, RegistryCredentials } from '../../listener/control-plane.ts';
import { ControlPlaneRefused } from '../../listener/http.ts';
import type { Log } from '../../listener/log.ts';
import type { Cluster } from './cluster.ts';
import type { RenderContext, ServerSpec } from './render/context.ts';
import { labels, MANAGED_BY } from './render/names.ts';

/** An installation may get a registry; until then each question is one too many. */
const REFUSED_MILLISECONDS = 10 * 60_000;
/** What passes is tried again after so long. */
const RETRY_MILLISECONDS = 60_000;
/** A deployment waits so long for an answer; nodes may pull without, and if not, they say so. */
const ANSWER_MILLISECONDS = 20_000;
/** Whatever the clocks of both sides say. */
const RENEW_MILLISECONDS = { min: 60_000, max: 24 * 3_600_000 };

type Parts = {
  cluster: Pick<Cluster, 'apply'>;
  controlPlane: Pick<ControlPlane, 'registryCredentials'>;
  listenerId: string;
  /** The deployment has to look again: its pods need the Secret after all. */
  needed: (deploymentId: string) => void;
  log: Log;
};

type User = { image: string; namespace: string };

/** Keeps the Secrets with which nodes pull images from the installation's registry. */
export class PullCredentials {
  readonly #parts: Parts;
  readonly #closed = new AbortController();
  /** Deployments that run images, and do not leave pulling to the node. */
  readonly #users = new Map<string, User>();
  /** Namespaces that have the credentials. */
  readonly #applied = new Set<string>();
  #credentials: RegistryCredentials | undefined;
  /** When to ask the next time. Epoch milliseconds. */
  #dueAt = 0;
  /** Whether it is asked then, or only when a deployment asks for it. */
  #isRenewed = false;
  #asking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The Secret that pods of this image pull with; undefined: none of ours, as far as is known. */
  secretFor({ artifact }: Pick<ServerSpec, 'artifact'>): string | undefined {
    const isOurs = artifact.kind === 'image' && this.#holds(artifact.uri);
    return isOurs ? pullSecretName(this.#parts.listenerId) : undefined;
  }

  /** Resolves when the Secret is there that the deployment's pods need, if they need one. */
  async prepare({ deployment_id: id, artifact }: ServerSpec, context: RenderContext): Promise<void> {
    const { namespace, computeConfig } = context;
    if (artifact.kind !== 'image' || computeConfig.image_pull === 'node') return this.forget(id);
    this.#users.set(id, { image: artifact.uri, namespace });
    if (!this.#isValid() && Date.now() >= this.#dueAt) await this.#ask();
    this.#renewIn(this.#dueAt - Date.now());
    if (this.#holds(artifact.uri) && !this.#applied.has(namespace)) await this.#apply(namespace);
  }

  /** Nothing of the deployment shall run. */
  forget(deploymentId: string): void {
    this.#users.delete(deploymentId);
  }

  close(): void {
    this.#closed.abort();
    clearTimeout(this.#timer);
  }

  #isValid(): boolean {
    return this.#credentials !== undefined && Date.parse(this.#credentials.expires_at) > Date.now();
  }

  #holds(image: string): boolean {
    return this.#credentials !== undefined && image.startsWith(`${this.#credentials.registry}/`);
  }

  #renewIn(milliseconds: number): void {
    if (!this.#isRenewed || this.#closed.signal.aborted) return;
    this.#timer ??= setTimeout(() => void this.#renew(), Math.max(0, milliseconds));
  }

  async #renew(): Promise<void> {
    this.#timer = undefined;
    if (this.#users.size === 0) return;
    if (Date.now() >= this.#dueAt) await this.#ask();
    const needing = [...this.#users.values()].filter(({ image }) => this.#holds(image));
    const namespaces = new Set(needing.map(({ namespace }) => namespace)).difference(this.#applied);
    const written = await Promise.all([...namespaces].map((namespace) => this.#tryToApply(namespace)));
    this.#renewIn(written.includes(false) ? RETRY_MILLISECONDS : this.#dueAt - Date.now());
  }

  async #tryToApply(namespace: string): Promise<boolean> {
    try {
      await this.#apply(namespace);
      return true;
    } catch (error) {
      this.#parts.log.warn(`${namespace}: credentials to pull images are not written: ${messageOf(error)}`);
      return false;
    }
  }

  async #apply(namespace: string): Promise<void> {
    const { cluster, listenerId } = this.#parts;
    const credentials = this.#credentials;
    if (credentials === undefined) return;
    await cluster.apply(renderPullSecret(listenerId, namespace, credentials));
    // Newer ones may have come meanwhile.
    if (credentials === this.#credentials) this.#applied.add(namespace);
  }

  /** Whoever asks at the same time gets the same answer. */
  #ask(): Promise<void> {
    this.#asking ??= this.#answer().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  async #answer(): Promise<void> {
    const before = this.#credentials?.registry;
    try {
      // The control plane is asked over and over while it does not answer.
      const late = AbortSignal.any([this.#closed.signal, AbortSignal.timeout(ANSWER_MILLISECONDS)]);
      const found = await this.#parts.controlPlane.registryCredentials(late);
      const left = (Date.parse(found.expires_at) - Date.now()) / 2;
      const { min, max } = RENEW_MILLISECONDS;
      this.#isRenewed = true;
      this.#dueAt = Date.now() + Math.min(max, Math.max(min, left || 0));
      this.#credentials = found;
      this.#applied.clear();
    } catch (error) {
      this.#unanswered(error);
    }
    if (this.#credentials === undefined || this.#credentials.registry === before) return;
    for (const [id, { image }] of this.#users) if (this.#holds(image)) this.#parts.needed(id);
  }

  #unanswered(error: unknown): void {
    if (this.#closed.signal.aborted) return;
    const isRefused = error instanceof ControlPlaneRefused;
    const hasNone = isRefused && error.status === 404;
    this.#parts.log[hasNone ? 'debug' : 'warn'](`no credentials to pull images: ${messageOf(error)}`);
    this.#dueAt = Date.now() + (isRefused ? REFUSED_MILLISECONDS : RETRY_MILLISECONDS);
    this.#isRenewed = !isRefused || this.#credentials !== undefined;
  }
}

/** As deployments' names have it. */
const ID_DIGITS = 8;

const pullSecretName = (listenerId: string): string =>
  `slipway-pull-${listenerId.replaceAll('-', '').slice(-ID_DIGITS)}`;

/** What nodes pull from the installation's registry with: one of a namespace, for all of its deployments. */
function renderPullSecret(
  listenerId: string,
  namespace: string,
  { registry, username, password }: RegistryCredentials,
): V1Secret {
  const auth = base64(`${username}:${password}`);
  const config = { auths: { [registry]: { username, password, auth } } };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: pullSecretName(listenerId),
      namespace,
      labels: { [labels.managedBy]: MANAGED_BY, [labels.listener]: listenerId },
    },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': base64(JSON.stringify(config)) },
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
