import { actionWord, auditActions, instantOf, localTime } from '../../logic/audit.ts';
import { Choice } from '../../ui/choice.tsx';
import { oneOf } from '../../ui/parameters.ts';
import { SearchField } from '../../ui/search-field.tsx';

const fields = ['action', 'user', 'deployment', 'since', 'until'] as const;
type Field = (typeof fields)[number];
type Action = (typeof auditActions)[number]['actions'][number];
type Filters = Record<Field, string> & { action: Action | ''; isFiltered: boolean };

/** The filters of the address. */
export function filtersIn(search: URLSearchParams): Filters {
  const of = (field: Field) => search.get(field) ?? '';
  return {
    action: oneOf(
      auditActions.flatMap(({ actions }) => actions),
      of('action'),
    ),
    user: of('user'),
    deployment: of('deployment'),
    since: of('since'),
    until: of('until'),
    isFiltered: fields.some((field) => of(field) !== ''),
  };
}

export const noFilters: Record<Field, string> = {
  action: '',
  user: '',
  deployment: '',
  since: '',
  until: '',
};

type Props = {
  filters: Filters;
  change: (changes: Record<string, string>) => void;
  /** Of deployments that are there, by id. */
  names: ReadonlyMap<string, string>;
  ownId: string | undefined;
};

export function AuditFilters({ filters, change, names, ownId }: Props) {
  // One that was deleted has events too.
  const isKnown = filters.deployment === '' || names.has(filters.deployment);
  return (
    <search class="filters">
      <SearchField
        label="User id"
        placeholder="User id"
        text={filters.user}
        set={(text) => change({ user: text.trim() })}
      />
      {ownId !== undefined && (
        <button
          type="button"
          aria-pressed={filters.user === ownId}
          onClick={() => change({ user: filters.user === ownId ? '' : ownId })}
        >
          By me
        </button>
      )}
      <ActionFilter value={filters.action} set={(action) => change({ action })} />
      <Choice
        label="Deployment"
        value={filters.deployment === '' ? 'any' : filters.deployment}
        options={[
          { value: 'any', title: 'Any deployment' },
          ...(isKnown ? [] : [{ value: filters.deployment, title: 'A deleted deployment' }]),
          ...[...names].map(([value, title]) => ({ value, title })),
        ]}
        onChange={(value) => change({ deployment: value === 'any' ? '' : value })}
      />
      <TimeFilter label="From" value={filters.since} set={(since) => change({ since })} />
      <TimeFilter label="Until" value={filters.until} set={(until) => change({ until })} />
    </search>
  );
}

type OneProps = { value: string; set: (value: string) => void };

const ActionFilter = ({ value, set }: OneProps) => (
  <Choice
    label="Action"
    value={value === '' ? 'any' : value}
    options={[
      { value: 'any', title: 'Any action' },
      ...auditActions.flatMap(({ actions }) =>
        actions.map((action) => ({ value: action, title: actionWord(action) })),
      ),
    ]}
    onChange={(chosen) => set(chosen === 'any' ? '' : chosen)}
  />
);

/** A time of the person's own clock; the address has the instant. */
const TimeFilter = ({ label, value, set }: OneProps & { label: string }) => (
  <label class="time-filter">
    <span class="quiet small">{label}</span>
    <input
      type="datetime-local"
      value={localTime(value)}
      onChange={({ currentTarget }) => set(instantOf(currentTarget.value))}
    />
  </label>
);
