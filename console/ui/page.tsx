import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { Permission } from '../../lib/client/endpoints.ts';
import { useMe } from '../data/queries.ts';
import { Icon } from './icon.tsx';
import { arrowLeft, chevronRight } from './icons.ts';
import { focusSearch, moveRow, useKeys } from './keys.ts';
import { Empty, Skeleton } from './states.tsx';
import { useTitle } from './title.ts';

type Props = {
  title: string;
  /** What can be begun on the page: at most one primary button. */
  beside?: ComponentChildren;
  /** What it is one of, from the outermost on. */
  above?: Crumb | readonly Crumb[] | undefined;
  /**
   * A page of one thing: its title stands large in it, with what is given here under and beside it (status,
   * address, actions). Absent: the title stands in the bar at the top.
   */
  head?: { badge?: ComponentChildren; under?: ComponentChildren; actions?: ComponentChildren } | undefined;
  /** Who has none of these sees nothing here. */
  permissions: readonly Permission[];
  isBusy?: boolean;
  class?: string;
  children: ComponentChildren;
};
type Crumb = { title: string; path: string };

/** A page with its title, its place and the keys of lists. */
export function Page({
  title,
  beside,
  above = [],
  head,
  permissions,
  isBusy,
  class: more = '',
  children,
}: Props) {
  useTitle(title);
  useKeys({ j: () => moveRow(1), k: () => moveRow(-1), '/': focusSearch });
  const { data: me } = useMe();
  const isAllowed = me && permissions.some((each) => me.permissions.includes(each));
  const crumbs = Array.isArray(above) ? above : [above];
  return (
    <main id="main" aria-busy={isBusy}>
      <Top
        title={title}
        crumbs={crumbs}
        isHeading={head === undefined}
        beside={isAllowed === true && beside}
      />
      <div class={`page ${more}`.trimEnd()}>
        {head !== undefined && (
          <header class="head">
            <div>
              <h1>
                {title} {head.badge}
              </h1>
              {head.under}
            </div>
            {isAllowed === true && head.actions !== undefined && <div class="acts">{head.actions}</div>}
          </header>
        )}
        {isAllowed === undefined && <Skeleton />}
        {isAllowed === false && (
          <Empty title="Your role does not include this page" picture="people">
            <p class="dim">An administrator of this tenant can give you another role.</p>
          </Empty>
        )}
        {isAllowed === true && children}
      </div>
    </main>
  );
}

type TopProps = {
  title: string;
  crumbs?: readonly Crumb[];
  /** Whether no other heading names the page. */
  isHeading?: boolean;
  beside?: ComponentChildren;
};

/** The bar at the top of a page: where it is, and what can be begun there. */
export function Top({ title, crumbs = [], isHeading = true, beside }: TopProps) {
  const last = crumbs.at(-1);
  const As = isHeading ? 'h1' : 'strong';
  return (
    <header class="top">
      {last !== undefined && (
        <Link class="b quiet icon back" href={last.path} aria-label={`Back to ${last.title}`}>
          <Icon of={arrowLeft} />
        </Link>
      )}
      {crumbs.length > 0 && (
        <nav class="crumbs" aria-label="You are here">
          {crumbs.map(({ title: name, path }) => (
            <span key={path} class="line tight">
              <Link class="cut" href={path}>
                {name}
              </Link>
              <Icon of={chevronRight} />
            </span>
          ))}
        </nav>
      )}
      <As class="cut">{title}</As>
      <span class="push" />
      {beside}
    </header>
  );
}

/** A part of a page: its title, what can be begun there, and its list. */
export const Section = ({
  id,
  title,
  beside,
  children,
}: {
  id: string;
  title: string;
  beside?: ComponentChildren;
  children: ComponentChildren;
}) => (
  <section class="section" aria-labelledby={id}>
    <header class="section-head">
      <h2 id={id}>{title}</h2>
      <span class="push" />
      {beside}
    </header>
    {children}
  </section>
);
