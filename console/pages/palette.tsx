import { useQuery } from '@tanstack/preact-query';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import { ask } from '../data/api.ts';
import { BASE } from '../data/place.ts';
import { useDeployment, useMe, useRevisions } from '../data/queries.ts';
import { keepRecent, recents } from '../data/recents.ts';
import { marked } from '../logic/fuzzy.ts';
import {
  actionEntries,
  type Deed,
  deploymentAt,
  deploymentEntries,
  type Found,
  grouped,
  matching,
  pageEntries,
  recentEntries,
} from '../logic/palette.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import {
  activity,
  bot,
  box,
  chevronRight,
  clock,
  externalLink,
  fileText,
  plus,
  rocket,
  rotateCcw,
  type Icon as Shapes,
  search,
  settings,
  square,
  undo2,
} from '../ui/icons.ts';
import { DeployLatest } from './deployment/deploy-latest.tsx';
import { RollBack } from './deployment/roll-back.tsx';
import { Interrupt, RunAgain } from './revision-actions.tsx';

/** So many deployments are known by their names at once; more are asked for by what is typed. */
const KNOWN_MAX = 100;
const SHOWN_MAX = 20;
/** So many of the things that can be done with the open deployment are offered before anything is typed. */
const OWN_MAX = 6;
const TYPING_MILLISECONDS = 150;

const icons: Record<Found['about'], Shapes> = {
  page: chevronRight,
  new: plus,
  deployment: box,
  try: bot,
  logs: fileText,
  metrics: activity,
  latest: rocket,
  back: undo2,
  settings,
  visit: externalLink,
  again: rotateCcw,
  stop: square,
  recent: clock,
};

const useNamed = (text: string, isWanted: boolean) =>
  useQuery({
    queryKey: ['deployments', 'palette', text],
    enabled: isWanted,
    queryFn: ({ signal }) =>
      ask('GET /v2/deployments', { query: { name_contains: text, limit: KNOWN_MAX } }, signal),
  });

/** What was typed, once there is a pause. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/**
 * Every entry that suits what is typed now: what is known is filtered here, at once. Only where more
 * deployments are there than are known the service is asked as well. `isPending`: its answer may add some.
 */
function useEntries(text: string) {
  const [place] = useLocation();
  const permissions = useMe().data?.permissions ?? [];
  const typed = text.trim().toLowerCase();
  const settled = useSettled(typed);
  const known = useNamed('', true);
  const isPart = known.data !== undefined && known.data.resources.length === KNOWN_MAX;
  const more = useNamed(settled, isPart && settled !== '');
  const id = deploymentAt(place);
  const deployment = useDeployment(id);
  const revisions = useRevisions(id).data?.pages.flatMap(({ resources }) => resources) ?? [];
  const own =
    deployment.data === undefined
      ? []
      : [
          ...deploymentEntries([deployment.data], permissions).slice(1),
          ...actionEntries(deployment.data, revisions, permissions),
        ];
  const named = [...(known.data?.resources ?? []), ...(more.data?.resources ?? [])];
  const recent = typed === '' ? recentEntries(recents()) : [];
  const first = typed === '' ? own.slice(0, OWN_MAX) : own;
  const all = [...recent, ...first, ...pageEntries(permissions), ...deploymentEntries(named, permissions)];
  const active = revisions.find((each) => each.id === deployment.data?.active_revision_id);
  const isPending = known.isFetching || (isPart && typed !== '' && (settled !== typed || more.isFetching));
  return { found: matching(all, typed, SHOWN_MAX), active, isPending };
}

