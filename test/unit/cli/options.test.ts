import { describe, expect, it } from 'vitest';
import { type CliCommand, readCommand, type Surroundings } from '../../../lib/cli/options.ts';
import { OptionsError } from '../../../lib/cli/options-error.ts';

const ID = '0190a000-0000-7000-8000-00000000000a';
const nowhere: Surroundings = { environment: {}, isFolder: () => false };
const besideData: Surroundings = { environment: {}, isFolder: (path) => path === '.slipway' };

const read = (line: string, surroundings = nowhere): CliCommand =>
  readCommand(line === '' ? [] : line.split(' '), surroundings);

function refusal(line: string, surroundings = nowhere): string {
  try {
    read(line, surroundings);
  } catch (error) {
    if (error instanceof OptionsError) return error.message;
    throw error;
  }
  throw new Error(`'${line}' was taken`);
}

describe('admin bootstrap', () => {
  it('takes a table, with its region or without', () => {
    expect(read('admin bootstrap --table slipway-prod-table')).toEqual({
      kind: 'bootstrap',
      place: { kind: 'deployed', tableName: 'slipway-prod-table', region: undefined },
      json: false,
      organization: 'main',
      tenant: 'main',
    });
    const full = 'admin bootstrap --json --table a.b --region eu-west-1 --organization acme --tenant=ml';
    expect(read(full)).toMatchObject({
      place: { tableName: 'a.b', region: 'eu-west-1' },
      json: true,
      organization: 'acme',
      tenant: 'ml',
    });
  });

  it('takes the data of an embedded runtime: that which is named, else the usual one if it is there', () => {
    const place = (line: string, surroundings: Surroundings) =>
      (read(line, surroundings) as { place?: unknown }).place; // each of these lines names a place
    const at = (dataFolder: string) => ({ kind: 'embedded', dataFolder });
    expect(place('admin bootstrap --second-tenant --data-dir here', nowhere)).toEqual(at('here'));
    expect(place('admin bootstrap --second-tenant', besideData)).toEqual(at('.slipway'));
    const set = { environment: { SLIPWAY_DATA_DIR: '/data' }, isFolder: (path: string) => path === '/data' };
    expect(place('admin bootstrap --second-tenant', set)).toEqual(at('/data'));
    expect(place('admin bootstrap --table abc', besideData)).toMatchObject({ kind: 'deployed' });
  });
});

describe('first-agent', () => {
  const place = 'first-agent --table slipway-prod-table';

  it('takes the address of the API, and has a default for the rest', () => {
    expect(read(`${place} --url https://api.example.com/`)).toMatchObject({
      kind: 'first-agent',
      url: 'https://api.example.com',
      project: 'examples/hello-server',
      name: 'hello',
      agentsPort: 4401,
      listenerFolder: '.listener',
    });
  });

  it('with --compute fargate is another command, which needs nothing of this machine', () => {
    const line = `${place} --url https://api.example.com --compute fargate`;
    const { kind, ...rest } = read(`${line} --project here --name mine`);
    expect(kind).toBe('fargate-agent');
    expect(rest).toMatchObject({ project: 'here', name: 'mine', organization: 'main', tenant: 'main' });
    expect(Object.keys(rest)).not.toContain('agentsPort');
    expect(refusal(`${line} --agents-port 1`)).toMatch(/^--agents-port .* not for --compute fargate\.$/);
    expect(refusal(`${place} --url https://a.example --compute ecs`)).toMatch(
      /^--compute must be fargate, not 'ecs'; without it/,
    );
  });

  it('says what it cannot work with', () => {
    expect(refusal(place)).toMatch(/^--url is required: the stack's output ApiUrl/);
    expect(refusal(`${place} --url api.example.com`)).toMatch(/^--url must be an http\(s\) URL, not 'api/);
    const url = '--url https://api.example.com';
    expect(refusal(`${place} ${url} --agents-port 99999`)).toMatch(
      /^--agents-port must be a whole number from 0 to 65535, not .99999.\.$/,
    );
    expect(refusal(`${place} ${url} --json`)).toMatch(/^'first-agent' takes no --json\.$/);
    expect(refusal(`first-agent ${url} --data-dir here`)).toMatch(/^npm start has a tenant and a listener/);
  });
});

describe('admin create-listener-key', () => {
  it('takes the ids of tenant and listener, in any case', () => {
    const line = `admin create-listener-key --table abc --tenant-id ${ID.toUpperCase()} --listener-id ${ID}`;
    expect(read(line)).toMatchObject({ kind: 'listener-key', tenantId: ID, listenerId: ID });
  });
});

describe('admin create-key', () => {
  const line = `admin create-key --table abc --tenant-id ${ID.toUpperCase()} --role`;

  it('takes a tenant, a role, and a name for lists', () => {
    expect(read(`${line} admin`)).toMatchObject({
      kind: 'key',
      tenantId: ID,
      role: 'admin',
      name: 'made by the command line',
      organizationWide: false,
    });
    expect(read(`${line} organization_admin --name mine --organization-wide --json`)).toMatchObject({
      role: 'organization_admin',
      name: 'mine',
      organizationWide: true,
      json: true,
    });
  });
});

it.each(['--help', '-h', 'help', 'admin --help', 'admin bootstrap --help', 'admin create-listener-key -h'])(
  '%s asks for help, whatever else is missing',
  (line) => {
    expect(read(line)).toEqual({ kind: 'help' });
  },
);

it.each([
  ['', /^No command is given\.$/],
  ['--json', /^No command is given\.$/],
  ['admin', /bootstrap, create-key, create-listener-key/],
  ['admin bootstap', /^There is no command 'admin bootstap'\.$/],
  ['admin bootstrap', /^Give --table NAME .* --data-dir FOLDER .*there is no \.slipway here/],
  ['admin bootstrap --tabel abc', /--tabel/],
  ['admin bootstrap --data-dir here', /has made the first tenant .* add --second-tenant/],
  ['admin bootstrap --table', /--table/],
  ['admin bootstrap --table a', /output TableName/],
  ['admin bootstrap --table abc --data-dir x', /exclude each other/],
  ['admin bootstrap --data-dir x --region eu-west-1', /--region goes with --table/],
  ['admin bootstrap --table abc --region=', /--region is empty/],
  ['admin bootstrap --data-dir=', /--data-dir is empty/],
  ['admin bootstrap --table abc --tenant=', /--tenant must have 1 to 128 characters/],
  ['admin bootstrap --table abc --listener-id x', /^'admin bootstrap' takes no --listener-id\.$/],
  [`admin bootstrap --table abc --organization ${'x'.repeat(129)}`, /--organization must have/],
  ['admin create-key --table abc', /^--tenant-id is required\.$/],
  [`admin create-key --table abc --tenant-id ${ID}`, /^--role is required\.$/],
  [`admin create-key --table abc --tenant-id ${ID} --role root`, /one of viewer, .*, not 'root'/],
  [`admin create-key --table abc --tenant-id ${ID} --role listener`, /admin create-listener-key/],
  [`admin create-key --table abc --tenant-id ${ID} --role admin --name=`, /--name must have/],
  ['admin create-listener-key --table abc', /^--tenant-id is required\.$/],
  [`admin create-listener-key --table abc --tenant-id ${ID}`, /^--listener-id is required\.$/],
  ['admin pause --data-dir x', /is for a deployed installation.*End npm start/],
  [`admin create-listener-key --table abc --tenant-id ${ID} --listener-id mine`, /a UUID.*'mine'/],
])("'%s' is refused, and it is said why", (line, reason) => {
  expect(refusal(line)).toMatch(reason);
});
