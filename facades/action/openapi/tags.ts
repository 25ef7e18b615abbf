/** Features of the action list, by words in action names, in display order. */

interface Tag {
  readonly name: string;
  readonly description: string;
  /** Of several matches, the last one applies. */
  readonly fits: RegExp;
}

const SITE: Tag = { name: 'Site', description: 'The site itself: status, settings, licenses, help, jobs.', fits: /^/ };

export const TAGS: readonly Tag[] = [
  {
    name: 'Datasets',
    description: 'Metadata about data. `dataset_…` is another name of each `package_…`.',
    fits: /package|dataset/,
  },
  { name: 'Resources', description: 'Files and links of datasets.', fits: /^(resource|format)_|_resource_/ },
  { name: 'Views', description: 'How resources are shown.', fits: /_views?_/ },
  { name: 'DataStore', description: 'Rows of resources.', fits: /^datastore_/ },
  { name: 'Organizations', description: 'They own datasets.', fits: /organization/ },
  { name: 'Groups', description: 'Collections that datasets are filed under.', fits: /^group_/ },
  {
    name: 'Members',
    description: 'Who and what is in groups and organizations, and in which role.',
    fits: /member|collaborator|role/,
  },
  { name: 'Users', description: 'Accounts, their keys and tokens.', fits: /^(user(?!_role)|get_site_user|api_token)/ },
  { name: 'Followers', description: 'Who follows what.', fits: /follow/ },
  { name: 'Activities', description: 'What happened, and the dashboard of a user.', fits: /activit|dashboard/ },
  { name: 'Revisions', description: 'Every write makes one; each tells what it changed.', fits: /revision/ },
  { name: 'Relationships', description: 'How datasets relate to each other.', fits: /relationship/ },
  {
    name: 'Tags',
    description: 'Free tags, vocabularies (controlled lists of tags), and translations of terms.',
    fits: /^(tag|vocabulary|term_translation)_/,
  },
  { name: 'Related items', description: 'Things made with datasets, and ratings.', fits: /^(related|rating)_/ },
  SITE,
];

export const FILES_TAG = { name: 'Files', description: 'Files that are kept here.' };

/** Tag of an action; the site's tag when no feature matches its name. */
export const tagOf = (action: string): string =>
  (TAGS.findLast((tag) => tag !== SITE && tag.fits.test(action)) ?? SITE).name;
