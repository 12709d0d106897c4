// Sends the messages that wait.
//
// Invariants: a message is marked as being sent, durably, before anything leaves. Whoever finds the mark without an outcome says that
// nobody knows, and sends it again only if its receiver can recognise a repetition. A channel has one message under way at a time,
// the oldest first, and a later one waits until the earlier ones are done: the order is kept, also over failures. Where several
// nodes share the records, whoever claims the channel sends.
import { afterSend, type SendOutcome } from "#core/notification/after-send.ts";
import type { Channel, ChannelTarget } from "#core/notification/channel.ts";
import type { Leave } from "#core/share/fair-share.ts";
import type { Shares } from "#core/share/shares.ts";
import type { Background } from "#service/background.ts";
import type { After } from "#service/deadlines.ts";
import { AGAIN_MS, createLookout } from "#service/lookout.ts";
import type { Message } from "#service/ports/message-store.ts";
import type { Nodes } from "#service/ports/nodes.ts";
import type { Needs } from "#service/ports.ts";
import { removeDevices } from "./push-devices.ts";
import { sendToChannel } from "./send-to-channel.ts";

export interface MessageDispatcher {
  /** Something may wait. */
  wake(): void;
  /** Messages that were sent, and those that failed or whose outcome is unknown, since the start. By kind of channel. */
  counts(): Readonly<Record<"sent" | "failed", ReadonlyMap<ChannelTarget["kind"], number>>>;
  /** What is under way has a moment to end. */
  stop(): void;
}

export interface MessageDispatcherNeeds
  extends Pick<Needs, "messages" | "channels" | "messageSender" | "seal" | "randomBytes" | "now"> {
  readonly background: Background;
  readonly nodes: Pick<Nodes, "claim">;
  readonly after: After;
  readonly shares: Pick<Shares, "open">;
}

/** Messages that are sent at once, each by another channel. */
const ATTEMPTS = { slots: 16, slotsPerKey: 4, waiting: 1_000, waitingPerKey: 100 };
/** Other nodes may stop at any time, so somebody looks. */
const LONGEST_WAIT_MS = 30_000;
const LAST_MOMENT_MS = 3_000;
const NOT_SENT: SendOutcome = { outcome: "refused", error: "another node took over", isFinal: false };
/** It is thrown before anything leaves. */
const FAULT: SendOutcome = { outcome: "refused", error: "a fault in Busbar; its log has the details", isFinal: false };
const INTERRUPTED: SendOutcome = { outcome: "unknown", error: "the service stopped while it was sent" };

type Head = Pick<Message, "id" | "channelId" | "siteId">;

export function createMessageDispatcher(needs: MessageDispatcherNeeds): MessageDispatcher {
  const busy = new Set<string>();
  const counts = { sent: new Map<ChannelTarget["kind"], number>(), failed: new Map<ChannelTarget["kind"], number>() };
  const attempts = needs.shares.open("notification_attempts", ATTEMPTS);
  const stopping = new AbortController();
  const sending = new AbortController();

  const { wake, wakeAfter, stop } = createLookout(needs, {
    name: "look for messages to people",
    look,
    longestWaitMs: LONGEST_WAIT_MS,
  });

  async function look(): Promise<void> {
    const now = needs.now();
    let next = now + LONGEST_WAIT_MS;
    for (const head of await needs.messages.heads(busy)) {
      const dueAt = head.nextAttemptAt ?? now;
      if (dueAt <= now) begin(head);
      else next = Math.min(next, dueAt);
    }
    wakeAfter(next - now);
  }

  function begin(head: Head): void {
    const { channelId, siteId } = head;
    busy.add(channelId);
    const release = () => {
      busy.delete(channelId);
      wake();
    };
    needs.background.run("send a message", async () => {
      let leave: Leave | undefined;
      try {
        leave = await attempts.enter(siteId, stopping.signal);
        const claim = await needs.nodes.claim(`notifications ${channelId}`);
        if (claim === undefined) return void needs.after(AGAIN_MS, release);
        try {
          await sendAs(head, AbortSignal.any([sending.signal, claim.lost]));
        } finally {
          await claim.release();
        }
        release();
      } catch (error) {
        if (stopping.signal.aborted && leave === undefined) return;
        needs.after(AGAIN_MS, release);
        throw error;
      } finally {
        leave?.();
      }
    });
  }

  /** The claim says that nobody else sends it now. */
  async function sendAs({ id, siteId, channelId }: Head, signal: AbortSignal): Promise<void> {
    const message = await needs.messages.find(id);
    const channel = await needs.channels.find(siteId, channelId);
    if (message === undefined || channel === undefined) return;
    if (message.state === "SENDING") return await settle(message, channel, INTERRUPTED);
    if (stopping.signal.aborted || !(await needs.messages.beginAttempt(id, needs.now()))) return;
    const begun = { ...message, attempts: message.attempts + 1 };
    // A claim that was lost meanwhile: another node has found the mark.
    if (signal.aborted) return await settle(begun, channel, NOT_SENT);
    const { content, queuedAt } = begun;
    let outcome: SendOutcome = FAULT;
    try {
      outcome = await sendToChannel(needs, { channel, id, content, queuedAt }, signal);
    } finally {
      await settle(begun, channel, outcome);
    }
  }

  async function settle(message: Message, { id, siteId, target }: Channel, outcome: SendOutcome): Promise<void> {
    const now = needs.now();
    const [byte = 0] = needs.randomBytes(1);
    const result = afterSend({ ...message, kind: target.kind }, outcome, { now, chance: byte / 255 });
    const error = outcome.outcome === "taken" ? undefined : outcome.error;
    const attempt = { at: now, outcome: outcome.outcome, error, number: message.attempts };
    await needs.messages.settle(message.id, attempt, result);
    if (outcome.gone !== undefined) await removeDevices(needs, { id, siteId }, { ids: outcome.gone });
    if (result.finishedAt === undefined) return;
    const counted = result.state === "SENT" ? counts.sent : counts.failed;
    counted.set(target.kind, (counted.get(target.kind) ?? 0) + 1);
  }

  return {
    wake,
    counts: () => counts,
    stop() {
      stopping.abort();
      stop();
      needs.after(LAST_MOMENT_MS, () => sending.abort());
    },
  };
}
