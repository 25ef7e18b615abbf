/** Pages with a single message: not found, refused, done. */
import { type Frame, Layout } from './layout.tsx';

export const messagePage = (frame: Frame, title: string, text: string) => (
  <Layout frame={frame} title={title}>
    <h1>{title}</h1>
    {text && <p>{text}</p>}
  </Layout>
);
