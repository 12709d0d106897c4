import { refuse } from "#core/app-error.ts";
import { MESSAGE_STATES } from "#core/notification/after-send.ts";
import type { Channel } from "#core/notification/channel.ts";
import type { Route } from "#core/notification/route.ts";
import { advise, NEW_WATCH, type Watched } from "#core/notification/watch.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import { silenceOf } from "#service/alert/silence.ts";
import { visibleDevice } from "#service/device/visible-device.ts";
import { askedOfGateway, siteOfPath } from "#service/operation/find-place.ts";
import { type Operation, operation } from "#service/operation/operation.ts";
import { listOf, pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";
import type { Call, Needs } from "#service/ports.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import type { MessageDispatcher } from "./message-dispatcher.ts";
import type { Notifier } from "./notifier.ts";
import {
  messageSchema,
  newRouteSchema,
  parseRoute,
  previewBodySchema,
  previewSchema,
  type RouteContent,
  renderMessage,
  renderPreview,
  renderRoute,
  routeSchema,
} from "./route-wire.ts";
import { mayUse } from "./save-channel.ts";
import { type WatchContextNeeds, watchContext } from "./watch-context.ts";

export interface RouteNeeds
  extends WatchContextNeeds,
    Pick<Needs, "sites" | "devices" | "maintenance" | "now" | "newId"> {
  readonly notifier: Pick<Notifier, "changed">;
  readonly messageDispatcher: Pick<MessageDispatcher, "wake">;
}

const tag = "Notifications";
const level = "owner";
const base = "/v3/sites/:site_id/notifications";
const one = `${base}/routes/:route_id` as const;
const atGateway = { by: "gateway", place: siteOfPath, waits: false, compares: "nothing" } as const;
const answer = Type.Object({ route: routeSchema }, { additionalProperties: false });
const messageAnswer = Type.Object({ message: messageSchema }, { additionalProperties: false });

export function routeOperations(needs: RouteNeeds): readonly Operation[] {
  return [...routing(needs), ...messaging(needs)];
}

async function save(needs: RouteNeeds, call: Call, route: Route): Promise<{ readonly route: object }> {
  const { siteId, id, name, steps } = route;
  const channels = await usableChannels(needs, call, siteId);
  for (const [step, { channels: ids }] of steps.entries()) {
    const missing = ids.find((one) => !channels.has(one));
    if (missing === undefined) continue;
    const pointer = `/steps/${step}/channels`;
    throw refuse("not_found", `the site has no notification channel ${missing.slice(0, 80)}`, { pointer });
  }
  await needs.routes.put(route, auditTrail(needs, call, { target: { siteId }, details: { route_id: id, name } }));
  await needs.notifier.changed(siteId);
  return { route: renderRoute(route) };
}

/** By id. */
async function usableChannels(
  needs: Pick<RouteNeeds, "channels">,
  { caller }: Call,
  siteId: string,
): Promise<ReadonlyMap<string, Channel>> {
  const usable = (await needs.channels.ofSite(siteId)).filter((channel) => mayUse(caller, channel));
  return new Map(usable.map((channel) => [channel.id, channel]));
}

const noRoute = (id: string) => refuse("not_found", `the site has no notification route ${id.slice(0, 80)}`);

function routing(needs: RouteNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: `${base}/routes`,
      name: "listNotificationRoutes",
      summary: "List the notification routes of a site, by name",
      tag,
      level,
      atGateway: askedOfGateway,
      query: paging,
      answer: listAnswer("routes", routeSchema),
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        const routes = await needs.routes.ofSite(id);
        const { limit, offset } = pageOf(call.query);
        return renderPage("routes", { items: routes.slice(offset, offset + limit), total: routes.length }, renderRoute);
      },
    }),
    operation({
      method: "POST",
      path: `${base}/routes`,
      name: "createNotificationRoute",
      summary: "Make a notification route",
      description: "It sends alerts that are raised from now on.",
      tag,
      level,
      atGateway,
      body: newRouteSchema,
      answer,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const content: RouteContent = parseRoute(call.body);
        const now = needs.now();
        return await save(needs, call, { id: needs.newId(), siteId, ...content, createdAt: now, updatedAt: now });
      },
    }),
    operation({
      method: "PUT",
      path: one,
      name: "putNotificationRoute",
      summary: "Change a notification route",
      description: "Replaces all of it. It holds at once, also for alerts that are active.",
      tag,
      level,
      atGateway,
      body: newRouteSchema,
      answer,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const before = (await needs.routes.ofSite(siteId)).find(({ id }) => id === call.params.route_id);
        if (before === undefined) throw noRoute(call.params.route_id);
        return await save(needs, call, { ...before, ...parseRoute(call.body), updatedAt: needs.now() });
      },
    }),
    operation({
      method: "DELETE",
      path: one,
      name: "deleteNotificationRoute",
      summary: "Delete a notification route",
      tag,
      level,
      atGateway,
      answer: NOTHING,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const id = call.params.route_id;
        const trail = auditTrail(needs, call, { target: { siteId }, details: { route_id: id.slice(0, 80) } });
        if (!(await needs.routes.delete({ siteId, id }, trail))) throw noRoute(id);
        await needs.notifier.changed(siteId);
        return {};
      },
    }),
  ];
}

