import type { CheckResourceLinkInput, LinkReason, LinkVerdict, Resolvers } from '../generated/graph.ts';
import { payload } from '../kernel/mutation.ts';
import { linkCheck, resourcesByLink } from './link.service.ts';

const verdictOf = ({ verdict }: { verdict: string | null }) => (verdict?.toUpperCase() ?? null) as LinkVerdict | null;
const reasonOf = ({ reason }: { reason: string | null }) => (reason?.toUpperCase() ?? null) as LinkReason | null;

export const resourceLinkResolvers: Resolvers = {
  Statistics: {
    resourcesByLink: (_root, args, { call }) => resourcesByLink(call, { ...args, verdict: args.verdict ?? 'BROKEN' }),
  },
  Mutation: {
    checkResourceLink: payload('link', (call, { input }: { input: CheckResourceLinkInput }) => linkCheck(call, input)),
  },
  Resource: {
    link: (resource, _args, { loaders }) => loaders.linkByResource.load(resource.id),
  },
  ResourceLink: {
    verdict: verdictOf,
    reason: reasonOf,
    status: ({ httpStatus }) => httpStatus,
    nextCheckAt: ({ nextAt }) => nextAt,
    isRequested: ({ requestedAt, checkedAt }) =>
      requestedAt !== null && (checkedAt === null || checkedAt < requestedAt),
    size: ({ size }) => (size === null ? null : Number(size)),
    lastModified: ({ changedAt }) => changedAt,
    history: async ({ resourceId, url }, _args, { loaders }) =>
      (await loaders.linkEventsByResource.load(resourceId)).filter((event) => event.url === url),
  },
  ResourceLinkEvent: {
    at: ({ createdAt }) => createdAt,
    verdict: (event) => verdictOf(event)!,
    reason: reasonOf,
    status: ({ httpStatus }) => httpStatus,
  },
};
