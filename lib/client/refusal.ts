/** One problem of a request, by the field that has it: `source_config.repo_url`. */
export type FieldProblem = { field: string; text: string };

/** What the service refused, in its own words. */
export class Refusal extends Error {
  /** 0: nobody answered. */
  readonly status: number;
  /** Our own name of the error. Absent: nobody answered, or something before the service did. */
  readonly code: string | undefined;
  readonly detail: string;
  /** Of a 422: what is wrong, by field. */
  readonly fields: readonly FieldProblem[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    answer: Pick<Response, 'status' | 'headers'> | { status: 0; detail: string },
    body: unknown,
    cause?: unknown,
  ) {
    const detail = 'detail' in answer ? answer.detail : detailOf(answer.status, body);
    super(detail, { cause });
    this.name = 'Refusal';
    this.detail = detail;
    this.status = answer.status;
    this.fields = problemsIn(body);
    const code = fieldIn(body, 'code');
    this.code = typeof code === 'string' ? code : undefined;
    const headers = 'headers' in answer ? answer.headers : new Headers();
    this.requestId = headers.get('X-Request-Id');
    this.retryAfterSeconds = secondsIn(headers.get('Retry-After'));
  }

  /** Whether asking again may mend it: no answer, too many requests, a fault of the service. */
  get isPassing(): boolean {
    return isPassingStatus(this.status) || this.code === UNDER_WAY;
  }
}

/** The first request with this `Idempotency-Key` is not done yet. */
const UNDER_WAY = 'idempotency_under_way';

const isPassingStatus = (status: number): boolean =>
  [0, 408, 425, 429].includes(status) || (status >= 500 && status !== 501);

/** A date there, as some proxies send, is as good as none. */
function secondsIn(header: string | null): number | undefined {
  const seconds = Number(header);
  return seconds > 0 ? seconds : undefined;
}

const fieldIn = (body: unknown, name: 'code' | 'detail'): unknown =>
  typeof body === 'object' && body !== null && name in body ? Reflect.get(body, name) : undefined;

/** The problems of a 422, by field; none of any other refusal. */
function problemsIn(body: unknown): FieldProblem[] {
  const detail = fieldIn(body, 'detail');
  if (!Array.isArray(detail)) return [];
  return detail.flatMap((item: unknown): FieldProblem[] => {
    if (typeof item !== 'object' || item === null || !('loc' in item) || !('msg' in item)) return [];
    const [, ...place] = Array.isArray(item.loc) ? item.loc.map(String) : [];
    return [{ field: place.join('.'), text: String(item.msg) }];
  });
}

function detailOf(status: number, body: unknown): string {
  const detail = fieldIn(body, 'detail');
  if (typeof detail === 'string') return detail;
  const problems = problemsIn(body).map(({ field, text }) => (field === '' ? text : `${field}: ${text}`));
  return problems.join('; ') || `The API answered with status ${status}.`;
}
