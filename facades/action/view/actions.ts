import {
  ActionViewCreateDocument,
  ActionViewDeleteDocument,
  ActionViewListDocument,
  ActionViewShowDocument,
  ActionViewsClearDocument,
  ActionViewsDefaultDocument,
  ActionViewsReorderDocument,
  ActionViewUpdateDocument,
} from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { flag, list, neededText, present, required, text } from '../params.ts';
import { listOf, NULL, object, ref, TEXT } from '../schema.ts';
import {
  datasetIn,
  dictionary,
  dictionaryOrNone,
  idIn,
  json,
  noId,
  resourcesIn,
  textAt,
  viewFields,
} from './inputs.ts';
import { viewDict } from './shapes.ts';

const shown =
  'Dictionary: `id`, `resource_id`, `package_id`, `title`, `description`, `view_type`, `config` (JSON, when there is one) and the fields of the type.';
const create_datastore_views = flag('Make those that need the data in the DataStore, instead of those that do not.');
const config = json('What is needed to show the view as it was left, as JSON.');

export const viewActions = {
  resource_view_list: action({
    kind: 'read',
    summary: 'Lists the views of a resource.',
    returns: 'List of dictionaries as resource_view_show returns them, in their order.',
    answers: listOf(ref('View')),
    document: ActionViewListDocument,
    params: { id: present(text('Id of the resource.')) },
    variables: (p) => ({ id: p.id }),
    result: ({ resource }) => resource!.views.map(viewDict),
  }),
  resource_view_show: action({
    kind: 'read',
    summary: 'Shows one view of a resource.',
    returns: shown,
    answers: ref('View'),
    document: ActionViewShowDocument,
    params: { id: present(text('Id of the view.')) },
    variables: (p) => ({ id: p.id }),
    result: ({ resourceView }) => viewDict(resourceView!),
    version: ({ resourceView }) => resourceView?.version,
  }),
  resource_view_create: action({
    kind: 'write',
    summary: "Adds a view at the end of a resource's; keys beside those listed are fields of its type.",
    returns: shown,
    answers: ref('View'),
    document: ActionViewCreateDocument,
    params: {
      resource_id: required(text('Id of the resource.')),
      title: neededText('Its title.'),
      description: text('What it shows.'),
      view_type: neededText('Name of a type that is switched on, such as image_view.'),
      config,
      id: noId,
    },
    variables: ({ resource_id, title, view_type, description, config }, raw) => ({
      input: { resourceId: resource_id, title, viewType: view_type, description, config, fields: viewFields(raw) },
    }),
    result: ({ createResourceView }) => viewDict(createResourceView.view!),
    version: ({ createResourceView }) => createResourceView.view?.version,
  }),
  resource_view_update: action({
    kind: 'write',
    summary: 'Changes a view. Omitted `config` and fields of its type are removed; the type cannot change.',
    returns: shown,
    answers: ref('View'),
    document: ActionViewUpdateDocument,
    params: {
      id: present(text('Id of the view.')),
      resource_id: text('Id of another resource, to move the view there.'),
      title: text('The new title.'),
      description: text('The new description.'),
      view_type: text('Left aside: the type stays.'),
      config,
    },
    variables: ({ id, resource_id, title, description, config }, raw, expectedVersion) => ({
      input: {
        viewId: id,
        resourceId: resource_id,
        title,
        description,
        config,
        fields: viewFields(raw),
        expectedVersion,
      },
    }),
    result: ({ updateResourceView }) => viewDict(updateResourceView.view!),
    version: ({ updateResourceView }) => updateResourceView.view?.version,
  }),
  resource_view_delete: action({
    kind: 'write',
    summary: 'Deletes a view.',
    returns: 'Null.',
    answers: NULL,
    document: ActionViewDeleteDocument,
    params: { id: present(text('Id of the view.')) },
    variables: (p, _raw, expectedVersion) => ({ input: { viewId: p.id, expectedVersion } }),
    result: () => null,
  }),
  resource_view_reorder: action({
    kind: 'write',
    summary: 'Puts the views of a resource in a new order.',
    returns: 'Dictionary with the `id` of the resource and the new `order` of all its view ids.',
    answers: object({ id: TEXT, order: listOf(TEXT) }),
    document: ActionViewsReorderDocument,
    params: {
      id: required(text('Id of the resource.')),
      order: present(list('View ids; those left out follow in their old order.')),
    },
    variables: (p) => ({ input: { resourceId: p.id, order: p.order } }),
    result: ({ reorderResourceViews }, p) => ({
      id: p.id,
      order: reorderResourceViews.views!.map((view) => view.databaseId),
    }),
  }),
  resource_view_clear: action({
    kind: 'write',
    summary: 'Deletes the views of some types, or all, on the whole site; system administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionViewsClearDocument,
    params: { view_types: list('Names of types; every type when left out or empty.') },
    variables: ({ view_types = [] }) => ({ input: { types: view_types.length > 0 ? view_types : null } }),
    result: () => null,
  }),
  resource_create_default_resource_views: action({
    kind: 'write',
    summary: 'Makes the default views that a resource can have and does not have yet.',
    returns: 'List of the new views as resource_view_show returns them; empty when there was nothing to make.',
    answers: listOf(ref('View')),
    document: ActionViewsDefaultDocument,
    params: {
      resource: dictionary('Dictionary with the id of the resource; the rest is read from the catalog.'),
      package: dictionaryOrNone('Dictionary with the id of its dataset; looked up when left out.'),
      create_datastore_views,
    },
    variables: (p) => ({
      input: {
        dataset: textAt(p.package, 'id') ?? textAt(p.resource, 'package_id'),
        resourceIds: [idIn(p.resource, 'resource')],
        forDatastore: p.create_datastore_views,
      },
    }),
    result: ({ createDefaultResourceViews }) => createDefaultResourceViews.views!.map(viewDict),
  }),
  package_create_default_resource_views: action({
    kind: 'write',
    summary: 'Makes the default views that the resources of a dataset can have and do not have yet.',
    returns: 'List of the new views as resource_view_show returns them; empty when there was nothing to make.',
    answers: listOf(ref('View')),
    document: ActionViewsDefaultDocument,
    params: {
      package: dictionary('Dictionary with the id of the dataset; with `resources`, only for those, each by its id.'),
      create_datastore_views,
    },
    variables: (p) => ({
      input: {
        dataset: datasetIn(p.package),
        resourceIds: resourcesIn(p.package),
        forDatastore: p.create_datastore_views,
      },
    }),
    result: ({ createDefaultResourceViews }) => createDefaultResourceViews.views!.map(viewDict),
  }),
};
