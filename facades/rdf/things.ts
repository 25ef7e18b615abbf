/** Objects with linked data, by the first segment of their path. */
import {
  RdfDatasetDocument,
  RdfGroupDocument,
  type RdfGroupFragment,
  RdfOrganizationDocument,
} from '../../src/generated/operations.ts';
import type { RunOperation } from '../../src/graph/run.ts';
import type { Call } from '../../src/kernel/call.ts';
import { toJsonText } from '../../src/kernel/json.ts';
import type { Site } from './catalog.ts';
import { Graph } from './graph.ts';
import { describe, Source, type Table } from './mapping.ts';
import { addDataset, type DatasetDocument } from './tables/index.ts';

/** One object, as visible to the caller. */
export interface Thing {
  readonly name: string;
  /** Id of a dataset; null for others, whose reads are not counted. */
  readonly datasetId: string | null;
  /** Whether anonymous users see exactly the same. */
  readonly isPublic: boolean;
  readonly version: number;
  /** Null when unknown. */
  readonly modified: Date | null;
  readonly graph: (site: Site) => Graph;
}

/** @throws CatalogError NOT_FOUND, NOT_AUTHORIZED */
export type Load = (run: RunOperation, id: string, call: Call) => Promise<Thing>;

export const THINGS: Readonly<Record<'dataset' | 'organization' | 'group', Load>> = {
  async dataset(run, id, call) {
    const dataset = (await run(RdfDatasetDocument, { id }, call)).dataset;
    const document = JSON.parse(toJsonText(dataset.document)) as DatasetDocument;
    const isSameForAll = call.actor.userId === null || !isRelated(document);
    return {
      name: dataset.name,
      datasetId: dataset.databaseId,
      isPublic: dataset.state === 'active' && !dataset.private && isSameForAll,
      version: dataset.version,
      modified: new Date(dataset.modifiedAt),
      graph(site) {
        const graph = new Graph();
        addDataset(graph, document, site);
        return graph;
      },
    };
  },
  organization: async (run, id, call) =>
    groupThing((await run(RdfOrganizationDocument, { id }, call)).organization, (site) => site.tables.organizationPage),
  group: async (run, id, call) =>
    groupThing((await run(RdfGroupDocument, { id }, call)).group, (site) => site.tables.groupPage),
};

/** Whether to show a relationship: the other dataset may not be readable. */
const isRelated = (document: DatasetDocument): boolean =>
  [document.relationships_as_subject, document.relationships_as_object].some(
    (list) => Array.isArray(list) && list.length > 0,
  );

const groupThing = (found: RdfGroupFragment, tableOf: (site: Site) => Table): Thing => ({
  name: found.name,
  datasetId: null,
  isPublic: found.state === 'active',
  version: found.version,
  modified: null,
  graph(site) {
    const graph = new Graph();
    const { extras, ...own } = found;
    const source = new Source(
      own,
      extras.map(({ key, value }) => [key, value] as const),
    );
    describe(tableOf(site), source, { graph, ...site, license: () => undefined });
    return graph;
  },
});
