import { parseArgs } from 'node:util';
import { type MemberRole, memberRoles } from '../contract/roles.ts';
import { embeddedRows } from '../settings/embedded.ts';
import { processRows } from '../settings/listener.ts';
import { schemasOf } from '../settings/row.ts';
import { type BackupCommand, backupCommands } from './backup-options.ts';
import { type CopyThreads, copyThreadsCommand } from './copy-threads/options.ts';
import { type InstallationCommand, installationCommands } from './installation-options.ts';
import { OptionsError } from './options-error.ts';

/**
 * Where to work: on the table of a deployed installation, or on the data of an embedded one that is running.
 */
export type InstallationPlace = DeployedPlace | { kind: 'embedded'; dataFolder: string };
type DeployedPlace = { kind: 'deployed'; tableName: string; region: string | undefined };

type FirstAgent = {
  place: DeployedPlace;
  json: false;
  url: string;
  organization: string;
  tenant: string;
  project: string;
  name: string;
};

export type CliCommand =
  | { kind: 'help' }
  | {
      kind: 'key';
      place: InstallationPlace;
      json: boolean;
      tenantId: string;
      role: MemberRole;
      name: string;
      organizationWide: boolean;
    }
  | { kind: 'bootstrap'; place: InstallationPlace; json: boolean; organization: string; tenant: string }
  | (FirstAgent & { kind: 'first-agent'; agentsPort: number; listenerFolder: string })
  | (FirstAgent & { kind: 'fargate-agent' })
  | { kind: 'pause' | 'resume'; place: DeployedPlace; json: boolean }
  | CopyThreads
  | { kind: 'console'; json: boolean; at: { url: string } | { dataFolder: string } }
  | InstallationCommand
  | BackupCommand
  | { kind: 'listener-key'; place: InstallationPlace; json: boolean; tenantId: string; listenerId: string };

const text = { type: 'string' } as const;
const flag = { type: 'boolean' } as const;
const options = {
  table: text,
  region: text,
  'data-dir': text,
  json: flag,
  help: { ...flag, short: 'h' },
  organization: text,
  tenant: text,
  'second-tenant': flag,
  url: text,
  project: text,
  name: text,
  compute: text,
  environment: text,
  'agents-port': text,
  'listener-dir': text,
  'tenant-id': text,
  role: text,
  'organization-wide': flag,
  'listener-id': text,
  from: text,
  to: text,
} as const;

const parse = (args: string[]) => parseArgs({ args, options, allowPositionals: true });
type Given = ReturnType<typeof parse>['values'];
const whereOptions = ['table', 'region', 'data-dir'] as const;
const nameOptions = ['organization', 'tenant', 'url', 'project', 'name'] as const;
const firstAgentOptions = [...nameOptions, 'compute', 'agents-port', 'listener-dir'] as const;
/** What each command takes, and how it is read. */
const commands: Record<
  string,
  {
    takes: readonly (keyof typeof options)[];
    read: (given: Given, surroundings: Surroundings) => CliCommand;
  }
> = {
  'admin bootstrap': {
    takes: [...whereOptions, 'json', 'organization', 'tenant', 'second-tenant'],
    read: bootstrapOf,
  },
  'admin create-key': {
    takes: [...whereOptions, 'json', 'tenant-id', 'role', 'name', 'organization-wide'],
    read: keyOf,
  },
  'admin create-listener-key': {
    takes: [...whereOptions, 'json', 'tenant-id', 'listener-id'],
    read: listenerKeyOf,
  },
  'admin pause': { takes: [...whereOptions, 'json'], read: writersCommand('pause') },
  'admin resume': { takes: [...whereOptions, 'json'], read: writersCommand('resume') },
  console: { takes: [...whereOptions, 'json', 'url'], read: consoleOf },
  ...installationCommands,
  ...backupCommands,
  ...copyThreadsCommand,
  'first-agent': { takes: [...whereOptions, ...firstAgentOptions], read: firstAgentOf },
};

const NAME_CHARACTERS_MAX = 128;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What the surroundings decide when the arguments leave it open. */
export type Surroundings = {
  environment: NodeJS.ProcessEnv;
  isFolder: (path: string) => boolean;
};

/** Reads the command from the arguments. Throws `OptionsError`. */
export function readCommand(args: string[], surroundings: Surroundings): CliCommand {
  const { values, positionals } = parseOrExplain(args);
  const name = positionals.join(' ');
  if (values.help === true || name === 'help') return { kind: 'help' };
  const command = commands[name];
  if (command === undefined) throw new OptionsError(whyUnknown(name));
  const stray = Object.keys(values).find((given) => !command.takes.some((taken) => taken === given));
  if (stray !== undefined) throw new OptionsError(`'${name}' takes no --${stray}.`);
  return command.read(values, surroundings);
}

function parseOrExplain(args: string[]): ReturnType<typeof parse> {
  try {
    return parse(args);
  } catch (error) {
    throw new OptionsError(error instanceof Error ? error.message : String(error));
  }
}

