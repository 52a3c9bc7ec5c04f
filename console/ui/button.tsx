import type { ComponentChildren, JSX } from 'preact';
import { Link } from 'wouter-preact';
import { Icon } from './icon.tsx';
import { loaderCircle, type Icon as Shapes } from './icons.ts';

type Look = {
  /** At most one `primary` a view: what most people came for. `danger`: red words; filled in a dialog that confirms. */
  kind?: 'primary' | 'plain' | 'quiet' | 'danger' | undefined;
  isSmall?: boolean | undefined;
  icon?: Shapes | undefined;
  /** Absent: an icon alone, which `label` names. */
  children?: ComponentChildren;
  label?: string | undefined;
  class?: string | undefined;
};

const classOf = ({ kind = 'plain', isSmall, icon, children, class: more }: Look): string =>
  [
    'b',
    kind === 'plain' ? '' : kind,
    isSmall === true ? 's' : '',
    icon !== undefined && children === undefined ? 'icon' : '',
    more ?? '',
  ]
    .filter((each) => each !== '')
    .join(' ');

type ButtonProps = Look & {
  /** What it says while it waits: 'Deploying'. It keeps its width. */
  busy?: string | false | undefined;
} & Omit<JSX.ButtonHTMLAttributes, 'icon' | 'class' | 'label' | 'children'>;

/** Verb and object: "Deploy latest". Without `onClick` it sends the form around it when its `type` is `submit`. */
export function Button({ kind, isSmall, icon, busy, label, class: more, children, ...rest }: ButtonProps) {
  const isBusy = typeof busy === 'string';
  return (
    <button
      type="button"
      {...rest}
      class={classOf({ kind, isSmall, icon, children, class: more })}
      disabled={isBusy || rest.disabled === true}
      aria-label={label}
      title={rest.title ?? label}
    >
      {isBusy ? <Icon of={loaderCircle} isTurning /> : icon !== undefined && <Icon of={icon} />}
      {isBusy ? busy : children}
    </button>
  );
}

type LinkProps = Look & {
  href: string;
  /** Another site, or the agent itself: opens in a tab of its own. */
  isOutside?: boolean;
  title?: string;
};

/** A link that looks like a button. `href`: a place in the console, or a whole address with `isOutside`. */
export function ButtonLink({ href, isOutside = false, title, ...look }: LinkProps) {
  const shown = (
    <>
      {look.icon !== undefined && <Icon of={look.icon} />}
      {look.children}
    </>
  );
  const named = { class: classOf(look), 'aria-label': look.label, title: title ?? look.label };
  return isOutside ? (
    <a href={href} target="_blank" rel="noreferrer" {...named}>
      {shown}
    </a>
  ) : (
    <Link href={href} {...named}>
      {shown}
    </Link>
  );
}
