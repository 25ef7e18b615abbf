/** Fields of a form, made of their declarations. */
import { Area, Choice, Choices, type Faults, Field, FileField, Hidden } from './form.tsx';
import { type FormFields, HIDDEN_EXTRAS, rowsOf, type Texts } from './form-texts.ts';
import { FILES } from './submitted.ts';
import { useTexts } from './use-texts.ts';

interface FieldsProps {
  readonly fields: FormFields;
  readonly texts: Texts;
  readonly faults: Faults;
}

export const Fields = ({ fields, texts, faults }: FieldsProps) => (
  <>
    {Object.keys(fields).map((name) => (
      <OneField key={name} name={name} {...{ fields, texts, faults }} />
    ))}
  </>
);

/** The field of that name. */
export function OneField({ name, fields, texts, faults }: FieldsProps & { name: string }) {
  const { kind, label, hint, rows = 6, options = {}, required = false } = fields[name]!;
  const common = { name, label, value: texts[name], faults, ...(hint && { hint }) };
  if (kind === 'extras') return <CustomFields legend={label} texts={texts} faults={faults} />;
  if (kind === 'area') return <Area {...common} rows={rows} />;
  if (kind === 'choice') return <Choice {...common} options={withChosen(options, texts[name])} required={required} />;
  if (kind === 'many') return <Choices {...common} options={options} />;
  if (kind === 'file' || kind === 'files') return <FileField {...common} name={FILES} multiple={kind === 'files'} />;
  return <Field {...common} type={kind === 'email' || kind === 'date' ? kind : 'text'} required={required} />;
}

/** Adds the chosen value if the list does not have it. */
export const withChosen = (options: Readonly<Record<string, string>>, chosen = ''): Record<string, string> =>
  Object.hasOwn(options, chosen) ? options : { ...options, [chosen]: chosen };

function CustomFields({ legend, texts, faults }: { legend: string; texts: Texts; faults: Faults }) {
  const { t } = useTexts();
  const hidden = texts[HIDDEN_EXTRAS];
  return (
    <fieldset id="field-extras" aria-describedby={faults.extras ? 'extras-fault' : undefined}>
      <legend>{legend}</legend>
      {faults.extras && (
        <span class="fault" id="extras-fault">
          {faults.extras}
        </span>
      )}
      {hidden ? (
        <>
          <Hidden texts={texts} names={[HIDDEN_EXTRAS]} />
          <span class="hint">{t('edit.extrasHidden', { count: hidden })}</span>
        </>
      ) : (
        <>
          {rowsOf(texts).map(({ key, value }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rendered once
            <ExtraRow key={index} {...{ name: key, value, index }} />
          ))}
          <span class="hint">{t('edit.extrasHint')}</span>
        </>
      )}
    </fieldset>
  );
}

function ExtraRow({ name, value, index }: { name: string; value: string; index: number }) {
  const { t } = useTexts();
  const number = String(index + 1);
  return (
    <div class="columns">
      <input
        name={`extra-key-${index}`}
        value={name}
        aria-label={t('edit.extraName', { number })}
        placeholder={t('edit.name')}
      />
      {/* A single-line input would remove line ends. The first line end of the element is not part of its text. */}
      <textarea
        name={`extra-value-${index}`}
        rows={Math.min(6, value.split('\n').length)}
        aria-label={t('edit.extraValue', { number })}
        placeholder={t('edit.value')}
      >{`\n${value}`}</textarea>
    </div>
  );
}
