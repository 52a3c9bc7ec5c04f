import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ChoiceList } from './choice-list.tsx';
import { Icon } from './icon.tsx';
import { chevronDown, type Icon as Shapes } from './icons.ts';
import { placeBeside } from './popover.ts';

export type Option<T extends string> = {
  value: T;
  title: string;
  /** In small letters at the right. */
  hint?: string | undefined;
  isDisabled?: boolean | undefined;
};

type Props<T extends string> = {
  /** What is chosen; its own label where no `<label>` names it. */
  label?: string | undefined;
  /** The id of the element that names it. */
  labelledBy?: string | undefined;
  value: T | '';
  options: readonly Option<T>[];
  onChange: (value: T) => void;
  icon?: Shapes | undefined;
  /** Shown while nothing is chosen. */
  placeholder?: string;
  isDisabled?: boolean;
  /** Options that are still on their way, or why there are none. */
  note?: string | undefined;
  isSmall?: boolean;
};

/** One of several values. From nine on they can be searched; at most two hundred are shown at once. */
export function Choice<T extends string>(props: Props<T>) {
  const {
    label,
    labelledBy,
    value,
    options,
    icon,
    placeholder = 'Choose…',
    isDisabled = false,
    isSmall = false,
  } = props;
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  const chosen = options.find((each) => each.value === value);
  const onToggle = (event: Event) => setOpen('newState' in event && event.newState === 'open');
  const close = () => {
    popover.current?.hidePopover();
    opener.current?.focus();
  };
  useLayoutEffect(() => {
    if (!isOpen || opener.current === null || popover.current === null) return;
    popover.current.style.minWidth = `${opener.current.offsetWidth}px`;
    placeBeside(opener.current, popover.current, 'start');
  }, [isOpen]);
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={isSmall ? 'in pick s' : 'in pick'}
        id={`${id}button`}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-label={labelledBy === undefined ? `${label ?? ''}: ${chosen?.title ?? placeholder}` : undefined}
        aria-labelledby={labelledBy === undefined ? undefined : `${labelledBy} ${id}button`}
        popovertarget={id}
        disabled={isDisabled}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          popover.current?.showPopover();
        }}
      >
        {icon !== undefined && <Icon of={icon} />}
        <span class={chosen === undefined ? 'cut dim' : 'cut'}>{chosen?.title ?? placeholder}</span>
        <Icon of={chevronDown} class="push" />
      </button>
      <div ref={popover} id={id} class="menu options" popover="auto" onToggle={onToggle}>
        {isOpen && <ChoiceList {...props} onDone={close} />}
      </div>
    </>
  );
}
