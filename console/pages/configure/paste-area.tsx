import { useState } from 'preact/hooks';

type Props = { noun: string; onText: (text: string) => void };

/** As long as a file of secrets may be; a larger one was dropped by mistake. */
const FILE_SIZE_BYTES_MAX = 256 * 1024;

/**
 * Takes a `.env` file that is pasted or dropped, and lines that are typed. What was taken leaves the field at
 * once, so that no value stays on the page.
 */
export function PasteArea({ noun, onText }: Props) {
  const [typed, setTyped] = useState('');
  const take = (text: string) => {
    setTyped('');
    if (text.trim() !== '') onText(text);
  };
  const drop = async (file: File) => {
    if (file.size <= FILE_SIZE_BYTES_MAX) take(await file.text());
  };
  return (
    <textarea
      class="code paste"
      rows={typed.includes('\n') ? 4 : 2}
      aria-label={`Paste ${noun}s as a .env file`}
      placeholder={'Paste or drop a .env file here,\nor type NAME=value and press Enter'}
      spellcheck={false}
      autocomplete="off"
      value={typed}
      onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      onPaste={(event) => {
        const text = event.clipboardData?.getData('text/plain') ?? '';
        // A value that is pasted behind a name which was typed stays until Enter.
        if (typed !== '' || !text.includes('=')) return;
        event.preventDefault();
        take(text);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        take(typed);
      }}
      onBlur={() => typed.includes('=') && take(typed)}
      onDrop={(event) => {
        const file = event.dataTransfer?.files[0];
        if (file === undefined) return;
        event.preventDefault();
        void drop(file);
      }}
    />
  );
}
