import type { Command } from "commander";
import { addListCommand } from "#cli/add-list-command.ts";
import type { Cli } from "#cli/cli.ts";
import {
  addExamples,
  addWindowOptions,
  clientCommand,
  collect,
  requireId,
  type WindowFlags,
} from "#cli/client-command.ts";
import { confirm } from "#cli/confirm.ts";
import { EXIT } from "#cli/exit-code.ts";
import { findSites } from "#cli/find-site.ts";
import { printAnswer, printTable, remark, remarkRest } from "#cli/print.ts";
import { QuietFailure } from "#cli/quiet-failure.ts";
import { type ClientFlags, openSession } from "#cli/session.ts";
import { cutText } from "#cli/table.ts";
import { UsageError } from "#cli/usage-error.ts";
import { listAll } from "#client/list-all.ts";
import type { Delivery, DeliveryState, Webhook, WebhookKind } from "#client/resources.ts";
import { DELIVERY_STATES, WEBHOOK_KINDS } from "#core/webhook/webhook.ts";

export function addWebhookCommands(webhook: Command, cli: Cli): void {
  addExamples(
    webhook,
    "webhook create https://example.com/busbar --kind alert,connectivity",
    "webhook list",
    "webhook deliveries WEBHOOK --state DEAD",
    "webhook retry WEBHOOK --dead",
  );
  addCreateCommand(webhook, cli);
  addListCommand(webhook, cli, {
    about: "List webhooks.",
    key: "webhooks",
    fetchPage: (client, window) => client.webhooks.list(window),
    columns: COLUMNS,
  });
  clientCommand(webhook, "delete [webhook]", "Delete a webhook. Deliveries that are not sent yet are dropped.")
    .option("--webhook-id <id>", "the webhook, if not given as argument")
    .option("-y, --yes", "do not ask")
    .action(async (argument: string | undefined, flags: ClientFlags & { webhookId?: string; yes?: boolean }) => {
      const id = requireId("webhook", argument, flags.webhookId);
      await confirm(cli, flags, `Delete the webhook ${id}?`);
      const { client, wait } = await openSession(cli, flags);
      await printAnswer(cli, flags, await wait(client.webhooks.delete(id)), () => `deleted ${id}`);
    });
  addTestCommand(webhook, cli);
  addDeliveriesCommand(webhook, cli);
  addRetryCommand(webhook, cli);
}

function addTestCommand(webhook: Command, cli: Cli): void {
  const test = clientCommand(
    webhook,
    "test [webhook]",
    "Send a webhook one signed delivery of kind test, and print the outcome.",
  )
    .option("--webhook-id <id>", "the webhook, if not given as argument")
    .action(async (argument: string | undefined, flags: ClientFlags & { webhookId?: string }) => {
      const id = requireId("webhook", argument, flags.webhookId);
      const { client, wait } = await openSession(cli, flags);
      const answer = await wait(client.webhooks.test(id));
      await printAnswer(cli, flags, answer, () =>
        answer.accepted ? `accepted with status ${answer.status}` : `not accepted: ${answer.error}`,
      );
      if (!answer.accepted) throw new QuietFailure(EXIT.failure);
    });
  addExamples(test, "webhook test WEBHOOK");
}

type CreateFlags = ClientFlags & { readonly siteId?: readonly string[]; readonly kind?: readonly string[] };

