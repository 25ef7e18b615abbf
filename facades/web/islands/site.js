/**
 * Script of all pages. Adds what HTML cannot do: suggestions while typing, search in long facets, buttons that copy
 * code, and menus that close by themselves. Pages work without it. Its texts are in `data-` attributes of the page.
 */

/** ms without a key after which suggestions are requested. */
const PAUSE = 150;
const MAX_SUGGESTIONS = 8;

for (const input of document.querySelectorAll('input[data-suggest]')) suggest(input);
for (const facet of document.querySelectorAll('.facet[data-find]')) findIn(facet);
for (const code of document.querySelectorAll('[data-copy] pre')) copyable(code);
for (const menu of document.querySelectorAll('.menu details')) closable(menu);

function element(name, attributes = {}, text = '') {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = text;
  return made;
}

/** A list of datasets below a search field, as an ARIA combobox. */
function suggest(input) {
  const id = `${input.id}-suggestions`;
  const list = element('ul', { id, role: 'listbox', 'aria-label': input.dataset.suggestions, class: 'suggestions' });
  list.hidden = true;
  input.closest('.box').append(list);
  for (const [key, value] of Object.entries({
    role: 'combobox',
    'aria-controls': id,
    'aria-expanded': 'false',
    'aria-autocomplete': 'list',
    autocomplete: 'off',
  }))
    input.setAttribute(key, value);
  let timer = 0;
  let current = -1;
  let asked = '';

  function select(index) {
    current = index;
    for (const [at, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(at === index));
    if (index < 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', list.children[index].id);
  }
  function show(found) {
    list.replaceChildren(
      ...found.map(({ name, title }, index) => {
        const option = element('li', { id: `${id}-${index}`, role: 'option', 'aria-selected': 'false' }, title || name);
        option.dataset.href = `${input.form.action}/${encodeURIComponent(name)}`;
        return option;
      }),
    );
    list.hidden = found.length === 0;
    input.setAttribute('aria-expanded', String(found.length > 0));
    select(-1);
  }
  async function request() {
    const text = input.value.trim();
    asked = text;
    if (text.length < 2) return show([]);
    try {
      const answer = await fetch(`${input.dataset.suggest}${encodeURIComponent(text)}&limit=${MAX_SUGGESTIONS}`);
      const { ResultSet } = await answer.json();
      if (asked === text && document.activeElement === input) show(ResultSet.Result);
    } catch {
      show([]); // suggestions are a convenience: the search itself says what is wrong
    }
  }
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(request, PAUSE);
  });
  input.addEventListener('keydown', (event) => {
    const count = list.hidden ? 0 : list.children.length;
    if (event.key === 'Escape' && count > 0) show([]);
    else if (event.key === 'ArrowDown' && count > 0) select((current + 1) % count);
    else if (event.key === 'ArrowUp' && count > 0) select(current < 0 ? count - 1 : current - 1);
    else if (event.key === 'Enter' && current >= 0) location.href = list.children[current].dataset.href;
    else return;
    event.preventDefault();
  });
  list.addEventListener('pointerdown', (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener('click', (event) => {
    const option = event.target.closest('[role="option"]');
    if (option) location.href = option.dataset.href;
  });
  input.addEventListener('blur', () => show([]));
}

/** A field that finds values of a facet. The first key loads all values, from the page of the link "show more". */
function findIn(facet) {
  const field = element('input', { type: 'search', 'aria-label': facet.dataset.find, placeholder: facet.dataset.find });
  facet.querySelector('ul').before(field);
  let whole = facet.dataset.whole ? null : Promise.resolve();
  field.addEventListener('input', async () => {
    whole ??= load(facet);
    await whole;
    const text = field.value.trim().toLowerCase();
    for (const item of facet.querySelectorAll('li')) item.hidden = !item.textContent.toLowerCase().includes(text);
  });
}

/** Replaces the values of a facet by all of them. */
async function load(facet) {
  try {
    const answer = await fetch(facet.dataset.whole);
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    const list = page.getElementById(facet.id)?.querySelector('ul');
    if (list) facet.querySelector('ul').replaceWith(list);
  } catch {
    // finds in the values that are here
  }
}

/** A button that copies a piece of code. */
function copyable(code) {
  const { copy, copied } = code.closest('[data-copy]').dataset;
  if (!navigator.clipboard) return;
  const button = element('button', { type: 'button', class: 'quiet copy' }, copy);
  code.before(button);
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(code.textContent);
    button.textContent = copied;
    setTimeout(() => (button.textContent = copy), 2_000);
  });
}

/** A menu that also closes by Escape, and when something else is used. */
function closable(menu) {
  menu.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !menu.open) return;
    menu.open = false;
    menu.querySelector('summary').focus();
  });
  for (const type of ['focusin', 'pointerdown'])
    document.addEventListener(type, ({ target }) => {
      if (!menu.contains(target)) menu.open = false;
    });
}
