import {
  ActionFormatSuggestionsDocument,
  ActionResourceCreateDocument,
  ActionResourceDeleteDocument,
  ActionResourcePatchDocument,
  ActionResourceReplaceDocument,
  ActionResourceSearchDocument,
  ActionResourceShowDocument,
  ActionResourcesReorderDocument,
  ActionResourceTrackingDocument,
  type UploadInput,
} from '../../../src/generated/operations.ts';
import { invalidField } from '../../../src/kernel/errors.ts';
import { resourceFields } from '../../../src/records/form/dataset.ts';
import { clear_upload, resourceParams } from '../dataset/params.ts';
import { resourceWithTracking, TRACKING } from '../dataset/tracking.ts';
import { action, type Raw, renamed, type Style } from '../define.ts';
import { flag, int, list, type Param, present, required, text } from '../params.ts';
import { listOf, NULL, NUMBER, object, ref, TEXT } from '../schema.ts';
import { withArchiver } from './archiver.ts';
import { resourceTerms } from './inputs.ts';

const query: Param<unknown> = {
  type: 'string or list of strings',
  required: true,
  about: 'Terms of the form `field:text`. A resource must match all of them.',
  read: (raw) => raw,
};

/** A list, which may be empty. @throws CatalogError VALIDATION "Missing value", or for anything but a list */
const orderOf = (about: string): Param<string[]> => {
  const order = required(list(about));
  return {
    ...order,
    read(raw, name) {
      if (raw == null || typeof raw === 'string' || Array.isArray(raw)) return order.read(raw, name);
      throw invalidField(name, 'Must be a list of resource ids');
    },
  };
};

/** Whether the uploaded file sets fields of its resource (catalog.action_api.file_fields). */
const filling = (
  { fillsFileFields }: Style,
  _raw: Raw,
  { input }: { readonly input: { readonly upload?: UploadInput | null } },
) => (input.upload ? { input: { ...input, upload: { ...input.upload, fillsFields: fillsFileFields } } } : {});

const fileOf = ({ upload, clear_upload }: { upload?: UploadInput | undefined; clear_upload: boolean }) => ({
  upload,
  clearUpload: clear_upload,
});