function addCreateCommand(webhook: Command, cli: Cli): void {
  const create = clientCommand(webhook, "create <url>", "Register an address. Its secret is printed this once.")
    .option("--site, --site-id <sites>", "only about these sites, by id or name", collect)
    .option("--kind <kinds>", `kinds of events to send: ${WEBHOOK_KINDS.join(", ")} (default alert)`, collect)
    .action(async (url: string, flags: CreateFlags) => {
      const kinds = flags.kind?.map((text) => oneOf<WebhookKind>("kind", WEBHOOK_KINDS, text));
      const session = await openSession(cli, flags);
      const sites = await findSites(session, flags.siteId);
      const answer = await session.wait(
        session.client.webhooks.create({
          url,
          ...(sites !== undefined && { site_ids: sites }),
          ...(kinds !== undefined && { kinds }),
        }),
      );
      await printAnswer(cli, flags, answer, () => answer.secret);
      remark(
        cli,
        `This is the secret that deliveries are signed with, shown this once; the webhook's id is ${answer.webhook.id}.`,
      );
    });
  addExamples(
    create,
    "webhook create https://example.com/busbar",
    'webhook create https://example.com/busbar --site "Plant 1" --kind alert,execution',
  );
}

type DeliveryFlags = ClientFlags & WindowFlags & { readonly state?: readonly string[] };

function addDeliveriesCommand(webhook: Command, cli: Cli): void {
  addWindowOptions(
    clientCommand(webhook, "deliveries <webhook>", "List sent and waiting deliveries of a webhook, newest first."),
  )
    .option("--state <states>", `only these: ${DELIVERY_STATES.join(", ")}`, collect)
    .action(async (id: string, flags: DeliveryFlags) => {
      const states = flags.state?.map((text) => oneOf<DeliveryState>("state", DELIVERY_STATES, text));
      const { client, wait } = await openSession(cli, flags);
      const { limit, offset } = flags;
      const answer = await wait(client.webhooks.deliveries(id, { "state.in": states, limit, offset }));
      await printTable(cli, flags, { answer, rows: answer.deliveries, columns: DELIVERY_COLUMNS });
      remarkRest(cli, flags, { shown: answer.deliveries.length, total: answer.total_count });
    });
}

function addRetryCommand(webhook: Command, cli: Cli): void {
  clientCommand(webhook, "retry <webhook> [deliveries...]", "Send deliveries again: at once, and then for another day.")
    .option("--dead", "all deliveries that were given up")
    .action(async (id: string, named: readonly string[], flags: ClientFlags & { dead?: true }) => {
      if (named.length > 0 === (flags.dead === true))
        throw new UsageError("which deliveries? give their ids, or --dead for all that were given up");
      const { client, wait } = await openSession(cli, flags);
      const dead = (window: object) => client.webhooks.deliveries(id, { "state.in": ["DEAD"], ...window });
      // All ids first: what is retried is no longer dead, and would be missing from the next page.
      const ids = flags.dead
        ? (await wait(Array.fromAsync(listAll("deliveries", dead)))).map((delivery) => delivery.id)
        : named;
      const deliveries: Delivery[] = [];
      for (const one of ids) deliveries.push((await wait(client.webhooks.retry(id, one))).delivery);
      await printTable(cli, flags, { answer: { deliveries }, rows: deliveries, columns: DELIVERY_COLUMNS });
    });
}

function oneOf<Word extends string>(what: string, words: readonly Word[], text: string): Word {
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw new UsageError(`"${text}" is not a ${what}; they are ${words.join(", ")}`);
}

const COLUMNS = {
  ID: (webhook: Webhook) => webhook.id,
  URL: (webhook: Webhook) => webhook.url,
  KINDS: (webhook: Webhook) => webhook.kinds.join(","),
  SITES: (webhook: Webhook) => webhook.site_ids?.join(",") ?? "all",
  CREATED: (webhook: Webhook) => webhook.created_at,
};

const DELIVERY_COLUMNS = {
  QUEUED: (delivery: Delivery) => delivery.queued_at,
  ID: (delivery: Delivery) => delivery.id,
  KIND: (delivery: Delivery) => delivery.kind,
  STATE: (delivery: Delivery) => delivery.state,
  ATTEMPTS: (delivery: Delivery) => delivery.attempts,
  NEXT: (delivery: Delivery) => delivery.next_attempt_at,
  STATUS: (delivery: Delivery) => delivery.status,
  ERROR: (delivery: Delivery) => delivery.error && cutText(delivery.error),
};
