// What goes down the line to a gateway beside commands: changes, tokens, and the demand for another credential.
import type { DownMessage, LinkedItem, UpMessage } from "#core/link/messages.ts";
import type { ChangeLane, GatewayChanges } from "#service/link/gateway-changes.ts";
import type { GatewayQuestions, QuestionLane } from "#service/link/gateway-questions.ts";
import type { TokenSharing } from "#service/link/share-tokens.ts";
import type { Needs } from "#service/ports.ts";

export interface DownLaneNeeds extends Pick<Needs, "gateways"> {
  readonly gatewayChanges: Pick<GatewayChanges, "open">;
  readonly gatewayQuestions: Pick<GatewayQuestions, "open">;
  readonly tokenSharing: Pick<TokenSharing, "open">;
}

interface Down {
  readonly gatewayId: string;
  readonly send: (message: DownMessage) => Promise<void>;
  /** Stores records that the gateway sends with the outcome of a change. */
  readonly copy: (items: readonly LinkedItem[]) => Promise<void>;
  readonly fail: (error: unknown, text: string) => void;
}

export interface DownLane {
  /** The gateway is ready for what waits for it. */
  open(): Promise<void>;
  /** The outcome of a change. */
  settled(message: Extract<UpMessage, { type: "changed" }>): Promise<void>;
  /** The answer to a question. */
  replied(message: Extract<UpMessage, { type: "reply" }>): void;
  /** The gateway needs a package. */
  wanted(digest: string): Promise<void>;
  /** Asks the gateway to change its credential. One that is not ready is asked when it is. */
  rotate(): void;
  close(): void;
}

export function createDownLane(needs: DownLaneNeeds, { gatewayId, send, copy, fail }: Down): DownLane {
  let changes: ChangeLane | undefined;
  let questions: QuestionLane | undefined;
  let endTokens = () => {};
  return {
    async open() {
      const { lane, done } = needs.gatewayChanges.open({ gatewayId, send, copy });
      changes = lane;
      done.catch((error: unknown) => fail(error, "changes cannot be handed over to a gateway"));
      questions = needs.gatewayQuestions.open({ gatewayId, send });
      endTokens = needs.tokenSharing.open({ gatewayId, send });
      // Read again: it may have been asked for since the gateway signed in.
      const { mustRotate } = (await needs.gateways.find(gatewayId)) ?? {};
      if (mustRotate === true) await send({ type: "rotate" });
    },
    settled: async (message) => await changes?.settled(message),
    replied: (message) => questions?.replied(message),
    wanted: async (digest) => await changes?.wanted(digest),
    rotate() {
      // A line that fails is closed, and the gateway is asked over the next one.
      if (changes !== undefined) void send({ type: "rotate" }).catch(() => {});
    },
    close() {
      changes?.close();
      questions?.close();
      endTokens();
    },
  };
}
