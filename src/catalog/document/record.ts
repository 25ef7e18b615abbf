/** A dataset as readers get it: policy columns and the document, which is parsed on first use. */

import { createLru } from '../../infra/concurrency/lru.ts';
import type { Connection } from '../../kernel/connection.ts';
import type { DatasetTextKey } from '../../kernel/dataset-fields.ts';
import { JsonText } from '../../kernel/json.ts';

/** The whole dataset in the Action API's form. Keys of a declared dataset type are beside the core's. */
export interface DatasetBody extends Record<DatasetTextKey, string | null> {
  id: string;
  name: string;
  title: string;
  type: string;
  state: string;
  private: boolean;
  license_title: string | null;
  license_url?: string;
  isopen: boolean;
  owner_org: string | null;
  creator_user_id: string | null;
  organization: OrganizationBody | null;
  metadata_created: string;
  metadata_modified: string;
  revision_id: string;
  num_resources: number;
  num_tags: number;
  resources: ResourceBody[];
  tags: TagBody[];
  extras: { key: string; value: string }[];
  groups: GroupBody[];
  relationships_as_subject: RelationshipBody[];
  relationships_as_object: RelationshipBody[];
  [field: string]: unknown;
}

export interface OrganizationBody {
  id: string;
  name: string;
  title: string;
  description: string;
  image_url: string;
  created: string;
  is_organization: boolean;
  type: string;
  state: string;
  approval_status: string;
  revision_id: string;
}

export interface GroupBody {
  id: string;
  name: string;
  title: string;
  display_name: string;
  description: string;
  image_display_url: string;
}
export interface TagBody {
  id: string;
  name: string;
  display_name: string;
  state: string;
  vocabulary_id: string | null;
}
/** Ids of both datasets are under __extras, as Action API clients expect. */
export interface RelationshipBody {
  id: string;
  type: string;
  comment: string;
  __extras: { subject_package_id: string; object_package_id: string; revision_id: string };
}

/** A resource; its extras are beside the core's keys. */
export interface ResourceBody {
  id: string;
  package_id: string;
  position: number;
  state: string;
  url: string;
  name: string | null;
  description: string;
  format: string;
  hash: string;
  size: number | null;
  revision_id: string;
  mimetype: string | null;
  mimetype_inner: string | null;
  resource_type: string | null;
  url_type: string | null;
  cache_url: string | null;
  webstore_url: string | null;
  created: string | null;
  last_modified: string | null;
  cache_last_updated: string | null;
  webstore_last_updated: string | null;
  datastore_active: boolean;
  [extra: string]: unknown;
}

/** Columns of dataset_document as SQL returns them. */
export interface DocumentRow {
  dataset_id: string;
  name: string;
  state: string;
  private: boolean;
  owner_organization_id: string | null;
  creator_id: string | null;
  version: number;
  /** Whether the document may show relationships; undefined when the statement does not select it. */
  linked?: boolean;
  /** The transaction that wrote the row; undefined when the statement does not select it. */
  xmin?: string;
  document: string | JsonText;
}

/** The facts that policies need. */
export interface DatasetFacts {
  readonly id: string;
  readonly state: string;
  readonly private: boolean;
  readonly ownerOrganizationId: string | null;
  readonly creatorId: string | null;
}

/** The same as a Prisma selection. */
export const FACTS = {
  id: true,
  state: true,
  private: true,
  ownerOrganizationId: true,
  creatorId: true,
} satisfies Record<keyof DatasetFacts, true>;

/** Whether a document shows any relationship. */
export const isLinked = (body: DatasetBody): boolean =>
  body.relationships_as_subject.length + body.relationships_as_object.length > 0;

/** Capacity in characters of the texts with cached parsed forms, which take about four times as many bytes. */
const CAPACITY = 8 * 1024 * 1024;
const cached = createLru<{ readonly document: JsonText; readonly body: DatasetBody }>(CAPACITY, 'dataset_bodies');

/**
 * A parsed document, cached for later readers. The cache compares the text itself, so nothing stale is returned.
 * Readers must not change the body.
 */
function bodyOf(id: string, document: JsonText): DatasetBody {
  const before = cached.get(id);
  if (before?.document === document) return before.body;
  const { text } = document;
  if (before?.document.text === text) return before.body;
  const body = JSON.parse(text) as DatasetBody;
  cached.set(id, { document, body }, text.length);
  return body;
}

