/** The linked-data description of a dataset, for parts of the catalog that are composed with it. */
import type { Quad } from '@rdfjs/types';
import type { Site } from './catalog.ts';
import { Graph } from './graph.ts';
import { addDataset, type DatasetDocument } from './tables/index.ts';

export const describing =
  (site: Site) =>
  (document: DatasetDocument): readonly Quad[] => {
    const graph = new Graph();
    addDataset(graph, document, site);
    return graph.statements;
  };
