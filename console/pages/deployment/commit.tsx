import { Face } from '../../ui/badge.tsx';
import { Time } from '../../ui/time.tsx';

const SHORT_CHARACTERS = 7;

type ShaProps = { sha: string | null; template?: string | null | undefined };

/** A commit by the beginning of its name, as a link to it where its host is known; `template` has `{sha}`. */
export function Sha({ sha, template }: ShaProps) {
  if (sha === null) return null;
  const short = sha.slice(0, SHORT_CHARACTERS);
  if (template === null || template === undefined)
    return (
      <span class="mono dim" title={sha}>
        {short}
      </span>
    );
  return (
    <a class="link mono" href={template.replace('{sha}', sha)} target="_blank" rel="noreferrer" title={sha}>
      {short}
    </a>
  );
}

type Commit = { sha: string; message: string | null; author: string | null; at: string | null };

/** The first line of what a commit says. */
export const headlineOf = (message: string | null): string => message?.split('\n', 1)[0]?.trim() ?? '';

/** A commit in two lines: what it says, and who made it when. */
export const CommitLines = ({
  commit,
  template,
}: {
  commit: Commit;
  template?: string | null | undefined;
}) => (
  <div class="commit">
    <p class="cut" title={headlineOf(commit.message)}>
      <b>{headlineOf(commit.message) || 'A commit without a message'}</b>
    </p>
    <p class="line tight dim">
      {commit.author !== null && (
        <>
          <Face name={commit.author} />
          <span class="cut">{commit.author}</span>
        </>
      )}
      <Sha sha={commit.sha} template={template} />
      {commit.at !== null && (
        <span class="meta">
          <Time at={commit.at} />
        </span>
      )}
    </p>
  </div>
);