function messaging(needs: RouteNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: `${base}/preview`,
      name: "previewNotification",
      summary: "See who would be notified",
      description: "Of an alert of a device, or of a message of a rule, that came now and that nobody acknowledged.",
      tag,
      level,
      atGateway: askedOfGateway,
      body: previewBodySchema,
      answer: previewSchema,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const { device_id: named, severity } = call.body;
        const device = named === undefined ? undefined : await visibleDevice(needs, call, named);
        if (device !== undefined && device.siteId !== siteId)
          throw refuse("not_found", `the site has no device ${named?.slice(0, 80)}`, { pointer: "/device_id" });
        const now = needs.now();
        const { context } = await watchContext(needs, siteId, now);
        const silence = await silenceOf(needs, siteId);
        const silencedUntil = device === undefined ? undefined : await silence(device.id);
        const watched: Watched = {
          ...{ kind: device === undefined ? "rule" : "alert", severity, readLevel: "readonly", silencedUntil },
          ...{ blueprintId: device?.blueprintId, isHard: true, isActive: true, isAcknowledged: false },
        };
        const names = await usableChannels(needs, call, siteId);
        return renderPreview(advise(NEW_WATCH, watched, context), names, silencedUntil);
      },
    }),
    operation({
      method: "GET",
      path: `${base}/messages`,
      name: "listNotificationMessages",
      summary: "List the messages that were sent or wait, newest first",
      description:
        "Of the channels that the caller could have made itself, with every attempt and why it failed. Those that are done are kept " +
        "for 30 days.",
      tag,
      level,
      atGateway: askedOfGateway,
      query: { ...paging, "state.in": listOf("Only these states.", MESSAGE_STATES) },
      answer: listAnswer("messages", messageSchema),
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const channelIds = [...(await usableChannels(needs, call, siteId)).keys()];
        const filter = { siteId, channelIds, states: call.query["state.in"] };
        return renderPage("messages", await needs.messages.list(filter, pageOf(call.query)), renderMessage);
      },
    }),
    operation({
      method: "POST",
      path: `${base}/messages/:message_id/retry`,
      name: "retryNotificationMessage",
      summary: "Send a message again",
      description: "One that failed, or whose outcome is unknown.",
      tag,
      level,
      atGateway,
      answer: messageAnswer,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const id = call.params.message_id;
        const { channelId } = (await needs.messages.find(id)) ?? {};
        const isVisible = channelId !== undefined && (await usableChannels(needs, call, siteId)).has(channelId);
        const trail = auditTrail(needs, call, { target: { siteId }, details: { message_id: id.slice(0, 80) } });
        const message = isVisible ? await needs.messages.retry({ siteId, id, now: needs.now() }, trail) : undefined;
        if (message === undefined)
          throw refuse(
            "not_found",
            `the site has no message ${id.slice(0, 80)} that failed or whose outcome is unknown`,
          );
        needs.messageDispatcher.wake();
        return { message: renderMessage(message) };
      },
    }),
  ];
}
