import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { codeParts } from '../../logic/chat/text-parts.ts';
import { CopyIcon } from '../../ui/copy-icon.tsx';
import { Segmented } from '../../ui/tabs.tsx';

type Props<L extends string> = {
  languages: readonly L[];
  codeOf: (language: L) => string;
  note: string;
  children?: ComponentChildren;
};

/** The same from a program or a terminal, to copy; below it, what else is to say. */
export function CodePanel<L extends string>({ languages, codeOf, note, children }: Props<L>) {
  const [language, setLanguage] = useState<L | undefined>(languages[1] ?? languages[0]);
  if (language === undefined) return null;
  const code = codeOf(language);
  return (
    <>
      <section>
        <div class="line">
          {languages.length > 1 ? (
            <Segmented
              label="Language"
              value={language}
              onChange={setLanguage}
              options={languages.map((each) => ({ value: each, title: each }))}
            />
          ) : (
            <b>{language}</b>
          )}
          <span class="push" />
          <CopyIcon text={code} label="Copy code" />
        </div>
        <Code code={code} label={`The same in ${language}`} />
        <p class="meta">{note}</p>
      </section>
      {children}
    </>
  );
}

const looks = { word: 'k', text: 't', plain: undefined } as const;

/** A piece of code with its words and texts in colours. */
export const Code = ({ code, label }: { code: string; label: string }) => (
  <div class="code" tabIndex={0} role="group" aria-label={label}>
    {code
      .trimEnd()
      .split('\n')
      .map((line, at) => (
        <span key={at}>
          {line === ''
            ? ' '
            : codeParts(line).map(({ text, kind }, part) => (
                <span key={part} class={looks[kind]}>
                  {text}
                </span>
              ))}
        </span>
      ))}
  </div>
);
