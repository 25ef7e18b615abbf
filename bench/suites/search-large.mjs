/** Search with 100,000 datasets: the same requests, with the goals for that size. */
export { measurements } from './search.mjs';

export const size = 100_000;
