import type { KubernetesObject, V1Deployment, V1Pod, V1Secret, V1Service } from '@kubernetes/client-node';
import type { AgentFailure } from '../../../domain/agent-failure.ts';
import { Overtaken, Refused } from './api-server.ts';
import type { Cluster } from './cluster.ts';
import { covers } from './covers.ts';
import { managedKinds } from './kinds.ts';
import { type Observed, type ObservedSet, observe } from './observed.ts';
import { failureOf } from './reasons.ts';
import { baseNameOf, type RenderContext, type ServerSpec } from './render/context.ts';
import { annotations, baseName, labels, setName } from './render/names.ts';
import { problemsOf } from './render/problems.ts';
import { resourcesOf, scaleOf } from './render/resources.ts';
import { addressOf } from './render/route.ts';
import { trafficTo } from './render/service.ts';
import { type RenderedSet, renderSet, setKey } from './render/set.ts';
import { wireOf } from './render/wire.ts';
import { sharedObjects } from './shared.ts';
import type { ObjectStore } from './store.ts';

/** What the kubelet says changes without an event of the pod. */
const EVENTS_KEPT_MILLISECONDS = 5_000;

type Parts = {
  id: string;
  cluster: Cluster;
  store: ObjectStore;
  contextOf: (spec: ServerSpec) => RenderContext;
  /** This program: written where a task is worked on, so that one that was paused finds that out. */
  holder: string;
};

type Notes = Record<string, string | undefined>;

/** The compute sets of one deployment, and the service in front of them. */
export class Sets {
  readonly #parts: Parts;
  #spec: ServerSpec | undefined;
  #salt: string | undefined;
  #key = '';
  /** Version of the Service under which a task may move the traffic. */
  #fence: string | undefined;
  readonly #events = new Map<string, { at: number; messages: Promise<string[]> }>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The set that shall serve. */
  get key(): string {
    return this.#key;
  }

