/** Converts licenses to the wire format. */
import type { ActionLicenseDictFragment } from '../../../src/generated/operations.ts';

/** A license with the contract's keys. Booleans are texts, except the two compliance flags. */
export function licenseDict({ id, title, url, isOpen, isGeneric, forContent, forData }: ActionLicenseDictFragment) {
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
