import { type ParseArgsConfig, parseArgs } from 'node:util';
import { type MemberRole, memberRoles } from '../contract/roles.ts';

/** The arguments are wrong; the message says which one and what it may be. */
export class OptionsError extends Error {}

/** Where to work: on the table of a deployed installation, or on the data of an embedded one that is running. */
export type Place =
  | { kind: 'deployed'; tableName: string; region: string | undefined }
  | { kind: 'embedded'; dataFolder: string };

export type Command =
  | { kind: 'help' }
  | {
      kind: 'key';
      place: Place;
      json: boolean;
      tenantId: string;
      role: MemberRole;
      name: string;
      organisationWide: boolean;
    }
  | { kind: 'bootstrap'; place: Place; json: boolean; organisation: string; tenant: string }
  | {
      kind: 'first-agent';
      place: Place;
      json: false;
      url: string;
      organisation: string;
      tenant: string;
      project: string;
      name: string;
      agentsPort: number;
      listenerFolder: string;
    }
  | { kind: 'listener-key'; place: Place; json: boolean; tenantId: string; listenerId: string };

export const USAGE = `Usage: npm run slipway -- <command> [options]

  first-agent                     from an empty installation to an agent that answers: an organisation, a tenant and a key are made, this
                                  machine becomes a listener, and a folder is deployed to it; runs the listener until it is ended
    --url URL                     the API: the stack's output ApiUrl
    --project FOLDER              what is deployed                  (default: examples/hello-server)
    --name NAME                   what the deployment is called     (default: hello)
    --agents-port PORT            where it is served on this machine (default: 4401)
    --listener-dir FOLDER         the listener's own files          (default: .listener)
    --organisation, --tenant      as below

  admin bootstrap                 make an organisation, its first tenant and an administrator's key
    --organisation NAME           what the organisation is called   (default: main)
    --tenant NAME                 what the tenant is called         (default: main)
    --second-tenant               on the data of npm start, which has a tenant: yes, one more, in the same trust domain

  admin create-key                make a key for a new user of a tenant that is there
    --tenant-id ID                the tenant
    --role ROLE                   viewer, developer, admin or organisation_admin
    --name NAME                   what lists call it                (default: made by the command line)
    --organisation-wide           for all tenants of the tenant's organisation: each request names its own

  admin create-listener-key       make the key that a listener works with
    --tenant-id ID                the tenant that the listener belongs to
    --listener-id ID              the listener, as POST /v2/listeners has answered

Where (one of the two):
  --table NAME                    the table of a deployed installation: its stack's output TableName
    --region REGION               its region                        (default: AWS_REGION, or your profile's)
  --data-dir FOLDER               the data of npm start, while it runs (default: SLIPWAY_DATA_DIR, or .slipway if it is there)

  --json                          print JSON instead of text
  --help                          print this

A deployed installation is reached with your AWS credentials, found as the AWS CLI finds them (AWS_PROFILE, environment, sign-on).`;

