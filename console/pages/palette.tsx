import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { ask } from '../data/api.ts';
import { useDeployment, useMe, useRevisions } from '../data/queries.ts';
import {
  actionEntries,
  type Deed,
  deploymentAt,
  deploymentEntries,
  type Entry,
  matching,
  pageEntries,
} from '../logic/palette.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Interrupt, RunAgain } from './revision-actions.tsx';

const FOUND_MAX = 8;
const SHOWN_MAX = 12;

const useFound = (text: string) =>
  useQuery({
    queryKey: ['deployments', 'palette', text],
    queryFn: ({ signal }) =>
      ask('GET /v2/deployments', { query: { name_contains: text, limit: FOUND_MAX } }, signal),
    placeholderData: keepPreviousData,
  });

/** Every entry that suits what is typed, and what serves the deployment that is open. */
function useEntries(text: string) {
  const [place] = useLocation();
  const permissions = useMe().data?.permissions ?? [];
  const found = useFound(text.trim().toLowerCase());
  const id = deploymentAt(place);
  const deployment = useDeployment(id);
  const revisions = useRevisions(id).data?.pages.flatMap(({ resources }) => resources) ?? [];
  const own = deployment.data === undefined ? [] : actionEntries(deployment.data, revisions, permissions);
  const matched = matching([...own, ...pageEntries(permissions)], text);
  const entries = [...matched, ...deploymentEntries(found.data?.resources ?? [])].slice(0, SHOWN_MAX);
  const active = revisions.find((each) => each.id === deployment.data?.active_revision_id);
  return { entries, active };
}

/** Goes anywhere and does anything by typing some of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [deed, setDeed] = useState<Deed>();
  const [, go] = useLocation();
  const { entries, active } = useEntries(text);
  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    const chosen = entry.deed;
    if (chosen.kind === 'interrupt' || chosen.kind === 'again') return setDeed(chosen);
    onClose();
    if (chosen.kind === 'go') go(chosen.to);
    else open(chosen.url, '_blank', 'noreferrer');
  };
  if (deed?.kind === 'interrupt') return <Interrupt revision={deed.revision} onClose={onClose} />;
  if (deed?.kind === 'again')
    return <RunAgain revision={deed.revision} current={active} verb={deed.verb} onClose={onClose} />;
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Chooser entries={entries} text={text} setText={setText} choose={choose} />
    </Dialog>
  );
}

type ChooserProps = {
  entries: Entry[];
  text: string;
  setText: (text: string) => void;
  choose: (entry: Entry | undefined) => void;
};

/** A field with a list below it: the cursor stays in the field, and arrows move in the list. */
function Chooser({ entries, text, setText, choose }: ChooserProps) {
  const [wanted, setWanted] = useState(0);
  const at = Math.min(wanted, entries.length - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (by === undefined) choose(entries[at]);
    else setWanted(Math.min(entries.length - 1, Math.max(0, at + by)));
  };
  return (
    <>
      <input
        type="text"
        role="combobox"
        aria-label="Page, deployment or action"
        aria-controls="palette"
        aria-expanded="true"
        aria-activedescendant={at < 0 ? undefined : `palette-${at}`}
        autocomplete="off"
        spellcheck={false}
        autofocus
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value);
          setWanted(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="palette" class="palette" role="listbox" aria-label="Entries">
        {entries.map((entry, index) => (
          <li
            key={`${entry.title} ${entry.hint}`}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => choose(entry)}
          >
            {entry.title} <span class="quiet small">{entry.hint}</span>
          </li>
        ))}
      </ul>
      <p class="quiet small" role="status">
        {entries.length === 0 ? 'Nothing is called so.' : ''}
      </p>
    </>
  );
}
