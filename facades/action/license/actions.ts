import { ActionLicenseListDocument } from '../../../src/generated/operations.ts';
import { licenseDict } from '../../shared/wire/license.ts';
import { action } from '../define.ts';
import { listOf, ref } from '../schema.ts';

export const licenseActions = {
  license_list: action({
    kind: 'read',
    summary: 'Lists the licenses offered for datasets.',
    returns:
      "List of dictionaries: `id`, `title`, `url`, `is_okd_compliant` (conforms to the Open Definition) and further keys of CKAN's licenses.",
    answers: listOf(ref('License')),
    document: ActionLicenseListDocument,
    params: {},
    variables: () => ({}),
    result: ({ licenses }) => licenses.map(licenseDict),
  }),
};
