import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useAttention } from '../data/activity.ts';
import { PREFIX } from '../data/place.ts';
import { useMe } from '../data/queries.ts';
import { chooseTenant, chosenTenant, signOut } from '../data/session.ts';
import { isWithin, type Place, placesFor } from '../logic/places.ts';
import { roleWords } from '../logic/roles.ts';
import { Face } from './badge.tsx';
import { Icon } from './icon.tsx';
import {
  activity,
  bookOpen,
  chevronsUpDown,
  ellipsis,
  keyboard,
  keyRound,
  layoutDashboard,
  logOut,
  menu,
  monitor,
  moon,
  network,
  plug,
  rocket,
  type Icon as Shapes,
  scrollText,
  search,
  server,
  sun,
  webhook,
} from './icons.ts';
import { Mark } from './mark.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { applyTheme, type Theme, theme } from './theme.ts';

const icons: Record<Place['icon'], Shapes> = {
  overview: layoutDashboard,
  deployments: rocket,
  activity,
  topology: network,
  listeners: server,
  integrations: plug,
  webhooks: webhook,
  access: keyRound,
  audit: scrollText,
};

type Opens = { openPalette: () => void; openHelp: () => void };

const usePlaces = (): Place[] => {
  const { data: me } = useMe();
  return placesFor(me?.permissions ?? ['deployments:read']);
};

/** The pages, at the left of every page; narrow windows have `Bar` instead. */
export function Side({ openPalette, openHelp }: Opens) {
  const [place] = useLocation();
  const all = usePlaces();
  const groups = [...new Set(all.map(({ group }) => group))];
  return (
    <nav class="side" aria-label="Main">
      <Tenant />
      <button type="button" class="find" onClick={openPalette}>
        <Icon of={search} />
        Search or jump to
        <kbd>{/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      {groups.map((group) => (
        <div key={group} class="places">
          {group !== 'main' && <p>{group}</p>}
          {all
            .filter((each) => each.group === group)
            .map(({ path, title, icon }) => (
              <Link key={path} href={path} aria-current={isWithin(place, path) ? 'page' : undefined}>
                <Icon of={icons[icon]} />
                {title}
                {path === '/' && <Needs />}
              </Link>
            ))}
          {group === groups.at(-1) && (
            <a href={`${PREFIX}/docs`} target="_blank" rel="noreferrer">
              <Icon of={bookOpen} />
              API and docs
            </a>
          )}
        </div>
      ))}
      <Person openHelp={openHelp} />
    </nav>
  );
}

/** How many things need somebody; nothing where none does. */
function Needs() {
  const { data: me } = useMe();
  const count = useAttention(me?.permissions.includes('deployments:read')).data?.resources.length ?? 0;
  if (count === 0) return null;
  return (
    <span class="badge bad">
      {count}
      <span class="sr">{count === 1 ? 'thing needs' : 'things need'} attention</span>
    </span>
  );
}

/** Four places at the foot of narrow windows; the fourth opens all others. */
export function Bar({ openPalette, openHelp }: Opens) {
  const [place] = useLocation();
  const all = usePlaces();
  const first = all.slice(0, 2);
  const rest = all
    .slice(2)
    .map(({ path, title, icon }): MenuItem => ({ title, icon: icons[icon], href: path }));
  const tenants = useTenants();
  const groups = [rest, tenants.items, usePersonItems(openHelp)];
  const items = groups.flatMap((group, at) =>
    group.map((item, index) => ({ ...item, isApart: item.isApart === true || (at > 0 && index === 0) })),
  );
  return (
    <nav class="bar" aria-label="Pages">
      {first.map(({ path, title, icon }) => (
        <Link key={path} href={path} aria-current={isWithin(place, path) ? 'page' : undefined}>
          <Icon of={icons[icon]} />
          {title}
        </Link>
      ))}
      <button type="button" class="bar-search" onClick={openPalette}>
        <Icon of={search} />
        Search
      </button>
      <Menu
        label="More pages"
        items={items}
        heading={
          <>
            <Who />
            <span class="dim push">{tenants.name}</span>
          </>
        }
        class="more-places"
      >
        <Icon of={menu} />
        More
      </Menu>
    </nav>
  );
}

/** The tenant that everything here is of, and what chooses among several. */
function useTenants(): { name: string; items: MenuItem[] } {
  const { data: me } = useMe();
  const id = chosenTenant() ?? me?.tenant_id ?? null;
  const all = me?.tenants ?? [];
  const items = all.map(
    (each): MenuItem => ({
      title: each.name,
      isChosen: each.id === id,
      onChoose: () => chooseTenant(each.id),
    }),
  );
  return {
    name: all.find((each) => each.id === id)?.name ?? 'Slipway',
    items: items.length > 1 ? items : [],
  };
}

/** Which tenant everything here is of; a menu for who has several. */
function Tenant() {
  const { name, items } = useTenants();
  if (items.length === 0)
    return (
      <Link class="tenant" href="/">
        <Mark />
        <span class="cut">{name}</span>
      </Link>
    );
  return (
    <Menu label={`Tenant: ${name}`} items={items} class="tenant" align="start">
      <Mark />
      <span class="cut">{name}</span>
      <Icon of={chevronsUpDown} class="push" />
    </Menu>
  );
}

const themeItems: readonly (readonly [value: Theme, title: string, icon: Shapes])[] = [
  ['auto', 'System theme', monitor],
  ['light', 'Light theme', sun],
  ['dark', 'Dark theme', moon],
];

function usePersonItems(openHelp: () => void): MenuItem[] {
  const [chosen, setChosen] = useState(theme);
  const themes = themeItems.map(
    ([value, title, icon]): MenuItem => ({
      title,
      icon,
      isChosen: value === chosen,
      onChoose: () => {
        applyTheme(value);
        setChosen(value);
      },
    }),
  );
  return [
    ...themes,
    { title: 'Keyboard', icon: keyboard, isApart: true, onChoose: openHelp },
    { title: 'Sign out', icon: logOut, isApart: true, onChoose: () => void signOut() },
  ];
}

const YOU = 'You';
/** Who comes with a key of the installation has no other name. */
const nameOf = (id: string): string => (/^[\da-f]{8}-[\da-f-]{27}$/.test(id) ? YOU : id);

/** Who is signed in and as what: whatever is done here is done in that name. */
function Who() {
  const { data: me } = useMe();
  const id = me?.user_id ?? '';
  return (
    <span class="who">
      <bdi class="cut" title={id}>
        {nameOf(id)}
      </bdi>
      {typeof me?.role === 'string' && <span class="meta role">{roleWords[me.role]}</span>}
    </span>
  );
}

function Person({ openHelp }: { openHelp: () => void }) {
  const { data: me } = useMe();
  const items = usePersonItems(openHelp);
  if (me === undefined) return null;
  const name = nameOf(me.user_id);
  return (
    <Menu label="Theme, keyboard and signing out" items={items} class="person" align="start">
      <Face name={name} />
      <Who />
      <Icon of={ellipsis} class="push" />
    </Menu>
  );
}
