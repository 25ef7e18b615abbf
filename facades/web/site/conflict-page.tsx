/** Page that shows two versions of a dataset side by side, after another user has saved it too. */
import { choiceOf, type Difference, FIELDS, type Texts, VISIBILITY } from './dataset-form.ts';
import { type Choices, Hidden, licenseOptions, organizationOptions, SaveButtons } from './dataset-form-page.tsx';
import { Form } from './form.tsx';
import { type Frame, Layout } from './layout.tsx';

interface ConflictProps {
  readonly frame: Frame;
  readonly action: string;
  /** Texts of the form, with the version of the stored dataset. */
  readonly texts: Texts;
  readonly choices: Choices;
  readonly differences: readonly Difference[];
  /** State of the stored dataset. */
  readonly state: string;
}

export function ConflictPage({ frame, action, texts, choices, differences, state }: ConflictProps) {
  const labels: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    licenseId: licenseOptions(choices, texts),
    ownerOrganization: organizationOptions(choices, texts),
    private: VISIBILITY,
  };
  return (
    <Layout frame={frame} title="Changed meanwhile">
      <h1>Another user has saved this dataset</h1>
      <p class="notice bad" role="alert">
        Nothing of yours is saved yet.{' '}
        {differences.length > 0
          ? 'Choose a version of each field that differs, then save.'
          : 'Your texts equal those that are saved now.'}
      </p>
      {state === 'deleted' && <p class="notice bad">The dataset is deleted now. Saving does not restore it.</p>}
      <Form action={action} token={frame.token} wide>
        <Hidden
          texts={texts}
          names={Object.keys(texts).filter((name) => !/^(_csrf_token$|state$|choice-)/.test(name))}
        />
        {differences.map(({ field, mine, theirs, isMine }) => (
          <fieldset key={field}>
            <legend>{FIELDS[field]}</legend>
            <div class="columns">
              {(['mine', 'theirs'] as const).map((side) => (
                <label class="version" key={side}>
                  <span>
                    <input type="radio" name={choiceOf(field)} value={side} checked={(side === 'mine') === isMine} />{' '}
                    {side === 'mine' ? 'Your version' : 'Saved version'}
                  </span>
                  <span class="words">{shown(side === 'mine' ? mine : theirs, labels[field])}</span>
                </label>
              ))}
            </div>
          </fieldset>
        ))}
        <SaveButtons state={state} />
      </Form>
    </Layout>
  );
}

const shown = (text: string, labels: Readonly<Record<string, string>> = {}): string =>
  (Object.hasOwn(labels, text) ? labels[text] : text) || '(empty)';
