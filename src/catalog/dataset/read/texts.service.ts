/** Documents of lists as one JSON text. PostgreSQL joins the stored documents, and public lists are cached. */
import type { Call } from '../../../kernel/call.ts';
import { position } from '../../../kernel/connection.ts';
import { JsonText, toJsonText } from '../../../kernel/json.ts';
import type { DatasetRecord } from '../../document/record.ts';
import { listPage } from '../dataset.sql.ts';
import {
  type Datasets,
  datasetConnection,
  everyDataset,
  LISTED,
  type Loaders as ListLoaders,
} from './lists.service.ts';
import type { ListText } from './texts.sql.ts';
import { visibleDocument } from './visible.ts';

/** The request's loaders: lists of many parents cost one statement. */
interface Loaders extends ListLoaders {
  datasetTexts: { load(list: ListText): Promise<JsonText | null> };
  mayReadDataset: { load(id: string): Promise<boolean> };
}

/** Documents of the first 1,000 datasets of a group or organization that the caller may read. */
export async function documentList(call: Call, loaders: Loaders, datasets: Datasets): Promise<JsonText> {
  const { of, id, shows } = datasets as ListText;
  const text = await loaders.datasetTexts.load({ of, id, shows, limit: LISTED, offset: 0 });
  if (text) return text;
  return joined(loaders, (await datasetConnection(call, loaders, datasets, { first: LISTED })).nodes);
}

/** Documents of active public datasets by offset. @throws CatalogError LIMIT, VALIDATION (negative numbers) */
export async function documentPage(
  call: Call,
  loaders: Loaders,
  args: { limit?: number | null; offset?: number | null },
): Promise<JsonText> {
  const { limit, offset } = position(args, call.settings['catalog.limits.rows']);
  const { of, id, shows } = everyDataset as ListText;
  const text = await loaders.datasetTexts.load({ of, id, shows, limit, offset });
  return text ?? joined(loaders, await listPage(call.sql, limit, offset));
}

/** The documents without relationships that the caller may not see. */
const joined = async (loaders: Loaders, records: readonly DatasetRecord[]): Promise<JsonText> =>
  new JsonText(
    toJsonText(
      await Promise.all(records.map((record) => (record.linked ? visibleDocument(loaders, record) : record.document))),
    ),
  );
