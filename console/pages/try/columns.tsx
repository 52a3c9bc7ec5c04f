import type { ComponentChildren } from 'preact';
import { Dialog } from '../../ui/dialog.tsx';

/** What is open in a dialog where there is no room for it beside the middle. */
export type Panel = 'side' | 'code' | undefined;

type Props = {
  /** At the left: what there is to choose from. Absent: nothing. */
  side?: ComponentChildren;
  sideTitle?: string;
  /** What the middle is. */
  title: string;
  children: ComponentChildren;
  code: ComponentChildren;
  panel: Panel;
  closePanel: () => void;
};

/** The three columns of Try; narrower, those at the sides open as dialogs. */
export const Columns = ({ side, sideTitle = '', title, children, code, panel, closePanel }: Props) => (
  <div class={side === undefined ? 'try two' : 'try'}>
    {side !== undefined && (
      <nav class="threads" aria-label={sideTitle}>
        {side}
      </nav>
    )}
    <section class="chat" aria-label={title}>
      {children}
    </section>
    <aside class="snip" aria-label="Code">
      {code}
    </aside>
    {panel === 'side' && side !== undefined && (
      <Dialog title={sideTitle} onClose={closePanel}>
        <nav class="threads in-dialog" aria-label={`${sideTitle} to choose from`}>
          {side}
        </nav>
      </Dialog>
    )}
    {panel === 'code' && (
      <Dialog title="The same from your code" onClose={closePanel}>
        <div class="snip in-dialog">{code}</div>
      </Dialog>
    )}
  </div>
);
