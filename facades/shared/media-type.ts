import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';

/** The media type of a request's body, in lower case and without parameters; empty without the header. */
export const mediaTypeOf = ({ headers }: IncomingMessage): string =>
  parse(headers['content-type'] ?? '', { parameters: false }).type;
