import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type LogFilters, type LogPlace, type LogType, wholeLog } from '../data/log-stream.ts';
import { Button } from './button.tsx';
import { Choice } from './choice.tsx';
import { download, textWrap } from './icons.ts';
import { SearchField } from './search-field.tsx';
import { Segmented } from './tabs.tsx';

export const levels = ['DEBUG', 'INFO', 'WARNING', 'ERROR'] as const;

const levelTitles = {
  '': 'Every level',
  INFO: 'Info and above',
  WARNING: 'Warnings and above',
  ERROR: 'Errors',
} as const;
const offered = ['', 'INFO', 'WARNING', 'ERROR'] as const;

type Props = {
  filters: LogFilters;
  change: (changes: Record<string, string>) => void;
  isWrapped: boolean;
  setWrapped: (isWrapped: boolean) => void;
  /** A choice of whose log it is. */
  which: ComponentChildren;
  place: LogPlace;
  /** Of the file that is downloaded. */
  name: string;
};

/** What narrows a log down, and what is done with all of it. */
export function LogTools({ filters, change, isWrapped, setWrapped, which, place, name }: Props) {
  return (
    <div class="log-tools">
      {which}
      <Segmented
        label="Which log"
        value={filters.type}
        onChange={(log) => change({ log, line: '', at: '' })}
        options={[
          { value: 'build', title: 'Build' },
          { value: 'deploy', title: 'Server' },
        ]}
      />
      <SearchField
        label="Lines that contain"
        placeholder="Search"
        text={filters.query}
        set={(q) => change({ q, line: '', at: '' })}
      />
      <Choice
        isSmall
        label="Level"
        value={offered.find((each) => each === filters.level) ?? ''}
        options={offered.map((value) => ({ value, title: levelTitles[value] }))}
        onChange={(level) => change({ level })}
      />
      <span class="push" />
      <Button
        kind="quiet"
        isSmall
        icon={textWrap}
        label="Wrap lines"
        aria-pressed={isWrapped}
        onClick={() => setWrapped(!isWrapped)}
      />
      <Download place={place} type={filters.type} name={name} />
    </div>
  );
}

function Download({ place, type, name }: { place: LogPlace; type: LogType; name: string }) {
  const [count, setCount] = useState<number>();
  const [isFailed, setFailed] = useState(false);
  const save = async () => {
    setFailed(false);
    setCount(0);
    const url = URL.createObjectURL(await wholeLog(place, type, setCount));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <>
      <Button
        kind="quiet"
        isSmall
        icon={download}
        label="Download"
        busy={count !== undefined && `${count} lines`}
        onClick={() =>
          void save()
            .catch(() => setFailed(true))
            .finally(() => setCount(undefined))
        }
      />
      {isFailed && (
        <span class="bad" role="alert">
          The download failed
        </span>
      )}
    </>
  );
}
