import type { Resolvers } from '../../generated/graph.ts';
import { licenseList } from './license.service.ts';

export const licenseResolvers: Resolvers = {
  Query: { licenses: () => [...licenseList()] },
  License: {
    code: (license) => license.id,
    isOpen: (license) => license.openDefinition === 'approved',
    isGeneric: (license) => license.generic,
    forContent: (license) => license.content,
    forData: (license) => license.data,
  },
};
