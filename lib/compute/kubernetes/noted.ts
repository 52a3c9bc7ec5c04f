import type { KubernetesObject, V1Deployment } from '@kubernetes/client-node';
import { managedKinds } from './kinds.ts';
import { annotations, labels } from './render/names.ts';

/** What this driver notes on an object, by annotation. */
export type Notes = Record<string, string | undefined>;

/** Who noted something writes all of it: what is left out goes. */
const ofService = [annotations.revision, annotations.epoch, annotations.lease, annotations.address];
const ofSet = [annotations.revision, annotations.served, annotations.retiredAt];

export const noted = (object: KubernetesObject | undefined, name: string): string | undefined =>
  object?.metadata?.annotations?.[name];

const notesOf = (object: KubernetesObject | undefined, names: readonly string[]): Notes =>
  Object.fromEntries(names.map((name) => [name, noted(object, name)]));

/** Everything noted on the Service, with some of it changed. */
export const serviceNotes = (service: KubernetesObject | undefined, change: Notes): Record<string, string> =>
  present({ ...notesOf(service, ofService), ...change });

/** Everything noted on the Deployment of a set, with some of it changed. */
export const setNotes = (deployment: KubernetesObject, change: Notes): Record<string, string> =>
  present({ ...notesOf(deployment, ofSet), ...change });

const present = (notes: Notes): Record<string, string> =>
  Object.fromEntries(
    Object.entries(notes).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** What names a Deployment to the API server. */
export const headerOf = ({ metadata }: V1Deployment): V1Deployment => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: metadata?.name ?? '', namespace: metadata?.namespace ?? '' },
});

export const isManagedObject = ({ kind }: KubernetesObject): boolean =>
  managedKinds.some((each) => each.kind === kind);

/** Whether it is a way in from outside, of which a deployment has one at most. */
export const isRoute = (object: KubernetesObject): boolean =>
  isManagedObject(object) && (object.kind === 'HTTPRoute' || object.kind === 'Ingress');

/** A database takes the password that it began with: the Secret stays as long as the volume does. */
export const belongsToData = ({ kind, metadata }: KubernetesObject): boolean =>
  kind === 'Secret' && metadata?.labels?.[labels.component] === 'postgres';
