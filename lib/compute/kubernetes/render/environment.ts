import type { V1Deployment, V1EnvVar, V1EnvVarSource } from '@kubernetes/client-node';
import { revisionVariables, serverDefaults } from '../../../contract/server-variables.ts';
import { baseNameOf, type ServerSpec } from './context.ts';
import { postgresName, redisName } from './names.ts';

export const SERVER_PORT = 8000;
/** The key under which the Secrets of our own stores hold their address. */
export const URI_KEY = 'uri';

/** Where a server must listen to be reached. A deployment's own values would make it unreachable. */
const listening = new Map([
  ['PORT', String(SERVER_PORT)],
  ['HOST', '0.0.0.0'],
]);

const fromSecret = (name: string, key: string): V1EnvVarSource => ({ secretKeyRef: { name, key } });

/** By index: a key of a Secret may have fewer characters than the name of a variable. */
const keyOf = (index: number): string => `v${index}`;

/** The deployment's own variables but those that yield to ours. */
const ownVariables = ({ environment }: ServerSpec): ServerSpec['environment'] =>
  environment.filter(({ name }) => !listening.has(name));

/** The data of a set's Secret. */
export const secretData = (spec: ServerSpec): Record<string, string> =>
  Object.fromEntries(
    ownVariables(spec).map(({ value }, index) => [keyOf(index), Buffer.from(value).toString('base64')]),
  );

/** Where each variable of the deployment comes from. A reference wins over a value of the same name. */
function sources(spec: ServerSpec, secretName: string): Map<string, V1EnvVarSource> {
  const values = ownVariables(spec).map(
    ({ name }, index) => [name, fromSecret(secretName, keyOf(index))] as const,
  );
  const references = spec.secret_references
    .filter(({ name }) => !listening.has(name))
    .map(({ name, secret_name, secret_key }) => [name, fromSecret(secret_name, secret_key)] as const);
  return new Map([...values, ...references]);
}

/** The variables that a server of `langgraph.json` reads its stores from, and those that replace ours. */
const stores = {
  postgres: { variable: 'DATABASE_URI', custom: 'POSTGRES_URI_CUSTOM', name: postgresName },
  redis: { variable: 'REDIS_URI', custom: 'REDIS_URI_CUSTOM', name: redisName },
} as const;
export type Store = keyof typeof stores;

/** Whether the deployment runs on a store of ours, because it brings none. */
export function needsStore(spec: ServerSpec, store: Store): boolean {
  const { custom } = stores[store];
  const names = [...spec.environment, ...spec.secret_references].map(({ name }) => name);
  return spec.server === 'langgraph' && !names.includes(custom);
}

function storeVariables(spec: ServerSpec, own: Map<string, V1EnvVarSource>): V1EnvVar[] {
  if (spec.server !== 'langgraph') return [];
  const base = baseNameOf(spec);
  const variables: V1EnvVar[] = Object.values(stores).map(({ variable, custom, name }) => ({
    name: variable,
    valueFrom: own.get(custom) ?? fromSecret(name(base), URI_KEY),
  }));
  // A server of somebody else may look for its database under either name.
  const isOther = spec.runtime === 'command' && !own.has('DATABASE_URL');
  const database = variables.find(({ name }) => name === stores.postgres.variable);
  return isOther && database !== undefined
    ? [...variables, { ...database, name: 'DATABASE_URL' }]
    : variables;
}

const literals = (values: Readonly<Record<string, string>>): V1EnvVar[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }));

/** What servers of a spec are told of themselves. */
export const toldOf = (spec: ServerSpec): V1EnvVar[] =>
  literals({ ...serverDefaults, ...revisionVariables(spec) });

const TOLD = new Set([...Object.keys(serverDefaults), 'SLIPWAY_REVISION_ID', 'SLIPWAY_COMMIT']);

/** What those of a set that is there were told: a set never changes, whichever revision it runs for by now. */
export const toldIn = ({ spec }: V1Deployment): V1EnvVar[] =>
  (spec?.template.spec?.containers[0]?.env ?? []).flatMap(({ name, value }) =>
    value !== undefined && TOLD.has(name) ? [{ name, value }] : [],
  );

/**
 * The variables of a server or of its queue workers; `extra` come after the deployment's own, then what it is
 * `told` of itself.
 */
export function environmentOf(
  spec: ServerSpec,
  secretName: string,
  told: readonly V1EnvVar[],
  extra: V1EnvVar[] = [],
): V1EnvVar[] {
  const own = sources(spec, secretName);
  const variables: V1EnvVar[] = [
    ...[...own].map(([name, valueFrom]) => ({ name, valueFrom })),
    ...storeVariables(spec, own),
    ...extra,
    ...told.filter(({ name }) => !(name in serverDefaults && own.has(name))),
    ...[...listening].map(([name, value]) => ({ name, value })),
  ];
  // The API server merges variables by name and refuses two of one.
  return [...new Map(variables.map((variable) => [variable.name, variable])).values()];
}

/** What is said of the deployment's variables that yield to ours. */
export const environmentNotes = (spec: ServerSpec): string[] =>
  [...listening].flatMap(([name, value]) =>
    [...spec.environment, ...spec.secret_references].some((given) => given.name === name)
      ? [`The secret ${name} is not used: the server is told to listen with ${name}=${value}.`]
      : [],
  );
