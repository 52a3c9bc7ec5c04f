import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { Button } from './button.tsx';
import { x } from './icons.ts';

type Toast = { text: string; action?: { title: string; href: string } | undefined };

const SHOWN_MILLISECONDS = 6_000;
let show: ((toast: Toast) => void) | undefined;

/** Says at the foot of the page what has begun: "Revision 44 is building." Errors stand where they happened instead. */
export const toast = (shown: Toast): void => show?.(shown);

/** Where toasts appear; stays while it is hovered or focused. */
export function Toasts() {
  const [shown, setShown] = useState<Toast>();
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    show = setShown;
    return () => {
      show = undefined;
    };
  }, []);
  useEffect(() => {
    if (shown === undefined || isHeld) return undefined;
    const timer = setTimeout(() => setShown(undefined), SHOWN_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [shown, isHeld]);
  return (
    <div class="toasts" role="status">
      {shown !== undefined && (
        <div
          class="toast"
          onMouseEnter={() => setHeld(true)}
          onMouseLeave={() => setHeld(false)}
          onFocusIn={() => setHeld(true)}
          onFocusOut={() => setHeld(false)}
        >
          <span>{shown.text}</span>
          {shown.action !== undefined && (
            <Link class="link" href={shown.action.href} onClick={() => setShown(undefined)}>
              {shown.action.title}
            </Link>
          )}
          <Button kind="quiet" isSmall icon={x} label="Dismiss" onClick={() => setShown(undefined)} />
        </div>
      )}
    </div>
  );
}
