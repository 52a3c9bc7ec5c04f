import type { ComponentChildren } from 'preact';
import type { Tone } from '../logic/status.ts';
import { Icon } from './icon.tsx';
import type { Icon as Shapes } from './icons.ts';

type Props = { tone: Tone; icon?: Shapes | undefined; isTurning?: boolean; children: ComponentChildren };

/** Icon and word on a tinted ground: once a page, beside the title. */
export const Badge = ({ tone, icon, isTurning = false, children }: Props) => (
  <span class={`badge ${tone}`}>
    {icon !== undefined && <Icon of={icon} isTurning={isTurning} />}
    {children}
  </span>
);

/** The same without a ground, for lists. */
export const State = ({ tone, icon, isTurning = false, children }: Props) => (
  <span class={`state ${tone}`}>
    {icon !== undefined && <Icon of={icon} isTurning={isTurning} />}
    {children}
  </span>
);

/** A small neutral word: an environment, a role, a kind. */
export const Tag = ({ icon, children }: { icon?: Shapes; children: ComponentChildren }) => (
  <span class="tag">
    {icon !== undefined && <Icon of={icon} />}
    {children}
  </span>
);

const INITIALS = 2;

/** A person by the first letters of their name, which stands beside it. */
export const Face = ({ name }: { name: string }) => (
  <span class="face" aria-hidden="true">
    {name
      .split(/[\s@._-]+/, INITIALS)
      .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0x20))
      .join('')
      .toUpperCase()}
  </span>
);
