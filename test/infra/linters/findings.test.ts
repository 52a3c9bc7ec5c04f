import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { assembly, configured } from '../../support/aws/synthesised.ts';
import { installPython, run } from '../../support/programs/python-tools.ts';
import { type Meant, meant, meantOnFargate } from './findings.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGES = ['cfn-lint==1.58.0', 'checkov==3.3.30'];
/** Kept between runs: installing them takes longer than running them. */
const installation = join(root, 'node_modules/.cache/slipway-linters', PACKAGES.join('-'));

/** What a linter says of a resource: `place` is its stack and logical id. */
type Finding = { rule: string; place: string; says: string };

/** Installs cfn-lint and checkov, unless they are there. */
const installLinters = (processes: ProcessSupervisor): Promise<void> =>
  installPython(processes, installation, PACKAGES);

/**
 * What cfn-lint and checkov say of these templates. `folder` is empty. Throws where one of them cannot read
 * a template.
 */
async function findingsIn(
  processes: ProcessSupervisor,
  folder: string,
  templates: ReadonlyMap<string, string>,
): Promise<Finding[]> {
  const files = await Promise.all(
    [...templates].map(async ([name, text]) => {
      // checkov hands each function its file's name as a variable, and takes long names for secrets.
      const file = `${name}_.json`;
      await writeFile(join(folder, file), text);
      return file;
    }),
  );
  return [
    ...(await cfnLint(processes, folder, files)),
    ...(await checkov(processes, folder, templates.size)),
  ];
}

type LintMatch = {
  Rule: { Id: string };
  Message: string;
  Filename: string;
  Location: { Path: string[] | null };
};

async function cfnLint(processes: ProcessSupervisor, cwd: string, files: string[]): Promise<Finding[]> {
  const output = join(cwd, 'cfn-lint-output');
  // The exit code only says that there are findings.
  const args = ['--format', 'json', '--output-file', output, '--non-zero-exit-code', 'none', ...files];
  await run(processes, join(installation, 'bin/cfn-lint'), args, { cwd });
  const matches = JSON.parse(await readFile(output, 'utf8')) as LintMatch[]; // as cfn-lint writes them
  return matches.map(({ Rule, Message, Filename, Location }) => ({
    rule: Rule.Id,
    place: `${stackOf(Filename)}/${Location.Path?.[1] ?? ''}`,
    says: Message,
  }));
}

type CheckovReport = {
  results: { failed_checks: { check_id: string; check_name: string; file_path: string; resource: string }[] };
  summary: { parsing_errors: number; passed: number };
};

async function checkov(processes: ProcessSupervisor, cwd: string, templates: number): Promise<Finding[]> {
  const args = ['--directory', '.', '--framework', 'cloudformation', '--compact', '--quiet', '--soft-fail'];
  const printed = await run(
    processes,
    join(installation, 'bin/checkov'),
    [...args, '--output', 'json', '--skip-download'],
    { cwd },
  );
  const { results, summary } = JSON.parse(printed.slice(printed.indexOf('{'))) as CheckovReport; // as checkov writes it
  if (summary.parsing_errors > 0)
    throw new Error(`checkov could not read ${summary.parsing_errors} templates`);
  if (summary.passed === 0) throw new Error(`checkov has checked nothing in ${templates} templates`);
  return results.failed_checks.map(({ check_id, check_name, file_path, resource }) => ({
    rule: check_id,
    place: `${stackOf(file_path)}/${resource.split('.').at(-1) ?? ''}`,
    says: check_name,
  }));
}

const stackOf = (file: string): string => file.replace(/^.*\//, '').replace(/_\.json$/, '');

const processes = new ProcessSupervisor();

beforeAll(() => installLinters(processes));
afterAll(() => processes.close());

async function lint(templates: ReadonlyMap<string, string>): Promise<Finding[]> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-lint-'));
  try {
    return await findingsIn(processes, folder, templates);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const isMeant = (rows: readonly Meant[], { rule, place }: Finding): boolean =>
  rows.some((row) => row.rule === rule && row.at.test(place));

/** Those that a reason is missing for, and reasons that nothing needs. */
function gaps(findings: Finding[], rows: readonly Meant[]): string[] {
  const unexplained = findings.filter((finding) => !isMeant(rows, finding));
  const unneeded = rows.filter((row) => !findings.some((finding) => isMeant([row], finding)));
  return [
    ...unexplained.map(({ rule, place, says }) => `${rule} ${place}: ${says}`),
    ...unneeded.map(({ rule, at }) => `${rule} ${String(at)}: nothing is found there`),
  ];
}

describe('cfn-lint and checkov find in the templates only what is meant, for a reason', () => {
  it('of an installation without settings', async () => {
    const { templates } = assembly({ environment: 'prod' });
    expect(gaps(await lint(templates), meant)).toEqual([]);
  });

  it('of one with a domain, an issuer and agents on Fargate', async () => {
    const { templates, acknowledged } = assembly({ ...configured, compute: 'fargate' });
    const rows = [...meant, ...meantOnFargate];
    expect(gaps(await lint(templates), rows)).toEqual([]);
    const shared = rows.flatMap((row) => ('as' in row ? [row.as] : []));
    expect(shared.filter((rule) => !acknowledged.has(rule))).toEqual([]);
  });

  it('and they do find what is wrong', async () => {
    const bucket = { Type: 'AWS::S3::Bucket', Properties: { AccessControl: 'PublicRead', Wrong: true } };
    const found = await lint(new Map([['root', JSON.stringify({ Resources: { Open: bucket } })]]));
    const rules = found.filter(({ place }) => place === 'root/Open').map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(['E3002', 'CKV_AWS_20']));
  });
});
