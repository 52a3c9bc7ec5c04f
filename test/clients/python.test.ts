import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiDocument } from '../../lib/contract/openapi/document.ts';
import { routes } from '../../lib/contract/routes/index.ts';
import { ProcessSupervisor } from '../../lib/processes/supervisor.ts';
import { root } from '../aws/emulator.ts';
import { namedSchemas, type Schema, sampleOf } from '../support/openapi/sample.ts';
import { installPython, run } from '../support/programs/python-tools.ts';
import { documentExamples } from './values.ts';

const packages = ['openapi-python-client==0.29.1'];
const installation = join(root, 'node_modules/.cache/slipway-clients', packages.join('_'));
/** What is made of the description. */
const folder = join(root, 'node_modules/.cache/slipway-clients/python');

const processes = new ProcessSupervisor();

/** A value of a model, and where it is from. */
type Use = { of: string; model: string; value: unknown };

/** A schema is used by its model; a list by that of its members, a union by those of its variants. */
function usesOf(of: string, name: string, schema: Schema, value: unknown): Use[] {
  const reference = (given: Schema | undefined): string | undefined =>
    given?.$ref?.replace('#/components/schemas/', '');
  if (schema.type === 'array') {
    const model = reference(schema.items) ?? `${name}Item`;
    return (value as unknown[]).map((member) => ({ of, model, value: member }));
  }
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants === undefined) return [{ of, model: name, value }];
  return variants.map((variant) => ({ of, model: reference(variant) ?? of, value: sampleOf(variant) }));
}

const uses = (): Use[] => [
  ...Object.entries(namedSchemas).flatMap(([name, schema]) => usesOf(name, name, schema, sampleOf(schema))),
  ...documentExamples(openApiDocument(routes)).flatMap(({ operation, status, schema, value }) =>
    usesOf(`${operation} ${status ?? ''}`, schema, namedSchemas[schema] ?? {}, value),
  ),
];

beforeAll(async () => {
  await installPython(processes, installation, packages);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'openapi.json'), JSON.stringify(openApiDocument(routes)));
  await writeFile(join(folder, 'uses.json'), JSON.stringify(uses()));
  // A formatter is all that would run after it.
  await writeFile(join(folder, 'settings.yaml'), 'post_hooks: []\n');
});
afterAll(() => processes.close());

it('openapi-python-client makes a client without a warning, whose models take and give every schema', async () => {
  const files = ['--path', 'openapi.json', '--output-path', 'client', '--config', 'settings.yaml'];
  const generate = ['generate', ...files, '--meta', 'none', '--fail-on-warning'];
  await run(processes, join(installation, 'bin/openapi-python-client'), generate, { cwd: folder });
  const program = fileURLToPath(new URL('use-models.py', import.meta.url));
  const environment = { PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
  const args = [program, join(folder, 'uses.json')];
  await expect(
    run(processes, join(installation, 'bin/python'), args, { cwd: folder, environment }),
  ).resolves.toBe('');
});
