import * as z from 'zod';
import { revisionStatuses } from '../../contract/revision-status.ts';

const text = z.string().nullable();

export const branchesView = z.object({
  /** Null where the host does not say. */
  default_branch: text,
  /** The default branch first, the others by their names. */
  resources: z.array(z.object({ name: z.string(), commit: z.string() })),
  /** There are more than are listed: `name_contains` finds them. */
  more: z.boolean(),
  /** Why nothing could be read; null where it could. */
  problem: text,
});

/** Message (its first line), author and time are null where the host does not tell them. */
const commitView = z.object({ sha: z.string(), message: text, author: text, at: text });

export const sourceKinds = ['agent', 'server', 'dockerfile'] as const;

export const lookView = z.object({
  /** What was looked at: the default branch where nothing was named. */
  ref: text,
  commit: commitView.nullable(),
  /** What a build would make of it; null where it would find nothing. */
  found: z
    .object({
      kind: z.enum(sourceKinds),
      /** In words: `a FastAPI app`. */
      says: z.string(),
      /** The file that says so, from the root of the repository. */
      file: z.string(),
      language: z.enum(['python', 'javascript', 'other']),
      /** The version of the language that it asks for. */
      version: text,
      graphs: z.array(z.object({ id: z.string(), path: z.string() })),
      /** The langgraph.json of an agent, as `graph_config_path` names it. */
      config_path: text,
      /** The line that starts it; null of agents, which an agent server starts. */
      start: text,
    })
    .nullable(),
  /** Why it cannot be read, or what would fail in a build; null where nothing is wrong. */
  problem: text,
  /** Variables that its own files name, with the file; never their values. */
  secrets_asked: z.array(z.object({ name: z.string(), from: z.string() })),
  /** Other folders of the repository that hold something to deploy, for `root_directory`. */
  folders: z.array(z.string()),
  /** Files in the folder that was looked at. */
  files: z.array(z.string()),
});
export type LookView = z.input<typeof lookView>;

const revisionOf = { revision_id: z.guid(), number: z.int(), sha: text };

export const sourceView = z.object({
  repo_url: z.string(),
  /** As `source_revision_config.repo_ref` has it. */
  ref: z.string(),
  /** Null: it follows a tag or a commit. */
  branch: text,
  /** What a build of it would take now; null where that cannot be found out. */
  head: commitView.nullable(),
  serving: z.object(revisionOf).nullable(),
  latest: z.object({ ...revisionOf, status: z.enum(revisionStatuses) }).nullable(),
  /** What the head contains and what serves does not, newest first. */
  commits: z.array(commitView),
  more: z.boolean(),
  /** How what serves lies to the head; null while nothing serves. */
  relation: z.enum(['same', 'behind', 'ahead', 'diverged', 'unknown']).nullable(),
  /** Addresses of pages on the host, null where its kind is not known. `{sha}`, `{from}` and `{to}` are commits. */
  commit_url: text,
  branch_url: text,
  compare_template: text,
  /** From what serves to the head. */
  compare_url: text,
  /** Why the head is not known; null where it is. */
  problem: text,
});
export type SourceView = z.input<typeof sourceView>;
