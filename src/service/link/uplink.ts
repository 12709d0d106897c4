// Keeps a gateway connected to its cloud: connects, talks until the connection ends, waits and connects again. Nothing on
// the gateway waits for the cloud.

import { AppError } from "#core/app-error.ts";
import { CREDENTIAL_CONTEXT, type Uplink as StoredUplink } from "#core/link/gateway.ts";
import type { DroppedHistory, LinkBacklog } from "#core/link/gateway-figures.ts";
import type { DownMessage, UpMessage } from "#core/link/messages.ts";
import { parseDownMessage } from "#core/link/parse-message.ts";
import {
  beginUplink,
  longestWaitMs,
  refusedAnew,
  type UplinkState,
  withEnd,
  withTaken,
  withWelcome,
} from "#core/link/uplink-state.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { createLinkChannel, type LinkChannel } from "#service/link/link-channel.ts";
import type { LinkIntakes } from "#service/link/link-intake.ts";
import { type TalkNeeds, talkToCloud } from "#service/link/talk-to-cloud.ts";
import type { LinkSocket, OpenLinkSocket } from "#service/ports/link-socket.ts";
import type { Needs } from "#service/ports.ts";

export interface UplinkStatus extends Pick<UplinkState, "isConnected" | "since" | "refused" | "lastError"> {
  readonly url: string;
  readonly gatewayId: string;
  readonly joinedAt: Instant;
  readonly backlog: LinkBacklog;
  /** All telemetry before this time has yet to be uploaded. */
  readonly historyBefore: Instant | undefined;
  readonly dropped: DroppedHistory;
}

export interface Uplink {
  /** Connects to the cloud that is stored, instead of the former one; to none when none is stored. */
  restart(): Promise<void>;
  /** Tells the cloud that the gateway will not come back, if it is connected. Resolves in a moment. */
  sayLeave(): Promise<void>;
  status(): Promise<UplinkStatus | undefined>;
  stop(): Promise<void>;
}

export interface UplinkNeeds extends TalkNeeds, Pick<Needs, "seal"> {
  readonly openLinkSocket: OpenLinkSocket;
  readonly linkIntakes: LinkIntakes;
  readonly random: () => number;
  /** Called when the gateway is connected, or is no longer, or has joined. */
  readonly onTurn: () => void;
  readonly log: { info(about: object, text: string): void; warn(about: object, text: string): void };
}

const SAY_LEAVE_MS = 1_000;

class ClosedByCloud extends Error {}

