// Makes and changes channels: everything that is wrong with one is told at once, and no secret is lost, shown or sent elsewhere.
import { type Caller, seesSite } from "#core/access/caller.ts";
import { allows } from "#core/access/level.ts";
import { AppError, type Refusal, refuse } from "#core/app-error.ts";
import { type Channel, type ChannelTarget, channelSecretContext, secretBelongsTo } from "#core/notification/channel.ts";
import { channelProblems } from "#core/notification/channel-problems.ts";
import { instant } from "#core/time/instant.ts";
import { auditTrail } from "#service/access/audit-trail.ts";
import type { MessageSender } from "#service/ports/message-sender.ts";
import type { Call, Needs } from "#service/ports.ts";
import { type NewChannelBody, readTargets } from "./channel-wire.ts";
import type { Notifier } from "./notifier.ts";

export interface ChannelNeeds
  extends Pick<Needs, "channels" | "sites" | "audit" | "seal" | "randomBytes" | "now" | "newId"> {
  readonly messageSender: MessageSender;
  readonly notifier: Pick<Notifier, "changed">;
}

const SECRET_BYTES = 32;

/** `secret` of a webhook, which is shown only this once. */
export async function createChannel(
  needs: ChannelNeeds,
  call: Call,
  { siteId, body }: { readonly siteId: string; readonly body: NewChannelBody },
): Promise<{ readonly channel: Channel; readonly secret: string | undefined }> {
  const id = needs.newId();
  const read = readChannel(needs, call.caller, { body, before: undefined });
  const isUnsigned = read.target.kind === "webhook" && read.secret === undefined;
  const signing = isUnsigned
    ? `whsec_${Buffer.from(needs.randomBytes(SECRET_BYTES)).toString("base64url")}`
    : undefined;
  const secret = read.secret ?? signing;
  const now = needs.now();
  const channel: Channel = {
    ...{ id, siteId, ...read.fields, target: read.target, level: call.caller.level, createdAt: now, updatedAt: now },
    sealedSecret: secret === undefined ? undefined : needs.seal.seal(secret, channelSecretContext(id)),
  };
  await needs.channels.insert(channel, trailOf(needs, call, channel));
  return { channel, secret: signing };
}

export async function updateChannel(
  needs: ChannelNeeds,
  call: Call,
  { before, body }: { readonly before: Channel; readonly body: NewChannelBody },
): Promise<Channel> {
  const read = readChannel(needs, call.caller, { body, before });
  const stays = read.secret === undefined && secretBelongsTo(read.target) === secretBelongsTo(before.target);
  const sealed = read.secret === undefined ? undefined : needs.seal.seal(read.secret, channelSecretContext(before.id));
  const channel: Channel = {
    ...{ ...before, ...read.fields, target: read.target },
    updatedAt: instant(Math.max(needs.now(), before.updatedAt + 1)),
    sealedSecret: stays ? before.sealedSecret : sealed,
  };
  // Devices come and go by themselves: one that was added meanwhile must not get lost.
  const asBefore = before.target.kind === "push" ? before.updatedAt : undefined;
  if (!(await needs.channels.update(channel, trailOf(needs, call, channel), asBefore))) {
    if (asBefore === undefined) throw noChannel(before.id);
    throw refuse("conflict", "the channel was changed or deleted meanwhile; read it again");
  }
  await needs.notifier.changed(before.siteId);
  return channel;
}

/** The channels that the caller could have made itself. */
export async function visibleChannel(
  needs: Pick<Needs, "channels">,
  { caller }: Call,
  { siteId, id }: { readonly siteId: string; readonly id: string },
): Promise<Channel> {
  const channel = await needs.channels.find(siteId, id);
  if (channel === undefined || !mayUse(caller, channel)) throw noChannel(id);
  return channel;
}

export const mayUse = (caller: Caller, { siteId, level }: Pick<Channel, "siteId" | "level">): boolean =>
  seesSite(caller, siteId) && allows(caller.level, level);

