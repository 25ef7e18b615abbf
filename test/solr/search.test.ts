/** Search on Solr: the same tests as on PostgreSQL, and special cases. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { USE } from '../../src/kernel/usage.ts';
import { keepUp } from '../../src/usage/fold.service.ts';
import { addBatch } from '../../src/usage/fold.sql.ts';
import { hasJava } from '../helpers/java.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createSolrWorld, SOLR_VERSIONS, type SolrNode, type SolrWorld, startSolr } from '../helpers/solr.ts';
import { packageSearchTests } from '../suites/package_search.ts';
import { searchConnectionTests } from '../suites/search_connection.ts';

const java = hasJava();
for (const version of SOLR_VERSIONS)
  describeWith('javac, java and mvn', java, `on Solr ${version}`, () => {
    let solr: SolrNode;
    beforeAll(async () => {
      solr = await startSolr(['action', 'graph', 'odd'], version);
    }, INSTALL_TIMEOUT);
    afterAll(() => solr?.stop());

    describe('package_search', () => packageSearchTests(() => createSolrWorld(solr.urlOf('action'))));
    describe('the connection', () => searchConnectionTests(() => createSolrWorld(solr.urlOf('graph'))));

    describe('special cases', () => {
      let world: SolrWorld;
      beforeAll(async () => {
        world = await createSolrWorld(solr.urlOf('odd'));
      });
      afterAll(() => world.end());

      it('treats special characters as text', async () => {
        const odd = '{!func}$p0 "a\\" OR *:* ]} TO {!v=$q} 漢字 \u0001 <x>';
        await world.make.dataset({
          name: 'odd',
          title: odd,
          url: `http://a.example/${'x'.repeat(40_000)}`,
          extras: [
            { key: odd, value: odd },
            { key: '$p0', value: 'x' },
          ],
          resources: [{ url: `http://a.example/${'y'.repeat(40_000)}` }],
        });
        await world.make.dataset({ name: 'even' });
        const names = async (params: Record<string, unknown>) =>
          (await world.result('package_search', params)).results.map((found: { name: string }) => found.name);
        const phrase = `"${odd.replace(/["\\]/g, '\\$&')}"`;
        expect(await names({ fq: `title_string:${phrase}` })).toEqual(['odd']);
        expect(await names({ fq: `title_string:[${phrase} TO ${phrase}]` })).toEqual(['odd']);
        expect(await names({ fq: 'title_string:\\{\\!func\\}\\$p0*' })).toEqual(['odd']);
        expect(await names({ q: `title:${phrase}` })).toEqual(['odd']);
        expect(await names({ sort: '$p0 asc, name asc' })).toEqual(['odd', 'even']);
        expect((await world.result('package_search', { 'facet.field': [odd], rows: 0 })).facets[odd]).toEqual({
          [odd]: 1,
        });
      });

      it('sorts by current view counts', async () => {
        const [one, two] = [
          await world.make.dataset({ name: 'v-one', title: 'Viewed' }),
          await world.make.dataset({ name: 'v-two', title: 'Viewed' }),
        ];
        const names = async (sort: string) =>
          (await world.result('package_search', { q: 'title:viewed', sort })).results.map((found: any) => found.name);
        const view = async (id: string, day: Date, count: number) => {
          const batch = {
            id: world.id(),
            day: day.toISOString().slice(0, 10),
            objects: [`d${id}`],
            kinds: [USE.view],
            counts: [count],
          };
          await addBatch(world.database.sql, batch);
          await keepUp(world.app.callAs(world.system));
        };
        await view(one.id, new Date(), 2);
        expect(await names('views_total desc, name asc')).toEqual(['v-one', 'v-two']);
        await view(two.id, new Date('2026-01-01'), 5);
        expect(await names('views_total desc, name asc')).toEqual(['v-two', 'v-one']);
        expect(await names('views_recent desc, name asc')).toEqual(['v-one', 'v-two']);
        expect((await world.result('package_search', { fq: 'views_total:[5 TO *]' })).count).toBe(1);
      });

      it('sorts empty strings before others, and missing values last', async () => {
        const of = { title: 'Ordered' };
        await world.make.dataset({ ...of, name: 'o-none' });
        await world.make.dataset({ ...of, name: 'o-empty', author: '' });
        await world.make.dataset({ ...of, name: 'o-full', author: 'x' });
        const names = async (sort: string) =>
          (await world.result('package_search', { q: 'title:ordered', sort })).results.map((found: any) => found.name);
        const onPostgres = async (sort: string) =>
          (
            await world.database.pool.query(
              `SELECT name FROM dataset WHERE name LIKE 'o-%' ORDER BY author ${sort} NULLS LAST, name`,
            )
          ).rows.map(({ name }) => name);
        expect(await names('author asc, name asc')).toEqual(await onPostgres('ASC'));
        expect(await names('author desc, name asc')).toEqual(await onPostgres('DESC'));
        const { facets, count } = await world.result('package_search', {
          q: 'author:* AND title:ordered',
          'facet.field': ['author'],
          'facet.limit': 1,
        });
        expect([count, facets.author]).toEqual([1, { x: 1 }]);
      });

      it('accepts deep and long queries', async () => {
        const deep = `${'-('.repeat(28)}title:odd${')'.repeat(28)}`;
        const long = Array.from({ length: 150 }, (_, index) => `word${index}`).join(' OR ');
        for (const q of [`title:${long}`, long, `*:* AND ${deep}`, `(${long}) AND title:word1`]) {
          const { body } = await world.action('package_search', { q, defType: 'edismax', mm: '30%' });
          expect([q, body.success || body.error.__type]).toEqual([q, true]);
        }
        const bf =
          'recip(ms(NOW,metadata_modified),3.16e-11,1,1)^1e-7 ln(sub(num_tags,5)) div(1,num_resources) ms(metadata_created)';
        expect((await world.result('package_search', { q: 'odd', bf, boost: 'sqrt(sub(1,num_tags))' })).count).toBe(1);
      });
    });
  });
