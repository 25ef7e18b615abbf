/** Formats an instant for the wire: UTC without a time zone, six decimal places (`2026-11-21T10:00:00.123000`). */
export const wireTime = (instant: string): string => instant.replace(/Z$/, '000');
