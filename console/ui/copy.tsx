import { useState } from 'preact/hooks';

const SHOWN_MILLISECONDS = 1_500;

type Props = { text: string; label: string; onCopied?: (() => void) | undefined };

/** Copies a text, and says that it has. */
export function Copy({ text, label, onCopied }: Props) {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    onCopied?.();
    setTimeout(() => setCopied(false), SHOWN_MILLISECONDS);
  };
  return (
    <button type="button" class="b quiet" onClick={() => void copy()}>
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </button>
  );
}
