interface Timed {
  readonly testFilePath: string;
  readonly perfStats: { readonly start: number; readonly end: number };
}
export function slowest(testResults: readonly Timed[], root?: string): string;
