import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Option } from './choice.tsx';
import { Icon } from './icon.tsx';
import { check } from './icons.ts';

const FILTER_FROM = 9;
const SHOWN_MAX = 200;

type Props<T extends string> = {
  label?: string | undefined;
  value: T | '';
  options: readonly Option<T>[];
  onChange: (value: T) => void;
  note?: string | undefined;
  onDone: () => void;
};

/** What is found by the text typed, and which of it the arrow keys stand on. */
function useFound<T extends string>({ value, options, onChange, onDone }: Props<T>) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      options.findIndex((each) => each.value === value),
    ),
  );
  const wanted = text.trim().toLowerCase();
  const found = options.filter(({ title }) => title.toLowerCase().includes(wanted)).slice(0, SHOWN_MAX);
  const choose = (option: Option<T> | undefined) => {
    if (option === undefined || option.isDisabled === true) return;
    onChange(option.value);
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const last = found.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (to === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (to === undefined) choose(found[at]);
    else setAt(Math.max(0, Math.min(last, to)));
  };
  const search = (typed: string) => {
    setText(typed);
    setAt(0);
  };
  return { text, search, at, setAt, found, choose, onKeyDown };
}

/** What there is to choose from, with a field to search in where it is much. */
export function ChoiceList<T extends string>(props: Props<T>) {
  const { label = 'choices', value, options, note } = props;
  const { text, search, at, setAt, found, choose, onKeyDown } = useFound(props);
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const isSearched = options.length >= FILTER_FROM;
  useEffect(() => (isSearched ? field.current : list.current)?.focus(), []);
  useEffect(() => document.getElementById(`${id}${at}`)?.scrollIntoView({ block: 'nearest' }), [at]);
  const steered = { 'aria-activedescendant': found.length > 0 ? `${id}${at}` : undefined, onKeyDown };
  const says = found.length > 0 ? note : (note ?? nothing(text.trim()));
  return (
    <>
      {isSearched && (
        <input
          {...steered}
          ref={field}
          class="filter"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}list`}
          aria-label={`Search ${label}`}
          placeholder="Search"
          value={text}
          onInput={({ currentTarget }) => search(currentTarget.value)}
        />
      )}
      <div
        ref={list}
        role="listbox"
        id={`${id}list`}
        class="choices"
        aria-label={label}
        {...(isSearched ? {} : { ...steered, tabIndex: 0 })}
      >
        {found.map((option, index) => (
          <Row
            key={option.value}
            id={`${id}${index}`}
            option={option}
            isCurrent={index === at}
            isChosen={option.value === value}
            choose={() => choose(option)}
            point={() => setAt(index)}
          />
        ))}
      </div>
      {says !== undefined && <p class="note">{says}</p>}
    </>
  );
}

const nothing = (text: string): string =>
  text === '' ? 'Nothing to choose from' : `Nothing matches “${text}”`;

type RowProps = {
  id: string;
  option: Option<string>;
  isCurrent: boolean;
  isChosen: boolean;
  choose: () => void;
  point: () => void;
};

const Row = ({ id, option, isCurrent, isChosen, choose, point }: RowProps) => (
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the list takes the keys
  <div
    id={id}
    role="option"
    class={isCurrent ? 'item cur' : 'item'}
    aria-selected={isChosen}
    aria-disabled={option.isDisabled}
    onClick={choose}
    onMouseMove={point}
  >
    <span class="cut">{option.title}</span>
    {option.hint !== undefined && <span class="meta">{option.hint}</span>}
    {isChosen && <Icon of={check} class="push" />}
  </div>
);
