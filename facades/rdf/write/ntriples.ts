/** Writes N-Triples: one line per statement. */
import { termText } from '../terms.ts';
import { Tree } from './tree.ts';
import type { Writer } from './writer.ts';

export function nTriples(): Writer {
  return {
    used: new Set(),
    head: () => '',
    body(quads) {
      let text = '';
      for (const { node, properties } of new Tree(quads).nodes.values()) {
        const subject = termText(node);
        for (const { predicate, objects } of properties.values())
          for (const object of objects) text += `${subject} <${predicate.value}> ${termText(object)} .\n`;
      }
      return text;
    },
    tail: () => '',
  };
}
