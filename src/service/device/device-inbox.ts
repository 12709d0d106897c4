// The single entry point for everything that devices send, whatever carried it.

import { AppError } from "#core/app-error.ts";
import type { Blueprint } from "#core/blueprint/blueprint.ts";
import { credentialKey, type Device } from "#core/device/device.ts";
import type { ValuesMessage } from "#core/device/device-message.ts";
import { createLanes } from "#core/lanes.ts";
import type { ClockWatch } from "#core/time/clock-watch.ts";
import { type Instant, instant } from "#core/time/instant.ts";
import { hashFingerprint, hashPassword, sameHash } from "#service/access/hash-secret.ts";
import type { AlertTracker } from "#service/alert/alert-tracker.ts";
import { type BlueprintCatalog, deviceBlueprint } from "#service/blueprint/blueprint-catalog.ts";
import type { CommandDispatcher } from "#service/command/command-dispatcher.ts";
import { createResponseCheck } from "#service/command/response-check.ts";
import { acceptProperties } from "#service/device/accept-properties.ts";
import { createComplaints } from "#service/device/complaints.ts";
import type { Connectivity } from "#service/device/connectivity.ts";
import { createMessageTimes } from "#service/device/message-times.ts";
import { createRefusedSignIns, type RefusedSignIn, type SignInNeeds } from "#service/device/refused-sign-ins.ts";
import { type RegisterNeeds, registerChild } from "#service/device/register-child.ts";
import type { CheckJsonValue } from "#service/ports/check-json.ts";
import type { DeviceInbox, SignedIn } from "#service/ports/device-inbox.ts";
import type { Needs } from "#service/ports.ts";
import { type AcceptedTelemetry, acceptTelemetry } from "#service/telemetry/accept-telemetry.ts";
import { attributesOf } from "#service/telemetry/attributes.ts";
import { createStoredCount, type TelemetryCounter } from "#service/telemetry/telemetry-counts.ts";
import { newestValues, type TelemetryFeed } from "#service/telemetry/telemetry-feed.ts";
import { createTextBudget } from "#service/telemetry/text-budget.ts";

/** Fields of the message by which a device announces a child. */
const ABOUT_CHILD: ReadonlySet<string> = new Set(["name", "child_type", "blueprint_id"]);

export interface InboxNeeds extends RegisterNeeds, SignInNeeds, Pick<Needs, "telemetry"> {
  readonly catalog: BlueprintCatalog;
  readonly clock: Pick<ClockWatch, "latest">;
  readonly dispatcher: CommandDispatcher;
  readonly alertTracker: AlertTracker;
  readonly feed: TelemetryFeed;
  readonly telemetryCounter: Pick<TelemetryCounter, "add">;
  readonly connectivity: Connectivity;
  readonly checkJson: CheckJsonValue;
}

interface Arrived {
  readonly device: Device;
  readonly blueprint: Blueprint | undefined;
  readonly at: Instant;
}