/**
 * Identifies the stored text in entity tags. One transaction may write a row twice, with two versions. The length is for servers of
 * another history, such as a restored one, which may use a transaction id again.
 */
const digestOf = ({ dataset_id: id, xmin, version, document }: DocumentRow): string | null =>
  xmin === undefined ? null : `${id} ${xmin} ${version} ${(document as string).length}`;

/** Properties have the graph's names where they can, because a property costs a third of a resolver. */
export class DatasetRecord implements DatasetFacts {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly private: boolean;
  readonly ownerOrganizationId: string | null;
  readonly creatorId: string | null;
  /** The row's version, for ETag and expectedVersion. */
  readonly version: number;
  /** False when the document surely shows no relationships: then every reader of the dataset may see all of it. */
  readonly linked: boolean;
  /** The document's text with every relationship. visible.ts removes the ones that the caller may not see. */
  readonly document: JsonText;
  #body: DatasetBody | undefined;

  constructor(row: DocumentRow) {
    this.id = row.dataset_id;
    this.name = row.name;
    this.state = row.state;
    this.private = row.private;
    this.ownerOrganizationId = row.owner_organization_id;
    this.creatorId = row.creator_id;
    this.version = row.version;
    this.linked = row.linked ?? true;
    this.document = typeof row.document === 'string' ? new JsonText(row.document, digestOf(row)) : row.document;
  }

  /** The same dataset with a reduced document. */
  showing(document: JsonText): DatasetRecord {
    if (document === this.document) return this;
    return new DatasetRecord({
      dataset_id: this.id,
      name: this.name,
      state: this.state,
      private: this.private,
      owner_organization_id: this.ownerOrganizationId,
      creator_id: this.creatorId,
      version: this.version,
      linked: this.linked,
      document,
    });
  }

  /** The parsed document. It is shared and must not be changed. */
  get body(): DatasetBody {
    this.#body ??= bodyOf(this.id, this.document);
    return this.#body;
  }

  get databaseId(): string {
    return this.id;
  }

  get type(): string {
    return this.body.type;
  }

  get revisionId(): string {
    return this.body.revision_id;
  }

  get embeddedOrganization(): OrganizationBody | null {
    return this.body.organization;
  }

  get tags(): TagBody[] {
    return this.body.tags;
  }

  get extras(): DatasetBody['extras'] {
    return this.body.extras;
  }

  get groups(): GroupBody[] {
    return this.body.groups;
  }

  /** In the order of their positions. */
  get resources(): ResourceRecord[] {
    return this.body.resources.map((body) => new ResourceRecord(body));
  }

  /** One of the dataset's resources; null for another id. */
  resourceById(id: string): ResourceRecord | null {
    const body = this.body.resources.find((resource) => resource.id === id);
    return body ? new ResourceRecord(body) : null;
  }
}

/** A resource as readers get it. */
export class ResourceRecord {
  readonly id: string;
  readonly databaseId: string;
  readonly datasetId: string;
  readonly url: string;
  readonly format: string;
  readonly hash: string;
  readonly mimetype: string | null;
  readonly mimetypeInner: string | null;
  readonly resourceType: string | null;
  readonly urlType: string | null;
  readonly cacheUrl: string | null;
  readonly webstoreUrl: string | null;
  readonly size: number | null;
  readonly created: string | null;
  readonly lastModified: string | null;
  readonly cacheLastUpdated: string | null;
  readonly webstoreLastUpdated: string | null;
  readonly position: number;
  readonly revisionId: string;
  readonly body: ResourceBody;

  constructor(body: ResourceBody) {
    this.id = body.id;
    this.databaseId = body.id;
    this.datasetId = body.package_id;
    this.url = body.url;
    this.format = body.format;
    this.hash = body.hash;
    this.mimetype = body.mimetype;
    this.mimetypeInner = body.mimetype_inner;
    this.resourceType = body.resource_type;
    this.urlType = body.url_type;
    this.cacheUrl = body.cache_url;
    this.webstoreUrl = body.webstore_url;
    this.size = body.size;
    this.created = body.created;
    this.lastModified = body.last_modified;
    this.cacheLastUpdated = body.cache_last_updated;
    this.webstoreLastUpdated = body.webstore_last_updated;
    this.position = body.position;
    this.revisionId = body.revision_id;
    this.body = body;
  }
}

/** A page of datasets. */
export type DatasetPage = Connection<DatasetRecord>;
