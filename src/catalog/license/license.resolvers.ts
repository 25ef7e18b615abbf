import type { Resolvers } from '../../generated/graph.ts';
import type { NodeReader } from '../../kernel/node.ts';
import { licenseList, licenseRecord } from './license.service.ts';

/** Licenses by code. */
export const licenseReader: NodeReader = async (_call, codes) => codes.map(licenseRecord);

export const licenseResolvers: Resolvers = {
  Query: { licenses: () => [...licenseList()] },
  Dataset: { license: (dataset) => licenseRecord(dataset.body.license_id) },
  License: {
    code: (license) => license.id,
    isOpen: (license) => license.openDefinition === 'approved',
    isGeneric: (license) => license.generic,
    forContent: (license) => license.content,
    forData: (license) => license.data,
  },
};
