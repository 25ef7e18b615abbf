/**
 * Script of the SQL console. Adds an editor with colours and completion of column names to its text field, which stays the field of the
 * form. Without the script the field is used as it is.
 */
import { autocompletion, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { PostgreSQL, sql } from '@codemirror/lang-sql';
import { bracketMatching, syntaxHighlighting } from '@codemirror/language';
import { EditorState, StateField } from '@codemirror/state';
import { Decoration, EditorView, keymap } from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';

function edit(field) {
  const { table, columns, fault, completions } = field.dataset;
  const label = document.querySelector(`label[for="${field.id}"]`);
  label.id = `${field.id}-label`;
  const submit = () => {
    field.form.requestSubmit();
    return true;
  };
  const view = new EditorView({
    doc: field.value,
    extensions: [
      // Tab moves to the next control, as in every other field.
      keymap.of([{ key: 'Mod-Enter', run: submit }, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
      history(),
      bracketMatching(),
      autocompletion(),
      sql({
        dialect: PostgreSQL,
        schema: { [table]: JSON.parse(columns) },
        defaultTable: table,
        upperCaseKeywords: true,
      }),
      syntaxHighlighting(classHighlighter),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-labelledby': label.id, ...describedBy(field) }),
      EditorState.phrases.of({ Completions: completions }),
      faultMark(fault === undefined ? null : Number(fault)),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) field.value = update.state.doc.toString();
      }),
    ],
  });
  field.before(view.dom);
  field.hidden = true;
  label.addEventListener('click', () => view.focus());
  // Browsers restore the text of a field after "back", later than this script runs.
  addEventListener('pageshow', () => {
    if (field.value !== view.state.doc.toString())
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: field.value } });
  });
}

const describedBy = (field) => {
  const [ids, invalid] = [field.getAttribute('aria-describedby'), field.getAttribute('aria-invalid')];
  return { ...(ids && { 'aria-describedby': ids }), ...(invalid && { 'aria-invalid': invalid }) };
};

const FAULT = Decoration.mark({ class: 'fault' });

/** Marks the word at the position of a fault until the text changes. */
function faultMark(position) {
  return StateField.define({
    create({ doc }) {
      if (position === null || position >= doc.length) return Decoration.none;
      const [word = ''] = /^(\w+|.)?/u.exec(doc.sliceString(position)) ?? [];
      return word === '' ? Decoration.none : Decoration.set([FAULT.range(position, position + word.length)]);
    },
    update: (marks, { docChanged }) => (docChanged ? Decoration.none : marks),
    provide: (marks) => EditorView.decorations.from(marks),
  });
}

for (const field of document.querySelectorAll('textarea[data-columns]')) edit(field);