const text = { type: 'string' } as const;
const common = {
  table: text,
  region: text,
  'data-dir': text,
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
const bootstrapOptions = {
  ...common,
  organisation: text,
  tenant: text,
  'second-tenant': { type: 'boolean', default: false },
} as const;
const firstAgentOptions = {
  ...common,
  url: text,
  organisation: text,
  tenant: text,
  project: text,
  name: text,
  'agents-port': text,
  'listener-dir': text,
} as const;
const keyOptions = {
  ...common,
  'tenant-id': text,
  role: text,
  name: text,
  'organisation-wide': { type: 'boolean', default: false },
} as const;
const listenerKeyOptions = { ...common, 'tenant-id': text, 'listener-id': text } as const;

const NAME_CHARACTERS_MAX = 128;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the surroundings decide when the arguments leave it open. */
export type Surroundings = {
  environment: NodeJS.ProcessEnv;
  isFolder: (path: string) => boolean;
};

/** Reads the command from the arguments. Throws `OptionsError`. */
export function readCommand(args: string[], surroundings: Surroundings): Command {
  const words = leadingWords(args);
  const rest = args.slice(words.length);
  if (words.length === 0 && isHelp(rest)) return { kind: 'help' };
  switch (words.join(' ')) {
    case 'admin bootstrap':
      return bootstrapOf(rest, surroundings);
    case 'admin create-key':
      return keyOf(rest, surroundings);
    case 'admin create-listener-key':
      return listenerKeyOf(rest, surroundings);
    case 'first-agent':
      return firstAgentOf(rest, surroundings);
    case 'help':
      return { kind: 'help' };
    case 'admin':
      if (isHelp(rest)) return { kind: 'help' };
      throw new OptionsError("'admin' needs to know what: bootstrap, create-key or create-listener-key.");
    case '':
      throw new OptionsError('No command is given.');
    default:
      throw new OptionsError(`There is no command '${words.join(' ')}'.`);
  }
}

function leadingWords(args: string[]): string[] {
  const end = args.findIndex((arg) => arg.startsWith('-'));
  return end === -1 ? args : args.slice(0, end);
}

const isHelp = (args: string[]): boolean => args.some((arg) => arg === '--help' || arg === '-h');

function bootstrapOf(args: string[], surroundings: Surroundings): Command {
  const given = parse(args, bootstrapOptions);
  if (given.help) return { kind: 'help' };
  const place = placeOf(given, surroundings);
  if (place.kind === 'embedded' && !given['second-tenant']) {
    throw new OptionsError(
      'npm start has made the first tenant of its data, and builds and agents of all tenants run as the same user of this machine. Say --second-tenant to make another one.',
    );
  }
  return {
    kind: 'bootstrap',
    place,
    json: given.json,
    organisation: nameOf(given.organisation, '--organisation', 'main'),
    tenant: nameOf(given.tenant, '--tenant', 'main'),
  };
}

function firstAgentOf(args: string[], surroundings: Surroundings): Command {
  const given = parse(args, firstAgentOptions);
  if (given.help) return { kind: 'help' };
  if (given.json) throw new OptionsError('first-agent talks to a person: it knows no --json.');
  const place = placeOf(given, surroundings);
  if (place.kind === 'embedded') {
    throw new OptionsError(
      'npm start has a tenant and a listener: first-agent is for a deployed one (--table NAME).',
    );
  }
  return {
    kind: 'first-agent',
    place,
    json: false,
    url: urlOf(given.url),
    organisation: nameOf(given.organisation, '--organisation', 'main'),
    tenant: nameOf(given.tenant, '--tenant', 'main'),
    project: given.project ?? 'examples/hello-server',
    name: nameOf(given.name, '--name', 'hello'),
    agentsPort: portOf(given['agents-port'] ?? '4401'),
    listenerFolder: given['listener-dir'] ?? '.listener',
  };
}

function urlOf(given: string | undefined): string {
  if (given === undefined) throw new OptionsError("--url is required: the stack's output ApiUrl.");
  if (/^https?:\/\//.test(given) && URL.canParse(given)) return given.replace(/\/+$/, '');
  throw new OptionsError(`--url must be an http(s) URL, not '${given}'.`);
}

function portOf(given: string): number {
  const port = Number(given);
  if (/^\d+$/.test(given) && port <= 65_535) return port;
  throw new OptionsError(`--agents-port must be a number from 0 to 65535, not '${given}'.`);
}

function keyOf(args: string[], surroundings: Surroundings): Command {
  const given = parse(args, keyOptions);
  if (given.help) return { kind: 'help' };
  return {
    kind: 'key',
    place: placeOf(given, surroundings),
    json: given.json,
    tenantId: idOf(given['tenant-id'], '--tenant-id'),
    role: roleOf(given.role),
    name: nameOf(given.name, '--name', 'made by the command line'),
    organisationWide: given['organisation-wide'],
  };
}

function listenerKeyOf(args: string[], surroundings: Surroundings): Command {
  const given = parse(args, listenerKeyOptions);
  if (given.help) return { kind: 'help' };
  return {
    kind: 'listener-key',
    place: placeOf(given, surroundings),
    json: given.json,
    tenantId: idOf(given['tenant-id'], '--tenant-id'),
    listenerId: idOf(given['listener-id'], '--listener-id'),
  };
}

function parse<const T extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: T) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values;
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

type PlaceOptions = { table?: string; region?: string; 'data-dir'?: string };

function placeOf(
  { table, region, 'data-dir': dataDir }: PlaceOptions,
  { environment, isFolder }: Surroundings,
): Place {
  if (table !== undefined && dataDir !== undefined)
    throw new OptionsError('--table and --data-dir exclude each other: say one place.');
  if (table !== undefined) {
    // The names that DynamoDB takes.
    if (!/^[A-Za-z0-9_.-]{3,255}$/.test(table))
      throw new OptionsError(`--table '${table}' is no table's name: it is the stack's output TableName.`);
    if (region === '') throw new OptionsError('--region is empty.');
    return { kind: 'deployed', tableName: table, region };
  }
  if (region !== undefined) throw new OptionsError('--region goes with --table.');
  if (dataDir === '') throw new OptionsError('--data-dir is empty.');
  if (dataDir !== undefined) return { kind: 'embedded', dataFolder: dataDir };
  const usual = environment.SLIPWAY_DATA_DIR || '.slipway';
  if (isFolder(usual)) return { kind: 'embedded', dataFolder: usual };
  throw new OptionsError(
    `Say where: --table NAME for a deployed installation, --data-dir FOLDER for that of npm start (there is no ${usual} here).`,
  );
}

function roleOf(given: string | undefined): MemberRole {
  if (given === undefined) throw new OptionsError('--role is required.');
  const role = memberRoles.find((known) => known === given);
  if (role !== undefined) return role;
  throw new OptionsError(
    `--role must be one of ${memberRoles.join(', ')}, not '${given}' (a listener's: admin create-listener-key).`,
  );
}

function nameOf(given: string | undefined, argument: string, fallback: string): string {
  const name = (given ?? fallback).trim();
  if (name === '' || name.length > NAME_CHARACTERS_MAX)
    throw new OptionsError(`${argument} must have 1 to ${NAME_CHARACTERS_MAX} characters.`);
  return name;
}

function idOf(given: string | undefined, argument: string): string {
  if (given === undefined) throw new OptionsError(`${argument} is required.`);
  const id = given.toLowerCase();
  if (!UUID.test(id)) throw new OptionsError(`${argument} must be an id (a UUID), not '${given}'.`);
  return id;
}
