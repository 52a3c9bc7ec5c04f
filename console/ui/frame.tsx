import type { ComponentChildren, ComponentType } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { forgetIgnored, ignoredNow, onIgnored } from '../data/ignored.ts';
import { PREFIX } from '../data/place.ts';
import { useMe } from '../data/queries.ts';
import { chooseTenant, chosenTenant, signOut } from '../data/session.ts';
import { placesFor } from '../logic/places.ts';
import { Dialog } from './dialog.tsx';
import { useKeys, usePaletteKey } from './keys.ts';
import { Mark } from './mark.tsx';
import { Problem } from './states.tsx';
import { applyTheme, theme, themes } from './theme.ts';
import { Who } from './who.tsx';

/** What stands around every page; `problem`: why what is shown may be old. */
export function Frame({ children, problem }: { children: ComponentChildren; problem?: Error | undefined }) {
  const [isHelp, setHelp] = useState(false);
  const [palette, openPalette] = usePalette();
  useKeys({ '?': () => setHelp(true) });
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <nav class="side" aria-label="Main">
        <Link class="brand" href="/deployments">
          <Mark /> Slipway
        </Link>
        <Places />
        <a href={`${PREFIX}/docs`} target="_blank" rel="noreferrer">
          API
        </a>
        <button type="button" class="plain" onClick={openPalette}>
          Go to… <kbd>Ctrl K</kbd>
        </button>
        <Person />
      </nav>
      <div class="content">
        {problem !== undefined && <Problem error={problem} />}
        <Ignored />
        {children}
      </div>
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

function Places() {
  const { data: me } = useMe();
  const [place] = useLocation();
  return placesFor(me?.permissions ?? ['deployments:read']).map(({ path, title }) => (
    <Link key={path} href={path} aria-current={place.startsWith(path) ? 'page' : undefined}>
      {title}
    </Link>
  ));
}

function Person() {
  const { data: me } = useMe();
  const [chosen, setChosen] = useState(theme);
  return (
    <div class="person">
      <Who />
      {me !== undefined && me.tenants.length > 1 && (
        <select
          aria-label="Tenant"
          value={chosenTenant() ?? me.tenant_id ?? ''}
          onChange={({ currentTarget }) => chooseTenant(currentTarget.value)}
        >
          {me.tenants.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label="Theme"
        value={chosen}
        onChange={({ currentTarget: { value } }) => {
          const next = themes.find((each) => each === value) ?? 'auto';
          applyTheme(next);
          setChosen(next);
        }}
      >
        <option value="auto">System theme</option>
        <option value="light">Light</option>
        <option value="dark">Dark</option>
      </select>
      <button type="button" class="plain" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  );
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
  useEffect(() => onIgnored(() => setFields(ignoredNow())), []);
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
