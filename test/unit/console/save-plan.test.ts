import { describe, expect, it } from 'vitest';
import { planOfNew, savePlan } from '../../../console/logic/save-plan.ts';

const head = {
  sha: '2c91e0738f0a1b2c3d4e5f60718293a4b5c6d7e8',
  message: 'Add German receipts',
  author: 'Lena',
  at: null,
};
const latest = { revision_id: 'r', number: 13, sha: 'f00d'.repeat(10), status: 'DEPLOYED' } as const;
const base = {
  kind: 'git',
  draft: { repo_ref: 'main' },
  isOtherSource: false,
  source: { head, latest },
  servingNumber: 12,
} as const;
const sentence = (
  changes: Partial<Parameters<typeof savePlan>[0]> & { effect: Parameters<typeof savePlan>[0]['effect'] },
) => {
  const { verb, does, stays } = savePlan({ ...base, ...changes });
  return `[${verb}] ${does} ${stays}`.trim();
};

describe('what saving settings will do', () => {
  it.each([
    [{ effect: 'none' }, '[Save and deploy] Nothing has changed yet.'],
    [{ effect: 'setting' }, '[Save] This counts at once and makes no revision. Revision 12 goes on serving.'],
    [
      { effect: 'build' },
      '[Save and deploy] Builds main at 2c91e0738f “Add German receipts”. Revision 12 serves until the new one answers.',
    ],
    [
      { effect: 'build', isOtherSource: true, draft: { repo_ref: 'refs/tags/v2' }, servingNumber: undefined },
      '[Save and deploy] Builds the newest commit of v2.',
    ],
    [
      { effect: 'run' },
      '[Save and deploy] Starts f00df00df0 of revision 13 again with the new settings. Nothing is built, and newer commits are not deployed. Revision 12 serves until the new one answers.',
    ],
    [
      {
        effect: 'run',
        source: { head, latest: { ...latest, status: 'BUILD_FAILED' } },
        servingNumber: undefined,
      },
      '[Save and deploy] Builds f00df00df0 of revision 13 again with the new settings.',
    ],
    [
      { effect: 'run', kind: 'folder', source: undefined, servingNumber: undefined },
      '[Save and deploy] Starts what was deployed last with the new settings. Nothing is built.',
    ],
    [
      { effect: 'build', kind: 'folder', source: undefined, servingNumber: undefined },
      '[Save and deploy] Builds the folder that was uploaded last again.',
    ],
  ] as const)('is said of %j', (changes, expected) => {
    expect(sentence(changes)).toBe(expected);
  });
});

describe('what creating a deployment will do', () => {
  const draft = { repo_ref: '', image_uri: '' };
  it.each([
    [
      { kind: 'git', draft, commit: head, defaultBranch: 'trunk', fileCount: 0, place: 'frankfurt-1' },
      'Builds trunk at 2c91e0738f “Add German receipts” and runs it on frankfurt-1.',
    ],
    [
      { kind: 'git', draft: { ...draft, repo_ref: 'next' }, fileCount: 0, place: undefined },
      'Builds the newest commit of next and runs it.',
    ],
    [
      { kind: 'folder', draft, fileCount: 1, place: 'my-machine' },
      'Uploads 1 file, builds it and runs the result on my-machine.',
    ],
    [{ kind: 'image', draft, fileCount: 0, place: 'a' }, 'Runs the image on a. Nothing is built.'],
  ] as const)('is said of %j', (plan, expected) => {
    expect(planOfNew(plan)).toBe(expected);
  });

  it('cuts a message that somebody wrote long', () => {
    const plan = planOfNew({
      kind: 'git',
      draft,
      commit: { sha: 'a'.repeat(40), message: `${'x'.repeat(100_000)}\nmore` },
      fileCount: 0,
      place: undefined,
    });
    expect(plan.length).toBeLessThan(150);
  });
});
