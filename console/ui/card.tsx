import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

type Props = {
  title: string;
  /** In small letters behind the title: 'last hour'. */
  meta?: ComponentChildren;
  /** Between the title and what is at the right: filters. */
  filters?: ComponentChildren;
  /** At the right: what can be done with all of it. */
  beside?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
};

/** A part of a page in a box; boxes never stand in boxes. */
export function Card({ title, meta, filters, beside, class: more = '', children }: Props) {
  const heading = useId();
  return (
    <section class={`card ${more}`.trimEnd()} aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        {meta !== undefined && <span class="meta">{meta}</span>}
        {filters}
        <span class="push" />
        {beside}
      </header>
      {children}
    </section>
  );
}
