import type { Revision } from '../../lib/client/endpoints.ts';
import { type Change, differenceOf } from './difference.ts';
import { type Stage, stagesOf, totalOf } from './stages.ts';
import { duration } from './time.ts';

export type Group = 'source' | 'configuration' | 'secrets' | 'resources' | 'durations';

const SOURCE = new Set(['Repository', 'Branch or tag', 'Commit', 'Image', 'Upload', 'Config file']);

const groupOf = ({ what }: Change): Group => {
  if (SOURCE.has(what)) return 'source';
  if (what.startsWith('Resources')) return 'resources';
  return /secrets/i.test(what) ? 'secrets' : 'configuration';
};

const stageNames = { queue: 'Queue', build: 'Build', deploy: 'Deploy' } as const;

function durationsOf(revision: Revision, now: number): Record<string, string | null> {
  const stages = stagesOf(revision, now);
  const of = (kind: Stage['kind']) => {
    const stage = stages.find((each) => each.kind === kind);
    return stage === undefined ? null : duration(stage.milliseconds);
  };
  return {
    [stageNames.queue]: of('queue'),
    [stageNames.build]: of('build'),
    [stageNames.deploy]: of('deploy'),
    'In all': stages.length === 0 ? null : duration(totalOf(stages)),
  };
}

/**
 * In what two revisions differ, by what it concerns; both with their configuration. How long each took always
 * stands there. `now` (epoch milliseconds) ends what still goes on.
 */
export function comparisonOf(from: Revision, to: Revision, now: number): Record<Group, Change[]> {
  const groups: Record<Group, Change[]> = {
    source: [],
    configuration: [],
    secrets: [],
    resources: [],
    durations: [],
  };
  for (const change of differenceOf(from, to)) groups[groupOf(change)].push(change);
  const [before, after] = [durationsOf(from, now), durationsOf(to, now)];
  groups.durations = Object.keys(before).map((what) => ({
    what,
    from: before[what] ?? null,
    to: after[what] ?? null,
  }));
  return groups;
}

/** The host's page of what lies between two commits; null: there is none that is known, or they are one. */
export function betweenUrl(template: string | null | undefined, from: Revision, to: Revision): string | null {
  const { repo_commit_sha: before } = from.source_revision_config;
  const { repo_commit_sha: after } = to.source_revision_config;
  if (typeof template !== 'string' || before === null || after === null || before === after) return null;
  return template.replace('{from}', before).replace('{to}', after);
}
