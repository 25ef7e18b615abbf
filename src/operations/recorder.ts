/** Counts the requests of this process per minute, and keeps its slowest ones. Its memory is bounded. */

/** Maximum number of slow requests of a process. */
export const MAX_SLOW = 20;
/** Age in ms at which a slow request is removed. */
export const SLOW_FOR = 3_600_000;
const MINUTE = 60_000;
/** Maximum number of minutes that wait for the database. Older ones are lost. */
const MAX_MINUTES = 60;

export interface RequestRecord {
  /** ms since 1970. */
  readonly at: number;
  readonly method: string;
  /** Pattern of the route. */
  readonly route: string;
  readonly operation: string | null;
  readonly status: number;
  /** Until the headers of the response. */
  readonly milliseconds: number;
}

/** A request that ended, for observers. */
export interface EndedRequest extends RequestRecord {
  /** The part of the API that answered. */
  readonly facade: string;
  /** Name of the action or trusted operation, or the route: never a text of the caller. */
  readonly label: string;
  /** False for streams, long polling and clients that left: `milliseconds` is then not the time of an answer. */
  readonly isTimed: boolean;
  readonly requestId: string;
  /** Null for anonymous callers. */
  readonly userId: string | null;
  /** Cost of its operations; null if none was calculated. */
  readonly cost: number | null;
}

export type Observer = (request: EndedRequest) => void;

export interface MinuteCounts {
  requests: number;
  refused: number;
  failed: number;
  milliseconds: number;
}

export interface Recorder {
  /** Requests in progress. */
  readonly running: number;
  begin(): void;
  /** Ends a request: tells the observers, and records it if it is timed. */
  end(request: EndedRequest): void;
  record(request: RequestRecord): void;
  /** The counts since the last call, by start of the minute in ms. */
  takeMinutes(): ReadonlyMap<number, MinuteCounts>;
  /** Counts minutes again that could not be stored. */
  giveBack(minutes: ReadonlyMap<number, MinuteCounts>): void;
  /** The slowest requests of the last hour, the slowest first. */
  slowest(now: number): readonly RequestRecord[];
}

export function createRecorder(observers: readonly Observer[] = []): Recorder {
  let running = 0;
  let minutes = new Map<number, MinuteCounts>();
  let slow: RequestRecord[] = [];

  function countsAt(minute: number): MinuteCounts {
    let counts = minutes.get(minute);
    if (!counts) {
      minutes.set(minute, (counts = { requests: 0, refused: 0, failed: 0, milliseconds: 0 }));
      if (minutes.size > MAX_MINUTES) minutes.delete(Math.min(...minutes.keys()));
    }
    return counts;
  }

  /** Only a request slower than the last one of the full list changes it. */
  function noteSlow(request: RequestRecord): void {
    if (slow.length === MAX_SLOW && request.milliseconds <= slow[MAX_SLOW - 1]!.milliseconds) return;
    const { at, method, route, operation, status } = request;
    slow = [...slow, { at, method, route, operation, status, milliseconds: Math.round(request.milliseconds) }]
      .sort((a, b) => b.milliseconds - a.milliseconds)
      .slice(0, MAX_SLOW);
  }

  function record(request: RequestRecord): void {
    const counts = countsAt(request.at - (request.at % MINUTE));
    counts.requests += 1;
    counts.milliseconds += request.milliseconds;
    if (request.status >= 500) counts.failed += 1;
    else if (request.status >= 400) counts.refused += 1;
    noteSlow(request);
  }

  return {
    get running() {
      return running;
    },
    begin() {
      running += 1;
    },
    end(request) {
      running -= 1;
      for (const observe of observers) observe(request);
      if (request.isTimed) record(request);
    },
    record,
    takeMinutes() {
      const taken = minutes;
      minutes = new Map();
      return taken;
    },
    giveBack(taken) {
      for (const [minute, { requests, refused, failed, milliseconds }] of taken) {
        const counts = countsAt(minute);
        counts.requests += requests;
        counts.refused += refused;
        counts.failed += failed;
        counts.milliseconds += milliseconds;
      }
    },
    slowest(now) {
      slow = slow.filter(({ at }) => at > now - SLOW_FOR);
      return slow;
    },
  };
}
