// One run of a node of the cloud: the real dispatcher and links over the records that all nodes share.
import { type CommandDispatcher, createCommandDispatcher } from "#service/command/command-dispatcher.ts";
import { createExecution, type ExecutionInput } from "#service/command/create-execution.ts";
import { createJoinCode, joinGateway, signInGateway } from "#service/link/join-gateway.ts";
import { createLinks, type LinkNeeds, type Links } from "#service/link/links.ts";
import type { Carrier } from "#service/ports/carrier.ts";
import type { LinkSocket } from "#service/ports/link-socket.ts";
import type { Claim, NodeMessage, Nodes } from "#service/ports/nodes.ts";
import type { SubjectStores } from "#service/ports/record-store.ts";
import { openSimRecords, type Run, type SimDisk } from "./sim-records.ts";
import { openSimTelemetry, type StoredPoints } from "./sim-telemetry.ts";
import { CALL, type SideNeeds, surroundings } from "./surroundings.ts";

export interface CloudNeeds extends SideNeeds {
  readonly disk: SimDisk;
  readonly points: StoredPoints;
  readonly nodes: SimNodes;
  readonly bug: {
    readonly stores?: ((stores: SubjectStores) => SubjectStores) | undefined;
    readonly needs?: ((needs: LinkNeeds) => LinkNeeds) | undefined;
  };
}

export interface NodeRun extends Run {
  readonly stores: SubjectStores;
  readonly dispatcher: CommandDispatcher;
  readonly links: Links;
  create(input: ExecutionInput): Promise<string>;
  /** Lets a gateway join. */
  join(name: string): Promise<{ readonly gatewayId: string; readonly credential: string }>;
  serve(credential: string, socket: LinkSocket): Promise<void>;
}

const OVERDUE_EVERY_MS = 1_000;
const SWEEP_EVERY_MS = 5_000;

/** The messages between nodes, and what they have claimed. A message may be lost. */
export class SimNodes {
  readonly #claims = new Map<string, { readonly run: Run; readonly lost: AbortController }>();
  readonly #listeners = new Map<Run, (message: NodeMessage) => void>();
  readonly #side: Pick<SideNeeds, "clock" | "random">;

  constructor(side: Pick<SideNeeds, "clock" | "random">) {
    this.#side = side;
  }

  of(run: Run): Nodes {
    const { clock, random } = this.#side;
    return {
      isShared: true,
      isCurrent: () => true,
      count: async () => 2,
      broadcast: (message) => {
        for (const [other, hear] of this.#listeners) {
          if (other === run || random() < 0.1) continue;
          clock.after(random() * 20, () => other.isOver || hear(message));
        }
      },
      listen: (listener) => {
        this.#listeners.set(run, listener);
        return () => this.#listeners.delete(run);
      },
      held: async (names) => new Set(names.filter((name) => this.#claims.get(name)?.run.isOver === false)),
      claim: async (name): Promise<Claim | undefined> => {
        await new Promise<void>((resolve) => clock.after(1 + random() * 3, () => run.isOver || resolve()));
        const holder = this.#claims.get(name);
        if (holder !== undefined && !holder.run.isOver) return undefined;
        const claim = { run, lost: new AbortController() };
        this.#claims.set(name, claim);
        return {
          lost: claim.lost.signal,
          release: async () => {
            if (this.#claims.get(name) === claim) this.#claims.delete(name);
          },
        };
      },
    };
  }

  /** The node has lost the database for a moment, and with it its claims. */
  lose(run: Run): void {
    for (const [name, claim] of this.#claims) {
      if (claim.run !== run) continue;
      this.#claims.delete(name);
      claim.lost.abort();
    }
  }
}

export async function startNode(side: CloudNeeds, run: Run): Promise<NodeRun> {
  const opened = openSimRecords(side, run);
  const stores = side.bug.stores?.(opened) ?? opened;
  const around = surroundings(side, run, stores);
  const nodes = side.nodes.of(run);
  let way: Carrier | undefined;
  const channel: Carrier = {
    isReady: (deviceId) => way?.isReady(deviceId) ?? false,
    send: async (...sent) => (await way?.send(...sent)) ?? "not_sent",
    ask: (...asked) => way?.ask?.(...asked),
    sendConfiguration: async () => {},
    disconnect: () => {},
  };
  const commandGuard = { permit: async () => {} };
  const base = { ...around, commandGuard, nodes, channel, telemetry: openSimTelemetry(side, run) };
  const dispatcher = createCommandDispatcher(base);
  const nothing = () => {};
  const needs = {
    ...base,
    dispatcher,
    events: { publish: nothing },
    feed: { isWatched: false },
    telemetryCounter: { add: nothing },
    telemetryBudget: around.budgets.open("link_history", 1024 * 1024),
    liveBudget: around.budgets.open("link_values", 1024 * 1024),
    connectivity: {
      connected: nothing,
      gone: nothing,
      absent: nothing,
      loseSight: nothing,
      letGo: nothing,
      forget: nothing,
    },
    gatewayQuestions: { open: () => ({ replied: nothing, close: nothing }) },
    gatewayChanges: { open: () => ({ lane: { close: nothing }, done: Promise.resolve() }) },
    tokenSharing: { open: () => nothing },
    // Nobody claims anything here, and nobody listens.
    reportedRules: { changed: () => {} },
    reportedControls: { changed: async () => {}, gatewayChanged: async () => {} },
    webhookDispatcher: { noticesOf: () => [], wake: nothing },
  } as unknown as LinkNeeds;
  const links = createLinks(side.bug.needs?.(needs) ?? needs);
  way = links.carrier;
  stores.outbox.watch((event) => {
    if (event.kind === "execution" && "execution" in event) dispatcher.heard(event.execution);
  }, 0);
  nodes.listen((message) => {
    if (message.kind === "execution") dispatcher.takeMessage(message);
    else if (message.kind === "gateway") links.leaveTo(message.id);
  });
  const repeat = (ms: number, name: string, task: () => Promise<void>) => {
    around.after(ms, () => {
      around.background.run(name, task);
      repeat(ms, name, task);
    });
  };
  await links.sweep();
  repeat(OVERDUE_EVERY_MS, "end overdue executions", () => dispatcher.endOverdue());
  repeat(SWEEP_EVERY_MS, "find gateways whose node has ended", () => links.sweep());
  return Object.assign(run, {
    stores,
    dispatcher,
    links,
    create: async (input: ExecutionInput) =>
      (await createExecution(needs as unknown as Parameters<typeof createExecution>[0], CALL, input)).id,
    join: async (name: string) => {
      const { code } = await createJoinCode(around, CALL, {
        name,
        replaces: undefined,
        siteIds: [],
        expiresInMs: 60_000,
      });
      const { gateway, credential } = await joinGateway(around, CALL, { code, name, version: "1.0.0" });
      return { gatewayId: gateway.id, credential };
    },
    serve: async (credential: string, socket: LinkSocket) => {
      const gateway = await signInGateway(stores, credential);
      around.background.run("talk to a gateway", () => links.serve(gateway, socket));
    },
  });
}
