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
const create_datastore_views = flag('Create views that need the data in the DataStore, instead of those that do not.');
const config = json('State of the view that its viewer has saved, as JSON.');

export const viewActions = {
  resource_view_list: action({
    kind: 'read',
    summary: 'Lists the views of a resource.',
    returns: 'List of dictionaries as resource_view_show returns them, in their order.',
    answers: listOf(ref('View')),
    document: ActionViewListDocument,
    params: { id: present(text('Id of the resource.')) },
    variables: (p) => ({ id: p.id }),
    result: ({ resource }) => resource.views.map(viewDict),
  }),
  resource_view_show: action({
    kind: 'read',
    summary: 'Shows one view of a resource.',
    returns: shown,
    answers: ref('View'),
    document: ActionViewShowDocument,
    params: { id: present(text('Id of the view.')) },
    variables: (p) => ({ id: p.id }),
    result: ({ resourceView }) => viewDict(resourceView),
    version: ({ resourceView }) => resourceView?.version,
  }),
  resource_view_create: action({
    kind: 'write',
    summary: 'Adds a view after the existing views of a resource. Unlisted keys are fields of its type.',
    returns: shown,
    answers: ref('View'),
    document: ActionViewCreateDocument,
    params: {
      resource_id: required(text('Id of the resource.')),
      title: neededText('Its title.'),
      description: text('Description of the view.'),
      view_type: neededText('Name of an enabled type, such as image_view.'),
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
    summary: 'Changes a view. Omitted `config` and fields of its type are removed. The type cannot change.',
    returns: shown,
    answers: ref('View'),
    document: ActionViewUpdateDocument,
    params: {
      id: present(text('Id of the view.')),
      resource_id: text('Id of another resource, to move the view there.'),
      title: text('The new title.'),
      description: text('The new description.'),
      view_type: text('Ignored. The type cannot change.'),
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
    summary: 'Reorders the views of a resource.',
    returns: 'Dictionary with the `id` of the resource and the new `order` of all its view ids.',
    answers: object({ id: TEXT, order: listOf(TEXT) }),
    document: ActionViewsReorderDocument,
    params: {
      id: required(text('Id of the resource.')),
      order: present(list('View ids. Omitted views follow in their old order.')),
    },
    variables: (p) => ({ input: { resourceId: p.id, order: p.order } }),
    result: ({ reorderResourceViews }, p) => ({
      id: p.id,
      order: reorderResourceViews.views!.map((view) => view.databaseId),
    }),
  }),
  resource_view_clear: action({
    kind: 'write',
    summary: 'Deletes all views of the site, or all views of given types. System administrators only.',
    returns: 'Null.',
    answers: NULL,
    document: ActionViewsClearDocument,
    params: { view_types: list('Names of types. Default, and for an empty list: all types.') },
    variables: ({ view_types = [] }) => ({ input: { types: view_types.length > 0 ? view_types : null } }),
    result: () => null,
  }),
  resource_create_default_resource_views: action({
    kind: 'write',
    summary: 'Creates the missing default views of a resource.',
    returns: 'List of the new views as resource_view_show returns them. Empty if no view is missing.',
    answers: listOf(ref('View')),
    document: ActionViewsDefaultDocument,
    params: {
      resource: dictionary('Dictionary with the id of the resource. Other keys are ignored.'),
      package: dictionaryOrNone('Dictionary with the id of its dataset. Default: the dataset of the resource.'),
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
    summary: 'Creates the missing default views of the resources of a dataset.',
    returns: 'List of the new views as resource_view_show returns them. Empty if no view is missing.',
    answers: listOf(ref('View')),
    document: ActionViewsDefaultDocument,
    params: {
      package: dictionary(
        'Dictionary with the id of the dataset. With `resources`, only for these resources, each with its id.',
      ),
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
