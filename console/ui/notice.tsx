import type { ComponentChildren } from 'preact';
import type { Tone } from '../logic/status.ts';
import { Icon } from './icon.tsx';
import { info, type Icon as Shapes } from './icons.ts';

type Props = { icon?: Shapes; tone?: Tone; action?: ComponentChildren; children: ComponentChildren };

/** One line that is true of the page, with one thing to do about it. */
export const Notice = ({ icon = info, tone, action, children }: Props) => (
  <div class="notice" role="status">
    <Icon of={icon} class={tone ?? ''} />
    <p>{children}</p>
    {action !== undefined && <span class="push">{action}</span>}
  </div>
);
