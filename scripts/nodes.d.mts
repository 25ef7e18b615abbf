/** Path of a version's program: the running one if it has this version. Installs it when missing. */
export function installNode(major: number): string;
