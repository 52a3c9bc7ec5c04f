import { useContext } from 'preact/hooks';
import { Refusal } from '../../lib/client/refusal.ts';
import { Refused } from './field.tsx';

type Props<T extends string> = {
  legend: string;
  of: string;
  hint: string;
  chosen: readonly T[];
  set: (chosen: T[]) => void;
  choices: readonly (readonly [value: T, word: string])[];
};

/** Some of several values. */
export function ChecksField<T extends string>({ legend, of, hint, chosen, set, choices }: Props<T>) {
  const error = useContext(Refused);
  const found = error instanceof Refusal ? error.fields.filter(({ field }) => field.startsWith(of)) : [];
  return (
    <fieldset class="choice-field checks">
      <legend>
        {legend} <span class="quiet small">{hint}</span>
      </legend>
      {choices.map(([value, word]) => (
        <label key={value} class="check">
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget: { checked } }) =>
              set(checked ? [...chosen, value] : chosen.filter((each) => each !== value))
            }
          />{' '}
          {word}
        </label>
      ))}
      {found.map(({ text }) => (
        <span key={text} class="field-problem" role="alert">
          {text}
        </span>
      ))}
    </fieldset>
  );
}
