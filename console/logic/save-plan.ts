import type { Answer, Deployment } from '../../lib/client/endpoints.ts';
import { shortCommit } from './difference.ts';
import type { Draft, Effect } from './draft.ts';

/** Where a deployment comes from, as forms have it. */
export type SourceKind = 'git' | 'folder' | 'image';

export type SourceAnswer = Answer<'GET /v2/deployments/{deployment_id}/source'>;
type Commit = { sha: string; message: string | null };

const kinds: Record<Deployment['source'], SourceKind> = {
  github: 'git',
  external_docker: 'image',
  internal_docker: 'folder',
  internal_source: 'folder',
};

export const kindOfSource = ({ source }: Pick<Deployment, 'source'>): SourceKind => kinds[source];

/** `main at 2c91e0738f “Add German receipts”`; the message is cut, for it is somebody else's. */
function refWords(ref: string, commit: Commit | null | undefined): string {
  const branch = ref.replace(/^refs\/(?:heads|tags)\//, '');
  if (commit === null || commit === undefined) return `the newest commit of ${branch}`;
  const { sha, message } = commit;
  const said = message === null || message.trim() === '' ? '' : ` “${cut(message.trim())}”`;
  return `${branch} at ${shortCommit(sha)}${said}`;
}

const MESSAGE_MAX = 60;
const cut = (message: string): string => {
  const [line = ''] = message.split('\n', 1);
  return line.length <= MESSAGE_MAX ? line : `${line.slice(0, MESSAGE_MAX - 1).trimEnd()}…`;
};

type NewPlan = {
  kind: SourceKind;
  draft: Pick<Draft, 'repo_ref' | 'image_uri'>;
  /** What the branch has now; undefined while nobody knows. */
  commit?: Commit | null | undefined;
  /** The branch where none was named. */
  defaultBranch?: string | null | undefined;
  fileCount: number;
  /** What the listener is called. */
  place: string | undefined;
};

/** What creating a deployment will do, as one sentence. */
export function planOfNew({ kind, draft, commit, defaultBranch, fileCount, place }: NewPlan): string {
  const where = place === undefined ? '' : ` on ${place}`;
  if (kind === 'image') return `Runs the image${where}. Nothing is built.`;
  if (kind === 'folder')
    return fileCount === 1
      ? `Uploads 1 file, builds it and runs the result${where}.`
      : `Uploads ${fileCount.toLocaleString('en')} files, builds them and runs the result${where}.`;
  const ref = draft.repo_ref.trim() || (defaultBranch ?? 'main');
  return `Builds ${refWords(ref, commit)} and runs it${where}.`;
}

/** What saving does: the word of its button, and what comes of it. */
export type SavePlan = { verb: string; does: string; stays: string };

type Saved = {
  effect: Effect;
  kind: SourceKind;
  draft: Pick<Draft, 'repo_ref'>;
  /** Whether another repository or branch is named than the one that is stored. */
  isOtherSource: boolean;
  source: Pick<SourceAnswer, 'head' | 'latest'> | undefined;
  /** The number of what serves; undefined: nothing does. */
  servingNumber: number | undefined;
};

const NOT_BUILT = ['CREATE_FAILED', 'BUILD_FAILED'];

/** What saving the changes will do: which commit is built, and what stays as it is. */
export function savePlan(saved: Saved): SavePlan {
  const { effect, servingNumber } = saved;
  if (effect === 'none') return { verb: 'Save and deploy', does: 'Nothing has changed yet.', stays: '' };
  if (effect === 'setting')
    return {
      verb: 'Save',
      does: 'This counts at once and makes no revision.',
      stays: servingNumber === undefined ? '' : `Revision ${servingNumber} goes on serving.`,
    };
  return {
    verb: 'Save and deploy',
    does: effect === 'build' ? builds(saved) : runsAgain(saved),
    stays: servingNumber === undefined ? '' : `Revision ${servingNumber} serves until the new one answers.`,
  };
}

function builds({ kind, draft, isOtherSource, source }: Saved): string {
  if (kind === 'image') return 'Starts the image with these settings.';
  if (kind === 'folder') return 'Builds the folder that was uploaded last again.';
  return `Builds ${refWords(draft.repo_ref.trim() || 'main', isOtherSource ? null : source?.head)}.`;
}

function runsAgain({ kind, source }: Saved): string {
  const latest = source?.latest;
  if (kind !== 'git' || latest === null || latest === undefined || latest.sha === null)
    return 'Starts what was deployed last with the new settings. Nothing is built.';
  const sha = shortCommit(latest.sha);
  return NOT_BUILT.includes(latest.status)
    ? `Builds ${sha} of revision ${latest.number} again with the new settings.`
    : `Starts ${sha} of revision ${latest.number} again with the new settings. Nothing is built, and newer commits are not deployed.`;
}