export function createUplink(needs: UplinkNeeds): Uplink {
  let running: { readonly end: AbortController; readonly done: Promise<void> } | undefined;
  let last: Promise<void> = Promise.resolve();
  let stored: StoredUplink | undefined;
  let state = beginUplink(needs.now(), 0);
  /** While the gateway is connected. */
  let channel: LinkChannel<UpMessage, DownMessage> | undefined;

  function move(next: UplinkState): void {
    const hasTurned = next.isConnected !== state.isConnected;
    state = next;
    if (hasTurned) needs.onTurn();
  }

  /** A cloud that was restored from a backup may know only the credential before the present one. */
  async function signIn(
    { url, credential, formerCredential }: StoredUplink,
    signal: AbortSignal,
  ): Promise<{ readonly socket: LinkSocket; readonly isFormer: boolean }> {
    const open = (sealed: Uint8Array) => needs.openLinkSocket(url, needs.seal.open(sealed, CREDENTIAL_CONTEXT), signal);
    try {
      return { socket: await open(credential), isFormer: false };
    } catch (error) {
      const isRefused = error instanceof AppError && error.code === "unauthorized";
      if (!isRefused || formerCredential === undefined) throw error;
      const socket = await open(formerCredential).catch(() => undefined);
      if (socket === undefined) throw error;
      needs.log.info({ url }, "the cloud knows only the former credential of this gateway");
      return { socket, isFormer: true };
    }
  }

  async function connectOnce({ url }: StoredUplink, signal: AbortSignal): Promise<void> {
    // The credential may have been replaced.
    const now = await needs.uplinks.get();
    if (now === undefined) return;
    const { socket, isFormer } = await signIn(now, signal);
    const close = () => socket.close("the gateway stops");
    const intake = needs.linkIntakes.open("cloud", (reason) => socket.close(reason));
    signal.addEventListener("abort", close);
    try {
      if (signal.aborted) return;
      const opened = createLinkChannel<UpMessage, DownMessage>(socket, {
        parse: parseDownMessage,
        nonce: needs.random() * 2 ** 32,
        intake,
      });
      await talkToCloud(needs, opened, {
        isFormer,
        onWelcome: () => {
          channel = opened;
          move(withWelcome(state, needs.now()));
          needs.log.info({ url }, "connected to the cloud");
        },
        onRefused: (records) => {
          for (const record of refusedAnew(state, records))
            needs.log.warn({ url, ...record }, "the cloud refuses a record of this gateway");
          move({ ...state, refused: records });
        },
        onTaken: (number) => move(withTaken(state, number)),
      });
      const reason = socket.reason?.();
      if (reason !== undefined) throw new ClosedByCloud(`the cloud has ended the connection: ${reason}`);
    } finally {
      channel = undefined;
      intake.end();
      signal.removeEventListener("abort", close);
      socket.close("the connection has ended");
      if (state.isConnected) needs.log.info({ url }, "disconnected from the cloud");
    }
  }

  async function run(uplink: StoredUplink, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await connectOnce(uplink, signal);
        move(withEnd(state, { at: needs.now(), error: undefined, isByCloud: false }));
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        move(withEnd(state, { at: needs.now(), error: text, isByCloud: error instanceof ClosedByCloud }));
        if (!signal.aborted) needs.log.warn({ url: uplink.url, err: error }, "no connection to the cloud");
      }
      await needs.pause(needs.random() * longestWaitMs(state), signal);
    }
  }

  /** One after the other: each ends what the former one has begun. */
  function inTurn(task: () => Promise<void>): Promise<void> {
    const turn = last.then(task);
    last = turn.catch(() => {});
    return turn;
  }

  async function end(): Promise<void> {
    running?.end.abort();
    await running?.done;
    running = undefined;
  }

  async function begin(): Promise<void> {
    await end();
    stored = await needs.uplinks.get();
    state = beginUplink(needs.now(), stored?.confirmed ?? 0);
    if (stored === undefined) return;
    const ending = new AbortController();
    running = { end: ending, done: run(stored, ending.signal) };
    needs.onTurn();
  }

  return {
    restart: () => inTurn(begin),
    async sayLeave() {
      const said = new AbortController();
      const saying = channel?.send({ type: "leave" }).catch(() => {});
      await Promise.race([saying, needs.pause(SAY_LEAVE_MS, said.signal)]);
      said.abort();
    },
    async status() {
      if (stored === undefined) return undefined;
      const { url, gatewayId, joinedAt } = stored;
      const changes = Math.max(0, (await needs.uplinks.latest()) - state.taken);
      const { telemetryLane: lane } = needs;
      const oldest = lane.spool.oldest();
      const oldestAt = oldest === undefined ? undefined : instant(oldest);
      const { waiting, unconfirmed } = lane.spool;
      const backlog = {
        changes,
        messages: waiting.messages + unconfirmed.messages,
        points: waiting.points + unconfirmed.points,
        bytes: waiting.bytes + unconfirmed.bytes,
        hours: waiting.hours,
        oldestAt,
      };
      const [historyBefore, dropped] = [lane.history()?.before, lane.dropped];
      const { isConnected, since, refused, lastError } = state;
      return { url, gatewayId, joinedAt, isConnected, since, backlog, historyBefore, dropped, refused, lastError };
    },
    stop: () => inTurn(end),
  };
}
