/** Notifications of requested checks. */
export const CHANNEL = 'link_check';
