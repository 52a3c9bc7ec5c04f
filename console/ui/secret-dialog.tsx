import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Copy } from './copy.tsx';
import { closeDialog, Dialog } from './dialog.tsx';

type Props = {
  title: string;
  secret: string;
  hint: string;
  onClose: () => void;
  /** What is needed together with it: where it goes. */
  children?: ComponentChildren;
};

/**
 * A secret that is shown this once. It is left on purpose alone: who has not copied it is asked before it is
 * gone, also by Escape and when the page is left.
 */
export function SecretDialog({ title, secret, hint, onClose, children }: Props) {
  const [isCopied, setCopied] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const inside = useRef<HTMLDivElement>(null);
  useKept(!isCopied);
  const close = () => inside.current !== null && closeDialog(inside.current);
  const leave = () => (isCopied ? close() : setAsked(true));
  return (
    <Dialog title={title} onClose={onClose} isFirm onLeave={leave}>
      <div ref={inside} class="fields">
        <p>{hint} It is not shown again.</p>
        <pre class="command secret">{secret}</pre>
        {children}
        {isAsked && !isCopied && (
          <p class="problem" role="alert">
            You have not copied it with the button. Once this is closed nobody can show it again.
          </p>
        )}
        <div class="actions">
          <Copy text={secret} label="Copy" onCopied={() => setCopied(true)} />
          {isAsked && !isCopied ? (
            <Button kind="danger" onClick={close}>
              Close without copying
            </Button>
          ) : (
            <Button kind="primary" onClick={leave}>
              Done
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** Lets the browser ask before the page is left. */
function useKept(isKept: boolean): void {
  useEffect(() => {
    if (!isKept) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isKept]);
}
