import { useState } from 'preact/hooks';
import { useIsTaken } from '../../data/repositories.ts';
import { NAME_LENGTH_MAX, nameOf, nextName, typedName } from '../../logic/deployment-name.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormSection } from '../../ui/form-section.tsx';
import { DraftField, type DraftForm } from './parts.tsx';

type Props = {
  form: DraftForm;
  name: string;
  /** Called with what somebody has typed; it is not suggested over from then on. */
  set: (name: string) => void;
  isTaken: boolean | undefined;
  /** Where it will answer; undefined: nobody knows before. */
  address: string | undefined;
};

/** Whether a name is free: undefined while that is asked. */
export function useAvailability(name: string): boolean | undefined {
  const { data } = useIsTaken(nameOf(name));
  return data;
}

/** What a deployment is called. What is typed becomes a name that can stand in an address, and says so. */
export function NameSection({ form, name, set, isTaken, address }: Props) {
  const [typed, setTyped] = useState('');
  const isCorrected = typed !== '' && typed !== name && typedName(typed) === name;
  return (
    <FormSection title="Name" about="Part of the address. It cannot be changed later.">
      <div class="pair">
        <div class="fields">
          <Field
            label="Name"
            of="name"
            hint={hintOf({ name, typed: isCorrected ? typed : '', isTaken, address })}
          >
            <input
              value={name}
              required
              maxLength={NAME_LENGTH_MAX * 2}
              autocomplete="off"
              spellcheck={false}
              aria-invalid={isTaken === true}
              onInput={({ currentTarget }) => {
                setTyped(currentTarget.value);
                set(typedName(currentTarget.value));
              }}
              onBlur={() => set(nameOf(name))}
            />
          </Field>
          {isTaken === true && (
            <p class="line">
              <span class="field-problem" role="alert">
                There is a deployment called {nameOf(name)}.
              </span>
              <Button isSmall onClick={() => set(nextName(nameOf(name), []))}>
                Use {nextName(nameOf(name), [])}
              </Button>
            </p>
          )}
        </div>
        <DraftField
          form={form}
          name="display_name"
          label="Display name"
          placeholder="The same as the name"
          lengthMax={256}
          hint="For people: any words, and they can be changed."
        />
      </div>
    </FormSection>
  );
}

type Said = { name: string; typed: string; isTaken: boolean | undefined; address: string | undefined };

function hintOf({ name, typed, isTaken, address }: Said): string {
  if (name === '')
    return typed === ''
      ? 'Lower-case letters, digits, - and _.'
      : `“${typed}” has no letter or digit that a name can have.`;
  const corrected = typed === '' ? '' : 'Written so that it fits into an address. ';
  if (isTaken === true) return corrected;
  const free = isTaken === false ? 'Available. ' : '';
  return `${corrected}${free}${address === undefined ? '' : `Will answer at ${address}`}`.trim();
}
