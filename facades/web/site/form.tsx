/** Form components: form with CSRF token, fields with errors, notices. */
import type { ComponentChildren } from 'preact';
import { TOKEN_FIELD } from '../../shared/session.ts';
import type { Frame } from './frame.ts';

/** Errors of a form, by field; `form` is for the whole form. */
export type Faults = Readonly<Record<string, string>>;

interface FormProps {
  readonly action: string;
  readonly token: Frame['token'];
  readonly stacked?: boolean;
  readonly children: ComponentChildren;
}

export function Form({ action, token, stacked = false, children }: FormProps) {
  return (
    <form method="post" action={action} class={stacked ? 'stacked' : undefined}>
      <input type="hidden" name={TOKEN_FIELD} value={token()} />
      {children}
    </form>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly faults?: Faults | undefined;
  readonly type?: 'text' | 'email' | 'password';
  readonly value?: string | undefined;
  readonly hint?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
}

/** A single-line input. Its error is announced with the field. */
export function Field({ name, label, faults = {}, type = 'text', value, hint, required, autocomplete }: FieldProps) {
  const fault = faults[name];
  const id = `field-${name}`;
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type={type as 'text'} // the types of this attribute depend on others and refuse a union
        value={value}
        required={required}
        autocomplete={autocomplete}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={described || undefined}
      />
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {fault && (
        <span class="fault" id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </div>
  );
}

/** A new password, and its repetition in the field `repeated`. */
export function NewPassword({ name, label, faults }: { name: string; label: string; faults: Faults }) {
  const common = { type: 'password', faults, autocomplete: 'new-password', required: true } as const;
  return (
    <>
      <Field name={name} label={label} hint="At least 8 characters." {...common} />
      <Field name="repeated" label={`${label} again`} {...common} />
    </>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  /** Value and label, in display order. */
  readonly options: Readonly<Record<string, string>>;
  readonly value?: string | undefined;
}

export function Choice({ name, label, options, value }: ChoiceProps) {
  const id = `field-${name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {Object.entries(options).map(([key, words]) => (
          <option key={key} value={key} selected={key === value}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Message about the result of an action. Renders nothing without a text. */
export function Notice({ text, bad = false }: { text: string | undefined; bad?: boolean }) {
  if (!text) return null;
  return (
    <p class={bad ? 'notice bad' : 'notice'} role={bad ? 'alert' : 'status'}>
      {text}
    </p>
  );
}
