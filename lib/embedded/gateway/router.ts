import { answersHead, type RouteRow } from '../../contract/routes/route.ts';
import { decodedPart } from './percent.ts';

export type Match = { routeKey: string; row: RouteRow | undefined; pathParameters: Record<string, string> };

type Pattern = { row: RouteRow; parts: string[]; literals: number; isGreedy: boolean };

const isParameter = (part: string): boolean => part.startsWith('{') && part.endsWith('}');
/** `{proxy+}` takes all that is left of a path, one part at least. */
const isGreedy = (part: string): boolean => part.endsWith('+}');

function patternOf(row: RouteRow): Pattern {
  const parts = row.path.slice(1).split('/');
  const literals = parts.filter((part) => !isParameter(part)).length;
  return { row, parts, literals, isGreedy: parts.some(isGreedy) };
}

function match({ parts }: Pattern, given: string[]): Record<string, string> | undefined {
  if (parts.length !== given.length && !(isGreedy(parts.at(-1) ?? '') && parts.length < given.length))
    return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, part] of parts.entries()) {
    const value = given[index] ?? '';
    if (isGreedy(part)) {
      const rest = given.slice(index).join('/');
      if (rest === '') return undefined;
      parameters[part.slice(1, -2)] = decodedPart(rest);
    } else if (!isParameter(part)) {
      if (part !== value) return undefined;
    } else if (value === '') return undefined;
    else parameters[part.slice(1, -1)] = decodedPart(value);
  }
  return parameters;
}

/**
 * Picks the route of a request as an HTTP API does: the most specific path with that method, else `$default`.
 * What fits as a whole goes before a greedy part.
 * A trailing slash is of no account.
 */
export function createRouter(rows: readonly RouteRow[]): (method: string, path: string) => Match {
  const patterns = rows
    .map(patternOf)
    .toSorted((a, b) => Number(a.isGreedy) - Number(b.isGreedy) || b.literals - a.literals);
  return (method, path) => {
    const given = path.replace(/^\//, '').replace(/\/$/, '').split('/');
    for (const pattern of patterns) {
      if (pattern.row.method !== method && !(method === 'HEAD' && answersHead(pattern.row))) continue;
      const pathParameters = match(pattern, given);
      if (pathParameters === undefined) continue;
      return { routeKey: `${method} ${pattern.row.path}`, row: pattern.row, pathParameters };
    }
    return { routeKey: '$default', row: undefined, pathParameters: {} };
  };
}
