/** Results of the checks of `catalog doctor`. */

export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly message: string;
  /** Advice; null if none is needed, or the message has it. */
  readonly todo: string | null;
}

type Outcome = Omit<Finding, 'check'>;
/** @throws any failure, which becomes the finding */
export type Check = () => Promise<Outcome> | Outcome;

export const ok = (message: string): Outcome => ({ state: 'ok', message, todo: null });
export const warning = (message: string, todo: string | null): Outcome => ({ state: 'warning', message, todo });
export const failed = (message: string, todo: string | null): Outcome => ({ state: 'failed', message, todo });