export const noChannel = (id: string) => refuse("not_found", `the site has no notification channel ${id.slice(0, 80)}`);

export function trailOf(needs: Pick<Needs, "now" | "newId">, call: Call, channel: Channel, more: object = {}) {
  const { id, name, siteId, target } = channel;
  // Not where it goes: a path or a topic may be known to few.
  return auditTrail(needs, call, { target: { siteId }, details: { channel_id: id, name, kind: target.kind, ...more } });
}

interface ReadChannel {
  readonly target: ChannelTarget;
  readonly secret: string | undefined;
  readonly fields: Pick<Channel, "name" | "language" | "quiet" | "allowPrivate">;
}

function readChannel(
  needs: Pick<ChannelNeeds, "messageSender">,
  caller: Caller,
  { body, before }: { readonly body: NewChannelBody; readonly before: Channel | undefined },
): ReadChannel {
  const [given, ...others] = readTargets(body);
  // Devices are added by themselves; of their channel, only the rest is changed.
  const devices = before?.target.kind === "push" ? { target: before.target, secret: undefined } : undefined;
  const read = given ?? devices;
  if (read === undefined || others.length > 0)
    throw refuse("invalid_body", "exactly one of mail, ntfy, telegram and webhook says where messages go");
  const { target, secret } = read;
  if (before !== undefined && before.target.kind !== target.kind)
    throw refuse("invalid_body", `the channel is of kind ${before.target.kind}; make another one`);
  const allowPrivate = body.allow_private ?? false;
  const mistakes = mistakesOf(needs, { target, secret, allowPrivate });
  if (allowPrivate && caller.level !== "system" && !isAllowedAlready(before, target))
    mistakes.push({
      code: "forbidden",
      message: "allow_private takes the level system",
      details: { pointer: "/allow_private" },
    });
  if (needsSecret(target) && secret === undefined && !hasSecretFor(before, target)) {
    const field = `/${target.kind}/${target.kind === "mail" ? "password" : "token"}`;
    mistakes.push({
      code: "invalid_body",
      message: `${field.slice(1).replace("/", ".")} is missing`,
      details: { pointer: field },
    });
  }
  const [first, ...rest] = mistakes;
  if (first !== undefined) throw new AppError([first, ...rest]);
  const { name, language = "en", quiet } = body;
  const hours = quiet && { calendar: quiet.calendar, except: quiet.except };
  return { target, secret, fields: { name, language, quiet: hours, allowPrivate } };
}

function mistakesOf(
  { messageSender }: Pick<ChannelNeeds, "messageSender">,
  { target, secret, allowPrivate }: Pick<ReadChannel, "target" | "secret"> & Pick<Channel, "allowPrivate">,
): Refusal[] {
  const found = channelProblems(target, secret, allowPrivate).map(({ field, message }): Refusal => {
    const words = `${target.kind}.${field} ${message}`;
    return { code: "invalid_body", message: words, details: { pointer: `/${target.kind}/${field}` } };
  });
  if (found.length > 0) return found;
  const problem = messageSender.problemWith({ target, allowPrivate });
  if (problem === undefined) return [];
  const message = `${problem}; an operator can allow private ones with allow_private`;
  return [{ code: "invalid_body", message, details: { pointer: `/${target.kind}` } }];
}

const needsSecret = (target: ChannelTarget): boolean =>
  target.kind === "telegram" || (target.kind === "mail" && target.username !== undefined);

const hasSecretFor = (before: Channel | undefined, target: ChannelTarget): boolean =>
  before?.sealedSecret !== undefined && secretBelongsTo(before.target) === secretBelongsTo(target);

/** An operator has allowed this very target. */
const isAllowedAlready = (before: Channel | undefined, target: ChannelTarget): boolean =>
  before?.allowPrivate === true && JSON.stringify(before.target) === JSON.stringify(target);
