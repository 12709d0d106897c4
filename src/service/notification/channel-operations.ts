import { refuse } from "#core/app-error.ts";
import { askedOfGateway, siteOfPath } from "#service/operation/find-place.ts";
import { type AnyCall, type Operation, operation } from "#service/operation/operation.ts";
import { pageOf, paging } from "#service/operation/query.ts";
import { Type } from "#service/operation/schema.ts";
import { listAnswer, NOTHING, renderPage } from "#service/operation/wire.ts";
import { visibleSite } from "#service/site/visible-site.ts";
import {
  channelSchema,
  channelTestSchema,
  createdChannelSchema,
  type NewChannelBody,
  newChannelSchema,
  readTargets,
  renderChannel,
} from "./channel-wire.ts";
import { removeDevices } from "./push-devices.ts";
import {
  type ChannelNeeds,
  createChannel,
  mayUse,
  noChannel,
  trailOf,
  updateChannel,
  visibleChannel,
} from "./save-channel.ts";
import { sendToChannel } from "./send-to-channel.ts";

const tag = "Notifications";
const level = "owner";
const base = "/v3/sites/:site_id/notifications/channels";
const one = `${base}/:channel_id` as const;
/** Whoever makes one tries it next. What it shows of the body has no secret. */
const atGateway = {
  by: "gateway",
  place: siteOfPath,
  waits: false,
  compares: "nothing",
  shown: ({ body }: AnyCall) => {
    const { name = null, ...given } = (body ?? {}) as Partial<NewChannelBody>;
    return { name, kinds: readTargets({ name: "", ...given }).map(({ target }) => target.kind) };
  },
} as const;
const answer = Type.Object({ channel: channelSchema }, { additionalProperties: false });

export function channelOperations(needs: ChannelNeeds): readonly Operation[] {
  return [...reading(needs), ...changing(needs)];
}

function reading(needs: ChannelNeeds): readonly Operation[] {
  return [
    operation({
      method: "GET",
      path: base,
      name: "listNotificationChannels",
      summary: "List the notification channels of a site, by name",
      description: "Those that the caller could have made itself.",
      tag,
      level,
      atGateway: askedOfGateway,
      query: paging,
      answer: listAnswer("channels", channelSchema),
      run: async (call) => {
        const { id } = await visibleSite(needs, call, call.params.site_id);
        const visible = (await needs.channels.ofSite(id)).filter((channel) => mayUse(call.caller, channel));
        const { limit, offset } = pageOf(call.query);
        const page = { items: visible.slice(offset, offset + limit), total: visible.length };
        return renderPage("channels", page, renderChannel);
      },
    }),
    operation({
      method: "GET",
      path: one,
      name: "getNotificationChannel",
      summary: "Read a notification channel",
      description: "Without its secret.",
      tag,
      level,
      atGateway: askedOfGateway,
      answer,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        return { channel: renderChannel(await visibleChannel(needs, call, { siteId, id: call.params.channel_id })) };
      },
    }),
  ];
}

function changing(needs: ChannelNeeds): readonly Operation[] {
  return [
    operation({
      method: "POST",
      path: base,
      name: "createNotificationChannel",
      summary: "Make a notification channel",
      description:
        "Exactly one of mail, ntfy, telegram and webhook says where messages go. The channel gets what the caller may read, even after " +
        "the caller's token has ended. It reaches public addresses only, unless an operator allows others with allow_private.",
      tag,
      level,
      atGateway: { ...atGateway, here: async ({ body }: AnyCall) => requireSigned(body as NewChannelBody) },
      body: newChannelSchema,
      answer: createdChannelSchema,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const { channel, secret } = await createChannel(needs, call, { siteId, body: call.body });
        return { channel: renderChannel(channel), secret: secret ?? null };
      },
    }),
    operation({
      method: "PUT",
      path: one,
      name: "putNotificationChannel",
      summary: "Change a notification channel",
      description:
        "Replaces all of it, except its kind. A password or token that is not given stays, if it goes to the same server.",
      tag,
      level,
      atGateway,
      body: newChannelSchema,
      answer,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const before = await visibleChannel(needs, call, { siteId, id: call.params.channel_id });
        return { channel: renderChannel(await updateChannel(needs, call, { before, body: call.body })) };
      },
    }),
    operation({
      method: "DELETE",
      path: one,
      name: "deleteNotificationChannel",
      summary: "Delete a notification channel",
      tag,
      level,
      atGateway,
      answer: NOTHING,
      run: async (call) => {
        const { id: siteId } = await visibleSite(needs, call, call.params.site_id);
        const channel = await visibleChannel(needs, call, { siteId, id: call.params.channel_id });
        const { id } = channel;
        if (!(await needs.channels.delete({ siteId, id }, trailOf(needs, call, channel)))) throw noChannel(id);
        return {};
      },
    }),
    testing(needs),
  ];
}

/** What is made at a gateway would come back as an answer that the cloud keeps. */
function requireSigned({ webhook }: NewChannelBody): undefined {
  if (webhook === undefined || webhook.secret !== undefined) return undefined;
  throw refuse("invalid_body", "webhook.secret is missing: a gateway sends none back to its cloud", {
    pointer: "/webhook/secret",
  });
}

function testing(needs: ChannelNeeds): Operation {
  return operation({
    method: "POST",
    path: `${one}/test`,
    name: "testNotificationChannel",
    summary: "Try a notification channel",
    description: "Sends a test message, once, and answers how that went.",
    tag,
    level,
    atGateway,
    answer: channelTestSchema,
    run: async (call) => {
      const { id: siteId, name: site, timezone } = await visibleSite(needs, call, call.params.site_id);
      const channel = await visibleChannel(needs, call, { siteId, id: call.params.channel_id });
      const content = { kind: "test", site, timezone, count: 0, items: [] } as const;
      const message = { channel, id: needs.newId(), content, queuedAt: needs.now() };
      const result = await sendToChannel(needs, message, call.signal());
      if (result.gone !== undefined) await removeDevices(needs, channel, { ids: result.gone });
      const error = result.outcome === "taken" ? null : result.error;
      await needs.audit.append([trailOf(needs, call, channel, { outcome: result.outcome, error })]);
      return { outcome: result.outcome, error };
    },
  });
}
