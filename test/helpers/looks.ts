/** Counts what a parser reads. */
import { SyntaxFault } from '../../src/search/query/syntax.ts';

/** Number of characters that a parser reads, with repetitions: a test of linear time without clocks. */
export function looksOf(parse: (text: string) => unknown, text: string): number {
  let looks = 0;
  const watched = new Proxy(new String(text), {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') {
        looks += 1;
        return value;
      }
      return (...given: unknown[]) => {
        const result = (value as (...args: unknown[]) => unknown).apply(target, given);
        looks += typeof result === 'string' ? result.length : 1;
        return result;
      };
    },
  });
  try {
    parse(watched as unknown as string);
  } catch (thrown) {
    if (!(thrown instanceof SyntaxFault)) throw thrown;
  }
  return looks;
}
