/** Parses `mm`, the minimum number of optional clauses that must match, in Solr's notation. */
import { checkLength, SyntaxFault } from './syntax.ts';

const ONE = /^(-?\d{1,6})(%?)$/;

/**
 * The minimum for this number of optional clauses. `2<-1 5<80%`: all of up to 2, all but one of up to 5, above that 80 %.
 * @throws SyntaxFault
 */
export function minimumOf(given: string, clauses: number): number {
  checkLength(given);
  const text = given.replace(/\s+/g, ' ').trim().replace(/ ?< ?/g, '<');
  let minimum = clauses;
  if (!text.includes('<')) minimum = one(text, clauses);
  else {
    for (const condition of text.split(/\s+/)) {
      const [bound, value, ...more] = condition.split('<');
      if (!/^\d{1,6}$/.test(bound!) || value === undefined || more.length > 0)
        throw new SyntaxFault(`${condition.slice(0, 40)} is not a condition such as 2<-1`, 1);
      const count = one(value, clauses);
      if (clauses <= Number(bound)) break;
      minimum = count;
    }
  }
  return Math.min(clauses, Math.max(0, minimum));
}

function one(text: string, clauses: number): number {
  const [, digits, percent] = ONE.exec(text) ?? [];
  if (digits === undefined) throw new SyntaxFault(`${text.slice(0, 40)} is not a number or percentage`, 1);
  const number = Number(digits);
  if (!percent) return number < 0 ? clauses + number : number;
  const part = Math.trunc((clauses * number) / 100);
  return number < 0 ? clauses + part : part;
}
