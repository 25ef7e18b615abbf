/** Runs `step` one at a time. Calls during a run share one further run, so no result is older than its call. */
export function serialize<Result = void>(step: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<Result> | null = null;
  let next: Promise<Result> | null = null;
  const begin = () => (current = step().finally(() => (current = null)));
  return () => {
    if (!current) return begin();
    return (next ??= current
      .catch(() => {})
      .then(() => {
        next = null;
        return begin();
      }));
  };
}
