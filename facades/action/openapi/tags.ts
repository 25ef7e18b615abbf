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
    description: 'Metadata about data. `dataset_…` is an alias of each `package_…`.',
    fits: /package|dataset/,
  },
  { name: 'Resources', description: 'Files and links of datasets.', fits: /^(resource|format)_|_resource_/ },
  { name: 'Views', description: 'Views: how resources are displayed.', fits: /_views?_/ },
  { name: 'DataStore', description: 'Rows of resources.', fits: /^datastore_/ },
  { name: 'Organizations', description: 'Owners of datasets.', fits: /organization/ },
  { name: 'Groups', description: 'Collections of datasets.', fits: /^group_/ },
  {
    name: 'Members',
    description: 'Members of groups and organizations, with their roles.',
    fits: /member|collaborator|role/,
  },
  { name: 'Users', description: 'Accounts, their keys and tokens.', fits: /^(user(?!_role)|get_site_user|api_token)/ },
  { name: 'Followers', description: 'Followers of datasets, groups and users.', fits: /follow/ },
  { name: 'Activities', description: 'Activities, and the dashboard of a user.', fits: /activit|dashboard/ },
  { name: 'Revisions', description: 'Revisions: each write creates one, which lists its changes.', fits: /revision/ },
  { name: 'Relationships', description: 'Relationships between datasets.', fits: /relationship/ },
  {
    name: 'Tags',
    description: 'Free tags, vocabularies (controlled lists of tags), and translations of terms.',
    fits: /^(tag|vocabulary|term_translation)_/,
  },
  { name: 'Related items', description: 'Related items made with datasets, and ratings.', fits: /^(related|rating)_/ },
  SITE,
];

export const FILES_TAG = { name: 'Files', description: 'Uploaded files.' };

/** Tag of an action; the site's tag when no feature matches its name. */
export const tagOf = (action: string): string =>
  (TAGS.findLast((tag) => tag !== SITE && tag.fits.test(action)) ?? SITE).name;
