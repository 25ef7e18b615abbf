/** Generates the typed operations of clients/typescript. Part of scripts/generate.mjs. */
import { parse, print } from 'graphql';

/** `types`: the code generator's output for the same documents. */
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

/** Fragments that a definition uses, directly or indirectly. */
function used(node, fragments, found = new Set()) {
  for (const [, name] of print(node).matchAll(/\.\.\.\s*(?!on\b)(\w+)/g)) {
    const fragment = fragments.get(name);
    if (!fragment || found.has(fragment)) continue;
    found.add(fragment);
    used(fragment, fragments, found);
  }
  return [...found];
}
