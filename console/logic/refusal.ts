/** One problem of a request, by the field that has it: `source_config.repo_url`. */
export type FieldProblem = { field: string; text: string };

const detailIn = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'detail' in body ? body.detail : undefined;

/** The problems of a 422, by field; none of any other refusal. */
export function problemsIn(body: unknown): FieldProblem[] {
  const detail = detailIn(body);
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((item: unknown): FieldProblem[] => {
    if (typeof item !== 'object' || item === null || !('loc' in item) || !('msg' in item)) return [];
    const [, ...place] = Array.isArray(item.loc) ? item.loc.map(String) : [];
    return [{ field: place.join('.'), text: String(item.msg) }];
  });
}

const UNREACHABLE = 'The API does not answer. What is shown may be old; it is asked again by itself.';
const fallbacks: Record<number, string> = {
  429: 'Too many requests. It is tried again by itself.',
  503: 'The service is busy or restarting. It is tried again by itself.',
};

/** What to say of a refusal: the API's own words where there are some. */
export function textOf(status: number, body: unknown): string {
  if (status === 0) return UNREACHABLE;
  const detail = detailIn(body);
  if (typeof detail === 'string') return detail;
  const problems = problemsIn(body);
  if (problems.length > 0)
    return problems.map(({ field, text }) => (field ? `${field}: ${text}` : text)).join('; ');
  return fallbacks[status] ?? `The API answered with status ${status}.`;
}
