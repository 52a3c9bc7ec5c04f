import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProcessSupervisor } from '../../../lib/processes/supervisor.ts';
import { assembly, configured } from '../../support/aws/synthesised.ts';
import { type Meant, meant, meantOnFargate } from './findings.ts';
import { type Finding, findingsIn, installLinters } from './lint.ts';

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
