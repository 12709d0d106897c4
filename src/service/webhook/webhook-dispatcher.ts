// Delivers events to the webhooks that subscribe to them.
//
// Invariants: a delivery is queued in the records before anything is sent. It leaves the queue only after the receiver
// accepted it or its time is up, so a crash may repeat an attempt but loses none. Each webhook has one running attempt
// at a time, oldest first. Sites share the attempts fairly, and failing receivers have separate slots, so nobody waits
// for another site or for a receiver that does not answer. While no webhook subscribes to a kind of event, nothing is
// prepared for it. Where several nodes share the records, each of them queues what happened, and the same event of a
// webhook is queued once; whoever claims the webhook sends.
import type { Leave } from "#core/share/fair-share.ts";
import type { Shares } from "#core/share/shares.ts";
import type { TraceContext } from "#core/trace/trace-context.ts";
import { afterAttempt } from "#core/webhook/after-attempt.ts";
import { type Delivery, type Notice, siteOf, WEBHOOK_KINDS, type Webhook, wants } from "#core/webhook/webhook.ts";
import { MAX_WEBHOOKS } from "#core/webhook/webhook-limits.ts";
import type { Background } from "#service/background.ts";
import type { After } from "#service/deadlines.ts";
import type { EventHub } from "#service/event/event-hub.ts";
import type { PublishedEvent, RenderHappening } from "#service/event/happening.ts";
import { AGAIN_MS, createLookout } from "#service/lookout.ts";
import type { Claim, Nodes } from "#service/ports/nodes.ts";
import type { Tracer } from "#service/ports/tracer.ts";
import type { OutgoingDelivery, SendResult } from "#service/ports/webhook-sender.ts";
import type { Needs } from "#service/ports.ts";
import type { ExecutionTraces } from "#service/trace/execution-traces.ts";

export interface WebhookDispatcher {
  /** The notices to store together with these events. Empty when no webhook subscribes to them. */
  noticesOf(events: readonly PublishedEvent[]): readonly Notice[];
  /** Something may have been queued. */
  wake(): void;
  /** Called after a webhook was created or deleted, and once at the start. */
  refresh(): Promise<void>;
  /** Sends a delivery of kind `test` once, in the turns of the webhook's site. It is not stored. */
  sendTest(webhook: Webhook, id: string): Promise<SendResult>;
  /** Queues those events of the hub that are not stored together with their change. */
  forward(events: EventHub): void;
  stop(): void;
}

export interface WebhookDispatcherNeeds extends Pick<Needs, "webhooks" | "sender" | "seal" | "randomBytes" | "now"> {
  readonly background: Background;
  readonly nodes: Pick<Nodes, "isShared" | "claim">;
  readonly after: After;
  readonly shares: Pick<Shares, "open">;
  readonly renderHappening: RenderHappening;
  readonly tracer: Tracer;
  readonly executionTraces: Pick<ExecutionTraces, "of">;
}

/**
 * Attempts that run at once, each for another webhook. At most as many wait as there are webhooks. An attempt costs its
 * seconds.
 */
const ATTEMPTS = { slots: 32, slotsPerKey: 8, waiting: MAX_WEBHOOKS, waitingPerKey: MAX_WEBHOOKS };
const LONGEST_WAIT_MS = 3_600_000;

