import type { Call } from '../../kernel/call.ts';
import { version } from '../../kernel/version.ts';

/** Public facts about the installation; see type Site for their meaning. */
export interface SiteRecord {
  url: string;
  siteId: string;
  title: string;
  description: string;
  version: string;
  contractVersion: string;
  defaultLocale: string;
  errorEmailsTo: string | null;
  plugins: string[];
  mainCss: string;
  logo: string;
  about: string;
  introText: string;
  customCss: string;
  homepageStyle: number;
  readable: boolean;
}

/** Ruling 20: the contract version, for clients that check it. */
const CONTRACT_VERSION = '2.4.9';

/** The site's public settings. Everyone may read them. */
export const siteShow = ({ settings }: Call): SiteRecord => ({
  url: settings['catalog.site_url'],
  siteId: settings['catalog.site_id'],
  title: settings['catalog.site_title'],
  description: settings['catalog.site_description'],
  version,
  contractVersion: CONTRACT_VERSION,
  defaultLocale: settings['catalog.locale_default'],
  errorEmailsTo: settings['catalog.error_emails_to'],
  plugins: [...settings['catalog.plugins']],
  mainCss: settings['catalog.main_css'],
  logo: settings['catalog.site_logo'],
  about: settings['catalog.site_about'],
  introText: settings['catalog.site_intro_text'],
  customCss: settings['catalog.site_custom_css'],
  homepageStyle: settings['catalog.homepage_style'],
  readable: true,
});
