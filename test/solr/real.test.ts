/** Real metadata, Japanese, on Solr. */
import { afterAll, beforeAll } from '@jest/globals';
import { hasJava } from '../helpers/java.ts';
import { describeWith, INSTALL_TIMEOUT } from '../helpers/runtime.ts';
import { createSolrWorld, type SolrNode, startSolr } from '../helpers/solr.ts';
import { realSearchTests } from '../suites/real_search.ts';

describeWith('javac, java and mvn', hasJava(), 'real metadata on Solr', () => {
  let solr: SolrNode;
  beforeAll(async () => {
    solr = await startSolr(['real']);
  }, INSTALL_TIMEOUT);
  afterAll(() => solr?.stop());

  realSearchTests((settings) => createSolrWorld(solr.urlOf('real'), settings));
});
