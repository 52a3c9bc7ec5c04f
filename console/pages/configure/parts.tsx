import { useState } from 'preact/hooks';
import { apiName, type Draft, type DraftName } from '../../logic/draft.ts';
import { ChoiceField, Field, TextField } from '../../ui/field.tsx';

/** What the sections of a form share: the texts typed so far, and a way to change some of them. */
export type DraftForm = { draft: Draft; change: (changes: Partial<Draft>) => void };

/** A draft that is being filled in. */
export function useDraftForm(initial: Draft | (() => Draft)): DraftForm {
  const [draft, setDraft] = useState(initial);
  return { draft, change: (changes) => setDraft((before) => ({ ...before, ...changes })) };
}

type Shared = { form: DraftForm; name: DraftName; label: string; hint?: string | undefined };

type FieldProps = Shared & {
  placeholder?: string;
  isRequired?: boolean;
  lengthMax?: number;
};

/** A line of text of the draft. */
export const DraftField = ({ form: { draft, change }, name, label, hint, ...more }: FieldProps) => (
  <TextField
    label={label}
    of={apiName(name)}
    hint={hint}
    value={draft[name]}
    set={(value) => change({ [name]: value })}
    {...more}
  />
);

type NumberProps = FieldProps & { min: number; max?: number; step?: number | 'any'; isDisabled?: boolean };

/** A number of the draft; '' is the usual one. */
export const DraftNumber = ({ form: { draft, change }, name, label, hint, ...more }: NumberProps) => (
  <Field label={label} of={apiName(name)} hint={hint}>
    <input
      type="number"
      inputMode="decimal"
      min={more.min}
      max={more.max}
      step={more.step ?? 1}
      value={draft[name]}
      required={more.isRequired}
      disabled={more.isDisabled}
      placeholder={more.placeholder}
      onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
    />
  </Field>
);

/** Lines of the draft. */
export const DraftLines = ({
  form: { draft, change },
  name,
  label,
  hint,
  placeholder,
  rows = 3,
}: FieldProps & { rows?: number }) => (
  <Field label={label} of={apiName(name)} hint={hint}>
    <textarea
      class="mono"
      rows={rows}
      value={draft[name]}
      placeholder={placeholder}
      spellcheck={false}
      onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
    />
  </Field>
);

type ChoiceProps<T extends string> = Shared & {
  /** The first one is the usual one. */
  choices: readonly [Choosable<T>, ...Choosable<T>[]];
};
type Choosable<T> = readonly [value: T, word: string, meaning?: string];

/** One of several values of the draft; below it stands what the chosen one means. */
export function DraftChoice<T extends string>({
  form: { draft, change },
  name,
  label,
  hint,
  choices,
}: ChoiceProps<T>) {
  const chosen = choices.find(([value]) => value === draft[name]) ?? choices[0];
  return (
    <ChoiceField
      label={label}
      of={apiName(name)}
      hint={chosen[2] ?? hint}
      value={chosen[0]}
      set={(value) => change({ [name]: value })}
      choices={choices.map(([value, word]) => [value, word] as const)}
    />
  );
}
