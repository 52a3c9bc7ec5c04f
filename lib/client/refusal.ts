/** One problem of a request, by the field that has it: `source_config.repo_url`. */
export type FieldProblem = { field: string; text: string };

/** What the service refused, in its own words. */
export class Refusal extends Error {
  /** 0: nobody answered. */
  declare readonly status: number;
  /** Our own name of the error. Absent: nobody answered, or something before the service did. */
  declare readonly code: string | undefined;
  declare readonly detail: string;
  /** Of a 422: what is wrong, by field. */
  declare readonly fields: readonly FieldProblem[];
  declare readonly requestId: string | null;
  declare readonly retryAfterSeconds: number | undefined;

  constructor(
    answer: Pick<Response, 'status' | 'headers'> | { status: 0; detail: string },
    body: unknown,
    cause?: unknown,
  ) {
    const fields = problemsIn(body);
    const detail = 'detail' in answer ? answer.detail : detailOf(answer.status, body, fields);
    super(detail, { cause });
    this.name = 'Refusal';
    this.detail = detail;
    this.status = answer.status;
    this.fields = fields;
    const code = fieldOf(body, 'code');
    this.code = typeof code === 'string' ? code : undefined;
    const headers = 'headers' in answer ? answer.headers : new Headers();
    this.requestId = headers.get('X-Request-Id');
    // A date there, as some proxies send, is as good as none.
    this.retryAfterSeconds = Number(headers.get('Retry-After')) || undefined;
  }

  /** Whether asking again may mend it: no answer, too many requests, a fault of the service. */
  get isPassing(): boolean {
    return PASSING.includes(this.status) || this.status >= 500 || this.code === UNDER_WAY;
  }
}

const PASSING = [0, 408, 429];
/** The first request with this `Idempotency-Key` is not done yet. */
const UNDER_WAY = 'idempotency_under_way';

/** Of whatever was answered; undefined: it has no such field. */
const fieldOf = (body: unknown, name: string): unknown => Reflect.get(Object(body), name);

/** The problems of a 422, by field; none of any other refusal. */
function problemsIn(body: unknown): FieldProblem[] {
  const detail = fieldOf(body, 'detail');
  if (!Array.isArray(detail)) return [];
  return detail.map((item: unknown) => {
    const loc = fieldOf(item, 'loc');
    const [, ...place] = Array.isArray(loc) ? loc.map(String) : [];
    return { field: place.join('.'), text: String(fieldOf(item, 'msg')) };
  });
}

function detailOf(status: number, body: unknown, fields: readonly FieldProblem[]): string {
  const detail = fieldOf(body, 'detail');
  if (typeof detail === 'string') return detail;
  const problems = fields.map(({ field, text }) => (field === '' ? text : `${field}: ${text}`));
  return problems.join('; ') || `The API answered with status ${status}.`;
}
