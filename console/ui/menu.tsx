import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Icon } from './icon.tsx';
import { ellipsis, type Icon as Shapes } from './icons.ts';
import { placeBeside } from './popover.ts';

export type MenuItem = {
  /** A verb and what it is done to; an ellipsis at its end where a dialog follows: 'Roll back to 41…'. */
  title: string;
  icon?: Shapes | undefined;
  /** In small letters at the right. */
  hint?: string | undefined;
  isDanger?: boolean | undefined;
  /** A line stands before it. */
  isApart?: boolean | undefined;
  /** One of several that exclude each other. */
  isChosen?: boolean | undefined;
} & (
  | { onChoose: () => void; href?: undefined }
  /** A place in the console; with `isOutside` a whole address. */
  | { href: string; isOutside?: boolean; onChoose?: undefined }
);

type Props = {
  /** What the menu is of: 'More actions for revision 41'. */
  label: string;
  items: readonly MenuItem[];
  /** What the button shows; absent: three dots. */
  children?: ComponentChildren;
  /** What stands above the actions: who somebody is. */
  heading?: ComponentChildren;
  class?: string;
  align?: 'start' | 'end';
};

/** A button that opens a list of actions; arrow keys move in it, Escape closes it. The likeliest action comes first. */
export function Menu({
  label,
  items,
  children,
  heading,
  class: look = 'b quiet icon s',
  align = 'end',
}: Props) {
  const id = useId();
  const opener = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (!isOpen || opener.current === null || list.current === null) return;
    placeBeside(opener.current, list.current, align);
    list.current.querySelector<HTMLElement>('[role^=menuitem]')?.focus();
  }, [isOpen]);
  if (items.length === 0) return null;
  const onToggle = (event: Event) => setOpen('newState' in event && event.newState === 'open');
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={isOpen ? `${look} open` : look}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={id}
        aria-label={children === undefined ? label : undefined}
        title={children === undefined ? label : undefined}
        popovertarget={id}
      >
        {children ?? <Icon of={ellipsis} />}
      </button>
      <div
        ref={list}
        id={id}
        class="menu"
        role="menu"
        aria-label={label}
        popover="auto"
        onToggle={onToggle}
        onKeyDown={moveIn}
      >
        {isOpen && heading !== undefined && (
          <div class="menu-head" role="presentation">
            {heading}
          </div>
        )}
        {isOpen &&
          items.map((item) => (
            <Item key={item.title} item={item} close={() => list.current?.hidePopover()} />
          ))}
      </div>
    </>
  );
}

function Item({ item, close }: { item: MenuItem; close: () => void }) {
  const role = item.isChosen === undefined ? 'menuitem' : 'menuitemradio';
  const shared = {
    role,
    tabIndex: -1,
    class: item.isDanger === true ? 'item bad' : 'item',
    'aria-checked': item.isChosen,
  } as const;
  const shown = (
    <>
      {item.icon !== undefined && <Icon of={item.icon} />}
      {item.title}
      {item.hint !== undefined && <span class="meta">{item.hint}</span>}
    </>
  );
  const { href } = item;
  return (
    <>
      {item.isApart === true && <hr />}
      {href === undefined && (
        <button
          {...shared}
          type="button"
          onClick={() => {
            close();
            item.onChoose?.();
          }}
        >
          {shown}
        </button>
      )}
      {href !== undefined &&
        (item.isOutside === true ? (
          <a {...shared} href={href} target="_blank" rel="noreferrer" onClick={close}>
            {shown}
          </a>
        ) : (
          <Link {...shared} href={href} onClick={close}>
            {shown}
          </Link>
        ))}
    </>
  );
}

/** Arrow keys, Home, End and first letters, as in menus of the system. */
function moveIn(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>('[role^=menuitem]')];
  const at = all.findIndex((each) => each === document.activeElement);
  const to = targetOf(event.key, at, all);
  if (to === undefined) return;
  event.preventDefault();
  all[to]?.focus();
}

function targetOf(key: string, at: number, all: readonly HTMLElement[]): number | undefined {
  if (key === 'ArrowDown') return (at + 1) % all.length;
  if (key === 'ArrowUp') return (at - 1 + all.length) % all.length;
  if (key === 'Home') return 0;
  if (key === 'End') return all.length - 1;
  if (key.length !== 1 || key === ' ') return undefined;
  const after = [...all.keys()].map((index) => (at + 1 + index) % all.length);
  return after.find((index) => all[index]?.textContent.toLowerCase().startsWith(key.toLowerCase()));
}
