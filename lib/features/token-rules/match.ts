import type { TokenRule } from '../../core/items/token-rules.ts';

/** What a verified token says of the job that it was given to, in the words of rules. */
export type CiJob = Pick<TokenRule, 'subject'> & {
  /** For people alone: it can change hands. */
  repository: string | undefined;
  ref: string | undefined;
  environment: string | undefined;
  event: string | undefined;
  runId: string | undefined;
};

type Claims = Readonly<Record<string, unknown>>;
type Provider = {
  id: TokenRule['subject']['claim'];
  repository: string;
  ref: string;
  event: string;
  run: string;
};

/** Which claims say what. Of GitLab's two refs the full one: a tag may be called as a branch is. */
const providers: readonly Provider[] = [
  { id: 'repository_id', repository: 'repository', ref: 'ref', event: 'event_name', run: 'run_id' },
  {
    id: 'project_id',
    repository: 'project_path',
    ref: 'ref_path',
    event: 'pipeline_source',
    run: 'pipeline_id',
  },
];
const providerOf = (claim: string): Provider | undefined => providers.find(({ id }) => id === claim);

const TEXT_LENGTH_MAX = 255;

/** Numbers come as texts from some, and as numbers from others. */
function textIn(claims: Claims, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && text !== '' && text.length <= TEXT_LENGTH_MAX ? text : undefined;
}

/** The job of a token; undefined: it does not say by a number which repository it is for. */
export function jobIn(claims: Claims): CiJob | undefined {
  for (const provider of providers) {
    const id = textIn(claims, provider.id);
    if (id === undefined || !/^\d+$/.test(id)) continue;
    return {
      subject: { claim: provider.id, id },
      repository: textIn(claims, provider.repository),
      ref: textIn(claims, provider.ref),
      environment: textIn(claims, 'environment'),
      event: textIn(claims, provider.event),
      runId: textIn(claims, provider.run),
    };
  }
  return undefined;
}

/**
 * Such a job may run what somebody has only proposed; one of a child pipeline does not say whether its parent
 * is of a merge request.
 */
export const mayBeProposed = (event: string | undefined): boolean =>
  event !== undefined && /^(?:pull_request|merge_request|external_pull_request|parent_pipeline$)/.test(event);

/** What a rule demands that a job has not, in the words of its token: `ref 'refs/heads/next'`. None: it fits. */
export function unfitIn(rule: TokenRule, job: CiJob): string[] {
  const { ref = 'ref', event = 'event_name' } = providerOf(job.subject.claim) ?? {};
  // A token that does not say by what its job was begun may be of any event.
  const takesEvent =
    rule.event_name === undefined
      ? job.event !== undefined && !mayBeProposed(job.event)
      : job.event === rule.event_name;
  return [
    ...(rule.ref === undefined || rule.ref === job.ref ? [] : [said(ref, job.ref)]),
    ...(rule.environment === undefined || rule.environment === job.environment
      ? []
      : [said('environment', job.environment)]),
    ...(takesEvent ? [] : [said(event, job.event)]),
  ];
}

const said = (name: string, value: string | undefined): string =>
  value === undefined ? `'${name}', which it has not` : `'${name}' (${value})`;

/** The rule that gives most of those that fit, the oldest of them; and of each tenant, its own. */
export function rulesThatFit(rules: readonly TokenRule[], job: CiJob): TokenRule[] {
  const byTenant = Map.groupBy(
    rules.filter((rule) => unfitIn(rule, job).length === 0),
    ({ tenant_id }) => tenant_id,
  );
  const rank = ({ role }: TokenRule): number => (role === 'developer' ? 0 : 1);
  return [...byTenant.values()].flatMap(
    (own) => own.toSorted((a, b) => rank(a) - rank(b) || (a.sk < b.sk ? -1 : 1))[0] ?? [],
  );
}

/** What the nearest of the rules does not take: of several that do not fit, the one that lacks least. */
export function nearestUnfit(rules: readonly TokenRule[], job: CiJob): string[] {
  const [nearest = []] = rules.map((rule) => unfitIn(rule, job)).toSorted((a, b) => a.length - b.length);
  return nearest;
}
