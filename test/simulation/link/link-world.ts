// A cloud with two nodes and a gateway with two devices: the real core, service, link and record stores over simulated
// clocks, disks, devices and a simulated line. One seed is one schedule.
import { type Execution, hasEnded, type Micros } from "#core/command/execution.ts";
import { instant } from "#core/time/instant.ts";
import type { LinkNeeds } from "#service/link/links.ts";
import type { UplinkNeeds } from "#service/link/uplink.ts";
import type { CommandChannel } from "#service/ports/carrier.ts";
import type { OpenLinkSocket } from "#service/ports/link-socket.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { makeFit } from "#store/sqlite/copy-records.ts";
import { createRecordWriter } from "#store/sqlite/record-writer.ts";
import { makeBlueprint, makeDevice, makeEntry, makeSite, NOON } from "../../support/records.ts";
import { SimClock, settled } from "../sim-clock.ts";
import { SimDevice } from "../sim-device.ts";
import { differences } from "./differences.ts";
import { MemoryDatabase, type TableCopies } from "./memory-database.ts";
import { type NodeRun, SimNodes, startNode } from "./sim-cloud.ts";
import { type GatewayRun, startGateway } from "./sim-gateway.ts";
import { NO_TROUBLE, SimLine } from "./sim-line.ts";
import { createSimDisk, type Run, type SimDisk } from "./sim-records.ts";
import { StoredPoints } from "./sim-telemetry.ts";
import { CREDENTIAL_LIFETIME_MS, DEVICES, DIGEST, MANIFEST, PATIENCE_MS } from "./surroundings.ts";

const SITE = "00000000-0000-7000-8000-00000000000a";
/** These may be deleted. Each device is a child of the one before. */
const OTHER_SITE = "00000000-0000-7000-8000-00000000000b";
const OTHER_DEVICES = [1, 2].map((n) => `00000000-0000-7000-8000-000000000${n}0b`);
/** Beyond those of records that tests make. */
const FIRST_ID = 0x10_0000;
/** As for a real connection. */
const HANDSHAKE_MS = 10_000;
/** After healing, both sides agree within this time: the longest wait of a gateway, and a minute for what is open. */
const AGREED_WITHIN_MS = 120_000;
const BUGLESS = { name: "" };
const ALL = { limit: 1_000, offset: 0 };

/** A bug put in on purpose, to see that it is found. */
export interface LinkBug {
  readonly name: string;
  /** A schedule that notices it, where the first ones do not. */
  readonly caughtBy?: number;
  readonly gatewayStores?: (stores: SubjectStores, world: LinkWorld) => SubjectStores;
  readonly cloudStores?: (stores: SubjectStores, world: LinkWorld) => SubjectStores;
  readonly gateway?: (needs: UplinkNeeds, world: LinkWorld) => UplinkNeeds;
  readonly cloud?: (needs: LinkNeeds, world: LinkWorld) => LinkNeeds;
  /** Called with restored records, of one side or of both, and with their former epoch. */
  readonly restored?: (database: MemoryDatabase, epoch: string) => void;
  readonly restoredSide?: Side;
}

type Side = "gateway" | "cloud";
type Copies = Readonly<Record<Side, TableCopies>>;

interface Backup {
  readonly at: number;
  readonly records: TableCopies;
  readonly points: StoredPoints;
}

/** Made once: a schedule begins with a gateway that has joined, and that has sent everything or nothing yet. */
let databases: Readonly<Record<Side, MemoryDatabase>> | undefined;
let beginnings: Promise<Readonly<Record<"joined" | "synced", Copies>>> | undefined;

