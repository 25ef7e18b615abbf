/** Jest reporter: a run fails when it leaves data in the checkout. Tests write to temporary folders only. */
import { existsSync } from 'node:fs';

export default class Checkout {
  #data;
  #wasThere;

  constructor({ rootDir }) {
    this.#data = `${rootDir}/data`;
    this.#wasThere = existsSync(this.#data);
  }

  onRunComplete() {
    const error = this.getLastError();
    if (error) process.stderr.write(`\n${error.message}\n`);
  }

  getLastError() {
    if (this.#wasThere || !existsSync(this.#data)) return undefined;
    return new Error(
      `A test created ${this.#data}. Tests write to temporary folders only (test/helpers/world.ts, server.ts).`,
    );
  }
}
