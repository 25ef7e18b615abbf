/** Page with the form of a new or existing dataset. */
import { FIELDS, type FieldName, rowsOf, type Texts, VISIBILITY } from './dataset-form.ts';
import { Area, Choice, type Faults, Field, Form, Notice } from './form.tsx';
import { type Frame, Layout } from './layout.tsx';

/** Lists to choose from. Empty ones still show the chosen value. */
export interface Choices {
  readonly licenses: readonly { readonly code: string; readonly title: string }[];
  readonly organizations: readonly { readonly name: string; readonly displayName: string }[];
}

interface DatasetFormProps {
  readonly frame: Frame;
  readonly action: string;
  readonly texts: Texts;
  readonly choices: Choices;
  readonly faults?: Faults;
  /** State of the stored dataset; null for a new one. */
  readonly state: string | null;
  /** Whether the reader must sign in before saving. */
  readonly isLost?: boolean;
}

export function DatasetFormPage({
  frame,
  action,
  texts,
  choices,
  faults = {},
  state,
  isLost = false,
}: DatasetFormProps) {
  const title = state === null ? 'New dataset' : 'Edit dataset';
  const field = (name: FieldName) => ({ name, label: FIELDS[name], value: texts[name], faults });
  return (
    <Layout frame={frame} title={title}>
      <h1>{title}</h1>
      {isLost && <SignInAgain frame={frame} />}
      <Notice text={faultText(faults)} bad />
      <Form action={action} token={frame.token} wide>
        <Hidden texts={texts} names={['id', 'version', 'base', 'vocabularyTags', 'idempotencyKey']} />
        <Field {...field('title')} hint="What the data is about, in a few words." />
        <Field
          {...field('name')}
          hint={`2 to 100 lowercase letters, digits, - and _. ${state === null ? 'Leave it empty to have it made from the title.' : 'Links to the old name will break.'}`}
        />
        <Area
          {...field('notes')}
          rows={8}
          hint="In Markdown. Tell where the data comes from and what its columns mean."
        />
        <Field {...field('tags')} hint="Separated by commas." />
        <div class="columns">
          <Choice {...field('licenseId')} options={licenseOptions(choices, texts)} />
          <Choice {...field('ownerOrganization')} options={organizationOptions(choices, texts)} />
          <Choice {...field('private')} options={VISIBILITY} />
          <Field {...field('label')} hint="Version of the data, such as 2026-11." />
        </div>
        <Field {...field('url')} hint="URL of the page that the data comes from." />
        <div class="columns">
          <Field {...field('author')} />
          <Field {...field('authorEmail')} />
          <Field {...field('maintainer')} />
          <Field {...field('maintainerEmail')} />
        </div>
        <CustomFields texts={texts} faults={faults} />
        <SaveButtons state={state} />
      </Form>
    </Layout>
  );
}

const faultText = ({ form, ...others }: Faults): string | undefined =>
  form ?? (Object.keys(others).length > 0 ? 'Nothing was saved. Please correct the marked fields.' : undefined);

/** For a form of an ended session. The link leaves the form's page as it is. */
export const SignInAgain = ({ frame }: { frame: Frame }) => (
  <p class="notice bad" role="alert">
    {frame.viewer ? (
      'You have signed in again since this form was opened, so nothing was saved yet. Check your texts, then save.'
    ) : (
      <>
        Your session has ended, so nothing was saved. What you typed is still here.{' '}
        <a href="/user/login" target="_blank" rel="noopener">
          Sign in again (opens in a new tab)
        </a>
        , then come back to this page and save.
      </>
    )}
  </p>
);

export const Hidden = ({ texts, names }: { texts: Texts; names: readonly string[] }) => (
  <>
    {names.map(
      (name) => texts[name] !== undefined && <input key={name} type="hidden" name={name} value={texts[name]} />,
    )}
  </>
);

function CustomFields({ texts, faults }: { texts: Texts; faults: Faults }) {
  return (
    <fieldset aria-describedby={faults.extras ? 'extras-fault' : undefined}>
      <legend>{FIELDS.extras}</legend>
      {faults.extras && (
        <span class="fault" id="extras-fault">
          {faults.extras}
        </span>
      )}
      {rowsOf(texts).map(({ key, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rendered once
        <div class="columns" key={index}>
          <input
            name={`extra-key-${index}`}
            value={key}
            aria-label={`Name of custom field ${index + 1}`}
            placeholder="Name"
          />
          <input
            name={`extra-value-${index}`}
            value={value}
            aria-label={`Value of custom field ${index + 1}`}
            placeholder="Value"
          />
        </div>
      ))}
      <span class="hint">Clear both texts of a row to remove it. Save to get more empty rows.</span>
    </fieldset>
  );
}

/** Buttons by the state that the dataset gets. The first one is also that of the Enter key. */
export function SaveButtons({ state }: { state: string | null }) {
  const isDraft = state === null || state === 'draft';
  return (
    <p class="actions">
      {isDraft ? (
        <>
          <button type="submit" name="state" value="draft" class="quiet">
            Save as draft
          </button>
          <button type="submit" name="state" value="active">
            Publish
          </button>
        </>
      ) : (
        <button type="submit">Save</button>
      )}
    </p>
  );
}

/** Adds the chosen value if the list does not have it. */
const withChosen = (options: Record<string, string>, chosen = ''): Record<string, string> =>
  Object.hasOwn(options, chosen) ? options : { ...options, [chosen]: chosen };

export const licenseOptions = ({ licenses }: Choices, { licenseId }: Texts): Record<string, string> =>
  withChosen({ '': 'Not given', ...Object.fromEntries(licenses.map(({ code, title }) => [code, title])) }, licenseId);

export const organizationOptions = ({ organizations }: Choices, { ownerOrganization }: Texts): Record<string, string> =>
  withChosen(
    { '': 'None', ...Object.fromEntries(organizations.map(({ name, displayName }) => [name, displayName])) },
    ownerOrganization,
  );
