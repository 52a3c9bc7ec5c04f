import { parseArgs } from 'node:util';
import type * as z from 'zod';
import { hostNameOf } from '../serving/hosts.ts';
import {
  commonRows,
  kubernetesRows,
  type ListenerRow,
  listenerRows,
  processRows,
} from '../settings/listener.ts';
import { type SchemaOf, schemaOf } from '../settings/row.ts';
import { optionOf, variableOf } from '../settings/spelling.ts';
import { DEFAULT_STORE_IMAGES } from './store-images.ts';

type Rows = Readonly<Record<string, ListenerRow>>;
type Value<R extends ListenerRow> = z.output<SchemaOf<R>>;
type Values<R extends Rows> = {
  [Name in keyof R]: R[Name] extends { required: true | string }
    ? NonNullable<Value<R[Name]>>
    : Value<R[Name]>;
};

// The rows in lib/settings/listener.ts say what each option is.
type CommonOptions = Omit<Values<typeof commonRows>, 'driver'>;

/** Agents run as processes of this machine. */
export type ProcessListenerOptions = CommonOptions &
  Omit<Values<typeof processRows>, 'dataDir'> & { driver: 'process'; dataFolder: string };

/** Agents run in a Kubernetes cluster. */
export type KubernetesListenerOptions = CommonOptions &
  Omit<Values<typeof kubernetesRows>, 'leaseNamespace' | 'postgresImage' | 'redisImage'> & {
    driver: 'kubernetes';
    leaseNamespace: string;
    /** The images of the Postgres and the Redis that deployments get. */
    storeImages: { postgres: string; redis: string };
  };

export type ListenerOptions = ProcessListenerOptions | KubernetesListenerOptions;

/** The options are wrong; the message says which one and how it is given. */
export class OptionsError extends Error {}

/** What arguments say, by option, and what the environment says. */
type Given = { options: ReturnType<typeof parse>; environment: NodeJS.ProcessEnv };

/** Reads the options from arguments and environment, arguments first. Throws `OptionsError`. */
export function readOptions(args: string[], environment: NodeJS.ProcessEnv): ListenerOptions {
  const given = { options: parse(args), environment };
  const { driver, ...common } = valuesOf(commonRows, given);
  if (driver === 'process') return { ...common, driver, ...processOptions(given) };
  return { ...common, driver, ...kubernetesOptions(given) };
}

function parse(args: string[]) {
  const options = Object.entries(listenerRows).flatMap(([name, row]) => {
    const type: 'string' | 'boolean' = row.value === undefined ? 'boolean' : 'string';
    return row.only === 'variable' ? [] : [[optionOf(name).slice(2), { type }] as const];
  });
  try {
    return parseArgs({ args, options: Object.fromEntries(options), strict: true }).values;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

function valuesOf<R extends Rows>(rows: R, given: Given): Values<R> {
  const values = Object.entries(rows).map(([name, row]) => [name, valueOf(name, row, given)]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same names, each read with the schema of its own row
  return Object.fromEntries(values) as Values<R>;
}

function valueOf(name: string, row: ListenerRow, { options, environment }: Given): unknown {
  const option = optionOf(name);
  const variable = variableOf(name, row);
  const asked = options[option.slice(2)];
  const set = row.only === 'option' ? undefined : environment[variable];
  const text = asked === undefined ? set : String(asked);
  if (row.required !== undefined && (text ?? '').trim() === '') {
    const who = row.only === 'variable' ? 'An API key' : option;
    const when = row.required === true ? '' : ` ${row.required}`;
    throw new OptionsError(`${who} (or ${variable}) is required${when}.`);
  }
  const parsed = schemaOf(row).safeParse(text);
  if (parsed.success) return parsed.data;
  // A flag says nothing that could be wrong.
  const wrong = row.value === undefined ? variable : option;
  throw new OptionsError(parsed.error.issues.map(({ message }) => `${wrong} ${message}.`).join('\n'));
}

function processOptions(given: Given): Omit<ProcessListenerOptions, keyof CommonOptions | 'driver'> {
  const { dataDir, publicHosts, ...values } = valuesOf(processRows, given);
  // The public address of the agents is one of their names.
  const ofAddress = values.agentsUrl === undefined ? undefined : hostNameOf(new URL(values.agentsUrl).host);
  return {
    ...values,
    dataFolder: dataDir,
    publicHosts: ofAddress === undefined ? publicHosts : [...publicHosts, ofAddress],
  };
}

function kubernetesOptions(given: Given): Omit<KubernetesListenerOptions, keyof CommonOptions | 'driver'> {
  const { namespaces, postgresImage, redisImage, ...values } = valuesOf(kubernetesRows, given);
  return {
    ...values,
    namespaces,
    leaseNamespace: values.leaseNamespace ?? namespaces[0],
    storeImages: {
      postgres: postgresImage ?? DEFAULT_STORE_IMAGES.postgres,
      redis: redisImage ?? DEFAULT_STORE_IMAGES.redis,
    },
  };
}
