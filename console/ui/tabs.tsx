import type { ComponentChildren } from 'preact';
import { Link, useLocation } from 'wouter-preact';

type Tab = { title: string; path: string; count?: number | undefined };

/** Parts of a page, each at its own address; the one whose address this is, is marked. */
export function Tabs({ label, items }: { label: string; items: readonly Tab[] }) {
  const [place] = useLocation();
  return (
    <nav class="tabs" aria-label={label}>
      {items.map(({ title, path, count }) => (
        <Link key={path} href={path} aria-current={place === path ? 'page' : undefined}>
          {title}
          {count !== undefined && <span>{count}</span>}
        </Link>
      ))}
    </nav>
  );
}

type Several<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: readonly { value: T; title: string; count?: number | undefined; icon?: ComponentChildren }[];
};

const buttonsOf =
  (look: 'pills' | 'seg') =>
  <T extends string>({ label, value, onChange, options }: Several<T>) => (
    <div class={look} role="group" aria-label={label}>
      {options.map((each) => (
        <button
          key={each.value}
          type="button"
          aria-pressed={each.value === value}
          onClick={() => onChange(each.value)}
        >
          {each.icon}
          {each.title}
          {each.count !== undefined && <span>{each.count}</span>}
        </button>
      ))}
    </div>
  );

/** Filters of a list with how many each finds; which one is chosen stands in the address. */
export const Pills = buttonsOf('pills');

/** Two to four views of one thing. */
export const Segmented = buttonsOf('seg');