/** Goes anywhere and does anything by typing some of its name. */
export function Palette({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [deed, setDeed] = useState<Deed>();
  const [, goTo] = useLocation();
  const { found, active, isPending } = useEntries(text);
  const choose = (entry: Found | undefined, isApart: boolean) => {
    if (entry === undefined) return;
    const chosen = entry.deed;
    if (chosen.kind !== 'go' && chosen.kind !== 'visit') return setDeed(chosen);
    onClose();
    if (chosen.kind === 'visit') return void open(chosen.url, '_blank', 'noreferrer');
    keepRecent({ title: entry.title, to: chosen.to });
    if (isApart) open(BASE + chosen.to, '_blank');
    else goTo(chosen.to);
  };
  if (deed?.kind === 'latest') return <DeployLatest deployment={deed.deployment} onClose={onClose} />;
  if (deed?.kind === 'back')
    return <RollBack deployment={deed.deployment} activeId={deed.activeId} onClose={onClose} />;
  if (deed?.kind === 'interrupt') return <Interrupt revision={deed.revision} onClose={onClose} />;
  if (deed?.kind === 'again')
    return <RunAgain revision={deed.revision} current={active} verb={deed.verb} onClose={onClose} />;
  return (
    <Dialog title="Search or jump to" look="pal" onClose={onClose}>
      <Chooser found={found} text={text} setText={setText} choose={choose} isPending={isPending} />
    </Dialog>
  );
}

type ChooserProps = {
  found: readonly Found[];
  text: string;
  setText: (text: string) => void;
  choose: (entry: Found | undefined, isApart: boolean) => void;
  isPending: boolean;
};

/** A field with a list below it: the cursor stays in the field, and arrows move in the list. */
function Chooser({ found, text, setText, choose, isPending }: ChooserProps) {
  const [wanted, setWanted] = useState(0);
  const groups = grouped(found, text);
  const entries = groups.flatMap((group) => group.entries);
  const at = Math.min(wanted, entries.length - 1);
  const list = useRef<HTMLDivElement>(null);
  useEffect(
    () => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }),
    [at],
  );
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (by === undefined) choose(entries[at], event.metaKey || event.ctrlKey);
    else setWanted(Math.min(entries.length - 1, Math.max(0, at + by)));
  };
  return (
    <>
      <Question
        text={text}
        at={at}
        onKeyDown={onKeyDown}
        onInput={(typed) => {
          setText(typed);
          setWanted(0);
        }}
      />
      <div ref={list} id="palette" class="found" role="listbox" aria-label="Entries">
        {groups.map((group) => (
          <div key={group.title} role="group" aria-label={group.title}>
            <p class="meta" aria-hidden="true">
              {group.title}
            </p>
            {group.entries.map((entry) => (
              <Option
                key={entry.title}
                entry={entry}
                index={entries.indexOf(entry)}
                isChosen={entries[at] === entry}
                choose={choose}
              />
            ))}
          </div>
        ))}
      </div>
      <p class="none dim" role="status">
        {entries.length > 0 ? '' : isPending ? 'Searching…' : `Nothing matches “${text.trim()}”`}
      </p>
      <Foot />
    </>
  );
}

const Foot = () => (
  <footer class="meta wide" aria-hidden="true">
    <span>
      <kbd>↑</kbd>
      <kbd>↓</kbd>choose
    </span>
    <span>
      <kbd>↵</kbd>open
    </span>
    <span>
      <kbd>⌘↵</kbd>new tab
    </span>
    <span class="push">
      <kbd>Esc</kbd>close
    </span>
  </footer>
);

type QuestionProps = {
  text: string;
  /** Which entry is chosen; below 0: none. */
  at: number;
  onKeyDown: (event: KeyboardEvent) => void;
  onInput: (text: string) => void;
};

const Question = ({ text, at, onKeyDown, onInput }: QuestionProps) => (
  <div class="q">
    <Icon of={search} />
    <input
      type="text"
      class="filter"
      role="combobox"
      aria-label="Page, deployment or action"
      aria-controls="palette"
      aria-expanded="true"
      aria-activedescendant={at < 0 ? undefined : `palette-${at}`}
      placeholder="Page, deployment or action"
      autocomplete="off"
      spellcheck={false}
      autofocus
      value={text}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  </div>
);

type OptionProps = {
  entry: Found;
  index: number;
  isChosen: boolean;
  choose: ChooserProps['choose'];
};

const Option = ({ entry, index, isChosen, choose }: OptionProps) => (
  <div
    id={`palette-${index}`}
    role="option"
    aria-selected={isChosen}
    onClick={(event) => choose(entry, event.metaKey || event.ctrlKey)}
  >
    <Icon of={icons[entry.about]} />
    <span class="cut" title={entry.title}>
      {marked(entry.title, entry.ranges).map(({ text, isFound }, at) =>
        // oxlint-disable-next-line react/no-array-index-key -- the parts of a title have no other name
        isFound ? <mark key={at}>{text}</mark> : text,
      )}
    </span>
    <span class="meta push">{entry.hint}</span>
  </div>
);
