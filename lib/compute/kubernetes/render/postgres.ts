import type {
  V1Container,
  V1PersistentVolumeClaim,
  V1Secret,
  V1Service,
  V1StatefulSet,
} from '@kubernetes/client-node';
import { baseNameOf, type RenderContext, type ServerSpec } from './context.ts';
import { needsStore } from './environment.ts';
import { metadataOf, ownLabels, podSelector } from './metadata.ts';
import { postgresName } from './names.ts';
import { requirementsOf, resourcesOf, storageQuantity } from './resources.ts';
import { passwordVariable, renderStoreSecret, renderStoreService, storeSecurity } from './store-objects.ts';
import { type StorePod, storePodBase, storePodNote, storePodOf } from './store-pod.ts';

export type RenderedPostgres = { statefulSet: V1StatefulSet; service: V1Service; secret: V1Secret };

const PORT = 5432;
const USER = 'postgres';
const DATABASE = 'postgres';
const DATA = 'data';
const FOLDER = '/var/lib/postgresql/data';
const STORAGE_GI = 10;
/** To write everything to disk, so that the next start need not repair it. */
const STOP_SECONDS = 60;
const part = { component: 'postgres' } as const;

function container(spec: ServerSpec, name: string, image: string): V1Container {
  const asked = resourcesOf(spec);
  const resources = requirementsOf(asked, 'db_');
  const connections = asked.db_max_connections;
  return {
    name: 'postgres',
    image,
    ...(connections !== undefined && { args: ['-c', `max_connections=${connections}`] }),
    env: [
      { name: 'POSTGRES_USER', value: USER },
      { name: 'POSTGRES_DB', value: DATABASE },
      passwordVariable('POSTGRES_PASSWORD', name),
      // A volume's root may hold `lost+found`, and Postgres takes an empty folder only.
      { name: 'PGDATA', value: `${FOLDER}/pgdata` },
    ],
    ports: [{ name: 'postgres', containerPort: PORT }],
    readinessProbe: { exec: { command: ['pg_isready', '-U', USER, '-d', DATABASE] }, periodSeconds: 5 },
    volumeMounts: [{ name: DATA, mountPath: FOLDER }],
    ...(resources !== undefined && { resources }),
    securityContext: storeSecurity,
  };
}

const claim = (spec: ServerSpec, context: RenderContext): V1PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { name: DATA, labels: ownLabels(spec, context, part) },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: storageQuantity(resourcesOf(spec).db_storage_gi ?? STORAGE_GI) } },
  },
});

function statefulSet(spec: ServerSpec, context: RenderContext, name: string, pod: StorePod): V1StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: metadataOf(name, spec, context, { ...part, annotations: storePodNote(pod) }),
    spec: {
      serviceName: name,
      replicas: 1,
      revisionHistoryLimit: 1,
      selector: { matchLabels: podSelector(spec, part) },
      template: {
        metadata: { labels: ownLabels(spec, context, part) },
        spec: {
          ...storePodBase(pod),
          terminationGracePeriodSeconds: STOP_SECONDS,
          containers: [container(spec, name, pod.image)],
        },
      },
      volumeClaimTemplates: [claim(spec, context)],
      // The data outlives the StatefulSet, which is made anew when the claim grows.
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    },
  };
}

/**
 * The Postgres of a server of `langgraph.json` that brings none; undefined for any other. The password is
 * for the driver to make, once: the database keeps the first. `pod`: as it was made, if it stays so.
 */
export function renderPostgres(
  spec: ServerSpec,
  context: RenderContext,
  password: string,
  pod = storePodOf(context, 'postgres'),
): RenderedPostgres | undefined {
  if (!needsStore(spec, 'postgres')) return undefined;
  const name = postgresName(baseNameOf(spec));
  const host = `${name}.${context.namespace}.svc:${PORT}`;
  const uri = `postgres://${USER}:${encodeURIComponent(password)}@${host}/${DATABASE}?sslmode=disable`;
  return {
    statefulSet: statefulSet(spec, context, name, pod),
    service: renderStoreService(spec, context, { name, store: 'postgres', port: PORT }),
    secret: renderStoreSecret(spec, context, { name, store: 'postgres', uri, password }),
  };
}
