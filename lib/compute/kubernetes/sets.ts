import type { KubernetesObject, V1Deployment, V1Service } from '@kubernetes/client-node';
import type { AgentFailure } from '../../domain/agent-failure.ts';
import { mainOf, type Traffic } from '../../domain/rollout.ts';
import type { Compute, Found, NewSet, Plan, Say } from '../port.ts';
import { goalKeyOf } from '../runner.ts';
import { Refused } from './api-server.ts';
import type { Cluster } from './cluster.ts';
import { FencedService } from './fenced-service.ts';
import { mendOne } from './mend.ts';
import { belongsToData, headerOf, isManagedObject, type Notes, noted, setNotes } from './noted.ts';
import { failureInCluster, foundInCluster, type Observed, type ObservedSet, observe } from './observed.ts';
import { baseNameOf, type RenderContext, type ServerSpec } from './render/context.ts';
import { toldIn } from './render/environment.ts';
import { annotations, baseName, labels, setName } from './render/names.ts';
import { problemsToStart } from './render/problems.ts';
import { resourcesOf, scaleOf } from './render/resources.ts';
import { addressOf } from './render/route.ts';
import { type RenderedSet, renderSet, setKey } from './render/set.ts';
import { deploymentsOf, objectsOf, scalersOf, supportingOf, unscaled } from './rendered-objects.ts';
import { Shared } from './shared.ts';
import type { ObjectStore } from './store.ts';
import type { WayIn } from './way-in.ts';

type Parts = {
  id: string;
  cluster: Cluster;
  store: ObjectStore;
  contextOf: (spec: ServerSpec) => RenderContext;
  /** This program: written where a task is worked on, so that one that was paused finds that out. */
  holder: string;
  /** Traffic has moved. */
  moved: () => void;
};

