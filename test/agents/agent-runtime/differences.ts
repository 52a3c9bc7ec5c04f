/** What may differ everywhere: what another server says of itself, and of who asks. */
const OWN = new Set([
  'langgraph_api_url',
  'langgraph_api_version',
  'langgraph_auth_permissions',
  'langgraph_auth_user',
  'langgraph_auth_user_id',
  'langgraph_host',
  'langgraph_plan',
  'langgraph_request_id',
  'langsmith_session_name',
  'checkpoint_during',
  'revision_id',
  'user_id',
]);

const isOwn = (name: string): boolean =>
  OWN.has(name) ||
  name.startsWith('__after') ||
  name.startsWith('__request') ||
  name === '__pregel_node_finished';

/** The places at which two answers differ, as `flow.field.3: - was | + is`. */
export function differencesOf(place: string, one: unknown, other: unknown): string[] {
  if (isObject(one) && isObject(other)) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
      .filter((name) => !isOwn(name))
      .sort();
    return names.flatMap((name) => differencesOf(`${place}.${name}`, one[name], other[name]));
  }
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length)
    return one.flatMap((item, at) => differencesOf(`${place}.${at}`, item, other[at]));
  return JSON.stringify(one) === JSON.stringify(other) ? [] : [`${place}: ${shown(one)} | ${shown(other)}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SHOWN = 120;
const shown = (value: unknown): string => (JSON.stringify(value) ?? 'absent').slice(0, SHOWN);
