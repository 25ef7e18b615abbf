/** References to a dataset: as a line of text, and for BibTeX. Pure. */

export interface Cited {
  readonly name: string;
  readonly title: string;
  readonly author: string | null;
  readonly label: string | null;
  readonly modifiedAt: string;
  readonly organization: { readonly name: string; readonly title: string } | null;
}

export interface Citation {
  readonly text: string;
  readonly bibtex: string;
}

/** `address`: URL of the dataset. */
export function citationOf(
  { name, title, author, label, modifiedAt, organization }: Cited,
  siteTitle: string,
  address: string,
): Citation {
  const publisher = organization ? organization.title || organization.name : siteTitle;
  const creator = author || publisher;
  const year = modifiedAt.slice(0, 4);
  const version = label ? `, version ${label}` : '';
  const fields = {
    author: `{${escaped(creator)}}`,
    title: `{${escaped(title)}}`,
    year,
    publisher: `{${escaped(publisher)}}`,
    ...(label && { version: escaped(label) }),
    url: address,
  };
  return {
    text: `${creator} (${year}). ${title}${version}. ${publisher === creator ? siteTitle : publisher}. ${address}`,
    bibtex: [`@dataset{${name},`, ...Object.entries(fields).map(([key, value]) => `  ${key} = {${value}},`), '}'].join(
      '\n',
    ),
  };
}

/** Text of BibTeX: its own signs are escaped. */
const escaped = (text: string): string =>
  text.replace(/[\\{}$&#_%~^]/g, (sign) =>
    sign === '\\' ? '\\textbackslash{}' : '~^'.includes(sign) ? `\\${sign}{}` : `\\${sign}`,
  );
