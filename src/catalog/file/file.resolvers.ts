import type { Resolvers } from '../../generated/graph.ts';
import { fileText } from './text.service.ts';

export const fileResolvers: Resolvers = {
  ResourceFile: {
    etag: (file) => file.key,
    text: (file, { maxBytes }, { call }) => fileText(call, file, maxBytes),
  },
  ImageFile: {
    etag: (image) => image.key,
  },
};