export function createWebhookDispatcher(needs: WebhookDispatcherNeeds): WebhookDispatcher {
  const known = new Map<string, Webhook>();
  /** Webhooks with a delivery that is being sent or waits for its turn. */
  const busy = new Set<string>();
  /** Webhooks whose last attempt failed. */
  const failing = new Set<string>();
  const attempts = needs.shares.open("webhook_attempts", ATTEMPTS);
  const stopping = new AbortController();

  const { wake, wakeAfter, stop } = createLookout(needs, {
    name: "look for webhook deliveries",
    look,
    longestWaitMs: LONGEST_WAIT_MS,
  });

  async function look(): Promise<void> {
    for (const due of await needs.webhooks.due(needs.now(), busy)) begin(due);
    const next = await needs.webhooks.nextAttempt(busy);
    if (next !== undefined) wakeAfter(Math.min(Math.max(0, next - needs.now()), LONGEST_WAIT_MS));
  }

  function begin({ id, webhookId }: Pick<Delivery, "id" | "webhookId">): void {
    const release = () => {
      busy.delete(webhookId);
      wake();
    };
    busy.add(webhookId);
    needs.background.run("deliver to a webhook", async () => {
      try {
        if (!known.has(webhookId)) await refresh();
        const leave = await turnOf(webhookId);
        if (leave === undefined) {
          if (!stopping.signal.aborted) needs.after(AGAIN_MS, release);
          return;
        }
        const begun = needs.now();
        try {
          const claim = await needs.nodes.claim(`webhook ${webhookId}`);
          // A delivery that cannot be read, was deleted while it waited, or is another node's, is left alone for a while.
          if (claim === undefined || !(await attemptAs(claim, id))) return void needs.after(AGAIN_MS, release);
        } finally {
          leave(1 + Math.max(0, needs.now() - begun) / 1_000);
        }
      } catch (error) {
        needs.after(AGAIN_MS, release);
        throw error;
      }
      release();
    });
  }

  /** Undefined when the service stopped first, or too many wait. */
  async function turnOf(webhookId: string): Promise<Leave | undefined> {
    const site = siteOf(known.get(webhookId) ?? { sites: "all" });
    try {
      return await attempts.enter(failing.has(webhookId) ? `${site} failing` : site, stopping.signal);
    } catch (error) {
      if (stopping.signal.aborted) return undefined;
      throw error;
    }
  }

  async function attemptAs(claim: Claim, deliveryId: string): Promise<boolean> {
    try {
      return await attempt(deliveryId);
    } finally {
      await claim.release();
    }
  }

  /** False when there is nothing to send, or no receiver. */
  async function attempt(deliveryId: string): Promise<boolean> {
    const delivery = await needs.webhooks.find(deliveryId);
    const webhook = delivery && known.get(delivery.webhookId);
    if (delivery?.state !== "PENDING" || webhook === undefined) return false;
    // Another node has just tried.
    if (needs.nodes.isShared && delivery.nextAttemptAt !== undefined && delivery.nextAttemptAt > needs.now())
      return true;
    const result = await send(webhook, delivery);
    // The stop interrupted it: this was no attempt, and the next run starts it again.
    if (stopping.signal.aborted) return true;
    if (result.error === undefined) failing.delete(webhook.id);
    else failing.add(webhook.id);
    const [byte = 0] = needs.randomBytes(1);
    await needs.webhooks.settle(delivery.id, afterAttempt(delivery, { ...result, at: needs.now() }, byte / 255));
    return true;
  }

  async function send(webhook: Webhook, delivery: OutgoingDelivery["delivery"]): Promise<SendResult> {
    let secret: string;
    try {
      secret = needs.seal.open(webhook.sealedSecret, secretContext(webhook.id));
    } catch {
      return { status: undefined, error: "the signing secret cannot be read; make the webhook anew" };
    }
    try {
      const span = needs.tracer.begin("deliver to a webhook", "client", traceOf(delivery));
      const outgoing = { url: webhook.url, secret, delivery, sentAt: needs.now(), trace: span.context };
      const result = await needs.sender.send(outgoing, stopping.signal);
      const status = result.status === undefined ? {} : { "http.response.status_code": result.status };
      span.end({ attributes: { "busbar.webhook.id": webhook.id, ...status }, error: result.error });
      return result;
    } catch {
      // A stored event that cannot be read must not block those behind it: it counts as a failed attempt and is given
      // up in time.
      return { status: undefined, error: "the stored event cannot be read" };
    }
  }

  function traceOf({ kind, event }: OutgoingDelivery["delivery"]): TraceContext | undefined {
    if (kind !== "execution") return undefined;
    const { execution } = JSON.parse(event) as { execution?: { id?: string } };
    return needs.executionTraces.of(execution?.id ?? "");
  }

  async function refresh(): Promise<void> {
    const webhooks = await needs.webhooks.all();
    known.clear();
    for (const webhook of webhooks) known.set(webhook.id, webhook);
    for (const id of failing) if (!known.has(id)) failing.delete(id);
  }

  function noticesOf(events: readonly PublishedEvent[]): readonly Notice[] {
    return events.flatMap((event) => {
      const { siteId, readLevel, at } = event;
      const kind = WEBHOOK_KINDS.find((one) => one === event.kind);
      if (kind === undefined || ![...known.values()].some((webhook) => wants(webhook, { kind, siteId }))) return [];
      const text = "data" in event ? event.data : JSON.stringify(needs.renderHappening(event));
      return [{ kind, siteId, readLevel, occurredAt: at, queuedAt: needs.now(), event: text }];
    });
  }

  return {
    noticesOf,
    wake,
    refresh,
    async sendTest(webhook, id) {
      const leave = await turnOf(webhook.id);
      if (leave === undefined) return { status: undefined, error: "too many deliveries wait for their turn" };
      try {
        return await send(webhook, { id, kind: "test", occurredAt: needs.now(), event: "{}" });
      } finally {
        leave();
      }
    },
    forward(events) {
      events.listen((event) => {
        if (known.size === 0) return;
        const position = event.isStored ? event.position : undefined;
        const notices = noticesOf([event]).map((notice) => ({ ...notice, position }));
        if (notices.length === 0) return;
        // These are queued with their change, perhaps by another node.
        if (event.kind === "alert" || event.kind === "notification") return wake();
        needs.background.run("queue webhook deliveries", async () => {
          await needs.webhooks.enqueue(notices);
          wake();
        });
      });
    },
    stop() {
      stopping.abort();
      stop();
    },
  };
}

/** Binds a sealed secret to its webhook. */
export function secretContext(webhookId: string): string {
  return `webhook ${webhookId}`;
}
