import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

export const closeDialog = (inside: Element): void => inside.closest('dialog')?.close();

/** A modal dialog of the browser's own: Escape closes it, and the focus stays inside and goes back. */
export function Dialog({
  title,
  onClose,
  isFirm = false,
  look,
  onLeave,
  children,
}: {
  title: string;
  onClose: () => void;
  /** A click beside it does not close it. */
  isFirm?: boolean;
  /** `broad`: for what does not fit; `pal`: the palette, whose title is not shown. */
  look?: 'broad' | 'pal';
  /** Called in place of closing it, where something would be lost by Escape. */
  onLeave?: (() => void) | undefined;
  children: ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const before = document.activeElement;
    const element = dialog.current;
    element?.showModal();
    // Without a field the deed comes first, unless it harms.
    if (element?.querySelector('input, textarea, [aria-haspopup]') === null)
      element.querySelector<HTMLElement>('[type=submit]:not(.danger, :disabled)')?.focus();
    return () => {
      // Once it is closed the browser has given the focus back, and the person may have moved it on.
      const at = document.activeElement;
      const isLost = at === null || at === document.body || element?.contains(at) === true;
      if (isLost && before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      class={look}
      onClose={onClose}
      {...(onLeave !== undefined && { closedby: 'none' })}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || onLeave === undefined) return;
        event.preventDefault();
        onLeave();
      }}
      onClick={({ target }) => {
        if (target === dialog.current && !isFirm) dialog.current?.close();
      }}
    >
      <div class="dialog-body">
        <h2 id={heading} class={look === 'pal' ? 'sr' : undefined}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
