import { ActionLicenseListDocument, type ActionLicenseListQuery } from '../../../src/generated/operations.ts';
import { action } from '../define.ts';
import { listOf, ref } from '../schema.ts';

export const licenseActions = {
  license_list: action({
    kind: 'read',
    summary: 'Lists the licenses offered for datasets.',
    returns:
      'List of dictionaries: `id`, `title`, `url`, `is_okd_compliant` (open by the Open Definition) and what else clients know of them.',
    answers: listOf(ref('License')),
    document: ActionLicenseListDocument,
    params: {},
    variables: () => ({}),
    result: ({ licenses }) => licenses.map(wireLicense),
  }),
};

/** A license with the keys that clients know. Truth values are texts there, but for the two compliance flags. */
function wireLicense({
  id,
  title,
  url,
  isOpen,
  isGeneric,
  forContent,
  forData,
}: ActionLicenseListQuery['licenses'][number]) {
  return {
    id,
    title,
    url,
    status: 'active',
    family: '',
    maintainer: '',
    is_okd_compliant: isOpen,
    is_osi_compliant: false,
    od_conformance: isOpen ? 'approved' : 'not reviewed',
    osd_conformance: 'not reviewed',
    is_generic: wireTruth(isGeneric),
    domain_content: wireTruth(forContent),
    domain_data: wireTruth(forData),
    domain_software: 'False',
  };
}

const wireTruth = (value: boolean): 'True' | 'False' => (value ? 'True' : 'False');
