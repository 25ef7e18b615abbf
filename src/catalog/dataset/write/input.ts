/** Inputs of the dataset mutations, as services see them. undefined: omitted; null: cleared. */
type Maybe<T> = T | null | undefined;

import type { DatasetTextField } from '../../../kernel/dataset-fields.ts';
export interface ResourceInput {
  /** Of an existing resource. */
  id?: Maybe<string>;
  databaseId?: Maybe<string>;
  url?: Maybe<string>;
  name?: Maybe<string>;
  description?: Maybe<string>;
  format?: Maybe<string>;
  hash?: Maybe<string>;
  mimetype?: Maybe<string>;
  mimetypeInner?: Maybe<string>;
  resourceType?: Maybe<string>;
  urlType?: Maybe<string>;
  cacheUrl?: Maybe<string>;
  webstoreUrl?: Maybe<string>;
  size?: Maybe<number>;
  created?: Maybe<string>;
  lastModified?: Maybe<string>;
  cacheLastUpdated?: Maybe<string>;
  webstoreLastUpdated?: Maybe<string>;
  extras?: unknown;
}

export interface TagInput {
  name: string;
  vocabularyId?: Maybe<string>;
}
export interface ExtraInput {
  key: string;
  value?: Maybe<string>;
}
export interface GroupInput {
  id?: Maybe<string>;
  name?: Maybe<string>;
}
export interface RelationshipInput {
  dataset: string;
  type: string;
  comment?: Maybe<string>;
}

/** Fields that create, replace and patch have in common. */
export interface DatasetInput extends Partial<Record<DatasetTextField, Maybe<string>>> {
  name?: Maybe<string>;
  title?: Maybe<string>;
  type?: Maybe<string>;
  state?: Maybe<string>;
  private?: Maybe<boolean>;
  ownerOrganization?: Maybe<string>;
  resources?: Maybe<readonly ResourceInput[]>;
  tags?: Maybe<readonly TagInput[]>;
  extras?: Maybe<readonly ExtraInput[]>;
  /** Merged into the extras. */
  setExtras?: Maybe<readonly ExtraInput[]>;
  groups?: Maybe<readonly GroupInput[]>;
  relationshipsAsSubject?: Maybe<readonly RelationshipInput[]>;
  relationshipsAsObject?: Maybe<readonly RelationshipInput[]>;
  fields?: unknown;
  message?: Maybe<string>;
}

export interface CreateDatasetInput extends DatasetInput {
  isDraft?: Maybe<boolean>;
  databaseId?: Maybe<string>;
  name: string;
}
export interface ChangeDatasetInput extends DatasetInput {
  dataset: string;
  /** The required id of the dataset; ids never change. */
  databaseId?: Maybe<string>;
  expectedVersion?: Maybe<number>;
}