export function createDeviceInbox(needs: InboxNeeds): DeviceInbox {
  const complain = createComplaints(needs);
  const { arrival, isTooFarAhead } = createMessageTimes(needs);
  const texts = createTextBudget(needs);
  const responses = createResponseCheck({ ...needs, complain });
  const inOrder = createLanes();
  /** How many messages of a device wait because something about it is read: later ones wait behind them. */
  const beingRead = new Map<string, number>();
  const countStored = createStoredCount(needs.telemetryCounter);
  const refusedSignIns = createRefusedSignIns(needs);

  function takeTelemetry(
    device: Device,
    blueprint: Blueprint | undefined,
    { takenAt, values }: ValuesMessage,
  ): Promise<void> {
    const now = needs.now();
    const at = takenAt === undefined ? arrival(device.id, now) : instant(Math.round(takenAt));
    if (takenAt !== undefined && isTooFarAhead(at, now)) return refuseAhead(device, blueprint, { at, now, values });
    const taken = acceptTelemetry(attributesOf(blueprint), values);
    // Alerts are processed anyway: they have their own limits.
    for (const id of texts.take(device.id, taken.accepted, needs.telemetry.latest(device.id))) {
      taken.accepted.delete(id);
      taken.refused.set(id, "is left out: the device has sent 8 MiB of texts within the hour");
    }
    const isPlain =
      taken.alerts.size + taken.details.size + taken.refused.size === 0 &&
      !needs.feed.isWatched &&
      !needs.alertTracker.isDoubtedBy(device, { at, blueprint });
    return isPlain ? keep(device, at, taken) : keepAndPublish({ device, blueprint, at }, taken);
  }

  /** Undefined when something about the device must be read first, or for an earlier message. Otherwise a message needs no wait. */
  function knownSender(deviceId: string): Pick<Arrived, "device" | "blueprint"> | undefined {
    const device = beingRead.has(deviceId) ? undefined : needs.devices.known(deviceId);
    if (device === undefined || !needs.alertTracker.isPrepared(device)) return undefined;
    if (device.blueprintId === undefined) return { device, blueprint: undefined };
    const known = needs.catalog.known(device.blueprintId);
    return known && { device, blueprint: known.blueprint };
  }

  async function takeTelemetryLater(deviceId: string, message: ValuesMessage): Promise<void> {
    let stored = Promise.resolve();
    beingRead.set(deviceId, (beingRead.get(deviceId) ?? 0) + 1);
    try {
      const device = await needs.devices.find(deviceId);
      if (device === undefined) return;
      const blueprint = await deviceBlueprint(needs, device);
      const preparing = needs.alertTracker.prepare(device);
      if (preparing !== undefined) await preparing;
      stored = takeTelemetry(device, blueprint, message);
    } finally {
      const left = (beingRead.get(deviceId) ?? 1) - 1;
      if (left === 0) beingRead.delete(deviceId);
      else beingRead.set(deviceId, left);
    }
    return stored;
  }

  /** The sender sees a refusal, but the points are kept: if our own clock is wrong, they appear when it is set. */
  async function refuseAhead(
    device: Device,
    blueprint: Blueprint | undefined,
    { at, now, values }: Pick<ValuesMessage, "values"> & { readonly at: Instant; readonly now: Instant },
  ): Promise<void> {
    needs.telemetryCounter.add({ kept: 0, leftOut: values.size });
    const { accepted } = acceptTelemetry(attributesOf(blueprint), values);
    if (accepted.size > 0) await needs.telemetry.holdBack({ deviceId: device.id, at, values: accepted }, now);
    await complain(device, "telemetry refused: its time is more than a day ahead of the clock of this gateway");
  }

  function keep({ id: deviceId }: Device, at: Instant, { accepted, refused }: AcceptedTelemetry): Promise<void> {
    const stored =
      accepted.size === 0 ? Promise.resolve() : needs.telemetry.append([{ deviceId, at, values: accepted }]);
    return countStored(stored, { kept: accepted.size, leftOut: refused.size });
  }

  async function keepAndPublish({ device, blueprint, at }: Arrived, taken: AcceptedTelemetry): Promise<void> {
    const { accepted: values, alerts, details, refused } = taken;
    await keep(device, at, taken);
    if (needs.feed.isWatched) {
      const newest = newestValues({ at, values }, attributesOf(blueprint), needs.telemetry.latest(device.id));
      needs.feed.publish({ siteId: device.siteId, deviceId: device.id, at, values: newest });
    }
    if (values.size + details.size > 0)
      await needs.alertTracker.report(device, { at, lists: alerts, details, blueprint });
    for (const [name, problem] of refused) await complain(device, `telemetry ${JSON.stringify(name)} ${problem}`);
  }

  async function takeProperties(deviceId: string, { takenAt, values }: ValuesMessage): Promise<void> {
    const device = await needs.devices.find(deviceId);
    if (device === undefined) return;
    const now = needs.now();
    if (takenAt !== undefined && isTooFarAhead(takenAt, now)) {
      await complain(device, "properties refused: their time is more than a day ahead of the clock of this gateway");
      return;
    }
    const { accepted, refused } = await acceptProperties(needs, device, values);
    const receivedAt = instant(Math.floor(takenAt ?? now));
    await needs.devices.putProperties(
      deviceId,
      [...accepted].map(([name, value]) => ({ name, value, receivedAt })),
    );
    for (const [name, problem] of refused) await complain(device, `property ${JSON.stringify(name)} ${problem}`);
  }

  async function takeChild(deviceId: string, channelId: string, message: ValuesMessage): Promise<void> {
    const parent = await needs.devices.find(deviceId);
    if (parent === undefined) return;
    const text = (name: string) => {
      const value = message.values.get(name);
      return typeof value === "string" ? value : undefined;
    };
    let child: Device;
    try {
      child = await registerChild(needs, parent, {
        channelId,
        name: text("name"),
        childType: text("child_type"),
        blueprintId: text("blueprint_id"),
      });
    } catch (error) {
      if (!(error instanceof AppError) || error.code.startsWith("storage_")) throw error;
      return complain(parent, `a child is refused: ${error.message}`);
    }
    needs.connectivity.alive(child.id);
    needs.dispatcher.deviceReachable(child.id);
    // What describes the child is no property, unless its blueprint says so.
    const declared = (await deviceBlueprint(needs, child))?.properties;
    const values = new Map(
      [...message.values].filter(([name]) => !ABOUT_CHILD.has(name) || declared?.has(name) === true),
    );
    if (values.size > 0) await takeProperties(child.id, { ...message, values });
  }

  async function signedIn(
    hardwareId: string,
    hash: Uint8Array,
    refused: Omit<RefusedSignIn, "deviceId">,
  ): Promise<SignedIn | undefined> {
    const credential = await needs.devices.findCredentialByHardwareId(hardwareId);
    const isRight = sameHash(hash, credential?.secretHash ?? NO_HASH);
    if (credential === undefined || !isRight) {
      // Logged later, so that a wrong name takes as long as a wrong secret.
      refusedSignIns.note({ ...refused, deviceId: credential?.deviceId });
      return undefined;
    }
    const { deviceId, channelId } = credential;
    return { deviceId, hardwareId, channelId, credential: credentialKey(credential) };
  }

  return {
    signIn: (hardwareId, secret, remoteAddress) =>
      signedIn(hardwareId, hashPassword(secret), { by: "secret", remoteAddress }),
    signInByCertificate: (hardwareId, fingerprint, remoteAddress) =>
      signedIn(hardwareId, hashFingerprint(fingerprint), { by: "certificate", remoteAddress }),
    reachable(deviceId) {
      needs.connectivity.alive(deviceId);
      needs.dispatcher.deviceReachable(deviceId);
    },
    connected: (deviceId, kind) => needs.connectivity.connected(deviceId, kind),
    unreachable(deviceId) {
      needs.connectivity.gone(deviceId);
      // Nobody reaches a child without the device that carries its messages.
      for (const childId of needs.children.known(deviceId)) needs.connectivity.gone(childId);
    },
    alive: (deviceId) => needs.connectivity.alive(deviceId),
    async child(deviceId, channelId) {
      const carrier = await needs.devices.find(deviceId);
      const child = carrier && (await needs.children.byChannel(carrier, channelId));
      return child && { deviceId: child.id, channelId };
    },
    async children(deviceId) {
      const carrier = await needs.devices.find(deviceId);
      const children = carrier === undefined ? [] : await needs.children.below(carrier);
      return children.map(({ id, slug }) => ({ deviceId: id, channelId: slug }));
    },
    registerChild: (deviceId, channelId, message) =>
      inOrder(`${deviceId} ${channelId}`, () => takeChild(deviceId, channelId, message)),
    telemetry(deviceId, message) {
      const sender = knownSender(deviceId);
      return sender === undefined
        ? takeTelemetryLater(deviceId, message)
        : takeTelemetry(sender.device, sender.blueprint, message);
    },
    // In order: a message whose values are checked in another thread is not overtaken by the next one.
    properties: (deviceId, message) => inOrder(deviceId, () => takeProperties(deviceId, message)),
    async log(deviceId, { takenAt, severity, text, persist }) {
      const device = await needs.devices.find(deviceId);
      if (device !== undefined)
        await needs.deviceLog.write(device, { severity, text, persist, at: takenAt ?? needs.now() });
    },
    async response(deviceId, message) {
      const execution = await needs.dispatcher.respond(deviceId, message);
      if (execution?.state !== "SUCCESS") return;
      // The response is stored: what is wrong with it is logged later, and delays nobody.
      needs.background.run("compare a response with its declaration", async () => {
        const device = await needs.devices.find(deviceId);
        if (device !== undefined) await responses.check(device, execution);
      });
    },
    async malformed(deviceId, problem) {
      const device = await needs.devices.find(deviceId);
      if (device !== undefined) await complain(device, `message refused: ${problem}`);
    },
  };
}

/** Compared with when no device has the name, so that a wrong name takes as long as a wrong secret. */
const NO_HASH = new Uint8Array(32);
