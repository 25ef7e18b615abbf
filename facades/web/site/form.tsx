/** Form components: form with CSRF token, fields with errors, notices. */
import type { ComponentChildren } from 'preact';
import { TOKEN_FIELD } from '../../shared/session.ts';
import type { Frame } from './frame.ts';
import { useTexts } from './use-texts.ts';

/** Errors of a form, by field; `form` is for the whole form. */
export type Faults = Readonly<Record<string, ComponentChildren>>;

const English = ({ children }: { children: ComponentChildren }) =>
  useTexts().locale === 'en' ? <>{children}</> : <span lang="en">{children}</span>;

/** A message of the graph, which is English on every page. Screen readers pronounce it by its mark. */
export const inEnglish = (message: string) => <English>{message}</English>;

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
  readonly type?: 'text' | 'email' | 'password' | 'date';
  readonly value?: string | undefined;
  readonly hint?: string;
  readonly required?: boolean;
  readonly autocomplete?: string;
}

interface LabelledProps extends Pick<FieldProps, 'name' | 'label' | 'faults' | 'hint'> {
  /** The control, with the attributes that connect it with its label, hint and error. */
  readonly control: (attributes: ReturnType<typeof attributesOf>) => ComponentChildren;
}

const attributesOf = (name: string, hint: string | undefined, fault: ComponentChildren) => {
  const id = `field-${encodeURIComponent(name)}`;
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
  const id = `field-${encodeURIComponent(name)}`;
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

/** A choice of a file, or of several. */
export const FileField = ({
  multiple = false,
  ...labelled
}: Pick<FieldProps, 'name' | 'label' | 'faults' | 'hint'> & { multiple?: boolean }) => (
  <Labelled {...labelled} control={(attributes) => <input {...attributes} type="file" multiple={multiple} />} />
);

/** Texts that a form sends back as they are. */
export const Hidden = ({
  texts,
  names,
}: {
  texts: Readonly<Record<string, string | undefined>>;
  names: readonly string[];
}) => (
  <>
    {names.map(
      (name) => texts[name] !== undefined && <input key={name} type="hidden" name={name} value={texts[name]} />,
    )}
  </>
);

/** For a form of an ended session. The link leaves the form's page as it is. */
export function SignInAgain({ frame }: { frame: Frame }) {
  const { t, rich } = useTexts();
  const link = (text: ComponentChildren) => (
    <a href="/user/login" target="_blank" rel="noopener">
      {text}
    </a>
  );
  return (
    <p class="notice bad" role="alert">
      {frame.viewer ? t('edit.again') : rich('edit.ended', { link })}
    </p>
  );
}

/** Message above a form with errors. */
export function FaultNotice({ faults: { form, ...others } }: { faults: Faults }) {
  const { t } = useTexts();
  return <Notice text={form ?? (Object.keys(others).length > 0 ? t('edit.faults') : undefined)} bad />;
}

/** A new password, and its repetition in the field `repeated`. */
export function NewPassword({ name, label, faults }: { name: string; label: string; faults: Faults }) {
  const { t } = useTexts();
  const common = { type: 'password', faults, autocomplete: 'new-password', required: true } as const;
  return (
    <>
      <Field name={name} label={label} hint={t('account.passwordHint')} {...common} />
      <Field name="repeated" label={t('account.again', { label })} {...common} />
    </>
  );
}

interface ChoiceProps extends Pick<FieldProps, 'name' | 'label' | 'faults' | 'hint'> {
  /** Value and label, in display order. */
  readonly options: Readonly<Record<string, string>>;
  readonly value?: string | undefined;
  readonly required?: boolean;
}

export const Choice = ({ options, value, required, ...labelled }: ChoiceProps) => (
  <Labelled
    {...labelled}
    control={(attributes) => (
      <select {...attributes} required={required}>
        {Object.entries(options).map(([key, words]) => (
          <option key={key} value={key} selected={key === value}>
            {words}
          </option>
        ))}
      </select>
    )}
  />
);

/** A choice of several. Its text lists the chosen ones, separated by commas. The empty text is sent if none is chosen. */
export const Choices = ({ options, value = '', ...labelled }: Omit<ChoiceProps, 'required'>) => {
  const chosen = value.split(',').map((one) => one.trim());
  const others = chosen.filter((one) => one && !Object.hasOwn(options, one)).map((one) => [one, one]);
  return (
    <Labelled
      {...labelled}
      control={(attributes) => (
        <>
          <input type="hidden" name={attributes.name} value="" />
          <select {...attributes} multiple size={Math.min(8, Math.max(3, Object.keys(options).length))}>
            {[...Object.entries(options), ...others].map(([key, words]) => (
              <option key={key} value={key} selected={chosen.includes(key!)}>
                {words}
              </option>
            ))}
          </select>
        </>
      )}
    />
  );
};

/** Message about the result of an action. Renders nothing without a text. */
export function Notice({ text, bad = false }: { text: ComponentChildren; bad?: boolean }) {
  if (!text) return null;
  return (
    <p class={bad ? 'notice bad' : 'notice'} role={bad ? 'alert' : 'status'}>
      {text}
    </p>
  );
}
