import { apiName, listIn, listText } from '../../logic/draft.ts';
import { readEnv } from '../../logic/env-file.ts';
import { Button } from '../../ui/button.tsx';
import { Problems, useProblems } from '../../ui/field.tsx';
import { plus, x } from '../../ui/icons.ts';
import type { DraftForm } from './parts.tsx';

/**
 * Variables of the build, which are no secrets: names and values, one row each. A pasted `.env` file makes
 * several.
 */
export function BuildVariables({ form: { draft, change } }: { form: DraftForm }) {
  const list = listIn(draft.build_env);
  const found = useProblems(apiName('build_env'));
  const set = (next: typeof list) => change({ build_env: listText(next) });
  const put = (index: number, changes: Partial<(typeof list)[number]>) =>
    set(list.map((each, at) => (at === index ? { ...each, ...changes } : each)));
  const paste = (event: ClipboardEvent, index: number) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    const { entries } = readEnv(text);
    if (!text.includes('\n') || entries.length === 0) return;
    event.preventDefault();
    const rest = list.filter(({ name }, at) => at !== index && !entries.some((entry) => entry.name === name));
    set([...rest, ...entries.map(({ name, value }) => ({ name, value }))]);
  };
  return (
    <div class="field">
      <span class="label">Build variables</span>
      {list.length > 0 && (
        <ul class="variables">
          {list.map(({ name, value }, index) => (
            <li key={index}>
              <input
                class="mono"
                aria-label="Name of the variable"
                placeholder="NAME"
                value={name}
                autocomplete="off"
                spellcheck={false}
                onPaste={(event) => paste(event, index)}
                onInput={({ currentTarget }) => put(index, { name: currentTarget.value })}
              />
              <input
                class="mono"
                aria-label={`Value of ${name || 'the variable'}`}
                placeholder="Value"
                value={value}
                autocomplete="off"
                spellcheck={false}
                onInput={({ currentTarget }) => put(index, { value: currentTarget.value })}
              />
              <Button
                kind="quiet"
                icon={x}
                label={`Remove ${name || 'the variable'}`}
                onClick={() => set(list.filter((_, at) => at !== index))}
              />
            </li>
          ))}
        </ul>
      )}
      <div class="line">
        <Button isSmall icon={plus} onClick={() => set([...list, { name: '', value: '' }])}>
          Add a variable
        </Button>
      </div>
      <span class="small">Builds see these. They are shown to everybody, so keep keys out of them.</span>
      <Problems found={found} />
    </div>
  );
}