function whyUnknown(name: string): string {
  if (name === '') return 'No command is given.';
  if (name === 'admin')
    return "'admin' needs to know what: bootstrap, create-key, create-listener-key, pause or resume.";
  return `There is no command '${name}'.`;
}

function bootstrapOf(given: Given, surroundings: Surroundings): CliCommand {
  const place = placeOf(given, surroundings);
  if (place.kind === 'embedded' && given['second-tenant'] !== true) {
    throw new OptionsError(
      'npm start has made the first tenant of its data, and builds and agents of all tenants run as the same user of this machine. To create another one, add --second-tenant.',
    );
  }
  return {
    kind: 'bootstrap',
    place,
    json: given.json === true,
    organization: nameOf(given.organization, '--organization', 'main'),
    tenant: nameOf(given.tenant, '--tenant', 'main'),
  };
}

/** Of npm start, or of the installation at an address. */
function consoleOf(given: Given, surroundings: Surroundings): CliCommand {
  const json = given.json === true;
  if (given.url !== undefined) {
    if (!surroundings.environment.SLIPWAY_API_KEY)
      throw new OptionsError('--url needs an API key in the variable SLIPWAY_API_KEY.');
    return { kind: 'console', json, at: { url: urlOf(given.url) } };
  }
  const place = placeOf(given, surroundings);
  if (place.kind === 'deployed')
    throw new OptionsError(
      "console takes --url (the stack's output ApiUrl) and an API key in SLIPWAY_API_KEY, not --table.",
    );
  return { kind: 'console', json, at: { dataFolder: place.dataFolder } };
}

function firstAgentOf(given: Given, surroundings: Surroundings): CliCommand {
  const place = placeOf(given, surroundings);
  if (place.kind === 'embedded') {
    throw new OptionsError(
      'npm start has a tenant and a listener: first-agent is for a deployed one (--table NAME).',
    );
  }
  const first = {
    place,
    json: false,
    url: urlOf(given.url),
    organization: nameOf(given.organization, '--organization', 'main'),
    tenant: nameOf(given.tenant, '--tenant', 'main'),
    project: given.project ?? 'examples/hello-server',
    name: nameOf(given.name, '--name', 'hello'),
  } as const;
  const { compute, 'agents-port': port, 'listener-dir': folder } = given;
  if (compute === undefined)
    return {
      ...first,
      kind: 'first-agent',
      agentsPort: portOf(port),
      listenerFolder: folder ?? '.listener',
    };
  if (compute !== 'fargate')
    throw new OptionsError(
      `--compute must be fargate, not '${compute}'; without it the agent runs on this machine.`,
    );
  if (port !== undefined || folder !== undefined)
    throw new OptionsError(
      '--agents-port and --listener-dir are for an agent on this machine, not for --compute fargate.',
    );
  return { ...first, kind: 'fargate-agent' };
}

function urlOf(given: string | undefined): string {
  if (given === undefined) throw new OptionsError("--url is required: the stack's output ApiUrl.");
  if (/^https?:\/\//.test(given) && URL.canParse(given)) return given.replace(/\/+$/, '');
  throw new OptionsError(`--url must be an http(s) URL, not '${given}'.`);
}

function portOf(given: string | undefined): number {
  const parsed = schemasOf(processRows).agentsPort.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new OptionsError(`--agents-port ${parsed.error.issues[0]?.message}.`);
}

function keyOf(given: Given, surroundings: Surroundings): CliCommand {
  return {
    kind: 'key',
    place: placeOf(given, surroundings),
    json: given.json === true,
    tenantId: idOf(given['tenant-id'], '--tenant-id'),
    role: roleOf(given.role),
    name: nameOf(given.name, '--name', 'made by the command line'),
    organizationWide: given['organization-wide'] === true,
  };
}

function listenerKeyOf(given: Given, surroundings: Surroundings): CliCommand {
  return {
    kind: 'listener-key',
    place: placeOf(given, surroundings),
    json: given.json === true,
    tenantId: idOf(given['tenant-id'], '--tenant-id'),
    listenerId: idOf(given['listener-id'], '--listener-id'),
  };
}

function writersCommand(kind: 'pause' | 'resume') {
  return (given: Given, surroundings: Surroundings): CliCommand => {
    const place = placeOf(given, surroundings);
    if (place.kind === 'embedded')
      throw new OptionsError(
        `admin ${kind} is for a deployed installation (--table NAME). End npm start to stop what writes to its data.`,
      );
    return { kind, place, json: given.json === true };
  };
}

function placeOf(
  { table, region, 'data-dir': dataDir }: Given,
  { environment, isFolder }: Surroundings,
): InstallationPlace {
  if (table !== undefined && dataDir !== undefined)
    throw new OptionsError('--table and --data-dir exclude each other; give one of them.');
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
  const usual = embeddedRows.dataDir.schema.parse(environment.SLIPWAY_DATA_DIR);
  if (isFolder(usual)) return { kind: 'embedded', dataFolder: usual };
  throw new OptionsError(
    `Give --table NAME for a deployed installation, or --data-dir FOLDER for one made by npm start (there is no ${usual} here).`,
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
