/** Forms of pages, as a browser without JavaScript sends them. */

const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** Texts of the main form of a page (class `wide`), as a browser sends them without a change. */
export function textsIn(html: string): Record<string, string> {
  const form = /<form[^>]*class="stacked wide"[^>]*>([\s\S]*?)<\/form>/.exec(html)?.[1] ?? '';
  const texts: Record<string, string> = {};
  for (const [tag, name] of form.matchAll(/<input[^>]*? name="([^"]+)"[^>]*>/g)) {
    if (/type="radio"/.test(tag) && !/ checked/.test(tag)) continue;
    texts[name!] = unescaped(/ value="([^"]*)"/.exec(tag)?.[1] ?? '');
  }
  for (const [, name, text] of form.matchAll(/<textarea[^>]*? name="([^"]+)"[^>]*>\n?([\s\S]*?)<\/textarea>/g))
    texts[name!] = unescaped(text!).replaceAll('\r\n', '\n');
  for (const [, name, options] of form.matchAll(/<select[^>]*? name="([^"]+)"[^>]*>([\s\S]*?)<\/select>/g)) {
    const chosen = [...options!.matchAll(/<option([^>]*)>/g)].filter(([, attributes]) => / selected/.test(attributes!));
    texts[name!] = unescaped(chosen.map(([, attributes]) => / value="([^"]*)"/.exec(attributes!)?.[1] ?? '').join(','));
  }
  return texts;
}
/** Name of the field with that label. */
export const named = (html: string, label: string): string =>
  decodeURIComponent(new RegExp(`<label for="field-([^"]+)">${label}</label>`).exec(html)?.[1] ?? `no field ${label}`);
export const marked = (html: string): string[] =>
  [...html.matchAll(/<(?:input|textarea|select)[^>]*name="([^"]+)"[^>]*aria-invalid="true"/g)].map(([, name]) => name!);
