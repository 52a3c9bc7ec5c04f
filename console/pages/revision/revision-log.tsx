import type { Revision } from '../../../lib/client/endpoints.ts';
import { numberOf } from '../../../lib/client/revision.ts';
import { isFailed } from '../../logic/revision-list.ts';
import { Icon } from '../../ui/icon.tsx';
import { circleX, loaderCircle } from '../../ui/icons.ts';
import { LogView } from '../../ui/log-view.tsx';
import { useParameters } from '../../ui/parameters.ts';
import { Segmented } from '../../ui/tabs.tsx';

type Props = {
  revision: Revision;
  /** A later one that is on its way. */
  live: Revision | undefined;
};

/** The log of a revision; of one that failed, beside it that of the one which may mend it, as it is built. */
export function RevisionLog({ revision, live }: Props) {
  const [search, change] = useParameters();
  if (live === undefined || !isFailed(revision.status))
    return <LogView key={revision.id} revision={revision} />;
  const isNamed = ['log', 'line', 'q', 'level'].some((name) => search.has(name));
  const wanted = search.get('of') ?? (isNamed ? 'own' : 'live');
  const shown = wanted === 'live' ? live : revision;
  return (
    <LogView
      key={shown.id}
      revision={shown}
      which={
        <Segmented
          label="Of which revision"
          value={wanted === 'live' ? 'live' : 'own'}
          onChange={(of) => change({ of, log: '', line: '', at: '' })}
          options={[
            { value: 'own', title: String(numberOf(revision.id)), icon: <Icon of={circleX} class="bad" /> },
            {
              value: 'live',
              title: `${numberOf(live.id)}, live`,
              icon: <Icon of={loaderCircle} class="busy" isTurning />,
            },
          ]}
        />
      }
    />
  );
}
