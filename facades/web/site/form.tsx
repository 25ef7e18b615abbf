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
  /** As wide as the text of a page, for long forms. */
  readonly wide?: boolean;
  /** Whether the form sends files. */
  readonly hasFiles?: boolean;
  readonly children: ComponentChildren;
}

export function Form({ action, token, stacked = false, wide = false, hasFiles = false, children }: FormProps) {
  return (
    <form
      method="post"
      action={action}
      class={wide ? 'stacked wide' : stacked ? 'stacked' : undefined}
      encType={hasFiles ? 'multipart/form-data' : undefined}
    >
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

interface LabelledProps extends Pick<FieldProps, 'name' | 'label' | 'faults' | 'hint'> {
  /** The control, with the attributes that connect it with its label, hint and error. */
  readonly control: (attributes: ReturnType<typeof attributesOf>) => ComponentChildren;
}

const attributesOf = (name: string, hint: string | undefined, fault: string | undefined) => {
  const id = `field-${name}`;
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return {
    id,
    name,
    'aria-invalid': fault ? ('true' as const) : undefined,
    'aria-describedby': described || undefined,
  };
};

/** A control with its label, hint and error. The error is announced with the control. */
function Labelled({ name, label, faults = {}, hint, control }: LabelledProps) {
  const fault = faults[name];
  const id = `field-${name}`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {control(attributesOf(name, hint, fault))}
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

/** A single-line input. */
export const Field = ({ type = 'text', value, required, autocomplete, ...labelled }: FieldProps) => (
  <Labelled
    {...labelled}
    control={(attributes) => (
      <input
        {...attributes}
        type={type as 'text'} // the types of this attribute depend on others and refuse a union
        value={value}
        required={required}
        autocomplete={autocomplete}
      />
    )}
  />
);

/** A text of several lines. */
export const Area = ({ value, rows, ...labelled }: Omit<FieldProps, 'type'> & { rows: number }) => (
  <Labelled
    {...labelled}
    control={(attributes) => (
      // The first line end of the element is not part of its text.
      <textarea {...attributes} rows={rows}>{`\n${value ?? ''}`}</textarea>
    )}
  />
);

/** A choice of files. */
export const FileField = (labelled: Pick<FieldProps, 'name' | 'label' | 'faults' | 'hint'>) => (
  <Labelled {...labelled} control={(attributes) => <input {...attributes} type="file" multiple />} />
);

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

interface ChoiceProps extends Pick<FieldProps, 'name' | 'label' | 'faults' | 'hint'> {
  /** Value and label, in display order. */
  readonly options: Readonly<Record<string, string>>;
  readonly value?: string | undefined;
}

export const Choice = ({ options, value, ...labelled }: ChoiceProps) => (
  <Labelled
    {...labelled}
    control={(attributes) => (
      <select {...attributes}>
        {Object.entries(options).map(([key, words]) => (
          <option key={key} value={key} selected={key === value}>
            {words}
          </option>
        ))}
      </select>
    )}
  />
);

/** Message about the result of an action. Renders nothing without a text. */
export function Notice({ text, bad = false }: { text: string | undefined; bad?: boolean }) {
  if (!text) return null;
  return (
    <p class={bad ? 'notice bad' : 'notice'} role={bad ? 'alert' : 'status'}>
      {text}
    </p>
  );
}
