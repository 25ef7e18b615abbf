/** Writes the operations of clients/typescript as typed texts. Part of scripts/generate.mjs. */
import { parse, print } from 'graphql';

/** `types`: what the code generator makes of the same documents. */
export function clientOperations(types, text) {
  const { definitions } = parse(text);
  const fragments = new Map(
    definitions.filter(({ kind }) => kind === 'FragmentDefinition').map((node) => [node.name.value, node]),
  );
  const operations = definitions.filter(({ kind }) => kind === 'OperationDefinition');
  const lines = operations.map((node) => {
    const name = node.name.value;
    const type = name + { query: 'Query', mutation: 'Mutation', subscription: 'Subscription' }[node.operation];
    const whole = [node, ...used(node, fragments)].map(print).join('\n');
    return `export const ${name}: Document<${type}, ${type}Variables> = { text: ${JSON.stringify(whole)} };`;
  });
  return `import type { Document } from './document.ts';\n\n${types}\n${lines.join('\n')}\n`;
}

/** Fragments that a definition spreads, and those that these spread. */
function used(node, fragments, found = new Set()) {
  for (const [, name] of print(node).matchAll(/\.\.\.\s*(?!on\b)(\w+)/g)) {
    const fragment = fragments.get(name);
    if (!fragment || found.has(fragment)) continue;
    found.add(fragment);
    used(fragment, fragments, found);
  }
  return [...found];
}
