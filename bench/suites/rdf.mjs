/** Linked data: cost of a dataset in each format, beside its page and its JSON. */
import { dataset, randomOf } from '../corpus.mjs';

/** Different names requested in one measurement. */
const NAMES = 1_000;
/** Maximum ms of CPU of the server and PostgreSQL. */
const MAX = 2;

/** Format → start of its responses. */
const FORMATS = {
  rdf: '<dcat:Dataset rdf:about=',
  ttl: '@prefix dcat:',
  jsonld: '{"@context":',
  n3: '@prefix dcat:',
  nt: '<http://www.w3.org/ns/dcat#Dataset>',
};

export async function measurements({ datasets }) {
  const random = randomOf('linked data');
  const isPublic = Array.from({ length: datasets }, (_, i) => dataset(i)).filter((one) => !one.private);
  const names = Array.from({ length: NAMES }, () => random.pick(isPublic).name);
  const row = { server: 'catalog', connections: 1 };
  const cheap = {
    text: `≤ ${MAX} ms of CPU`,
    met: ({ nodeMs, pgMs }) => nodeMs !== null && nodeMs + pgMs <= MAX,
  };
  const formats = Object.entries(FORMATS).map(([suffix, expect]) => ({
    ...row,
    name: `/dataset/….${suffix}`,
    expect,
    requests: () => names.map((name) => ({ path: `/dataset/${name}.${suffix}` })),
    goal: cheap,
  }));
  const others = [
    {
      name: 'page of a dataset',
      expect: '<!doctype html>',
      requests: () => names.map((name) => ({ path: `/dataset/${name}` })),
    },
    { name: '/catalog.ttl, 100 datasets', expect: '@prefix dcat:', requests: () => [{ path: '/catalog.ttl' }] },
    {
      name: 'package_show',
      expect: '"success":true',
      requests: () => names.map((name) => ({ path: `/api/3/action/package_show?id=${name}` })),
    },
  ];
  return [...formats, ...others.map((other) => ({ ...row, ...other }))];
}
