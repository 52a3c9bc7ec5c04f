import type { Icon as Shapes } from './icons.ts';

type Props = {
  of: Shapes;
  /** Turns round: something is on its way. */
  isTurning?: boolean;
  /** Said of an icon that stands without a word. */
  label?: string;
  class?: string;
};

/** An icon of Lucide, in the colour of the text around it, 16 px wide. */
export const Icon = ({ of, isTurning = false, label, class: more = '' }: Props) => (
  <svg
    class={`i${isTurning ? ' spin' : ''} ${more}`.trimEnd()}
    viewBox="0 0 24 24"
    fill="none"
    stroke="currentColor"
    stroke-linecap="round"
    stroke-linejoin="round"
    {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
  >
    {of.split('|').map((line) => (
      <path key={line} d={line} />
    ))}
  </svg>
);
