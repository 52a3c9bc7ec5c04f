import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { Permission } from '../../lib/client/endpoints.ts';
import { useMe } from '../data/queries.ts';
import { focusSearch, moveRow, useKeys } from './keys.ts';
import { Empty, Skeleton } from './states.tsx';
import { useTitle } from './title.ts';

type Props = {
  title: string;
  /** What stands beside the title. */
  beside?: ComponentChildren;
  /** The list that it is one of. */
  above?: { title: string; path: string };
  /** Who has none of these sees nothing here. */
  permissions: readonly Permission[];
  children: ComponentChildren;
};

/** A page with its title and the keys of lists. */
export function Page({ title, beside, above, permissions, children }: Props) {
  useTitle(title);
  useKeys({ j: () => moveRow(1), k: () => moveRow(-1), '/': focusSearch });
  const { data: me } = useMe();
  const isAllowed = me && permissions.some((each) => me.permissions.includes(each));
  return (
    <main id="main">
      {above !== undefined && (
        <nav class="trail" aria-label="You are here">
          <Link href={above.path}>{above.title}</Link>
        </nav>
      )}
      <header class="page-head">
        <h1>{title}</h1>
        {isAllowed === true && beside}
      </header>
      {isAllowed === undefined && <Skeleton />}
      {isAllowed === false && (
        <Empty title="Your role does not see this page.">
          <p class="quiet">An administrator of the tenant can give you another role.</p>
        </Empty>
      )}
      {isAllowed === true && children}
    </main>
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
    <header class="page-head">
      <h2 id={id}>{title}</h2>
      {beside}
    </header>
    {children}
  </section>
);
