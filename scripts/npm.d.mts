/** Makes npm packages usable, at exactly these versions, without their install scripts; quick when they are there. Answers the folder that has them in `node_modules`. */
export function installNpm(packages: Readonly<Record<string, string>>): Promise<string>;