export const resourceActions = {
  resource_show: action({
    kind: 'read',
    summary: 'Shows a resource.',
    differs:
      'A resource whose link was checked has `archiver`, with the keys of the archiver extension of CKAN. Copies of files are not made, so `cache_url` is always null.',
    returns: 'Resource dictionary.',
    answers: ref('Resource'),
    document: ActionResourceShowDocument,
    trackingDocument: ActionResourceTrackingDocument,
    params: { id: present(text('Id of the resource.')), include_tracking: flag(TRACKING) },
    variables: (p) => ({ id: p.id }),
    result: ({ resource }, p) =>
      withArchiver(p.include_tracking ? resourceWithTracking(resource) : resource.document, resource.link),
    use: ({ resource }) => ({ kind: 'read', of: 'resource', id: resource.databaseId }),
  }),
  resource_search: action({
    kind: 'read',
    summary: 'Searches the resources of public datasets by text in their fields.',
    differs:
      'Results are in the requested order, and `size` is a number. CKAN sorts each page separately, and returns a string.',
    returns: 'Dictionary with count and results (resource dictionaries).',
    answers: object({ count: NUMBER, results: listOf(ref('Resource')) }),
    document: ActionResourceSearchDocument,
    params: {
      query,
      order_by: text('Field to sort by, followed by ` desc` for descending order. Default: position in the dataset.'),
      offset: int('Number of results to skip.'),
      limit: int('Maximum number of results. Default: catalog.limits.rows.'),
      fields: {
        ...query,
        required: false,
        about: 'Dictionary of field to string, or list of strings. Use `query` instead.',
        deprecated: true,
      },
    },
    variables: (p) => ({
      input: { terms: resourceTerms(p.query, p.fields), orderBy: p.order_by, offset: p.offset, limit: p.limit },
    }),
    problems: renamed({ terms: 'query' }),
    result: ({ resourceSearch }) => ({
      count: resourceSearch.count,
      results: resourceSearch.results.map((found) => found.document),
    }),
  }),
  format_autocomplete: action({
    kind: 'read',
    summary: 'Suggests file formats that are in use.',
    returns: 'List of formats in lower case, most frequent first.',
    answers: listOf(TEXT),
    document: ActionFormatSuggestionsDocument,
    params: {
      q: present(text('Part of a format, ignoring case.')),
      limit: int('Maximum number of results. Default: 5.'),
    },
    variables: (p) => ({ text: p.q, limit: p.limit }),
    result: ({ formatSuggestions }) => formatSuggestions,
  }),
  resource_create: action({
    kind: 'write',
    summary: 'Adds a resource at the end of a dataset.',
    differs:
      'A resource with an existing id moves to the end without a gap in the positions. `size` is a number, and unknown keys keep their JSON values. With an upload, `name` suffices and `url` may be empty or omitted.',
    returns: 'The new resource dictionary.',
    answers: ref('Resource'),
    document: ActionResourceCreateDocument,
    params: { ...resourceParams, package_id: required(text('Id or name of the dataset.')) },
    anyOf: [['url'], ['upload', 'name']],
    variables: (p, raw) => ({ input: { dataset: p.package_id, resource: resourceFields(raw), upload: p.upload } }),
    preset: filling,
    result: ({ createResource }) => createResource.resource!.document,
  }),
  resource_update: action({
    kind: 'write',
    summary: 'Replaces a resource. Omitted fields keep their value. Omitted additional keys are removed.',
    differs: 'The `size` is a number, and unknown keys keep their JSON values. CKAN converts both to text.',
    returns: 'The updated resource dictionary.',
    answers: ref('Resource'),
    document: ActionResourceReplaceDocument,
    params: { ...resourceParams, clear_upload, id: required(text('Id of the resource.')) },
    anyOf: [['url'], ['upload']],
    variables: (p, raw, expectedVersion) => ({
      input: { resourceId: p.id, expectedVersion, resource: { url: '', ...resourceFields(raw) }, ...fileOf(p) },
    }),
    preset: filling,
    result: ({ replaceResource }) => replaceResource.resource!.document,
  }),
  resource_patch: action({
    kind: 'write',
    summary: 'Changes the given fields of a resource.',
    returns: 'The updated resource dictionary.',
    answers: ref('Resource'),
    document: ActionResourcePatchDocument,
    params: { ...resourceParams, clear_upload, id: required(text('Id of the resource.')) },
    variables: (p, raw, expectedVersion) => ({
      input: { resourceId: p.id, expectedVersion, resource: resourceFields(raw), ...fileOf(p) },
    }),
    preset: filling,
    result: ({ updateResource }) => updateResource.resource!.document,
  }),
  resource_delete: action({
    kind: 'write',
    summary: 'Removes a resource from its dataset.',
    differs: 'Deleting a deleted resource returns Not Found.',
    returns: 'Null.',
    answers: NULL,
    document: ActionResourceDeleteDocument,
    params: { id: present(text('Id of the resource.')) },
    variables: (p) => ({ input: { resourceId: p.id } }),
    result: () => null,
  }),
  package_resource_reorder: action({
    kind: 'write',
    summary: 'Reorders the resources of a dataset.',
    returns: 'Dictionary with the given `id` of the dataset and the new `order` of all resource ids.',
    answers: object({ id: TEXT, order: listOf(TEXT) }),
    document: ActionResourcesReorderDocument,
    params: {
      id: required(text('Id or name of the dataset.')),
      order: orderOf('Resource ids. Omitted resources follow in their old order.'),
    },
    variables: (p) => ({ input: { dataset: p.id, order: p.order } }),
    result: ({ reorderResources: { dataset } }, p) => ({
      id: p.id, // as sent
      order: dataset!.resources.map((resource) => resource.databaseId),
    }),
  }),
};
