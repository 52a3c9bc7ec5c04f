import type { ComponentChildren, ComponentType } from 'preact';
import { useCallback, useLayoutEffect, useState } from 'preact/hooks';
import { forgetIgnored, ignoredNow, onIgnored } from '../data/ignored.ts';
import { Dialog } from './dialog.tsx';
import { useKeys, usePaletteKey } from './keys.ts';
import { Bar, Side } from './navigation.tsx';
import { Problem } from './states.tsx';
import { Toasts } from './toast.tsx';

/** What stands around every page; `problem`: why what is shown may be old. */
export function Frame({ children, problem }: { children: ComponentChildren; problem?: Error | undefined }) {
  const [isHelp, setHelp] = useState(false);
  const [palette, openPalette] = usePalette();
  useKeys({ '?': () => setHelp(true) });
  const toHelp = () => setHelp(true);
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Side openPalette={openPalette} openHelp={toHelp} />
      <div class="content">
        {problem !== undefined && <Problem error={problem} />}
        <Ignored />
        {children}
      </div>
      <Bar openPalette={openPalette} openHelp={toHelp} />
      <Toasts />
      {palette}
      {isHelp && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

const NotLoaded = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Go to" onClose={onClose}>
    <p class="problem" role="alert">
      This could not be loaded. Is Slipway running? Reload the page to try again.
    </p>
  </Dialog>
);

/** The palette when it is open, and what opens it; it comes with the script of the other pages. */
function usePalette() {
  const [Palette, setPalette] = useState<ComponentType<{ onClose: () => void }>>();
  const open = useCallback(() => {
    import('../pages/lazy.ts').then(
      (pages) => setPalette(() => pages.Palette),
      () => setPalette(() => NotLoaded),
    );
  }, []);
  usePaletteKey(open);
  return [Palette !== undefined && <Palette onClose={() => setPalette(undefined)} />, open] as const;
}

const keys: [key: string, does: string][] = [
  ['Ctrl K', 'Go to a page or a deployment, or do something with the open one (⌘ K on a Mac)'],
  ['/', 'Search on this page'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['?', 'This help'],
  ['Esc', 'Close a dialog'],
];

const Help = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard" onClose={onClose}>
    <dl class="keys">
      {keys.map(([key, does]) => (
        <div key={key}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <form method="dialog" class="actions">
      <button type="submit">Close</button>
    </form>
  </Dialog>
);

/** Which fields of a request the service did not read: they had no effect. */
function Ignored() {
  const [fields, setFields] = useState(ignoredNow);
  useLayoutEffect(() => onIgnored(() => setFields(ignoredNow())), []);
  if (fields.length === 0) return null;
  return (
    <div class="apart" role="status">
      <p>
        The service ignored what it does not know: <code>{fields.join(', ')}</code>. It had no effect. Reload
        the page if Slipway was updated meanwhile.
      </p>
      <button type="button" onClick={forgetIgnored}>
        Dismiss
      </button>
    </div>
  );
}
