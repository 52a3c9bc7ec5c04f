import { useList } from '../../data/lists.ts';
import { isAbout, type Topic, topics } from '../../logic/happened.ts';
import { Button } from '../../ui/button.tsx';
import { Feed } from '../../ui/feed.tsx';
import { ListOf } from '../../ui/list-of.tsx';
import { Page } from '../../ui/page.tsx';
import { oneOf, useParameters } from '../../ui/parameters.ts';
import { Empty } from '../../ui/states.tsx';
import { Pills } from '../../ui/tabs.tsx';

const all = Object.keys(topics).filter((topic): topic is Topic => topic in topics);

/** Everything that happened in the tenant, newest first. */
export function Activity() {
  const [search, change] = useParameters();
  const topic = oneOf(all, search.get('about')) || 'all';
  const list = useList('GET /v2/activity', {});
  const set = (about: Topic) => change({ about: about === 'all' ? '' : about });
  return (
    <Page title="Activity" permissions={['events:read']} isBusy={list.isFetching}>
      <Pills
        label="Show"
        value={topic}
        onChange={set}
        options={all.map((value) => ({ value, title: topics[value] }))}
      />
      <ListOf
        list={list}
        empty={
          <Empty title="Nothing has happened yet" picture="quiet">
            <p class="dim">Deploys, rollbacks, failures and changes of settings will be listed here.</p>
          </Empty>
        }
      >
        {(rows) => {
          const shown = rows.filter(({ kind }) => isAbout(topic, kind));
          if (shown.length > 0) return <Feed entries={shown} />;
          return (
            <Empty title="Nothing of this kind among what is loaded">
              <Button onClick={() => set('all')}>Clear the filter</Button>
            </Empty>
          );
        }}
      </ListOf>
    </Page>
  );
}
