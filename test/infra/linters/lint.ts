import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { installPython, run } from '../../support/programs/python-tools.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const PACKAGES = ['cfn-lint==1.58.0', 'checkov==3.3.30'];
/** Kept between runs: installing them takes longer than running them. */
const installation = join(root, 'node_modules/.cache/slipway-linters', PACKAGES.join('-'));

/** What a linter says of a resource: `place` is its stack and logical id. */
export type Finding = { rule: string; place: string; says: string };

/** Installs cfn-lint and checkov, unless they are there. */
export const installLinters = (processes: ProcessSupervisor): Promise<void> =>
  installPython(processes, installation, PACKAGES);

/**
 * What cfn-lint and checkov say of these templates. `folder` is empty. Throws where one of them cannot read
 * a template.
 */
export async function findingsIn(
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
