import * as z from 'zod';

/** In an artifact: the agent server that the build has added to a project in JavaScript which brings none. */
export const AGENT_SERVER_FOLDER = '.slipway-agent-server';

/** `<file or module>:<name of what it exports>`. */
const importString = z
  .string()
  .regex(/^[^:]+:[^:]+$/, "must look like './file.ts:export' (a file, a colon and what it exports)");
const graph = z.union([importString, z.looseObject({ path: importString })]);

const version = (field: string) =>
  z.string({ error: `must be text: write "${field}": "…" with quotes` }).regex(/^\d+(\.\d+){0,2}$/, {
    error: 'must be a version number such as "3.12" or "22"',
  });

/**
 * `langgraph.json`: how an agent project says what it is made of. Only what building and running need is
 * read; other keys are for the agent server. A file without `graphs` describes no agent, and its project is
 * run as an ordinary server.
 */
export const langgraphJson = z.looseObject({
  node_version: version('node_version').nullish(),
  python_version: version('python_version').nullish(),
  /** Local folders (they start with a dot) and names of packages. */
  dependencies: z.array(z.string().min(1)).nullish(),
  /** Instead of dependencies: a project of uv, and the package in it that is deployed. */
  source: z
    .looseObject({
      kind: z.literal('uv', { error: 'must be "uv"' }),
      root: z.string().min(1).optional(),
      package: z.string().min(1).optional(),
    })
    .nullish(),
  /** Variables, or the path of a dotenv file. */
  env: z.union([z.record(z.string(), z.string()), z.string()]).nullish(),
  graphs: z.record(z.string().min(1), graph).nullish(),
  dockerfile_lines: z.array(z.string()).nullish(),
  pip_config_file: z.string().nullish(),
});
export type LanggraphJson = z.infer<typeof langgraphJson>;

/** One graph: its id, and the file (or the Python module) that makes it. */
export type GraphSource = { id: string; file: string };

export function graphSources(config: LanggraphJson): GraphSource[] {
  return Object.entries(config.graphs ?? {}).map(([id, entry]) => {
    const path = typeof entry === 'string' ? entry : entry.path;
    return { id, file: path.slice(0, path.lastIndexOf(':')) };
  });
}

const javaScriptFile = /\.[cm]?[jt]sx?$/;

/** In which language a graph is written. */
export const languageOfGraph = ({ file }: GraphSource): 'javascript' | 'python' =>
  javaScriptFile.test(file) ? 'javascript' : 'python';

/** Which agent server runs the project; `mixed` graphs need both, which no local process can be. */
export function languageOf(config: LanggraphJson): 'javascript' | 'python' | 'mixed' {
  const [language = 'python', ...others] = new Set(graphSources(config).map(languageOfGraph));
  return others.length > 0 ? 'mixed' : language;
}

/**
 * The first problem that the schema found, as a sentence without a full stop: `graphs.agent must look like
 * …`.
 */
export function firstProblem(error: z.ZodError): string {
  const [issue] = error.issues;
  if (issue === undefined) return 'it is not valid';
  const where = issue.path.length === 0 ? 'it' : issue.path.join('.');
  // Of alternatives the one that got furthest says most.
  const inner = issue.code === 'invalid_union' ? issue.errors.flat().at(0)?.message : undefined;
  const text = inner ?? issue.message;
  return `${where} ${text.startsWith('must') ? text : `is not valid: ${text}`}`;
}
