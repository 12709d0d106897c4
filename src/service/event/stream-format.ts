// How a stream spells what it sends: as server-sent events, or as WebSocket messages.

import type { AccessLevel } from "#core/access/level.ts";
import type { LiveEvent } from "#service/event/event-hub.ts";
import { telemetryData } from "#service/event/event-wire.ts";

export interface StreamFormat {
  /** Each piece is a message of its own: it is neither joined with others nor split. */
  readonly isOfMessages: boolean;
  /** What is sent first. */
  readonly opening: string | undefined;
  /** Undefined when the listener, who has this level, does not want the event. */
  readonly event: (event: LiveEvent, level: AccessLevel) => Buffer | undefined;
  /** `text` is a server-sent event. */
  readonly telemetry: (text: Buffer) => Buffer;
  /** Sent while nothing happens. */
  readonly heartbeat: string | undefined;
  /** The last words to a listener that was too slow. */
  readonly dropped: string;
}

export function serverSentEvents(render: (event: LiveEvent, level: AccessLevel) => Buffer): StreamFormat {
  return {
    isOfMessages: false,
    opening: "retry: 2000\n\n",
    event: render,
    telemetry: (text) => text,
    heartbeat: ": still here\n\n",
    dropped: 'event: dropped\ndata: {"message":"too slow: events were lost; resume with Last-Event-ID"}\n\n',
  };
}

/** Messages are bytes. A text among them is the reason why no more will come. */
export function webSocketMessages(event: StreamFormat["event"]): StreamFormat {
  return {
    isOfMessages: true,
    opening: undefined,
    event,
    telemetry: telemetryData,
    heartbeat: undefined,
    dropped: "too slow: messages were lost; connect again",
  };
}
