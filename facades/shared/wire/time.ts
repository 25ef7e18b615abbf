/** An instant of the graph as the wire has it: UTC without a zone, six digits after the second (`2026-11-21T10:00:00.123000`). */
export const wireTime = (instant: string): string => instant.replace(/Z$/, '000');
