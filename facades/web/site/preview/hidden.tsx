/** Parameters of a URL as fields of a form. */
import type { Param } from './table-state.ts';

export const Hidden = ({ params }: { params: readonly Param[] }) => (
  <>
    {params.map(([name, value], index) =>
      // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
      value === '' && name !== 'value' ? null : <input key={index} type="hidden" name={name} value={value} />,
    )}
  </>
);