  get min(): number {
    return scaleOf(resourcesOf(this.#wanted())).min;
  }

  get max(): number {
    return scaleOf(resourcesOf(this.#wanted())).max;
  }

  get graceMilliseconds(): number {
    return this.#context().graceSeconds * 1000;
  }

  /** From now on this is what shall run. With a task, a revision that runs already is started anew. */
  take(spec: ServerSpec, byTask: boolean): void {
    this.#spec = spec;
    const context = this.#context();
    const [plain, fresh] = [setKey(spec, context), setKey(spec, context, spec.revision_id)];
    const { traffic, service, sets } = this.observe();
    const begun = [...sets].find(
      ([, { deployment }]) =>
        noted(deployment, annotations.revision) === spec.revision_id &&
        noted(deployment, annotations.retiredAt) === undefined,
    );
    const isRestart =
      byTask && plain === traffic && noted(service, annotations.revision) !== spec.revision_id;
    this.#key = begun?.[0] ?? (isRestart ? fresh : plain);
    this.#salt = this.#key === fresh ? spec.revision_id : undefined;
  }

  observe(): Observed {
    return observe(this.#parts.store, this.#parts.id, this.#base());
  }

  /** Under whose epoch the traffic was moved last. */
  notedEpoch(): number | undefined {
    const epoch = noted(this.observe().service, annotations.epoch);
    return epoch === undefined ? undefined : Number(epoch);
  }

  address(): string {
    if (this.#spec !== undefined) return addressOf(this.#spec, this.#context());
    return noted(this.observe().service, annotations.address) ?? '';
  }

  /** A task is worked on here: who did before finds the Service changed when it moves the traffic. */
  async claim(): Promise<void> {
    const { service } = this.observe();
    if (this.#fence !== undefined && noted(service, annotations.lease) === this.#parts.holder) return;
    await this.#shared();
    const written = await this.#noteService({ [annotations.lease]: this.#parts.holder });
    this.#fence = written.metadata?.resourceVersion;
  }

  /** The next task begins with a claim of its own. */
  release(): void {
    this.#fence = undefined;
  }

  /** Tries everything out, and makes it. Throws Refused, before anything is there, for what cannot be had. */
  async create(wanted: number, served: boolean, say: (line: string) => void): Promise<void> {
    const { cluster } = this.#parts;
    const problems = problemsOf(this.#wanted(), this.#context());
    if (problems.length > 0) throw new Refused(422, problems.join(' '));
    const rendered = this.#render(wanted);
    for (const object of objectsOf(rendered)) await cluster.tryOut(object);
    await this.#shared();
    for (const object of supportingOf(rendered)) await cluster.apply(object);
    for (const note of rendered.notes) say(note);
    for (const each of deploymentsOf(rendered)) {
      await cluster.scale(each);
      await cluster.apply(unscaled(each));
    }
    await this.#noteSet(this.#key, { [annotations.served]: served ? 'true' : undefined });
    for (const object of scalersOf(rendered)) await cluster.apply(object);
  }

  async scale(key: string, wanted: number): Promise<void> {
    const deployment = this.#set(key)?.deployment;
    if (deployment === undefined) return;
    await this.#parts.cluster.scale({ ...headerOf(deployment), spec: { replicas: wanted } });
  }

  /** It serves again: its time does not run out any more. */
  async revive(key: string, wanted: number): Promise<void> {
    await this.#noteSet(key, { [annotations.retiredAt]: undefined });
    await this.scale(key, wanted);
  }

  /** What drains is not scaled any more: an autoscaler would end it. */
  async retire(key: string): Promise<void> {
    for (const object of this.#objectsOfSet(key))
      if (object.kind === 'HorizontalPodAutoscaler') await this.#parts.cluster.remove(object);
    await this.#noteSet(key, { [annotations.retiredAt]: new Date().toISOString() });
  }

  async remove(key: string): Promise<void> {
    for (const object of this.#objectsOfSet(key)) await this.#parts.cluster.remove(object);
  }

  /** Sends the requests to another set, in one write. Throws Overtaken when somebody else works here. */
  async move(key: string, epoch: number): Promise<void> {
    const { id, holder } = this.#parts;
    await this.#noteSet(key, { [annotations.served]: 'true' });
    const selector = trafficTo(id, key);
    const deployment = this.#set(key)?.deployment;
    const notes = {
      [annotations.revision]: noted(deployment, annotations.revision),
      [annotations.epoch]: String(epoch),
      [annotations.address]: this.address(),
    };
    try {
      await this.#noteService(notes, selector, this.#fence);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      // Anybody may have changed it; the holder says whether it is another listener.
      const now = await this.#parts.cluster.read(this.#serviceHeader());
      const works = noted(now, annotations.lease);
      if (this.#fence !== undefined && works !== undefined && works !== holder) throw error;
      await this.#noteService(notes, selector, now?.metadata?.resourceVersion);
    }
  }

  async stopTraffic(): Promise<void> {
    await this.#parts.cluster.remove(this.#serviceHeader());
  }

  /** Everything that the deployment still has. */
  async removeAll(alsoData: boolean): Promise<void> {
    const { cluster, store, id } = this.#parts;
    const left = store.everything(id).filter(isManaged);
    for (const object of left) await cluster.remove(object);
    const namespaces = new Set(left.map(({ metadata }) => metadata?.namespace ?? ''));
    if (!alsoData) return;
    for (const namespace of namespaces) await cluster.removeVolumes(namespace, `${labels.deployment}=${id}`);
  }

  async noteEpoch(epoch: number): Promise<void> {
    const { service } = this.observe();
    if (service === undefined || noted(service, annotations.epoch) === String(epoch)) return;
    await this.#noteService({ [annotations.epoch]: String(epoch) });
  }

  /** Brings back what others have deleted or changed of what is rendered here. */
  async mend(): Promise<void> {
    const context = this.#context();
    const set = this.#set(this.#key);
    const spec = this.#wanted();
    if (set === undefined || noted(set.deployment, annotations.retiredAt) !== undefined) return;
    await this.#shared();
    // A newer listener may render it another way: that comes with the next revision.
    if (![setKey(spec, context), setKey(spec, context, spec.revision_id)].includes(this.#key)) return;
    const rendered = this.#render(set.deployment.spec?.replicas ?? 1);
    const wanted = [
      ...supportingOf(rendered),
      ...deploymentsOf(rendered).map(unscaled),
      ...scalersOf(rendered),
    ];
    for (const object of wanted) await this.#mendOne(object);
    if (noted(set.deployment, annotations.revision) !== spec.revision_id) await this.#noteSet(this.#key, {});
    if (rendered.autoscaler === undefined && (set.deployment.spec?.replicas ?? 1) < this.min)
      await this.scale(this.#key, this.min);
  }

  failureOf({ deployment, pods }: ObservedSet): Promise<AgentFailure | undefined> {
    const { cluster } = this.#parts;
    return failureOf(pods, deployment, {
      lastWords: (pod, container) => cluster.lastWords(pod, container),
      eventsOf: (pod) => this.#eventsOf(pod),
    });
  }

  #eventsOf(pod: V1Pod): Promise<string[]> {
    const uid = pod.metadata?.uid ?? '';
    const known = this.#events.get(uid);
    if (known !== undefined && Date.now() - known.at < EVENTS_KEPT_MILLISECONDS) return known.messages;
    const messages = this.#parts.cluster.eventsOf(pod);
    this.#events.set(uid, { at: Date.now(), messages });
    return messages;
  }

  /** What the deployment has once, whichever set serves. */
  async #shared(): Promise<void> {
    const { store, id } = this.#parts;
    const secretOf = (name: string) => store.get<V1Secret>(id, 'Secret', name);
    for (const object of sharedObjects(this.#wanted(), this.#context(), secretOf))
      await this.#mendOne(object);
  }

  async #mendOne(object: KubernetesObject): Promise<void> {
    const { cluster, store, id } = this.#parts;
    const live = store.get(id, object.kind ?? '', object.metadata?.name ?? '');
    if (live !== undefined && covers(live, wireOf(object))) return;
    await cluster.apply(object);
  }

  #render(wanted: number): RenderedSet {
    return renderSet(this.#wanted(), this.#context(), wanted, this.#salt);
  }

  #wanted(): ServerSpec {
    if (this.#spec === undefined) throw new Error('Nothing is known that shall run');
    return this.#spec;
  }

  #context = (): RenderContext => this.#parts.contextOf(this.#wanted());

  /** Without a spec the name is taken from what is there. */
  #base(): string {
    const { id, store } = this.#parts;
    if (this.#spec !== undefined) return baseNameOf(this.#spec);
    const name = store.everything(id).map((each) => each.metadata?.labels?.[labels.name]);
    return baseName(name.find((each) => each !== undefined) ?? '', id);
  }

  #set = (key: string): ObservedSet | undefined => this.observe().sets.get(key);

  #objectsOfSet(key: string): KubernetesObject[] {
    const { store, id } = this.#parts;
    const own = store.everything(id).filter(({ metadata }) => metadata?.labels?.[labels.set] === key);
    return own.filter(isManaged);
  }

  #serviceHeader(): V1Service {
    const { service } = this.observe();
    const namespace = service?.metadata?.namespace ?? this.#context().namespace;
    return { apiVersion: 'v1', kind: 'Service', metadata: { name: this.#base(), namespace } };
  }

  /** All that is noted on the Service, with some of it changed; where the traffic goes, unless it is given. */
  async #noteService(change: Notes, selector?: Record<string, string>, fence?: string): Promise<V1Service> {
    const header = this.#serviceHeader();
    const { service } = this.observe();
    const names = [annotations.revision, annotations.epoch, annotations.lease, annotations.address];
    const notes = { ...notesOf(service, names), ...change };
    const metadata = {
      ...header.metadata,
      annotations: present(notes),
      ...(fence && { resourceVersion: fence }),
    };
    const where = selector ?? service?.spec?.selector;
    const spec = where === undefined ? {} : { spec: { selector: where } };
    const written = await this.#parts.cluster.note<V1Service>({ ...header, metadata, ...spec });
    if (this.#fence !== undefined) this.#fence = written.metadata?.resourceVersion;
    return written;
  }

  async #noteSet(key: string, change: Notes): Promise<void> {
    const deployment = this.#parts.store.get<V1Deployment>(
      this.#parts.id,
      'Deployment',
      setName(this.#base(), key),
    );
    if (deployment === undefined) return;
    const names = [annotations.revision, annotations.served, annotations.retiredAt];
    const revision = key === this.#key ? { [annotations.revision]: this.#spec?.revision_id } : {};
    const notes = { ...notesOf(deployment, names), ...revision, ...change };
    const header = headerOf(deployment);
    await this.#parts.cluster.note({
      ...header,
      metadata: { ...header.metadata, annotations: present(notes) },
    });
  }
}

const noted = (object: KubernetesObject | undefined, name: string): string | undefined =>
  object?.metadata?.annotations?.[name];

const notesOf = (object: KubernetesObject | undefined, names: readonly string[]): Notes =>
  Object.fromEntries(names.map((name) => [name, noted(object, name)]));

const present = (notes: Notes): Record<string, string> =>
  Object.fromEntries(
    Object.entries(notes).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

const headerOf = (deployment: V1Deployment): V1Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: deployment.metadata?.name ?? '', namespace: deployment.metadata?.namespace ?? '' },
});

const isManaged = ({ kind }: KubernetesObject): boolean => managedKinds.some((each) => each.kind === kind);

const deploymentsOf = ({ deployment, queue }: RenderedSet): V1Deployment[] =>
  queue === undefined ? [deployment] : [deployment, queue];

/** What has to be there before the servers are. */
const supportingOf = ({ secret, trialService, disruptionBudget, queueDisruptionBudget }: RenderedSet) =>
  [secret, trialService, disruptionBudget, queueDisruptionBudget].filter(isGiven);

const scalersOf = ({ autoscaler, queueAutoscaler }: RenderedSet) =>
  [autoscaler, queueAutoscaler].filter(isGiven);

const isGiven = <T>(object: T | undefined): object is T => object !== undefined;

const objectsOf = (rendered: RenderedSet): KubernetesObject[] => [
  ...supportingOf(rendered),
  ...deploymentsOf(rendered),
  ...scalersOf(rendered),
];

/** Without the number of servers, which is another owner's. */
function unscaled(deployment: V1Deployment): V1Deployment {
  const { replicas: _, ...spec } = deployment.spec ?? { selector: {}, template: {} };
  return { ...deployment, spec };
}
