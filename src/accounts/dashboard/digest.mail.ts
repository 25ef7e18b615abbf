/** The e-mail with a user's news. Pure. */
import type { Settings } from '../../kernel/settings.ts';
import { oneLine } from '../../kernel/text.ts';

/** One activity, as shown in the mail. */
export interface News {
  readonly type: string;
  /** Null for an anonymous author. */
  readonly actor: string | null;
  readonly objectName: string;
  readonly objectTitle: string;
}

/** Activities listed separately; the others are counted. */
const MAX_LISTED = 20;

const WORDS: Readonly<Record<string, string>> = {
  CREATED: 'created',
  CHANGED: 'updated',
  DELETED: 'deleted',
  FOLLOWED: 'started following',
};

/** Subject and text. `news` is sorted newest first; `more` says whether there are further activities. */
export function digestMail(
  settings: Settings,
  user: { readonly name: string; readonly displayName: string },
  news: readonly News[],
  more: boolean,
): { subject: string; text: string } {
  const [url, title] = [settings['catalog.site_url'], oneLine(settings['catalog.site_title'])];
  const count = more ? `more than ${news.length}` : String(news.length);
  const listed = news.slice(0, MAX_LISTED).map((item) => `- ${sentence(item)}\n  ${url}${pathOf(item)}`);
  const rest = news.length - listed.length;
  const others = rest > 0 ? [`and ${more ? 'more than ' : ''}${rest} more`] : [];
  const text = [
    `Hello ${oneLine(user.displayName)},`,
    `new activities on ${title}, from everything you follow:`,
    [...listed, ...others].join('\n'),
    `All activities: ${url}/dashboard`,
    `You receive this e-mail because e-mails are enabled in your profile. To change this: ${url}/user/edit/${encodeURIComponent(user.name)}`,
  ].join('\n\n');
  const words = news.length === 1 && !more ? 'new activity' : 'new activities';
  return { subject: `${count} ${words} on ${title}`, text: `${text}\n` };
}

const split = (type: string): [string, string] => [
  type.slice(0, type.lastIndexOf('_')).toLowerCase(),
  type.slice(type.lastIndexOf('_') + 1),
];

function sentence({ type, actor, objectTitle }: News): string {
  const [kind, word] = split(type);
  const who = oneLine(actor ?? 'Somebody');
  if (type === 'USER_CREATED') return `${who} signed up`;
  if (type === 'USER_CHANGED') return `${who} updated their profile`;
  return `${who} ${WORDS[word] ?? 'changed'} the ${kind.replaceAll('_', ' ')} ${oneLine(objectTitle)}`;
}

/** Related items have no page. */
const pathOf = ({ type, objectName }: News): string =>
  type.startsWith('RELATED_ITEM_') ? '/dashboard' : `/${split(type)[0]}/${encodeURIComponent(objectName)}`;
