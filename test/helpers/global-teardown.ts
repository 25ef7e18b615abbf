import type { TestServer } from './global-setup.ts';

export default async function teardown(): Promise<void> {
  await (globalThis as { testServer?: TestServer }).testServer?.stop();
}