export class LinkWorld {
  readonly clock = new SimClock(NOON);
  readonly random: () => number;
  readonly line: SimLine;
  readonly devices: readonly SimDevice[];
  readonly violations: string[] = [];
  /** What programs would have written into their logs, for somebody who looks at a schedule. */
  readonly log: string[] = [];
  readonly disks: Readonly<Record<Side, SimDisk>>;
  readonly points: Record<Side, StoredPoints> = { gateway: new StoredPoints(), cloud: new StoredPoints() };
  readonly ahead: Record<Side, number> = { gateway: 0, cloud: 0 };
  gateway: GatewayRun | undefined;
  readonly nodes: (NodeRun | undefined)[] = [undefined, undefined];
  /** Executions that the gateway has ever stored. */
  readonly accepted = new Set<string>();
  /** Executions that had ended, here or there, when their gateway was restored: ended copies of them stay as they are. */
  readonly endedBefore = new Set<string>();
  readonly restores: Record<Side, number> = { gateway: 0, cloud: 0 };
  readonly #bug: LinkBug;
  readonly #shared: SimNodes;
  readonly #channel: CommandChannel;
  readonly #starts = new Map<string, number>();
  /** When what was acknowledged by which side. */
  readonly #acknowledged = new Map<string, { readonly side: Side; readonly at: number }>();
  readonly #finals = new Map<string, string>();
  /** Devices that somebody has deleted, or wanted to. */
  readonly #deleted = new Set<string>();
  readonly #backups: Record<Side, Backup | undefined> = { gateway: undefined, cloud: undefined };
  #ids = FIRST_ID;
  /** Runs that are starting, by side and place. */
  readonly #starting = new Map<string, { readonly run: Run; readonly end: (nothing: undefined) => void }>();
  #isHealed = false;
  #lookedAt = "";