/** The compute sets of one deployment, and the service in front of them. */
export class Sets implements Compute<Plan> {
  readonly #parts: Parts;
  #spec: ServerSpec | undefined;
  #plan: Plan | undefined;
  /** Keys of the spec that shall run, plain and for a restart; making them takes a while. */
  #keys: { of: string; plain: string; fresh: string } | undefined;
  /** What was last found as it should be. */
  #mended: string | undefined;
  /** The set that shall serve. */
  #key = '';
  /** Under which traffic is moved. */
  epoch: number | undefined;
  readonly #service: FencedService;
  readonly #shared: Shared;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#shared = new Shared(parts);
    this.#service = new FencedService({ ...parts, serviceNow: () => this.observe().service });
  }

  get wayIn(): WayIn {
    return this.#shared.wayIn;
  }

  /** From now on this is what shall run. With a task, a revision that runs already is started anew. */
  take(spec: ServerSpec, byTask: boolean): Plan {
    this.#spec = spec;
    const { plain, fresh } = this.#keysOf(spec);
    const { min, max } = scaleOf(resourcesOf(spec));
    const graceMilliseconds = this.#context().graceSeconds * 1000;
    const revisionId = spec.revision_id;
    const plan: Plan = { revisionId, keys: { plain, fresh }, byTask, min, max, graceMilliseconds };
    this.#plan = plan;
    this.#found();
    return plan;
  }

  async look(): Promise<Found> {
    return this.#found();
  }

  #found(): Found {
    const found = foundInCluster(this.observe());
    if (this.#plan !== undefined) this.#key = goalKeyOf(this.#plan, found);
    return found;
  }

  #keysOf(spec: ServerSpec): { of: string; plain: string; fresh: string } {
    const context = this.#context();
    const of = JSON.stringify([spec, context]);
    if (this.#keys?.of !== of)
      this.#keys = { of, plain: setKey(spec, context), fresh: setKey(spec, context, spec.revision_id) };
    return this.#keys;
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
    if (this.#service.isClaimed()) return;
    this.wayIn.begin();
    await this.#mendShared();
    await this.#service.claim(this.#serviceHeader());
  }

  /** The next task begins with a claim of its own. */
  release(): void {
    this.#service.release();
  }

  /** Tries everything out, and makes it. Throws Refused for what cannot be had, and leaves nothing of it. */
  async create({ wanted, served }: NewSet, say: Say): Promise<void> {
    const { cluster } = this.#parts;
    const problems = problemsToStart(this.#wanted(), this.#context(), served);
    if (problems.length > 0) throw new Refused(422, problems.join(' '));
    const rendered = this.#render(wanted);
    for (const object of objectsOf(rendered)) await cluster.tryOut(object);
    for (const note of rendered.notes) await say(note);
    // A new revision's servers wait for their stores: now these can be made anew.
    await this.#mendShared(!served);
    try {
      await this.#make(rendered, served);
    } catch (error) {
      if (error instanceof Refused && !served) await this.remove(this.#key);
      throw error;
    }
  }

  async #make(rendered: RenderedSet, served: boolean): Promise<void> {
    const { cluster } = this.#parts;
    for (const object of supportingOf(rendered)) await cluster.apply(object);
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
  async retire(key: string, at: number): Promise<void> {
    for (const object of this.#objectsOfSet(key))
      if (object.kind === 'HorizontalPodAutoscaler') await this.#parts.cluster.remove(object);
    await this.#noteSet(key, { [annotations.retiredAt]: new Date(at).toISOString() });
  }

  async remove(key: string): Promise<'done'> {
    for (const object of this.#objectsOfSet(key)) await this.#parts.cluster.remove(object);
    return 'done';
  }

  /** Sends the requests to another set, in one write. Throws Overtaken when somebody else works here. */
  async move(to: Traffic): Promise<void> {
    const key = mainOf(to) ?? '';
    await this.#noteSet(key, { [annotations.served]: 'true' });
    const revision = noted(this.#set(key)?.deployment, annotations.revision);
    await this.#service.move(this.#serviceHeader(), key, {
      [annotations.revision]: revision,
      [annotations.epoch]: String(this.epoch ?? 0),
      [annotations.address]: this.address(),
    });
    this.#parts.moved();
  }

  async stopTraffic(): Promise<void> {
    await this.#parts.cluster.remove(this.#serviceHeader());
  }

  /** What the deployment has once goes when nothing of it serves or drains. */
  async removeUnused(): Promise<void> {
    const { traffic, sets } = this.observe();
    if (traffic === undefined && sets.size === 0) await this.removeAll(false);
  }

  /** Everything that the deployment still has, but for its data if that stays. */
  async removeAll(alsoData: boolean): Promise<void> {
    const { cluster, store, id } = this.#parts;
    const managed = store.everything(id).filter(isManagedObject);
    const left = managed.filter((object) => alsoData || !belongsToData(object));
    for (const object of left) await cluster.remove(object);
    const namespaces = new Set(left.map(({ metadata }) => metadata?.namespace ?? ''));
    if (!alsoData) return;
    for (const namespace of namespaces) await cluster.removeVolumes(namespace, `${labels.deployment}=${id}`);
  }

  async noteEpoch(epoch: number): Promise<void> {
    const { service } = this.observe();
    if (service === undefined || noted(service, annotations.epoch) === String(epoch)) return;
    await this.#service.note(this.#serviceHeader(), { [annotations.epoch]: String(epoch) });
  }

  /** Brings back what others have deleted or changed of what is rendered here. */
  async mend(): Promise<void> {
    const spec = this.#wanted();
    const keys = this.#keysOf(spec);
    const set = this.#set(this.#key);
    if (set === undefined || noted(set.deployment, annotations.retiredAt) !== undefined) return;
    const state = () => `${this.#parts.store.changesOf(this.#parts.id)} ${this.#key} ${keys.of}`;
    if (state() === this.#mended) return;
    await this.#mendShared();
    // A newer listener may render it another way: that comes with the next revision.
    if (this.#key === keys.plain || this.#key === keys.fresh) await this.#mendSet(set.deployment);
    if (noted(set.deployment, annotations.revision) !== spec.revision_id) await this.#noteSet(this.#key, {});
    this.#mended = state();
  }

  async #mendSet(deployment: V1Deployment): Promise<void> {
    const { spec } = deployment;
    const rendered = this.#render(spec?.replicas ?? 1, toldIn(deployment));
    const wanted = [
      ...supportingOf(rendered),
      ...deploymentsOf(rendered).map(unscaled),
      ...scalersOf(rendered),
    ];
    const { cluster, store, id } = this.#parts;
    const { min } = scaleOf(resourcesOf(this.#wanted()));
    for (const object of wanted) await mendOne(cluster, store, id, object);
    if (rendered.autoscaler === undefined && (spec?.replicas ?? 1) < min) await this.scale(this.#key, min);
  }

  async failureOf(key: string): Promise<AgentFailure | undefined> {
    const set = this.#set(key);
    return set && failureInCluster(set, this.#parts);
  }

  #mendShared = (renew = false): Promise<void> => this.#shared.mend(this.#wanted(), this.#context(), renew);

  #render(wanted: number, told?: RenderContext['told']): RenderedSet {
    const spec = this.#wanted();
    const salt = this.#key === this.#plan?.keys.fresh ? spec.revision_id : undefined;
    const context = { ...this.#context(), ...(told !== undefined && { told }) };
    return renderSet(spec, context, wanted, salt);
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
    return own.filter(isManagedObject);
  }

  #serviceHeader(): V1Service {
    const { service } = this.observe();
    const namespace = service?.metadata?.namespace ?? this.#context().namespace;
    return { apiVersion: 'v1', kind: 'Service', metadata: { name: this.#base(), namespace } };
  }

  async #noteSet(key: string, change: Notes): Promise<void> {
    const deployment = this.#parts.store.get(this.#parts.id, 'Deployment', setName(this.#base(), key));
    if (deployment === undefined) return;
    const revision = key === this.#key ? { [annotations.revision]: this.#spec?.revision_id } : {};
    const notes = setNotes(deployment, { ...revision, ...change });
    const header = headerOf(deployment);
    await this.#parts.cluster.note({
      ...header,
      metadata: { ...header.metadata, annotations: notes },
    });
  }
}
