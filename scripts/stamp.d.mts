/** Runs `work` while no other process runs work of the same name in this checkout. A lock whose holder died is taken over. */
export function withLock<T>(name: string, work: () => Promise<T>): Promise<T>;

/** Paths of the files below a folder of the checkout, sorted. */
export function filesBelow(folder: string, filter: (name: string) => boolean): string[];