  private constructor(random: () => number, bug: LinkBug = BUGLESS) {
    this.random = random;
    this.#bug = bug;
    const { clock } = this;
    databases ??= { gateway: new MemoryDatabase(), cloud: new MemoryDatabase() };
    this.disks = { gateway: createSimDisk(databases.gateway), cloud: createSimDisk(databases.cloud) };
    this.disks.gateway.onExecution = (id) => this.accepted.add(id);
    this.line = new SimLine({ clock, random });
    this.#shared = new SimNodes({ clock, random });
    this.devices = DEVICES.map(
      (id) =>
        new SimDevice({
          id,
          clock,
          random,
          patienceMs: PATIENCE_MS,
          onStart: (executionId) => this.#started(executionId),
          deliver: async (deviceId, message) => {
            if (this.gateway === undefined) throw new Error("nobody is there");
            await this.gateway.dispatcher.respond(deviceId, message);
          },
        }),
    );
    this.#channel = {
      isReady: (id) => this.#device(id)?.isConnected ?? false,
      send: async (id, command) => {
        const device = this.#device(id);
        if (device?.isConnected !== true) return "not_sent";
        device.receive(command);
        return "handed_over";
      },
      sendConfiguration: async () => {},
    };
  }

  /** A gateway that has joined a cloud; nothing runs yet. */
  static async open(random: () => number, bug?: LinkBug): Promise<LinkWorld> {
    beginnings ??= LinkWorld.#begin();
    const copies = (await beginnings)[random() < 0.2 ? "joined" : "synced"];
    const world = new LinkWorld(random, bug);
    for (const side of ["gateway", "cloud"] as const) {
      world.disks[side].database.replace(copies[side]);
      world.disks[side].writer = createRecordWriter(world.disks[side].database.asConnection);
    }
    world.#ids += 0x1000;
    return world;
  }

  static async #begin(): Promise<Readonly<Record<"joined" | "synced", Copies>>> {
    const world = new LinkWorld(() => 0.5);
    for (const side of ["gateway", "cloud"] as const) world.disks[side].database.replace();
    world.line.isCut = true;
    await world.during(world.startNode(0));
    await world.during(world.startGateway());
    const { gateway, nodes } = world;
    if (gateway === undefined) throw new Error("it has started");
    const { sites, blueprints, devices } = gateway.stores;
    await world.during(sites.insert(makeSite({ id: SITE }), makeEntry()));
    const blueprint = makeBlueprint({ digest: DIGEST, size: MANIFEST.length, displayName: "Simulated" });
    await world.during(blueprints.insert(blueprint, MANIFEST, makeEntry()));
    await world.during(sites.insert(makeSite({ id: OTHER_SITE }), makeEntry()));
    for (const [place, id] of OTHER_DEVICES.entries()) {
      const device = makeDevice(OTHER_SITE, { id, name: `Device ${id.at(-2)}`, parentId: OTHER_DEVICES[place - 1] });
      await world.during(devices.insert(device, makeEntry()));
    }
    for (const id of DEVICES) {
      const device = makeDevice(SITE, { id, name: `Device ${id.at(-1)}`, blueprintId: blueprint.id });
      await world.during(devices.insert(device, makeEntry()));
    }
    const node = nodes[0];
    await world.during(gateway.join(() => node?.join("North") ?? Promise.reject(new Error("no node runs"))));
    const { gateway: own, cloud } = world.disks;
    const copies = () => ({ gateway: own.database.copy(), cloud: cloud.database.copy() });
    const beginning = copies();
    world.line.isCut = false;
    await world.pass(15_000);
    if ((await differences(world)).length > 0) throw new Error("a gateway without trouble sends everything");
    await world.during(gateway.uplink.stop());
    await world.pass(5_000);
    world.crash("gateway");
    world.crash("cloud", 0);
    return { joined: beginning, synced: copies() };
  }

  #device(id: string): SimDevice | undefined {
    return this.devices.find((device) => device.id === id);
  }

  newId(): string {
    return `00000000-0000-7000-8000-${(++this.#ids).toString(16).padStart(12, "0")}`;
  }

  blame(text: string): void {
    this.violations.push(`at ${this.clock.elapsed} ms: ${text}`);
  }

  #started(id: string): void {
    const count = (this.#starts.get(id) ?? 0) + 1;
    this.#starts.set(id, count);
    if (count > 1) this.blame(`${id} was started ${count} times`);
  }

  hasStarted(id: string): boolean {
    return this.#starts.has(id);
  }

  #side(side: Side) {
    return {
      clock: this.clock,
      random: this.random,
      ahead: () => this.ahead[side],
      newId: () => this.newId(),
      disk: this.disks[side],
      points: this.points[side],
      onFailure: (what: string, error: unknown) => {
        this.log.push(
          `${this.clock.elapsed} ${side}: ${what} ${String(error instanceof Error ? error.stack : JSON.stringify(error, (_, value) => (value instanceof Error ? value.message : value)))}`,
        );
      },
    };
  }

  async startGateway(): Promise<void> {
    if (this.gateway !== undefined) return;
    const { gatewayStores, gateway } = this.#bug;
    this.disks.gateway.writer = createRecordWriter(this.disks.gateway.database.asConnection);
    const needs = {
      ...this.#side("gateway"),
      channel: this.#channel,
      isOnline: (id: string) => this.#device(id)?.isConnected ?? false,
      openLinkSocket: (run: Run) => this.#connect(run),
      bug: {
        stores: gatewayStores && ((stores: SubjectStores) => gatewayStores(stores, this)),
        needs: gateway && ((needs: UplinkNeeds) => gateway(needs, this)),
      },
    };
    this.gateway = await this.#start("gateway", 0, (run) => startGateway(needs, run));
  }

  async startNode(place: number): Promise<void> {
    if (this.nodes[place] !== undefined) return;
    const { cloudStores, cloud } = this.#bug;
    const needs = {
      ...this.#side("cloud"),
      nodes: this.#shared,
      bug: {
        stores: cloudStores && ((stores: SubjectStores) => cloudStores(stores, this)),
        needs: cloud && ((needs: LinkNeeds) => cloud(needs, this)),
      },
    };
    this.nodes[place] = await this.#start("cloud", place, (run) => startNode(needs, run));
  }

  /** Undefined when it has crashed before it was ready. */
  async #start<Started>(
    side: Side,
    place: number,
    start: (run: Run) => Promise<Started>,
  ): Promise<Started | undefined> {
    const run = { isOver: false };
    const { promise: crashed, resolve: end } = Promise.withResolvers<undefined>();
    this.#starting.set(`${side} ${place}`, { run, end });
    const started = await Promise.race([start(run), crashed]);
    this.#starting.delete(`${side} ${place}`);
    return started;
  }

  loseClaims(place: number): void {
    const run = this.nodes[place];
    if (run !== undefined) this.#shared.lose(run);
  }

  crash(side: Side, place = 0): void {
    const starting = this.#starting.get(`${side} ${place}`);
    const run = starting?.run ?? (side === "gateway" ? this.gateway : this.nodes[place]);
    if (run === undefined) return;
    run.isOver = true;
    starting?.end(undefined);
    this.line.crashed(run);
    if (side === "cloud") this.nodes[place] = undefined;
    else {
      this.gateway = undefined;
      for (const device of this.devices) device.disconnect();
    }
  }

  /** A gateway that reaches some node, whichever is there. */
  #connect(run: Run): OpenLinkSocket {
    return async (_url, credential) => {
      await this.#wait(1 + this.random() * 30, run);
      const there = this.nodes.filter((node) => node !== undefined);
      const node = there[Math.floor(this.random() * there.length)];
      if (this.line.isCut || node === undefined) throw new Error("the cloud cannot be reached");
      const { near, far } = this.line.open(run, node);
      try {
        // A node that crashes meanwhile does not answer.
        const isAnswered = node.serve(credential, far).then(() => true);
        const isLate = this.#wait(HANDSHAKE_MS, run).then(() => false);
        if (!(await Promise.race([isAnswered, isLate]))) throw new Error("the cloud does not answer");
      } catch (error) {
        near.end();
        throw error;
      }
      return near;
    };
  }

  #wait(ms: number, run: Run): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, () => run.isOver || resolve()));
  }

  connect(device: SimDevice): void {
    if (this.gateway === undefined || device.isConnected) return;
    device.connect();
    this.gateway.dispatcher.deviceReachable(device.id);
  }

  /** A caller in the cloud or at the gateway. */
  create(side: Side, deviceId: string): void {
    const there = this.nodes.filter((node) => node !== undefined);
    const run = side === "gateway" ? this.gateway : there[Math.floor(this.random() * there.length)];
    const isSecret = this.random() < 0.2;
    const input = {
      device: deviceId,
      name: isSecret ? "unlock" : "go",
      arguments: isSecret ? { pin: "1234" } : {},
      ephemeral: false,
      idempotencyKey: undefined,
      withLog: false,
    };
    run?.create(input).then(
      (id) => this.#acknowledge(side, `execution ${deviceId} ${id}`),
      () => {},
    );
  }

  #acknowledge(side: Side, what: string): void {
    this.#acknowledged.set(what, { side, at: this.clock.elapsed });
  }

  /** Somebody at the gateway, or a device, changes a record. */
  change(deviceId: string): void {
    const { gateway } = this;
    if (gateway === undefined) return;
    const { devices, deviceLogs, sites, alerts } = gateway.stores;
    const now = instant(this.clock.now() + this.ahead.gateway);
    const text = `${this.newId()}`;
    const trail = { ...makeEntry(), id: this.newId() };
    const changed = (write: Promise<unknown>, what: string) =>
      void write.then(
        () => this.#acknowledge("gateway", what),
        () => {},
      );
    const dice = this.random();
    if (dice < 0.2) changed(devices.update(deviceId, { name: text, updatedAt: now }, trail), "name");
    else if (dice < 0.3) changed(sites.update(SITE, { name: text, updatedAt: now }, trail), "site");
    else if (dice < 0.5)
      changed(devices.putProperties(deviceId, [{ name: "firmware", value: text, receivedAt: now }]), "property");
    else if (dice < 0.75) {
      const entry = { takenAt: now, severity: "info" as const, message: text, persist: true };
      const receivedAt = (now * 1000) as Micros;
      changed(deviceLogs.append(deviceId, [{ ...entry, receivedAt }], 1_000_000), `log ${deviceId} ${text}`);
    } else {
      const alert = {
        source: "alerts",
        alertId: `a${text.slice(-4)}`,
        readLevel: "readonly" as const,
        blueprintId: undefined,
        severity: "error" as const,
        raisedAt: now,
        hardensAt: now,
        isHard: true,
        notConfirmedSince: undefined,
        details: undefined,
      };
      const raised = { kind: "raised" as const, at: now, alert };
      const cleared = { kind: "cleared" as const, at: instant(now + 1), alert };
      const changes = this.random() < 0.5 ? [raised] : [raised, cleared];
      changed(alerts.record(deviceId, changes, { events: [], notices: [] }), `alert ${deviceId} ${alert.alertId}`);
    }
  }

  /** Somebody at the gateway adds, moves or deletes a device or a site, or uses a device that is not always there. */
  rearrange(): void {
    this.#rearrange().catch(() => {});
  }

  async #rearrange(): Promise<void> {
    const { gateway } = this;
    if (gateway === undefined) return;
    const pick = <Item>(items: readonly Item[]): Item | undefined => items[Math.floor(this.random() * items.length)];
    const { sites, devices } = gateway.stores;
    const all = (await devices.list({ scope: "all" }, ALL)).items;
    const others = all.filter(({ id }) => !DEVICES.includes(id));
    const siteIds = (await sites.list("all", ALL)).items.map(({ id }) => id);
    const device = pick(others);
    const trail = { ...makeEntry(), id: this.newId() };
    const remove = async (id: string) => {
      this.#deleted.add(id);
      await devices.delete(id, { ...makeEntry(), id: this.newId() });
      await gateway.telemetry.deleteDevice(id);
    };
    const dice = this.random();
    if (dice < 0.1) await sites.insert(makeSite({ id: this.newId() }), trail);
    else if (dice < 0.35 || device === undefined) {
      const siteId = pick(siteIds) ?? SITE;
      const parents = all.filter((one) => one.siteId === siteId);
      const parentId = this.random() < 0.3 ? pick(parents)?.id : undefined;
      const id = this.newId();
      const blueprintId = all.find((one) => DEVICES.includes(one.id))?.blueprintId;
      await devices.insert(makeDevice(siteId, { id, name: `Device ${id.slice(-5)}`, parentId, blueprintId }), trail);
    } else if (dice < 0.5) {
      const place =
        this.random() < 0.5
          ? { slug: this.random() < 0.5 ? "left" : "right" }
          : { parentId: pick(all.filter(({ siteId }) => siteId === device.siteId))?.id };
      await devices.update(device.id, { ...place, updatedAt: instant(this.clock.now() + this.ahead.gateway) }, trail);
    } else if (dice < 0.55) this.measure(device.id);
    else if (dice < 0.6) this.create(this.random() < 0.5 ? "gateway" : "cloud", device.id);
    else if (dice < 0.8) await remove(device.id);
    else {
      const siteId = pick(siteIds.filter((id) => id !== SITE));
      if (siteId === undefined) return;
      // Children have higher ids.
      for (const one of others.toReversed()) if (one.siteId === siteId) await remove(one.id);
      await sites.delete(siteId, trail);
    }
  }

  /** A device sends some points, of now and of before. */
  measure(deviceId: string): void {
    const points = Array.from({ length: 1 + Math.floor(this.random() * 3) }, () => ({
      deviceId,
      at: instant(this.clock.now() + this.ahead.gateway - Math.floor(this.random() * this.random() * 7_200_000)),
      values: new Map([["power", Math.floor(this.random() * 1_000)]]),
    }));
    this.gateway?.telemetry.append(points).then(
      () => {
        for (const { at } of points) this.#acknowledge("gateway", `point ${deviceId} ${at} power`);
      },
      () => {},
    );
  }

  /** The gateway replaces the credential with which it has joined when it connects the next time. */
  letCredentialAge(): void {
    const joinedAt = this.clock.now() + this.ahead.gateway - 2 * CREDENTIAL_LIFETIME_MS;
    this.disks.gateway.database.run("UPDATE uplink SET joined_at = ?", joinedAt);
  }

  backUp(side: Side): void {
    this.#backups[side] = {
      at: this.clock.elapsed,
      records: this.disks[side].database.copy(),
      points: this.points[side].copy(),
    };
  }

  /** The side is down, and its latest backup takes the place of its data. */
  restore(side: Side): void {
    const backup = this.#backups[side];
    if (backup === undefined) return;
    this.crash(side, 0);
    if (side === "cloud") this.crash(side, 1);
    const disk = this.disks[side];
    if (side === "gateway") {
      // What it has ended may be on its way to the cloud.
      for (const { database } of Object.values(this.disks)) {
        for (const { id } of database.all(ENDED)) this.endedBefore.add(String(id));
      }
    } else this.#finals.clear();
    disk.database.replace(backup.records);
    const epoch = String(disk.database.get("SELECT epoch FROM epoch")?.["epoch"]);
    makeFit(disk.database.asConnection);
    if ((this.#bug.restoredSide ?? side) === side) this.#bug.restored?.(disk.database, epoch);
    disk.writer = createRecordWriter(disk.database.asConnection);
    this.points[side] = backup.points.copy();
    this.restores[side]++;
    for (const [what, { side: by, at }] of this.#acknowledged) {
      if (by === side && at >= backup.at) this.#acknowledged.delete(what);
    }
  }

  /** Time goes on; once a second somebody looks whether all is well. */
  async pass(ms: number): Promise<void> {
    const end = this.clock.elapsed + Math.floor(ms);
    while (this.clock.elapsed < end) {
      await this.clock.runUntil(Math.min(end, this.clock.elapsed + 1_000));
      this.#patrol();
    }
  }

  /** Time goes on until the promise settles. */
  async during<Result>(promise: Promise<Result>): Promise<Result> {
    let isDone = false;
    const done = () => {
      isDone = true;
    };
    promise.then(done, done);
    for (await settled(); !isDone; ) await this.clock.runUntil(this.clock.elapsed + 5);
    return await promise;
  }

  /** Looks at both disks. */
  #patrol(): void {
    const { cloud, gateway } = this.disks;
    const stored = this.#stored();
    if (stored === this.#lookedAt) return;
    this.#lookedAt = stored;
    const open = new Set(gateway.database.all(OPEN).map(({ id }) => String(id)));
    for (const { id: found, state } of cloud.database.all(ENDED)) {
      const id = String(found);
      if (open.has(id) && !this.endedBefore.has(id)) {
        this.blame(`the cloud says that ${id} is ${String(state)}, and the gateway has not ended it`);
      }
      if (state === "TIMEOUT") continue;
      const final = this.#finals.get(id) ?? String(state);
      this.#finals.set(id, final);
      if (final !== state) this.blame(`${id} was ${final} and became ${String(state)}`);
    }
    for (const { id, state } of cloud.database.all(BLIND)) {
      this.blame(`the cloud says that ${String(id)} is ${String(state)}, and it cannot know`);
    }
  }

  /** Another text when something was stored since, by either side. */
  #stored(): string {
    const { restores, disks, points } = this;
    const of = (side: Side) => `${restores[side]} ${disks[side].commits} ${points[side].added}`;
    return `${of("gateway")} ${of("cloud")}`;
  }

  /** Trouble that comes later, unless all troubles are over by then. */
  later(ms: number, trouble: () => void): void {
    this.clock.after(ms, () => this.#isHealed || trouble());
  }

  /** All troubles are over and everyone is there. */
  async heal(): Promise<void> {
    this.#isHealed = true;
    this.line.isCut = false;
    this.line.trouble = NO_TROUBLE;
    for (const place of [0, 1]) if (this.nodes[place] === undefined) await this.during(this.startNode(place));
    if (this.gateway === undefined) await this.during(this.startGateway());
    for (const device of this.devices) this.connect(device);
  }

  /** After healing both sides agree, everything has ended, and what was acknowledged is there. */
  async checkEnd(): Promise<void> {
    const limit = this.clock.elapsed + AGREED_WITHIN_MS;
    let different: readonly string[] = [];
    let compared = "";
    do {
      await this.pass(1_000);
      const stored = this.#stored();
      if (stored === compared && this.clock.elapsed < limit) continue;
      compared = stored;
      const isOpen = Object.values(this.disks).some(({ database }) => database.get(UNENDED) !== undefined);
      different = isOpen && this.clock.elapsed < limit ? ["something is open"] : await differences(this);
    } while (different.length > 0 && this.clock.elapsed < limit && this.violations.length === 0);
    for (const one of different) this.blame(`${AGREED_WITHIN_MS} ms after healing ${one}`);
    if (this.violations.length > 0) return;
    await this.#checkAcknowledged();
    await this.#checkCommands();
  }

  async #checkAcknowledged(): Promise<void> {
    const { database } = this.disks.cloud;
    const devices = new Set(this.disks.gateway.database.all("SELECT id FROM device").map(({ id }) => String(id)));
    for (const [what, { side }] of this.#acknowledged) {
      const [kind, id = "", more = "", attribute = ""] = what.split(" ");
      // It was deleted with everything of it. A restored gateway may have it again, and not what the cloud had of it.
      if (id !== "" && (this.#deleted.has(id) || !devices.has(id))) continue;
      const isThere =
        kind === "execution"
          ? database.get("SELECT 1 FROM execution WHERE id = ?", more) !== undefined
          : kind === "log"
            ? database.get("SELECT 1 FROM device_log WHERE device_id = ? AND message = ?", id, more) !== undefined
            : kind === "point"
              ? this.points.cloud.of(id).has(`${more} ${attribute}`)
              : kind !== "alert" || database.get("SELECT 1 FROM alert WHERE alert_id = ?", more) !== undefined;
      if (!isThere) this.blame(`${what} was acknowledged by the ${side} and is not in the cloud`);
    }
  }

  /** A command from either side reaches a device that is there, and ends. */
  async #checkCommands(): Promise<void> {
    this.line.notice();
    for (let turn = 0; turn < 60 && !this.line.isConnected; turn++) await this.pass(1_000);
    await this.pass(1_000);
    const [one, other] = DEVICES;
    const created: string[] = [];
    for (const [device, run] of [
      [one, this.nodes[0]],
      [other, this.nodes[1]],
    ] as const) {
      if (run === undefined || device === undefined) continue;
      const input = { device, name: "go", arguments: {}, ephemeral: false, idempotencyKey: undefined, withLog: false };
      created.push(await this.during(run.create(input)));
    }
    await this.pass(500);
    for (const id of created) if (!this.hasStarted(id)) this.blame(`${id} never reached its device`);
  }

  /** Whether a copy may differ from what the gateway has now. */
  mayDiffer(copy: Execution): boolean {
    return this.endedBefore.has(copy.id) && hasEnded(copy.state);
  }
}

const STATES = "FROM execution e JOIN execution_group g ON g.id = e.group_id";
const ENDED = `SELECT e.id, g.state ${STATES} WHERE g.state IN ('SUCCESS', 'ERROR', 'TIMEOUT')`;
const UNENDED = "SELECT 1 FROM execution_group WHERE total > 0 AND state IN ('NEW', 'IN_PROGRESS', 'UNSYNC')";
const OPEN = `SELECT e.id ${STATES} WHERE g.state IN ('NEW', 'IN_PROGRESS')`;
const BLIND = `SELECT e.id, g.state ${STATES} WHERE e.is_remote = 1 AND g.state IN ('NEW', 'IN_PROGRESS')
  AND EXISTS (SELECT 1 FROM gateway WHERE is_connected = 0)`;
