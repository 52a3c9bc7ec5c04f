import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { check, copy } from './icons.ts';

const SHOWN_MILLISECONDS = 1_500;

/** Copies a text that stands beside it, and says that it has. `label`: 'Copy address'. */
export function CopyIcon({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const write = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MILLISECONDS);
  };
  return (
    <>
      <Button
        kind="quiet"
        isSmall
        icon={isCopied ? check : copy}
        label={label}
        onClick={() => void write()}
      />
      <span class="sr" aria-live="polite">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  );
}
