/** A client for event streams. */
import http from 'node:http';

export interface StreamedEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

export async function eventsFrom(url: string, headers: Record<string, string> = {}) {
  const events: StreamedEvent[] = [];
  let text = '';
  let isOver = false;
  let lastId: string | undefined;
  let wake = () => {};
  const request = http.get(url, { agent: false, headers: { accept: 'text/event-stream', ...headers } });
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  request.on('error', () => {});
  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop()!;
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split('\n').flatMap((line) => {
          const [, name, value] = /^(\w+):? ?(.*)$/.exec(line) ?? [];
          return name ? [[name, value]] : [];
        }),
      );
      lastId = fields.id ?? lastId;
      if ('data' in fields) events.push(fields as unknown as StreamedEvent);
    }
    wake();
  });
  const over = () => {
    isOver = true;
    wake();
  };
  response.on('close', over);
  response.on('error', over);
  return {
    status: response.statusCode ?? 0,
    /** The next events, fewer if the stream has ended. */
    async take(count: number): Promise<StreamedEvent[]> {
      while (events.length < count && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      return events.splice(0, count);
    },
    /** The id that a browser would send when it connects again, as soon as there is one. */
    async lastId(): Promise<string | undefined> {
      while (lastId === undefined && !isOver) await new Promise<void>((resolve) => (wake = resolve));
      return lastId;
    },
    close: () => void request.destroy(),
  };
}
