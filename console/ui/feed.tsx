import { Link } from 'wouter-preact';
import { type Happened, type Mark, markOf, namesIn, partsOf, placeOfEntry } from '../logic/happened.ts';
import { Icon } from './icon.tsx';
import {
  check,
  keyRound,
  plug,
  rocket,
  rotateCcw,
  type Icon as Shapes,
  settings,
  square,
  undo2,
  user,
  wifiOff,
  x,
} from './icons.ts';
import { Time } from './time.tsx';

const icons: Record<Mark, Shapes> = {
  begun: rocket,
  failed: x,
  done: check,
  back: undo2,
  stopped: square,
  unwell: rotateCcw,
  offline: wifiOff,
  settings,
  key: keyRound,
  person: user,
  link: plug,
};

/** What happened, newest first: a sentence each, with the names in it apart. */
export const Feed = ({ entries }: { entries: readonly Happened[] }) => (
  <ol class="feed">
    {entries.map((each) => (
      <Entry key={each.id} entry={each} />
    ))}
  </ol>
);

function Entry({ entry }: { entry: Happened }) {
  const [mark, tone] = markOf(entry.kind);
  const place = placeOfEntry(entry);
  const says = partsOf(entry.says, namesIn(entry)).map(({ text, isName }, at) =>
    // oxlint-disable-next-line react/no-array-index-key -- the parts of a sentence have no other name
    isName ? <b key={at}>{text}</b> : text,
  );
  return (
    <li>
      <span class={`dot ${tone}`}>
        <Icon of={icons[mark]} />
      </span>
      <div>
        <p>{place === undefined ? says : <Link href={place}>{says}</Link>}</p>
        <span class="meta">
          <Time at={entry.at} />
        </span>
      </div>
    </li>
  );
}
